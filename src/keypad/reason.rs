//! Why a receipt is printed.

/// Why a receipt is printed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum PrintReason {
    /// E-receipts are not enabled.
    NotEnabled,
    /// Somebody pressed "print instead".
    Chosen,
    /// Nobody answered.
    Timeout,
    /// The host did not accept the e-receipt.
    SendFailed,
    /// The caller aborted, or the object was destroyed.
    Aborted,
    /// Another prompt took the place.
    Replaced,
    /// The keypad was taken out of the page.
    Removed,
    /// The page went away.
    PageHidden,
    /// The browser lacks something.
    Unsupported,
}

impl PrintReason {
    /// Every reason.
    pub const ALL: [Self; 9] = [
        Self::NotEnabled,
        Self::Chosen,
        Self::Timeout,
        Self::SendFailed,
        Self::Aborted,
        Self::Replaced,
        Self::Removed,
        Self::PageHidden,
        Self::Unsupported,
    ];

    /// The word in `reason`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotEnabled => "not_enabled",
            Self::Chosen => "chosen",
            Self::Timeout => "timeout",
            Self::SendFailed => "send_failed",
            Self::Aborted => "aborted",
            Self::Replaced => "replaced",
            Self::Removed => "removed",
            Self::PageHidden => "page_hidden",
            Self::Unsupported => "unsupported",
        }
    }
}
