//! Words by number. As one text they need no address and length each, which no compression helps.

/// The line with that number; empty if there is none.
pub fn line(text: &str, number: usize) -> &str {
    let mut rest = text;
    for _ in 0..number {
        rest = split(rest).1;
    }
    split(rest).0
}

/// The first line, and what follows it. Not `str::lines`: its search is half a kilobyte.
fn split(text: &str) -> (&str, &str) {
    let end = text.bytes().position(|byte| byte == b'\n');
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
