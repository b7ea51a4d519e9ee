//! The status of an integration (§3) and, as an extension, why it was cancelled.

use crate::word::words;

words! {
    /// The status of an integration (§2.1, §3). `finished` and `cancelled` never change again.
    /// The words are in the database, too.
    Status;
    /// The merchant has not decided yet.
    Pending = "pending";
    /// The merchant consented: the token set can be picked up, once.
    Finished = "finished";
    /// There will be no token set.
    Cancelled = "cancelled";
}

words! {
    /// Why an integration is `cancelled` (extension). The words are in the database, too.
    StatusReason;
    /// The merchant pressed Cancel in the connect frame.
    Merchant = "merchant";
    /// The till called `DELETE`.
    Till = "till";
    /// Nobody decided within the integration's lifetime.
    Expired = "expired";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Field;
    use serde_json::json;

    #[test]
    fn the_words_are_those_of_the_specification() {
        let words: Vec<_> = Status::ALL.iter().map(|status| status.as_str()).collect();
        assert_eq!(words, ["pending", "finished", "cancelled"]);
        let words: Vec<_> = StatusReason::ALL
            .iter()
            .map(|reason| reason.as_str())
            .collect();
        assert_eq!(words, ["merchant", "till", "expired"]);
    }

    #[test]
    fn words_round_trip_and_nothing_else_is_read() {
        for &status in Status::ALL {
            assert_eq!(Status::parse(status.as_str()), Some(status));
            assert_eq!(serde_json::to_value(status).unwrap(), status.as_str());
            let read: Status = serde_json::from_value(json!(status.as_str())).unwrap();
            assert_eq!(read, status);
        }
        for &reason in StatusReason::ALL {
            assert_eq!(StatusReason::parse(reason.as_str()), Some(reason));
        }
        for word in ["", "Finished", "canceled", "pending ", "expired2"] {
            assert_eq!(Status::parse(word), None);
            assert_eq!(StatusReason::parse(word), None);
            assert!(serde_json::from_value::<Status>(json!(word)).is_err());
        }
    }

    #[test]
    fn an_unknown_word_is_told_from_a_wrong_type() {
        let read = |json| serde_json::from_value::<Field<Status>>(json).unwrap();
        assert_eq!(read(json!("finished")), Field::Value(Status::Finished));
        assert_eq!(read(json!("Finished")), Field::Unreadable);
        assert_eq!(read(json!("")), Field::Missing);
        assert_eq!(read(json!(null)), Field::Missing);
        for other in [
            json!(true),
            json!(1),
            json!(["finished"]),
            json!({"finished": 1}),
        ] {
            assert_eq!(read(other), Field::WrongType);
        }
    }
}
