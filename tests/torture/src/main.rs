//! `cargo xtask torture`: what has to hold, under conditions that nobody chose.

mod broken;
mod dice;
mod fuzz;
mod merchant;
mod messages;
mod page;
mod programs;
mod rig;
mod server;
mod siege;
mod soak;
mod table;
mod wire;

use programs::Programs;
use rig::Subject;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::OnceLock;
use std::thread;
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use workbench::args::Args;
use workbench::{Result, command, files, repo};

/// What a part is told.
struct Orders {
    /// Where its random choices begin.
    seed: u64,
    /// How often it does what it does.
    runs: u64,
    /// The only one of its runs to make, where they can be made apart.
    run: Option<u64>,
    /// Leaves PostgreSQL out.
    sqlite: bool,
    /// The folder of the npm package that it tries.
    package: PathBuf,
}

/// Ends what a part says of runs that broke what has to hold. Any other error of a part is the harness's own.
const WENT_WRONG: &str = "runs went wrong";
/// A line for each sample of `cargo xtask test`: the words of this program that make it again.
const SEEDS: &str = "tests/torture/seeds.txt";

/// One kind of torture. What it finds it prints; a violation is its error.
struct Part {
    name: &'static str,
    /// Whether one of its runs can be made without the others.
    runs_apart: bool,
    /// `runs` where nobody says otherwise.
    runs: u64,
    run: fn(&Orders) -> Result<()>,
}

#[rustfmt::skip]
const PARTS: [Part; 6] = [
    Part { name: "proxy", runs_apart: true, runs: 50, run: |orders| rig::run(orders, Subject::Tokens) },
    Part { name: "outbox", runs_apart: true, runs: 30, run: |orders| rig::run(orders, Subject::Orders) },
    Part { name: "page", runs_apart: true, runs: 20, run: page::run },
    Part { name: "fuzz", runs_apart: false, runs: 50, run: fuzz::run },
    Part { name: "siege", runs_apart: false, runs: 10, run: siege::run },
    Part { name: "soak", runs_apart: false, runs: 10, run: soak::run },
];

/// A part, and what it is told.
struct Torture {
    part: &'static Part,
    orders: Orders,
}

fn main() -> ExitCode {
    workbench::ended(run(Args::new(std::env::args().skip(1))))
}

fn run(mut args: Args) -> Result<()> {
    if args.flag("--broken") {
        let only = args.value("--only")?;
        args.finish()?;
        return broken::run(only.as_deref());
    }
    if let Some(tier) = args.value("--sample")? {
        args.finish()?;
        return sample(sampled(
            &files::read_text(&repo::root().join(SEEDS))?,
            &tier,
        )?);
    }
    let failed = chosen(args)?
        .iter()
        .filter_map(|one| one.run().err())
        .collect::<Vec<_>>();
    match failed.is_empty() {
        true => Ok(()),
        false => Err(failed.join("\n")),
    }
}

/// Samples side by side, as most of each is waiting: each in a program of its own, whose words are shown at its end.
fn sample(all: Vec<Vec<String>>) -> Result<()> {
    let programs = Programs::find()?;
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let failed = thread::scope(|scope| {
        let started = all.iter().map(|words| {
            let mut command = Command::new(&program);
            programs.tell(&mut command).args(words);
            scope.spawn(move || {
                let (said, result) = command::partial_output(&mut command)?;
                print!("{said}");
                result
            })
        });
        let started: Vec<_> = started.collect();
        let ended = started
            .into_iter()
            .map(|one| matches!(one.join(), Ok(Ok(()))));
        ended.filter(|passed| !passed).count()
    });
    // As Rust's own harness says it, for whoever counts.
    let word = if failed == 0 { "ok" } else { "FAILED" };
    println!(
        "test result: {word}. {} passed; {failed} failed",
        all.len() - failed
    );
    match failed {
        0 => Ok(()),
        _ => Err("what went wrong, and how to make it again, stands above".to_owned()),
    }
}

