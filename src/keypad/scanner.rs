//! Tells a barcode scanner, which types like a keyboard, from a person.

use super::entry::Entry;
use super::key::Key;

/// Nobody types characters closer together than this, in milliseconds: 20 keys a second are 50 apart.
const GAP_MS: f64 = 25.0;
/// How many such characters are a code.
const BURST: u8 = 6;
/// Pause in a code that is recognized: a busy machine delivers the rest of it, and its Enter, in lumps.
const REST_MS: f64 = 100.0;
/// A slow scanner takes up to 60 ms for a character, and its radio adds some.
const SLOW_MS: f64 = 70.0;
/// A machine's pauses are alike but for the turns of its bus or radio, up to 15 ms. Those of a person differ by a
/// quarter of their length on average, and the longest from the shortest of six by more than half of it.
const SPREAD_MS: f64 = 20.0;
/// A radio that delivers in lumps spoils that, but nobody types six characters faster than this on average.
const MEAN_MS: f64 = 30.0;

/// What to do with a character.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Scan {
    /// Probably a person typed it.
    Type,
    /// A code was recognized: restore what stood there before it.
    TakeBack,
    /// The rest of the code.
    Ignore,
}

/// Characters of a slow scanner's pace, the shortest and the longest pause between them, and all pauses together.
#[derive(Clone, Copy, Default)]
struct Pace {
    count: u8,
    shortest: f64,
    longest: f64,
    total: f64,
}

impl Pace {
    /// Another character came after `pause`.
    fn character(&mut self, pause: f64) {
        *self = match self.count {
            1.. if pause < SLOW_MS => Self {
                count: self.count.saturating_add(1),
                shortest: self.shortest.min(pause),
                longest: self.longest.max(pause),
                total: self.total + pause,
            },
            _ => Self {
                count: 1,
                shortest: SLOW_MS,
                ..Self::default()
            },
        };
    }

    fn is_a_machines(&self) -> bool {
        let is_even = self.longest - self.shortest <= SPREAD_MS;
        self.count >= BURST && (is_even || self.total < MEAN_MS * f64::from(self.count - 1))
    }
}

/// Watches the keyboard. Touches and clicks never come from a scanner.
#[derive(Default)]
pub struct Scanner {
    count: u8,
    /// When the last character came, and when the last key of a code.
    last: f64,
    last_of_code: f64,
    before: Entry,
    pace: Pace,
}

impl Scanner {
    /// A printable character was typed at `at`, while `entry` stood there.
    pub fn character(&mut self, at: f64, entry: &Entry) -> Scan {
        let gap = if self.count < BURST { GAP_MS } else { REST_MS };
        let pause = at - self.last;
        self.pace.character(pause);
        if self.count > 0 && pause < gap {
            self.count = self.count.saturating_add(1);
        } else {
            self.count = 1;
            self.before = entry.clone();
        }
        self.last = at;
        self.last_of_code = at;
        match self.count {
            ..BURST => Scan::Type,
            BURST => Scan::TakeBack,
            _ => Scan::Ignore,
        }
    }

    /// What stood there before the code.
    pub fn before(&mut self) -> Entry {
        std::mem::take(&mut self.before)
    }

