//! Whether a vendor or an account is real (extension).

use crate::word::words;

words! {
    /// Whether a vendor or an account is real. Each meets only its own kind. The words are in the database, too.
    Mode;
    /// Its orders and shoppers are real, and messages are sent.
    Live = "live";
    /// It is for tests: no message is sent.
    Test = "test";
}

impl Mode {
    /// What stands before the IDs of its vendors and accounts.
    ///
    /// ```
    /// # use pos_connect_protocol::Mode;
    /// assert_eq!([Mode::Live.prefix(), "acc_x"].concat(), "acc_x");
    /// assert_eq!([Mode::Test.prefix(), "acc_x"].concat(), "test_acc_x");
    /// ```
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Live => "",
            Self::Test => "test_",
        }
    }

    /// Whether an ID may be given to a vendor of this mode.
    pub fn allows(self, client_id: &str) -> bool {
        client_id.starts_with(Self::Test.prefix()) == (self == Self::Test)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_of_test_mode_is_no_live_one_and_no_other_word_is_a_mode() {
        assert!(Mode::Test.allows("test_x") && !Mode::Live.allows("test_x"));
        assert!(Mode::Live.allows("x_test_") && !Mode::Test.allows("x_test_"));
        for word in ["", "Test", "test ", "sandbox", "production", "LIVE"] {
            assert_eq!(Mode::parse(word), None, "{word}");
        }
    }
}
