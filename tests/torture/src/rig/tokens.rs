//! What must hold for tokens: they come once, and are never lost without a word.

use super::run::Run;
use super::verdict::{LOST, Note, TWICE, Verdict, WRONG};
use serde_json::Value;
use std::collections::BTreeSet;

/// What is counted, and without which a sample shows nothing.
pub const ROWS: [&str; 4] = [DURABLE, IN_HAND, TOLD_LOST, "runs"];
pub const NEEDED: [&str; 2] = [DURABLE, IN_HAND];
const DURABLE: &str = "committed to the vault before anybody heard of it";
const IN_HAND: &str = "in hand";
const TOLD_LOST: &str = "told lost";

/// Everything that decides.
struct Case<'r> {
    run: &'r Run,
    notes: Vec<Note<'r>>,
    claims: u64,
    /// Whether an answer may have been lost on the way.
    unanswered: bool,
    /// Access tokens that a host was given.
    sets: BTreeSet<&'r str>,
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
    verdict.count(IN_HAND, !case.sets.is_empty());
    verdict.count(TOLD_LOST, case.is_told_lost());
    verdict.count("runs", true);
    verdict.count(DURABLE, case.has("durable"));
    case.look_for_losses(&mut |what| verdict.blame(LOST, what), works);
    case.look_for_doubles(&mut |what| verdict.blame(TWICE, what));
    let mut wrong = |what: String| verdict.blame(WRONG, what);
    case.look_at_failures(&mut wrong);
    case.look_at_the_end(&mut |what| wrong(what.to_owned()), left);
}

impl<'r> Case<'r> {
    fn new(run: &'r Run, notes: Vec<Note<'r>>) -> Self {
        let given = notes
            .iter()
            .filter(|note| matches!(note.what(), "handed" | "persist"));
        let (claims, unanswered) = {
            let seen = run.seen();
            (seen.claims, seen.unanswered)
        };
        let is_gone = |note: &Note<'_>| note.what() == "removed" && note.tab() != "last";
        Self {
            run,
            claims,
            unanswered: unanswered || notes.iter().any(is_gone),
            sets: given.map(|note| note.text("access")).collect(),
            notes,
        }
    }

    fn all(&self, what: &str) -> impl Iterator<Item = &Note<'r>> {
        self.notes.iter().filter(move |note| note.what() == what)
    }

    fn has(&self, what: &str) -> bool {
        self.all(what).next().is_some()
    }

    fn is_told_lost(&self) -> bool {
        self.all("failed")
            .any(|note| note.text("code") == "tokens_lost")
    }

    /// Whether the answer with the tokens was lost, and the service does not give them again.
    fn may_be_lost(&self) -> bool {
        self.run.plan.is_plain && self.sets.is_empty() && self.claims > 0 && self.unanswered
    }

    /// Whether the last page was given the tokens.
    fn next_page_has(&self) -> bool {
        self.all("handed").any(|note| note.tab() == "last")
    }

    /// Whether a host may have confirmed the hand-over before `at`.
    fn may_be_over(&self, at: u64) -> bool {
        let mut notes = self.notes.iter();
        notes.any(|note| matches!(note.what(), "acknowledging" | "persisted") && note.at() <= at)
    }

    fn look_for_losses(&self, say: &mut dyn FnMut(&str), works: &dyn Fn(&str) -> bool) {
        let is_given = |note: &Note<'_>| self.sets.contains(note.text("access"));
        if !self.all("durable").all(is_given) {
            say("a token set was durable, and no host was given it");
        }
        let Some(access) = self.sets.first() else {
            if !(self.may_be_lost() && self.is_told_lost()) {
                say("nobody got the tokens, or was told why");
            }
            return;
        };
        if self.sets.len() == 1 && !works(access) {
            say("what was handed out does not work");
        }
        let opened = self.notes.iter().find(|note| note.tab() == "last");
        let opened = opened.map_or(u64::MAX, Note::at);
        if !(self.may_be_over(opened) || self.next_page_has()) {
            say(
                "a tab had the tokens, nobody confirmed the hand-over, and the next page does not have them",
            );
        }
    }

    fn look_for_doubles(&self, say: &mut dyn FnMut(String)) {
        let (sets, claims) = (self.sets.len(), self.claims);
        if sets > 1 {
            say(format!("{sets} different token sets were handed out"));
        }
        if claims > 1 {
            say(format!("the service answered {claims} pick-ups with 200"));
        }
        if self.all("handed").any(|note| self.is_late(note)) {
            say("handed out again after they were acknowledged".to_owned());
        }
    }

    /// Whether a set was handed out after the last page had said that its host has it.
    fn is_late(&self, note: &Note<'_>) -> bool {
        let asked = note.0["asked"].as_u64().unwrap_or(0);
        self.all("acknowledged").any(|over| asked > over.at() + 20)
    }

    /// Codes that say what is not so, and what never came to an end.
    fn look_at_failures(&self, say: &mut dyn FnMut(String)) {
        for note in &self.notes {
            let (operation, code) = (note.text("operation"), note.text("code"));
            let what = match note.what() {
                "failed" if note.0["known"] != true || note.is_slow() => continue,
                "failed" if operation == "fetchTokens" && self.may_pass(note) => continue,
                "failed" => format!("{operation} failed with `{code}`, which is not so"),
                "pending" => format!("{operation} did not settle within 180 s"),
                "gave up" => "fetchTokens failed as often as it was called".to_owned(),
                _ => continue,
            };
            say(format!("tab {}: {what}", note.tab()));
        }
    }

    /// A fault of ours can have caused it, and it says that it may pass; or the host has the tokens.
    fn may_pass(&self, note: &Note<'_>) -> bool {
        match note.text("code") {
            "tokens_lost" => self.may_be_lost(),
            "tokens_already_retrieved" => self.may_be_over(note.at()),
            "network" | "server_error" | "timeout" | "rate_limited" => {
                note.0["retryable"] == true && !self.run.plan.faults.is_empty()
            }
            _ => false,
        }
    }

    /// What the last page found.
    fn look_at_the_end(&self, say: &mut dyn FnMut(&str), left: &Value) {
        let has = !self.sets.is_empty();
        for note in self.all("connection") {
            match (note.0["found"] == true, has) {
                (false, true) => say("no connection record after a pick-up"),
                (true, false) => say("a connection record without a pick-up"),
                _ => {}
            }
        }
        if !has {
            return;
        }
        match left.as_u64() {
            None => say("the vault cannot be read"),
            Some(left) if left > 0 && (self.has("persisted") || self.has("acknowledged")) => {
                say("the vault holds a token answer after the hand-over")
            }
            Some(_) => {}
        }
        if self.next_page_has() && !self.has("nothing more to resume") {
            say("`resume` gives an integration whose hand-over is confirmed");
        }
        if self.run.plan.persist && !self.has("persisted") {
            say("`persistTokens` was not called until it resolved");
        }
    }
}
