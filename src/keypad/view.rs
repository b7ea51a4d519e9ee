//! What a prompt shows, what a screen reader hears of it, and what the shopper sees after the end.

use super::prompt::{End, Prompt};
use super::reason::PrintReason;
use super::settings::Announce;
use super::texts::{TextKey, Texts, own_name};
use crate::core::named_enum::named_enum;
use crate::phone::{self, Phone, Region};

named_enum! {
    /// How the hint is meant.
    Tone {
        /// A hint.
        Plain = "plain",
        /// It can be sent.
        Good = "good",
        /// Something is wrong with the number.
        Bad = "bad",
        /// Time is running out, or what was pasted has no number.
        Warning = "warning",
        /// The host is asked.
        Busy = "busy",
        /// The host has not accepted it.
        Failed = "failed",
        /// The code is shown.
        Code = "code",
    }
}

/// What is to be said.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Announcement {
    /// The key.
    Symbol(u8),
    /// All that was typed, and what is to be said about it.
    Entry,
    /// The hint.
    Hint,
    /// The language that is shown now, and the hint.
    Language,
}

/// Everything that changes.
pub struct View {
    /// The number, as it is written in its country.
    pub display: String,
    /// The line below it; empty where a suggestion stands.
    pub hint: String,
    /// How it is meant.
    pub tone: Tone,
    /// The suggested number, as a question; empty if there is none.
    pub suggestion: String,
    /// What stands on the button that sends.
    pub send: String,
    /// Whether there is nothing to clear.
    pub is_empty: bool,
    /// What a screen reader is to hear now.
    pub announcement: Option<String>,
}

impl Prompt {
    /// What is to be seen now. What is to be heard is given once.
    pub fn view(&mut self) -> View {
        let announcement = self.announcement.take();
        let texts = &self.settings.texts;
        let (key, tone) = self.hint();
        let suggested = self.suggested();
        let number = suggested.and_then(|phone| phone.international.as_deref());
        let number = number.unwrap_or("");
        let is_asking = !number.is_empty() && matches!(tone, Tone::Plain | Tone::Bad);
        let hint = match self.seconds_left {
            Some(seconds) if tone == Tone::Warning => texts.with(key, &seconds.to_string()),
            _ => String::from(texts.get(key)),
        };
        let suggestion = match suggested {
            Some(phone) if is_asking => texts.with(TextKey::Suggestion, &self.located(phone)),
            _ => String::new(),
        };
        let heard = if is_asking && self.settings.announce == Announce::Digits {
            texts.with(TextKey::Suggestion, &spaced(number))
        } else {
            hint.clone()
        };
        // Heard is only that it can be sent: the number was heard before, or is not to be.
        let hint = match self.valid().filter(|_| key == TextKey::Valid) {
            Some(phone) if !self.entry.is_prefilled => self.located(phone),
            _ => hint,
        };
        View {
            display: self.display(),
            hint: if is_asking { String::new() } else { hint },
            tone,
            suggestion,
            send: texts
                .get(match self.is_failed() {
                    true => TextKey::Retry,
                    false => TextKey::Send,
                })
                .into(),
            is_empty: self.entry.is_empty(),
            announcement: announcement.map(|kind| self.spoken(kind, heard, tone, texts)),
        }
    }

    /// What the shopper is told after the end; of the number, four digits.
    pub fn outcome_text(&self, end: &End) -> Option<String> {
        if self.settings.outcome_ms <= 0.0 {
            return None;
        }
        let texts = &self.settings.texts;
        let key = match end {
            End::Ereceipt(phone) => {
                let key = match self.settings.asks_host && !self.is_for_later {
                    true => TextKey::Sent,
                    false => TextKey::Accepted,
                };
                let number = phone.e164.as_deref().unwrap_or("");
                return Some(texts.with(key, &masked(number)));
            }
            // The shopper knows that already.
            End::Print(PrintReason::SendFailed) if !self.has_failed => TextKey::SendFailed,
            End::Print(PrintReason::SendFailed | PrintReason::Chosen | PrintReason::Timeout) => {
                TextKey::Printing
            }
            End::Print(_) | End::None(_) | End::Scanned => return None,
        };
        Some(texts.get(key).into())
    }

