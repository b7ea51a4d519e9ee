//! What came of the runs, printed.

use super::Ended;
use super::kind;
use super::run::Run;
use super::verdict::{End, Verdict};
use crate::counts::Counts;
use crate::{Orders, WENT_WRONG};
use workbench::Result;

/// Red runs that are told in full.
const SHOWN: usize = 5;
/// So many that every kind has its turn; fewer are a repetition.
const COMPLETE: u64 = 50;

#[derive(Default)]
struct Row {
    runs: usize,
    in_hand: usize,
    rivals: usize,
    told: usize,
    lost: usize,
    twice: usize,
    wrong: usize,
}

/// The kinds that have not come up, where all of them have to.
pub fn missing(orders: &Orders, ended: &[Ended]) -> Result<Vec<&'static str>> {
    match is_complete(orders) {
        true => Ok(injected(ended)?.missing()),
        false => Ok(Vec::new()),
    }
}

fn is_complete(orders: &Orders) -> bool {
    orders.run.is_none() && orders.runs >= COMPLETE
}

pub fn report(orders: &Orders, ended: &[Ended]) -> Result<()> {
    println!(
        "\n{:<9}{:>7}{:>9}{:>9}{:>11}  |{:>6}{:>15}{:>17}",
        "mode",
        "runs",
        "in hand",
        "rival's",
        "told lost",
        "lost",
        "fetched twice",
        "reported wrongly"
    );
    for mode in ["plain", "reissue", "relay"] {
        row(
            mode,
            ended
                .iter()
                .filter(|(_, run, _)| run.plan.mode.name() == mode),
        );
    }
    row("all", ended.iter());
    let durable = ended.iter().filter(|(_, _, verdict)| verdict.is_durable);
    let durable = durable.count();
    println!("committed to the vault before anybody heard of it: {durable}");
    let counts = injected(ended)?;
    counts.print();
    let red: Vec<_> = ended
        .iter()
        .filter(|(_, _, verdict)| verdict.is_red())
        .collect();
    for (_, run, verdict) in red.iter().take(SHOWN) {
        show(orders, run, verdict);
    }
    findings(orders, ended.len(), durable, &red, &counts)
}

/// What makes all of it a failure.
fn findings(
    orders: &Orders,
    runs: usize,
    durable: usize,
    red: &[&Ended],
    counts: &Counts,
) -> Result<()> {
    let mut findings = Vec::new();
    if !red.is_empty() {
        let numbers: Vec<u64> = red.iter().map(|(_, run, _)| run.number).take(20).collect();
        findings.push(format!("{} of {runs} {WENT_WRONG}: {numbers:?}", red.len()));
    }
    if is_complete(orders) && durable == 0 {
        findings.push("no token answer was seen to be committed".to_owned());
    }
    let missing = counts.missing();
    if is_complete(orders) && !missing.is_empty() {
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

fn row<'e>(name: &str, ended: impl Iterator<Item = &'e Ended>) {
    let mut row = Row::default();
    for (_, _, verdict) in ended {
        row.runs += 1;
        match verdict.end {
            End::InHand => row.in_hand += 1,
            End::Rival => row.rivals += 1,
            End::ToldLost => row.told += 1,
            End::Neither => {}
        }
        row.lost += usize::from(!verdict.lost.is_empty());
        row.twice += usize::from(!verdict.twice.is_empty());
        row.wrong += usize::from(!verdict.wrong.is_empty());
    }
    println!(
        "{name:<9}{:>7}{:>9}{:>9}{:>11}  |{:>6}{:>15}{:>17}",
        row.runs, row.in_hand, row.rivals, row.told, row.lost, row.twice, row.wrong
    );
}

fn injected(ended: &[Ended]) -> Result<Counts> {
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

fn show(orders: &Orders, run: &Run, verdict: &Verdict) {
    println!(
        "\nrun {} ({:?}): cargo xtask torture --only proxy --seed {} --run {}",
        run.number, run.plan.mode, orders.seed, run.number
    );
    let kinds = [
        ("lost", &verdict.lost),
        ("twice", &verdict.twice),
        ("wrong", &verdict.wrong),
    ];
    for (kind, faults) in kinds {
        for fault in faults {
            println!("  {kind}: {fault}");
        }
    }
    for (at, line) in verdict.trace.iter().take(60) {
        println!("  {at:>7} ms  {line}");
    }
}
