//! Single characters of numbers, as texts. Not by way of `char`: writing any of them as UTF-8 is 400 bytes of WebAssembly.

/// All that numbers are written with.
const KNOWN: &str = " !\"#$%&'()*+,-./0123456789";

/// The character as a text; empty if no number is written with it.
pub fn text(byte: u8) -> &'static str {
    let at = usize::from(byte.wrapping_sub(b' '));
    KNOWN.get(at..at + 1).unwrap_or_default()
}

/// A digit as a text.
pub fn digit(value: u8) -> &'static str {
    text(b'0' + value % 10)
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;

    #[test]
    fn what_numbers_are_written_with_is_known_and_nothing_else() {
        for byte in 0..=u8::MAX {
            let wanted = if (b' '..=b'9').contains(&byte) {
                char::from(byte).to_string()
            } else {
                String::new()
            };
            assert_eq!(text(byte), wanted, "{byte}");
        }
        assert_eq!((0..10).map(digit).collect::<String>(), "0123456789");
    }
}
