//! All rows of a SQLite file into the empty tables of a PostgreSQL database, in one transaction: counted, read back and
//! compared before they are kept.

use super::{Row, Transaction};
use crate::sqlite::{StoreError, opened_to_read, sqlite_file, texts};
use rusqlite::Connection;
use rusqlite::types::{Value, ValueRef};
use sha2::{Digest, Sha256};

/// Values in one statement, of at most 65,535.
const VALUES: usize = 1000;
/// Bytes of the values in one statement, beside the last row.
const BYTES: usize = 1024 * 1024;
/// Rows that are read back at once.
const BATCH: usize = 200;

/// A table's name, and how many rows it has.
pub type Count = (String, u64);

/// One table.
struct Table {
    name: String,
    columns: Vec<String>,
}

/// The rows of a table in whatever order: how many, and the sum of their hashes.
#[derive(Default, PartialEq)]
struct Content {
    rows: u64,
    sum: [u64; 4],
}

impl Content {
    fn add(&mut self, row: &[Value]) {
        let mut hash = Sha256::new();
        for value in row {
            let (kind, bytes) = match ValueRef::from(value) {
                ValueRef::Null => (0_u8, &[][..]),
                ValueRef::Integer(number) => (1, &number.to_be_bytes()[..]),
                ValueRef::Real(number) => (2, &number.to_be_bytes()[..]),
                ValueRef::Text(text) => (3, text),
                ValueRef::Blob(bytes) => (4, bytes),
            };
            hash.update([kind]);
            hash.update((bytes.len() as u64).to_be_bytes());
            hash.update(bytes);
        }
        let hash = hash.finalize();
        for (sum, part) in self.sum.iter_mut().zip(hash.chunks_exact(8)) {
            let part = part
                .iter()
                .fold(0, |part, byte| part << 8 | u64::from(*byte));
            *sum = sum.wrapping_add(part);
        }
        self.rows += 1;
    }
}

/// The tables of a file with their columns, those that others refer to first, as the migrations have made them.
fn tables(connection: &Connection) -> Result<Vec<Table>, StoreError> {
    let names = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid";
    let columns = "SELECT name FROM pragma_table_info(?1) ORDER BY cid";
    let tables = texts(connection, names, &[])?.into_iter().map(|name| {
        let columns = texts(connection, columns, &[&name])?;
        Ok(Table { name, columns })
    });
    tables.collect()
}

/// How many rows each table of a SQLite file has.
pub fn counts(url: &str) -> Result<Vec<Count>, StoreError> {
    let connection = opened_to_read(&sqlite_file(url)?)?;
    let count = |table: Table| {
        let sql = format!("SELECT count(*) FROM {}", table.name);
        let rows: i64 = connection.query_row(&sql, [], |row| row.get(0))?;
        Ok((table.name, rows.unsigned_abs()))
    };
    tables(&connection)?.into_iter().map(count).collect()
}

