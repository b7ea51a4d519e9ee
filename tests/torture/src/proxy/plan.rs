//! What is going to happen in a run: drawn from the seed and the run's number alone, so that one run can be made again.

use super::{again, kind};
use crate::dice::Dice;
use crate::trouble::{Fault, Trouble};
use serde_json::{Value, json};

/// What stands behind the proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The service, as the specification has it: no `pickup_id`, no reissue.
    Plain,
    /// The service as it is.
    Reissue,
    /// A relay that keeps the tokens.
    Held,
    /// A relay that hands them out.
    HandOut,
}

/// A tab that is gone in the middle of something.
pub struct Kill {
    pub at: &'static str,
    /// The first time that it gets there, or a later one.
    pub nth: u64,
    pub plus: u64,
    pub tab: u64,
}

/// Somebody else with the vendor's keys.
pub struct Rival {
    /// Sends a `pickup_id` of its own.
    pub named: bool,
    /// Comes before this token call.
    pub before: usize,
}

pub struct Plan {
    pub mode: Mode,
    /// Whether the proxy keeps connections open.
    pub keeps: bool,
    /// Of the till's token calls, in their order.
    pub faults: Vec<Fault>,
    /// Of the relay's.
    pub relay_faults: Vec<Fault>,
    /// Of the till's acknowledgements to a relay that hands out.
    pub hand_over_faults: Vec<Fault>,
    pub rival: Option<Rival>,
    pub ereceipts: bool,
    /// Whether the host has a `persistTokens`.
    pub persist: bool,
    /// Whether tabs stay until it was called once.
    pub waits: bool,
    pub tabs: Vec<Value>,
    pub kills: Vec<Kill>,
}

/// The service reissues three times, so four lost answers in a row lose a token set for good.
const LOSSES: u64 = 3;

impl Mode {
    pub fn of(run: u64) -> Self {
        match (run % 3, run / 3 % 2) {
            (0, _) => Self::Plain,
            (1, _) => Self::Reissue,
            (_, 0) => Self::Held,
            _ => Self::HandOut,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Reissue => "reissue",
            Self::Held | Self::HandOut => "relay",
        }
    }

    pub fn is_relay(self) -> bool {
        matches!(self, Self::Held | Self::HandOut)
    }
}

impl Kill {
    fn needs_tokens(&self) -> bool {
        matches!(self.at, kind::KILL_RESOLVED | kind::KILL_PERSIST)
    }
}

impl Plan {
    pub fn new(seed: u64, run: u64) -> Self {
        match again::kind_of(run) {
            Some(kind) => again::plan(kind),
            None => Self::drawn(seed, run),
        }
    }

    fn drawn(seed: u64, run: u64) -> Self {
        let mut dice = Dice::new(seed, &format!("run {run}"));
        let mode = Mode::of(run);
        // Each mode sees each kind of fault first, of kill first, and so on, in runs that are few.
        let row = run / 3;
        let persist =
            mode != Mode::Held && ((row / 2 + run).is_multiple_of(2) || (row + run % 3) % 8 == 6);
        let kills = kills(&mut dice, row + run % 3, persist);
        // What is to die with its tokens in hand must get them.
        let gets_tokens = kills.first().is_some_and(Kill::needs_tokens);
        let mut losses = match mode {
            Mode::Reissue => LOSSES - kills.len() as u64,
            Mode::Plain if gets_tokens => 0,
            _ => u64::MAX,
        };
        let hangs = kills.iter().any(|kill| kill.at == kind::KILL_PERSIST);
        let faults = faults(&mut dice, mode, row, &mut losses);
        let mut relay_losses = LOSSES;
        let relay_faults = match mode.is_relay() {
            true => faults_of(&mut dice, row + 4, &mut relay_losses, &Trouble::ALL),
            false => Vec::new(),
        };
        let hand_over_faults = match mode {
            Mode::HandOut => faults_of(&mut dice, row / 2, &mut u64::MAX.clone(), &Trouble::ALL),
            _ => Vec::new(),
        };
        let rival = [0, 7].contains(&(row % 8)).then(|| Rival {
            named: row % 8 == 7,
            before: if row < 8 { 0 } else { dice.below(2) as usize },
        });
        Self {
            mode,
            keeps: faults.iter().any(|fault| fault.trouble == Trouble::Silent),
            faults,
            relay_faults,
            hand_over_faults,
            rival,
            ereceipts: run.is_multiple_of(2),
            persist,
            waits: hangs,
            tabs: tabs(&mut dice, if hangs { 0 } else { row }, persist),
            kills,
        }
    }

    /// For the page; `more` is where it goes and with which keys.
    pub fn for_page(&self, run: u64, more: Value) -> Value {
        let kill = |kill: &Kill| json!({"at": kill.at, "nth": kill.nth, "plus": kill.plus, "tab": kill.tab});
        let mut plan = json!({
            "run": run,
            "persist": self.persist,
            "waits": self.waits,
            "held": self.mode == Mode::Held,
            "ereceipt": self.ereceipts,
            "tabs": self.tabs,
            "kills": self.kills.iter().map(kill).collect::<Vec<_>>(),
        });
        if let (Some(plan), Value::Object(more)) = (plan.as_object_mut(), more) {
            plan.extend(more);
        }
        plan
    }

