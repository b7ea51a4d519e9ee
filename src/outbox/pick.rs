//! Which order is sent next.

use super::Entry;

/// When so many stand still one behind another, the fault is the service's: nobody goes before them.
const MOST_STUCK: usize = 3;

/// Which of the orders that wait is next, as far as they were read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Pick {
    /// The one at this place.
    At(usize),
    /// More of them have to be read to know.
    ReadMore,
    /// None waits.
    Nothing,
}

/// The next of the orders that wait: the first one, unless the service fails on it again and again, or it is a newer
/// release's, or can't be read. An older page may be the only one left, so what it does not know must not stop its own
/// orders.
///
/// `entries`: those that wait, from the first on; one that can't be read is `None`. `is_all`: there are no others.
pub fn pick(entries: &[Option<&Entry>], is_all: bool, now_ms: f64) -> Pick {
    let is_known = |entry: &Option<&Entry>| entry.is_some_and(Entry::is_known);
    let stands_still = |entry: &Option<&Entry>| {
        entry.is_some_and(|entry| entry.is_stuck() && entry.rest(now_ms, false) > 0.0)
    };
    let known = || {
        entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| is_known(entry))
    };
    let mut candidates = known().take(MOST_STUCK + 1);
    match candidates.find(|(_, entry)| !stands_still(entry)) {
        Some((place, _)) => Pick::At(place),
        None if !is_all && known().count() <= MOST_STUCK => Pick::ReadMore,
        // They rest, or are left to another page.
        None => match known().next() {
            Some((place, _)) => Pick::At(place),
            None if entries.is_empty() => Pick::Nothing,
            None => Pick::At(0),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: f64 = 1_000_000.0;

    fn good() -> Entry {
        Entry::new("key".into(), "A-1".into(), "{}".into())
    }

    fn stuck() -> Entry {
        let mut entry = good();
        (entry.status, entry.tries, entry.next) = (Some(500), 3, Some(NOW + 1_000.0));
        entry
    }

    fn newer() -> Entry {
        let mut entry = good();
        entry.release = 99;
        entry
    }

    /// `g` good, `s` stuck, `n` a newer release's, `?` unreadable.
    fn picked(waiting: &str, is_all: bool) -> Pick {
        let entries: Vec<_> = waiting
            .chars()
            .map(|kind| match kind {
                'g' => Some(good()),
                's' => Some(stuck()),
                'n' => Some(newer()),
                _ => None,
            })
            .collect();
        let entries: Vec<_> = entries.iter().map(Option::as_ref).collect();
        pick(&entries, is_all, NOW)
    }

    #[test]
    fn the_first_one_is_next_unless_it_stands_still() {
        for (waiting, is_all, expected) in [
            ("", true, Pick::Nothing),
            ("g", false, Pick::At(0)),
            ("s", false, Pick::ReadMore),
            ("s", true, Pick::At(0)),
            ("sg", true, Pick::At(1)),
            ("sssg", false, Pick::At(3)),
            // The fault is the service's.
            ("ssssg", false, Pick::At(0)),
        ] {
            assert_eq!(picked(waiting, is_all), expected, "{waiting}");
        }
    }

    #[test]
    fn what_a_newer_release_has_left_or_nobody_can_read_stops_nobody() {
        for (waiting, is_all, expected) in [
            ("?", false, Pick::ReadMore),
            ("?", true, Pick::At(0)),
            ("?g", true, Pick::At(1)),
            ("ss?", false, Pick::ReadMore),
            ("n?sg", false, Pick::At(3)),
            ("n", false, Pick::ReadMore),
            ("nnnn", false, Pick::ReadMore),
            ("n", true, Pick::At(0)),
            ("ng", true, Pick::At(1)),
            ("nnnnnnng", false, Pick::At(7)),
            ("nsng", false, Pick::At(3)),
            ("nsn", false, Pick::ReadMore),
            ("nsn", true, Pick::At(1)),
            ("nssnssg", false, Pick::At(1)),
        ] {
            assert_eq!(picked(waiting, is_all), expected, "{waiting}");
        }
    }
}
