//! One integration as the page sees it (§3): which status holds, and which of its ends a session takes.

use crate::core::options::{Call, Kind};
use crate::core::word::words;
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

/// The status, over answers that may arrive out of order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    status: Option<Status>,
}

impl Progress {
    /// Notes an answer and gives the status that holds. `finished` and `cancelled` never change (§3), so a late
    /// "pending" is stale.
    pub fn observe(&mut self, answer: Status) -> Status {
        match self.ended() {
            Some(ended) => ended,
            None => {
                self.status = Some(answer);
                answer
            }
        }
    }

    /// `finished` or `cancelled`, once it is known: there is nothing to ask any more.
    pub fn ended(&self) -> Option<Status> {
        self.status.filter(|status| *status != Status::Pending)
    }
}

words! {
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
    fn pending_moves_once() {
        for end in [Status::Finished, Status::Cancelled] {
            let mut progress = Progress::default();
            assert_eq!(progress.ended(), None);
            assert_eq!(progress.observe(Status::Pending), Status::Pending);
            assert_eq!(progress.ended(), None);
            assert_eq!(progress.observe(end), end);
            assert_eq!(progress.ended(), Some(end));
        }
    }

    #[test]
    fn a_terminal_status_never_changes() {
        for end in [Status::Finished, Status::Cancelled] {
            for late in [Status::Pending, Status::Finished, Status::Cancelled] {
                let mut progress = Progress::default();
                progress.observe(end);
                assert_eq!(progress.observe(late), end);
                assert_eq!(progress.ended(), Some(end));
            }
        }
    }

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
