//! Which sessions are of no use any more. A failover that breaks no connection leaves them on a server that takes no
//! writes, and so does a setting that only new sessions see.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

/// Time in which no further answer makes sessions stale: while the database itself takes no writes, not every call
/// needs a session of its own.
const PAUSE: Duration = Duration::from_secs(1);

/// When a session said so last: none that began before is used.
#[derive(Default)]
pub(super) struct Stale(Mutex<Option<Instant>>);

impl Stale {
    pub(super) fn includes(&self, begun: Instant) -> bool {
        let said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        said.is_some_and(|said| begun <= said)
    }

    /// Notes what an error says of its session.
    pub(super) fn note(&self, error: &Error) {
        if error.code().is_some_and(is_of_the_session) {
            self.note_at(Instant::now());
        }
    }

    fn note_at(&self, now: Instant) {
        let mut said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if said.is_none_or(|said| now.duration_since(said) >= PAUSE) {
            *said = Some(now);
        }
    }
}

/// Whether a session takes no writes, or its server ends (57P01 and its neighbors).
fn is_of_the_session(state: &SqlState) -> bool {
    *state == SqlState::READ_ONLY_SQL_TRANSACTION || state.code().starts_with("57P")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_from_before_are_of_no_use_and_later_ones_get_their_time() {
        let (stale, begun) = (Stale::default(), Instant::now());
        assert!(!stale.includes(begun));
        stale.note_at(begun + PAUSE);
        let later = begun + PAUSE * 3 / 2;
        assert!(stale.includes(begun) && !stale.includes(later));
        stale.note_at(later);
        assert!(!stale.includes(later), "not again at once");
        stale.note_at(begun + PAUSE * 2);
        assert!(stale.includes(later));
    }

    #[test]
    fn a_statement_that_takes_too_long_says_nothing_of_its_session() {
        for (code, expected) in [
            ("25006", true),
            ("57P01", true),
            ("57P03", true),
            ("57014", false),
            ("40001", false),
        ] {
            assert_eq!(is_of_the_session(&SqlState::from_code(code)), expected);
        }
    }
}
