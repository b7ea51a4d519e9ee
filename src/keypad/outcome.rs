//! What the shopper sees after the end.

use super::prompt::{End, Prompt};
use super::reason::PrintReason;
use super::texts::TextKey;
use super::view::masked;

impl Prompt {
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
            End::Print(_) | End::None(_) => return None,
        };
        Some(texts.get(key).into())
    }
}
