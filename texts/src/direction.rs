//! Which way a language is written.

use crate::primary;

/// Languages that are written from right to left, unless their tag names a script.
const RTL: [&str; 14] = [
    "ar", "he", "iw", "fa", "ur", "ps", "sd", "ug", "yi", "dv", "ckb", "arc", "syr", "nqo",
];
/// Scripts that are.
const RTL_SCRIPTS: [&str; 7] = ["Arab", "Aran", "Hebr", "Thaa", "Syrc", "Nkoo", "Adlm"];

/// `rtl` or `ltr`, for a language tag (BCP 47).
///
/// ```
/// use pos_connect_texts::direction;
///
/// assert_eq!(direction("fa-IR"), "rtl");
/// assert_eq!(direction("uz-Arab-AF"), "rtl");
/// assert_eq!(direction("ar-Latn"), "ltr");
/// assert_eq!(direction("de"), "ltr");
/// ```
pub fn direction(tag: &str) -> &'static str {
    let primary = primary(tag);
    let mut subtags = tag.split(['-', '_']).skip(1);
    // No other subtag has four letters; a variant of four begins with a digit.
    let script =
        subtags.find(|part| part.len() == 4 && part.bytes().all(|byte| byte.is_ascii_alphabetic()));
    let is_rtl = match script {
        Some(script) => is_in(&RTL_SCRIPTS, script),
        None => is_in(&RTL, primary),
    };
    match is_rtl {
        true => "rtl",
        false => "ltr",
    }
}

fn is_in(list: &[&str], code: &str) -> bool {
    list.iter().any(|known| known.eq_ignore_ascii_case(code))
}
