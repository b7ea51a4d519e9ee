//! Whether a run went as it must: what the tabs were told against what the proxy saw.

use super::plan::Mode;
use super::run::Run;
use serde_json::Value;
use std::collections::BTreeSet;

/// The SDK gives a call's headers 8 s, the browser's storage 10 s, a call 10 s or more, all in milliseconds.
const SHORTEST_LIMIT: u64 = 7_900;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The token set is in hand.
    InHand,
    /// Somebody else with the vendor's keys has it.
    Rival,
    /// It was lost on the way, and the till was told so.
    ToldLost,
    /// Nothing of that.
    Neither,
}

/// What is wrong with a run, by the kind of wrong.
pub struct Verdict {
    pub end: End,
    pub lost: Vec<String>,
    pub twice: Vec<String>,
    pub wrong: Vec<String>,
    /// What the page did to its tabs, by [`super::kind`].
    pub done: Vec<String>,
    /// Whether a token answer was seen to be committed to the vault.
    pub is_durable: bool,
    /// Without tokens.
    pub trace: Vec<(u64, String)>,
}

/// Something that a tab was told.
struct Note<'r> {
    tab: &'r str,
    what: &'r str,
    at: u64,
    more: &'r Value,
}

/// Everything that decides.
struct Case<'r> {
    run: &'r Run,
    notes: Vec<Note<'r>>,
    claims: u64,
    is_rivals: bool,
    unanswered: bool,
    /// Access tokens that a host was given.
    sets: BTreeSet<&'r str>,
    has: bool,
}

impl Verdict {
    pub fn is_red(&self) -> bool {
        !(self.lost.is_empty() && self.twice.is_empty() && self.wrong.is_empty())
    }
}

/// `works` asks with an access token.
pub fn judge(run: &Run, report: &Value, works: &dyn Fn(&str) -> bool) -> Verdict {
    let case = Case::new(run, report);
    let mut verdict = Verdict {
        end: case.end(),
        lost: Vec::new(),
        twice: Vec::new(),
        wrong: Vec::new(),
        done: texts(&report["done"]),
        is_durable: case.all("durable").next().is_some(),
        trace: case.trace(),
    };
    case.look_for_losses(&mut verdict.lost, works);
    case.look_for_doubles(&mut verdict.twice);
    case.look_for_lies(&mut verdict.wrong);
    case.look_at_failures(&mut verdict.wrong);
    case.look_at_the_end(&mut verdict.wrong, &report["left"]);
    verdict
}

impl<'r> Case<'r> {
    fn new(run: &'r Run, report: &'r Value) -> Self {
        let notes: Vec<Note> = report["notes"]
            .as_array()
            .into_iter()
            .flatten()
            .map(Note::new)
            .collect();
        let given = notes
            .iter()
            .filter(|note| matches!(note.what, "handed" | "persist"));
        let sets = given
            .clone()
            .map(|note| note.text("access"))
            .filter(|access| !access.is_empty())
            .collect();
        let has = given.count() > 0;
        let seen = run.seen();
        let (claims, is_rivals, unanswered) = (seen.claims, seen.rival_took, seen.unanswered > 0);
        drop(seen);
        let unanswered = unanswered
            || notes
                .iter()
                .any(|note| note.what == "removed" && note.tab != "last");
        Self {
            run,
            notes,
            claims,
            is_rivals,
            unanswered,
            sets,
            has,
        }
    }

