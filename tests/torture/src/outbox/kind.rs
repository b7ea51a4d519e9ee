//! The names of what is done to a run.

use crate::trouble::Trouble;

pub const KILL_RANDOM: &str = "tab removed: at any time";
pub const KILL_SEND: &str = "tab removed: as it sent";
pub const KILL_PROCESSED: &str = "tab removed: answer not yet on its way";
pub const KILL_WRITE: &str = "tab removed: as it wrote";
pub const KILL_RESOLVED: &str = "tab removed: as sendOrder resolved";

/// Where a tab may be removed.
pub const KILLS: [&str; 5] = [
    KILL_SEND,
    KILL_PROCESSED,
    KILL_WRITE,
    KILL_RESOLVED,
    KILL_RANDOM,
];

pub const ALL: [&str; 14] = [
    "order: lost before the service saw it",
    "order: its answer lost",
    "order: its answer cut",
    "order: delayed",
    "order: sent twice",
    "order: 5xx instead of it",
    "order: 5xx instead of its answer",
    "order: 429",
    "order: its answer lost on a kept connection",
    KILL_RANDOM,
    KILL_SEND,
    KILL_PROCESSED,
    KILL_WRITE,
    KILL_RESOLVED,
];

/// The name of what a fault does to an order.
pub fn of(trouble: Trouble) -> &'static str {
    ALL[match trouble {
        Trouble::DropBefore => 0,
        Trouble::DropAfter => 1,
        Trouble::Cut => 2,
        Trouble::Delay => 3,
        Trouble::Twice => 4,
        Trouble::ErrorBefore => 5,
        Trouble::ErrorAfter => 6,
        Trouble::TooMany => 7,
        Trouble::Silent => 8,
    }]
}
