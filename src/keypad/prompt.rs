//! One prompt, from the first key to the one outcome that it settles with.

use super::entry::Entry;
use super::key::Key;
use super::reason::PrintReason;
use super::scanner::{Scan, Scanner};
use super::settings::{Announce, Settings};
use super::view::Announcement;
use crate::phone::{self, Phone, Verdict};
use std::rc::Rc;

/// How long the warning is shown before an unanswered prompt ends.
pub const WARNING_MS: f64 = 20_000.0;
/// How long the host may take to accept an e-receipt.
pub const SEND_MS: f64 = 10_000.0;
/// How long another attempt is offered, at least.
pub const RETRY_MS: f64 = 5_000.0;
/// After a pause of this length a screen reader hears the whole number.
pub const PAUSE_MS: f64 = 800.0;

/// Everything that can happen to a prompt.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Input {
    /// A key of the grid: `0`–`9` or a plus.
    Symbol(u8),
    /// A character of the keyboard; `None`: one that cannot be typed.
    Typed(Option<u8>),
    /// Takes the last symbol back.
    Back,
    /// Takes all back.
    Clear,
    /// Takes the suggested number.
    Accept,
    /// Sends.
    Send,
    /// Prints instead.
    Print,
    /// Shows the code.
    Scan,
    /// Takes the code away.
    Done,
    /// Neither.
    None,
    /// No number was found in what was pasted.
    Unread,
    /// Shows the language at this place of those that are offered.
    Language(usize),
    /// Any other key or touch.
    Touch,
    /// Time has passed.
    Tick,
    /// The host accepted the e-receipt; whether it only keeps it, and sends it later.
    Accepted(bool),
    /// The host did not accept it; whether it can be asked again.
    Rejected(bool),
    /// Anything else that ends it with a print.
    End(PrintReason),
}

/// The outcome.
pub enum End {
    /// An e-receipt to this valid number; no print.
    Ereceipt(Phone),
    /// The receipt is behind the code that was shown; no print.
    Scanned,
    /// Print.
    Print(PrintReason),
    /// Neither; `chosen`, or `timeout`.
    None(&'static str),
}

/// What is to be done.
pub enum Step {
    /// Nothing.
    Nothing,
    /// Show what changed.
    Show,
    /// Show all of it in another language.
    Translate,
    /// Ask the host to accept the e-receipt.
    Send,
    /// Show the code, and ask the host to accept it.
    Scan,
    /// Show that it failed, with another attempt where the first one was.
    Failed,
    /// It is over.
    Settled(End),
}

#[derive(Clone, Copy, PartialEq)]
enum Phase {
    Typing,
    Sending {
        until: f64,
    },
    Failed {
        until: f64,
    },
    /// The code is shown; `until` is infinite once the host has accepted it.
    Scanning {
        until: f64,
        is_done: bool,
    },
    Settled,
}

/// The prompt. No `Debug`: it holds the shopper's number.
pub struct Prompt {
    /// What the host asked for. Shared: who makes elements by it must not hold the prompt meanwhile.
    pub settings: Rc<Settings>,
    /// The number that the host knows.
    prefill: String,
    pub(super) entry: Entry,
    /// What the entry is read as.
    pub(super) phone: Option<Phone>,
    /// Sent too early: the hint says what is missing, until the next key.
    pub(super) is_refused: bool,
    /// The last text that was pasted had no number: the hint says so, until the next key.
    pub(super) is_unread: bool,
    /// The entry would be a mobile number without its last digits.
    pub(super) is_too_long: bool,
    pub(super) seconds_left: Option<u32>,
    pub(super) announcement: Option<Announcement>,
    /// The host has not accepted the first attempt.
    pub(super) has_failed: bool,
    /// The host has kept it, and sends it later.
    pub(super) is_for_later: bool,
    /// Whether there is a code to be shown.
    pub offers_code: bool,
    speak_at: f64,
    scanner: Scanner,
    phase: Phase,
    touched: f64,
}

impl Prompt {
    /// Begins at `now`, with the host's number if it has a valid one.
    pub fn new(mut settings: Settings, now: f64) -> Self {
        let mut prompt = Self {
            prefill: std::mem::take(&mut settings.prefill),
            settings: Rc::new(settings),
            entry: Entry::default(),
            phone: None,
            is_refused: false,
            is_unread: false,
            is_too_long: false,
            seconds_left: None,
            announcement: None,
            has_failed: false,
            is_for_later: false,
            offers_code: false,
            speak_at: f64::INFINITY,
            scanner: Scanner::default(),
            phase: Phase::Typing,
            touched: now,
        };
        prompt.entry.is_prefilled = prompt.prefilled().is_some();
        prompt.read();
        prompt
    }

