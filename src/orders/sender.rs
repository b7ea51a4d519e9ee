//! Sends what waits: one order at a time, one page of the browser at a time.

use super::outbox::Outbox;
use super::outbox_page::OutboxPage;
use super::queue::{Row, Section};
use super::queued_order::{self, Change, QueuedOrder, State, Verdict};
use crate::core::error::{Error, Operation};
use crate::core::failure::Failure;
use crate::core::notify::Notify;
use crate::http::{Body, Call};
use crate::platform::LockOf;
use crate::vault::storage::Storage;
use pos_connect_protocol::decode::{self, Accepted};
use std::cell::Cell;

const OPERATION: Operation = Operation::SendOrder;
/// The time in which another page may have sent what this one does not know, or can't read.
const LONG_REST_MS: f64 = 30_000.0;

/// What somebody wants of the sender.
#[derive(Default)]
pub struct Demand {
    /// There may be something to send that it has not seen.
    pub is_pending: Cell<bool>,
    /// Somebody may be in front of this till: they sent an order, or opened the page. Until it has looked.
    pub is_urgent: Cell<bool>,
    /// Ends the sender's rest.
    pub wake_up: Notify,
}

/// What the sender does next.
enum Next {
    /// Look for another order.
    Go,
    /// Wait so many milliseconds, or for a wake-up.
    Rest(f64),
    /// Nothing is left to send.
    Stop,
}

/// Another page took this one for gone, and has written the outcome. No try in a hurry: it is at work.
const BEATEN: Next = Next::Rest(1_000.0);

/// Sends until nothing waits, or the object is destroyed.
pub async fn run<P: OutboxPage>(outbox: &Outbox<P>) {
    let (mut lock, mut failures) = (None, 0);
    // Asks what ends the waits below: with zone.js this runs in the middle of `destroy`.
    let (page, demand) = (&outbox.page, &outbox.demand);
    while P::check(page.ended()).is_ok() {
        demand.is_pending.set(false);
        let next = attempt(outbox, &mut lock).await;
        if !matches!(next, Ok(Next::Go)) {
            lock = None;
        }
        failures = next.as_ref().map_or(failures + 1, |_| 0);
        // The storage failed. It may hold what an earlier page could not send.
        match next.unwrap_or_else(|_| Next::Rest(queued_order::storage_rest(failures))) {
            Next::Go => {}
            Next::Rest(ms) => {
                let rest = page.timeout(ms, demand.wake_up.notified());
                if P::race(rest, page.ended()).await.is_err() {
                    break;
                }
            }
            Next::Stop if demand.is_pending.get() => {}
            Next::Stop => {
                // The urgency ends with the queue: what another page fails to send hours later is not tried at once.
                demand.is_urgent.set(false);
                break;
            }
        }
    }
}

/// Sends the first order, if it is time. The lock is let go after each, so that other pages have their turn; but not
/// one that was stolen, which the browser may give to the next page that it has frozen.
async fn attempt<P: OutboxPage>(
    outbox: &Outbox<P>,
    lock: &mut Option<LockOf<P>>,
) -> Result<Next, Failure> {
    let (page, queue) = (&outbox.page, &outbox.queue);
    if !lock.as_ref().is_some_and(P::Storage::is_stolen) {
        *lock = None;
        // It may take a while: another page sends, and nobody answers it.
        *lock = Some(P::race(queue.lock(), page.ended()).await??);
    }
    let now = page.now();
    let (next, unreadable) = queue.next(now).await?;
    outbox.report_unreadable(unreadable);
    let Some(mut row) = next else {
        return Ok(Next::Stop);
    };
    let Some(mut entry) = row.entry.take() else {
        return Ok(Next::Rest(LONG_REST_MS));
    };
    let rest = entry.rest(now, outbox.demand.is_urgent.take());
    if rest > 0.0 {
        return Ok(Next::Rest(rest));
    }
    match post(outbox, &entry).await {
        Ok(accepted) => {
            if !queue.remove(&row).await? {
                return Ok(BEATEN);
            }
            let fault = entry.ereceipt_fault;
            let ereceipt = fault.is_some().then(|| "refused".to_owned());
            outbox.announce(&Change {
                ereceipt: ereceipt.or(accepted.ereceipt),
                received_at: accepted.received_at,
                // What the earlier tries failed with does not count, but why there is no e-receipt does.
                error: fault.map(Error::new),
                ..Change::new(State::Accepted, &row.id, &entry.again())
            });
            Ok(Next::Go)
        }
        Err(failure) => failed(outbox, &row, &mut entry, &failure).await,
    }
}

async fn post<P: OutboxPage>(outbox: &Outbox<P>, entry: &QueuedOrder) -> Result<Accepted, Failure> {
    let body = Body::json(entry.body.clone(), Some(entry.key.clone()));
    let page = &outbox.page;
    let call = Call::of_merchant(page.config(), OPERATION, "", Some(body));
    // Not ended by `destroy`: what is on its way may have arrived.
    let body = page.send(call, &P::Cancel::default()).await?;
    P::read(&body, decode::accepted)
}

async fn failed<P: OutboxPage>(
    outbox: &Outbox<P>,
    row: &Row,
    entry: &mut QueuedOrder,
    failure: &Failure,
) -> Result<Next, Failure> {
    let (page, queue, error) = (&outbox.page, &outbox.queue, &*failure.error);
    match entry.judge(error) {
        Verdict::WithoutEreceipt => {
            let pointer = error.pointer.as_deref();
            if pointer.is_some_and(|pointer| pointer.starts_with("/ereceipt/sealed")) {
                page.key_refused();
            }
            (entry.has_ereceipt, entry.refusals) = (false, 0);
            entry.ereceipt_fault = Some(error.code);
            if let Some(body) = P::without_ereceipt(&entry.body) {
                entry.body = body;
            }
            let is_noted = queue.put(row, Section::Waiting, entry).await?;
            Ok(if is_noted { Next::Go } else { BEATEN })
        }
        Verdict::Refused => {
            entry.tries = entry.tries.saturating_add(1);
            entry.error = Some(error.to_stored());
            if !queue.put(row, Section::Refused, entry).await? {
                return Ok(BEATEN);
            }
            outbox.announce(&Change::new(State::Refused, &row.id, entry));
            Ok(Next::Go)
        }
        Verdict::Later => {
            let now = page.now();
            entry.postpone(error, now, P::random());
            page.note_thrown(&row.id, failure);
            // If it can't be kept, the next page asks somewhat early.
            let noted = queue.put(row, Section::Waiting, entry).await;
            if matches!(noted, Ok(false)) {
                return Ok(BEATEN);
            }
            let mut change = Change::new(State::Postponed, &row.id, entry);
            // A browser that believes that it is offline is mostly right, once a call has failed.
            change.stops_waiting |= !P::is_online();
            outbox.announce(&change);
            page.on_call_failed(failure);
            noted?;
            // Which one is next, and when, the queue says.
            Ok(Next::Go)
        }
    }
}
