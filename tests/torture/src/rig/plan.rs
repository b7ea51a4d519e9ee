//! What is going to happen in a run: drawn from the seed and the run's number alone, so that one run can be made again.

use super::Subject;
use super::fault::{
    FREEZE, Fault, GONE, HAND_OVER, KILL_ASKED, KILL_DELIVERED, KILL_PERSIST, KILL_PROCESSED,
    KILL_RANDOM, KILL_RESOLVED, KILL_SEND, KILL_WRITE, KINDS, Kill, MISREAD, PERSIST_HANG,
    PERSIST_REJECT, RIVAL, RIVAL_NAMED, Trouble,
};
use super::run::Side;
use crate::dice::Dice;
use serde_json::{Value, json};

/// What stands behind the proxy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// The service, as the specification has it: no `pickup_id`, no reissue.
    Plain,
    /// The service as it is.
    #[default]
    Reissue,
    /// A relay that keeps the tokens.
    Held,
    /// A relay that hands them out.
    HandOut,
}

/// Somebody else with the vendor's keys.
pub struct Rival {
    /// Sends a `pickup_id` of its own.
    pub named: bool,
    /// Comes before this token call.
    pub before: usize,
}

#[derive(Default)]
pub struct Plan {
    pub mode: Mode,
    /// Whether the proxy keeps connections open.
    pub keeps: bool,
    /// The faults of each [`Side`]'s calls, in their order.
    pub faults: [Vec<Fault>; 3],
    pub kills: Vec<Kill>,
    pub tabs: Vec<Value>,
    pub rival: Option<Rival>,
    /// What the storage does.
    pub storage: Option<&'static str>,
    pub ereceipts: bool,
    /// Whether the host has a `persistTokens`.
    pub persist: bool,
    /// Whether tabs stay until it was called once.
    pub waits: bool,
}

/// How often a kind that has not come up is tried.
pub const TRIES: u64 = 3;
/// The numbers of runs that are made for one kind, so that `--run` finds them; no sample is that long.
const FIRST: u64 = 1_000_000;
/// More than there are kinds: numbers are for reading.
const EACH: u64 = 100;
/// The service reissues three times, so four lost answers in a row lose a token set for good.
const LOSSES: u64 = 3;
/// Where a tab with tokens may be removed; the last one only where there is a `persistTokens`.
const TOKEN_KILLS: [&str; 7] = [
    KILL_SEND,
    KILL_PROCESSED,
    KILL_DELIVERED,
    KILL_WRITE,
    KILL_RESOLVED,
    KILL_RANDOM,
    KILL_PERSIST,
];
const ORDER_KILLS: [&str; 6] = [
    KILL_SEND,
    KILL_PROCESSED,
    KILL_WRITE,
    KILL_RESOLVED,
    KILL_ASKED,
    KILL_RANDOM,
];

impl Mode {
    pub fn name(self) -> &'static str {
        ["plain", "reissue", "relay, held", "relay, hand-out"][self as usize]
    }

    pub fn is_relay(self) -> bool {
        matches!(self, Self::Held | Self::HandOut)
    }
}

impl Plan {
    pub fn new(subject: Subject, seed: u64, run: u64) -> Self {
        let kind = run
            .checked_sub(FIRST)
            .and_then(|run| KINDS.get((run % EACH) as usize));
        let mut plan = match (kind, subject) {
            (Some(kind), _) => Self::of_kind(subject, kind, run),
            (None, Subject::Tokens) => {
                Self::with_tokens(Dice::new(seed, &format!("run {run}")), run)
            }
            (None, Subject::Orders) => {
                Self::with_orders(Dice::new(seed, &format!("orders {run}")), run)
            }
        };
        let mut faults = plan.faults[Side::Till as usize].iter();
        plan.keeps = faults.any(|fault| fault.trouble == Trouble::Silent);
        plan
    }

    /// Runs that have nothing else in their way, for what did not come up in a sample. So whether a kind of fault
    /// comes up hangs neither on the seed nor on the machine's pace; where it does not even then, the harness is
    /// broken.
    pub fn again(kinds: &[&str], attempt: u64) -> Vec<u64> {
        let index = |name: &&str| KINDS.iter().position(|known| known == name);
        let found = kinds.iter().filter_map(index);
        found
            .map(|index| FIRST + attempt * EACH + index as u64)
            .collect()
    }

