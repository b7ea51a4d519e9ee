//! Counting tests by what their runners print.

use std::ops::AddAssign;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub passed: u64,
    pub failed: u64,
    pub skipped: u64,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl Tally {
    /// What Rust's test harness, native or in a browser, and Node's test runner say at the end of each run.
    pub fn read(output: &str) -> Self {
        let mut tally = Self::default();
        for line in output.lines() {
            if let Some(counts) = line.trim().strip_prefix("test result: ") {
                tally.passed += count(counts, "passed");
                tally.failed += count(counts, "failed");
                tally.skipped += count(counts, "ignored");
            } else if let Some((kind, number)) = line
                .strip_prefix("ℹ ")
                .and_then(|line| line.split_once(' '))
            {
                let number = number.trim().parse().unwrap_or(0);
                match kind {
                    "pass" => tally.passed += number,
                    // Cancelled: a parent failed or the time was over. It did not pass.
                    "fail" | "cancelled" => tally.failed += number,
                    "skipped" | "todo" => tally.skipped += number,
                    _ => {}
                }
            }
        }
        tally
    }
}

/// The number before `word`, as in `ok. 3 passed; 0 failed`.
fn count(counts: &str, word: &str) -> u64 {
    let parts = counts.split(['.', ';']);
    let mut numbers = parts.filter_map(|part| part.trim().strip_suffix(word));
    let number = numbers.next().and_then(|number| number.trim().parse().ok());
    number.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_rust_results_of_several_runs() {
        let output = "running 3 tests\n\
                      test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s\n\
                      test result: FAILED. 4 passed; 3 failed; 0 ignored; 0 filtered out; finished in 1.00s\n";
        assert_eq!(
            Tally::read(output),
            Tally {
                passed: 6,
                failed: 3,
                skipped: 1
            }
        );
    }

    #[test]
    fn reads_node_results() {
        let output = "✔ a (1ms)\nℹ tests 5\nℹ suites 0\nℹ pass 2\nℹ fail 1\nℹ cancelled 1\n\
                      ℹ skipped 1\nℹ todo 0\nℹ duration_ms 9.1\n";
        assert_eq!(
            Tally::read(output),
            Tally {
                passed: 2,
                failed: 2,
                skipped: 1
            }
        );
    }
}
