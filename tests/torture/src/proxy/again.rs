//! What did not come up in a sample is done once more, in runs that have nothing else in their way. So whether a kind
//! of fault comes up hangs neither on the seed nor on the machine's pace; where it does not even then, the harness is
//! broken.

use super::kind;
use super::plan::{Kill, Mode, Plan, Rival};
use crate::trouble::{Fault, Trouble};
use serde_json::{Value, json};

/// How often a kind is tried.
pub const TRIES: u64 = 3;
/// The numbers of such runs, so that `--run` finds them; no sample is that long.
const FIRST: u64 = 1_000_000;
/// More than there are kinds: numbers are for reading.
const EACH: u64 = 100;

/// A run for each of the kinds.
pub fn runs(kinds: &[&str], attempt: u64) -> Vec<u64> {
    let index = |name: &&str| kind::ALL.iter().position(|known| known == name);
    let found = kinds.iter().filter_map(index);
    found
        .map(|index| FIRST + attempt * EACH + index as u64)
        .collect()
}

/// What a run with such a number is for.
pub fn kind_of(run: u64) -> Option<&'static str> {
    let index = run.checked_sub(FIRST)? % EACH;
    kind::ALL.get(usize::try_from(index).ok()?).copied()
}

/// Two tabs, and the only thing that happens to them is this.
pub fn plan(kind: &'static str) -> Plan {
    let mut plan = Plan {
        mode: Mode::Reissue,
        keeps: false,
        faults: faults(kind),
        relay_faults: Vec::new(),
        hand_over_faults: Vec::new(),
        rival: None,
        ereceipts: true,
        persist: false,
        waits: false,
        tabs: tabs(&[]),
        kills: Vec::new(),
    };
    match kind {
        kind::HAND_OVER => {
            plan.mode = Mode::HandOut;
            plan.hand_over_faults = vec![fault(Trouble::DropBefore)];
        }
        kind::SILENT => plan.keeps = true,
        kind::RIVAL | kind::RIVAL_NAMED => {
            plan.rival = Some(Rival {
                named: kind == kind::RIVAL_NAMED,
                before: 0,
            });
        }
        kind::KILL_PERSIST => host(&mut plan, &["hang"]),
        kind::PERSIST_HANG => host(&mut plan, &["hang", "resolve"]),
        kind::PERSIST_REJECT => host(&mut plan, &["reject", "resolve"]),
        _ => {}
    }
    if kind::KILLS.contains(&kind) {
        plan.kills.push(Kill {
            at: kind,
            nth: 1,
            plus: 0,
            tab: 0,
        });
    }
    plan
}

fn faults(kind: &str) -> Vec<Fault> {
    let troubles: &[Trouble] = match kind {
        kind::DROP_BEFORE => &[Trouble::DropBefore],
        kind::DROP_AFTER => &[Trouble::DropAfter],
        kind::CUT => &[Trouble::Cut],
        kind::DELAY => &[Trouble::Delay],
        kind::TWICE => &[Trouble::Twice],
        kind::ERROR_BEFORE => &[Trouble::ErrorBefore],
        kind::ERROR_AFTER => &[Trouble::ErrorAfter],
        kind::TOO_MANY => &[Trouble::TooMany],
        // The refused call keeps the connection open for the one after it.
        kind::SILENT => &[Trouble::ErrorBefore, Trouble::Silent],
        _ => &[],
    };
    troubles.iter().copied().map(fault).collect()
}

fn fault(trouble: Trouble) -> Fault {
    Fault {
        trouble,
        ms: 500,
        variant: 0,
    }
}

fn tabs(persist: &[&str]) -> Vec<Value> {
    let tab = |own: bool| json!({"own": own, "start": 0, "repeats": false, "acknowledges": false, "persist": persist});
    vec![tab(true), tab(false)]
}

/// With a `persistTokens` that behaves so, in each tab.
fn host(plan: &mut Plan, behaviors: &[&str]) {
    plan.persist = true;
    plan.waits = true;
    plan.tabs = tabs(behaviors);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_says_what_its_run_is_for() {
        for attempt in 0..TRIES {
            let runs = runs(&kind::ALL, attempt);
            let kinds: Vec<_> = runs.iter().copied().filter_map(kind_of).collect();
            assert_eq!(kinds, kind::ALL);
        }
        assert_eq!(kind_of(49), None);
    }

    #[test]
    fn every_kind_has_a_plan_that_does_it_whatever_the_seed() {
        for (run, kind) in runs(&kind::ALL, 1).into_iter().zip(kind::ALL) {
            let plan = Plan::new(run, run);
            let hand_over = plan.hand_over_faults.len();
            let behaviors = plan.tabs[0]["persist"][0].as_str();
            let done = match kind {
                kind::HAND_OVER => hand_over == 1,
                kind::RIVAL => plan.rival.is_some_and(|rival| !rival.named),
                kind::RIVAL_NAMED => plan.rival.is_some_and(|rival| rival.named),
                kind::PERSIST_HANG => behaviors == Some("hang") && plan.kills.is_empty(),
                kind::PERSIST_REJECT => behaviors == Some("reject"),
                kind if kind::KILLS.contains(&kind) => plan.kill(kind, 1).is_some(),
                _ => !plan.faults.is_empty(),
            };
            assert!(done, "{kind}");
        }
    }
}
