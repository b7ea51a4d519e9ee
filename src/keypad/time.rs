//! When an event happened, on the one clock that all of the keypad goes by.

/// A busy page is told late of what happened, but not later than this.
const LATEST_MS: f64 = 10_000.0;

/// Brings the time of an event onto our clock, on which it is `now`. Its `stamp` counts from the start of its own
/// window, on whose clock it is `theirs`: that may be another window, opened later. Some engines stamp nothing, or by
/// another clock: then it happens now.
///
/// ```
/// use pos_connect::keypad::time::of_event;
///
/// assert_eq!(of_event(1_200.0, 1_250.0, 90_000.0), 89_950.0);
/// assert_eq!(of_event(0.0, 1_250.0, 90_000.0), 90_000.0);
/// ```
pub fn of_event(stamp: f64, theirs: f64, now: f64) -> f64 {
    let age = theirs - stamp;
    let makes_sense = stamp > 0.0 && (0.0..=LATEST_MS).contains(&age);
    if makes_sense { now - age } else { now }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_makes_no_sense_is_now() {
        let now = 60_000.0;
        for (stamp, theirs) in [
            (0.0, 60_000.0),
            (0.0, 5.0),
            (f64::NAN, 60_000.0),
            (f64::INFINITY, 60_000.0),
            (f64::NEG_INFINITY, 60_000.0),
            (-1.0, 5.0),
            // Other clocks: the one on the wall, one that began with the machine, and ones that began later.
            (1_780_000_000_000.0, 60_000.0),
            (86_400_000.0, 60_000.0),
            (2_000.0, 60_000.0),
            (60_000.1, 60_000.0),
            // The window has no clock.
            (59_990.0, f64::NAN),
        ] {
            assert_eq!(of_event(stamp, theirs, now), now, "{stamp} {theirs}");
        }
    }

    #[test]
    fn an_event_is_as_old_here_as_in_its_own_window() {
        for (stamp, theirs, age) in [
            (59_995.0, 60_000.0, 5.0),
            (500.0, 510.0, 10.0),
            (900_000.0, 900_080.0, 80.0),
            (50_000.0, 60_000.0, 10_000.0),
        ] {
            assert_eq!(of_event(stamp, theirs, 60_000.0), 60_000.0 - age, "{stamp}");
        }
    }
}