    fn suggested(&self) -> Option<&Phone> {
        self.phone.as_ref()?.suggestion.as_deref()
    }

    /// A valid number as the world writes it, and its country: `+972 50-234-5678 · Israel`.
    fn located(&self, phone: &Phone) -> String {
        let number = phone.international.as_deref().unwrap_or("");
        let (language, code) = (self.settings.texts.tag(), phone.region.map(Region::code));
        let country = code.and_then(|code| (self.settings.country)(code, language));
        let country = country.unwrap_or_default();
        let between = if country.is_empty() { "" } else { " · " };
        // Isolated, as a number does not turn around with the text that it stands in.
        ["\u{2066}", number, "\u{2069}", between, &country].concat()
    }

    fn hint(&self) -> (TextKey, Tone) {
        if self.is_sending() {
            return (TextKey::Sending, Tone::Busy);
        }
        if self.is_failed() {
            return (TextKey::SendFailed, Tone::Failed);
        }
        if self.is_scanning() {
            return (TextKey::ScanHint, Tone::Code);
        }
        if self.seconds_left.is_some() {
            let key = match self.settings.prints_unanswered {
                true => TextKey::Idle,
                false => TextKey::IdleNone,
            };
            return (key, Tone::Warning);
        }
        if self.is_unread {
            return (TextKey::Unread, Tone::Warning);
        }
        if self.valid().is_some() {
            return (TextKey::Valid, Tone::Good);
        }
        match &self.phone {
            Some(_) if self.is_too_long => (TextKey::TooLong, Tone::Bad),
            Some(phone) if phone.dead_end => (TextKey::NotMobile, Tone::Bad),
            Some(_) if self.is_refused => (TextKey::Incomplete, Tone::Bad),
            None if self.is_refused => (TextKey::Empty, Tone::Bad),
            _ => (TextKey::Hint, Tone::Plain),
        }
    }

    fn display(&self) -> String {
        if self.entry.is_prefilled {
            let number = self.phone.as_ref().and_then(|phone| phone.e164.as_deref());
            return ["•••• ", last_four(number.unwrap_or(""))].concat();
        }
        let valid = self.valid().and_then(|phone| match phone.region {
            Some(region) if region == self.settings.region => phone.national.clone(),
            _ => phone.international.clone(),
        });
        valid.unwrap_or_else(|| self.typed())
    }

    fn typed(&self) -> String {
        phone::format_as_you_type(self.entry.as_str(), Some(self.settings.region))
    }

    fn spoken(&self, kind: Announcement, hint: String, tone: Tone, texts: &Texts) -> String {
        let count = self.entry.digits().len();
        let number = match (kind, self.settings.announce) {
            (Announcement::Symbol(symbol), _) => return String::from(char::from(symbol)),
            (Announcement::Hint, _) => return hint,
            (Announcement::Language, _) => own_name(texts.tag(), self.settings.language),
            (Announcement::Entry, Announce::Digits) => spaced(self.entry.as_str()),
            (Announcement::Entry, Announce::Count) => {
                texts.with(TextKey::Count, &count.to_string())
            }
            (Announcement::Entry, Announce::Off) => String::new(),
        };
        if tone == Tone::Plain && count > 0 && kind == Announcement::Entry {
            return number;
        }
        if number.is_empty() {
            return hint;
        }
        [&number, ". ", &hint].concat()
    }
}

/// Screen readers read "0502" as a thousand; "0 5 0 2" they read digit by digit.
fn spaced(number: &str) -> String {
    let mut text = String::with_capacity(2 * number.len());
    for symbol in number.as_bytes().iter().filter(|symbol| **symbol != b' ') {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push(char::from(*symbol));
    }
    text
}

/// What is shown of a number once it is over, for use within a text.
fn masked(number: &str) -> String {
    ["\u{2066}•••• ", last_four(number), "\u{2069}"].concat()
}

fn last_four(number: &str) -> &str {
    let last = number.get(number.len().saturating_sub(4)..);
    last.unwrap_or("")
}
