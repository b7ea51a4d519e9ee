//! How a number of a given length is written: upstream's format and rule, worked out.

use super::metadata::Format;
use super::regex::Regex;
use workbench::Result;

/// `a`–`q`: the next 1–17 digits of the number. `A`–`Q`: as many are left out. Anything else stands for itself.
pub type Layout = String;

/// For the national format, with its rule, or for the international one.
pub fn layout(format: &Format, length: usize, national: bool) -> Result<Layout> {
    let groups = groups(&format.pattern, length)
        .ok_or_else(|| format!("the groups of {} for {length} digits", format.template))?;
    let mut template = format.template.clone();
    if let (true, Some(rule)) = (national, &format.rule) {
        let at = template.find('\\').ok_or("a format without a group")?;
        let first = template[at..at + 2].to_owned();
        template.replace_range(at..at + 2, &rule.replace("\\1", &first));
    }
    let mut layout = String::new();
    let mut done = 0;
    let mut chars = template.chars();
    while let Some(char) = chars.next() {
        if char != '\\' {
            layout.push(char);
            continue;
        }
        let group = chars
            .next()
            .and_then(|char| char.to_digit(10))
            .ok_or("a group without a number")? as usize;
        if group <= done {
            return Err(format!("{}: groups out of order", format.template));
        }
        for (number, size) in groups.iter().enumerate().take(group).skip(done) {
            layout.push(letter(*size, number + 1 == group));
        }
        done = group;
    }
    for size in groups.iter().skip(done) {
        layout.push(letter(*size, false));
    }
    Ok(layout)
}

/// The digits of a number, one after the other.
pub fn plain(length: usize) -> Layout {
    letter(length, true).to_string()
}

fn letter(size: usize, copied: bool) -> char {
    let first = if copied { b'a' } else { b'A' };
    char::from(first + u8::try_from(size - 1).expect("a short group"))
}

/// What each group matches in a number of this length: as much as it can, the first ones first.
fn groups(pattern: &Regex, length: usize) -> Option<Vec<usize>> {
    let parts = match pattern {
        Regex::All(parts) => parts.as_slice(),
        single => std::slice::from_ref(single),
    };
    let mut rest = length;
    let mut sizes = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        if !matches!(part, Regex::Group(_)) {
            return None;
        }
        let least_after: usize = parts[number + 1..]
            .iter()
            .map(|part| part.lengths().0)
            .sum();
        let (least, most) = part.lengths();
        let size = rest.checked_sub(least_after)?.min(most);
        if size < least {
            return None;
        }
        rest -= size;
        sizes.push(size);
    }
    (rest == 0).then_some(sizes)
}

/// The international layout that most numbers have, given the national one: without the national prefix.
pub fn without_prefix(national: &str) -> Layout {
    let mut layout: String = national
        .trim_start_matches(|char: char| !char.is_ascii_alphabetic())
        .to_owned();
    layout.retain(|char| char != ')');
    layout
}
