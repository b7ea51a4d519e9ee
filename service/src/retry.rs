//! How often a message or an event is tried, and when again.

use std::time::Duration;

/// What a call to a receiver may take, with all that it waits for.
pub(crate) const LONGEST_CALL: Duration = Duration::from_secs(15);
/// Longer than that, no receiver is left alone because it asks for it.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);
/// The pause after the first failure; it doubles with each further one. It begins with the attempt, which has to be
/// over then: another service would make a second one beside it.
const FIRST_PAUSE: Duration = Duration::from_secs(20);
const _: () = assert!(FIRST_PAUSE.as_secs() > LONGEST_CALL.as_secs());
const LONGEST_PAUSE: Duration = Duration::from_secs(60 * 60);

/// About three days: eight attempts in the first hour and a half, then one an hour.
pub(crate) const MOST_ATTEMPTS: u32 = 80;

/// The time from the beginning of an attempt to the next one; `attempts` were made before it.
pub(crate) fn pause(attempts: u32) -> Duration {
    FIRST_PAUSE
        .saturating_mul(2_u32.saturating_pow(attempts))
        .min(LONGEST_PAUSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_an_hour() {
        let seconds: Vec<u64> = [0, 1, 2, 7, 8, 63, 4_000_000]
            .map(|n| pause(n).as_secs())
            .into();
        assert_eq!(seconds, [20, 40, 80, 2560, 3600, 3600, 3600]);
    }
}
