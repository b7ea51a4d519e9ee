//! One integration and the rules of its states (§3). Time moves it too: every question is asked for a moment.

use crate::clock::Timestamp;
use crate::token::Hash;
use pos_connect_protocol::{ProblemCode, Status, StatusReason};

/// An integration as it is stored. `expired` is never stored: it follows from the clock.
#[derive(Clone, Debug)]
pub struct Integration {
    /// Hash of the integration token.
    pub hash: Hash,
    /// The stored status.
    pub status: Status,
    /// Why it was cancelled, if it was.
    pub reason: Option<StatusReason>,
    /// When a pending one turns into a cancelled one.
    pub expires_at: Timestamp,
    /// Until when the token set of a finished one can be picked up.
    pub pickup_until: Option<Timestamp>,
    /// Whether the token set was picked up.
    pub claimed: bool,
    /// The account that signed in first.
    pub owner: Option<i64>,
    /// Whether the connect page was opened in a window or on a phone.
    pub is_opened: bool,
}

impl Integration {
    /// The status at a moment, with the reason for a cancelled one.
    pub fn status_at(&self, now: Timestamp) -> (Status, Option<StatusReason>) {
        match self.status {
            Status::Pending if now >= self.expires_at => {
                (Status::Cancelled, Some(StatusReason::Expired))
            }
            status => (status, self.reason),
        }
    }

    /// Whether the token set can be picked up at a moment; if not, the answer says why.
    pub fn pickup_at(&self, now: Timestamp) -> Result<(), ProblemCode> {
        if self.claimed {
            return Err(ProblemCode::TokensAlreadyRetrieved);
        }
        match self.status_at(now) {
            (Status::Finished, _) if self.pickup_until.is_some_and(|until| now < until) => Ok(()),
            (Status::Finished, _) | (_, Some(StatusReason::Expired)) => {
                Err(ProblemCode::IntegrationExpired)
            }
            (Status::Cancelled, _) => Err(ProblemCode::IntegrationCancelled),
            (Status::Pending, _) => Err(ProblemCode::IntegrationPending),
        }
    }
}

/// Four digits that a till and the connect page show where they are not in one window. Not a secret, and no way back to
/// the token.
pub fn code(integration_token: &str) -> String {
    // Apart from the hash that is stored, so that neither tells about the other.
    let hash = Hash::of(&["connect code\n", integration_token].concat());
    let [a, b, c, d, ..] = *hash.bytes();
    format!("{:04}", u32::from_be_bytes([a, b, c, d]) % 10_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::Kind;
    use std::collections::HashSet;

    #[test]
    fn the_code_is_four_digits_that_only_the_token_decides() {
        // SHA-256 of "connect code\npci_example" begins with 032b733f.
        assert_eq!(code("pci_example"), "9199");
        let codes: HashSet<String> = (0..2_000)
            .map(|_| code(&Kind::Integration.mint()))
            .collect();
        assert!(codes.iter().all(|code| code.len() == 4));
        assert!(
            codes
                .iter()
                .all(|code| code.bytes().all(|digit| digit.is_ascii_digit()))
        );
        // About 1,813 differ of 2,000 that are drawn from 10,000.
        assert!(codes.len() > 1_700, "{}", codes.len());
        assert!(codes.iter().any(|code| code.starts_with('0')));
    }

    fn integration(status: Status) -> Integration {
        Integration {
            hash: Hash::of("x"),
            status,
            reason: (status == Status::Cancelled).then_some(StatusReason::Till),
            expires_at: Timestamp(1000),
            pickup_until: (status == Status::Finished).then_some(Timestamp(5000)),
            claimed: false,
            owner: None,
            is_opened: false,
        }
    }

    #[test]
    fn only_a_pending_one_expires_and_exactly_on_time() {
        let pending = integration(Status::Pending);
        assert_eq!(pending.status_at(Timestamp(999)), (Status::Pending, None));
        assert_eq!(
            pending.status_at(Timestamp(1000)),
            (Status::Cancelled, Some(StatusReason::Expired))
        );
        assert_eq!(
            integration(Status::Finished).status_at(Timestamp(9999)),
            (Status::Finished, None)
        );
        let cancelled = (Status::Cancelled, Some(StatusReason::Till));
        assert_eq!(
            integration(Status::Cancelled).status_at(Timestamp(9999)),
            cancelled
        );
    }

    #[test]
    fn every_state_has_its_own_answer_to_a_pickup() {
        let at = |integration: &Integration, now| integration.pickup_at(Timestamp(now)).err();
        let pending = integration(Status::Pending);
        assert_eq!(at(&pending, 999), Some(ProblemCode::IntegrationPending));
        assert_eq!(at(&pending, 1000), Some(ProblemCode::IntegrationExpired));
        assert_eq!(
            at(&integration(Status::Cancelled), 9999),
            Some(ProblemCode::IntegrationCancelled)
        );
        let mut finished = integration(Status::Finished);
        assert_eq!(at(&finished, 4999), None);
        assert_eq!(at(&finished, 5000), Some(ProblemCode::IntegrationExpired));
        finished.claimed = true;
        assert_eq!(
            at(&finished, 4999),
            Some(ProblemCode::TokensAlreadyRetrieved)
        );
        assert_eq!(
            at(&finished, 5000),
            Some(ProblemCode::TokensAlreadyRetrieved)
        );
    }
}
