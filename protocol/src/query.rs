//! Writes query strings. Percent-encodes everything but RFC 3986's unreserved characters, so that every parser reads
//! the same value.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// All but the unreserved characters (RFC 3986 §2.3).
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Appends `name=value`, percent-encoded, to a URL that has no fragment; starts the query where there is none.
///
/// ```
/// let mut url = String::from("https://auth.example.com/v1/auth/integration");
/// pos_connect_protocol::query::append(&mut url, "client_id", "acme & sons");
/// assert!(url.ends_with("integration?client_id=acme%20%26%20sons"));
/// ```
pub fn append(url: &mut String, name: &str, value: &str) {
    *url += if url.contains('?') { "&" } else { "?" };
    encode(url, name);
    *url += "=";
    encode(url, value);
}

/// Appends `text` percent-encoded as UTF-8 (RFC 3986 §2.1, upper-case hex).
pub fn encode(out: &mut String, text: &str) {
    out.extend(utf8_percent_encode(text, ENCODED));
}

/// Whether the query of a URL has a parameter of that name, as it is written.
///
/// ```
/// assert!(pos_connect_protocol::query::has("https://auth.example.com/?lang=he", "lang"));
/// assert!(!pos_connect_protocol::query::has("https://auth.example.com/lang=he", "lang"));
/// ```
pub fn has(url: &str, name: &str) -> bool {
    let (_, query) = url.split_once('?').unwrap_or_default();
    query
        .split('&')
        .any(|pair| pair.split('=').next() == Some(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn encoded(text: &str) -> String {
        let mut out = String::new();
        encode(&mut out, text);
        out
    }

    fn decoded(text: &str) -> Option<String> {
        let mut bytes = Vec::new();
        let mut rest = text.as_bytes();
        while let Some((&byte, tail)) = rest.split_first() {
            if byte == b'%' {
                let hex = std::str::from_utf8(tail.get(..2)?).ok()?;
                bytes.push(u8::from_str_radix(hex, 16).ok()?);
                rest = &tail[2..];
            } else {
                bytes.push(byte);
                rest = tail;
            }
        }
        String::from_utf8(bytes).ok()
    }

    #[test]
    fn every_reserved_character_is_encoded() {
        // RFC 3986 §2.2 gen-delims and sub-delims, then what a form encoder would treat apart, then controls.
        let reserved = ":/?#[]@!$&'()*+,;= %\"<>\\^`{|}\u{0}\r\n\t\u{7f}";
        for character in reserved.chars() {
            let expected = format!("%{:02X}", u32::from(character));
            assert_eq!(encoded(&character.to_string()), expected, "{character:?}");
        }
    }

    #[test]
    fn unreserved_characters_stay() {
        let unreserved = "ABCXYZabcxyz0189-._~";
        assert_eq!(encoded(unreserved), unreserved);
    }

    #[test]
    fn non_ascii_is_encoded_as_utf8() {
        assert_eq!(encoded("é"), "%C3%A9");
        assert_eq!(encoded("שלום"), "%D7%A9%D7%9C%D7%95%D7%9D");
        assert_eq!(encoded("🧾"), "%F0%9F%A7%BE");
    }

    #[test]
    fn append_starts_and_continues_a_query() {
        let mut url = String::from("https://a.example/x");
        append(&mut url, "client_id", "a&b");
        append(&mut url, "n", "1");
        assert_eq!(url, "https://a.example/x?client_id=a%26b&n=1");
    }

    proptest! {
        #[test]
        fn any_text_survives_the_round_trip(text in any::<String>()) {
            let sent = encoded(&text);
            prop_assert!(sent.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~%".contains(&b)));
            prop_assert_eq!(decoded(&sent), Some(text));
        }
    }
}
