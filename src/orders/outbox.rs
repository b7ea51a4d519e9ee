//! The outbox: orders survive the network, this page, and this browser's crash. See "The outbox" in ARCHITECTURE.md.
//! When an order is sent again, docs/offline.md says.
//!
//! `queue` keeps them and `sender` sends them; here is what the calls, the other pages and the host hear of that.

use super::outbox_page::OutboxPage;
use super::queue::{Queue, Row, Section};
use super::queued_order::{Change, PATIENCE_MS, QueuedOrder, State};
use super::sender::{self, Demand};
use crate::core::error::ErrorCode;
use crate::core::failure::Failure;
use crate::core::notify::Notify;
use crate::vault::storage::Storage;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

/// The orders of one vendor account and store in this browser.
pub struct Outbox<P: OutboxPage> {
    /// The page.
    pub page: P,
    /// Where they are kept.
    pub queue: Queue<P::Storage>,
    /// What somebody wants of the sender.
    pub demand: Demand,
    is_sending: Cell<bool>,
    /// Whether the sales of earlier pages were looked for.
    pub(super) has_recovered: Cell<bool>,
    /// The orders that can't be read, and that the host knows of.
    unreadable: RefCell<Vec<String>>,
    /// The calls of this page that wait for their orders.
    waiting: RefCell<Vec<Weak<Waiting>>>,
}

/// A call that waits for its order.
pub(super) struct Waiting {
    id: String,
    change: RefCell<Option<Change>>,
    settled: Notify,
}

/// An order that is kept, and on its way.
pub struct Sending {
    /// `None` if there is nothing to wait for.
    pub(super) waiting: Option<Rc<Waiting>>,
    pub(super) queued: Change,
}

impl<P: OutboxPage> Outbox<P> {
    /// Sends nothing yet.
    pub fn new(page: P, storage: Rc<P::Storage>) -> Self {
        Self {
            page,
            queue: Queue::new(storage),
            demand: Demand::default(),
            is_sending: Cell::default(),
            has_recovered: Cell::default(),
            unreadable: RefCell::default(),
            waiting: RefCell::default(),
        }
    }

    /// Keeps an order, sends it, and waits a moment for the service.
    ///
    /// Gives what became of it: accepted, refused, or still queued. Fails only if it was not kept; from then on,
    /// neither the caller's signal nor `destroy` takes it back.
    pub async fn send(
        self: &Rc<Self>,
        mut entry: QueuedOrder,
        cancel: &P::Cancel,
    ) -> Result<Change, Failure> {
        P::check(cancel)?;
        entry.at = Some(self.page.now());
        let sending = self.keep(entry, None).await?;
        Ok(self.settled(sending, cancel).await)
    }

    /// Keeps an order, and begins to send it. It takes the place of the sale that it was, if it was one.
    pub async fn keep(
        self: &Rc<Self>,
        entry: QueuedOrder,
        sale: Option<&str>,
    ) -> Result<Sending, Failure> {
        let waiting = Rc::new(RefCell::new(None));
        let joined = |id: &str| {
            waiting.replace(Some(self.wait_for(id)));
        };
        let sealed = self.page.sealed(entry.clone());
        self.queue.join(sealed, sale, joined).await?;
        self.recover_sales();
        let Some(waiting) = waiting.take() else {
            return Err(Failure::new(ErrorCode::VaultFailed));
        };
        let queued = Change::new(State::Queued, &waiting.id, &entry);
        self.announce(&queued);
        self.send_now();
        Ok(Sending {
            waiting: Some(waiting),
            queued,
        })
    }

    /// Waits a moment for what becomes of an order; still queued, if nobody should wait any longer.
    pub async fn settled(&self, sending: Sending, cancel: &P::Cancel) -> Change {
        let Some(waiting) = sending.waiting else {
            return sending.queued;
        };
        let settled = self.page.timeout(PATIENCE_MS, waiting.settled.notified());
        let _ = P::race(settled, cancel).await;
        let change = waiting.change.take().unwrap_or(sending.queued);
        if matches!(change.state, State::Queued | State::Postponed) {
            self.page.keep_storage();
        }
        change
    }

    fn wait_for(&self, id: &str) -> Rc<Waiting> {
        let waiting = Rc::new(Waiting {
            id: id.into(),
            change: RefCell::default(),
            settled: Notify::default(),
        });
        let mut all = self.waiting.borrow_mut();
        all.retain(|other| other.strong_count() > 0);
        all.push(Rc::downgrade(&waiting));
        waiting
    }

    /// Sends what waits without the rest before a next try: somebody in front of this till has just done something.
    pub fn send_now(self: &Rc<Self>) {
        self.demand.is_urgent.set(true);
        self.wake();
    }