    fn all(&self, what: &str) -> impl Iterator<Item = &Note<'r>> {
        self.notes.iter().filter(move |note| note.what == what)
    }

    fn is_told(&self, code: &str) -> bool {
        self.all("failed")
            .any(|note| note.text("code") == code && note.text("operation") == "fetchTokens")
    }

    fn end(&self) -> End {
        match (self.has, self.is_rivals) {
            (true, _) => End::InHand,
            (false, true) => End::Rival,
            (false, false) if self.is_told("tokens_lost") => End::ToldLost,
            (false, false) => End::Neither,
        }
    }

    /// Whether a host may have confirmed the hand-over before `at`.
    fn may_be_over(&self, at: u64) -> bool {
        self.notes
            .iter()
            .any(|note| matches!(note.what, "acknowledging" | "persisted") && note.at <= at)
    }

    fn look_for_losses(&self, lost: &mut Vec<String>, works: &dyn Fn(&str) -> bool) {
        let mut say = |what: &str| lost.push(what.to_owned());
        let mut durable = self.all("durable").map(|note| note.text("access"));
        if durable.any(|access| !self.sets.contains(access)) {
            say("a token set was durable, and no host was given it");
        }
        if !self.has {
            match (self.is_rivals, self.run.plan.mode) {
                (true, _) => {}
                (false, Mode::Plain) if self.claims == 0 => {
                    say("nobody picked the tokens up, and they were there to be had")
                }
                (false, Mode::Plain) => {}
                (false, _) => say("no tab and no later page got the tokens"),
            }
            return;
        }
        let is_held = self.run.plan.mode == Mode::Held;
        let access = self.sets.iter().next().copied().unwrap_or_default();
        if self.sets.len() <= 1 && !works(access) {
            say("what was handed out does not work");
        }
        let opened = self
            .notes
            .iter()
            .find(|note| note.tab == "last")
            .map_or(u64::MAX, |note| note.at);
        let next_page_has = self.all("handed").any(|note| note.tab == "last");
        if !(is_held || self.may_be_over(opened) || next_page_has) {
            say(
                "a tab had the tokens, nobody confirmed the hand-over, and the next page does not have them",
            );
        }
    }

    fn look_for_doubles(&self, twice: &mut Vec<String>) {
        if self.sets.len() > 1 {
            twice.push(format!(
                "{} different token sets were handed out",
                self.sets.len()
            ));
        }
        if self.claims > 1 {
            twice.push(format!(
                "the service answered {} pick-ups with 200",
                self.claims
            ));
        }
        if self.run.plan.mode != Mode::Held && self.all("handed").any(|note| self.is_late(note)) {
            twice.push("handed out again after they were acknowledged".to_owned());
        }
    }

    /// Whether a set was handed out after a page had said that its host has it. A page that had the set before may give
    /// it to its own host once more.
    fn is_late(&self, note: &Note) -> bool {
        let asked = note.more["asked"].as_u64().unwrap_or(0);
        let mut over = self.all("acknowledged").filter(|over| asked > over.at + 20);
        let had = |over: &Note| {
            self.all("handed")
                .any(|before| before.tab == note.tab && before.at <= over.at)
        };
        over.any(|over| over.tab == note.tab || !had(over))
    }

    /// Codes of `fetchTokens` that say what is not so.
    fn look_for_lies(&self, wrong: &mut Vec<String>) {
        let fetches = self
            .all("failed")
            .filter(|note| note.text("operation") == "fetchTokens");
        for note in fetches {
            let code = note.text("code");
            let is_true = match code {
                "tokens_lost" => {
                    !self.has
                        && self.claims > 0
                        && self.unanswered
                        && (self.is_rivals || self.run.plan.mode == Mode::Plain)
                }
                "tokens_already_retrieved" => self.is_rivals || self.may_be_over(note.at),
                _ => self.may_pass(note) || is_slow(note),
            };
            if !is_true {
                wrong.push(format!(
                    "tab {}: fetchTokens failed with `{code}`, which is not so",
                    note.tab
                ));
            }
        }
        if !self.has
            && self.run.plan.mode == Mode::Plain
            && !self.is_rivals
            && !self.is_told("tokens_lost")
            && self.claims > 0
        {
            wrong.push("a loss, and nobody was told `tokens_lost`".to_owned());
        }
        if !self.has
            && self.is_rivals
            && !self.is_told("tokens_lost")
            && !self.is_told("tokens_already_retrieved")
        {
            wrong.push("a rival took the tokens, and nobody was told".to_owned());
        }
    }

    /// A fault of ours can have caused it, and it says that it may pass.
    fn may_pass(&self, note: &Note) -> bool {
        let codes = ["network", "server_error", "timeout", "rate_limited"];
        codes.contains(&note.text("code"))
            && note.more["retryable"] == true
            && self.run.plan.is_faulty()
    }

    fn look_at_failures(&self, wrong: &mut Vec<String>) {
        for note in &self.notes {
            let (tab, operation) = (note.tab, note.text("operation"));
            match note.what {
                "failed" if note.more["known"] != true => {
                    wrong.push(format!(
                        "tab {tab}: {operation} failed with something else than a PosConnectError: {}",
                        note.text("code")
                    ));
                }
                "failed" if operation == "acknowledgeTokens" && self.may_pass(note) => {}
                "failed" if is_slow(note) => {}
                "failed" if operation != "fetchTokens" => {
                    wrong.push(format!(
                        "tab {tab}: {operation} failed with `{}`",
                        note.text("code")
                    ));
                }
                "pending" => wrong.push(format!(
                    "tab {tab}: {operation} did not settle within 180 s"
                )),
                "gave up" => wrong.push(format!(
                    "tab {tab}: fetchTokens failed as often as it was called"
                )),
                "handed" if note.more["ereceipt"] != self.run.plan.ereceipts => {
                    wrong.push(format!(
                        "tab {tab}: `ereceipt` is not what the merchant chose"
                    ));
                }
                _ => {}
            }
        }
    }

    /// What the last page found.
    fn look_at_the_end(&self, wrong: &mut Vec<String>, left: &Value) {
        let mut say = |what: &str| wrong.push(what.to_owned());
        for note in self.all("connection") {
            if note.more["found"] != self.has {
                say(if self.has {
                    "no connection record after a pick-up"
                } else {
                    "a connection record without a pick-up"
                });
            } else if self.has && note.more["ereceipt"] != self.run.plan.ereceipts {
                say("the connection record's `ereceipt` is not what the merchant chose");
            }
        }
        let is_kept = self.run.plan.mode == Mode::Held;
        if !self.has || is_kept {
            return;
        }
        let is_over = self
            .all("acknowledged")
            .chain(self.all("persisted"))
            .next()
            .is_some();
        match left.as_u64() {
            None => say("the vault cannot be read"),
            Some(left) if left > 0 && is_over => {
                say("the vault holds a token answer after the hand-over")
            }
            Some(_) => {}
        }
        let had = self.all("handed").any(|note| note.tab == "last");
        if had && self.all("nothing more to resume").next().is_none() {
            say("`resume` gives an integration whose hand-over is confirmed");
        }
        if self.run.plan.persists()
            && self.all("acknowledged").all(|note| note.tab == "last")
            && self.all("persisted").next().is_none()
        {
            say("`persistTokens` was not called until it resolved");
        }
    }

    fn trace(&self) -> Vec<(u64, String)> {
        let seen = self.run.seen();
        let mut trace = seen.trace.clone();
        let set_of = |access: &str| {
            seen.issued
                .iter()
                .position(|issued| issued == access)
                .map_or("unknown".to_owned(), |at| at.to_string())
        };
        for note in &self.notes {
            let mut line = format!("  tab {}: {}", note.tab, note.what);
            for name in ["operation", "code", "behavior"] {
                match note.text(name) {
                    "" => {}
                    text => line.push_str(&format!(" {text}")),
                }
            }
            match note.text("access") {
                "" => {}
                access => line.push_str(&format!(" set {}", set_of(access))),
            }
            trace.push((note.at, line));
        }
        trace.sort_by_key(|(at, _)| *at);
        trace
    }
}

impl<'r> Note<'r> {
    fn new(more: &'r Value) -> Self {
        let text = |name: &str| more[name].as_str().unwrap_or_default();
        Self {
            tab: text("tab"),
            what: text("what"),
            at: more["at"].as_u64().unwrap_or(0),
            more,
        }
    }

    fn text(&self, name: &str) -> &'r str {
        self.more[name].as_str().unwrap_or_default()
    }
}

/// Something took longer than the SDK waits, which it says: the machine was busy. Where it could be right to say so, it
/// still has to get the tokens in the end.
fn is_slow(note: &Note) -> bool {
    matches!(note.text("code"), "timeout" | "vault_failed")
        && note.more["retryable"] == true
        && note.more["took"].as_u64() >= Some(SHORTEST_LIMIT)
}

fn texts(list: &Value) -> Vec<String> {
    let list = list.as_array().into_iter().flatten();
    list.filter_map(|text| text.as_str().map(str::to_owned))
        .collect()
}
