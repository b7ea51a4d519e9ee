//! Why a receipt is printed.

use crate::core::named_enum::named_enum;

named_enum! {
    /// Why a receipt is printed.
    PrintReason {
        /// E-receipts are not enabled.
        NotEnabled = "not_enabled",
        /// Somebody pressed "print instead".
        Chosen = "chosen",
        /// Nobody answered.
        Timeout = "timeout",
        /// The host did not accept the e-receipt.
        SendFailed = "send_failed",
        /// The caller aborted, or the object was destroyed.
        Aborted = "aborted",
        /// Another prompt took the place.
        Replaced = "replaced",
        /// The keypad was taken out of the page.
        Removed = "removed",
        /// The page went away.
        PageHidden = "page_hidden",
        /// The browser lacks something.
        Unsupported = "unsupported",
    }
}
