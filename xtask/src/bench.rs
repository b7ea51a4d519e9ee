//! `cargo xtask bench`: the figures that README and docs/benchmarks.md quote.

mod crates;
mod glue;
mod module;
mod orders;
mod origin;

use crate::args::Args;
use crate::engine::{self, Engine};
use crate::load::{Measured, Request, Server};
use crate::service::{self, Demo, Hello};
use crate::{Result, command, demo, files, npm, package, repo, share, size};
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const PARTS: [&str; 8] = [
    "service", "orders", "sizes", "phone", "keypad", "ready", "connect", "outbox",
];
/// Those that one page or one browser compares.
const BROWSER: [&str; 3] = ["phone", "keypad", "ready"];
const FEWEST_ROUNDS: usize = 5;
const INTEGRATIONS: usize = 4_000;
/// How often each integration is asked about in a round, so that a round lasts long enough to measure.
const REPEATS: usize = 20;

pub fn run(mut args: Args) -> Result<()> {
    let rounds = match args.value("--rounds")? {
        None => 7,
        Some(text) => text
            .parse()
            .map_err(|_| format!("--rounds takes a number, not `{text}`"))?,
    };
    let parts = parts(args.value("--only")?)?;
    let against = args.value("--against")?.map(PathBuf::from);
    args.finish()?;
    if rounds < FEWEST_ROUNDS {
        return Err(format!("fewer than {FEWEST_ROUNDS} rounds say nothing"));
    }
    let against = against.map(|given| other_package(&given)).transpose()?;
    package::build()?;
    let mut failures: Vec<String> = size::report(&repo::package()).err().into_iter().collect();
    let has = |part: &str| parts.iter().any(|asked| asked == part);
    if has("service") {
        status_call(rounds)?;
    }
    if has("orders") {
        failures.extend(orders::report(rounds).err());
    }
    if has("sizes") {
        let shipped = share::report()?;
        crates::report(&shipped)?;
    }
    let browser: Vec<&str> = BROWSER.into_iter().filter(|part| has(part)).collect();
    if !browser.is_empty() {
        let mut variables = vec![("POS_PARTS", browser.join(",").into())];
        variables.extend(against.map(|folder| ("POS_AGAINST_DIR", folder)));
        failures.extend(in_chromium("bench.mjs", rounds, &variables).err());
    }
    if has("connect") {
        failures.extend(connect(rounds).err());
    }
    if has("outbox") {
        failures.extend(in_chromium("outbox.mjs", rounds, &[]).err());
    }
    if failures.is_empty() {
        Ok(())
    } else {
        Err(failures.join("\n"))
    }
}

/// The parts that `--only` names: all of them without it.
fn parts(only: Option<String>) -> Result<Vec<String>> {
    let mut parts = Vec::new();
    for name in only
        .as_deref()
        .unwrap_or("service,orders,sizes,browser,connect,outbox")
        .split(',')
        .map(str::trim)
    {
        if name == "browser" {
            parts.extend(BROWSER.map(String::from));
        } else if PARTS.contains(&name) {
            parts.push(name.to_owned());
        } else {
            return Err(format!(
                "there is no part `{name}`; there are browser, {}",
                PARTS.join(", ")
            ));
        }
    }
    Ok(parts)
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
    command::run(
        Command::new("tar")
            .arg("-xzf")
            .arg(&given)
            .arg("-C")
            .arg(&folder),
    )?;
    // npm puts everything below this name.
    Ok(folder.join("package"))
}

/// From the merchant's consent to the tokens, through the service and through the relay.
fn connect(rounds: usize) -> Result<()> {
    println!("\nbench: compiling service and relay, optimized");
    let program = |name| service::build_program(name, &["--release"]);
    let (service, relay) = (program(service::NAME)?, program(service::RELAY)?);
    let till = demo::assemble_till()?;
    let variables = [
        ("POS_SERVICE_BIN", service),
        ("POS_RELAY_BIN", relay),
        ("POS_TILL_DIR", till),
    ];
    in_chromium("connect.mjs", rounds, &variables)
}

/// A file of `tests/bench`. `bench.mjs`: phone numbers, keypad and start, each beside what it is measured by.
fn in_chromium(file: &str, rounds: usize, variables: &[(&str, PathBuf)]) -> Result<()> {
    let tests = repo::root().join("tests");
    // The browser is started by what the end-to-end tests start it with.
    for folder in ["e2e", "bench"] {
        npm::install(&tests.join(folder))?;
    }
    for driver in engine::prepare(&[Engine::Chromium]) {
        let driver = driver?;
        let mut node = driver.node();
        node.current_dir(tests.join("bench"))
            .arg(file)
            .envs(variables.iter().map(|(name, path)| (name, path)))
            .env("POS_PACKAGE_DIR", repo::package())
            .env("POS_RUNS", rounds.to_string());
        command::run(&mut node)?;
    }
    Ok(())
}

