//! Looks for what must not be there, in every disguise.

use crate::http::Answer;
use memchr::memmem;

/// Everything that must not turn up again, and every error body that was seen.
#[derive(Default)]
pub struct Watch {
    pub secrets: Vec<String>,
    pub errors: Vec<String>,
}

impl Watch {
    pub fn secret(&mut self, text: impl Into<String>) -> String {
        let text = text.into();
        assert!(text.len() >= 10, "too short to be looked for");
        self.secrets.push(text.clone());
        text
    }

    pub fn error(&mut self, answer: Answer, status: u16) {
        assert_eq!(answer.status, status, "{}", answer.body);
        self.errors.push(answer.body);
    }

    pub fn assert_absent(&self, place: &str, bytes: &[u8]) {
        for secret in &self.secrets {
            for form in forms(secret) {
                let found = memmem::find(bytes, &form).is_some();
                assert!(
                    !found,
                    "{secret} is in {place} as {}",
                    String::from_utf8_lossy(&form)
                );
            }
        }
    }
}

/// The ways in which a text can hide among bytes: itself, percent-encoded, hex, UTF-16 in either order, the values of
/// its digits, and base64 at its three alignments.
fn forms(secret: &str) -> Vec<Vec<u8>> {
    let mut encoded = String::new();
    pos_connect_protocol::query::encode(&mut encoded, secret);
    let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    let mut forms = vec![
        secret.into(),
        encoded.into(),
        hex.to_uppercase().into(),
        hex.into(),
        secret.bytes().flat_map(|byte| [0, byte]).skip(1).collect(),
    ];
    if secret.bytes().all(|byte| byte.is_ascii_digit()) {
        forms.push(secret.bytes().map(|byte| byte - b'0').collect());
    }
    for skip in 0..3 {
        let whole = (secret.len() - skip) / 3 * 3;
        forms.push(base64(&secret.as_bytes()[skip..skip + whole]));
    }
    forms
}

fn base64(bytes: &[u8]) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |group: &[u8]| {
        let bits = group
            .iter()
            .fold(0, |bits, byte| bits << 8 | usize::from(*byte));
        [18, 12, 6, 0].map(|shift| ALPHABET[bits >> shift & 63])
    };
    bytes.chunks_exact(3).flat_map(group).collect()
}

#[test]
fn the_search_finds_what_it_looks_for() {
    assert_eq!(base64(b"Many hands"), b"TWFueSBoYW5k");
    let watch = Watch {
        secrets: vec!["canary-secret".into(), "9725020000".into()],
        errors: Vec::new(),
    };
    for hidden in [
        "x canary-secret y",
        "9\x007\x002\x005\x000\x002\x000\x000\x000\x000\x00",
        "\x009\x007\x002\x005\x000\x002\x000\x000\x000\x000",
        "\x09\x07\x02\x05\0\x02\0\0\0\0",
        "63616e6172792d736563726574",
        "Y2FuYXJ5LXNlY3JldA==",
        "eGNhbmFyeS1zZWNyZXQ=",
    ] {
        let found = std::panic::catch_unwind(|| watch.assert_absent("here", hidden.as_bytes()));
        assert!(found.is_err(), "{hidden}");
    }
}
