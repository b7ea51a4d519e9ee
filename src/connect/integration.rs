//! One integration as the page sees it (§3): the options of its calls, and which of its ends a session takes.

use crate::core::named_enum::named_enum;
use crate::core::options::{Call, Kind};
use pos_connect_protocol::Status;

crate::options! {
    /// Ends the wait, with a `PosConnectError` of code `aborted`.
    ///
    /// Its `cause` is the signal's reason.
    SIGNAL = "signal": Kind::Signal, default "none";
    /// Called with each status that differs from the one before.
    ///
    /// The first one counts, too. What it throws is reported to the console and changes nothing.
    ON_STATUS = "onStatus": Kind::Function, type "(status: Status) => void", default "none";
}

/// The options of every call that only waits.
pub const CALL: Call = &[&[&SIGNAL]];
/// The options of `waitUntilDone`.
pub const WAIT: Call = &[&[&SIGNAL, &ON_STATUS]];

named_enum! {
    /// How a session in the page ended.
    End {
        /// The merchant consented.
        Finished = "finished",
        /// The merchant or the service ended it.
        Cancelled = "cancelled",
        /// An error ended it.
        Failed = "failed",
        /// It was taken out of the page.
        Closed = "closed",
    }
}

impl End {
    /// The end that a status brings; none while pending.
    pub const fn of(status: Status) -> Option<Self> {
        match status {
            Status::Pending => None,
            Status::Finished => Some(Self::Finished),
            Status::Cancelled => Some(Self::Cancelled),
        }
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;

    #[test]
    fn only_a_terminal_status_ends_a_session() {
        assert_eq!(End::of(Status::Pending), None);
        assert_eq!(End::of(Status::Finished), Some(End::Finished));
        assert_eq!(End::of(Status::Cancelled), Some(End::Cancelled));
    }

    #[test]
    fn the_words_are_those_of_the_types() {
        let types = include_str!("../../pkg-template/index.d.ts");
        let words =
            [End::Finished, End::Cancelled, End::Failed, End::Closed].map(|end| end.as_str());
        let declared = words.map(|word| ["\"", word, "\""].concat()).join(" | ");
        assert!(types.contains(&["export type FrameEnd = ", &declared, ";"].concat()));
    }
}
