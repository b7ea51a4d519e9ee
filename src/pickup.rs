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

/// What to do after a call that gave no tokens.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// Ask again after so many milliseconds: a 200 proves that the one before never arrived.
    AskAgain(f64),
    /// Tell the caller.
    GiveUp(Error),
}

impl Pickup {
    /// A caller asks (anew): its tries count from the start, what was learned stays.
    pub fn begin(&mut self) {
        self.again = 0;
    }

    /// Decides after a failed call. An error answer below 500 settles what came of it; silence, 5xx and a body that may be cut do not.
    pub fn failed(&mut self, mut error: Error) -> Decision {
        match error.code {
            code if code.is_no_answer() || error.may_be_cut() => {
                self.unanswered = true;
                let rest = error.retry_after_ms.unwrap_or(0.0);
                match AGAIN_AFTER_MS.get(self.again) {
                    Some(&wait) if rest <= LONGEST_REST_MS => {
                        self.again += 1;
                        Decision::AskAgain(wait.max(rest))
                    }
                    _ => Decision::GiveUp(error),
                }
            }
            // A whole answer of the wrong shape took the tokens: asking again can only give 410.
            ErrorCode::Protocol => {
                self.unanswered = true;
                Decision::GiveUp(error)
            }
            ErrorCode::TokensAlreadyRetrieved if self.unanswered => {
                error.code = ErrorCode::TokensLost;
                Decision::GiveUp(error)
            }
            _ => Decision::GiveUp(error),
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

    fn given_up(decision: Decision) -> ErrorCode {
        match decision {
            Decision::GiveUp(error) => error.code,
            Decision::AskAgain(wait) => panic!("asks again after {wait}"),
        }
    }

    #[test]
    fn gone_without_a_request_of_ours_is_already_retrieved() {
        let code = given_up(Pickup::default().failed(error(ErrorCode::TokensAlreadyRetrieved)));
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
            assert_eq!(pickup.failed(error(silent)), Decision::AskAgain(1_000.0));
            let code = given_up(pickup.failed(error(ErrorCode::TokensAlreadyRetrieved)));
            assert_eq!(code, ErrorCode::TokensLost, "{silent:?}");
        }
    }

    #[test]
    fn a_body_that_may_be_cut_is_asked_for_again() {
        let cut = error(ErrorCode::Protocol).detail(crate::error::NOT_JSON);
        let mut pickup = Pickup::default();
        assert_eq!(pickup.failed(cut), Decision::AskAgain(1_000.0));
        let code = given_up(pickup.failed(error(ErrorCode::TokensAlreadyRetrieved)));
        assert_eq!(code, ErrorCode::TokensLost);
    }

    #[test]
    fn an_answer_of_the_wrong_shape_took_the_tokens() {
        let mut pickup = Pickup::default();
        assert_eq!(
            given_up(pickup.failed(error(ErrorCode::Protocol))),
            ErrorCode::Protocol
        );
        pickup.begin();
        let code = given_up(pickup.failed(error(ErrorCode::TokensAlreadyRetrieved)));
        assert_eq!(code, ErrorCode::TokensLost);
    }

    #[test]
    fn silence_is_asked_again_three_times_and_remembered() {
        let mut pickup = Pickup::default();
        for wait in AGAIN_AFTER_MS {
            assert_eq!(
                pickup.failed(error(ErrorCode::Network)),
                Decision::AskAgain(wait)
            );
        }
        assert_eq!(
            given_up(pickup.failed(error(ErrorCode::Network))),
            ErrorCode::Network
        );
        pickup.begin();
        assert_eq!(
            pickup.failed(error(ErrorCode::Timeout)),
            Decision::AskAgain(1_000.0)
        );
        let code = given_up(pickup.failed(error(ErrorCode::TokensAlreadyRetrieved)));
        assert_eq!(code, ErrorCode::TokensLost);
    }

    #[test]
    fn retry_after_is_honoured() {
        let mut busy = error(ErrorCode::ServerError);
        busy.retry_after_ms = Some(9_000.0);
        let decision = Pickup::default().failed(busy.clone());
        assert_eq!(decision, Decision::AskAgain(9_000.0));
        busy.retry_after_ms = Some(30_001.0);
        let mut pickup = Pickup::default();
        assert_eq!(given_up(pickup.failed(busy)), ErrorCode::ServerError);
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
            assert_eq!(given_up(pickup.failed(error(code))), code);
            assert!(!pickup.unanswered);
        }
    }
}
