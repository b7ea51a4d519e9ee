//! This machine's clock beside those of others.

use super::Report;
use crate::clock::Timestamp;
use axum::http::HeaderMap;
use pos_connect_foundation::client::date;

const CHECK: &str = "clock";
/// Milliseconds off that are a warning: of a server's `Date`, which has whole seconds.
const NOTICED: i64 = 10_000;
/// Milliseconds off from which tokens of the provider, and probes, are refused.
const WRONG: i64 = 60_000;
/// Milliseconds off that are a warning, of a database that several services share.
const SHARED: i64 = 1_000;

/// Another clock, when it was read.
pub(super) struct Reading {
    /// Whose it is.
    pub whose: String,
    /// How many milliseconds it is ahead of this machine's.
    pub ahead: i64,
    /// How many are too many.
    pub noticed: i64,
}

impl Reading {
    /// The clock of a server which has just answered.
    pub fn of(whose: &str, headers: &HeaderMap, now: Timestamp) -> Option<Self> {
        // The middle of its second.
        let ahead = date(headers)?.0 + 500 - now.0;
        Some(Self {
            whose: whose.into(),
            ahead,
            noticed: NOTICED,
        })
    }

    /// The clock of a database which services share.
    pub fn of_database(theirs: Timestamp, now: Timestamp) -> Self {
        Self {
            whose: "database".into(),
            ahead: theirs.0 - now.0,
            noticed: SHARED,
        }
    }

    const fn off(&self) -> i64 {
        self.ahead.abs()
    }
}

/// Compares the clocks that were read with this machine's.
pub(super) fn compare(report: &mut Report) {
    let clocks = std::mem::take(&mut report.clocks);
    let Some(worst) = clocks
        .iter()
        .max_by_key(|clock| clock.off() - clock.noticed)
    else {
        return report.ok(CHECK, "there was no other clock to compare with");
    };
    let seconds = worst.off() / 1000;
    let side = if worst.ahead > 0 {
        "behind"
    } else {
        "ahead of"
    };
    let found = format!(
        "this machine's is {seconds} s {side} that of `{}`",
        worst.whose
    );
    let advice =
        "let both machines synchronize their clocks (`timedatectl` says whether this one does)";
    match worst.off() {
        off if off >= WRONG => report.fault(CHECK, found, advice),
        off if off >= worst.noticed => report.warn(CHECK, found, advice),
        _ => report.ok(CHECK, format!("it agrees with {} others", clocks.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Outcome;
    use axum::http::{HeaderValue, header};

    #[test]
    fn the_worst_of_the_clocks_decides() {
        let now = Timestamp(1_800_000_000_000);
        let date = |value| {
            let headers = HeaderMap::from_iter([(header::DATE, HeaderValue::from_static(value))]);
            Reading::of("public-url", &headers, now).unwrap()
        };
        let database = |ahead| Reading::of_database(Timestamp(now.0 + ahead), now);
        // 1,800,000,000 is 08:00:00.
        for (clocks, outcome, found) in [
            (vec![], Outcome::Ok, "no other clock"),
            (
                vec![date("Fri, 15 Jan 2027 08:00:00 GMT"), database(300)],
                Outcome::Ok,
                "agrees with 2",
            ),
            (
                vec![date("Fri, 15 Jan 2027 08:00:05 GMT"), database(1_500)],
                Outcome::Warning,
                "1 s behind that of `database`",
            ),
            (
                vec![date("Fri, 15 Jan 2027 07:59:40 GMT")],
                Outcome::Warning,
                "19 s ahead of that of `public-url`",
            ),
            (
                vec![date("Fri, 15 Jan 2027 08:05:00 GMT"), database(0)],
                Outcome::Fault,
                "300 s behind",
            ),
        ] {
            let mut report = Report {
                clocks,
                ..Report::default()
            };
            compare(&mut report);
            let [finding] = &report.findings[..] else {
                panic!("{}", report.findings.len());
            };
            assert_eq!(finding.outcome, outcome, "{finding}");
            assert!(finding.found.contains(found), "{finding}");
        }
    }
}
