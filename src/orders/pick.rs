//! Which order is sent next.

use super::queued_order::QueuedOrder;

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

/// The next of the orders that wait: the first one, unless the service fails on it again and again, or it can't be
/// read.
///
/// `entries`: those that wait, from the first on; one that can't be read is `None`. `is_all`: there are no others.
pub fn pick(entries: &[Option<&QueuedOrder>], is_all: bool, now_ms: f64) -> Pick {
    let stands_still = |entry: &Option<&QueuedOrder>| {
        entry.is_some_and(|entry| entry.is_stuck() && entry.rest(now_ms, false) > 0.0)
    };
    let readable = || {
        entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| entry.is_some())
    };
    let mut candidates = readable().take(MOST_STUCK + 1);
    match candidates.find(|(_, entry)| !stands_still(entry)) {
        Some((place, _)) => Pick::At(place),
        None if !is_all && readable().count() <= MOST_STUCK => Pick::ReadMore,
        // They rest.
        None => match readable().next() {
            Some((place, _)) => Pick::At(place),
            None if entries.is_empty() => Pick::Nothing,
            None => Pick::At(0),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::error::{Error, ErrorCode};

    const NOW: f64 = 1_000_000.0;

    fn good() -> QueuedOrder {
        QueuedOrder::new("key".into(), "A-1".into(), "{}".into())
    }

    fn stuck() -> QueuedOrder {
        let mut entry = good();
        entry.error = Some(Error {
            status: Some(500),
            ..Error::new(ErrorCode::ServerError)
        });
        (entry.tries, entry.next) = (3, Some(NOW + 1_000.0));
        entry
    }

    /// `g` good, `s` stuck, `?` unreadable.
    fn picked(waiting: &str, is_all: bool) -> Pick {
        let entries: Vec<_> = waiting
            .chars()
            .map(|kind| match kind {
                'g' => Some(good()),
                's' => Some(stuck()),
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
    fn what_nobody_can_read_stops_nobody() {
        for (waiting, is_all, expected) in [
            ("?", false, Pick::ReadMore),
            ("?", true, Pick::At(0)),
            ("?g", true, Pick::At(1)),
            ("ss?", false, Pick::ReadMore),
            ("????", false, Pick::ReadMore),
            ("???????g", false, Pick::At(7)),
            ("?s?g", false, Pick::At(3)),
            ("?s?", true, Pick::At(1)),
            ("?ss?ssg", false, Pick::At(1)),
        ] {
            assert_eq!(picked(waiting, is_all), expected, "{waiting}");
        }
    }
}
