//! Sends what waits: one order at a time, one page of the browser at a time.

use super::Outbox;
use super::queue::{Kept, Queue};
use crate::core::cancellation::{Cancellation, race, timeout};
use crate::core::error::{ErrorCode, Operation};
use crate::core::failure::Failure;
use crate::core::{global, object};
use crate::http::{self, Body, Call, Http};
use crate::orders::error_record::ErrorRecord;
use crate::orders::queued_order::{self, Change, QueuedOrder, State, Verdict};
use crate::vault::lock::Lock;
use js_sys::{Date, JSON, Math, Object, Reflect};
use pos_connect_protocol::decode::{self, Accepted};
use std::rc::Rc;

const OPERATION: Operation = Operation::SendOrder;
/// Until another page may have sent what this one does not know, or can't read.
const LONG_REST_MS: f64 = 30_000.0;

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
pub async fn run(outbox: &Rc<Outbox>) {
    let woken = outbox.clone();
    let _listeners = global::on_wake(Rc::new(move || {
        woken.is_urgent.set(true);
        woken.wake_up.notify_one();
    }));
    let (mut lock, mut failures) = (None, 0);
    // Asks what ends the waits below: with zone.js this runs in the middle of `destroy`.
    while outbox.ended.check().is_ok() {
        outbox.is_asked.set(false);
        let next = attempt(outbox, &mut lock).await;
        if !matches!(next, Ok(Next::Go)) {
            lock = None;
        }
        failures = next.as_ref().map_or(failures + 1, |_| 0);
        // The storage failed. It may hold what an earlier page could not send.
        match next.unwrap_or_else(|_| Next::Rest(queued_order::storage_rest(failures))) {
            Next::Go => {}
            Next::Rest(ms) => {
                let woken = outbox.wake_up.notified();
                // It is over, or the page's timers fail: asking without a rest would never end.
                if race(timeout(ms, woken), &outbox.ended).await.is_err() {
                    break;
                }
            }
            Next::Stop if outbox.is_asked.get() => {}
            Next::Stop => {
                // The urgency ends with the queue: what another page fails to send hours later is not tried at once.
                outbox.is_urgent.set(false);
                break;
            }
        }
    }
    outbox.is_sending.set(false);
}

/// Sends the first order, if it is time. The lock is let go after each, so that other pages have their turn; but not
/// one that was stolen, which the browser may give to the next page that it has frozen.
async fn attempt(outbox: &Outbox, lock: &mut Option<Lock>) -> Result<Next, Failure> {
    let queue = &outbox.queue;
    if !lock.as_ref().is_some_and(|lock| lock.is_stolen) {
        *lock = None;
        // It may take a while: another page sends, and nobody answers it.
        let granted = queue.lock();
        *lock = Some(race(granted, &outbox.ended).await??);
    }
    let now = Date::now();
    let (next, unreadable) = queue.next(now).await?;
    outbox.report_unreadable(unreadable);
    let Some(mut kept) = next else {
        return Ok(Next::Stop);
    };
    let Some(mut entry) = kept.entry.take() else {
        return Ok(Next::Rest(LONG_REST_MS));
    };
    let rest = entry.rest(now, outbox.is_urgent.take());
    if rest > 0.0 {
        return Ok(Next::Rest(rest));
    }
    match post(&outbox.http, &entry).await {
        Ok(accepted) => {
            if !queue.remove(&kept).await? {
                return Ok(BEATEN);
            }
            let fault = entry.ereceipt_fault.clone();
            let ereceipt = fault.is_some().then(|| "refused".to_owned());
            outbox.announce(&Change {
                ereceipt: ereceipt.or(accepted.ereceipt),
                received_at: accepted.received_at,
                // What the earlier tries failed with does not count, but why there is no e-receipt does.
                error: fault.map(ErrorRecord::of_code),
                ..Change::new(State::Accepted, &kept.id, &entry.again())
            });
            Ok(Next::Go)
        }
        Err(failure) => failed(outbox, queue, &kept, &mut entry, &failure).await,
    }
}

async fn post(http: &Http, entry: &QueuedOrder) -> Result<Accepted, Failure> {
    let body = Body::json(entry.body.clone(), Some(entry.key.clone()));
    let call = Call::of_merchant(&http.config, OPERATION, "", Some(body));
    // Not ended by `destroy`: what is on its way may have arrived.
    let body = http.send(call, &Cancellation::default()).await?;
    http::read(&body, decode::accepted)
}

async fn failed(
    outbox: &Outbox,
    queue: &Queue,
    kept: &Kept,
    entry: &mut QueuedOrder,
    failure: &Failure,
) -> Result<Next, Failure> {
    let error = &*failure.error;
    match entry.judge(error) {
        Verdict::WithoutEreceipt => {
            let pointer = error.pointer.as_deref();
            if pointer.is_some_and(|pointer| pointer.starts_with("/ereceipt/sealed")) {
                outbox.connection.renew_key(true);
            }
            without_ereceipt(entry, error.code);
            let is_noted = queue.note(kept, entry).await?;
            Ok(if is_noted { Next::Go } else { BEATEN })
        }
        Verdict::Refused => {
            entry.tries = entry.tries.saturating_add(1);
            entry.error = Some(error.into());
            if !queue.refuse(kept, entry).await? {
                return Ok(BEATEN);
            }
            outbox.announce(&Change::new(State::Refused, &kept.id, entry));
            Ok(Next::Go)
        }
        Verdict::Later => {
            let now = Date::now();
            entry.postpone(error, now, Math::random());
            let thrown = failure.cause.clone();
            let thrown = thrown.map(|thrown| (kept.id.clone(), thrown));
            outbox.thrown.replace(thrown);
            // If it can't be kept, the next page asks somewhat early.
            let noted = queue.note(kept, entry).await;
            if matches!(noted, Ok(false)) {
                return Ok(BEATEN);
            }
            let mut change = Change::new(State::Postponed, &kept.id, entry);
            // A browser that believes that it is offline is mostly right, once a call has failed.
            change.stops_waiting |= !global::is_online();
            outbox.announce(&change);
            outbox.connection.on_call_failed(failure);
            noted?;
            // Which one is next, and when, the queue says.
            Ok(Next::Go)
        }
    }
}

/// The same order, for a service that does not take its e-receipt.
fn without_ereceipt(entry: &mut QueuedOrder, code: ErrorCode) {
    (entry.has_ereceipt, entry.refusals) = (false, 0);
    entry.ereceipt_fault = Some(code.as_str().into());
    let Ok(body) = JSON::parse(&entry.body) else {
        return;
    };
    let body = Object::from(body);
    let deleted = Reflect::delete_property(&body, &"ereceipt".into());
    if let (Ok(true), Ok(text)) = (deleted, object::stringify(&body)) {
        entry.body = text;
    }
}
