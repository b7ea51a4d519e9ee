//! What came of a step.

use crate::tally::Tally;
use crate::{Result, command};
use std::ops::AddAssign;
use std::process::Command;

/// How a step ended: the tests it ran, and all that went wrong.
#[derive(Default)]
pub struct Outcome {
    pub tally: Tally,
    pub failures: Vec<String>,
    /// Of a part that runs beside others: stands before each line of output.
    label: Option<&'static str>,
    /// The output of the tests that failed, once more without what ran beside them.
    pub log: String,
    /// What their runners say of them at the end, for the end of the whole run: what comes before may be cut off.
    pub last_words: String,
}

/// Of one runner: enough for an assertion and where it stands.
const LAST_LINES: usize = 60;

impl Outcome {
    /// For a part of a step that runs beside others.
    pub fn labelled(label: &'static str) -> Self {
        Self {
            label: Some(label),
            ..Self::default()
        }
    }

    pub fn note(&mut self, result: Result<()>) {
        self.failures.extend(result.err());
    }

    /// Runs a test runner and counts. One that ran no test has failed: it would otherwise pass for ever, unnoticed.
    pub fn tests(&mut self, what: &str, command: &mut Command) {
        match command::watch(command, self.label) {
            Err(error) => self.failures.push(error),
            Ok((output, result)) => {
                let tally = Tally::read(&output);
                let failure = match result {
                    Ok(()) if tally.passed == 0 => Some("ran no test".to_owned()),
                    Ok(()) => None,
                    Err(_) if tally.failed > 0 => Some(format!("{} failed", tally.failed)),
                    Err(error) => Some(error),
                };
                if let Some(failure) = failure {
                    self.failures.push(format!("{what}: {failure}"));
                    self.last_words += &format!("\n--- {what}\n{}", last_words(&output));
                    if self.label.is_some() {
                        self.log += &format!("\n--- once more, {what} alone\n{output}");
                    }
                }
                self.tally += tally;
            }
        }
    }
}

impl AddAssign for Outcome {
    fn add_assign(&mut self, part: Self) {
        self.tally += part.tally;
        self.failures.extend(part.failures);
        self.log += &part.log;
        self.last_words += &part.last_words;
    }
}

/// The lists of failures with which Node's runner and Rust's harness end; without one, the end of the output.
fn last_words(output: &str) -> String {
    let (mut words, mut left) = (String::new(), 0);
    for line in output.lines() {
        if left == 0 && matches!(line.trim(), "✖ failing tests:" | "failures:") {
            left = LAST_LINES;
        }
        if left > 0 {
            words += &format!("{line}\n");
            left = if line.starts_with("test result:") {
                0
            } else {
                left - 1
            };
        }
    }
    if !words.is_empty() {
        return words;
    }
    let lines: Vec<&str> = output.lines().collect();
    let start = lines.len().saturating_sub(LAST_LINES);
    lines[start..]
        .iter()
        .map(|line| format!("{line}\n"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_words_are_the_list_of_failures_or_else_the_end() {
        let node = "✔ one\n✖ two\nℹ fail 1\n\n✖ failing tests:\n\n✖ two\n  it is 3, not 4\n";
        assert_eq!(
            last_words(node),
            "✖ failing tests:\n\n✖ two\n  it is 3, not 4\n"
        );
        let rust = "failures:\n    one\n\ntest result: FAILED. 1 failed\n";
        let both =
            format!("test one ... FAILED\n\n{rust}\n   Running two\ntest two ... FAILED\n\n{rust}");
        assert_eq!(last_words(&both), [rust, rust].concat());
        let compiler: String = (0..100).map(|line| format!("error {line}\n")).collect();
        assert!(last_words(&compiler).starts_with("error 40\n"));
        assert_eq!(last_words(&compiler).lines().count(), LAST_LINES);
    }
}
