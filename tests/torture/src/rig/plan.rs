//! What is going to happen in a run: drawn from the seed and the run's number alone, so that one run can be made again.

use super::Subject;
use super::fault::{
    Fault, KILLS_OF_ORDERS, KILLS_OF_TOKENS, Kill, PERSIST, PROCESSED, RANDOM, RESOLVED, STORAGE,
    Trouble, WRITE,
};
use crate::dice::Dice;
use serde_json::{Value, json};

#[derive(Default)]
pub struct Plan {
    /// Whether the service is the specification's alone: no `pickup_id`, no reissue.
    pub is_plain: bool,
    /// Whether the proxy keeps connections open.
    pub keeps: bool,
    /// What fails of the calls of the till, in their order.
    pub faults: Vec<Fault>,
    pub kills: Vec<Kill>,
    tabs: Vec<Value>,
    /// What the storage does.
    storage: Option<&'static str>,
    /// Whether the host has a `persistTokens`.
    pub persist: bool,
}

/// The service reissues three times, so four lost answers in a row lose a token set for good.
const LOSSES: u64 = 3;

impl Plan {
    pub fn new(subject: Subject, seed: u64, run: u64) -> Self {
        let dice = Dice::new(seed, &format!("{} {run}", subject.name()));
        let mut plan = match subject {
            Subject::Tokens => Self::with_tokens(dice, run),
            Subject::Orders => Self::with_orders(dice, run),
        };
        let mut faults = plan.faults.iter();
        plan.keeps = faults.any(|fault| fault.trouble == Trouble::Silent);
        plan
    }

    /// Each kind has its turn, of faults and of kills. The eighth turn of the kills is nobody's.
    fn with_tokens(mut dice: Dice, run: u64) -> Self {
        let first = KILLS_OF_TOKENS.get((run % 8) as usize).copied();
        let persist = first == Some(PERSIST) || (run + run / 8).is_multiple_of(2);
        let steps = &KILLS_OF_TOKENS[..KILLS_OF_TOKENS.len() - usize::from(!persist)];
        let nth = |dice: &mut Dice, at: &str| match at {
            WRITE => 1 + dice.below(5),
            _ if at.contains("answer") => 1 + dice.below(3) / 2,
            _ => 1,
        };
        let kills = kills(&mut dice, first, steps, nth, 4000);
        let is_plain = run.is_multiple_of(3);
        let first = kills.first().map(|kill| kill.at);
        let mut losses = match is_plain {
            // What is to die with its tokens in hand must get them.
            true if matches!(first, Some(RESOLVED | PERSIST)) => 0,
            true => u64::MAX,
            false => LOSSES - kills.len() as u64,
        };
        let mut faults = faults(&mut dice, run, &mut losses);
        for fault in &mut faults {
            // To a client without a `pickup_id` a call that the browser repeated looks like a stranger's.
            if is_plain && fault.trouble == Trouble::Silent {
                fault.trouble = Trouble::DropAfter;
            }
        }
        Self {
            is_plain,
            faults,
            tabs: token_tabs(&mut dice),
            kills,
            persist,
            ..Self::default()
        }
    }

    fn with_orders(mut dice: Dice, run: u64) -> Self {
        let mut faults = faults(&mut dice, run, &mut u64::MAX.clone());
        // A connection is kept from the second call on.
        if faults
            .first()
            .is_some_and(|fault| fault.trouble == Trouble::Silent)
        {
            let first = Fault {
                trouble: Trouble::ErrorBefore,
                ms: 0,
                variant: dice.below(12),
            };
            faults.insert(0, first);
        }
        let first = KILLS_OF_ORDERS[(run % 7) as usize];
        let nth = |dice: &mut Dice, at: &str| match at {
            WRITE => 1 + dice.below(4),
            _ => 1 + dice.below(2),
        };
        Self {
            faults,
            kills: kills(&mut dice, Some(first), &KILLS_OF_ORDERS, nth, 1500),
            storage: [None, None, Some(STORAGE[0]), None, Some(STORAGE[1])][(run % 5) as usize],
            tabs: order_tabs(&mut dice, run),
            ..Self::default()
        }
    }

    /// For the page; `more` is where it goes and with which keys.
    pub fn for_page(&self, run: u64, more: Value) -> Value {
        let kill = |kill: &Kill| json!({"at": kill.at, "nth": kill.nth, "plus": kill.plus, "tab": kill.tab});
        let mut plan = json!({
            "run": run,
            "persist": self.persist,
            "waits": self.kills.iter().any(|kill| kill.at == PERSIST),
            "tabs": self.tabs,
            "storage": self.storage,
            "kills": self.kills.iter().map(kill).collect::<Vec<_>>(),
        });
        if let (Some(plan), Value::Object(more)) = (plan.as_object_mut(), more) {
            plan.extend(more);
        }
        plan
    }