    /// Two tabs, and the only thing that happens to them is this.
    fn of_kind(subject: Subject, kind: &'static str, run: u64) -> Self {
        let fault = |trouble| Fault {
            trouble,
            ms: 500,
            variant: 0,
        };
        let of_call = match Trouble::ALL
            .into_iter()
            .find(|trouble| trouble.name() == kind)
        {
            // The refused call keeps the connection open for the one after it.
            Some(Trouble::Silent) => vec![fault(Trouble::ErrorBefore), fault(Trouble::Silent)],
            Some(trouble) => vec![fault(trouble)],
            None => Vec::new(),
        };
        let is_hand_over = kind == HAND_OVER;
        let of_hand_over = is_hand_over
            .then(|| fault(Trouble::DropBefore))
            .into_iter()
            .collect();
        let persist: &[&str] = match kind {
            KILL_PERSIST => &["hang"],
            PERSIST_HANG => &["hang", "resolve"],
            PERSIST_REJECT => &["reject", "resolve"],
            _ => &[],
        };
        let plus = if kind == KILL_RANDOM { 100 } else { 0 };
        let kill = kind.starts_with("tab ").then_some(Kill {
            at: kind,
            nth: 1,
            plus,
            tab: 0,
        });
        let is_rival = [RIVAL, RIVAL_NAMED].contains(&kind);
        let tab = |tab: u64| match subject {
            Subject::Tokens => {
                json!({"own": tab == 0, "start": 0, "repeats": false, "acknowledges": false, "persist": persist})
            }
            Subject::Orders => {
                let mut orders: Vec<_> = (0..3)
                    .map(|number| order(run, tab, number, 100, true, 300, 100))
                    .collect();
                orders[2]["shopper"] = json!({"pause": 600, "button": "send"});
                json!({"start": 0, "orders": orders})
            }
        };
        Self {
            mode: if is_hand_over {
                Mode::HandOut
            } else {
                Mode::Reissue
            },
            faults: [of_call, Vec::new(), of_hand_over],
            rival: is_rival.then_some(Rival {
                named: kind == RIVAL_NAMED,
                before: 0,
            }),
            storage: kind.starts_with("storage").then_some(kind),
            ereceipts: true,
            persist: !persist.is_empty(),
            waits: !persist.is_empty(),
            tabs: vec![tab(0), tab(1)],
            kills: kill.into_iter().collect(),
            ..Self::default()
        }
    }

    fn with_tokens(mut dice: Dice, run: u64) -> Self {
        let mode = match (run % 3, run / 3 % 2) {
            (0, _) => Mode::Plain,
            (1, _) => Mode::Reissue,
            (_, 0) => Mode::Held,
            _ => Mode::HandOut,
        };
        // Each mode sees each kind of fault first, of kill first, and so on, in runs that are few.
        let row = run / 3;
        let persist =
            mode != Mode::Held && ((row / 2 + run).is_multiple_of(2) || (row + run % 3) % 8 == 6);
        let steps = &TOKEN_KILLS[..TOKEN_KILLS.len() - usize::from(!persist)];
        let nth = |dice: &mut Dice, at: &str, _| match at {
            KILL_WRITE => 1 + dice.below(5),
            KILL_SEND | KILL_PROCESSED | KILL_DELIVERED => 1 + dice.below(3) / 2,
            _ => 1,
        };
        // The eighth turn is nobody's.
        let turn = (row + run % 3) % 8;
        let first = TOKEN_KILLS.get(turn as usize).copied();
        let first = first.map(|at| if steps.contains(&at) { at } else { KILL_WRITE });
        let kills = kills(&mut dice, first, steps, nth, 4000);
        // What is to die with its tokens in hand must get them.
        let needs_tokens = |kill: &Kill| matches!(kill.at, KILL_RESOLVED | KILL_PERSIST);
        let mut losses = match mode {
            Mode::Reissue => LOSSES - kills.len() as u64,
            Mode::Plain if kills.first().is_some_and(needs_tokens) => 0,
            _ => u64::MAX,
        };
        let hangs = kills.iter().any(|kill| kill.at == KILL_PERSIST);
        let mut kinds = Trouble::ALL;
        // To a client without a `pickup_id` a call that the browser repeated looks like a stranger's: nothing could
        // tell them apart.
        if mode == Mode::Plain {
            kinds[6] = Trouble::DropAfter;
        }
        let of_till = faults(&mut dice, row, &mut losses, &kinds);
        let of_relay = match mode.is_relay() {
            true => faults(&mut dice, row + 4, &mut LOSSES.clone(), &Trouble::ALL),
            false => Vec::new(),
        };
        let of_hand_over = match mode {
            Mode::HandOut => faults(&mut dice, row / 2, &mut u64::MAX.clone(), &Trouble::ALL),
            _ => Vec::new(),
        };
        let rival = [0, 7].contains(&(row % 8)).then(|| Rival {
            named: row % 8 == 7,
            before: if row < 8 { 0 } else { dice.below(2) as usize },
        });
        Self {
            mode,
            faults: [of_till, of_relay, of_hand_over],
            rival,
            ereceipts: run.is_multiple_of(2),
            persist,
            waits: hangs,
            tabs: token_tabs(&mut dice, if hangs { 0 } else { row }, persist),
            kills,
            ..Self::default()
        }
    }

