//! The SDK in a real browser, in tabs that die, behind a proxy that fails.

mod browser;
mod desk;
mod fault;
mod gate;
mod orders;
mod plan;
mod run;
mod stage;
mod tokens;
mod verdict;

use crate::server::{Server, listener};
use crate::table::{self, Counts};
use crate::{Orders, WENT_WRONG};
use browser::Browser;
use desk::{Desk, Ended};
use fault::{KINDS, ONLY_OF_ORDERS, ONLY_OF_TOKENS};
use plan::{Plan, TRIES};
use stage::Stage;
use std::collections::BTreeMap;
use std::time::Instant;
use verdict::{LOST, TWICE, WRONG};
use workbench::{Result, files, repo};

/// What the tabs do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Pick tokens up: `proxy`.
    Tokens,
    /// Send orders: `outbox`.
    Orders,
}

/// Red runs that are told in full, and lines of each.
const SHOWN: usize = 5;
const LINES: usize = 80;

impl Subject {
    fn name(self) -> &'static str {
        match self {
            Self::Tokens => "proxy",
            Self::Orders => "outbox",
        }
    }

    fn kinds(self) -> Vec<&'static str> {
        let more = match self {
            Self::Tokens => ONLY_OF_TOKENS..KINDS.len(),
            Self::Orders => ONLY_OF_ORDERS..ONLY_OF_TOKENS,
        };
        [&KINDS[..ONLY_OF_ORDERS], &KINDS[more]].concat()
    }

    /// So many that every kind has its turn; fewer are a repetition.
    fn complete(self) -> u64 {
        match self {
            Self::Tokens => 50,
            Self::Orders => 30,
        }
    }

    /// What is counted, and without which a sample shows nothing.
    fn rows(self) -> (&'static [&'static str], &'static [&'static str]) {
        match self {
            Self::Tokens => (&tokens::ROWS, &tokens::NEEDED),
            Self::Orders => (&orders::ROWS, &orders::NEEDED),
        }
    }
}

pub fn run(orders: &Orders, subject: Subject) -> Result<()> {
    let folder = repo::made("torture").join(subject.name());
    files::remove(&folder)?;
    files::create_folder(&folder)?;
    let page = listener()?;
    let address = page.local_addr().map_err(|error| error.to_string())?;
    let origin = format!("http://{address}");
    let programs = orders.programs()?;
    let (stage, _gate) = Stage::start(programs, &folder, &origin, subject, orders.seed)?;
    let desk = Desk::new(stage.clone(), &orders.package);
    let _page = Server::on(page, desk.clone())?;
    let begun = Instant::now();
    let outcome = Browser::open(&folder, &origin).and_then(|mut browser| {
        let ended = make(&desk, &mut browser, orders)?;
        println!(
            "{} runs in {:.0} s",
            ended.len(),
            begun.elapsed().as_secs_f64()
        );
        let messages = match subject {
            Subject::Tokens => Vec::new(),
            Subject::Orders => {
                orders::faults_of_messages(&stage, ended.iter().map(|(run, _)| run))?
            }
        };
        report(orders, subject, &ended, messages)
    });
    stage.stop();
    outcome
}

/// Makes the runs; then, a few times, one for each kind of fault that has not come up.
fn make(desk: &Desk, browser: &mut Browser, orders: &Orders) -> Result<Vec<Ended>> {
    if let Some(run) = orders.run {
        return desk.make(vec![run], browser);
    }
    let mut ended = desk.make((0..orders.runs).collect(), browser)?;
    for attempt in 0..TRIES {
        let missing = missing(orders, desk.stage.subject, &done(&ended)?);
        if missing.is_empty() {
            break;
        }
        println!(
            "once more, because they did not come up: {}",
            missing.join("; ")
        );
        ended.extend(desk.make(Plan::again(&missing, attempt), browser)?);
    }
    Ok(ended)
}

/// The kinds that have not come up, where all of them have to.
fn missing(orders: &Orders, subject: Subject, done: &Counts) -> Vec<&'static str> {
    match orders.run.is_none() && orders.runs >= subject.complete() {
        true => subject
            .kinds()
            .into_iter()
            .filter(|kind| !done.contains_key(kind))
            .collect(),
        false => Vec::new(),
    }
}

/// How often each kind of fault was done.
fn done(ended: &[Ended]) -> Result<Counts> {
    let mut counts = Counts::new();
    for (run, verdict) in ended {
        let seen = run.seen();
        let names = seen
            .done
            .iter()
            .copied()
            .chain(verdict.done.iter().map(|name| &**name));
        for name in names {
            let known = KINDS.iter().find(|known| **known == name);
            let known = known
                .ok_or_else(|| format!("the page did `{name}`, which is nothing it was told"))?;
            *counts.entry(known).or_default() += 1;
        }
    }
    Ok(counts)
}

/// Prints what came of the runs. The error is what makes all of it a failure.
fn report(orders: &Orders, subject: Subject, ended: &[Ended], messages: Vec<String>) -> Result<()> {
    let mut columns: BTreeMap<&str, Counts> = BTreeMap::new();
    for (run, verdict) in ended {
        for column in [run.plan.mode.name(), "together"] {
            let counts = columns.entry(column).or_default();
            verdict
                .counts
                .iter()
                .for_each(|(row, count)| *counts.entry(row).or_default() += count);
        }
    }
    let (rows, needed) = subject.rows();
    let columns: Vec<_> = columns
        .iter()
        .map(|(name, counts)| (*name, counts))
        .collect();
    table::print(&[rows, &[LOST, TWICE, WRONG]].concat(), &columns);
    let done = done(ended)?;
    table::print(&subject.kinds(), &[("done to them", &done)]);
    let red: Vec<&Ended> = ended
        .iter()
        .filter(|(_, verdict)| !verdict.faults.is_empty())
        .collect();
    for (run, verdict) in red.iter().take(SHOWN) {
        let (number, name, seed) = (run.number, subject.name(), orders.seed);
        println!(
            "\nrun {number} ({:?}): cargo xtask torture --only {name} --seed {seed} --run {number}",
            run.plan.mode
        );
        verdict
            .faults
            .iter()
            .for_each(|(kind, fault)| println!("  {kind}: {fault}"));
        let lines = verdict.trace.iter().take(LINES);
        lines.for_each(|(at, line)| println!("  {at:>7} ms  {line}"));
    }
    let mut findings = messages;
    if !red.is_empty() {
        let numbers: Vec<u64> = red.iter().map(|(run, _)| run.number).take(20).collect();
        findings.push(format!(
            "{} of {} {WENT_WRONG}: {numbers:?}",
            red.len(),
            ended.len()
        ));
    }
    let sum = |row: &str| {
        ended
            .iter()
            .filter_map(|(_, verdict)| verdict.counts.get(row))
            .sum::<u64>()
    };
    let lacking = needed
        .iter()
        .filter(|row| orders.run.is_none() && sum(row) == 0);
    findings.extend(lacking.map(|row| format!("\"{row}\" is 0: this shows nothing")));
    if orders.run.is_none() && done.is_empty() {
        findings.push("nothing was done to them: this shows nothing".to_owned());
    }
    let missing = missing(orders, subject, &done);
    if !missing.is_empty() {
        let missing = missing.join("; ");
        findings.push(format!(
            "never done, not even in runs that were made for it: {missing}"
        ));
    }
    match findings.is_empty() {
        true => Ok(()),
        false => Err(findings.join("\n")),
    }
}
