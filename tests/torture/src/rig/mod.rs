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
use fault::{KILLS_OF_ORDERS, KILLS_OF_TOKENS, STORAGE, Trouble};
use stage::Stage;
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

    /// What is done to the runs.
    fn kinds(self) -> Vec<&'static str> {
        let calls = Trouble::ALL.map(Trouble::name);
        match self {
            Self::Tokens => [&calls[..], &KILLS_OF_TOKENS].concat(),
            Self::Orders => [&calls[..], &KILLS_OF_ORDERS, &STORAGE].concat(),
        }
    }

    /// What is counted.
    fn rows(self) -> &'static [&'static str] {
        match self {
            Self::Tokens => &tokens::ROWS,
            Self::Orders => &orders::ROWS,
        }
    }

    /// Without what a sample shows nothing.
    fn needed(self) -> &'static [&'static str] {
        match self {
            Self::Tokens => &tokens::NEEDED,
            Self::Orders => &orders::NEEDED,
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
    let stage = Stage::start(orders.programs()?, &folder, &origin, subject, orders.seed)?;
    let desk = Desk::new(stage.clone(), &orders.package);
    let _page = Server::on(page, desk.clone())?;
    let begun = Instant::now();
    let outcome = Browser::open(&folder, &origin).and_then(|mut browser| {
        let runs = orders
            .run
            .map_or_else(|| (0..orders.runs).collect(), |run| vec![run]);
        let ended = desk.make(runs, &mut browser)?;
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

/// How often each kind of fault was done.
fn done(subject: Subject, ended: &[Ended]) -> Result<Counts> {
    let (kinds, mut counts) = (subject.kinds(), Counts::new());
    for (run, verdict) in ended {
        let seen = run.seen();
        let of_page = verdict.done.iter().map(|name| &**name);
        for name in seen.done.iter().copied().chain(of_page) {
            let known = kinds.iter().find(|known| **known == name);
            let known = known
                .ok_or_else(|| format!("the page did `{name}`, which is nothing it was told"))?;
            *counts.entry(known).or_default() += 1;
        }
    }
    Ok(counts)
}

/// Prints what came of the runs. The error is what makes all of it a failure.
fn report(orders: &Orders, subject: Subject, ended: &[Ended], messages: Vec<String>) -> Result<()> {
    let mut counts = Counts::new();
    for (row, count) in ended.iter().flat_map(|(_, verdict)| &verdict.counts) {
        *counts.entry(row).or_default() += count;
    }
    let rows = [subject.rows(), &[LOST, TWICE, WRONG]].concat();
    table::print(&rows, &[(subject.name(), &counts)]);
    let done = done(subject, ended)?;
    table::print(&subject.kinds(), &[("done to them", &done)]);
    let red: Vec<&Ended> = ended
        .iter()
        .filter(|(_, verdict)| !verdict.faults.is_empty())
        .collect();
    for (run, verdict) in red.iter().take(SHOWN) {
        let (number, name, seed) = (run.number, subject.name(), orders.seed);
        println!("\nrun {number}: cargo xtask torture --only {name} --seed {seed} --run {number}");
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
        let (red, all) = (red.len(), ended.len());
        findings.push(format!("{red} of {all} {WENT_WRONG}: {numbers:?}"));
    }
    if orders.run.is_none() {
        let lacking = subject
            .needed()
            .iter()
            .filter(|row| counts.get(*row).is_none_or(|count| *count == 0));
        findings.extend(lacking.map(|row| format!("\"{row}\" is 0: this shows nothing")));
        if done.is_empty() {
            findings.push("nothing was done to them: this shows nothing".to_owned());
        }
    }
    match findings.is_empty() {
        true => Ok(()),
        false => Err(findings.join("\n")),
    }
}
