//! The pick-up: the one call whose answer comes once (§4.4). Decides what an unanswered one means. See "The
//! pick-up" in ARCHITECTURE.md.

use crate::core::error::{Error, ErrorCode, Refusals, Source};
use pos_connect_protocol::PickupOwner;

/// A service that wants a longer rest than this is the caller's business: nobody waits for an hour in front of a till.
const LONGEST_REST_MS: f64 = 30_000.0;
/// Waits before asking again, in milliseconds. After the last one the caller is told, and may call again.
const AGAIN_AFTER_MS: [f64; 3] = [1_000.0, 2_000.0, 4_000.0];

/// How long the host's `persistTokens` may take, in milliseconds.
pub const HAND_OVER_LIMIT_MS: f64 = 30_000.0;
const LONGEST_HAND_OVER_REST_MS: f64 = 60_000.0;

/// Milliseconds until the host is given the tokens again, after it was waited for as long as `last_ms` before; 0 at
/// first.
pub fn hand_over_again(last_ms: f64) -> f64 {
    (last_ms * 2.0).clamp(1_000.0, LONGEST_HAND_OVER_REST_MS)
}

/// What we know about our own requests for one token set.
#[derive(Clone, Debug, Default)]
pub struct RetryPolicy {
    /// A request left, and whether it took the tokens is not known.
    pub unanswered: bool,
    /// The service can reissue a lost response to us (extension).
    pub reissues: bool,
    /// Nobody knows any more what became of it: whoever has the tokens must not lose them to a reissue.
    pub is_lost: bool,
    /// Our own request took the tokens, its answer is lost: the next call asks for a reissue.
    pub is_reissue: bool,
    again: usize,
    refusals: Refusals,
}

impl RetryPolicy {
    /// A pick-up that goes on where an earlier one, perhaps of another page, has ended.
    pub fn new(unanswered: bool, reissues: bool) -> Self {
        Self {
            unanswered,
            reissues,
            ..Self::default()
        }
    }

    /// Decides after a failed call: milliseconds to wait before asking again (a 200 proves that the one before never
    /// arrived), or `None`: tell the caller. The service's own answer below 500 settles what came of the call; silence,
    /// 5xx, a body that may be cut and the answer of something on the way do not.
    pub fn failed(&mut self, error: &mut Error) -> Option<f64> {
        let is_refused = self.refusals.note(error);
        match error.code {
            _ if error.is_no_answer() || error.may_be_cut() => {
                self.unanswered = true;
                self.ask_again(error)
            }
            // After these the caller can ask again, as soon as it has reason to.
            ErrorCode::RateLimited | ErrorCode::NotFinished | ErrorCode::Unauthorized => None,
            _ if error.source == Some(Source::Unknown) && !is_refused => self.ask_again(error),
            // A whole answer of the wrong shape took the tokens: asking again can only give 410.
            ErrorCode::Protocol => {
                self.unanswered = true;
                None
            }
            ErrorCode::TokensAlreadyRetrieved => self.gone(error),
            _ => None,
        }
    }

    fn ask_again(&mut self, error: &Error) -> Option<f64> {
        let wait = *AGAIN_AFTER_MS.get(self.again)?;
        let rest = error.retry_after_ms.unwrap_or(0.0);
        if rest > LONGEST_REST_MS {
            return None;
        }
        self.again += 1;
        Some(wait.max(rest))
    }

