//! Words by number. As one text they need no address and length each, which no compression helps.

/// The line with that number; empty if there is none.
pub fn line(text: &str, number: usize) -> &str {
    let mut rest = text;
    for _ in 0..number {
        rest = split(rest, b'\n').1;
    }
    split(rest, b'\n').0
}

/// What stands before the first such character, or all, and what follows it. Not `str::split_once`: its search is half a kilobyte.
pub fn split(text: &str, at: u8) -> (&str, &str) {
    let end = text.as_bytes().iter().position(|byte| *byte == at);
    let (line, rest) = text.split_at(end.unwrap_or(text.len()));
    (line, rest.get(1..).unwrap_or_default())
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::line;

    #[test]
    fn lines_are_counted_from_zero() {
        let text = "a\nbé\n\nc";
        let lines: Vec<_> = (0..6).map(|number| line(text, number)).collect();
        assert_eq!(lines, ["a", "bé", "", "c", "", ""]);
    }
}