    /// Whether a key belongs to a code that was begun; `Key::Other` also stands for a click. A slow scanner's
    /// characters stay, as a person may have typed them, and only what ends it is not taken. A character that is not a
    /// digit is a code's from the second one on: nobody types that fast.
    pub fn has(&mut self, at: f64, key: Key) -> bool {
        let may_end = matches!(key, Key::Enter | Key::Tab);
        let is_code = self.count >= BURST || may_end && self.pace.is_a_machines();
        if is_code && at - self.last_of_code < REST_MS {
            self.last_of_code = at;
            return true;
        }
        key == Key::Character && self.count > 0 && at - self.last < GAP_MS
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;

    fn scans(gaps: &[f64]) -> Vec<Scan> {
        let (mut scanner, mut at) = (Scanner::default(), 0.0);
        let scan = |gap: &f64| {
            at += gap;
            scanner.character(at, &Entry::default())
        };
        gaps.iter().map(scan).collect()
    }

    #[test]
    fn twenty_keys_a_second_pass() {
        assert_eq!(scans(&[50.0; 30]), [Scan::Type; 30]);
        assert_eq!(scans(&[25.0; 30]), [Scan::Type; 30]);
    }

    #[test]
    fn six_characters_without_a_breath_are_a_code() {
        let scans = scans(&[24.9; 8]);
        assert_eq!(scans[..5], [Scan::Type; 5]);
        assert_eq!(scans[5..], [Scan::TakeBack, Scan::Ignore, Scan::Ignore]);
    }

    #[test]
    fn a_pause_starts_anew() {
        let mut gaps = [5.0; 11];
        gaps[5] = 30.0;
        let scans = scans(&gaps);
        assert_eq!(scans[..10], [Scan::Type; 10]);
        assert_eq!(scans[10], Scan::TakeBack);
    }

    #[test]
    fn the_rest_of_a_code_may_be_late() {
        let mut gaps = [5.0; 9];
        gaps[7] = 60.0;
        assert_eq!(
            scans(&gaps)[5..],
            [Scan::TakeBack, Scan::Ignore, Scan::Ignore, Scan::Ignore]
        );
        gaps[7] = 100.0;
        assert_eq!(scans(&gaps)[7..], [Scan::Type, Scan::Type]);
    }

    #[test]
    fn what_stood_before_is_kept_for_the_burst() {
        let (mut scanner, mut entry) = (Scanner::default(), Entry::default());
        entry.push(b'0');
        for at in 0..6 {
            scanner.character(1000.0 + f64::from(at), &entry);
            entry.push(b'9');
        }
        assert_eq!(scanner.before().as_str(), "0");
        assert_eq!(scanner.before().as_str(), "");
    }

    #[test]
    fn only_a_codes_enter_is_swallowed() {
        let mut scanner = Scanner::default();
        assert!(!scanner.has(0.0, Key::Enter));
        for at in 0..6 {
            assert!(!scanner.has(f64::from(at), Key::Enter));
            scanner.character(f64::from(at), &Entry::default());
        }
        for key in [Key::Enter, Key::Tab, Key::Move(3), Key::Other] {
            assert!(scanner.has(30.0, key), "{key:?}");
        }
        assert!(!scanner.has(200.0, Key::Enter));
    }

    /// Whether the Enter is a code's that comes after characters with these pauses, the last one being its own.
    fn takes_no_enter(pauses: &[f64]) -> bool {
        let (mut scanner, mut at) = (Scanner::default(), 5000.0);
        let (enter, characters) = pauses.split_last().unwrap();
        scanner.character(at, &Entry::default());
        for pause in characters {
            at += pause;
            scanner.character(at, &Entry::default());
        }
        scanner.has(at + enter, Key::Enter)
    }

    #[test]
    fn a_machines_pace_takes_no_enter() {
        for pauses in [
            [25.0; 10],
            [40.0; 10],
            [60.0; 10],
            // A bus that is asked each 8 ms, and a radio that sends each 15 ms.
            [40.0, 48.0, 40.0, 32.0, 40.0, 40.0, 48.0, 40.0, 32.0, 40.0],
            [60.0, 45.0, 60.0, 60.0, 60.0, 45.0, 60.0, 60.0, 60.0, 75.0],
            [58.0, 61.0, 60.0, 59.0, 66.0, 60.0, 54.0, 60.0, 60.0, 60.0],
            // A radio that wakes each 30 or 50 ms, and delivers what has come since.
            [1.0, 1.0, 30.0, 0.0, 1.0, 30.0, 1.0, 1.0, 30.0, 1.0],
            [0.0, 50.0, 1.0, 48.0, 0.0, 1.0, 49.0, 0.0, 50.0, 50.0],
        ] {
            assert!(takes_no_enter(&pauses), "{pauses:?}");
        }
        // It ends with both ends of a line.
        let mut scanner = Scanner::default();
        for character in 0..10 {
            scanner.character(f64::from(character) * 60.0, &Entry::default());
        }
        assert!(scanner.has(600.0, Key::Enter) && scanner.has(660.0, Key::Enter));
        assert!(scanner.has(720.0, Key::Tab));
        assert!(!scanner.has(720.0, Key::Back) && !scanner.has(720.0, Key::Other));
        assert!(!scanner.has(820.0, Key::Enter), "a person's");
    }

    #[test]
    fn a_persons_pace_takes_enter() {
        for pauses in [
            // Fast: two hands on the upper row, some keys nearly together.
            [48.0, 61.0, 39.0, 55.0, 64.0, 44.0, 58.0, 35.0, 66.0, 60.0],
            [30.0, 52.0, 31.0, 68.0, 40.0, 28.0, 55.0, 33.0, 62.0, 45.0],
            // Two keys nearly together each time: 32 ms on average.
            [45.0, 16.0, 45.0, 16.0, 45.0, 16.0, 45.0, 16.0, 45.0, 45.0],
            // A number pad, in groups.
            [62.0, 58.0, 140.0, 65.0, 60.0, 170.0, 61.0, 66.0, 59.0, 69.0],
            // Slower, and even.
            [70.0, 72.0, 74.0, 71.0, 75.0, 70.0, 73.0, 72.0, 71.0, 74.0],
            // One that pauses before Enter.
            [50.0, 50.0, 50.0, 50.0, 50.0, 50.0, 50.0, 50.0, 50.0, 100.0],
        ] {
            assert!(!takes_no_enter(&pauses), "{pauses:?}");
        }
    }

    #[test]
    fn a_space_within_a_breath_of_a_character_is_a_codes() {
        let mut scanner = Scanner::default();
        assert!(!scanner.has(0.0, Key::Character));
        scanner.character(1000.0, &Entry::default());
        assert!(scanner.has(1024.0, Key::Character));
        assert!(!scanner.has(1025.0, Key::Character), "a person's");
        assert!(
            !scanner.has(1024.0, Key::Enter),
            "an Enter may be a person's"
        );
    }
}