/// The service's status call against a bare handler, both asked in turn by the same generator on the same machine.
fn status_call(rounds: usize) -> Result<()> {
    println!("\nbench: compiling the service and the bare handler, optimized");
    let programs = service::build(&["--release", "--example", "bare"])?;
    let [service, bare] = programs.as_slice() else {
        return Err("cargo built no service or no bare handler".to_owned());
    };
    let demo = start(service)?;
    let bare = Bare::start(bare)?;
    let service = Server::new(&demo.hello.base_url)?;
    let requests = vec![create(&service, &demo.hello)?; REPEATS].concat();
    let ask = |server: &Server| server.send(&requests);
    // Once unmeasured: connections, caches, the processor's clock.
    for server in [&bare.server, &service] {
        ask(server)?;
    }
    let mut pairs = Vec::new();
    for round in 0..rounds {
        // Each goes first in every other round, so that a machine that slows down or speeds up favors neither.
        let pair = if round % 2 == 0 {
            let first = ask(&bare.server)?;
            (first, ask(&service)?)
        } else {
            let first = ask(&service)?;
            (ask(&bare.server)?, first)
        };
        println!(
            "round {:>2}: bare {:>8.0}/s   service {:>8.0}/s",
            round + 1,
            pair.0.per_second,
            pair.1.per_second
        );
        pairs.push(pair);
    }
    report(&pairs);
    Ok(())
}

/// The service with a new database, its log in a file as an operator would have it.
fn start(program: &Path) -> Result<Demo> {
    let folder = repo::made("bench");
    files::remove(&folder)?;
    files::create_folder(&folder)?;
    let database = format!("sqlite://{}", folder.join("pos-connect.db").display());
    // Without an interval, or asking about the same integration again would be refused.
    let options = [
        "--listen",
        "127.0.0.1:0",
        "--till-listen",
        "127.0.0.1:0",
        "--interval-seconds",
        "0",
        "--creates-per-second",
        "100000",
        "--database",
        &database,
    ];
    let log = File::create(folder.join("service.log")).map_err(|error| error.to_string())?;
    Demo::start(program, &options.map(AsRef::as_ref), log.into(), None)
}

/// Creates the integrations and gives the status call of each.
fn create(service: &Server, hello: &Hello) -> Result<Vec<Request>> {
    let vendor = format!(
        "client_id={}&client_secret={}",
        hello.client_id, hello.client_secret
    );
    let target = format!("/v1/auth/integration?{vendor}");
    let created = service.send(&vec![Request::plain("POST", &target); INTEGRATIONS])?;
    println!(
        "created {INTEGRATIONS} integrations at {:.0}/s",
        created.per_second
    );
    let token = |body: &String| {
        Some(
            serde_json::from_str::<Value>(body).ok()?["integrationToken"]
                .as_str()?
                .to_owned(),
        )
    };
    let tokens: Option<Vec<String>> = created.bodies.iter().map(token).collect();
    let tokens = tokens.ok_or("the service answered a create call without an integration token")?;
    Ok(tokens
        .iter()
        .map(|token| Request::plain("GET", &format!("{target}&integration_token={token}")))
        .collect())
}

fn report(pairs: &[(Measured, Measured)]) {
    let ratios: Vec<f64> = pairs
        .iter()
        .map(|(bare, service)| service.per_second / bare.per_second)
        .collect();
    let (lowest, highest) = ratios
        .iter()
        .fold((f64::MAX, 0.0_f64), |(low, high), &ratio| {
            (low.min(ratio), high.max(ratio))
        });
    println!(
        "\nstatus call, medians of {} rounds of {} requests",
        pairs.len(),
        INTEGRATIONS * REPEATS
    );
    row("bare handler", pairs.iter().map(|pair| &pair.0));
    row("service, SQLite file", pairs.iter().map(|pair| &pair.1));
    println!(
        "ratio {:.2} ({lowest:.2} to {highest:.2}); the bar is 0.50",
        median(ratios)
    );
    println!("the load generator runs on the same machine and takes its share of it in both");
}

fn row<'a>(name: &str, rounds: impl Iterator<Item = &'a Measured> + Clone) {
    let per_second = median(rounds.clone().map(|round| round.per_second).collect());
    let of = |quantile: fn(&Measured) -> Duration| {
        median(
            rounds
                .clone()
                .map(|round| quantile(round).as_secs_f64() * 1e6)
                .collect(),
        )
    };
    println!(
        "  {name:<22}{per_second:>8.0}/s   p50 {:>6.0} µs   p99 {:>6.0} µs",
        of(|round| round.p50),
        of(|round| round.p99)
    );
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

/// `service/examples/bare.rs`, running until dropped.
struct Bare {
    child: Child,
    server: Server,
}

impl Bare {
    fn start(program: &Path) -> Result<Self> {
        let mut child = command::spawn(Command::new(program).stdout(Stdio::piped()))?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout)
                .read_line(&mut line)
                .map_err(|error| error.to_string())?;
        }
        match Server::new(line.trim()) {
            Ok(server) => Ok(Self { child, server }),
            Err(error) => {
                child.kill().ok();
                Err(error)
            }
        }
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_parts_or_the_browser_with_all_of_its_parts() {
        let named = |only: &str| parts(Some(only.to_owned()));
        assert_eq!(
            named("browser, sizes").unwrap(),
            ["phone", "keypad", "ready", "sizes"]
        );
        assert_eq!(parts(None).unwrap().len(), PARTS.len());
        assert!(named("sizes,brwser").is_err());
    }

    #[test]
    fn the_median_is_the_one_in_the_middle() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
    }
}