    /// Sends what waits, if nothing sends yet.
    pub(super) fn wake(self: &Rc<Self>) {
        self.demand.is_pending.set(true);
        self.demand.wake_up.notify_one();
        if P::check(self.page.ended()).is_err() || self.is_sending.replace(true) {
            return;
        }
        let outbox = self.clone();
        P::start(async move {
            let woken = outbox.clone();
            let _listeners = P::on_wake(Rc::new(move || {
                woken.demand.is_urgent.set(true);
                woken.demand.wake_up.notify_one();
            }));
            sender::run(&outbox).await;
            outbox.is_sending.set(false);
        });
    }

    /// Sends an order now: a refused one once more, one that waits without further rest. False if there is none.
    ///
    /// A refused one can be `corrected`: it keeps its e-receipt, unless it brings another.
    pub async fn retry(
        self: &Rc<Self>,
        id: &str,
        corrected: Option<QueuedOrder>,
    ) -> Result<bool, Failure> {
        let _lock = self.queue.lock().await?;
        if let Some((row, refused)) = self.queue.sendable(Section::Refused, id).await? {
            let entry = match corrected {
                Some(by) => corrected_by::<P>(refused, self.page.sealed(by).await)?,
                None => refused.again(),
            };
            if self.queue.put(&row, Section::Waiting, &entry).await? {
                self.announce(&Change::new(State::Queued, id, &entry));
            }
        } else if let Some((row, waiting)) = self.queue.sendable(Section::Waiting, id).await? {
            if corrected.is_some() {
                // It may have arrived as it is.
                let fault = "order: only a refused order can be corrected";
                return Err(Failure::invalid(fault));
            }
            let waiting = waiting.at_once();
            self.queue.put(&row, Section::Waiting, &waiting).await?;
        } else {
            return Ok(false);
        }
        self.send_now();
        Ok(true)
    }

    /// Gives an order up; false if there is none. One that is just being sent is waited for.
    pub async fn discard(self: &Rc<Self>, id: &str) -> Result<bool, Failure> {
        let _lock = self.queue.lock().await?;
        let discarded = self.queue.discard(id).await?;
        if let Some(row) = &discarded {
            let entry = row.entry.clone().unwrap_or_default();
            self.announce(&Change::new(State::Discarded, id, &entry));
            // The sender may be resting for this one.
            self.wake();
        }
        Ok(discarded.is_some())
    }

    /// Erases all orders, after the one that is on its way.
    pub async fn forget(&self) -> Result<(), Failure> {
        let _lock = self.queue.lock().await?;
        let erased = self.queue.everything().await?;
        self.queue.clear().await?;
        for Row { id, entry, .. } in erased {
            let entry = entry.unwrap_or_default().again();
            self.announce(&Change::new(State::Discarded, &id, &entry));
        }
        Ok(())
    }

    /// Another page has done something.
    pub fn on_remote_change(self: &Rc<Self>, change: &Change) {
        if change.state == State::Asked {
            return self.recover_when_left(change.id.clone());
        }
        self.settle(change);
        if change.state == State::Queued {
            // If that page goes, this one sends.
            self.wake();
        }
    }

    /// Tells all pages and the host what became of an order.
    pub fn announce(&self, change: &Change) {
        self.page.tell_pages(change);
        self.settle(change);
    }

    /// Tells this page of orders that can't be read, once of each. They stay: what is unreadable today may not be
    /// tomorrow.
    pub fn report_unreadable(&self, ids: Vec<String>) {
        for id in ids {
            if self.unreadable.borrow().contains(&id) {
                continue;
            }
            let entry = QueuedOrder::unreadable();
            self.settle(&Change::new(State::Refused, &id, &entry));
            self.unreadable.borrow_mut().push(id);
        }
    }

    fn settle(&self, change: &Change) {
        let waiting = self.waiting.borrow().clone();
        for waiting in waiting.iter().filter_map(Weak::upgrade) {
            let is_own = waiting.id == change.id && change.state != State::Queued;
            let is_over = is_own && change.state != State::Postponed;
            if is_own {
                waiting.change.replace(Some(change.clone()));
            }
            if is_over || change.stops_waiting {
                waiting.settled.notify_one();
            }
        }
        self.page.tell_host(change);
    }
}

/// A refused order in another content, which keeps the e-receipt of the first.
fn corrected_by<P: OutboxPage>(
    refused: QueuedOrder,
    mut by: QueuedOrder,
) -> Result<QueuedOrder, Failure> {
    if refused.has_ereceipt && !by.has_ereceipt {
        by.body = P::with_ereceipt_of(&refused.body, &by.body);
        by.has_ereceipt = true;
    }
    let key = P::Storage::letters()?;
    Ok(refused.corrected(by, key))
}
