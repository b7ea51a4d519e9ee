//! Whose page merchants see: the operator's name, logo, color and links.

use crate::logo::Logo;
use std::fmt;

/// What the operator can put on the pages that merchants see.
#[derive(Clone, Debug, Default)]
pub struct Brand {
    /// Name for people.
    pub name: Option<String>,
    /// Beside the name.
    pub logo: Option<Logo>,
    /// The color of the main button; links, choices and the focus have one that is derived from it.
    pub color: Option<Color>,
    /// Where merchants find help: an `https:` or `mailto:` address.
    pub support_url: Option<String>,
    /// Where merchants get a new password.
    pub reset_url: Option<String>,
}

impl Brand {
    /// Whether the pages have something of the operator's to show.
    pub(crate) fn is_shown(&self) -> bool {
        self.name.is_some() || self.logo.is_some()
    }
}

/// A color, as `#1b5fc1`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Color(pub(crate) [u8; 3]);

impl Color {
    /// Reads `#rrggbb`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || "a color is # and six hexadecimal digits, as #1b5fc1".to_owned();
        let digits = text.strip_prefix('#').ok_or_else(wrong)?;
        if digits.len() != 6 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(wrong());
        }
        let [_, red, green, blue] = u32::from_str_radix(digits, 16)
            .map_err(|_| wrong())?
            .to_be_bytes();
        Ok(Self([red, green, blue]))
    }

    /// White or black, whichever is easier to read on it: at least 4.5:1 (WCAG 2.2, 1.4.3).
    pub fn text_on_it(self) -> &'static str {
        // Where the contrast with white equals that with black.
        match self.luminance() > 0.179 {
            true => "#000",
            false => "#fff",
        }
    }

    /// How well one is read on the other (WCAG 2.2): 1 to 21.
    pub(crate) fn contrast(self, other: Self) -> f64 {
        let (one, other) = (self.luminance() + 0.05, other.luminance() + 0.05);
        one.max(other) / one.min(other)
    }

    /// A share of the other one in this one.
    pub(crate) fn mixed(self, other: Self, share: f64) -> Self {
        let mix =
            |(one, other): (u8, u8)| f64::from(one) * (1.0 - share) + f64::from(other) * share;
        let [red, green, blue] = self.0;
        let parts = [(red, other.0[0]), (green, other.0[1]), (blue, other.0[2])];
        // Between two bytes, so that it is one.
        Self(parts.map(|pair| mix(pair).round() as u8))
    }

    /// Relative luminance (WCAG 2.2).
    fn luminance(self) -> f64 {
        let [red, green, blue] = self.0.map(|part| {
            let part = f64::from(part) / 255.0;
            match part <= 0.04045 {
                true => part / 12.92,
                false => ((part + 0.055) / 1.055).powf(2.4),
            }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

/// Checks a link that merchants follow.
pub fn link(text: &str) -> Result<String, String> {
    let is_link = text.starts_with("https://") || text.starts_with("mailto:");
    let is_whole = text.len() > "https://".len() && !text.contains(char::is_whitespace);
    match is_link && is_whole {
        true => Ok(text.to_owned()),
        false => Err("a link begins with https:// or mailto:".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_on_any_color_can_be_read() {
        for red in (0..=255).step_by(15) {
            for green in (0..=255).step_by(15) {
                for blue in (0..=255).step_by(15) {
                    let color = Color([red, green, blue]);
                    let text = match color.text_on_it() {
                        "#000" => Color([0; 3]),
                        _ => Color([255; 3]),
                    };
                    let contrast = color.contrast(text);
                    assert!(contrast >= 4.5, "{color}: {contrast}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_color_or_link_is_refused() {
        assert_eq!(Color::parse("#1B5fc1").unwrap().to_string(), "#1b5fc1");
        for wrong in ["", "1b5fc1", "#1b5fc", "#1b5fcg", "red", "#+1b5fc"] {
            assert!(Color::parse(wrong).is_err(), "{wrong}");
        }
        assert!(
            link("https://help.example/reset").is_ok() && link("mailto:help@x.example").is_ok()
        );
        for wrong in [
            "",
            "https://",
            "javascript:alert(1)",
            "http://x.example",
            "https://x y",
        ] {
            assert!(link(wrong).is_err(), "{wrong}");
        }
    }
}
