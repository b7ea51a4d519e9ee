//! Tells a barcode scanner, which types like a keyboard, from a person.

use super::entry::Entry;

/// Nobody types characters closer together than this, in milliseconds: 20 keys a second are 50 apart.
const GAP_MS: f64 = 25.0;
/// So many such characters are a code.
const BURST: u8 = 6;
/// Once a code is recognized, the rest of it, and its Enter, may come later: a busy machine delivers them in lumps.
const REST_MS: f64 = 100.0;

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

/// Watches the keyboard. Touches and clicks never come from a scanner.
#[derive(Default)]
pub struct Scanner {
    count: u8,
    last: f64,
    before: Entry,
}

impl Scanner {
    /// A printable character was typed at `at`, while `entry` stood there.
    pub fn character(&mut self, at: f64, entry: &Entry) -> Scan {
        let gap = if self.count < BURST { GAP_MS } else { REST_MS };
        if self.count > 0 && at - self.last < gap {
            self.count = self.count.saturating_add(1);
        } else {
            self.count = 1;
            self.before = entry.clone();
        }
        self.last = at;
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

    /// Whether an Enter (or the click that it makes of a focused button) belongs to a code. A space does from the
    /// second character on: nobody types that fast.
    pub fn has(&self, at: f64, is_space: bool) -> bool {
        let pause = at - self.last;
        self.count >= BURST && pause < REST_MS || is_space && self.count > 0 && pause < GAP_MS
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
        assert!(!scanner.has(0.0, false));
        for at in 0..6 {
            assert!(!scanner.has(f64::from(at), false));
            scanner.character(f64::from(at), &Entry::default());
        }
        assert!(scanner.has(30.0, false));
        assert!(!scanner.has(200.0, false));
    }

    #[test]
    fn a_space_within_a_breath_of_a_character_is_a_codes() {
        let mut scanner = Scanner::default();
        assert!(!scanner.has(0.0, true));
        scanner.character(1000.0, &Entry::default());
        assert!(scanner.has(1024.0, true));
        assert!(!scanner.has(1025.0, true), "a person's");
        assert!(!scanner.has(1024.0, false), "an Enter may be a person's");
    }
}
