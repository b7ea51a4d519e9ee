//! The status of an integration (§3) and, as an extension, why it was cancelled.

use serde::Serialize;

/// The status of an integration (§2.1, §3). `finished` and `cancelled` never change again.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The merchant has not decided yet.
    Pending,
    /// The merchant consented: the token set can be picked up, once.
    Finished,
    /// There will be no token set.
    Cancelled,
}

impl Status {
    /// The word on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Finished => "finished",
            Self::Cancelled => "cancelled",
        }
    }

    /// Reads the word on the wire; letter case counts. `None` for any other word.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "pending" => Some(Self::Pending),
            "finished" => Some(Self::Finished),
            "cancelled" => Some(Self::Cancelled),
            _ => None,
        }
    }
}

/// Why an integration is `cancelled` (extension).
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StatusReason {
    /// The merchant pressed Cancel in the connect frame.
    Merchant,
    /// The till called `DELETE`.
    Till,
    /// Nobody decided within the integration's lifetime.
    Expired,
}

impl StatusReason {
    /// The word on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Merchant => "merchant",
            Self::Till => "till",
            Self::Expired => "expired",
        }
    }

    /// Reads the word; `None` for any other.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "merchant" => Some(Self::Merchant),
            "till" => Some(Self::Till),
            "expired" => Some(Self::Expired),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_round_trip_and_nothing_else_is_read() {
        for status in [Status::Pending, Status::Finished, Status::Cancelled] {
            assert_eq!(Status::parse(status.as_str()), Some(status));
        }
        for reason in [
            StatusReason::Merchant,
            StatusReason::Till,
            StatusReason::Expired,
        ] {
            assert_eq!(StatusReason::parse(reason.as_str()), Some(reason));
        }
        for word in ["", "Finished", "canceled", "pending ", "expired2"] {
            assert_eq!(Status::parse(word), None);
            assert_eq!(StatusReason::parse(word), None);
        }
    }
}
