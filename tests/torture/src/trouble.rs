//! What a failing proxy does to a call.

/// What becomes of a call.
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

impl Trouble {
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

    /// Whether an answer of the service may be lost by it.
    pub fn loses(self) -> bool {
        !matches!(
            self,
            Self::DropBefore | Self::Delay | Self::ErrorBefore | Self::TooMany
        )
    }
}
