//! What is going to happen in a run: drawn from the seed and the run's number alone, so that one run can be made again.

use super::kind;
use crate::dice::Dice;
use crate::trouble::{Fault, Trouble};
use serde_json::{Value, json};

/// A tab that is gone in the middle of something.
pub struct Kill {
    pub at: &'static str,
    /// The first time that it gets there, or a later one.
    pub nth: u64,
    pub plus: u64,
    pub tab: u64,
}

pub struct Plan {
    /// Through the relay, which has the tokens; else to the service, with a token of the host's.
    pub is_relayed: bool,
    /// Whether the proxy keeps connections open.
    pub keeps: bool,
    /// Of the calls that send an order, in their order.
    pub faults: Vec<Fault>,
    pub kills: Vec<Kill>,
    tabs: Vec<Value>,
}

impl Plan {
    pub fn new(seed: u64, run: u64) -> Self {
        let mut dice = Dice::new(seed, &format!("orders {run}"));
        let faults = faults(&mut dice, run);
        Self {
            is_relayed: run % 2 == 1,
            keeps: faults.iter().any(|fault| fault.trouble == Trouble::Silent),
            faults,
            kills: kills(&mut dice, run),
            tabs: tabs(&mut dice, run),
        }
    }

    /// For the page; `more` is where it goes and with which keys.
    pub fn for_page(&self, run: u64, more: Value) -> Value {
        let kill = |kill: &Kill| json!({"at": kill.at, "nth": kill.nth, "plus": kill.plus, "tab": kill.tab});
        let kills: Vec<Value> = self.kills.iter().map(kill).collect();
        let mut plan = json!({"run": run, "tabs": self.tabs, "kills": kills});
        if let (Some(plan), Value::Object(more)) = (plan.as_object_mut(), more) {
            plan.extend(more);
        }
        plan
    }

    /// The tab that is to be removed when this step is reached for the `nth` time.
    pub fn kill(&self, at: &str, nth: u64) -> Option<&Kill> {
        let mut kills = self.kills.iter();
        kills.find(|kill| kill.at == at && kill.nth == nth)
    }
}

/// Each kind has its turn; one run in ten has none.
fn faults(dice: &mut Dice, run: u64) -> Vec<Fault> {
    let turn = usize::try_from(run % 10).unwrap_or(0);
    let Some(first) = Trouble::ALL.get(turn).copied() else {
        return Vec::new();
    };
    // A connection is kept from the second call on.
    let spare = (first == Trouble::Silent).then_some(Trouble::ErrorBefore);
    let more = (0..dice.below(4)).map(|_| Trouble::ALL[dice.below(9) as usize]);
    let more: Vec<Trouble> = more.collect();
    let troubles = spare.into_iter().chain([first]).chain(more);
    let fault = |trouble| Fault {
        trouble,
        ms: dice.below(1500),
        variant: dice.below(12),
    };
    troubles.map(fault).collect()
}

/// Each kind has its turn, and sometimes one or two more; one run in six has none.
fn kills(dice: &mut Dice, run: u64) -> Vec<Kill> {
    let turn = usize::try_from(run % 6).unwrap_or(0);
    let Some(first) = kind::KILLS.get(turn).copied() else {
        return Vec::new();
    };
    let more = if dice.once_in(3) {
        1 + dice.below(2)
    } else {
        0
    };
    let mut kills = Vec::new();
    for number in 0..=more {
        let at = match number {
            0 => first,
            _ => kind::KILLS[dice.below(kind::KILLS.len() as u64) as usize],
        };
        kills.push(Kill {
            at,
            nth: match number {
                0 if at == kind::KILL_WRITE => 1 + dice.below(4),
                0 => 1,
                _ => 1 + dice.below(4),
            },
            plus: match at {
                kind::KILL_RANDOM => dice.below(1500),
                _ => [0, 0, 1, 3, 10, 30][dice.below(6) as usize],
            },
            tab: dice.below(3),
        });
    }
    kills
}

/// One to three, at once or one after the other, each with some orders.
fn tabs(dice: &mut Dice, run: u64) -> Vec<Value> {
    let together = dice.once_in(2);
    let mut tabs = Vec::new();
    for tab in 0..=dice.below(3) {
        let orders: Vec<Value> = (0..2 + dice.below(4))
            .map(|number| {
                let (total, has_receipt) = (1 + dice.below(100_000), dice.once_in(2));
                // Milliseconds after the one before it. Nobody waits for that one's answer.
                let after = [0, 0, 5, 40, 400, 800][dice.below(6) as usize];
                let id = format!("run-{run}-{tab}-{number}");
                json!({"id": id, "total": total, "hasReceipt": has_receipt, "after": after})
            })
            .collect();
        let start = if together {
            dice.below(60)
        } else {
            dice.below(2000)
        };
        tabs.push(json!({"start": start, "orders": orders}));
    }
    tabs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_plan() {
        let text = |seed| Plan::new(seed, 17).for_page(17, json!({})).to_string();
        assert_eq!(text(5), text(5));
        assert_ne!(text(5), text(6));
    }

    #[test]
    fn a_sample_has_every_kind_whatever_the_seed() {
        for seed in 0..20 {
            let plans: Vec<Plan> = (0..super::super::COMPLETE)
                .map(|run| Plan::new(seed, run))
                .collect();
            for trouble in Trouble::ALL {
                let mut faults = plans.iter().flat_map(|plan| &plan.faults);
                assert!(faults.any(|fault| fault.trouble == trouble), "{trouble:?}");
            }
            for at in kind::KILLS {
                assert!(
                    plans
                        .iter()
                        .any(|plan| plan.kills.iter().any(|kill| kill.at == at)),
                    "{at}"
                );
            }
        }
    }
}
