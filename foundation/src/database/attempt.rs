//! A transaction on PostgreSQL: serializable, and tried again when another one came in between.

use super::transaction::{Engine, Remote, Transaction};
use crate::postgres::{Postgres, is_conflict};
use crate::sqlite::StoreError;
use std::cell::Cell;
use std::sync::{Arc, Weak};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio_postgres::IsolationLevel;

/// Longer than fifty calls that want the same row take one after the other on a busy machine.
const PATIENCE: Duration = Duration::from_secs(15);
const SHORTEST_PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// How one attempt ended.
enum Ended<T> {
    Kept(T),
    /// Another transaction came in between; nothing was changed.
    Conflict(StoreError),
    Failed(StoreError),
}

pub(super) async fn write<T, W>(
    postgres: &Postgres,
    work: W,
    outlives_caller: bool,
) -> Result<T, StoreError>
where
    T: Send + 'static,
    W: Fn(&Transaction<'_>) -> Result<T, StoreError> + Send + 'static,
{
    let caller = Arc::new(());
    let presence = (!outlives_caller).then(|| Arc::downgrade(&caller));
    let runtime = Handle::current();
    let pool = postgres.clone();
    // Statement by statement, as the work is written for both engines; so it gets a thread that may wait.
    let done = tokio::task::spawn_blocking(move || {
        let is_awaited = || {
            presence
                .as_ref()
                .is_none_or(|caller| Weak::strong_count(caller) > 0)
        };
        let (begun, mut pause) = (Instant::now(), SHORTEST_PAUSE);
        loop {
            let mut client = runtime.block_on(pool.client())?;
            match attempt(&runtime, &pool, &mut client, &work, &is_awaited) {
                Ended::Kept(done) => return Ok(done),
                Ended::Failed(error) => return Err(error),
                Ended::Conflict(error) if begun.elapsed() > PATIENCE => return Err(error),
                Ended::Conflict(_) => {}
            }
            drop(client);
            sleep(pause.mul_f64(share()));
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    });
    let broken = |_| StoreError::Fault("a transaction broke off".into());
    let done = done.await.map_err(broken)?;
    drop(caller);
    done
}

/// A part of a pause, from 0 to 1: who has met once would meet again after pauses of one length.
fn share() -> f64 {
    getrandom::u32().map_or(1.0, |random| f64::from(random) / f64::from(u32::MAX))
}

/// What a caller that has left would hear.
const GONE: &str = "nobody waits for it any more";

fn attempt<T>(
    runtime: &Handle,
    postgres: &Postgres,
    client: &mut deadpool_postgres::Object,
    work: &impl Fn(&Transaction<'_>) -> Result<T, StoreError>,
    is_awaited: &impl Fn() -> bool,
) -> Ended<T> {
    let gone = || Ended::Failed(StoreError::Unavailable(GONE.into()));
    if !is_awaited() {
        return gone();
    }
    let builder = client.build_transaction();
    let builder = builder.isolation_level(IsolationLevel::Serializable);
    let remote = match runtime.block_on(builder.start()) {
        Ok(remote) => remote,
        Err(error) => return Ended::Failed(postgres.fault(error)),
    };
    let transaction = Transaction::new(Engine::Postgres(Remote {
        transaction: &remote,
        runtime,
        postgres,
        has_conflict: Cell::new(false),
    }));
    let done = work(&transaction);
    let has_conflict = transaction.has_conflict();
    let notes = transaction.into_notes();
    let done = match done {
        Ok(done) if is_awaited() => done,
        other => {
            // Dropped, it is undone, too; so nobody gets the connection before it is.
            let _ = runtime.block_on(remote.rollback());
            return match other {
                Ok(_) => gone(),
                Err(error) if has_conflict => Ended::Conflict(error),
                Err(error) => Ended::Failed(error),
            };
        }
    };
    match runtime.block_on(remote.commit()) {
        Ok(()) => {
            notes.into_iter().for_each(|note| note());
            Ended::Kept(done)
        }
        Err(error) if is_conflict(&error) => Ended::Conflict(postgres.fault(error)),
        Err(error) => Ended::Failed(postgres.fault(error)),
    }
}
