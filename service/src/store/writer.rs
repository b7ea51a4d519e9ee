//! The one writer: a thread that takes whatever waits into one transaction, so that many callers share one flush to the disk.

use super::{Store, StoreError};
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use tokio::sync::oneshot;

/// Jobs that may wait; more than that is answered as unavailable instead of growing without end.
const QUEUE: usize = 4096;
const BATCH: usize = 256;

/// Tells a caller what became of its job, once the transaction's own fate is known.
type Answer = Box<dyn FnOnce(Result<(), &StoreError>) + Send>;
/// Does one caller's work; false asks for its changes to be undone.
type Job = Box<dyn FnOnce(&Transaction<'_>) -> (bool, Answer) + Send>;

pub(super) struct Writer {
    jobs: Option<SyncSender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(super) fn start(connection: Connection) -> Result<Self, StoreError> {
        let (jobs, waiting) = sync_channel(QUEUE);
        let thread = std::thread::Builder::new()
            .name("sqlite-writer".into())
            .spawn(move || run(connection, &waiting))
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

impl Store {
    /// Runs `work` in a transaction; resolves when its changes are on the disk, or with the reason why there are none.
    pub(super) async fn write<T, W>(&self, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: FnOnce(&Transaction<'_>) -> Result<T, StoreError> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |transaction| {
            let result = work(transaction);
            let keep = result.is_ok();
            let tell = move |committed: Result<(), &StoreError>| {
                let result = match committed {
                    Err(error) if keep => Err(StoreError::Unavailable(error.to_string())),
                    _ => result,
                };
                // A caller that went away misses its answer; what it asked for is done all the same.
                let _ = answer.send(result);
            };
            (keep, Box::new(tell))
        });
        let unavailable = |why: &str| StoreError::Unavailable(why.into());
        let jobs = self
            .writer
            .jobs
            .as_ref()
            .ok_or_else(|| unavailable("the writer has stopped"))?;
        jobs.try_send(job)
            .map_err(|_| unavailable("too many writes are waiting"))?;
        answered
            .await
            .map_err(|_| unavailable("the writer has stopped"))?
    }
}

fn run(mut connection: Connection, waiting: &Receiver<Job>) {
    while let Ok(first) = waiting.recv() {
        let batch = std::iter::once(first).chain(waiting.try_iter().take(BATCH - 1));
        let mut answers = Vec::new();
        let outcome = transact(&mut connection, batch, &mut answers);
        for answer in answers {
            answer(outcome.as_ref().copied());
        }
    }
}

fn transact(
    connection: &mut Connection,
    batch: impl Iterator<Item = Job>,
    answers: &mut Vec<Answer>,
) -> Result<(), StoreError> {
    // A batch that cannot begin is dropped with its answers' senders: its callers read that as unavailable.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for job in batch {
        transaction.prepare_cached("SAVEPOINT job")?.execute([])?;
        let (keep, answer) = job(&transaction);
        answers.push(answer);
        if !keep {
            transaction.prepare_cached("ROLLBACK TO job")?.execute([])?;
        }
        transaction.prepare_cached("RELEASE job")?.execute([])?;
    }
    Ok(transaction.commit()?)
}
