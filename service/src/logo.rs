//! Logos: of the operator, of a vendor, of an account.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};

/// Longest file, in bytes: pages carry it.
const LONGEST: u64 = 32 * 1024;
/// What every PNG file begins with.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// A PNG or SVG picture, as the `data:` URI that pages carry. So it has no path that somebody could guess or open, and
/// a receipt that is saved keeps it. In an `<img>`, an SVG runs no script and loads nothing.
#[derive(Clone)]
pub struct Logo(String);

impl fmt::Debug for Logo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Logo of {} characters", self.0.len())
    }
}

impl Logo {
    /// Reads a file.
    pub fn read(path: &str) -> Result<Self, String> {
        let read = || -> io::Result<Vec<u8>> {
            let mut bytes = Vec::new();
            File::open(path)?
                .take(LONGEST + 1)
                .read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        Self::of(&read().map_err(|error| error.to_string())?)
    }

    /// Takes the bytes of a file; the error says what is wrong with them.
    pub fn of(bytes: &[u8]) -> Result<Self, String> {
        let is_svg = || std::str::from_utf8(bytes).is_ok_and(|text| text.contains("<svg"));
        let media = match bytes {
            _ if bytes.len() as u64 > LONGEST => {
                return Err("the file is longer than 32 KiB".into());
            }
            _ if bytes.starts_with(PNG) => "image/png",
            _ if is_svg() => "image/svg+xml",
            _ => return Err("the file is neither PNG nor SVG".into()),
        };
        let base64 = BASE64_STANDARD.encode(bytes);
        Ok(Self(format!("data:{media};base64,{base64}")))
    }

    /// What a command says of a logo that it has set or taken away.
    pub(crate) const fn state(logo: Option<&Self>) -> &'static str {
        match logo {
            Some(_) => "has the logo",
            None => "has no logo",
        }
    }

    /// The `data:` URI.
    pub fn uri(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_is_its_bytes_say() {
        let png = [PNG, b"..."].concat();
        assert!(
            Logo::of(&png)
                .unwrap()
                .uri()
                .starts_with("data:image/png;base64,iVBOR")
        );
        let svg = b"\xef\xbb\xbf<?xml version='1.0'?><svg/>";
        assert!(
            Logo::of(svg)
                .unwrap()
                .uri()
                .starts_with("data:image/svg+xml;base64,")
        );
        let long = vec![b' '; 32 * 1024 + 1];
        for (wrong, why) in [
            (&b"GIF89a"[..], "neither"),
            (b"", "neither"),
            (b"\xff\xd8<svg", "neither"),
            (&long, "longer than 32 KiB"),
        ] {
            let error = Logo::of(wrong).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
        assert!(Logo::read("/nowhere/logo.png").is_err());
    }
}
