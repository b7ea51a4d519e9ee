//! Wakes the one task that waits for it.

pub use crate::browser::bell::Bell;
