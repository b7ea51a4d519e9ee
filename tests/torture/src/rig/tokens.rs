//! What must hold for tokens: they come once, and are never lost without a word.

use super::plan::Mode;
use super::run::Run;
use super::verdict::{LOST, Note, TWICE, Verdict, WRONG};
use serde_json::Value;
use std::collections::BTreeSet;

/// What is counted, and without which a sample shows nothing.
pub const ROWS: [&str; 6] = [
    DURABLE,
    IN_HAND,
    "rival's",
    "told lost",
    "nothing of that",
    "runs",
];
pub const NEEDED: [&str; 2] = [DURABLE, IN_HAND];
const DURABLE: &str = "committed to the vault before anybody heard of it";
const IN_HAND: &str = "in hand";

/// Everything that decides.
struct Case<'r> {
    run: &'r Run,
    mode: Mode,
    notes: Vec<Note<'r>>,
    claims: u64,
    is_rivals: bool,
    /// Whether an answer may have been lost on the way.
    unanswered: bool,
    /// Access tokens that a host was given.
    sets: BTreeSet<&'r str>,
    has: bool,
    told_lost: bool,
}

/// `works` asks with an access token; `left` is what the vault held at the end.
pub fn judge(
    verdict: &mut Verdict,
    run: &Run,
    notes: Vec<Note<'_>>,
    left: &Value,
    works: &dyn Fn(&str) -> bool,
) {
    let case = Case::new(run, notes);
    let end = match (case.has, case.is_rivals) {
        (true, _) => IN_HAND,
        (false, true) => "rival's",
        (false, false) if case.told_lost => "told lost",
        (false, false) => "nothing of that",
    };
    verdict.count(end, true);
    verdict.count("runs", true);
    verdict.count(DURABLE, case.all("durable").next().is_some());
    case.look_for_losses(&mut |what| verdict.blame(LOST, what), works);
    case.look_for_doubles(&mut |what| verdict.blame(TWICE, what));
    let mut wrong = |what: String| verdict.blame(WRONG, what);
    case.look_for_lies(&mut wrong);
    case.look_at_failures(&mut wrong);
    case.look_at_the_end(&mut |what| wrong(what.to_owned()), left);
}

impl<'r> Case<'r> {
    fn new(run: &'r Run, notes: Vec<Note<'r>>) -> Self {
        let given: Vec<&str> = notes
            .iter()
            .filter(|note| matches!(note.what(), "handed" | "persist"))
            .map(|note| note.text("access"))
            .collect();
        let seen = run.seen();
        let removed = notes
            .iter()
            .any(|note| note.what() == "removed" && note.tab() != "last");
        let mut case = Self {
            run,
            mode: run.plan.mode,
            claims: seen.claims,
            is_rivals: seen.rival_took,
            unanswered: seen.unanswered || removed,
            has: !given.is_empty(),
            sets: given
                .into_iter()
                .filter(|access| !access.is_empty())
                .collect(),
            told_lost: false,
            notes,
        };
        case.told_lost = case.is_told("tokens_lost");
        case
    }