    /// Handles one input. After the end, none counts.
    pub fn on(&mut self, input: Input, now: f64) -> Step {
        if self.phase == Phase::Settled {
            return Step::Nothing;
        }
        // These count while the host is asked, too.
        match input {
            Input::Print if self.is_failed() => self.settle(End::Print(PrintReason::SendFailed)),
            Input::Print => self.settle(End::Print(PrintReason::Chosen)),
            Input::End(PrintReason::Replaced) if self.is_code_accepted() => {
                self.settle(End::Scanned)
            }
            Input::Done if self.is_scanning() => self.done(),
            Input::Rejected(may_retry) => self.rejected(may_retry, now),
            Input::End(reason) => self.settle(End::Print(reason)),
            Input::Tick => self.tick(now),
            Input::Accepted(for_later) => self.accepted(for_later),
            _ => self.while_typing(input, now),
        }
    }

    fn while_typing(&mut self, input: Input, now: f64) -> Step {
        self.touched = now;
        let warned = self.seconds_left.take().is_some();
        let is_held = self.is_sending() || self.is_scanning();
        if is_held || self.is_failed() && input != Input::Send {
            return Step::Nothing;
        }
        match input {
            Input::Symbol(symbol) => self.push(symbol, now),
            Input::Typed(symbol) => self.type_character(symbol, now),
            Input::Back => self.edit(now, Entry::pop),
            Input::Clear => self.edit(now, Entry::clear),
            Input::Accept => {
                let phone = self.phone.as_mut();
                let suggestion = phone.and_then(|phone| phone.suggestion.take());
                if let Some(number) = suggestion.and_then(|phone| phone.e164) {
                    self.edit(now, |entry| entry.replace(&number));
                }
            }
            Input::Unread => {
                self.is_unread = true;
                self.announcement = Some(Announcement::Hint);
            }
            Input::Send => return self.send(now),
            Input::Scan if self.offers_code => return self.scan(now),
            Input::Language(place) if self.settings.texts.show(place) => {
                self.announcement = Some(Announcement::Language);
                return Step::Translate;
            }
            Input::None if self.settings.allows_none => return self.settle(End::None("chosen")),
            _ if warned => {}
            _ => return Step::Nothing,
        }
        Step::Show
    }

    /// Whether a scanner pressed a key, or made a click.
    pub fn is_scanners(&mut self, at: f64, key: Key) -> bool {
        self.scanner.has(at, key)
    }

    /// Whether the number is the host's: the shopper has typed nothing.
    pub fn is_prefilled(&self) -> bool {
        self.entry.is_prefilled
    }

    /// Whether it is over.
    pub fn is_settled(&self) -> bool {
        self.phase == Phase::Settled
    }

    /// Whether the host is being asked.
    pub fn is_sending(&self) -> bool {
        matches!(self.phase, Phase::Sending { .. })
    }

    /// Whether the host has not accepted it, and can be asked again.
    pub fn is_failed(&self) -> bool {
        matches!(self.phase, Phase::Failed { .. })
    }

    /// The number that can be sent.
    pub fn valid(&self) -> Option<&Phone> {
        self.phone
            .as_ref()
            .filter(|phone| phone.verdict == Verdict::Valid)
    }

    fn push(&mut self, symbol: u8, now: f64) {
        self.edit(now, |entry| {
            entry.push(symbol);
        });
        if self.settings.announce == Announce::Digits {
            self.announcement = Some(Announcement::Symbol(symbol));
        }
    }

    fn type_character(&mut self, symbol: Option<u8>, at: f64) {
        match (self.scanner.character(at, &self.entry), symbol) {
            (Scan::Type, Some(symbol)) => self.push(symbol, at),
            (Scan::TakeBack, _) => {
                let before = self.scanner.before();
                self.edit(at, |entry| *entry = before);
            }
            _ => {}
        }
    }

