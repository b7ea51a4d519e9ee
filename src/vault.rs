//! What lies in the vault, and what a later page does with it; DESIGN §5, "Pick-up".

use crate::error::ErrorCode;
use crate::loose::{Loose, Members};

/// Longer than a finished integration can be picked up (24 h, DESIGN §6), and than one stays pending.
const STALE_AFTER_MS: f64 = 25.0 * 3_600_000.0;

/// What an entry is to a page that finds it, in the order in which `resume` prefers them.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Claim {
    /// Over, and too old to matter: to be erased.
    Stale,
    /// Over: handed over, lost, or with the relay. Kept so that no page asks again.
    Over,
    /// Over, but the page that found out may have died before it could say so.
    Untold,
    /// Its pick-up has not begun.
    Waiting,
    /// A request left, and what came of it is not known.
    InTheAir,
    /// The tokens are here.
    Undelivered,
}

/// Judges an entry. Time never takes tokens away, nor what may have taken them: clocks jump.
pub fn claim(entry: &dyn Members, now_ms: f64) -> Claim {
    let at = entry.get("at").number().unwrap_or(now_ms);
    let is_old = (now_ms - at).abs() > STALE_AFTER_MS;
    let is_over = over(entry).is_some();
    let is_told = entry.get("told").is_true() || entry.get("held").is_true();
    match entry.get("body") {
        _ if (is_over || is_told) && is_old => Claim::Stale,
        _ if is_told => Claim::Over,
        _ if is_over => Claim::Untold,
        Loose::Text(_) => Claim::Undelivered,
        _ if entry.get("unanswered").is_true() => Claim::InTheAir,
        _ if is_old => Claim::Stale,
        _ => Claim::Waiting,
    }
}

/// What every further pick-up fails with, once nothing is to be had any more.
pub fn over(entry: &dyn Members) -> Option<ErrorCode> {
    let Loose::Text(word) = entry.get("over") else {
        return None;
    };
    FINAL.iter().find(|code| code.as_str() == word).copied()
}

/// After one of these, asking again can give nothing else.
const FINAL: [ErrorCode; 4] = [
    ErrorCode::TokensAlreadyRetrieved,
    ErrorCode::TokensLost,
    ErrorCode::IntegrationCancelled,
    ErrorCode::IntegrationExpired,
];

/// Whether a pick-up that failed with this is over.
pub fn is_final(code: ErrorCode) -> bool {
    FINAL.contains(&code)
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;
    use serde_json::{Map, Value, json};

    const NOW: f64 = 1_800_000_000_000.0;
    const YEAR_MS: f64 = 365.0 * 24.0 * 3_600_000.0;

    fn entry(more: Value) -> Map<String, Value> {
        let mut entry = json!({"at": NOW, "token": "t"});
        let Value::Object(more) = more else {
            panic!("not an object")
        };
        entry.as_object_mut().unwrap().extend(more);
        entry.as_object().unwrap().clone()
    }

    fn judged(more: Value, clock_ms: f64) -> Claim {
        claim(&entry(more), NOW + clock_ms)
    }

    #[test]
    fn tokens_come_before_doubts_and_doubts_before_the_rest() {
        let found = [
            json!({"over": "tokens_lost", "told": true}),
            json!({"over": "tokens_lost"}),
            json!({}),
            json!({"unanswered": true}),
            json!({"unanswered": true, "body": "{}"}),
        ]
        .map(|more| judged(more, 0.0));
        assert_eq!(
            found,
            [
                Claim::Over,
                Claim::Untold,
                Claim::Waiting,
                Claim::InTheAir,
                Claim::Undelivered
            ]
        );
        assert!(found.is_sorted());
    }

    #[test]
    fn no_clock_takes_tokens_or_doubts_away() {
        for clock_ms in [YEAR_MS, -YEAR_MS, f64::INFINITY] {
            assert_eq!(judged(json!({"body": "{}"}), clock_ms), Claim::Undelivered);
            assert_eq!(
                judged(json!({"unanswered": true}), clock_ms),
                Claim::InTheAir
            );
        }
    }

    #[test]
    fn what_is_over_or_waited_too_long_is_stale_by_either_direction_of_the_clock() {
        for more in [
            json!({}),
            json!({"over": "tokens_already_retrieved"}),
            json!({"held": true, "body": "{}"}),
        ] {
            for sign in [1.0, -1.0] {
                assert_eq!(judged(more.clone(), sign * YEAR_MS), Claim::Stale);
                assert_ne!(judged(more.clone(), sign * 3_600_000.0), Claim::Stale);
            }
        }
    }

    #[test]
    fn an_entry_without_a_time_is_young() {
        assert_eq!(claim(&Map::new(), NOW), Claim::Waiting);
    }

    #[test]
    fn what_is_over_says_how() {
        for code in FINAL {
            assert_eq!(over(&entry(json!({"over": code.as_str()}))), Some(code));
            assert!(is_final(code) && !code.retryable());
        }
        assert_eq!(over(&entry(json!({"over": "network"}))), None);
        assert_eq!(over(&entry(json!({}))), None);
        assert!(!is_final(ErrorCode::Protocol));
    }
}
