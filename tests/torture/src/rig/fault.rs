//! What is done to a run.

/// What a failing proxy does to a call, in the order of its names in [`KINDS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    DropBefore,
    DropAfter,
    Cut,
    Delay,
    Twice,
    ErrorBefore,
    ErrorAfter,
    TooMany,
    /// The answer is lost on a kept connection: the browser asks again by itself.
    Silent,
}

#[derive(Clone, Copy, Debug)]
pub struct Fault {
    pub trouble: Trouble,
    pub ms: u64,
    pub variant: u64,
}

/// A tab that is gone in the middle of something, or is frozen there.
pub struct Kill {
    pub at: &'static str,
    /// The first time that it gets there, or a later one.
    pub nth: u64,
    pub plus: u64,
    pub tab: u64,
}

/// The names of what is done: to tokens and orders, then only to orders, then only to tokens.
pub const KINDS: [&str; 25] = [
    "call: lost before the service saw it",
    "call: its answer lost",
    "call: its answer cut",
    "call: delayed",
    "call: sent twice",
    "call: 5xx instead of it",
    "call: 5xx instead of its answer",
    "call: 429",
    "call: its answer lost on a kept connection",
    KILL_RANDOM,
    KILL_SEND,
    KILL_PROCESSED,
    KILL_WRITE,
    KILL_RESOLVED,
    KILL_ASKED,
    FREEZE,
    MISREAD,
    GONE,
    KILL_DELIVERED,
    KILL_PERSIST,
    HAND_OVER,
    RIVAL,
    RIVAL_NAMED,
    PERSIST_REJECT,
    PERSIST_HANG,
];
/// Where those begin, and those after them.
pub const ONLY_OF_ORDERS: usize = 14;
pub const ONLY_OF_TOKENS: usize = 18;
pub const KILL_RANDOM: &str = "tab removed: at any time";
pub const KILL_SEND: &str = "tab removed: as it sent";
pub const KILL_PROCESSED: &str = "tab removed: answer not yet on its way";
pub const KILL_WRITE: &str = "tab removed: as it wrote";
pub const KILL_RESOLVED: &str = "tab removed: as its call resolved";
pub const KILL_ASKED: &str = "tab removed: as it asked";
pub const FREEZE: &str = "tab frozen: as it sent";
pub const MISREAD: &str = "storage: its key misread once";
pub const GONE: &str = "storage: the file of a large order gone";
pub const KILL_DELIVERED: &str = "tab removed: answer just delivered";
pub const KILL_PERSIST: &str = "tab removed: in persistTokens";
pub const HAND_OVER: &str = "acknowledgement: failed like a call";
pub const RIVAL: &str = "rival took them, without pickup_id";
pub const RIVAL_NAMED: &str = "rival took them, with a pickup_id";
pub const PERSIST_REJECT: &str = "persistTokens rejected";
pub const PERSIST_HANG: &str = "persistTokens hung";

impl Trouble {
    /// In the order of their turns.
    pub const ALL: [Self; 9] = [
        Self::DropBefore,
        Self::DropAfter,
        Self::Cut,
        Self::Twice,
        Self::ErrorAfter,
        Self::Delay,
        Self::Silent,
        Self::ErrorBefore,
        Self::TooMany,
    ];

    pub fn name(self) -> &'static str {
        KINDS[self as usize]
    }

    /// Whether an answer of the service may be lost by it.
    pub fn loses(self) -> bool {
        !matches!(
            self,
            Self::DropBefore | Self::Delay | Self::ErrorBefore | Self::TooMany
        )
    }

    /// Whether the caller is left without the service's answer.
    pub fn is_unanswered(self) -> bool {
        !matches!(self, Self::Delay | Self::Twice | Self::TooMany)
    }
}
