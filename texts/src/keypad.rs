//! The keypad. `#` stands for a number, and for seconds.

texts! {
    /// The keypad. `#` stands for a number, and for seconds.
    Keypad {
        /// Names the whole.
        title Title "title",
        /// What to do.
        hint Hint "hint",
        /// Names the field of the number.
        number Number "number",
        /// Names the digits.
        keys Keys "keys",
        /// Names the key that takes one back.
        delete Delete "delete",
        /// Takes all back.
        clear Clear "clear",
        /// The e-receipt.
        send Send "send",
        /// The paper.
        print Print "print",
        /// Neither.
        none None "none",
        /// Another number that may be meant.
        suggestion Suggestion "suggestion",
        /// Sent without a number.
        empty Empty "empty",
        /// Sent too early.
        incomplete Incomplete "incomplete",
        /// No further digit can help.
        not_mobile NotMobile "notMobile",
        /// Fewer digits would.
        too_long TooLong "tooLong",
        /// What was pasted has no number; what stood there still stands.
        unread Unread "unread",
        /// It can be sent.
        valid Valid "valid",
        /// The host is asked.
        sending Sending "sending",
        /// The host has accepted it.
        sent Sent "sent",
        /// Nobody had to accept it.
        accepted Accepted "accepted",
        /// The host has not accepted it.
        send_failed SendFailed "sendFailed",
        /// Asks the host once more.
        retry Retry "retry",
        /// It ends with paper.
        printing Printing "printing",
        /// Nobody has touched anything for long; it prints soon.
        idle Idle "idle",
        /// Likewise, and nothing is printed.
        idle_none IdleNone "idleNone",
        /// How many digits, for a screen reader that must not say them.
        count Count "count",
        /// Shows the receipt's link as a code.
        scan Scan "scan",
        /// Heads and names the code.
        scan_hint ScanHint "scanHint",
        /// Takes the code away.
        done Done "done",
        /// What the number is used for.
        consent Consent "consent",
    }
}
