//! What was typed so far. There is no caret: symbols are appended and taken back, and nothing else.

/// E.164 has 15 digits; trunk and carrier codes and an international prefix come on top.
const MOST_DIGITS: usize = 18;

/// A list of digits, with or without a plus before them. No `Debug`: it is the shopper's number.
#[derive(Clone, Default)]
pub struct Entry {
    text: String,
    /// The number that the host knew stands there, untouched.
    pub is_prefilled: bool,
}

impl Entry {
    /// Appends `0`–`9`, or a plus where it can stand. False if there is no room for it.
    pub fn push(&mut self, symbol: u8) -> bool {
        self.forget_prefill();
        let fits = match symbol {
            b'+' => self.text.is_empty(),
            _ => self.digits().len() < MOST_DIGITS,
        };
        if fits {
            self.text.push(char::from(symbol));
        }
        fits
    }

    /// Takes the last symbol back; of a number that the host knew, all of it.
    pub fn pop(&mut self) {
        self.forget_prefill();
        self.text.truncate(self.text.len().saturating_sub(1));
    }

    /// Takes everything back.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Puts a number in the place of what was typed.
    pub fn replace(&mut self, number: &str) {
        self.clear();
        self.text.push_str(number);
    }

    /// What the phone engine reads.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The text without its plus.
    pub fn digits(&self) -> &str {
        self.text.strip_prefix("+").unwrap_or(&self.text)
    }

    /// Whether there is nothing to take back.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && !self.is_prefilled
    }

    fn forget_prefill(&mut self) {
        self.is_prefilled = false;
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;

    fn typed(symbols: &str) -> Entry {
        let mut entry = Entry::default();
        for symbol in symbols.bytes() {
            entry.push(symbol);
        }
        entry
    }

    #[test]
    fn a_plus_stands_only_at_the_beginning() {
        assert_eq!(typed("+972+50+").as_str(), "+97250");
        assert_eq!(typed("05+").as_str(), "05");
        assert_eq!(typed("++").as_str(), "+");
    }

    #[test]
    fn there_is_a_limit() {
        let mut entry = typed(&"1".repeat(50));
        assert_eq!(entry.as_str().len(), MOST_DIGITS);
        assert!(!entry.push(b'2'));
        assert_eq!(typed(&["+", &"1".repeat(50)].concat()).digits().len(), 18);
    }

    #[test]
    fn what_was_typed_can_be_taken_back() {
        let mut entry = typed("+12");
        entry.pop();
        assert_eq!(entry.as_str(), "+1");
        entry.pop();
        entry.pop();
        assert!(entry.is_empty());
        entry.pop();
        assert!(entry.is_empty());
        entry.replace("+49");
        entry.clear();
        assert!(entry.is_empty());
    }

    #[test]
    fn the_first_key_replaces_a_prefilled_number() {
        for act in [
            (|entry| entry.pop()) as fn(&mut Entry),
            |entry| entry.clear(),
            |entry| {
                entry.push(b'0');
            },
        ] {
            let mut entry = Entry {
                is_prefilled: true,
                ..Entry::default()
            };
            assert!(!entry.is_empty());
            act(&mut entry);
            assert!(!entry.is_prefilled);
        }
    }
}
