//! What the relay seals.

pub use pos_connect_foundation::seal::{Sealer, Unreadable};

/// The program's name, which is part of how its keys are derived.
pub const PROGRAM: &str = "pos-connect-relay";

/// What a sealed value is; one of a kind never passes for another.
#[derive(Clone, Copy)]
pub enum Purpose {
    /// An integration token.
    Integration,
    /// The random text of a pick-up.
    Pickup,
    /// A pair of tokens.
    Tokens,
    /// A till's key, while the call that added it may be repeated.
    TillKey,
}

impl Purpose {
    /// The numbers are in every database: they never change.
    pub const fn number(self) -> u8 {
        match self {
            Self::Integration => 1,
            Self::Pickup => 2,
            Self::Tokens => 3,
            Self::TillKey => 5,
        }
    }
}

impl From<Purpose> for u8 {
    fn from(purpose: Purpose) -> Self {
        purpose.number()
    }
}

/// The relay's sealer with this key; the error says what is wrong, never what it was given.
pub fn sealer(key: &str) -> Result<Sealer, String> {
    Sealer::new(PROGRAM, key)
}