    fn edit(&mut self, now: f64, change: impl FnOnce(&mut Entry)) {
        change(&mut self.entry);
        self.is_refused = false;
        self.is_unread = false;
        self.announcement = None;
        self.speak_at = now + PAUSE_MS;
        self.read();
    }

    fn read(&mut self) {
        let region = Some(self.settings.region);
        self.phone = if self.entry.is_prefilled {
            self.prefilled()
        } else {
            (!self.entry.is_empty()).then(|| phone::parse(self.entry.as_str(), region))
        };
        let is_dead = self.phone.as_ref().is_some_and(|phone| phone.dead_end);
        let typed = self.entry.as_str();
        self.is_too_long = is_dead
            && (1..typed.len()).any(|end| {
                let shorter = typed.get(..end).unwrap_or_default();
                phone::parse(shorter, region).verdict == Verdict::Valid
            });
    }

    fn prefilled(&self) -> Option<Phone> {
        let phone = phone::parse(&self.prefill, None);
        (phone.verdict == Verdict::Valid).then_some(phone)
    }

    fn send(&mut self, now: f64) -> Step {
        if self.valid().is_none() {
            self.is_refused = true;
            self.announcement = Some(Announcement::Hint);
            self.speak_at = f64::INFINITY;
            return Step::Show;
        }
        if self.settings.asks_host {
            let until = now + SEND_MS;
            self.phase = Phase::Sending { until };
            self.announcement = Some(Announcement::Hint);
            return Step::Send;
        }
        self.finish()
    }

    fn rejected(&mut self, may_retry: bool, now: f64) -> Step {
        if self.is_scanning() {
            return self.settle(End::Print(PrintReason::SendFailed));
        }
        if !self.is_sending() {
            return Step::Nothing;
        }
        // Where no outcome is shown, nobody looks at one.
        if !may_retry || self.has_failed || self.settings.outcome_ms <= 0.0 {
            return self.settle(End::Print(PrintReason::SendFailed));
        }
        self.has_failed = true;
        let until = now + self.settings.outcome_ms.max(RETRY_MS);
        self.phase = Phase::Failed { until };
        self.announcement = Some(Announcement::Hint);
        Step::Failed
    }

    fn accepted(&mut self, for_later: bool) -> Step {
        if self.is_sending() {
            self.is_for_later = for_later;
            self.finish()
        } else {
            self.code_accepted()
        }
    }

    fn finish(&mut self) -> Step {
        // Only a valid number gets here; anything else prints.
        let phone = self.phone.take();
        let valid = phone.filter(|phone| phone.verdict == Verdict::Valid);
        self.settle(valid.map_or(End::Print(PrintReason::SendFailed), End::Ereceipt))
    }

    fn tick(&mut self, now: f64) -> Step {
        if let Phase::Sending { until } | Phase::Failed { until } = self.phase {
            return match now >= until {
                true => self.settle(End::Print(PrintReason::SendFailed)),
                false => Step::Nothing,
            };
        }
        let left = self.touched + self.settings.idle_ms - now;
        if let Phase::Scanning { until, .. } = self.phase {
            return self.tick_of_code(until, left, now);
        }
        if left <= 0.0 {
            return self.settle(if self.settings.prints_unanswered {
                End::Print(PrintReason::Timeout)
            } else {
                End::None("timeout")
            });
        }
        // A second that has begun counts, or a zero would be shown.
        let seconds = (left <= WARNING_MS).then_some((left / 1000.0).ceil() as u32);
        let warned = std::mem::replace(&mut self.seconds_left, seconds);
        if seconds.is_some() && warned.is_none() {
            self.announcement = Some(Announcement::Hint);
        } else if now >= self.speak_at {
            self.speak_at = f64::INFINITY;
            self.announcement = Some(Announcement::Entry);
        } else if warned == seconds {
            return Step::Nothing;
        }
        Step::Show
    }

    fn settle(&mut self, end: End) -> Step {
        self.phase = Phase::Settled;
        // Freed, and so wiped.
        self.entry.clear();
        self.phone = None;
        self.prefill = String::new();
        self.scanner = Scanner::default();
        self.announcement = None;
        Step::Settled(end)
    }
}

mod code;

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;
