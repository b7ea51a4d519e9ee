//! What the clients know and what they count.

use crate::table::{self, Counts};

/// Rows of the table, in its order.
pub mod row {
    pub const CYCLES: &str = "kills";
    pub const HIT: &str = "kills with requests in the air";
    pub const CUT: &str = "requests cut by a kill";
    pub const CREATED: &str = "integrations whose create was answered";
    pub const FINISHED: &str = "finished by their merchant";
    pub const PICKED_UP: &str = "token sets in hand";
    pub const DROPPED: &str = "token answers thrown away on purpose";
    pub const DONE_UNHEARD: &str = "token answers lost after the work was done";
    pub const CURED: &str = "cured: reissued, or repeated by the relay";
    pub const EXHAUSTED: &str = "given up by design (a fourth answer lost)";
    pub const REFRESHED: &str = "refreshes";
    pub const REFRESH_AGAIN: &str = "refreshes and orders asked again after a lost answer";
    pub const ORDERS: &str = "orders answered";
    pub const RECEIPTS: &str = "of these with an e-receipt";
    pub const ACKNOWLEDGED: &str = "acknowledged";
    pub const CHECKED: &str = "facts checked after a restart";
    pub const LATER: &str = "answers \"come back later\"";
    pub const VIOLATIONS: &str = "violations";

    pub const ALL: [&str; 18] = [
        CYCLES,
        HIT,
        CUT,
        CREATED,
        FINISHED,
        PICKED_UP,
        DROPPED,
        DONE_UNHEARD,
        CURED,
        EXHAUSTED,
        REFRESHED,
        REFRESH_AGAIN,
        ORDERS,
        RECEIPTS,
        ACKNOWLEDGED,
        CHECKED,
        LATER,
        VIOLATIONS,
    ];
}

/// Of one program in one mode.
#[derive(Default)]
pub struct Record {
    counts: Counts,
    /// Requests cut, by what they asked for.
    cut: Counts,
    violations: Vec<String>,
}

impl Record {
    pub fn add(&mut self, row: &'static str) {
        *self.counts.entry(row).or_default() += 1;
    }

    pub fn cut(&mut self, what: &'static str) {
        *self.cut.entry(what).or_default() += 1;
        self.add(row::CUT);
    }

    /// `what` names no token: client and number are enough to find it.
    pub fn violation(&mut self, what: String) {
        self.add(row::VIOLATIONS);
        self.violations.push(what);
    }

    pub fn count(&self, row: &str) -> u64 {
        self.counts.get(row).copied().unwrap_or(0)
    }

    /// Whether a kill has hit a request, and a lost answer was cured: without that a run shows nothing.
    pub fn shows_kills(&self) -> bool {
        self.count(row::HIT) > 0 && self.count(row::CURED) > 0
    }

    /// What speaks against the program, or against the run itself.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = self.violations.clone();
        let lacking = [row::HIT, row::PICKED_UP, row::CURED, row::CHECKED];
        for row in lacking.into_iter().filter(|row| self.count(row) == 0) {
            faults.push(format!("\"{row}\" is 0: this run shows nothing"));
        }
        faults
    }
}

/// Prints the records side by side.
pub fn print(columns: &[(&str, Record)]) {
    let counts: Vec<_> = columns
        .iter()
        .map(|(name, record)| (*name, &record.counts))
        .collect();
    table::print(&row::ALL, &counts);
    for (name, record) in columns {
        let cut = record
            .cut
            .iter()
            .map(|(what, count)| format!("{what} {count}"));
        println!("cut in the {name}: {}", cut.collect::<Vec<_>>().join(", "));
    }
}
