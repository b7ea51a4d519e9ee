//! All rows of all tables, to be compared.

use pos_connect_foundation::database::Database;
use pos_connect_foundation::sqlite::Opening;
use pos_connect_service::store::SCHEMA;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use std::collections::BTreeMap;
use std::path::Path;

/// By table, in an order that is the same on both engines.
pub type Rows = BTreeMap<String, Vec<String>>;

fn texts(connection: &Connection, sql: &str, values: &[&str]) -> Vec<String> {
    let mut statement = connection.prepare(sql).unwrap();
    let rows = statement
        .query_map(params_from_iter(values), |row| row.get(0))
        .unwrap();
    rows.map(Result::unwrap).collect()
}

/// Each table, and the statement that reads it.
fn statements(connection: &Connection) -> Vec<(String, usize, String)> {
    let tables = texts(
        connection,
        "SELECT name FROM sqlite_schema WHERE type = 'table'",
        &[],
    );
    let statement = |table: String| {
        let columns = texts(
            connection,
            "SELECT name FROM pragma_table_info(?1) ORDER BY name",
            &[&table],
        );
        let sql = format!("SELECT {} FROM {table}", columns.join(", "));
        (table, columns.len(), sql)
    };
    tables.into_iter().map(statement).collect()
}

fn sorted(rows: impl Iterator<Item = Vec<Value>>) -> Vec<String> {
    let mut rows: Vec<_> = rows.map(|row| format!("{row:?}")).collect();
    rows.sort();
    rows
}

/// All rows of a SQLite file.
pub fn of_file(file: &Path) -> Rows {
    let connection = Connection::open(file).unwrap();
    let tables = statements(&connection)
        .into_iter()
        .map(|(table, width, sql)| {
            let mut statement = connection.prepare(&sql).unwrap();
            let read = |row: &rusqlite::Row<'_>| (0..width).map(|column| row.get(column)).collect();
            let rows = statement.query_map([], read).unwrap();
            (table, sorted(rows.map(Result::unwrap)))
        });
    tables.collect()
}

/// All rows of a server, with the tables of a file.
pub async fn of_server(url: &str, like: &Path) -> Rows {
    let database = Database::open(url, &SCHEMA, Opening::Existing)
        .await
        .unwrap();
    let mut all = Rows::new();
    for (table, width, sql) in statements(&Connection::open(like).unwrap()) {
        let rows = database.rows(&sql, vec![], |row| {
            (0..width).map(|column| row.get(column)).collect()
        });
        all.insert(table, sorted(rows.await.unwrap().into_iter()));
    }
    all
}

/// Fails unless the second has the rows of the first, and one row of the audit more.
pub fn expect_same(before: &Rows, after: &Rows, event: &str) {
    let mut after = after.clone();
    let audit = after.get_mut("audit").unwrap();
    let of_event: Vec<_> = (0..audit.len())
        .filter(|row| audit[*row].contains(event))
        .collect();
    let [row] = of_event[..] else {
        panic!("{event}: {audit:?}")
    };
    audit.remove(row);
    for (table, rows) in before {
        assert_eq!(rows, &after[table], "{table}");
    }
    assert_eq!(before.len(), after.len());
}