    /// 410: whose request took the tokens?
    fn gone(&mut self, error: &mut Error) -> Option<f64> {
        match error.pickup_owner {
            Some(PickupOwner::Yours)
                if self.reissues && !self.is_reissue && (self.unanswered || !self.is_lost) =>
            {
                self.is_reissue = true;
                self.again = 0;
                return Some(0.0);
            }
            // Not ours, whatever went unanswered.
            Some(PickupOwner::Other) => {}
            _ if self.unanswered => error.code = ErrorCode::TokensLost,
            _ => {}
        }
        None
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;

    fn error(code: ErrorCode) -> Error {
        Error::new(code)
    }

    fn given_up(policy: &mut RetryPolicy, mut error: Error) -> ErrorCode {
        assert_eq!(policy.failed(&mut error), None);
        error.code
    }

    fn waits(policy: &mut RetryPolicy, mut error: Error, ms: f64) {
        let code = error.code;
        assert_eq!(policy.failed(&mut error), Some(ms), "{code:?}");
        assert_eq!(error.code, code);
    }

    #[test]
    fn gone_without_a_request_of_ours_is_already_retrieved() {
        let code = given_up(
            &mut RetryPolicy::default(),
            error(ErrorCode::TokensAlreadyRetrieved),
        );
        assert_eq!(code, ErrorCode::TokensAlreadyRetrieved);
    }

    #[test]
    fn gone_after_an_unanswered_request_is_lost() {
        for silent in [
            ErrorCode::Network,
            ErrorCode::Timeout,
            ErrorCode::ServerError,
        ] {
            let mut policy = RetryPolicy::default();
            waits(&mut policy, error(silent), 1_000.0);
            let code = given_up(&mut policy, error(ErrorCode::TokensAlreadyRetrieved));
            assert_eq!(code, ErrorCode::TokensLost, "{silent:?}");
        }
    }

    #[test]
    fn a_body_that_may_be_cut_is_asked_for_again() {
        let cut = error(ErrorCode::Protocol).detail(&[crate::core::error::NOT_JSON]);
        let mut policy = RetryPolicy::default();
        waits(&mut policy, cut, 1_000.0);
        let code = given_up(&mut policy, error(ErrorCode::TokensAlreadyRetrieved));
        assert_eq!(code, ErrorCode::TokensLost);
    }

    #[test]
    fn a_refusal_without_a_name_counts_at_the_third_time() {
        for (code, status) in [
            (ErrorCode::TokensAlreadyRetrieved, 410),
            (ErrorCode::InvalidIntegration, 403),
        ] {
            let refusal = Error {
                status: Some(status),
                source: Some(Source::Unknown),
                ..error(code)
            };
            let mut policy = RetryPolicy::default();
            waits(&mut policy, refusal.clone(), 1_000.0);
            waits(&mut policy, refusal.clone(), 2_000.0);
            assert_eq!(given_up(&mut policy, refusal), code);
            assert!(!policy.unanswered);
        }
    }

    #[test]
    fn what_a_proxy_says_is_no_answer() {
        let portal = Error {
            status: Some(403),
            source: Some(Source::Intermediary),
            ..error(ErrorCode::Network)
        };
        let mut policy = RetryPolicy::default();
        for wait in AGAIN_AFTER_MS {
            waits(&mut policy, portal.clone(), wait);
        }
        assert_eq!(given_up(&mut policy, portal), ErrorCode::Network);
        assert!(policy.unanswered);
    }

    #[test]
    fn an_answer_of_the_wrong_shape_took_the_tokens() {
        let mut policy = RetryPolicy::default();
        assert_eq!(
            given_up(&mut policy, error(ErrorCode::Protocol)),
            ErrorCode::Protocol
        );
        let mut later = RetryPolicy::new(policy.unanswered, false);
        let code = given_up(&mut later, error(ErrorCode::TokensAlreadyRetrieved));
        assert_eq!(code, ErrorCode::TokensLost);
    }

    #[test]
    fn silence_is_asked_again_three_times_and_remembered() {
        let mut policy = RetryPolicy::default();
        for wait in AGAIN_AFTER_MS {
            waits(&mut policy, error(ErrorCode::Network), wait);
        }
        assert_eq!(
            given_up(&mut policy, error(ErrorCode::Network)),
            ErrorCode::Network
        );
        let mut later = RetryPolicy::new(policy.unanswered, false);
        waits(&mut later, error(ErrorCode::Timeout), 1_000.0);
        let code = given_up(&mut later, error(ErrorCode::TokensAlreadyRetrieved));
        assert_eq!(code, ErrorCode::TokensLost);
    }

    #[test]
    fn retry_after_is_honoured() {
        let mut busy = error(ErrorCode::ServerError);
        busy.retry_after_ms = Some(9_000.0);
        waits(&mut RetryPolicy::default(), busy.clone(), 9_000.0);
        busy.retry_after_ms = Some(30_001.0);
        let mut policy = RetryPolicy::default();
        assert_eq!(given_up(&mut policy, busy), ErrorCode::ServerError);
        assert!(policy.unanswered);
    }

    #[test]
    fn the_host_is_asked_again_ever_more_slowly() {
        let mut wait = 0.0;
        let waits = [(); 8].map(|()| {
            wait = hand_over_again(wait);
            wait / 1_000.0
        });
        assert_eq!(waits, [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0]);
    }

    fn gone(whose: Option<PickupOwner>) -> Error {
        Error {
            pickup_owner: whose,
            ..error(ErrorCode::TokensAlreadyRetrieved)
        }
    }

    #[test]
    fn our_own_lost_answer_is_reissued() {
        let mut policy = RetryPolicy::new(false, true);
        waits(&mut policy, error(ErrorCode::Network), 1_000.0);
        waits(&mut policy, gone(Some(PickupOwner::Yours)), 0.0);
        assert!(policy.is_reissue);
        // The reissue's own answer can be lost, too.
        waits(&mut policy, error(ErrorCode::Timeout), 1_000.0);
        assert!(policy.is_reissue);
        let code = given_up(&mut policy, error(ErrorCode::TokensLost));
        assert_eq!(code, ErrorCode::TokensLost);
    }

    #[test]
    fn what_was_forgotten_may_be_in_the_hosts_hands_and_is_not_reissued() {
        let mut policy = RetryPolicy::new(false, true);
        policy.is_lost = true;
        let code = given_up(&mut policy, gone(Some(PickupOwner::Yours)));
        assert_eq!(code, ErrorCode::TokensAlreadyRetrieved);
        // But what this very call loses is.
        let mut policy = RetryPolicy::new(false, true);
        policy.is_lost = true;
        waits(&mut policy, error(ErrorCode::Network), 1_000.0);
        waits(&mut policy, gone(Some(PickupOwner::Yours)), 0.0);
    }

    #[test]
    fn without_reissue_our_own_lost_answer_is_lost() {
        let mut policy = RetryPolicy::new(true, false);
        let code = given_up(&mut policy, gone(Some(PickupOwner::Yours)));
        assert_eq!(code, ErrorCode::TokensLost);
    }

    #[test]
    fn what_another_took_is_not_lost_on_the_way() {
        for unanswered in [false, true] {
            let mut policy = RetryPolicy::new(unanswered, true);
            let code = given_up(&mut policy, gone(Some(PickupOwner::Other)));
            assert_eq!(code, ErrorCode::TokensAlreadyRetrieved);
        }
    }

    #[test]
    fn a_service_that_does_not_say_whose_it_was_is_judged_by_our_doubts() {
        let mut policy = RetryPolicy::new(true, true);
        assert_eq!(given_up(&mut policy, gone(None)), ErrorCode::TokensLost);
        let mut policy = RetryPolicy::new(false, true);
        let code = given_up(&mut policy, gone(None));
        assert_eq!(code, ErrorCode::TokensAlreadyRetrieved);
    }

    #[test]
    fn every_other_answer_is_final_and_leaves_no_doubt() {
        for &code in ErrorCode::ALL {
            let doubtful = [
                ErrorCode::Network,
                ErrorCode::Timeout,
                ErrorCode::ServerError,
                ErrorCode::Protocol,
            ];
            if doubtful.contains(&code) {
                continue;
            }
            let mut policy = RetryPolicy::default();
            assert_eq!(given_up(&mut policy, error(code)), code);
            assert!(!policy.unanswered);
        }
    }
}
