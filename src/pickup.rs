//! The pick-up: the one call whose answer comes once (§4.4). Decides what an unanswered one means; DESIGN §5, "Pick-up".

use crate::error::{Error, ErrorCode};

/// A service that wants a longer rest than this is the caller's business: nobody waits for an hour in front of a till.
const LONGEST_REST_MS: f64 = 30_000.0;
/// Waits before asking again, in milliseconds. After the last one the caller is told, and may call again.
const AGAIN_AFTER_MS: [f64; 3] = [1_000.0, 2_000.0, 4_000.0];

/// What we know about our own requests for one token set.
#[derive(Clone, Debug, Default)]
pub struct Pickup {
    /// A request left, and whether it took the tokens is not known.
    unanswered: bool,
    again: usize,
}

impl Pickup {
    /// A caller asks (anew): its tries count from the start, what was learned stays.
    pub fn begin(&mut self) {
        self.again = 0;
    }

    /// Decides after a failed call: milliseconds to wait before asking again (a 200 proves that the one before never arrived), or
    /// `None`: tell the caller. An error answer below 500 settles what came of the call; silence, 5xx and a body that may be cut do not.
    pub fn failed(&mut self, error: &mut Error) -> Option<f64> {
        match error.code {
            code if code.is_no_answer() || error.may_be_cut() => {
                self.unanswered = true;
                let wait = *AGAIN_AFTER_MS.get(self.again)?;
                let rest = error.retry_after_ms.unwrap_or(0.0);
                if rest > LONGEST_REST_MS {
                    return None;
                }
                self.again += 1;
                Some(wait.max(rest))
            }
            // A whole answer of the wrong shape took the tokens: asking again can only give 410.
            ErrorCode::Protocol => {
                self.unanswered = true;
                None
            }
            ErrorCode::TokensAlreadyRetrieved if self.unanswered => {
                error.code = ErrorCode::TokensLost;
                None
            }
            _ => None,
        }
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;
    use crate::error::Operation;

    fn error(code: ErrorCode) -> Error {
        Error::new(code, Operation::FetchTokens)
    }

    fn given_up(pickup: &mut Pickup, mut error: Error) -> ErrorCode {
        assert_eq!(pickup.failed(&mut error), None);
        error.code
    }

    fn waits(pickup: &mut Pickup, mut error: Error, ms: f64) {
        let code = error.code;
        assert_eq!(pickup.failed(&mut error), Some(ms), "{code:?}");
        assert_eq!(error.code, code);
    }

    #[test]
    fn gone_without_a_request_of_ours_is_already_retrieved() {
        let code = given_up(
            &mut Pickup::default(),
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
            let mut pickup = Pickup::default();
            waits(&mut pickup, error(silent), 1_000.0);
            let code = given_up(&mut pickup, error(ErrorCode::TokensAlreadyRetrieved));
            assert_eq!(code, ErrorCode::TokensLost, "{silent:?}");
        }
    }

    #[test]
    fn a_body_that_may_be_cut_is_asked_for_again() {
        let cut = error(ErrorCode::Protocol).detail(&[crate::error::NOT_JSON]);
        let mut pickup = Pickup::default();
        waits(&mut pickup, cut, 1_000.0);
        let code = given_up(&mut pickup, error(ErrorCode::TokensAlreadyRetrieved));
        assert_eq!(code, ErrorCode::TokensLost);
    }

    #[test]
    fn an_answer_of_the_wrong_shape_took_the_tokens() {
        let mut pickup = Pickup::default();
        assert_eq!(
            given_up(&mut pickup, error(ErrorCode::Protocol)),
            ErrorCode::Protocol
        );
        pickup.begin();
        let code = given_up(&mut pickup, error(ErrorCode::TokensAlreadyRetrieved));
        assert_eq!(code, ErrorCode::TokensLost);
    }

    #[test]
    fn silence_is_asked_again_three_times_and_remembered() {
        let mut pickup = Pickup::default();
        for wait in AGAIN_AFTER_MS {
            waits(&mut pickup, error(ErrorCode::Network), wait);
        }
        assert_eq!(
            given_up(&mut pickup, error(ErrorCode::Network)),
            ErrorCode::Network
        );
        pickup.begin();
        waits(&mut pickup, error(ErrorCode::Timeout), 1_000.0);
        let code = given_up(&mut pickup, error(ErrorCode::TokensAlreadyRetrieved));
        assert_eq!(code, ErrorCode::TokensLost);
    }

    #[test]
    fn retry_after_is_honoured() {
        let mut busy = error(ErrorCode::ServerError);
        busy.retry_after_ms = Some(9_000.0);
        waits(&mut Pickup::default(), busy.clone(), 9_000.0);
        busy.retry_after_ms = Some(30_001.0);
        let mut pickup = Pickup::default();
        assert_eq!(given_up(&mut pickup, busy), ErrorCode::ServerError);
        assert!(pickup.unanswered);
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
            let mut pickup = Pickup::default();
            assert_eq!(given_up(&mut pickup, error(code)), code);
            assert!(!pickup.unanswered);
        }
    }
}
