//! `cargo xtask test`: every check, and what came of each.

use crate::args::Args;
use crate::engine::{self, Driver, Engine};
use crate::outcome::Outcome;
use crate::step::{self, Need, Step};
use crate::tally::Tally;
use crate::{Result, tool};
use std::time::{Duration, Instant};
use workbench::postgres;

pub fn run(mut args: Args) -> Result<()> {
    let only = args.value("--only")?.map_or_else(
        || Ok(step::ALL.iter().collect()),
        |names| step::parse_list(&names),
    )?;
    let engines = args.value("--engines")?.map_or_else(
        || Ok(Engine::ALL.to_vec()),
        |names| Engine::parse_list(&names),
    )?;
    args.finish()?;
    let started = Instant::now();
    let drivers = prepare(&only, &engines);
    let mut results = Vec::new();
    // All of them, whatever fails: one run tells everything that is wrong.
    for step in only {
        println!("\n=== {}", step.name);
        let begun = Instant::now();
        results.push((step, step.run(&drivers), begun.elapsed()));
    }
    let not_run: Vec<&str> = Engine::ALL
        .iter()
        .filter(|engine| !engines.contains(engine))
        .map(|engine| engine.name())
        .collect();
    summarize(&results, &not_run, started.elapsed())
}

/// All at once and first: what is missing shows within the first minutes, not after the last test.
fn prepare(steps: &[&Step], engines: &[Engine]) -> Vec<Result<Driver>> {
    let needed = |need: Need| steps.iter().any(|step| step.needs.contains(&need));
    if needed(Need::Postgres)
        && let Err(error) = postgres::prepare()
    {
        println!("tools: {error}");
    }
    if !needed(Need::Browsers) {
        return Vec::new();
    }
    if let Err(error) = tool::for_wasm() {
        println!("tools: {error}");
    }
    engine::prepare(engines)
}

fn summarize(
    results: &[(&Step, Outcome, Duration)],
    not_run: &[&str],
    total: Duration,
) -> Result<()> {
    for (_, outcome, _) in results {
        print!("{}", outcome.last_words);
    }
    println!("\n=== summary");
    let mut sum = Tally::default();
    for (step, outcome, time) in results {
        let tally = counted(outcome);
        let verdict = if outcome.failures.is_empty() {
            "passed"
        } else {
            "FAILED"
        };
        let tests = if outcome.tally == Tally::default() {
            String::new()
        } else {
            format!("{} tests passed", tally.passed)
        };
        println!(
            "{:<9}{verdict}{:>8.1} s  {tests}",
            step.name,
            time.as_secs_f64()
        );
        for failure in &outcome.failures {
            println!("         {failure}");
        }
        sum += tally;
    }
    println!("{:<15}{:>8.1} s", "total", total.as_secs_f64());
    if !not_run.is_empty() {
        println!("engines not run, as asked: {}", not_run.join(", "));
    }
    let skipped = if sum.skipped == 0 {
        String::new()
    } else {
        format!(", {} skipped", sum.skipped)
    };
    println!("{} passed, {} failed{skipped}", sum.passed, sum.failed);
    if results
        .iter()
        .all(|(_, outcome, _)| outcome.failures.is_empty())
    {
        Ok(())
    } else {
        Err("not everything passed".to_owned())
    }
}

/// The tests of a step. A step that has none is one check; where none failed, but something did, each of these counts.
fn counted(outcome: &Outcome) -> Tally {
    let mut tally = outcome.tally;
    if outcome.failures.is_empty() && tally.passed == 0 {
        tally.passed = 1;
    }
    if !outcome.failures.is_empty() && tally.failed == 0 {
        tally.failed = outcome.failures.len() as u64;
    }
    tally
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_without_tests_counts_as_one() {
        let mut outcome = Outcome::default();
        assert_eq!(
            counted(&outcome),
            Tally {
                passed: 1,
                failed: 0,
                skipped: 0
            }
        );
        outcome.failures.push("does not compile".into());
        assert_eq!(
            counted(&outcome),
            Tally {
                passed: 0,
                failed: 1,
                skipped: 0
            }
        );
    }

    #[test]
    fn failures_are_counted_as_tests_where_there_are_tests() {
        let tally = Tally {
            passed: 5,
            failed: 2,
            skipped: 0,
        };
        let mut outcome = Outcome::default();
        outcome.tally = tally;
        outcome.note(Err("two of them".into()));
        assert_eq!(counted(&outcome), tally);
    }
}
