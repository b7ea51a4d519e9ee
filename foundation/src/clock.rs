//! Time: one clock for every decision, so that a test can move it.

use rusqlite::types::{FromSql, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A moment, in milliseconds since 1970 (UTC).
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// The moment `span` later.
    #[must_use]
    pub fn after(self, span: Duration) -> Self {
        Self(self.0.saturating_add(millis(span)))
    }

    /// The moment so much earlier.
    #[must_use]
    pub fn before(self, span: Duration) -> Self {
        Self(self.0.saturating_sub(millis(span)))
    }

    /// Whole seconds until `later`, rounded up; 0 if that moment is past.
    pub fn seconds_until(self, later: Self) -> u64 {
        u64::try_from(later.0.saturating_sub(self.0)).map_or(0, |millis| millis.div_ceil(1000))
    }
}

/// RFC 3339 in UTC, whole seconds.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.div_euclid(1000);
        let (year, month, day) = civil(seconds.div_euclid(86_400));
        let rest = seconds.rem_euclid(86_400);
        let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"
        )
    }
}

impl ToSql for Timestamp {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(self.0))
    }
}

impl FromSql for Timestamp {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_i64().map(Self)
    }
}

/// A span in whole milliseconds.
pub fn millis(span: Duration) -> i64 {
    i64::try_from(span.as_millis()).unwrap_or(i64::MAX)
}

/// Year, month and day of a day counted from 1970-01-01, in the proleptic Gregorian calendar.
fn civil(day: i64) -> (i64, i64, i64) {
    // Years start in March here: so the leap day is a year's last and months follow one formula.
    let day = day + 719_468;
    let era = day.div_euclid(146_097);
    let of_era = day.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let march_based = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march_based + 2) / 5 + 1;
    let month = if march_based < 10 {
        march_based + 3
    } else {
        march_based - 9
    };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

/// Tells the time; cheap to clone.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl Clock {
    /// The computer's clock.
    pub fn system() -> Self {
        Self::from_fn(|| {
            let since = SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .unwrap_or_default();
            Timestamp(millis(since))
        })
    }

    /// A clock of the caller's own.
    pub fn from_fn(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// The time now.
    pub fn now(&self) -> Timestamp {
        (self.0)()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_agree_with_sqlite() {
        let sqlite = rusqlite::Connection::open_in_memory().unwrap();
        // Steps that share no factor with a day, from year 0000 to 9999.
        for seconds in (-62_167_219_200..253_402_300_800_i64).step_by(86_399 * 37) {
            let theirs: String = sqlite
                .query_row(
                    "SELECT strftime('%Y-%m-%dT%H:%M:%SZ', ?, 'unixepoch')",
                    [seconds],
                    |row| row.get(0),
                )
                .unwrap();
            assert_eq!(Timestamp(seconds * 1000).to_string(), theirs);
        }
    }

    #[test]
    fn seconds_until_rounds_up_and_never_goes_below_zero() {
        assert_eq!(Timestamp(0).seconds_until(Timestamp(1)), 1);
        assert_eq!(Timestamp(0).seconds_until(Timestamp(1000)), 1);
        assert_eq!(Timestamp(0).seconds_until(Timestamp(1001)), 2);
        assert_eq!(Timestamp(5).seconds_until(Timestamp(5)), 0);
        assert_eq!(Timestamp(5).seconds_until(Timestamp(4)), 0);
    }
}
