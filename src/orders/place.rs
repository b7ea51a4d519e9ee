//! Where an order stands in the queue, and how full that is.

use super::queued_order::{MOST_ORDERS, MOST_QUEUED_BYTES, MOST_REFUSED};

/// The place of an order in the queue: its number, the bytes that were queued before it since the queue was last
/// empty, its own bytes, and random letters. Sorts as text.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Place {
    /// 1 for the first order of a queue.
    pub(super) number: u64,
    pub(super) before: u64,
    pub(super) bytes: u64,
}

impl Place {
    /// The place at the end of a queue whose last order stands at `last`.
    pub fn after(last: Option<&Self>, bytes: u64) -> Self {
        let (number, before) = match last {
            Some(last) => (last.number + 1, last.before + last.bytes),
            None => (1, 0),
        };
        Self {
            number,
            before,
            bytes,
        }
    }

    /// The id with these random letters.
    pub fn id(&self, letters: &str) -> String {
        let (number, before, bytes) = (self.number, self.before, self.bytes);
        format!("{number:010}.{before:014}.{bytes:08}.{letters}")
    }

    /// The place that an id names.
    pub fn of(id: &str) -> Option<Self> {
        let mut parts = id.split('.').map(str::parse);
        let mut next = || parts.next()?.ok();
        Some(Self {
            number: next()?,
            before: next()?,
            bytes: next()?,
        })
    }
}

/// What waits in the queue.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Load {
    count: u64,
    bytes: u64,
}

impl Load {
    /// The most that can wait between these places, both included.
    pub fn between(first: &Place, last: &Place) -> Self {
        Self {
            count: last.number.saturating_sub(first.number) + 1,
            bytes: (last.before + last.bytes).saturating_sub(first.before),
        }
    }

    /// Whether another order may join the queue, beside so many refused ones.
    pub fn has_room(self, refused: usize, bytes: u64) -> bool {
        let fits = self.count < MOST_ORDERS && self.bytes + bytes <= MOST_QUEUED_BYTES;
        fits && refused < MOST_REFUSED
    }
}

impl FromIterator<Place> for Load {
    fn from_iter<T: IntoIterator<Item = Place>>(places: T) -> Self {
        places
            .into_iter()
            .fold(Self::default(), |load, place| Self {
                count: load.count + 1,
                bytes: load.bytes + place.bytes,
            })
    }
}
