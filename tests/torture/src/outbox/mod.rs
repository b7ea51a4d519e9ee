//! Orders of a till, in tabs that die, behind a proxy that fails: what a till was told is kept arrives, once.

mod gate;
mod kind;
mod messages;
mod plan;
mod run;
mod stage;
mod verdict;
mod workshop;

use super::{Orders, WENT_WRONG};
use crate::browser::Browser;
use crate::counts::Counts;
use crate::desk::{self, Desk, Page};
use crate::server::Server;
use stage::Stage;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use verdict::Verdict;
use workbench::{Result, files, repo};
use workshop::Sales;

/// Runs at once: most of a run is waiting for the outbox's next try.
const PLACES: usize = 25;
/// So many that every kind of fault is planned, whatever the seed; fewer are a repetition.
const COMPLETE: u64 = 30;
/// How often that many more are made if a kind did not.
const TRIES: u64 = 3;
/// Red runs that are told in full.
const SHOWN: usize = 5;

type Ended = desk::Ended<Sales>;

pub fn run(orders: &Orders) -> Result<()> {
    let folder = repo::made("torture-outbox");
    files::remove(&folder)?;
    files::create_folder(&folder)?;
    let desk = Arc::new(OnceLock::new());
    let page = Server::open(Page::new(&desk, &orders.package))?;
    let stage = Stage::start(&folder, &page.url())?;
    let seed = orders.seed;
    let desk = desk.get_or_init(|| Desk::new(Sales { stage, seed }));
    let begun = Instant::now();
    let ended = in_browser(desk, &folder, &page.url(), orders);
    let outcome = ended.and_then(|ended| {
        let time = begun.elapsed().as_secs_f64();
        println!("{} runs in {time:.0} s", ended.len());
        let receipts = ended.iter().map(|(_, run, _)| run).collect::<Vec<_>>();
        let messages = messages::fault(&desk.workshop.stage, &folder, &receipts)?;
        report(orders, &ended, messages)
    });
    desk.workshop.stage.stop();
    outcome
}

/// Makes the runs; then, a few times, some more if a kind of fault has not come up.
fn in_browser(desk: &Desk<Sales>, folder: &Path, url: &str, orders: &Orders) -> Result<Vec<Ended>> {
    let mut browser = Browser::open(folder)?;
    let mut make = |runs: Vec<u64>| {
        let count = runs.len();
        let (deal, places) = (desk.deal(runs), PLACES.min(count));
        browser.show(&format!("{url}/outbox.html?places={places}&deal={deal}"))?;
        desk.wait(count)
    };
    if let Some(run) = orders.run {
        return make(vec![run]);
    }
    let mut ended = make((0..orders.runs).collect())?;
    for attempt in 0..TRIES {
        let missing = missing(orders, &counts(&ended)?);
        if missing.is_empty() {
            break;
        }
        println!(
            "some more, because they did not come up: {}",
            missing.join("; ")
        );
        let first = orders.runs + attempt * COMPLETE;
        ended.extend(make((first..first + COMPLETE).collect())?);
    }
    Ok(ended)
}

fn counts(ended: &[Ended]) -> Result<Counts> {
    let mut counts = Counts::new(&kind::ALL);
    for (_, run, verdict) in ended {
        for name in &run.seen().done {
            counts.add(name)?;
        }
        for name in &verdict.done {
            counts.add(name)?;
        }
    }
    Ok(counts)
}

/// The kinds that have not come up, where all of them have to.
fn missing(orders: &Orders, counts: &Counts) -> Vec<&'static str> {
    match orders.run.is_none() && orders.runs >= COMPLETE {
        true => counts.missing(),
        false => Vec::new(),
    }
}

fn report(orders: &Orders, ended: &[Ended], messages: Option<String>) -> Result<()> {
    let sum = |of: fn(&Verdict) -> usize| {
        ended
            .iter()
            .map(|(_, _, verdict)| of(verdict))
            .sum::<usize>()
    };
    let rows = [
        ("orders made", sum(|verdict| verdict.made)),
        ("told accepted", sum(|verdict| verdict.accepted)),
        ("told queued", sum(|verdict| verdict.queued)),
        (
            "tab gone before it was told, and on the disk",
            sum(|verdict| verdict.only_durable),
        ),
        ("at the service", sum(|verdict| verdict.arrived)),
        ("lost", sum(|verdict| verdict.lost.len())),
        ("doubled", sum(|verdict| verdict.doubled.len())),
        ("told wrongly", sum(|verdict| verdict.wrong.len())),
    ];
    println!();
    for (name, count) in rows {
        println!("{count:>7}  {name}");
    }
    let counts = counts(ended)?;
    counts.print();
    let red: Vec<&Ended> = ended
        .iter()
        .filter(|(_, _, verdict)| verdict.is_red())
        .collect();
    for (number, _, verdict) in red.iter().take(SHOWN) {
        verdict.show(orders.seed, *number);
    }
    let mut findings: Vec<String> = messages.into_iter().collect();
    if !red.is_empty() {
        let numbers: Vec<u64> = red.iter().map(|(number, _, _)| *number).take(20).collect();
        findings.push(format!(
            "{} of {} {WENT_WRONG}: {numbers:?}",
            red.len(),
            ended.len()
        ));
    }
    let missing = missing(orders, &counts);
    if !missing.is_empty() {
        findings.push(format!(
            "never done, not even in more runs: {}",
            missing.join("; ")
        ));
    }
    match findings.is_empty() {
        true => Ok(()),
        false => Err(findings.join("\n")),
    }
}
