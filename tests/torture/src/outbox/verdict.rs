//! Whether a run went as it must: what the tabs were told against what the proxy saw and the service has.

use super::run::Run;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use workbench::Result;

/// What is wrong with a run, by the kind of wrong, and what came of its orders.
#[derive(Default)]
pub struct Verdict {
    pub made: usize,
    pub accepted: usize,
    pub queued: usize,
    pub only_durable: usize,
    pub arrived: usize,
    pub lost: Vec<String>,
    pub doubled: Vec<String>,
    pub wrong: Vec<String>,
    /// What the page did to its tabs, by [`super::kind`].
    pub done: Vec<String>,
    trace: Vec<(u64, String)>,
}

/// What a till was told of an order.
#[derive(Default)]
struct Told<'r> {
    made: Option<&'r Value>,
    is_durable: bool,
    accepted: Option<&'r Value>,
    queued: Option<&'r Value>,
    failed: Option<&'r str>,
}

impl Verdict {
    pub fn is_red(&self) -> bool {
        !(self.lost.is_empty() && self.doubled.is_empty() && self.wrong.is_empty())
    }

    pub fn show(&self, seed: u64, number: u64) {
        println!("\nrun {number}: cargo xtask torture --only outbox --seed {seed} --run {number}");
        let kinds = [
            ("lost", &self.lost),
            ("doubled", &self.doubled),
            ("wrong", &self.wrong),
        ];
        for (kind, faults) in kinds {
            for fault in faults {
                println!("  {kind}: {fault}");
            }
        }
        for (at, line) in self.trace.iter().take(80) {
            println!("  {at:>7} ms  {line}");
        }
    }
}

/// `order` asks the service for an order.
pub fn judge(run: &Run, report: &Value, order: &dyn Fn(&str) -> Result<Option<Value>>) -> Verdict {
    let notes = report["notes"].as_array().map_or(&[][..], Vec::as_slice);
    let mut verdict = Verdict {
        done: texts(&report["done"]),
        trace: trace(run, notes),
        ..Verdict::default()
    };
    let told = told(notes);
    let mut arrived = BTreeSet::new();
    for (id, told) in &told {
        verdict.count(told);
        let found = order(id).unwrap_or_else(|error| {
            verdict.wrong.push(error);
            None
        });
        if let Some(found) = &found {
            arrived.insert(*id);
            verdict.look_at_content(id, told, found);
        }
        verdict.look_for_loss(id, told, found.is_some());
        verdict.look_at_print(id, told);
    }
    verdict.arrived = arrived.len();
    verdict.look_for_doubles(run);
    verdict.look_at_the_order(run, &told);
    verdict.look_at_the_end(notes);
    verdict
}

impl Verdict {
    fn count(&mut self, told: &Told<'_>) {
        self.made += usize::from(told.made.is_some());
        self.accepted += usize::from(told.accepted.is_some());
        self.queued += usize::from(told.queued.is_some());
        let is_told = told.accepted.is_some() || told.queued.is_some();
        self.only_durable += usize::from(told.is_durable && !is_told);
    }

    fn look_for_loss(&mut self, id: &str, told: &Told<'_>, is_there: bool) {
        let what = match told {
            _ if is_there => return,
            Told {
                accepted: Some(_), ..
            } => "was told accepted",
            Told {
                queued: Some(_), ..
            } => "was told queued",
            Told {
                is_durable: true, ..
            } => "was on the disk",
            _ => return,
        };
        self.lost
            .push(format!("{id} {what}, and the service has no such order"));
    }

    fn look_at_content(&mut self, id: &str, told: &Told<'_>, found: &Value) {
        let order = &found["order"];
        let is_same = told
            .made
            .is_some_and(|made| order["total"] == made["total"]);
        if !is_same || order["lines"][0]["name"] != *id {
            self.wrong
                .push(format!("{id}: the service has another content"));
        }
        if let Some(code) = told.failed {
            self.wrong
                .push(format!("{id} failed with `{code}`, and arrived"));
        }
    }

