//! The names of what is done to a run.

pub const DROP_BEFORE: &str = "call: lost before the service saw it";
pub const DROP_AFTER: &str = "call: its answer lost";
pub const CUT: &str = "call: its answer cut";
pub const DELAY: &str = "call: delayed";
pub const TWICE: &str = "call: sent twice";
pub const ERROR_BEFORE: &str = "call: 5xx instead of it";
pub const ERROR_AFTER: &str = "call: 5xx instead of its answer";
pub const TOO_MANY: &str = "call: 429";
pub const SILENT: &str = "call: its answer lost on a kept connection";
pub const HAND_OVER: &str = "acknowledgement: failed like a call";
pub const RIVAL: &str = "rival took them, without pickup_id";
pub const RIVAL_NAMED: &str = "rival took them, with a pickup_id";
pub const KILL_RANDOM: &str = "tab removed: at any time";
pub const KILL_SEND: &str = "tab removed: as it sent";
pub const KILL_PROCESSED: &str = "tab removed: answer not yet on its way";
pub const KILL_DELIVERED: &str = "tab removed: answer just delivered";
pub const KILL_WRITE: &str = "tab removed: as it wrote";
pub const KILL_RESOLVED: &str = "tab removed: as fetchTokens resolved";
pub const KILL_PERSIST: &str = "tab removed: in persistTokens";
pub const PERSIST_REJECT: &str = "persistTokens rejected";
pub const PERSIST_HANG: &str = "persistTokens hung";

/// Where a tab may be removed; the last one only where there is a `persistTokens`.
pub const KILLS: [&str; 7] = [
    KILL_SEND,
    KILL_PROCESSED,
    KILL_DELIVERED,
    KILL_WRITE,
    KILL_RESOLVED,
    KILL_RANDOM,
    KILL_PERSIST,
];

pub const ALL: [&str; 21] = [
    DROP_BEFORE,
    DROP_AFTER,
    CUT,
    DELAY,
    TWICE,
    ERROR_BEFORE,
    ERROR_AFTER,
    TOO_MANY,
    SILENT,
    HAND_OVER,
    RIVAL,
    RIVAL_NAMED,
    KILL_RANDOM,
    KILL_SEND,
    KILL_PROCESSED,
    KILL_DELIVERED,
    KILL_WRITE,
    KILL_RESOLVED,
    KILL_PERSIST,
    PERSIST_REJECT,
    PERSIST_HANG,
];
