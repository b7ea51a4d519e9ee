//! Time: one clock for every decision, so that a test can move it.

use pos_connect_protocol::expiration::unix_ms;
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

/// Reads a time such as `2026-11-24T09:00:00Z`.
#[allow(clippy::cast_possible_truncation)]
pub fn moment(text: &str) -> Result<Timestamp, String> {
    let ms = unix_ms(text).ok_or("not a time with an offset, such as 2026-11-24T09:00:00Z")?;
    Ok(Timestamp(ms as i64))
}

/// RFC 3339 in UTC, whole seconds.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What lies outside of the calendar's years, which end with 9999, is its last moment.
        let moment = jiff::Timestamp::from_second(self.0.div_euclid(1000));
        moment
            .unwrap_or(jiff::Timestamp::MAX)
            .strftime("%FT%TZ")
            .fmt(f)
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

/// A span of whole days.
pub const fn days(count: u64) -> Duration {
    Duration::from_secs(count * 24 * 60 * 60)
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
