//! `cargo xtask torture`: what has to hold, under conditions that nobody chose.

mod dice;
mod http;
mod kill;
mod proxy;

use crate::Result;
use crate::args::Args;
use crate::outcome::Outcome;
use crate::tally::Tally;
use std::time::{SystemTime, UNIX_EPOCH};

/// What a part is told.
struct Orders {
    /// Where its random choices begin.
    seed: u64,
    /// How often it does what it does.
    runs: u64,
    /// The only one of its runs to make, where they can be made apart.
    run: Option<u64>,
}

/// One kind of torture. What it finds it prints; a violation is its error.
struct Part {
    name: &'static str,
    /// Whether one of its runs can be made without the others.
    runs_apart: bool,
    /// `runs` where nobody says otherwise, and in `cargo xtask test`.
    runs: u64,
    run: fn(&Orders) -> Result<()>,
}

const PARTS: [Part; 2] = [
    Part {
        name: "kill",
        runs_apart: false,
        runs: 20,
        run: kill::run,
    },
    Part {
        name: "proxy",
        runs_apart: true,
        runs: 50,
        run: proxy::run,
    },
];

pub fn run(mut args: Args) -> Result<()> {
    let parts = chosen(args.value("--only")?.as_deref())?;
    let seed = number(&mut args, "--seed")?;
    let runs = number(&mut args, "--runs")?;
    let run = number(&mut args, "--run")?;
    args.finish()?;
    if runs == Some(0) {
        return Err("--runs 0 shows nothing".to_owned());
    }
    let mut failed = Vec::new();
    for part in parts {
        failed.extend(run_one(part, seed, runs, run).err());
    }
    match failed.is_empty() {
        true => Ok(()),
        false => Err(failed.join("\n")),
    }
}

/// The step of `cargo xtask test`: every part, with a seed of its own each time.
pub fn check(outcome: &mut Outcome) -> Result<()> {
    for part in &PARTS {
        let result = run_one(part, None, None, None);
        let passed = u64::from(result.is_ok());
        outcome.tally += Tally {
            passed,
            failed: 1 - passed,
            skipped: 0,
        };
        outcome.note(result);
    }
    Ok(())
}

fn run_one(part: &Part, seed: Option<u64>, runs: Option<u64>, run: Option<u64>) -> Result<()> {
    if run.is_some() && !part.runs_apart {
        return Err(format!(
            "--run: those of `{}` cannot be made apart",
            part.name
        ));
    }
    let orders = Orders {
        seed: seed.unwrap_or_else(fresh_seed),
        runs: runs.unwrap_or(part.runs),
        run,
    };
    let which = match run {
        Some(run) => format!("--run {run}"),
        None => format!("--runs {}", orders.runs),
    };
    let again = format!(
        "cargo xtask torture --only {} --seed {} {which}",
        part.name, orders.seed
    );
    println!("torture: {again}");
    (part.run)(&orders)
        .map_err(|error| format!("{error}\nthe same choices again (threads may differ): {again}"))
}

fn chosen(names: Option<&str>) -> Result<Vec<&'static Part>> {
    let Some(names) = names else {
        return Ok(PARTS.iter().collect());
    };
    let all = || PARTS.map(|part| part.name).join(", ");
    names
        .split(',')
        .map(|name| {
            PARTS
                .iter()
                .find(|part| part.name == name.trim())
                .ok_or_else(|| format!("there is no part `{name}`; there are {}", all()))
        })
        .collect()
}

fn number(args: &mut Args, name: &str) -> Result<Option<u64>> {
    let text = args.value(name)?;
    text.map(|text| {
        text.parse()
            .map_err(|_| format!("{name} {text}: not a number"))
    })
    .transpose()
}

/// Short enough to be typed again.
fn fresh_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(1, |now| u64::from(now.subsec_nanos()) % 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_named_and_a_misspelled_one_is_refused() {
        assert_eq!(chosen(None).unwrap().len(), PARTS.len());
        assert_eq!(chosen(Some(" kill")).unwrap()[0].name, "kill");
        assert!(chosen(Some("kil")).is_err_and(|error| error.contains("kill")));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        let mut args = Args::new(["--seed", "x", "--runs=7"].map(String::from).into_iter());
        assert!(number(&mut args, "--seed").is_err());
        assert_eq!(number(&mut args, "--runs"), Ok(Some(7)));
        assert_eq!(number(&mut args, "--runs"), Ok(None));
    }
}
