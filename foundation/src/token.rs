//! Random values that prove something: integration tokens, access and refresh tokens, client secrets, one-time form
//! values, keys of tills, of fleets and of back offices.
//!
//! Each reads `prefix_` + 43 characters (256 random bits) + 6 characters of checksum. The prefix tells secret scanners
//! and people what was found; the checksum keeps mistyped and made-up values away from the database. Only SHA-256 is
//! ever stored.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// 62^43 > 2^256.
const BODY: usize = 43;
/// 62^6 > 2^32.
const CHECKSUM: usize = 6;

/// What a random value is for; no value of one kind passes for another.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// Identifies one integration.
    Integration,
    /// For calls to the service's other APIs.
    Access,
    /// For refreshing access.
    Refresh,
    /// A vendor's `client_secret`.
    ClientSecret,
    /// Lets one page of the connect frame be sent, once.
    Form,
    /// Binds a sign-in with a provider to what it is for, and to its browser.
    Login,
    /// Proves a till to its relay.
    Till,
    /// Proves the vendor's server to its relay, for the tills of a fleet.
    Fleet,
    /// Proves a back office of the operator's to the service.
    Admin,
    /// What a relay encrypts its token sets with.
    Storage,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 10] = [
        Self::Integration,
        Self::Access,
        Self::Refresh,
        Self::ClientSecret,
        Self::Form,
        Self::Login,
        Self::Till,
        Self::Fleet,
        Self::Admin,
        Self::Storage,
    ];

    pub(crate) const fn prefix(self) -> &'static str {
        match self {
            Self::Integration => "pci_",
            Self::Access => "pca_",
            Self::Refresh => "pcr_",
            Self::ClientSecret => "pcs_",
            Self::Form => "pcf_",
            Self::Login => "pcl_",
            Self::Till => "pct_",
            Self::Fleet => "pcb_",
            Self::Admin => "pcm_",
            Self::Storage => "pck_",
        }
    }

    /// A new value of this kind.
    pub fn mint(self) -> String {
        let mut value = String::from(self.prefix());
        push_random(&mut value, BODY);
        let mut sum = crc32(value.as_bytes());
        for _ in 0..CHECKSUM {
            value.push(char::from(ALPHABET[(sum % 62) as usize]));
            sum /= 62;
        }
        value
    }

    /// The hash of a value of this kind, if its form and checksum are right.
    pub fn digest(self, value: &str) -> Option<Hash> {
        if value.len() != self.prefix().len() + BODY + CHECKSUM || !value.is_ascii() {
            return None;
        }
        let (body, checksum) = value.split_at(value.len() - CHECKSUM);
        let mut sum = crc32(body.as_bytes());
        let right = checksum.bytes().all(|character| {
            let expected = ALPHABET[(sum % 62) as usize];
            sum /= 62;
            character == expected
        });
        (right && body.starts_with(self.prefix())).then(|| Hash::of(value))
    }
}

/// Random text without structure, for identifiers that prove nothing and passwords that people copy.
pub fn random_text(length: usize) -> String {
    let mut text = String::with_capacity(length);
    push_random(&mut text, length);
    text
}

/// Random digits, for codes that people type on a keypad.
pub fn random_digits(length: usize) -> String {
    // 250 is the largest multiple of 10 in a byte.
    let digits = std::iter::repeat_with(random_bytes::<64>).flatten();
    let digits = digits.filter(|byte| *byte < 250);
    let digits = digits.map(|byte| char::from(b'0' + byte % 10));
    digits.take(length).collect()
}

/// Random bytes.
pub fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the system has a random source");
    bytes
}

fn push_random(text: &mut String, count: usize) {
    let mut wanted = count;
    while wanted > 0 {
        let bytes = random_bytes::<64>();
        // 248 is the largest multiple of 62 in a byte: what lies above would favor the alphabet's start.
        for byte in bytes.into_iter().filter(|byte| *byte < 248).take(wanted) {
            text.push(char::from(ALPHABET[usize::from(byte % 62)]));
            wanted -= 1;
        }
    }
}

/// CRC-32 (IEEE 802.3), a byte at a time.
fn crc32(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut index = 0;
        while index < 256 {
            let mut sum = index as u32;
            let mut bit = 0;
            while bit < 8 {
                sum = (sum >> 1) ^ (0xEDB8_8320 & (sum & 1).wrapping_neg());
                bit += 1;
            }
            table[index] = sum;
            index += 1;
        }
        table
    };
    !bytes.iter().fold(!0, |sum, byte| {
        TABLE[usize::from(sum as u8 ^ byte)] ^ (sum >> 8)
    })
}

/// SHA-256 of a random value: what is stored in its place.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Hash([u8; 32]);

impl Hash {
    /// Hashes any text.
    pub fn of(text: &str) -> Self {
        Self(Sha256::digest(text).into())
    }

    /// Compares in constant time.
    pub fn matches(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }

    /// The first of its hexadecimal digits: enough to find it again, nothing to guess a value by.
    pub fn label(&self) -> String {
        self.to_hex()[..12].to_owned()
    }

    /// All 64 hexadecimal digits: how another program names what it knows, too.
    pub fn to_hex(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Reads [`Self::to_hex`].
    pub fn from_hex(digits: &str) -> Option<Self> {
        let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if digits.len() != 64 || !digits.bytes().all(is_hex) {
            return None;
        }
        let byte =
            |at: usize| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap_or_default();
        Some(Self(std::array::from_fn(byte)))
    }

    /// A hash that was stored.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl ToSql for Hash {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(&self.0[..]))
    }
}

impl FromSql for Hash {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value
            .as_blob()?
            .try_into()
            .map(Self)
            .map_err(|_| FromSqlError::InvalidType)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_minted_value_is_read_back_as_its_own_kind_only() {
        for kind in Kind::ALL {
            let value = kind.mint();
            assert_eq!(kind.digest(&value), Some(Hash::of(&value)));
            for other in Kind::ALL.into_iter().filter(|other| *other != kind) {
                assert_eq!(other.digest(&value), None);
            }
        }
    }

    #[test]
    fn any_change_of_one_character_is_noticed() {
        let value = Kind::Integration.mint();
        for position in 0..value.len() {
            for replacement in ["0", "z", "_", " ", "é"] {
                let mut changed = value.clone();
                changed.replace_range(position..=position, replacement);
                assert!(changed == value || Kind::Integration.digest(&changed).is_none());
            }
        }
        for changed in [
            format!("{value}0"),
            format!(" {value}"),
            value[..value.len() - 1].into(),
            String::new(),
        ] {
            assert_eq!(Kind::Integration.digest(&changed), None);
        }
    }

    #[test]
    fn values_do_not_repeat_and_use_the_whole_alphabet() {
        let values: HashSet<String> = (0..10_000).map(|_| Kind::Access.mint()).collect();
        assert_eq!(values.len(), 10_000);
        let letters: HashSet<char> = values.iter().flat_map(|value| value[4..].chars()).collect();
        assert_eq!(letters.len(), 62);
    }

    #[test]
    fn digits_do_not_repeat_and_are_all_there() {
        let all: HashSet<String> = (0..1_000).map(|_| random_digits(12)).collect();
        assert_eq!(all.len(), 1_000);
        let digits: HashSet<char> = all.iter().flat_map(|code| code.chars()).collect();
        assert_eq!(digits, ('0'..='9').collect());
        assert!(all.iter().all(|code| code.len() == 12));
    }

    #[test]
    fn the_checksum_is_crc32() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
    }
}