    /// Paper is spared only where the service has the order with its e-receipt.
    fn look_at_print(&mut self, id: &str, told: &Told<'_>) {
        let has_receipt = told.made.is_some_and(|made| made["hasReceipt"] == true);
        let expected = |is_accepted: bool| !(is_accepted && has_receipt);
        let told = [(told.accepted, true), (told.queued, false)];
        for (note, is_accepted) in told {
            if note.is_some_and(|note| note["print"] != expected(is_accepted)) {
                self.wrong
                    .push(format!("{id}: `print` is not what it must be"));
            }
        }
    }

    fn look_for_doubles(&mut self, run: &Run) {
        let seen = run.seen();
        for (id, keys) in seen.keys.iter().filter(|(_, keys)| keys.len() > 1) {
            self.doubled
                .push(format!("{id} came under {} keys", keys.len()));
        }
        for (id, bodies) in seen.bodies.iter().filter(|(_, bodies)| bodies.len() > 1) {
            self.doubled
                .push(format!("{id} came with {} bodies", bodies.len()));
        }
    }

    /// What one tab queued arrives in its order; only an order on which the service fails again and again is overtaken.
    fn look_at_the_order(&mut self, run: &Run, told: &BTreeMap<&str, Told<'_>>) {
        let (accepted, set_aside) = {
            let seen = run.seen();
            (seen.accepted.clone(), seen.set_aside.clone())
        };
        let place = |id: &str| accepted.iter().position(|known| known == id);
        let mut last: BTreeMap<&str, (u64, usize)> = BTreeMap::new();
        for (id, told) in told {
            let (Some((tab, number)), Some(place)) = (id.rsplit_once('-'), place(id)) else {
                continue;
            };
            let number: u64 = number.parse().unwrap_or(0);
            if told.is_durable
                && !set_aside.contains(*id)
                && let Some((before, at)) = last.insert(tab, (number, place))
                && (before < number) != (at < place)
            {
                self.wrong
                    .push(format!("{id} overtook another order of its tab"));
            }
        }
    }

    fn look_at_the_end(&mut self, notes: &[Value]) {
        for note in notes {
            let text = |name: &str| note[name].as_str().unwrap_or_default();
            match text("what") {
                "failed" if note["known"] != true => self.wrong.push(format!(
                    "tab {}: {} failed with something else than a PosConnectError: {}",
                    text("tab"),
                    text("operation"),
                    text("code")
                )),
                "failed" => self.wrong.push(format!(
                    "tab {}: {} failed with `{}`",
                    text("tab"),
                    text("operation"),
                    text("code")
                )),
                "pending" => self.wrong.push(format!(
                    "tab {}: {} did not settle",
                    text("tab"),
                    text("id")
                )),
                "waits" => self
                    .lost
                    .push(format!("{} still waits at the end", text("id"))),
                _ => {}
            }
        }
        if !notes.iter().any(|note| note["what"] == "empty") {
            self.wrong
                .push("the last page did not see the outbox empty".to_owned());
        }
    }
}

fn told(notes: &[Value]) -> BTreeMap<&str, Told<'_>> {
    let mut told: BTreeMap<&str, Told<'_>> = BTreeMap::new();
    for note in notes {
        let Some(id) = note["id"].as_str() else {
            continue;
        };
        let told = told.entry(id).or_default();
        match note["what"].as_str().unwrap_or_default() {
            "made" => told.made = Some(note),
            "durable" => told.is_durable = true,
            "accepted" => told.accepted = Some(note),
            "queued" => told.queued = Some(note),
            "failed" => told.failed = note["code"].as_str(),
            _ => {}
        }
    }
    told
}

fn trace(run: &Run, notes: &[Value]) -> Vec<(u64, String)> {
    let mut trace = run.seen().trace.clone();
    for note in notes {
        let text = |name: &str| note[name].as_str().unwrap_or_default();
        let words = ["what", "id", "operation", "code"].map(text).join(" ");
        let line = format!("  tab {}: {}", text("tab"), words.trim_end());
        trace.push((note["at"].as_u64().unwrap_or(0), line));
    }
    trace.sort_by_key(|(at, _)| *at);
    trace
}

fn texts(list: &Value) -> Vec<String> {
    let list = list.as_array().into_iter().flatten();
    list.filter_map(|text| text.as_str().map(str::to_owned))
        .collect()
}
