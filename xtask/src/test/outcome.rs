//! What came of a job.

use super::tally::Tally;
use crate::{Result, command, files};
use std::borrow::BorrowMut;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How a job ended: the tests it ran, and all that went wrong.
#[derive(Default)]
pub struct Outcome {
    pub tally: Tally,
    pub failures: Vec<String>,
    /// How often a browser's page crashed, so that its runner ran once more.
    pub crashes: u64,
    /// What the runners of those that failed say of them at the end.
    pub last_words: String,
}

/// What WebKit's and Chromium's drivers say where the process of a page has ended.
const CRASH: &str = "session deleted because of page crash";

/// The last lines of one runner: enough for an assertion and where it stands.
const LAST_LINES: usize = 60;

impl Outcome {
    pub fn note(&mut self, result: Result<()>) {
        self.failures.extend(result.err());
    }

    /// Runs test runners one after the other and counts. If all of them together ran no test, that has failed: it
    /// would otherwise pass for ever, unnoticed. After a crash of a page, which says nothing about what is tested, the
    /// runner runs once more.
    pub fn tests<Runner: BorrowMut<Command>>(
        &mut self,
        what: &str,
        runners: impl IntoIterator<Item = Runner>,
    ) -> Result<()> {
        for mut runner in runners {
            let (mut output, mut result) = tidily(runner.borrow_mut())?;
            if result.is_err() && output.contains(CRASH) {
                self.crashes += 1;
                (output, result) = tidily(runner.borrow_mut())?;
            }
            let tally = Tally::read(&output);
            let failure = match result {
                Ok(()) => None,
                Err(_) if tally.failed > 0 => Some(format!("{} failed", tally.failed)),
                Err(error) => Some(error),
            };
            if let Some(failure) = failure {
                self.failures.push(failure);
                self.last_words += &last_words(&output);
            }
            self.tally += tally;
        }
        match self.tally.passed + self.tally.failed {
            0 => Err(format!("{what} ran no test")),
            _ => Ok(()),
        }
    }

    /// The tests of a job. One that has none is one check; where none failed, but something did, each of these counts.
    pub fn counted(&self) -> Tally {
        let mut tally = self.tally;
        if self.failures.is_empty() && tally.passed == 0 {
            tally.passed = 1;
        }
        if !self.failures.is_empty() && tally.failed == 0 {
            tally.failed = self.failures.len() as u64;
        }
        tally
    }
}

/// Runs it with a temporary folder of its own, and removes that: a browser leaves 12 MB at each start.
fn tidily(runner: &mut Command) -> Result<(String, Result<()>)> {
    static STARTED: AtomicUsize = AtomicUsize::new(0);
    let number = STARTED.fetch_add(1, Ordering::Relaxed);
    let name = format!("pos-connect-test-{}-{number}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    files::create_folder(&folder)?;
    let watched = command::watch(runner.env("TMPDIR", &folder));
    // What a helper of the browser writes at this moment stays, and is no failure of a test.
    let _ = files::remove(&folder);
    watched
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
            left = match line.starts_with("test result:") {
                true => 0,
                false => left - 1,
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
    fn after_a_crash_a_runner_runs_once_more() {
        let folder = std::env::temp_dir().join(format!("pos-connect-crash-{}", std::process::id()));
        let crash = format!("echo '{CRASH} or hang.'; echo 'ℹ fail 3'; exit 1");
        let ended = |then: &str| {
            // Else whoever runs this test would count what its runners print.
            command::log_into(&folder.join("log")).unwrap();
            let script = format!(
                "if mkdir {}/once; then {crash}; fi; {then}",
                folder.display()
            );
            let mut runner = Command::new("sh");
            let mut outcome = Outcome::default();
            let result = outcome.tests("some", [runner.args(["-c", &script])]);
            result.unwrap();
            files::remove(&folder).unwrap();
            (outcome.crashes, outcome.tally.passed, outcome.tally.failed)
        };
        assert_eq!(ended("echo 'ℹ pass 3'"), (1, 3, 0));
        assert_eq!(ended(&crash), (1, 0, 3));
        assert_eq!(ended("echo 'ℹ fail 2'; exit 1"), (1, 0, 2));
    }

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
