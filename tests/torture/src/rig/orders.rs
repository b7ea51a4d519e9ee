//! What must hold for orders: what a till was told is kept arrives, once, and has one message if it has an e-receipt.

use super::run::Run;
use super::stage::Stage;
use super::verdict::{LOST, Note, TWICE, Verdict, WRONG};
use crate::messages;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use workbench::Result;
use workbench::http::{Line, Message};

/// What is counted, and without which a sample shows nothing.
pub const ROWS: [&str; 7] = [
    "orders made",
    "told accepted",
    "told queued",
    "tab gone before it was told, and on the disk",
    "shoppers asked",
    "printed for a tab that was gone",
    ARRIVED,
];
pub const NEEDED: [&str; 1] = [ARRIVED];
const ARRIVED: &str = "at the service";

/// What a till was told of an order.
#[derive(Default)]
struct Told<'r> {
    made: Option<Note<'r>>,
    is_durable: bool,
    accepted: Option<Note<'r>>,
    queued: Option<Note<'r>>,
    failed: Option<&'r str>,
    /// Its shopper saw the keypad.
    is_asked: bool,
    /// The reasons for which it was printed.
    printed: Vec<&'r str>,
    /// Its file is gone from the storage, and the page has discarded it.
    is_gone: bool,
}

impl Told<'_> {
    fn is_charged(&self) -> bool {
        self.made
            .is_some_and(|made| !made.0["hasReceipt"].is_boolean())
    }

    fn has_receipt(&self) -> bool {
        self.made.is_some_and(|made| made.0["hasReceipt"] == true)
    }
}

/// `order` asks the service for an order.
pub fn judge(
    verdict: &mut Verdict,
    run: &Run,
    notes: &[Note<'_>],
    order: &dyn Fn(&str) -> Result<Option<Value>>,
) {
    let told = told(notes);
    for (id, told) in &told {
        let is_told = told.accepted.is_some() || told.queued.is_some();
        let [made, accepted, queued, on_disk, asked, interrupted, arrived] = ROWS;
        verdict.count(made, told.made.is_some());
        verdict.count(accepted, told.accepted.is_some());
        verdict.count(queued, told.queued.is_some());
        verdict.count(on_disk, told.is_durable && !is_told);
        verdict.count(asked, told.is_asked);
        verdict.count(interrupted, told.printed.contains(&"interrupted"));
        match order(id) {
            Err(error) => verdict.blame(WRONG, error),
            Ok(None) if told.is_gone => {}
            Ok(None) => look_for_loss(verdict, id, told),
            Ok(Some(found)) => {
                verdict.count(arrived, true);
                // The shopper decides about a charged one.
                let is_texted = match told.is_charged() {
                    true => found["ereceipt"].is_string(),
                    false => told.has_receipt(),
                };
                if is_texted {
                    run.seen().receipts.push((*id).to_owned());
                }
                look_at_content(verdict, id, told, &found["order"]);
            }
        }
        look_at_print(verdict, id, told);
    }
    for (id, order) in &run.seen().orders {
        if order.keys.len() > 1 {
            verdict.blame(TWICE, format!("{id} came under {} keys", order.keys.len()));
        }
        if order.bodies.len() > 1 {
            verdict.blame(
                TWICE,
                format!("{id} came with {} bodies", order.bodies.len()),
            );
        }
    }
    look_at_the_order(verdict, run, &told);
    look_at_the_end(verdict, notes);
}

fn told<'r>(notes: &[Note<'r>]) -> BTreeMap<&'r str, Told<'r>> {
    let mut told: BTreeMap<&str, Told<'_>> = BTreeMap::new();
    for note in notes.iter().filter(|note| note.0["id"].is_string()) {
        let told = told.entry(note.text("id")).or_default();
        match note.what() {
            "made" => told.made = Some(*note),
            "durable" => told.is_durable = true,
            "accepted" => told.accepted = Some(*note),
            "queued" => told.queued = Some(*note),
            "gone" => told.is_gone = true,
            "asked" => told.is_asked = true,
            "printed" => told.printed.push(note.text("reason")),
            "failed" if !note.is_slow() => told.failed = Some(note.text("code")),
            _ => {}
        }
    }
    told
}

fn look_for_loss(verdict: &mut Verdict, id: &str, told: &Told<'_>) {
    let what = match told {
        Told {
            accepted: Some(_), ..
        } => "was told accepted",
        Told {
            queued: Some(_), ..
        } => "was told queued",
        Told {
            is_durable: true, ..
        } => "was on the disk",
        Told { is_asked: true, .. } => "was paid, and its shopper asked",
        _ => return,
    };
    verdict.blame(
        LOST,
        format!("{id} {what}, and the service has no such order"),
    );
}