/// What the options ask for.
fn chosen(mut args: Args) -> Result<Vec<Torture>> {
    let parts = named(args.value("--only")?.as_deref())?;
    let seed = args.number("--seed")?;
    let runs = args.number("--runs")?;
    let run = args.number("--run")?;
    let sqlite = args.flag("--sqlite");
    args.finish()?;
    if runs == Some(0) {
        return Err("--runs 0 shows nothing".to_owned());
    }
    if let (Some(_), Some(part)) = (run, parts.iter().find(|part| !part.runs_apart)) {
        let name = part.name;
        return Err(format!("--run: those of `{name}` cannot be made apart"));
    }
    let torture = |part: &'static Part| Torture {
        part,
        orders: Orders {
            seed: seed.unwrap_or_else(fresh_seed),
            runs: runs.unwrap_or(part.runs),
            run,
            sqlite,
            package: repo::package(),
        },
    };
    Ok(parts.into_iter().map(torture).collect())
}

/// The samples of one tier, `first` or `all`. Their seeds never change by themselves: what is red is red again.
fn sampled(seeds: &str, tier: &str) -> Result<Vec<Vec<String>>> {
    let lines = seeds
        .lines()
        .filter_map(|line| line.strip_prefix(tier)?.strip_prefix(' '));
    let words = lines.map(|line| {
        line.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    });
    let all: Vec<_> = words.collect();
    for words in &all {
        chosen(Args::new(words.iter().cloned()))?;
    }
    match all.is_empty() {
        true => Err(format!("{SEEDS} has no line for `{tier}`")),
        false => Ok(all),
    }
}

impl Torture {
    /// Runs to the end. The error says how to do the same again.
    fn run(&self) -> Result<()> {
        let which = match self.orders.run {
            Some(run) => format!("--run {run}"),
            None => format!("--runs {}", self.orders.runs),
        };
        let (name, seed) = (self.part.name, self.orders.seed);
        let sqlite = if self.orders.sqlite { " --sqlite" } else { "" };
        let again = format!("cargo xtask torture --only {name} --seed {seed} {which}{sqlite}");
        println!("torture: {again}");
        let begun = Instant::now();
        let result = (self.part.run)(&self.orders);
        println!(
            "torture: {name} took {:.0} s",
            begun.elapsed().as_secs_f64()
        );
        result.map_err(|error| {
            format!("{error}\nthe same choices again (threads may differ): {again}")
        })
    }
}

impl Orders {
    /// Compiled once, by the first part that needs them.
    fn programs(&self) -> Result<&'static Programs> {
        static PROGRAMS: OnceLock<Result<Programs>> = OnceLock::new();
        let programs = PROGRAMS.get_or_init(Programs::find);
        programs.as_ref().map_err(Clone::clone)
    }
}

fn named(names: Option<&str>) -> Result<Vec<&'static Part>> {
    let Some(names) = names else {
        return Ok(PARTS.iter().collect());
    };
    let all = || PARTS.map(|part| part.name).join(", ");
    let part = |name: &str| {
        let part = PARTS.iter().find(|part| part.name == name.trim());
        part.ok_or_else(|| format!("there is no part `{name}`; there are {}", all()))
    };
    names.split(',').map(part).collect()
}

/// Short enough to be typed again. Only for whoever looks for something new: what a sample does, `SEEDS` says.
fn fresh_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(1, |now| u64::from(now.subsec_nanos()) % 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_named_and_a_misspelled_one_is_refused() {
        assert_eq!(named(None).unwrap().len(), PARTS.len());
        assert_eq!(named(Some(" proxy")).unwrap()[0].name, "proxy");
        assert!(named(Some("prox")).is_err_and(|error| error.contains("proxy")));
    }

    #[test]
    fn both_samples_have_seeds_of_their_own() {
        let seeds = files::read_text(&repo::root().join(SEEDS)).unwrap();
        for tier in ["first", "all"] {
            let all = sampled(&seeds, tier).unwrap();
            for part in ["proxy", "outbox"] {
                let mut lines = all.iter();
                assert!(
                    lines.any(|words| words[..2] == ["--only", part]),
                    "{tier} {part}"
                );
            }
            assert!(all.iter().all(|words| words.contains(&"--seed".to_owned())));
        }
        assert!(sampled(&seeds, "second").is_err());
    }
}
