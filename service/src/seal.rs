//! What the service seals: the personal data that a till sends, and the secrets that it signs with.

use pos_connect_foundation::seal::Sealer;
use pos_connect_foundation::token::Hash;

/// The program's name, which is part of how its keys are derived.
pub(crate) const PROGRAM: &str = "pos-connect-service";

/// What a sealed value or a fingerprint is; one of a kind never passes for another.
#[derive(Clone, Copy)]
pub(crate) enum Purpose {
    /// A customer.
    Customer,
    /// An order.
    Order,
    /// The answer to a call that can be repeated.
    Answer,
    /// A body.
    Body,
    /// A message.
    Message,
    /// The secret of the fingerprints.
    FingerprintSecret,
    /// The secrets of a vendor's webhook.
    WebhookSecrets,
    /// The private half of a key that numbers are sealed for.
    SealingKey,
    /// Whose budget it is.
    Budget,
    /// An order without its e-receipt.
    Sale,
    /// What shows a service that `doctor` has its key.
    Probe,
    /// The secret of an account's one-time codes.
    SecondFactor,
    /// A recovery code.
    RecoveryCode,
    /// A passkey.
    Passkey,
    /// What a browser is asked to answer with a passkey.
    PasskeyChallenge,
}

impl Purpose {
    /// The numbers are in every database: they never change.
    pub(crate) const fn number(self) -> u8 {
        match self {
            Self::Customer => 2,
            Self::Order => 3,
            Self::Answer => 4,
            Self::Body => 5,
            Self::Message => 6,
            Self::FingerprintSecret => 7,
            Self::WebhookSecrets => 8,
            Self::SealingKey => 9,
            Self::Budget => 10,
            Self::Sale => 11,
            Self::Probe => 12,
            Self::SecondFactor => 13,
            Self::RecoveryCode => 14,
            Self::Passkey => 15,
            Self::PasskeyChallenge => 16,
        }
    }
}

impl From<Purpose> for u8 {
    fn from(purpose: Purpose) -> Self {
        purpose.number()
    }
}

/// The row of something that a vendor names within a store. Names end where the next begins: no two are the same text.
pub(crate) fn row(
    sealer: &Sealer,
    purpose: Purpose,
    vendor: i64,
    store: i64,
    names: &[&str],
) -> Hash {
    let mut text = format!("{vendor} {store}");
    for name in names {
        text += &format!(" {}:{name}", name.len());
    }
    sealer.fingerprint(purpose, text.as_bytes())
}