fn look_at_content(verdict: &mut Verdict, id: &str, told: &Told<'_>, order: &Value) {
    let is_same = told
        .made
        .is_some_and(|made| order["total"] == made.0["total"]);
    if !is_same || order["lines"][0]["name"] != *id {
        verdict.blame(WRONG, format!("{id}: the service has another content"));
    }
    if let Some(code) = told.failed {
        verdict.blame(WRONG, format!("{id} failed with `{code}`, and arrived"));
    }
}

/// Paper is spared only where the service has the order with its e-receipt, and comes out once.
fn look_at_print(verdict: &mut Verdict, id: &str, told: &Told<'_>) {
    if told.printed.len() > 1 {
        let reasons = told.printed.join(", ");
        verdict.blame(TWICE, format!("{id} was printed for {reasons}"));
    }
    if told.is_charged() {
        let last = told.accepted.or(told.queued);
        if last.is_some_and(|note| note.0["print"] != !told.printed.is_empty()) {
            verdict.blame(WRONG, format!("{id}: `print` is not what was done"));
        }
        return;
    }
    let has_receipt = told.has_receipt();
    for (note, is_accepted) in [(told.accepted, true), (told.queued, false)] {
        if note.is_some_and(|note| note.0["print"] != !(is_accepted && has_receipt)) {
            verdict.blame(WRONG, format!("{id}: `print` is not what it must be"));
        }
    }
}

/// What one tab queued arrives in its order; only an order on which the service fails again and again is overtaken.
fn look_at_the_order(verdict: &mut Verdict, run: &Run, told: &BTreeMap<&str, Told<'_>>) {
    let seen = run.seen();
    let mut last: BTreeMap<&str, (u64, usize)> = BTreeMap::new();
    for (id, told) in told {
        let place = seen.accepted.iter().position(|known| known == id);
        let is_set_aside = seen.orders.get(*id).is_some_and(|order| order.set_aside);
        let (Some((tab, number)), Some(place)) = (id.rsplit_once('-'), place) else {
            continue;
        };
        let number: u64 = number.parse().unwrap_or(0);
        // A shopper may take longer than the next one.
        if told.is_durable
            && !told.is_charged()
            && !is_set_aside
            && let Some((before, at)) = last.insert(tab, (number, place))
            && (before < number) != (at < place)
        {
            verdict.blame(WRONG, format!("{id} overtook another order of its tab"));
        }
    }
}

fn look_at_the_end(verdict: &mut Verdict, notes: &[Note<'_>]) {
    for note in notes {
        let (tab, id) = (note.tab(), note.text("id"));
        match note.what() {
            "failed" if note.0["known"] == true && !note.is_slow() => {
                let (operation, code) = (note.text("operation"), note.text("code"));
                verdict.blame(
                    WRONG,
                    format!("tab {tab}: {operation} failed with `{code}`"),
                );
            }
            "pending" => verdict.blame(WRONG, format!("tab {tab}: {id} did not settle")),
            "waits" => verdict.blame(LOST, format!("{id} still waits at the end")),
            _ => {}
        }
    }
    if !notes.iter().any(|note| note.what() == "empty") {
        verdict.blame(WRONG, "the last page did not see the outbox empty");
    }
}

/// What speaks against the messages that the service sent: one for each order that has an e-receipt, and its link
/// shows that order.
pub fn faults_of_messages<'r>(
    stage: &Stage,
    runs: impl Iterator<Item = &'r Arc<Run>>,
) -> Result<Vec<String>> {
    let mut expected = Vec::new();
    for run in runs {
        expected.extend(run.seen().receipts.iter().cloned());
    }
    let messages = messages::wait(&stage.folder, |all| all.len() >= expected.len())?;
    println!(
        "{} messages for {} orders with an e-receipt",
        messages.len(),
        expected.len()
    );
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for message in messages.values() {
        let text = message["text"].as_str().unwrap_or_default();
        *known.entry(shown(stage, text)?).or_default() += 1;
    }
    let mut faults = Vec::new();
    for id in expected {
        match known.remove(&id) {
            Some(1) => {}
            count => faults.push(format!("{id} has {} messages", count.unwrap_or(0))),
        }
    }
    faults.extend(
        known
            .into_keys()
            .map(|id| format!("a message shows {id}, which has no e-receipt")),
    );
    Ok(faults)
}

/// The order that the receipt behind a message's link shows.
fn shown(stage: &Stage, text: &str) -> Result<String> {
    let at = text.find("/r/").ok_or("a message without a link")?;
    let path = text[at..].split_whitespace().next().unwrap_or_default();
    let answer = Line::new(stage.service).expect(&Message::request("GET", path), &[200])?;
    let page = answer.text();
    let id = page.find("run-").map(|at| &page[at..]).unwrap_or_default();
    let is_outside = |letter: char| !(letter.is_alphanumeric() || letter == '-');
    Ok(id.split(is_outside).next().unwrap_or_default().to_owned())
}
