//! Whether a database takes rows, for whoever asks however often: a load balancer, or a stranger.

use super::Database;
use crate::sqlite::StoreError;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// How long a good answer holds.
const HOLDS: Duration = Duration::from_secs(1);

/// When a row was written last, to see whether one can be.
#[derive(Default)]
pub struct Readiness(Mutex<Option<Instant>>);

impl Readiness {
    /// Whether a row can be written. One look is made at a time, and none right after a good one: callers wait for
    /// each other, and not for the database.
    pub async fn of(&self, database: &Database) -> Result<(), StoreError> {
        let mut last = self.0.lock().await;
        if last.is_some_and(|last| last.elapsed() < HOLDS) {
            return Ok(());
        }
        database.ping().await?;
        *last = Some(Instant::now());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::{self, Opening, Schema};

    const SCHEMA: Schema = Schema {
        program: "the-program",
        application_id: 7,
        migrations: &["CREATE TABLE t (x)"],
    };

    #[tokio::test]
    async fn many_who_ask_write_one_row_a_second() {
        let name = format!("pos-connect-ready-{}.db", std::process::id());
        let file = std::env::temp_dir().join(&name);
        let url = format!("sqlite://{}", file.display());
        let database = sqlite::Database::open(&url, &SCHEMA, Opening::Prepare).unwrap();
        let database = Database::Sqlite(database);
        let log = std::env::temp_dir().join(format!("{name}-wal"));
        let length = || std::fs::metadata(&log).unwrap().len();
        // What one row takes there.
        database.ping().await.unwrap();
        let before = length();
        database.ping().await.unwrap();
        let row = length() - before;
        let (readiness, begun, before) = (Readiness::default(), Instant::now(), length());
        for _ in 0..500 {
            readiness.of(&database).await.unwrap();
        }
        let looks = 1 + begun.elapsed().as_secs();
        assert!((length() - before) / row <= looks, "more than {looks}");
        drop(database);
        std::fs::remove_file(&file).unwrap();
    }
}
