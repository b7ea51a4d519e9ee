//! While the code is shown: the number is gone, and only "done", paper and time count.

use super::{Announcement, End, Entry, Phase, PrintReason, Prompt, SEND_MS, Step};

impl Prompt {
    /// Whether the code is shown.
    pub fn is_scanning(&self) -> bool {
        matches!(self.phase, Phase::Scanning { .. })
    }

    /// Whether the code opens the receipt already: then a shopper who leaves has it.
    pub(super) fn is_code_accepted(&self) -> bool {
        matches!(self.phase, Phase::Scanning { until, .. } if until == f64::INFINITY)
    }

    pub(super) fn scan(&mut self, now: f64) -> Step {
        self.edit(now, Entry::clear);
        self.speak_at = f64::INFINITY;
        self.announcement = Some(Announcement::Hint);
        let (until, is_done) = (now + SEND_MS, false);
        self.phase = Phase::Scanning { until, is_done };
        Step::Scan
    }

    /// Takes the code away, once the host has accepted it.
    pub(super) fn done(&mut self) -> Step {
        if self.is_code_accepted() {
            return self.settle(End::Scanned);
        }
        if let Phase::Scanning { is_done, .. } = &mut self.phase {
            *is_done = true;
        }
        Step::Nothing
    }

    pub(super) fn code_accepted(&mut self) -> Step {
        match &mut self.phase {
            Phase::Scanning { is_done: true, .. } => return self.settle(End::Scanned),
            Phase::Scanning { until, .. } => *until = f64::INFINITY,
            _ => {}
        }
        Step::Nothing
    }

    pub(super) fn tick_of_code(&mut self, until: f64, left: f64, now: f64) -> Step {
        match left <= 0.0 || now >= until {
            true if self.is_code_accepted() => self.settle(End::Scanned),
            true => self.settle(End::Print(PrintReason::SendFailed)),
            false => Step::Nothing,
        }
    }
}
