//! `cargo xtask bench`: the figures that README and docs/benchmarks.md quote.

mod bare;
mod crates;
mod orders;
mod service;

use crate::args::Args;
use crate::engine::{self, Engine};
use crate::load::Measured;
use crate::service::{NAME, RELAY, optimized};
use crate::{Result, command, demo, files, npm, package, repo, size};
use std::path::{Path, PathBuf};
use std::process::Command;

const PARTS: [&str; 10] = [
    "service", "orders", "sizes", "phone", "keypad", "ready", "connect", "outbox", "faults", "till",
];
/// The benchmarks that one page or one browser compares.
const BROWSER: [&str; 3] = ["phone", "keypad", "ready"];
/// The benchmarks that need no package.
const SERVER: [&str; 2] = ["service", "orders"];
const FEWEST_ROUNDS: usize = 5;
/// Has the folder of the package that ours is measured against.
const AGAINST: &str = "POS_AGAINST_DIR";

pub fn run(mut args: Args) -> Result<()> {
    let rounds = args.number("--rounds")?.unwrap_or(7) as usize;
    let asked = parts(args.value("--only")?)?;
    let against = args.value("--against")?.map(PathBuf::from);
    args.finish()?;
    if rounds < FEWEST_ROUNDS {
        return Err(format!("fewer than {FEWEST_ROUNDS} rounds say nothing"));
    }
    let against = against.map(|given| other_package(&given)).transpose()?;
    let mut failures: Vec<String> = Vec::new();
    if asked.iter().any(|part| !SERVER.contains(&part.as_str())) {
        package::build()?;
        failures.extend(size::report(&repo::package()).err());
    }
    let has = |part: &&str| asked.iter().any(|asked| asked == part);
    let browser: Vec<&str> = BROWSER.into_iter().filter(has).collect();
    if !browser.is_empty() {
        let mut variables = vec![("POS_PARTS", browser.join(",").into())];
        variables.extend(against.clone().map(|folder| (AGAINST, folder)));
        failures.extend(in_chromium("bench.mjs", rounds, &variables).err());
    }
    let others: [(&str, &dyn Fn() -> Result<()>); 7] = [
        ("service", &|| service::report(rounds)),
        ("orders", &|| orders::report(rounds)),
        ("sizes", &crates::report),
        ("connect", &|| connect(rounds, against.clone())),
        ("outbox", &|| in_chromium("outbox.mjs", rounds, &[])),
        ("faults", &|| in_chromium("faults.mjs", rounds, &[])),
        ("till", &|| till(rounds, against.as_deref())),
    ];
    for (_, report) in others.iter().filter(|(part, _)| has(part)) {
        failures.extend(report().err());
    }
    match failures.is_empty() {
        true => Ok(()),
        false => Err(failures.join("\n")),
    }
}

/// The parts that `--only` names, `browser` for three of them: all of them without it.
fn parts(only: Option<String>) -> Result<Vec<String>> {
    let only = only.unwrap_or_else(|| PARTS.join(","));
    let only = only.replace("browser", &BROWSER.join(","));
    let parts: Vec<String> = only.split(',').map(|name| name.trim().to_owned()).collect();
    match parts.iter().find(|name| !PARTS.contains(&name.as_str())) {
        None => Ok(parts),
        Some(name) => Err(format!(
            "there is no part `{name}`; there are browser, {}",
            PARTS.join(", ")
        )),
    }
}

/// The folder of a package that is a folder or a tarball, as npm packs it.
fn other_package(given: &Path) -> Result<PathBuf> {
    let given = given
        .canonicalize()
        .map_err(|error| format!("{}: {error}", given.display()))?;
    if given.is_dir() {
        return Ok(given);
    }
    let folder = repo::made("bench-against");
    files::remove(&folder)?;
    files::create_folder(&folder)?;
    let mut tar = Command::new("tar");
    command::run(tar.arg("-xzf").arg(&given).arg("-C").arg(&folder))?;
    // npm puts everything below this name.
    Ok(folder.join("package"))
}

/// From the merchant's consent to the tokens, through the service and through the relay.
fn connect(rounds: usize, against: Option<PathBuf>) -> Result<()> {
    println!("\nbench: compiling service and relay, optimized");
    let [service, relay] = optimized([NAME, RELAY])?;
    let till = demo::assemble_till()?;
    let mut variables = vec![
        ("POS_SERVICE_BIN", service),
        ("POS_RELAY_BIN", relay),
        ("POS_TILL_DIR", till),
    ];
    variables.extend(against.map(|folder| (AGAINST, folder)));
    in_chromium("connect.mjs", rounds, &variables)
}

/// Five orders in the demo till, beside the same with another package.
fn till(rounds: usize, against: Option<&Path>) -> Result<()> {
    println!("\nbench: compiling the service, optimized");
    let [service] = optimized([NAME])?;
    let mut variables = vec![
        ("POS_SERVICE_BIN", service),
        ("POS_TILL_DIR", demo::assemble_till()?),
    ];
    if let Some(package) = against {
        let till = demo::assemble("bench-till", package)?;
        variables.push(("POS_AGAINST_TILL_DIR", till));
    }
    in_chromium("till.mjs", rounds, &variables)
}

/// A file of `tests/bench`. `bench.mjs`: phone numbers, keypad and start, each beside what it is measured by.
fn in_chromium(file: &str, rounds: usize, variables: &[(&str, PathBuf)]) -> Result<()> {
    let tests = repo::root().join("tests");
    // The browser is started by what the end-to-end tests start it with.
    for folder in ["e2e", "bench"] {
        npm::install(&tests.join(folder))?;
    }
    let mut node = engine::prepare(Engine::Chromium)?.node();
    node.current_dir(tests.join("bench"))
        .arg(file)
        .envs(variables.iter().map(|(name, path)| (name, path)))
        .env("POS_PACKAGE_DIR", repo::package())
        .env("POS_RUNS", rounds.to_string());
    command::run(&mut node)
}

/// Medians of the rounds.
fn rate(rounds: &[Measured]) -> String {
    let of = |what: fn(&Measured) -> f64| median(rounds.iter().map(what).collect());
    format!(
        "{:>8.0}/s   p50 {:>6.0} µs   p99 {:>6.0} µs",
        of(|round| round.per_second),
        of(|round| round.p50.as_secs_f64() * 1e6),
        of(|round| round.p99.as_secs_f64() * 1e6)
    )
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let middle = numbers.len() / 2;
    if numbers.len() % 2 == 1 {
        numbers[middle]
    } else {
        (numbers[middle - 1] + numbers[middle]) / 2.0
    }
}
