//! What the shopper sees after the end.

use super::prompt::{End, Prompt};
use super::reason::PrintReason;
use super::view::masked;
use super::words::Word;

impl Prompt {
    /// What the shopper is told after the end; of the number, four digits.
    pub fn outcome_text(&self, end: &End) -> Option<String> {
        if self.settings.outcome_ms <= 0.0 {
            return None;
        }
        let words = &self.settings.words;
        let word = match end {
            End::Ereceipt(phone) => {
                let word = match self.settings.asks_host && !self.is_for_later {
                    true => Word::Sent,
                    false => Word::Accepted,
                };
                let number = phone.e164.as_deref().unwrap_or("");
                return Some(words.with(word, &masked(number)));
            }
            // The shopper knows that already.
            End::Print(PrintReason::SendFailed) if !self.has_failed => Word::SendFailed,
            End::Print(PrintReason::SendFailed | PrintReason::Chosen | PrintReason::Timeout) => {
                Word::Printing
            }
            End::Print(_) | End::None(_) => return None,
        };
        Some(words.get(word).into())
    }
}
