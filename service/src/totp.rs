//! Codes of an authenticator app: TOTP (RFC 6238), with SHA-1, six digits and 30 seconds, as every app has it.

use crate::clock::Timestamp;
use crate::token::random_bytes;
use hmac::{Hmac, KeyInit, Mac};
use pos_connect_phone::digit;
use pos_connect_protocol::query::{append, encode};
use qrcode::{Color, EcLevel, QrCode};
use sha1::Sha1;
use std::fmt::Write;
use subtle::ConstantTimeEq;

/// Digits of a code.
pub(crate) const DIGITS: usize = 6;
const STEP_MS: i64 = 30_000;
/// The clocks of phones differ: the codes before and after the current one count, too (RFC 6238 §5.2).
const DRIFT: i64 = 1;
/// Light modules around a QR code (ISO/IEC 18004).
const QUIET: usize = 4;

/// What the app and the service share: as many bits as RFC 4226 §4 recommends. No `Debug`.
pub(crate) struct Secret([u8; 20]);

impl Secret {
    pub(crate) fn new() -> Self {
        Self(random_bytes())
    }

    /// `None` for bytes that are no secret.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    pub(crate) const fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The time step whose code this is, if it is later than the last one that counted.
    pub(crate) fn step_of(&self, code: &str, last: i64, now: Timestamp) -> Option<i64> {
        let current = now.0.div_euclid(STEP_MS);
        // Each is looked at: how long it takes must not show which one it was.
        let steps = (current - DRIFT..=current + DRIFT).filter(|step| {
            let is_right: bool = self.code(*step).as_bytes().ct_eq(code.as_bytes()).into();
            is_right && *step > last
        });
        steps.max()
    }

    /// The code of a time step (RFC 4226 §5.3).
    fn code(&self, step: i64) -> String {
        // HMAC takes keys of every length.
        let mut mac = Hmac::<Sha1>::new_from_slice(&self.0).expect("a key of 20 bytes");
        mac.update(&step.to_be_bytes());
        let hash: [u8; 20] = mac.finalize().into_bytes().into();
        let start = usize::from(hash[19] & 15);
        let part = &hash[start..start + 4];
        let number = part.iter().fold(0, |all, byte| all << 8 | u32::from(*byte));
        format!("{:0DIGITS$}", (number & 0x7fff_ffff) % 1_000_000)
    }

    /// The secret as people type it into an app: base32 (RFC 4648) in groups of four.
    pub(crate) fn text(&self) -> String {
        in_groups(&self.base32())
    }

    fn base32(&self) -> String {
        self.0.chunks(5).map(base32).collect()
    }

    /// What an app scans: the side of a QR code in modules, and its dark ones as the path of an SVG.
    pub(crate) fn drawn(&self, issuer: &str, account: &str) -> Option<(usize, String)> {
        let mut uri = String::from("otpauth://totp/");
        encode(&mut uri, issuer);
        uri.push(':');
        encode(&mut uri, account);
        append(&mut uri, "secret", &self.base32());
        append(&mut uri, "issuer", issuer);
        let code = QrCode::with_error_correction_level(uri, EcLevel::L).ok()?;
        let width = code.width();
        let mut path = String::new();
        for (index, color) in code.to_colors().into_iter().enumerate() {
            if color == Color::Dark {
                let (x, y) = (QUIET + index % width, QUIET + index / width);
                write!(path, "M{x} {y}h1v1h-1z").ok()?;
            }
        }
        Some((width + 2 * QUIET, path))
    }
}

/// The digits of what somebody has typed or pasted, in any script.
pub(crate) fn digits(typed: &str) -> String {
    let digits = typed
        .chars()
        .filter_map(|character| digit(character.into()));
    digits.map(|digit| char::from(b'0' + digit)).collect()
}

/// Letters and digits as people read them out: `1234 5678 9012`.
pub(crate) fn in_groups(text: &str) -> String {
    let groups = text.as_bytes().chunks(4).map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join(" ")
}

/// Five bytes as eight characters.
fn base32(bytes: &[u8]) -> String {
    let bits = bytes
        .iter()
        .fold(0, |all, byte| all << 8 | u64::from(*byte));
    let character = |place: u64| match (bits >> (35 - 5 * place) & 31) as u8 {
        letter @ 0..26 => char::from(b'A' + letter),
        digit => char::from(b'2' + digit - 26),
    };
    (0..8).map(character).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The secret of both documents.
    const SECRET: Secret = Secret(*b"12345678901234567890");

    #[test]
    fn codes_are_those_of_rfc_4226_and_rfc_6238() {
        let codes = (0..10).map(|step| SECRET.code(step));
        let expected = [
            "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583",
            "399871", "520489",
        ];
        assert!(codes.eq(expected));
        for (seconds, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            let step = SECRET.step_of(code, 0, Timestamp(seconds * 1000));
            assert_eq!(step, Some(seconds / 30), "{seconds}");
        }
    }

    #[test]
    fn the_codes_beside_the_current_one_count_and_none_that_has_counted() {
        let code = SECRET.code(100);
        let at = |step: i64, last| SECRET.step_of(&code, last, Timestamp(step * STEP_MS));
        assert_eq!(
            [98, 99, 100, 101, 102].map(|step| at(step, 0)),
            [None, Some(100), Some(100), Some(100), None]
        );
        assert_eq!(
            (at(100, 99), at(100, 100), at(100, 101)),
            (Some(100), None, None)
        );
        for wrong in ["", "0", &code[..5], &format!("{code}0")] {
            assert_eq!(SECRET.step_of(wrong, 0, Timestamp(100 * STEP_MS)), None);
        }
    }

    #[test]
    fn a_code_is_read_with_spaces_and_in_any_script() {
        assert_eq!(digits(" 123 456\n"), "123456");
        assert_eq!(digits("١٢٣-٤٥٦"), "123456");
        assert_eq!(digits("none"), "");
    }

    #[test]
    fn a_secret_is_written_as_apps_read_it() {
        assert_eq!(SECRET.text(), "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ");
        assert_eq!(in_groups("123456789012"), "1234 5678 9012");
        assert!(Secret::new().bytes() != Secret::new().bytes());
        let (side, path) = SECRET.drawn("Ünï & Co", "a+b@bakery.example").unwrap();
        assert!(side > 2 * QUIET + 21 && path.starts_with("M4 4h1v1h-1z"));
    }
}
