//! Whether a run went as it must: what its tabs were told against what the proxy saw.

use super::run::Run;
use super::stage::Stage;
use super::{Subject, orders, tokens};
use crate::table::Counts;
use serde_json::Value;

pub const LOST: &str = "lost";
pub const TWICE: &str = "twice";
pub const WRONG: &str = "told wrongly";

/// The SDK gives a call's headers 8 s, the browser's storage 10 s, a call 10 s or more, all in milliseconds.
const SHORTEST_LIMIT: u64 = 7_900;

/// What is wrong with a run, by the kind of wrong, and what there is to count in it.
#[derive(Default)]
pub struct Verdict {
    pub faults: Vec<(&'static str, String)>,
    pub counts: Counts,
    /// What the page did to its tabs, by [`super::Subject::kinds`].
    pub done: Vec<String>,
    /// Without tokens.
    pub trace: Vec<(u64, String)>,
}

/// Something that a tab was told.
#[derive(Clone, Copy)]
pub struct Note<'r>(pub &'r Value);

impl Verdict {
    pub fn blame(&mut self, kind: &'static str, what: impl Into<String>) {
        self.faults.push((kind, what.into()));
        self.count(kind, true);
    }

    pub fn count(&mut self, row: &'static str, counts: bool) {
        *self.counts.entry(row).or_default() += u64::from(counts);
    }
}

impl<'r> Note<'r> {
    pub fn text(&self, name: &str) -> &'r str {
        self.0[name].as_str().unwrap_or_default()
    }

    pub fn what(&self) -> &'r str {
        self.text("what")
    }

    pub fn tab(&self) -> &'r str {
        self.text("tab")
    }

    pub fn at(&self) -> u64 {
        self.0["at"].as_u64().unwrap_or(0)
    }

    /// Something took longer than the SDK waits, or the page had its storage fail, and the SDK says so. Where it could
    /// be right to say so, nothing may be lost in the end all the same.
    pub fn is_slow(&self) -> bool {
        matches!(self.text("code"), "timeout" | "vault_failed")
            && self.0["retryable"] == true
            && (self.0["took"].as_u64() >= Some(SHORTEST_LIMIT) || self.0["meant"] == true)
    }
}

pub fn judge(stage: &Stage, run: &Run, report: &Value) -> Verdict {
    let list = |name: &str| report[name].as_array().map_or(&[][..], Vec::as_slice);
    let notes: Vec<Note> = list("notes").iter().map(Note).collect();
    let mut verdict = Verdict {
        done: list("done")
            .iter()
            .filter_map(|name| name.as_str().map(str::to_owned))
            .collect(),
        trace: trace(run, &notes),
        ..Verdict::default()
    };
    for note in notes
        .iter()
        .filter(|note| note.what() == "failed" && note.0["known"] != true)
    {
        let (tab, operation, what) = (note.tab(), note.text("operation"), note.text("code"));
        let error = format!(
            "tab {tab}: {operation} failed with something else than a PosConnectError: {what}"
        );
        verdict.blame(WRONG, error);
    }
    match stage.subject {
        Subject::Tokens => tokens::judge(&mut verdict, run, notes, &report["left"], &|access| {
            stage.works(access)
        }),
        Subject::Orders => orders::judge(&mut verdict, run, &notes, &|id| stage.order(id)),
    }
    verdict
}

fn trace(run: &Run, notes: &[Note<'_>]) -> Vec<(u64, String)> {
    let seen = run.seen();
    let mut trace = seen.trace.clone();
    for note in notes {
        let words = ["what", "id", "operation", "code", "behavior"].map(|name| note.text(name));
        let set = seen
            .issued
            .iter()
            .position(|issued| issued == note.text("access"));
        let set = set.map_or(String::new(), |set| format!("set {set}"));
        trace.push((
            note.at(),
            format!("  tab {}: {} {set}", note.tab(), words.join(" ")),
        ));
    }
    trace.sort_by_key(|(at, _)| *at);
    trace
}