    /// The removal for which the answer to the `nth` call waits.
    pub fn kill_at_answer(&self, nth: u64) -> Option<&Kill> {
        let mut kills = self.kills.iter();
        kills.find(|kill| kill.at == PROCESSED && kill.nth == nth)
    }
}

/// One of the kind whose turn it is, at the first time that a tab gets there unless it is a write; and sometimes one or
/// two more.
fn kills(
    dice: &mut Dice,
    first: Option<&'static str>,
    steps: &[&'static str],
    nth: impl Fn(&mut Dice, &str) -> u64,
    latest: u64,
) -> Vec<Kill> {
    let more = if dice.once_in(3) {
        1 + dice.below(2)
    } else {
        0
    };
    let mut ats: Vec<_> = first.into_iter().collect();
    ats.extend((0..more).map(|_| steps[dice.below(steps.len() as u64) as usize]));
    let kill = |(number, at): (usize, &'static str)| Kill {
        at,
        nth: match nth(dice, at) {
            _ if number == 0 && at != WRITE => 1,
            nth => nth,
        },
        plus: match at {
            RANDOM => dice.below(latest),
            _ => [0, 0, 1, 3, 10, 30][dice.below(6) as usize],
        },
        tab: dice.below(3),
    };
    ats.into_iter().enumerate().map(kill).collect()
}

/// The one whose turn it is, and up to three more; one turn in ten has none.
fn faults(dice: &mut Dice, turn: u64, losses: &mut u64) -> Vec<Fault> {
    let Some(first) = Trouble::ALL.get((turn % 10) as usize) else {
        return Vec::new();
    };
    let more = (0..dice.below(4)).map(|_| Trouble::ALL[dice.below(9) as usize]);
    let troubles: Vec<Trouble> = [*first].into_iter().chain(more).collect();
    let fault = |drawn: Trouble| {
        let trouble = if drawn.loses() && *losses == 0 {
            Trouble::Delay
        } else {
            drawn
        };
        *losses -= u64::from(trouble.loses());
        Fault {
            trouble,
            ms: dice.below(1500),
            variant: dice.below(12),
        }
    };
    troubles.into_iter().map(fault).collect()
}

/// The first one creates the integration; then it goes on, or is reloaded.
fn token_tabs(dice: &mut Dice) -> Vec<Value> {
    let (together, count) = (dice.once_in(2), 2 + dice.below(3));
    let tab = |number| {
        json!({
            "own": number == 0 && dice.once_in(2),
            "start": if together { dice.below(60) } else { dice.below(3000) },
            "repeats": dice.once_in(3),
        })
    };
    (0..count).map(tab).collect()
}

/// One to three, at once or one after the other, each with some orders.
fn order_tabs(dice: &mut Dice, run: u64) -> Vec<Value> {
    let (together, count) = (dice.once_in(2), 1 + dice.below(3));
    let tab = |tab| {
        let orders: Vec<Value> = (0..2 + dice.below(4))
            .map(|number| order(dice, run, tab, number))
            .collect();
        let start = dice.below(if together { 60 } else { 2000 });
        json!({"start": start, "orders": orders})
    };
    (0..count).map(tab).collect()
}

fn order(dice: &mut Dice, run: u64, tab: u64, number: u64) -> Value {
    // The first one's file may be gone.
    let is_first = (tab, number) == (0, 0);
    let has_receipt = dice.once_in(2);
    // Chromium keeps those above 64 KiB in files of their own; 400 is about all that 500 lines can have.
    let is_large = is_first || dice.once_in(4);
    let button = if has_receipt { "send" } else { "print" };
    let shopper = (!is_first && dice.once_in(3))
        .then(|| json!({"pause": dice.below(1200), "button": button}));
    // Milliseconds after the one before it. Nobody waits for that one's answer.
    let after = [0, 0, 5, 40, 400, 800][dice.below(6) as usize];
    json!({
        "id": format!("run-{run}-{tab}-{number}"),
        "total": 1 + dice.below(100_000),
        "hasReceipt": has_receipt,
        "after": after,
        "kib": if is_large { 1 + dice.below(400) } else { 0 },
        "shopper": shopper,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_plan_loses_more_answers_than_the_service_reissues() {
        for run in 0..3000 {
            let plan = Plan::new(Subject::Tokens, 11, run);
            let losing = plan.faults.iter().filter(|fault| fault.trouble.loses());
            assert!(
                plan.is_plain || losing.count() + plan.kills.len() <= 3,
                "run {run}"
            );
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_plan() {
        for subject in [Subject::Tokens, Subject::Orders] {
            let text = |seed| {
                let plan = Plan::new(subject, seed, 17);
                plan.for_page(17, json!({})).to_string()
            };
            assert_eq!(text(5), text(5));
            assert_ne!(text(5), text(6));
        }
    }
}
