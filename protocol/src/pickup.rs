//! Telling one's own pick-up from another's, after an answer that never arrived (extension).

use crate::word::words;

/// Shortest `pickup_id`: 128 random bits in base64url.
pub const MIN_LENGTH: usize = 22;
/// Longest `pickup_id`.
pub const MAX_LENGTH: usize = 128;

/// Whether a text has the form of a `pickup_id`: 22 to 128 characters of `A-Z a-z 0-9 _ -`.
pub fn is_pickup_id(text: &str) -> bool {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (MIN_LENGTH..=MAX_LENGTH).contains(&text.len()) && text.bytes().all(known)
}

words! {
    /// Whose pick-up took the token set, as the 410 says to a call that carries a `pickup_id`.
    PickupOwner;
    /// The one with this very `pickup_id`: its answer was lost, and the token set can be reissued.
    Yours = "yours";
    /// One with another `pickup_id`, or with none.
    Other = "other";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_texts_of_that_form_are_pickup_ids() {
        let long = "a".repeat(MAX_LENGTH);
        for good in [
            "0123456789abcdefABCDEF",
            "______________________",
            "-_-_-_-_-_-_-_-_-_-_-_-",
            &long,
        ] {
            assert!(is_pickup_id(good), "{good}");
        }
        let longer = format!("{long}a");
        for bad in [
            "",
            "0123456789abcdefABCDE",
            "0123456789abcdefABCDE=",
            "0123456789abcdefABCDé",
            &longer,
        ] {
            assert!(!is_pickup_id(bad), "{bad}");
        }
    }

    #[test]
    fn words_round_trip() {
        assert_eq!(PickupOwner::ALL, [PickupOwner::Yours, PickupOwner::Other]);
        assert_eq!(PickupOwner::Yours.as_str(), "yours");
        for &pickup in PickupOwner::ALL {
            assert_eq!(PickupOwner::parse(pickup.as_str()), Some(pickup));
            assert_eq!(serde_json::to_value(pickup).unwrap(), pickup.as_str());
        }
        assert_eq!(PickupOwner::parse("Yours"), None);
    }
}
