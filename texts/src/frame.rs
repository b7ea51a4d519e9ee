//! The connect dialog. `#` stands for the four digits.

texts! {
    /// The connect dialog. `#` stands for the four digits.
    Frame {
        /// Names the frame and its dialog.
        title Title "title",
        /// The page loads.
        loading Loading "loading",
        /// The page has said nothing for long.
        slow Slow "slow",
        /// In the page's place, while there is no network.
        offline Offline "offline",
        /// Loads the page again.
        retry Retry "retry",
        /// Opens the page in a window.
        open_window OpenWindow "openWindow",
        /// In the frame's place, while a window has the page.
        elsewhere Elsewhere "elsewhere",
        /// Brings that window to the front.
        show_window ShowWindow "showWindow",
        /// Shows the link and its QR code.
        phone Phone "phone",
        /// Shows the frame again.
        here Here "here",
        /// The number that the phone shows, too.
        code Code "code",
        /// The number that the window shows, too.
        code_window CodeWindow "codeWindow",
        /// Above the QR code.
        scan Scan "scan",
        /// Names the QR code.
        qr Qr "qr",
        /// Copies the link.
        copy Copy "copy",
        /// After that.
        copied Copied "copied",
        /// Below the QR code.
        waiting Waiting "waiting",
        /// In its place, once the page was opened there.
        opened Opened "opened",
        /// Closes the dialog.
        close Close "close",
        /// In the frame's place, at the end.
        done Done "done",
        /// What was chosen, at the end.
        ereceipts_on EreceiptsOn "ereceiptsOn",
        /// Likewise.
        ereceipts_off EreceiptsOff "ereceiptsOff",
    }
}
