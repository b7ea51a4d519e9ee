//! What is done to a run.

/// What a failing proxy does to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    DropBefore,
    DropAfter,
    Cut,
    Twice,
    ErrorAfter,
    Delay,
    /// The answer is lost on a kept connection: the browser asks again by itself.
    Silent,
    ErrorBefore,
    TooMany,
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

pub const RANDOM: &str = "tab removed: at any time";
pub const PROCESSED: &str = "tab removed: answer not yet on its way";
pub const WRITE: &str = "tab removed: as it wrote";
pub const PERSIST: &str = "tab removed: in persistTokens";
const SEND: &str = "tab removed: as it sent";
pub const RESOLVED: &str = "tab removed: as its call resolved";

/// Where a tab with tokens may be removed; the last one only where there is a `persistTokens`.
pub const KILLS_OF_TOKENS: [&str; 7] = [
    SEND,
    PROCESSED,
    "tab removed: answer just delivered",
    WRITE,
    RESOLVED,
    RANDOM,
    PERSIST,
];
/// What may happen to a tab with orders.
pub const KILLS_OF_ORDERS: [&str; 7] = [
    SEND,
    PROCESSED,
    WRITE,
    RESOLVED,
    "tab removed: as it asked",
    RANDOM,
    "tab frozen: as it sent",
];
/// What the storage may do to orders.
pub const STORAGE: [&str; 2] = [
    "storage: its key misread once",
    "storage: the file of a large order gone",
];

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
        match self {
            Self::DropBefore => "call: lost before the service saw it",
            Self::DropAfter => "call: its answer lost",
            Self::Cut => "call: its answer cut",
            Self::Twice => "call: sent twice",
            Self::ErrorAfter => "call: 5xx instead of its answer",
            Self::Delay => "call: delayed",
            Self::Silent => "call: its answer lost on a kept connection",
            Self::ErrorBefore => "call: 5xx instead of it",
            Self::TooMany => "call: 429",
        }
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
