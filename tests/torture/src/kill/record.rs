//! What the clients know and what they count.

use crate::table::{self, Counts};

/// Rows of the table, in its order.
pub mod row {
    macro_rules! rows {
        ($($name:ident = $text:literal;)*) => {
            $(pub const $name: &str = $text;)*
            pub const ALL: &[&str] = &[$($name),*];
        };
    }
    rows! {
        CYCLES = "kills";
        HIT = "kills with requests in the air";
        CUT = "requests cut by a kill";
        CREATED = "integrations whose create was answered";
        FINISHED = "finished by their merchant";
        PICKED_UP = "token sets in hand";
        DROPPED = "token answers thrown away on purpose";
        DONE_UNHEARD = "token answers lost after the work was done";
        CURED = "cured: reissued, or repeated by the relay";
        EXHAUSTED = "given up by design (a fourth answer lost)";
        REFRESHED = "refreshes";
        REFRESH_AGAIN = "refreshes and orders asked again after a lost answer";
        ORDERS = "orders answered";
        RECEIPTS = "of these with an e-receipt";
        ACKNOWLEDGED = "acknowledged";
        CHECKED = "facts checked after a restart";
        LATER = "answers \"come back later\"";
        VIOLATIONS = "violations";
    }
}

/// The record of one program in one mode.
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

    /// What the clients cannot count.
    pub fn set(&mut self, row: &'static str, count: usize) {
        self.counts.insert(row, count as u64);
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
    table::print(row::ALL, &counts);
    for (name, record) in columns {
        let cut = record
            .cut
            .iter()
            .map(|(what, count)| format!("{what} {count}"));
        println!("cut in the {name}: {}", cut.collect::<Vec<_>>().join(", "));
    }
}
