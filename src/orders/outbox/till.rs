//! The browser's half of the sender.

use super::Outbox;
use crate::connect::browser::Browser;
use crate::core::cancellation::{race, timeout};
use crate::core::failure::Failure;
use crate::core::{global, object};
use crate::http::Http;
use crate::orders::queue::Queue;
use crate::orders::queued_order::{Change, QueuedOrder, State};
use crate::orders::sender::{Demand, Till};
use crate::vault::Vault;
use crate::vault::lock::Lock;
use js_sys::{JSON, Math, Object, Reflect};

impl Browser for Outbox {
    fn http(&self) -> &Http {
        &self.http
    }

    fn vault(&self) -> &Vault {
        &self.queue.storage
    }
}

impl Till for Outbox {
    fn queue(&self) -> &Queue<Vault> {
        &self.queue
    }

    fn demand(&self) -> &Demand {
        &self.demand
    }

    async fn lock(&self) -> Result<Lock, Failure> {
        // It may take a while: another page sends, and nobody answers it.
        race(self.queue.lock(), &self.ended).await?
    }

    fn is_ended(&self) -> bool {
        self.ended.check().is_err()
    }

    async fn rest(&self, ms: f64) -> Result<(), Failure> {
        let woken = self.wake_up.notified();
        race(timeout(ms, woken), &self.ended).await.map(drop)
    }

    fn chance(&self) -> f64 {
        Math::random()
    }

    fn is_online(&self) -> bool {
        global::is_online()
    }

    fn announce(&self, change: &Change) {
        self.tell_pages(change);
        self.settle(change);
    }

    /// Tells this page, once of each. They stay: what is unreadable today may not be
    /// tomorrow.
    fn report_unreadable(&self, ids: Vec<String>) {
        for id in ids {
            if self.unreadable.borrow().contains(&id) {
                continue;
            }
            self.settle(&Change::new(
                State::Refused,
                &id,
                &QueuedOrder::unreadable(),
            ));
            self.unreadable.borrow_mut().push(id);
        }
    }

    fn note_thrown(&self, id: &str, failure: &Failure) {
        let thrown = failure.cause.clone();
        self.thrown
            .replace(thrown.map(|thrown| (id.into(), thrown)));
    }

    fn on_call_failed(&self, failure: &Failure) {
        self.connection.on_call_failed(failure);
    }

    fn key_refused(&self) {
        self.connection.renew_key(true);
    }

    fn without_ereceipt(body: &str) -> Option<String> {
        let body = Object::from(JSON::parse(body).ok()?);
        let is_deleted = Reflect::delete_property(&body, &"ereceipt".into());
        is_deleted.ok().filter(|is_deleted| *is_deleted)?;
        object::stringify(&body).ok()
    }
}