    fn all(&self, what: &str) -> impl Iterator<Item = &Note<'r>> {
        self.notes.iter().filter(move |note| note.what() == what)
    }

    fn failures(&self) -> impl Iterator<Item = (&Note<'r>, &'r str)> {
        let fetches = self
            .all("failed")
            .filter(|note| note.text("operation") == "fetchTokens");
        fetches.map(|note| (note, note.text("code")))
    }

    fn is_told(&self, code: &str) -> bool {
        self.failures().any(|(_, told)| told == code)
    }

    /// Whether a host may have confirmed the hand-over before `at`.
    fn may_be_over(&self, at: u64) -> bool {
        let mut notes = self.notes.iter();
        notes.any(|note| matches!(note.what(), "acknowledging" | "persisted") && note.at() <= at)
    }

    fn look_for_losses(&self, say: &mut dyn FnMut(&str), works: &dyn Fn(&str) -> bool) {
        if self
            .all("durable")
            .any(|note| !self.sets.contains(note.text("access")))
        {
            say("a token set was durable, and no host was given it");
        }
        if !self.has {
            match (self.is_rivals, self.mode) {
                (true, _) => {}
                (false, Mode::Plain) if self.claims == 0 => {
                    say("nobody picked the tokens up, and they were there to be had");
                }
                (false, Mode::Plain) => {}
                (false, _) => say("no tab and no later page got the tokens"),
            }
            return;
        }
        let access = self.sets.first().copied().unwrap_or_default();
        if self.sets.len() <= 1 && !works(access) {
            say("what was handed out does not work");
        }
        let opened = self
            .notes
            .iter()
            .find(|note| note.tab() == "last")
            .map_or(u64::MAX, Note::at);
        let next_page_has = self.all("handed").any(|note| note.tab() == "last");
        if !(self.mode == Mode::Held || self.may_be_over(opened) || next_page_has) {
            say(
                "a tab had the tokens, nobody confirmed the hand-over, and the next page does not have them",
            );
        }
    }

    fn look_for_doubles(&self, say: &mut dyn FnMut(String)) {
        if self.sets.len() > 1 {
            say(format!(
                "{} different token sets were handed out",
                self.sets.len()
            ));
        }
        if self.claims > 1 {
            say(format!(
                "the service answered {} pick-ups with 200",
                self.claims
            ));
        }
        if self.mode != Mode::Held && self.all("handed").any(|note| self.is_late(note)) {
            say("handed out again after they were acknowledged".to_owned());
        }
    }

    /// Whether a set was handed out after a page had said that its host has it. A page that had the set before may give
    /// it to its own host once more.
    fn is_late(&self, note: &Note<'_>) -> bool {
        let asked = note.0["asked"].as_u64().unwrap_or(0);
        let mut over = self
            .all("acknowledged")
            .filter(|over| asked > over.at() + 20);
        let had = |over: &Note<'_>| {
            self.all("handed")
                .any(|before| before.tab() == note.tab() && before.at() <= over.at())
        };
        over.any(|over| over.tab() == note.tab() || !had(over))
    }

    /// Codes of `fetchTokens` that say what is not so.
    fn look_for_lies(&self, say: &mut dyn FnMut(String)) {
        let is_plain = self.mode == Mode::Plain;
        for (note, code) in self.failures() {
            let is_true = match code {
                "tokens_lost" => {
                    !self.has && self.claims > 0 && self.unanswered && (self.is_rivals || is_plain)
                }
                "tokens_already_retrieved" => self.is_rivals || self.may_be_over(note.at()),
                _ => self.may_pass(note) || note.is_slow(),
            };
            if !is_true {
                say(format!(
                    "tab {}: fetchTokens failed with `{code}`, which is not so",
                    note.tab()
                ));
            }
        }
        if self.has || self.told_lost {
            return;
        }
        if is_plain && !self.is_rivals && self.claims > 0 {
            say("a loss, and nobody was told `tokens_lost`".to_owned());
        }
        if self.is_rivals && !self.is_told("tokens_already_retrieved") {
            say("a rival took the tokens, and nobody was told".to_owned());
        }
    }

    /// A fault of ours can have caused it, and it says that it may pass.
    fn may_pass(&self, note: &Note<'_>) -> bool {
        ["network", "server_error", "timeout", "rate_limited"].contains(&note.text("code"))
            && note.0["retryable"] == true
            && self.run.plan.is_faulty()
    }

    fn look_at_failures(&self, say: &mut dyn FnMut(String)) {
        for note in &self.notes {
            let operation = note.text("operation");
            let what = match note.what() {
                "failed" if note.0["known"] != true || note.is_slow() => continue,
                "failed" if operation == "acknowledgeTokens" && self.may_pass(note) => continue,
                "failed" if operation != "fetchTokens" => {
                    format!("{operation} failed with `{}`", note.text("code"))
                }
                "pending" => format!("{operation} did not settle within 180 s"),
                "gave up" => "fetchTokens failed as often as it was called".to_owned(),
                "handed" if note.0["ereceipt"] != self.run.plan.ereceipts => {
                    "`ereceipt` is not what the merchant chose".to_owned()
                }
                _ => continue,
            };
            say(format!("tab {}: {what}", note.tab()));
        }
    }

    /// What the last page found.
    fn look_at_the_end(&self, say: &mut dyn FnMut(&str), left: &Value) {
        for note in self.all("connection") {
            match (note.0["found"] == true, self.has) {
                (false, true) => say("no connection record after a pick-up"),
                (true, false) => say("a connection record without a pick-up"),
                (true, true) if note.0["ereceipt"] != self.run.plan.ereceipts => {
                    say("the connection record's `ereceipt` is not what the merchant chose");
                }
                _ => {}
            }
        }
        if !self.has || self.mode == Mode::Held {
            return;
        }
        let has_persisted = self.all("persisted").next().is_some();
        let is_over = has_persisted || self.all("acknowledged").next().is_some();
        match left.as_u64() {
            None => say("the vault cannot be read"),
            Some(left) if left > 0 && is_over => {
                say("the vault holds a token answer after the hand-over")
            }
            Some(_) => {}
        }
        let had = self.all("handed").any(|note| note.tab() == "last");
        if had && self.all("nothing more to resume").next().is_none() {
            say("`resume` gives an integration whose hand-over is confirmed");
        }
        let only_last = self.all("acknowledged").all(|note| note.tab() == "last");
        if self.run.plan.persist && only_last && !has_persisted {
            say("`persistTokens` was not called until it resolved");
        }
    }
}
