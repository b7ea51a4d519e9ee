//! Where an order stands in the queue.

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
        match last {
            None => Self {
                number: 1,
                before: 0,
                bytes,
            },
            Some(last) => Self {
                number: last.number + 1,
                before: last.before + last.bytes,
                bytes,
            },
        }
    }

    /// The id with these random letters.
    pub fn id(&self, letters: &str) -> String {
        let Self {
            number,
            before,
            bytes,
        } = self;
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