    pub fn persists(&self) -> bool {
        self.persist
    }

    /// The tab that is to be removed when this step is reached for the `nth` time.
    pub fn kill(&self, at: &str, nth: u64) -> Option<&Kill> {
        self.kills
            .iter()
            .find(|kill| kill.at == at && kill.nth == nth)
    }

    /// Whether a fault can have kept a call from its answer.
    pub fn is_faulty(&self) -> bool {
        !(self.faults.is_empty()
            && self.relay_faults.is_empty()
            && self.hand_over_faults.is_empty())
    }
}

/// One of the kind whose turn it is, and sometimes one or two more.
fn kills(dice: &mut Dice, turn: u64, persist: bool) -> Vec<Kill> {
    let steps: &[&'static str] = match persist {
        true => &kind::KILLS,
        false => &kind::KILLS[..kind::KILLS.len() - 1],
    };
    let mut kills = Vec::new();
    let more = if dice.once_in(3) {
        1 + dice.below(2)
    } else {
        0
    };
    let begin = turn % 8;
    for number in 0..=more {
        // The eighth turn is nobody's.
        let at = match number {
            0 if begin == 7 => continue,
            0 => kind::KILLS[begin as usize],
            _ => steps[dice.below(steps.len() as u64) as usize],
        };
        let at = if steps.contains(&at) {
            at
        } else {
            kind::KILL_WRITE
        };
        kills.push(Kill {
            at,
            nth: match at {
                kind::KILL_WRITE => 1 + dice.below(5),
                kind::KILL_SEND | kind::KILL_PROCESSED | kind::KILL_DELIVERED => {
                    1 + dice.below(3) / 2
                }
                _ => 1,
            },
            plus: match at {
                kind::KILL_RANDOM => dice.below(4000),
                kind::KILL_PERSIST => 5 + dice.below(100),
                _ => [0, 0, 1, 3, 10, 30][dice.below(6) as usize],
            },
            tab: dice.below(3),
        });
    }
    kills
}

fn faults(dice: &mut Dice, mode: Mode, row: u64, losses: &mut u64) -> Vec<Fault> {
    let mut kinds = Trouble::ALL;
    // To a client without a `pickup_id` a call that the browser repeated looks like a stranger's: nothing could tell
    // them apart.
    if mode == Mode::Plain {
        kinds[6] = Trouble::DropAfter;
    }
    faults_of(dice, row, losses, &kinds)
}

fn faults_of(dice: &mut Dice, turn: u64, losses: &mut u64, kinds: &[Trouble; 9]) -> Vec<Fault> {
    // One turn in ten has none.
    let first = usize::try_from(turn % 10)
        .ok()
        .and_then(|turn| kinds.get(turn));
    let more = dice.below(4);
    let mut faults = Vec::new();
    for number in 0..=more {
        let drawn = match (number, first) {
            (0, None) => break,
            (0, Some(first)) => *first,
            _ => kinds[dice.below(9) as usize],
        };
        let trouble = if drawn.loses() && *losses == 0 {
            Trouble::Delay
        } else {
            drawn
        };
        *losses -= u64::from(trouble.loses());
        faults.push(Fault {
            trouble,
            ms: dice.below(1500),
            variant: dice.below(12),
        });
    }
    faults
}

/// The first one creates the integration; then it goes on, or is reloaded.
fn tabs(dice: &mut Dice, row: u64, persist: bool) -> Vec<Value> {
    let together = dice.once_in(2);
    let mut tabs = Vec::new();
    for number in 0..=1 + dice.below(3) {
        let behaviors = ["hang", "reject", "resolve"];
        let hand_over: Vec<&str> = (0..1 + dice.below(2))
            .map(|again| behaviors[((row / 2 + again) % 3) as usize])
            .collect();
        tabs.push(json!({
            "own": number == 0 && dice.once_in(2),
            "start": if together { dice.below(60) } else { dice.below(3000) },
            "repeats": dice.once_in(3),
            "acknowledges": !persist && dice.once_in(5),
            "persist": hand_over,
        }));
    }
    tabs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_plan_loses_more_answers_than_the_service_reissues() {
        for run in 0..3000 {
            let plan = Plan::new(11, run);
            let losing =
                |faults: &[Fault]| faults.iter().filter(|fault| fault.trouble.loses()).count();
            let kills = if plan.mode == Mode::Reissue {
                plan.kills.len()
            } else {
                0
            };
            if plan.mode != Mode::Plain && !plan.mode.is_relay() {
                assert!(losing(&plan.faults) + kills <= 3, "run {run}");
            }
            assert!(losing(&plan.relay_faults) <= 3, "run {run}");
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_plan() {
        let text = |seed| Plan::new(seed, 17).for_page(17, json!({})).to_string();
        assert_eq!(text(5), text(5));
        assert_ne!(text(5), text(6));
    }
}
