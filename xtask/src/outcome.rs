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
}

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
    }
}