    /// Each kind has its turn, of faults and of kills.
    fn with_orders(mut dice: Dice, run: u64) -> Self {
        let mut of_till = faults(&mut dice, run, &mut u64::MAX.clone(), &Trouble::ALL);
        // A connection is kept from the second call on.
        if of_till
            .first()
            .is_some_and(|fault| fault.trouble == Trouble::Silent)
        {
            of_till.insert(
                0,
                Fault {
                    trouble: Trouble::ErrorBefore,
                    ms: 0,
                    variant: dice.below(12),
                },
            );
        }
        let nth = |dice: &mut Dice, at: &str, is_first| match is_first {
            true if at != KILL_WRITE => 1,
            _ => 1 + dice.below(4),
        };
        let first = ORDER_KILLS.get((run % 7) as usize).copied();
        let kills = match first {
            Some(_) => kills(&mut dice, first, &ORDER_KILLS, nth, 1500),
            None => vec![Kill {
                at: FREEZE,
                nth: 1 + dice.below(3),
                plus: 0,
                tab: 0,
            }],
        };
        Self {
            mode: if run % 2 == 1 {
                Mode::Held
            } else {
                Mode::Reissue
            },
            faults: [of_till, Vec::new(), Vec::new()],
            kills,
            storage: [None, None, Some(MISREAD), None, Some(GONE)][(run % 5) as usize],
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
            "waits": self.waits,
            "held": self.mode == Mode::Held,
            "ereceipt": self.ereceipts,
            "tabs": self.tabs,
            "storage": self.storage,
            "kills": self.kills.iter().map(kill).collect::<Vec<_>>(),
        });
        if let (Some(plan), Value::Object(more)) = (plan.as_object_mut(), more) {
            plan.extend(more);
        }
        plan
    }

    /// Whether a fault can have kept a call from its answer.
    pub fn is_faulty(&self) -> bool {
        self.faults.iter().any(|faults| !faults.is_empty())
    }
}

