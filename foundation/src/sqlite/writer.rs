//! The one writer: a thread that takes whatever waits into one transaction, so that many callers share one flush to the
//! disk.

use super::{Database, Reserve, StoreError};
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::{JoinHandle, sleep};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Jobs that may wait; more than that is answered as unavailable instead of growing without end.
const QUEUE: usize = 4096;
const BATCH: usize = 256;
/// Time after which no other job joins a transaction: nobody waits for slow ones that came later.
const LONGEST_BATCH: Duration = Duration::from_millis(50);

/// Between two looks whether another process, the CLI beside a running service, has ended its transaction. SQLite's own
/// waiting looks each tenth of a second, and misses the moment between two.
const LOOK_EVERY: Duration = Duration::from_millis(2);
/// Looks before a writer gives up: 5 seconds.
const LOOKS: i32 = 2500;
/// A writer that always has something to do leaves others this moment, in which they look twice, after so long.
const GAP: Duration = Duration::from_millis(5);
const LONGEST_TURN: Duration = Duration::from_millis(500);

/// What is said once the changes are on the disk.
pub type Notes = Vec<Box<dyn FnOnce() + Send>>;

/// One caller's wish.
trait Job: Send {
    /// Does the work; false asks for its changes to be undone.
    fn run(&mut self, transaction: &Transaction<'_>) -> bool;
    /// Tells the caller what became of it, once the transaction's own fate is known.
    fn answer(self: Box<Self>, committed: Result<(), &StoreError>);
}

struct Call<T, W> {
    work: Option<W>,
    result: Option<Result<(T, Notes), StoreError>>,
    answer: oneshot::Sender<Result<T, StoreError>>,
    /// Whether a caller that went away is still to have its way.
    outlives_caller: bool,
}

impl<T, W> Job for Call<T, W>
where
    T: Send,
    W: FnOnce(&Transaction<'_>) -> Result<(T, Notes), StoreError> + Send,
{
    fn run(&mut self, transaction: &Transaction<'_>) -> bool {
        if !self.outlives_caller && self.answer.is_closed() {
            return false;
        }
        // A panic ends this job alone: its changes are undone, and the thread goes on with the next one.
        let caught = |work: W| catch_unwind(AssertUnwindSafe(|| work(transaction)));
        let broken = |_| Err(StoreError::Fault("a transaction broke off".into()));
        self.result = self
            .work
            .take()
            .map(|work| caught(work).unwrap_or_else(broken));
        matches!(self.result, Some(Ok(_)))
    }

    fn answer(self: Box<Self>, committed: Result<(), &StoreError>) {
        let result = match (self.result, committed) {
            (Some(Err(own)), _) => Err(own),
            (_, Err(error)) => Err(StoreError::Unavailable(error.to_string())),
            (Some(Ok((done, notes))), Ok(())) => {
                // Here, because a caller that goes away takes its own words with it. A note that panics has been
                // reported, and changes nothing about what is on the disk.
                for note in notes {
                    let _ = catch_unwind(AssertUnwindSafe(note));
                }
                Ok(done)
            }
            // Only for a caller that went away.
            (None, Ok(())) => return,
        };
        let _ = self.answer.send(result);
    }
}

pub(super) struct Writer {
    jobs: Option<SyncSender<Box<dyn Job>>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// With a `reserve`, whatever is written may take its room from there.
    pub(super) fn start(
        connection: Connection,
        reserve: Option<Reserve>,
    ) -> Result<Self, StoreError> {
        let (jobs, waiting) = sync_channel(QUEUE);
        let thread = std::thread::Builder::new()
            .name("sqlite-writer".into())
            .spawn(move || run(connection, reserve.as_ref(), &waiting))
            .map_err(|error| StoreError::Unavailable(error.to_string()))?;
        Ok(Self {
            jobs: Some(jobs),
            thread: Some(thread),
        })
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Database {
    /// Runs `work` in a transaction; resolves when its changes are on the disk, or with the reason why there are none.
    /// Once asked for it is done, even if the caller goes away.
    pub async fn write<T, W>(&self, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: FnOnce(&Transaction<'_>) -> Result<T, StoreError> + Send + 'static,
    {
        let quiet = move |transaction: &Transaction<'_>| Ok((work(transaction)?, Notes::new()));
        self.write_with_notes(quiet, true).await
    }

    /// Runs `work` in a transaction, with what is to be said of it. Unless it `outlives_caller`, nothing is done if the
    /// caller went away before its turn came.
    pub(crate) async fn write_with_notes<T, W>(
        &self,
        work: W,
        outlives_caller: bool,
    ) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: FnOnce(&Transaction<'_>) -> Result<(T, Notes), StoreError> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let job = Box::new(Call {
            work: Some(work),
            result: None,
            answer,
            outlives_caller,
        });
        let unavailable = |why: &str| StoreError::Unavailable(why.into());
        let jobs = self
            .writer
            .jobs
            .as_ref()
            .ok_or_else(|| unavailable("the writer has stopped"))?;
        jobs.try_send(job).map_err(|error| match error {
            TrySendError::Full(_) => unavailable("too many writes are waiting"),
            TrySendError::Disconnected(_) => unavailable("the writer has stopped"),
        })?;
        answered
            .await
            .map_err(|_| unavailable("the writer has stopped"))?
    }
}

pub(super) fn wait_for_others(looks: i32) -> bool {
    sleep(LOOK_EVERY);
    looks < LOOKS
}

fn run(mut connection: Connection, reserve: Option<&Reserve>, waiting: &Receiver<Box<dyn Job>>) {
    let mut turn = Instant::now();
    loop {
        let first = match waiting.try_recv() {
            Ok(first) => first,
            Err(_) => {
                let Ok(first) = waiting.recv() else {
                    return;
                };
                turn = Instant::now();
                first
            }
        };
        if turn.elapsed() > LONGEST_TURN {
            sleep(GAP);
            turn = Instant::now();
        }
        let mut batch = vec![first];
        let outcome = transact(&mut connection, reserve, &mut batch, waiting);
        for job in batch {
            job.answer(outcome.as_ref().copied());
        }
    }
}

/// Adds what waits to the batch, until it is long.
fn transact(
    connection: &mut Connection,
    reserve: Option<&Reserve>,
    batch: &mut Vec<Box<dyn Job>>,
    waiting: &Receiver<Box<dyn Job>>,
) -> Result<(), StoreError> {
    let begun = connection.transaction_with_behavior(TransactionBehavior::Immediate);
    let transaction = begun.inspect_err(|_| batch.extend(waiting.try_iter().take(BATCH - 1)))?;
    if let Some(reserve) = reserve {
        // Only now: the program that serves the database cannot take the room first.
        reserve.make_room();
    }
    let (begun, mut next) = (Instant::now(), 0);
    while let Some(job) = batch.get_mut(next) {
        transaction.prepare_cached("SAVEPOINT job")?.execute([])?;
        if !job.run(&transaction) {
            transaction.prepare_cached("ROLLBACK TO job")?.execute([])?;
        }
        transaction.prepare_cached("RELEASE job")?.execute([])?;
        next += 1;
        if next < BATCH && begun.elapsed() < LONGEST_BATCH {
            batch.extend(waiting.try_recv());
        }
    }
    Ok(transaction.commit()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::reader::Readers;
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
    use std::time::Duration;

    /// A store, and another program that uses its file.
    struct Shared {
        store: Database,
        other: Connection,
        file: PathBuf,
    }

    impl Shared {
        /// `on_busy` says whether the store goes on to wait for the other one.
        fn new(name: &str, on_busy: fn(i32) -> bool) -> Self {
            let name = format!("pos-connect-{name}-{}.db", std::process::id());
            let file = std::env::temp_dir().join(name);
            let open = || Connection::open(&file).unwrap();
            let (mut connection, other) = (open(), open());
            connection.busy_handler(Some(on_busy)).unwrap();
            other.execute_batch("CREATE TABLE t (x)").unwrap();
            let (writer, readers) = (Writer::start(connection, None), Readers::open(&file));
            let store = Database {
                readers: readers.unwrap(),
                writer: writer.unwrap(),
            };
            Self { store, other, file }
        }
    }

    impl Drop for Shared {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.file);
        }
    }

    fn insert(transaction: &Transaction<'_>) -> Result<(), StoreError> {
        transaction.execute("INSERT INTO t VALUES (1)", [])?;
        Ok(())
    }

    fn noted(transaction: &Transaction<'_>) -> Result<((), Notes), StoreError> {
        Ok((insert(transaction)?, Notes::new()))
    }

    #[tokio::test]
    async fn all_that_wait_hear_at_once_that_the_database_is_busy() {
        static ARE_QUEUED: AtomicBool = AtomicBool::new(false);
        static WAITS: AtomicU32 = AtomicU32::new(0);
        let shared = Shared::new("busy", |_| {
            while !ARE_QUEUED.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
            WAITS.fetch_add(1, Ordering::AcqRel);
            false
        });
        let (store, other) = (&shared.store, &shared.other);
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        let write = || async { store.write(insert).await.unwrap_err().to_string() };
        let (a, b, c, d, e, ()) =
            tokio::join!(write(), write(), write(), write(), write(), async {
                ARE_QUEUED.store(true, Ordering::Release);
            });
        for error in [a, b, c, d, e] {
            assert!(error.contains("locked"), "{error}");
        }
        // Two batches: the first job may have been taken alone.
        let waits = WAITS.load(Ordering::Acquire);
        assert!(
            (1..=2).contains(&waits),
            "{waits} waited for turns of their own"
        );
    }

    #[tokio::test]
    async fn nobody_waits_for_a_slow_write_that_came_later() {
        let shared = Shared::new("slow", |_| false);
        let (are_queued, queued) = std::sync::mpsc::channel();
        let (is_answered, answered) = std::sync::mpsc::channel();
        let first = shared.store.write(move |_| Ok(queued.recv().is_ok()));
        let slow = shared.store.write(|_| {
            sleep(2 * LONGEST_BATCH);
            Ok(())
        });
        let slower = shared.store.write(move |_| {
            let patience = Duration::from_secs(10);
            Ok(answered.recv_timeout(patience).is_ok())
        });
        let (first, (), came_after, ()) = tokio::join!(
            first,
            async {
                slow.await.unwrap();
                is_answered.send(()).unwrap();
            },
            slower,
            async { are_queued.send(()).unwrap() }
        );
        assert!(first.unwrap() && came_after.unwrap());
    }

    #[test]
    fn a_writer_that_never_rests_leaves_another_program_its_turn() {
        const JOBS: u32 = 400;
        let shared = Shared::new("restless", |_| true);
        let (store, mut other) = (&shared.store, Connection::open(&shared.file).unwrap());
        other.busy_handler(Some(wait_for_others)).unwrap();
        let (runtime, done) = (tokio::runtime::Runtime::new().unwrap(), AtomicU32::new(0));
        let busy = || {
            while done.fetch_add(1, Ordering::AcqRel) < JOBS {
                let write = store.write(|_| {
                    sleep(2 * LONGEST_BATCH);
                    Ok(())
                });
                runtime.block_on(write).unwrap();
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(busy);
            }
            while done.load(Ordering::Acquire) < 4 {
                std::thread::yield_now();
            }
            other.execute_batch("BEGIN IMMEDIATE; ROLLBACK").unwrap();
            let before = done.swap(JOBS, Ordering::AcqRel);
            assert!(before <= JOBS / 2, "{before} writes came first");
        });
    }

    #[tokio::test]
    async fn a_panic_costs_its_own_write_and_no_other() {
        let shared = Shared::new("panic", |_| false);
        let store = &shared.store;
        let panics = store.write(|transaction| -> Result<(), _> {
            insert(transaction)?;
            panic!("a fault of ours")
        });
        let (panicked, beside) = tokio::join!(panics, store.write(insert));
        let error = panicked.unwrap_err().to_string();
        assert!(error.contains("broke off"), "{error}");
        beside.unwrap();
        let panics_afterwards = |transaction: &Transaction<'_>| {
            insert(transaction)?;
            let note: Box<dyn FnOnce() + Send> = Box::new(|| panic!("a fault of ours"));
            Ok(((), vec![note]))
        };
        store
            .write_with_notes(panics_afterwards, true)
            .await
            .unwrap();
        store.write(insert).await.unwrap();
        let rows = "SELECT count(*) FROM t";
        let count: i64 = shared.other.query_row(rows, [], |row| row.get(0)).unwrap();
        assert_eq!(count, 3);
    }

    #[tokio::test]
    async fn what_nobody_waits_for_any_more_is_not_done_unless_it_must_be() {
        let shared = Shared::new("gone", |_| {
            std::thread::yield_now();
            true
        });
        let (store, other) = (&shared.store, &shared.other);
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        let soon = Duration::from_millis(20);
        let claim = tokio::time::timeout(soon, store.write_with_notes(noted, false));
        assert!(claim.await.is_err());
        other.execute_batch("ROLLBACK").unwrap();
        store.write(|_| Ok(())).await.unwrap();
        let count = || other.query_row("SELECT count(*) FROM t", [], |row| row.get::<_, i64>(0));
        assert_eq!(count().unwrap(), 0);
        let write = tokio::time::timeout(Duration::ZERO, store.write(insert));
        drop(write.await);
        store.write_with_notes(noted, false).await.unwrap();
        assert_eq!(count().unwrap(), 2);
    }
}
