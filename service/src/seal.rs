//! What the service seals: the personal data that a till sends, and the secrets that it signs with.

use pos_connect_foundation::seal::Sealer;
use pos_connect_foundation::token::Hash;

/// The program's name, which is part of how its keys are derived.
pub(crate) const PROGRAM: &str = "pos-connect-service";

/// What a sealed value or a fingerprint is; one of a kind never passes for another.
#[derive(Clone, Copy)]
pub(crate) enum Purpose {
    /// What shows that the key is the right one.
    KeyCheck,
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
}

/// The numbers are in every database: they never change.
impl From<Purpose> for u8 {
    fn from(purpose: Purpose) -> Self {
        match purpose {
            Purpose::KeyCheck => 1,
            Purpose::Customer => 2,
            Purpose::Order => 3,
            Purpose::Answer => 4,
            Purpose::Body => 5,
            Purpose::Message => 6,
            Purpose::FingerprintSecret => 7,
            Purpose::WebhookSecrets => 8,
            Purpose::SealingKey => 9,
            Purpose::Budget => 10,
            Purpose::Sale => 11,
            Purpose::Probe => 12,
            Purpose::SecondFactor => 13,
            Purpose::RecoveryCode => 14,
        }
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