/// One of the kind whose turn it is, and sometimes one or two more.
fn kills(
    dice: &mut Dice,
    first: Option<&'static str>,
    steps: &[&'static str],
    nth: impl Fn(&mut Dice, &str, bool) -> u64,
    latest: u64,
) -> Vec<Kill> {
    let more = if dice.once_in(3) {
        1 + dice.below(2)
    } else {
        0
    };
    let mut ats: Vec<_> = first.into_iter().collect();
    ats.extend((0..more).map(|_| steps[dice.below(steps.len() as u64) as usize]));
    let mut is_first = first.is_some();
    let kill = |at| Kill {
        at,
        nth: nth(dice, at, std::mem::take(&mut is_first)),
        plus: match at {
            KILL_RANDOM => dice.below(latest),
            KILL_PERSIST => 5 + dice.below(100),
            _ => [0, 0, 1, 3, 10, 30][dice.below(6) as usize],
        },
        tab: dice.below(3),
    };
    ats.into_iter().map(kill).collect()
}

/// The one whose turn it is, and up to three more; one turn in ten has none.
fn faults(dice: &mut Dice, turn: u64, losses: &mut u64, kinds: &[Trouble; 9]) -> Vec<Fault> {
    let Some(first) = kinds.get((turn % 10) as usize) else {
        return Vec::new();
    };
    let more = (0..dice.below(4)).map(|_| kinds[dice.below(9) as usize]);
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
fn token_tabs(dice: &mut Dice, row: u64, persist: bool) -> Vec<Value> {
    let (together, count) = (dice.once_in(2), 2 + dice.below(3));
    let tab = |number| {
        let behaviors = ["hang", "reject", "resolve"];
        let hand_over: Vec<&str> = (0..1 + dice.below(2))
            .map(|again| behaviors[((row / 2 + again) % 3) as usize])
            .collect();
        json!({
            "own": number == 0 && dice.once_in(2),
            "start": if together { dice.below(60) } else { dice.below(3000) },
            "repeats": dice.once_in(3),
            "acknowledges": !persist && dice.once_in(5),
            "persist": hand_over,
        })
    };
    (0..count).map(tab).collect()
}

/// One to three, at once or one after the other, each with some orders.
fn order_tabs(dice: &mut Dice, run: u64) -> Vec<Value> {
    let (together, count) = (dice.once_in(2), 1 + dice.below(3));
    let tab = |tab| {
        let count = 2 + dice.below(4);
        let mut orders = Vec::new();
        for number in 0..count {
            // Milliseconds after the one before it. Nobody waits for that one's answer.
            let after = [0, 0, 5, 40, 400, 800][dice.below(6) as usize];
            let (total, has_receipt) = (1 + dice.below(100_000), dice.once_in(2));
            // Chromium keeps those above 64 KiB in files of their own; 400 is about all that 500 lines can have.
            let is_large = (tab, number) == (0, 0) || dice.once_in(4);
            let kib = if is_large { 1 + dice.below(400) } else { 0 };
            let mut order = order(run, tab, number, total, has_receipt, after, kib);
            // The first one's file may be gone.
            if (tab, number) != (0, 0) && dice.once_in(3) {
                let button = if has_receipt { "send" } else { "print" };
                order["shopper"] = json!({"pause": dice.below(1200), "button": button});
            }
            orders.push(order);
        }
        let start = if together {
            dice.below(60)
        } else {
            dice.below(2000)
        };
        json!({"start": start, "orders": orders})
    };
    (0..count).map(tab).collect()
}

fn order(
    run: u64,
    tab: u64,
    number: u64,
    total: u64,
    has_receipt: bool,
    after: u64,
    kib: u64,
) -> Value {
    let id = format!("run-{run}-{tab}-{number}");
    json!({"id": id, "total": total, "hasReceipt": has_receipt, "after": after, "kib": kib})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_plan_loses_more_answers_than_the_service_reissues() {
        for run in 0..3000 {
            let plan = Plan::new(Subject::Tokens, 11, run);
            let [till, relay, _] = &plan.faults;
            let losing =
                |faults: &[Fault]| faults.iter().filter(|fault| fault.trouble.loses()).count();
            if plan.mode == Mode::Reissue {
                assert!(losing(till) + plan.kills.len() <= 3, "run {run}");
            }
            assert!(losing(relay) <= 3, "run {run}");
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_plan() {
        for subject in [Subject::Tokens, Subject::Orders] {
            let text = |seed| {
                Plan::new(subject, seed, 17)
                    .for_page(17, json!({}))
                    .to_string()
            };
            assert_eq!(text(5), text(5));
            assert_ne!(text(5), text(6));
        }
    }

    #[test]
    fn every_kind_has_a_run_that_does_it_whatever_the_seed() {
        for (run, kind) in Plan::again(&KINDS, 1).into_iter().zip(KINDS) {
            for subject in [Subject::Tokens, Subject::Orders] {
                let Plan {
                    faults: [till, _, hand_over],
                    rival,
                    storage,
                    tabs,
                    kills,
                    ..
                } = Plan::new(subject, run, run);
                let first = tabs[0]["persist"][0].as_str();
                let done = match kind {
                    _ if !subject.kinds().contains(&kind) => true,
                    MISREAD | GONE => storage == Some(kind),
                    HAND_OVER => hand_over.len() == 1,
                    RIVAL => rival.is_some_and(|rival| !rival.named),
                    RIVAL_NAMED => rival.is_some_and(|rival| rival.named),
                    PERSIST_HANG => first == Some("hang") && kills.is_empty(),
                    PERSIST_REJECT => first == Some("reject"),
                    kind if kind.starts_with("tab") => kills[0].at == kind,
                    kind => till
                        .last()
                        .is_some_and(|fault| fault.trouble.name() == kind),
                };
                assert!(done, "{kind}");
            }
        }
    }
}
