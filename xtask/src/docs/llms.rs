//! The site for programs that read: each page as it was written, and a list of them (<https://llmstxt.org>).

use crate::{Result, files};
use std::path::Path;

/// Writes `llms.txt`, and each page in Markdown beside the same page in HTML.
pub fn write(docs: &Path, site: &Path) -> Result<()> {
    let summary = files::read_text(&docs.join("SUMMARY.md"))?;
    let mut lines = vec!["# pos-connect".to_owned()];
    for line in summary.lines().skip(1) {
        let Some((title, page)) = entry(line) else {
            lines.push(line.replacen("# ", "## ", 1));
            continue;
        };
        let text = files::read_text(&docs.join(page))?;
        lines.push(format!("- [{title}]({page}): {}", first_sentence(&text)));
        files::write(&site.join(page), text)?;
    }
    files::write(&site.join("llms.txt"), lines.join("\n"))
}

/// What a line of the summary links to.
fn entry(line: &str) -> Option<(&str, &str)> {
    let link = line
        .trim_start()
        .trim_start_matches("- ")
        .strip_prefix('[')?;
    link.strip_suffix(')')?.split_once("](")
}

/// What a page says first, below its headings and beside code.
fn first_sentence(page: &str) -> String {
    let is_text = |paragraph: &&str| paragraph.starts_with(|first: char| first.is_alphabetic());
    let paragraph = page.split("\n\n").find(is_text).unwrap_or_default();
    let paragraph = paragraph.replace('\n', " ");
    match paragraph.split_once(". ") {
        Some((sentence, _)) => [sentence, "."].concat(),
        None => paragraph,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_listed_by_its_title_and_its_first_sentence() {
        assert_eq!(
            entry("  - [The relay](relay.md)"),
            Some(("The relay", "relay.md"))
        );
        assert_eq!(entry("# Your till"), None);
        assert_eq!(
            first_sentence("# Title\n\n```sh\nrun\n```\n\nOne\nline. Two.\n\nThree.\n"),
            "One line."
        );
    }
}
