//! Whether migrations only add, as far as their SQL says it.

use super::Schema;
use std::collections::HashSet;

impl Schema {
    /// The first statement after the [`oldest`](Schema::oldest) version that may break the programs of that version;
    /// `None` if all only add: tables with their indexes, and columns that may be empty or have a constant default. An
    /// index on a table that is there holds up its writes.
    ///
    /// ```
    /// use pos_connect_foundation::postgres::Schema;
    ///
    /// let schema = Schema {
    ///     program: "till",
    ///     name: "till",
    ///     lock: 1,
    ///     migrations: &["CREATE TABLE sale (id bigint);", "ALTER TABLE sale DROP COLUMN id;"],
    ///     oldest: 1,
    /// };
    /// assert_eq!(schema.first_breaking().as_deref(), Some("alter table sale drop column id"));
    /// ```
    pub fn first_breaking(&self) -> Option<String> {
        let mut new_tables = HashSet::new();
        let mut all = self.migrations[self.oldest..]
            .iter()
            .flat_map(|sql| statements(sql));
        all.find(|statement| !adds(statement, &mut new_tables))
    }
}

/// The statements of a migration, in lower case, with one space between words, without comments.
fn statements(sql: &str) -> Vec<String> {
    let lines = sql
        .lines()
        .map(|line| line.split("--").next().unwrap_or_default());
    let code = lines.collect::<Vec<_>>().join(" ").to_lowercase();
    let words = |statement: &str| statement.split_whitespace().collect::<Vec<_>>().join(" ");
    let statements = code.split(';').map(words);
    statements
        .filter(|statement| !statement.is_empty())
        .collect()
}

/// Whether a statement only adds. What is not known does not.
fn adds(statement: &str, new_tables: &mut HashSet<String>) -> bool {
    let outside = outside_parentheses(statement);
    let words: Vec<_> = outside.split_whitespace().collect();
    match words[..] {
        ["create", "table", table] => {
            new_tables.insert(table.to_owned());
            true
        }
        ["create", "index", _, "on", table, ..]
        | ["create", "unique", "index", _, "on", table, ..] => new_tables.contains(table),
        ["alter", "table", _, "add", "column", _, _, ref rest @ ..] => may_be_left_out(rest),
        _ => false,
    }
}

/// Whether a row without the column is one, by what follows the column's type.
fn may_be_left_out(rest: &[&str]) -> bool {
    match rest {
        [] => true,
        ["not", "null", "default", value, rest @ ..] | ["default", value, rest @ ..] => {
            is_constant(value) && may_be_left_out(rest)
        }
        ["check", rest @ ..] => may_be_left_out(rest),
        ["references", _, rest @ ..] => may_be_left_out(rest),
        _ => false,
    }
}

fn is_constant(value: &str) -> bool {
    let begins = |first: char| first == '\'' || first == '-' || first.is_ascii_digit();
    ["true", "false", "null"].contains(&value) || value.starts_with(begins)
}

fn outside_parentheses(statement: &str) -> String {
    let mut depth = 0_u32;
    let mut outside = String::new();
    for letter in statement.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => outside.push(letter),
            _ => {}
        }
    }
    outside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_adds_is_told_from_what_breaks_a_program_of_before() {
        let first = |migration: &'static str| {
            let schema = Schema {
                program: "the-program",
                name: "ours",
                lock: 1,
                migrations: vec!["CREATE TABLE sale (id bigint);", migration].leak(),
                oldest: 1,
            };
            schema.first_breaking()
        };
        for added in [
            "-- A note; DROP TABLE sale;\nCREATE TABLE note (\n  text text NOT NULL UNIQUE);",
            "CREATE TABLE note (id bigint); CREATE UNIQUE INDEX note_id ON note (id) WHERE id > 1;",
            "ALTER TABLE sale ADD COLUMN text text;",
            "ALTER TABLE sale ADD COLUMN mode text NOT NULL DEFAULT 'a' CHECK (mode IN ('a', 'b'));",
            "ALTER TABLE sale ADD COLUMN count bigint DEFAULT -1 REFERENCES sale (id);",
        ] {
            assert_eq!(first(added), None);
        }
        for breaking in [
            "drop table sale",
            "alter table sale rename to sales",
            "alter table sale rename column id to number",
            "alter table sale drop column id",
            "alter table sale alter column id set not null",
            "alter table sale add column text text not null",
            "alter table sale add column text text unique",
            "alter table sale add column at bigint default now()",
            "alter table sale add column text text, drop column id",
            "alter table sale add constraint positive check (id > 0)",
            "create index sale_id on sale (id)",
            "update sale set id = 0",
        ] {
            assert_eq!(first(breaking).as_deref(), Some(breaking));
        }
    }
}
