//! What was counted, printed side by side.

use std::collections::BTreeMap;

/// By what it counts.
pub type Counts = BTreeMap<&'static str, u64>;

/// A line for each row, a column for each name.
pub fn print(rows: &[&'static str], columns: &[(&str, &Counts)]) {
    let line = |name: &str, cells: Vec<String>| {
        let cells: String = cells.iter().map(|cell| format!("{cell:>21}")).collect();
        println!("{name:<54}{cells}");
    };
    println!();
    line(
        "",
        columns.iter().map(|(name, _)| (*name).to_owned()).collect(),
    );
    for row in rows {
        let cell =
            |(_, counts): &(&str, &Counts)| counts.get(row).copied().unwrap_or(0).to_string();
        line(row, columns.iter().map(cell).collect());
    }
}
