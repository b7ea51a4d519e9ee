//! What a test account's email asks for: `owner+cancelled@shop.example` is the account of `owner@shop.example`, and
//! cancels. The password is the account's own, so a page of test mode lets in nobody whom another page would not.

use crate::store::normalized;

/// What follows the sign-in.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Outcome {
    /// The consent page.
    Consent,
    /// The merchant cancels.
    Cancelled,
    /// The consent page, after a while.
    Slow,
}

impl Outcome {
    /// Reads it from an email; gives the account's own, too, as it is kept.
    pub(crate) fn of(email: &str) -> (String, Self) {
        let email = normalized(email);
        let parts = email.rsplit_once('@');
        let parts = parts.and_then(|(name, host)| Some((name.rsplit_once('+')?, host)));
        match parts {
            Some(((name, "cancelled"), host)) => (format!("{name}@{host}"), Self::Cancelled),
            Some(((name, "slow"), host)) => (format!("{name}@{host}"), Self::Slow),
            _ => (email, Self::Consent),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_word_before_the_host_asks_for_something() {
        for (email, account, outcome) in [
            ("a+cancelled@b.example", "a@b.example", Outcome::Cancelled),
            ("a+x+slow@b.example", "a+x@b.example", Outcome::Slow),
            ("a+x@b.example", "a+x@b.example", Outcome::Consent),
            ("a@b+slow.example", "a@b+slow.example", Outcome::Consent),
            (" A+Slow@b.example", "a@b.example", Outcome::Slow),
            ("a+slow", "a+slow", Outcome::Consent),
            ("", "", Outcome::Consent),
        ] {
            assert_eq!(Outcome::of(email), (account.to_owned(), outcome), "{email}");
        }
    }
}