impl Transaction<'_> {
    /// Takes all rows of `sqlite://FILE`, whose tables are the same. Fails if a table has rows, or has others
    /// afterwards than the file; then nothing may be kept. PostgreSQL only.
    pub fn take_all(&self, url: &str) -> Result<Vec<Count>, StoreError> {
        let connection = opened_to_read(&sqlite_file(url)?)?;
        // All rows are read as of one moment.
        let source = connection.unchecked_transaction()?;
        let tables = tables(&source)?;
        for Table { name, .. } in &tables {
            if self.exists(&format!("SELECT 1 FROM {name} LIMIT 1"), vec![])? {
                return Err(StoreError::Unsupported(format!(
                    "the target is in use: its table `{name}` has rows; name an empty database"
                )));
            }
        }
        let mut counts = Vec::new();
        for table in tables {
            let sent = self.take(&source, &table)?;
            if self.content(&table)? != sent {
                let name = table.name;
                return Err(StoreError::Fault(format!(
                    "the rows of `{name}` are others after the copy"
                )));
            }
            counts.push((table.name, sent.rows));
        }
        Ok(counts)
    }

    fn take(&self, source: &Connection, table: &Table) -> Result<Content, StoreError> {
        let width = table.columns.len();
        let mut statement = source.prepare(&format!(
            "SELECT {} FROM {}",
            table.columns.join(", "),
            table.name
        ))?;
        let mut rows = statement.query([])?;
        let (mut content, mut values, mut bytes) = (Content::default(), Vec::new(), 0);
        while let Some(row) = rows.next()? {
            let row: Vec<Value> = (0..width)
                .map(|column| row.get(column))
                .collect::<rusqlite::Result<_>>()?;
            content.add(&row);
            bytes += row.iter().map(length).sum::<usize>();
            values.extend(row);
            if values.len() + width > VALUES || bytes > BYTES {
                self.insert(table, std::mem::take(&mut values))?;
                bytes = 0;
            }
        }
        if !values.is_empty() {
            self.insert(table, values)?;
        }
        self.number_on(table)?;
        Ok(content)
    }

    fn insert(&self, table: &Table, values: Vec<Value>) -> Result<(), StoreError> {
        let width = table.columns.len();
        let row = |row: usize| {
            let places: Vec<_> = (1..=width)
                .map(|place| format!("?{}", row * width + place))
                .collect();
            format!("({})", places.join(", "))
        };
        let rows: Vec<_> = (0..values.len() / width).map(row).collect();
        let sql = format!(
            "INSERT INTO {} ({}) OVERRIDING SYSTEM VALUE VALUES {}",
            table.name,
            table.columns.join(", "),
            rows.join(", ")
        );
        self.execute(&sql, values)?;
        Ok(())
    }

    /// The next row that the server numbers follows the last of these.
    fn number_on(&self, table: &Table) -> Result<(), StoreError> {
        let sql =
            "SELECT count(*) FROM information_schema.columns WHERE table_schema = current_schema()
                   AND table_name = ?1 AND column_name = 'id' AND is_identity = 'YES'";
        let name = Value::Text(table.name.clone());
        if self.one(sql, vec![name], |row| row.get::<i64>(0))? == 1 {
            let name = &table.name;
            let sql = format!(
                "SELECT setval(pg_get_serial_sequence('{name}', 'id'), max(id)) FROM {name}"
            );
            self.rows(&sql, vec![], |_| Ok(()))?;
        }
        Ok(())
    }

    fn content(&self, table: &Table) -> Result<Content, StoreError> {
        let (name, columns) = (&table.name, table.columns.join(", "));
        self.execute(
            &format!("DECLARE all_of_{name} NO SCROLL CURSOR FOR SELECT {columns} FROM {name}"),
            vec![],
        )?;
        let next = format!("FETCH {BATCH} FROM all_of_{name}");
        let read = |row: &Row<'_>| {
            (0..table.columns.len())
                .map(|column| row.get(column))
                .collect()
        };
        let mut content = Content::default();
        loop {
            let rows: Vec<Vec<Value>> = self.rows(&next, vec![], read)?;
            if rows.is_empty() {
                return Ok(content);
            }
            rows.iter().for_each(|row| content.add(row));
        }
    }
}

fn length(value: &Value) -> usize {
    match value {
        Value::Text(text) => text.len(),
        Value::Blob(bytes) => bytes.len(),
        _ => 8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_is_its_rows_whatever_their_order() {
        let of = |rows: &[&[Value]]| {
            let mut content = Content::default();
            rows.iter().for_each(|row| content.add(row));
            content
        };
        let [one, two] = [1, 2].map(|number| [Value::Integer(number), Value::Text("a".into())]);
        assert!(of(&[&one, &two]) == of(&[&two, &one]));
        let moved = [Value::Integer(1), Value::Blob(b"a".into())];
        for other in [
            &[&one[..]][..],
            &[&one, &one],
            &[&one, &moved],
            &[&one, &two, &two],
        ] {
            assert!(of(&[&one, &two]) != of(other));
        }
    }
}
