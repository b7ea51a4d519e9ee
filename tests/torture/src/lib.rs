//! `cargo xtask torture`: what has to hold, under conditions that nobody chose.

mod browser;
mod counts;
mod desk;
mod dice;
mod events;
mod fuzz;
mod http;
mod kill;
mod merchant;
mod outbox;
mod page;
mod programs;
mod proxy;
mod server;
mod soak;
mod trouble;
mod wire;

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use workbench::args::Args;
use workbench::{Result, repo};

/// What a part is told.
struct Orders {
    /// Where its random choices begin.
    seed: u64,
    /// How often it does what it does.
    runs: u64,
    /// The only one of its runs to make, where they can be made apart.
    run: Option<u64>,
    /// The folder of the npm package that it tries.
    package: PathBuf,
}

/// Ends what a part says of runs that broke what has to hold. Any other error of a part is the harness's own.
const WENT_WRONG: &str = "runs went wrong";

/// One kind of torture. What it finds it prints; a violation is its error.
struct Part {
    name: &'static str,
    /// Whether one of its runs can be made without the others.
    runs_apart: bool,
    /// Whether it needs the npm package, as it is published.
    needs_package: bool,
    /// `runs` where nobody says otherwise, and in `cargo xtask test`.
    runs: u64,
    /// Whether `cargo xtask test` makes it here. The storm's sample is one of the tests in `tests/hostile`;
    /// the fuzzer comes from PyPI, which a test must not need; a short soak shows nothing.
    is_tested_here: bool,
    run: fn(&Orders) -> Result<()>,
}

const PARTS: [Part; 6] = [
    Part {
        name: "kill",
        runs_apart: false,
        needs_package: false,
        runs: 20,
        is_tested_here: true,
        run: kill::run,
    },
    Part {
        name: "proxy",
        runs_apart: true,
        needs_package: true,
        runs: 50,
        is_tested_here: true,
        run: proxy::run,
    },
    Part {
        name: "outbox",
        runs_apart: true,
        needs_package: true,
        runs: 30,
        is_tested_here: true,
        run: outbox::run,
    },
    Part {
        name: "page",
        runs_apart: true,
        needs_package: true,
        runs: 20,
        is_tested_here: false,
        run: page::run,
    },
    Part {
        name: "fuzz",
        runs_apart: false,
        needs_package: false,
        runs: 50,
        is_tested_here: false,
        run: fuzz::run,
    },
    Part {
        name: "soak",
        runs_apart: false,
        needs_package: false,
        runs: 10,
        is_tested_here: false,
        run: soak::run,
    },
];

/// A part, and what it is told.
pub struct Torture {
    part: &'static Part,
    orders: Orders,
}

/// What `cargo xtask test` makes, with a seed of its own each time.
pub fn sample() -> Vec<Torture> {
    let parts = PARTS.iter().filter(|part| part.is_tested_here);
    parts
        .map(|part| Torture::new(part, None, None, None))
        .collect()
}

/// Whether a part sees that a package is broken, and what it says of it. Fails where the part itself fails.
pub fn sees_broken(part: &str, package: &Path, runs: u64, seed: u64) -> Result<Option<String>> {
    let part = named(Some(part))?;
    let orders = Orders {
        seed,
        runs,
        run: None,
        package: package.to_owned(),
    };
    for part in part {
        match (part.run)(&orders) {
            Err(said) if said.contains(WENT_WRONG) => return Ok(Some(said)),
            other => other?,
        }
    }
    Ok(None)
}

/// What the command's options ask for.
pub fn chosen(mut args: Args) -> Result<Vec<Torture>> {
    let parts = named(args.value("--only")?.as_deref())?;
    let seed = number(&mut args, "--seed")?;
    let runs = number(&mut args, "--runs")?;
    let run = number(&mut args, "--run")?;
    args.finish()?;
    if runs == Some(0) {
        return Err("--runs 0 shows nothing".to_owned());
    }
    if let (Some(_), Some(part)) = (run, parts.iter().find(|part| !part.runs_apart)) {
        let name = part.name;
        return Err(format!("--run: those of `{name}` cannot be made apart"));
    }
    let part = |part| Torture::new(part, seed, runs, run);
    Ok(parts.into_iter().map(part).collect())
}

impl Torture {
    fn new(part: &'static Part, seed: Option<u64>, runs: Option<u64>, run: Option<u64>) -> Self {
        let orders = Orders {
            seed: seed.unwrap_or_else(fresh_seed),
            runs: runs.unwrap_or(part.runs),
            run,
            package: repo::package(),
        };
        Self { part, orders }
    }

    /// Whether the npm package has to be there before it runs.
    pub fn needs_package(&self) -> bool {
        self.part.needs_package
    }

    /// Runs to the end. The error says how to do the same again.
    pub fn run(&self) -> Result<()> {
        let which = match self.orders.run {
            Some(run) => format!("--run {run}"),
            None => format!("--runs {}", self.orders.runs),
        };
        let (name, seed) = (self.part.name, self.orders.seed);
        let again = format!("cargo xtask torture --only {name} --seed {seed} {which}");
        println!("torture: {again}");
        (self.part.run)(&self.orders).map_err(|error| {
            format!("{error}\nthe same choices again (threads may differ): {again}")
        })
    }
}

fn named(names: Option<&str>) -> Result<Vec<&'static Part>> {
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

fn number(args: &mut Args, name: &'static str) -> Result<Option<u64>> {
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
        assert_eq!(named(None).unwrap().len(), PARTS.len());
        assert_eq!(named(Some(" kill")).unwrap()[0].name, "kill");
        assert!(named(Some("kil")).is_err_and(|error| error.contains("kill")));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        let mut args = Args::new(["--seed", "x", "--runs=7"].map(String::from).into_iter());
        assert!(number(&mut args, "--seed").is_err());
        assert_eq!(number(&mut args, "--runs"), Ok(Some(7)));
        assert_eq!(number(&mut args, "--runs"), Ok(None));
    }
}
