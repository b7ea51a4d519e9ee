//! The outbox: orders survive the network, this page, and this browser's crash. See "The outbox" in ARCHITECTURE.md.
//!
//! `queue` keeps them and `sender` sends them; here is what the calls, the other pages and the host hear of that.

mod persistence;
mod sale;
mod till;

pub use self::sale::Sale;
use crate::connect::connection::Connection;
use crate::core::cancellation::{Cancellation, race, timeout};
use crate::core::channel::Channel;
use crate::core::error::{Error, ErrorCode};
use crate::core::failure::Failure;
use crate::core::notify::Notify;
use crate::core::options::Options;
use crate::core::{Boxed, console, global, task};
use crate::http::Http;
use crate::http::config::{ON_INTERRUPTED, ON_OUTBOX, PERSIST_STORAGE};
use crate::orders::queue::{Kept, Queue};
use crate::orders::queued_order::{Change, PATIENCE_MS, QueuedOrder, State};
use crate::orders::sender::{self, Demand, Till};
use crate::orders::{draft, sealing};
use crate::vault::Vault;
use crate::vault::seal::random_letters;
use crate::vault::storage::Storage;
use js_sys::{Date, Function};
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use wasm_bindgen::JsValue;

/// The orders of one vendor account and store in this browser.
pub struct Outbox {
    queue: Queue<Vault>,
    /// Whether the browser is still to be asked not to clear the storage.
    is_to_persist: Cell<bool>,
    http: Rc<Http>,
    connection: Rc<Connection>,
    /// Ends a wait of the sender's with the object.
    ended: Cancellation,
    /// `onOutbox`, if the host has one.
    on_change: Option<Function>,
    /// `onInterrupted`, if the host has one.
    on_interrupted: Option<Function>,
    /// Whether the sales of earlier pages were looked for.
    has_recovered: Cell<bool>,
    /// To the other pages; `None` if there are none.
    channel: RefCell<Option<Channel>>,
    /// The order whose last try of this page failed, and what the page itself threw then.
    thrown: RefCell<Option<(String, JsValue)>>,
    /// The orders that can't be read, and that the host knows of.
    unreadable: RefCell<Vec<String>>,
    /// The calls of this page that wait for their orders.
    waiting: RefCell<Vec<Weak<Waiting>>>,
    /// Ends the sender's rest.
    wake_up: Rc<Notify>,
    is_sending: Cell<bool>,
    demand: Demand,
}

/// A refused order in another content, which keeps the e-receipt of the first.
fn corrected_by(refused: QueuedOrder, mut by: QueuedOrder) -> Result<QueuedOrder, Failure> {
    if refused.has_ereceipt && !by.has_ereceipt {
        by.body = draft::with_ereceipt_of(&refused.body, &by.body);
        by.has_ereceipt = true;
    }
    let key = random_letters()?;
    Ok(refused.corrected(by, key))
}

/// A call that waits for its order.
struct Waiting {
    id: String,
    change: RefCell<Option<Change>>,
    settled: Notify,
}

/// An order that is kept, and on its way.
pub struct Sending {
    outbox: Rc<Outbox>,
    /// `None` if there is nothing to wait for.
    waiting: Option<Rc<Waiting>>,
    queued: Change,
}

impl Sending {
    /// What became of the order; still queued, if nobody should wait any longer.
    pub async fn settled(self, cancel: &Cancellation) -> Change {
        let Some(waiting) = self.waiting else {
            return self.queued;
        };
        let settled = timeout(PATIENCE_MS, waiting.settled.notified());
        let _ = race(settled, cancel).await;
        let change = waiting.change.take().unwrap_or(self.queued);
        let waits = matches!(change.state, State::Queued | State::Postponed);
        if waits && self.outbox.is_to_persist.take() {
            task::start(persistence::ask());
        }
        change
    }
}

impl Outbox {
    /// Sends nothing yet.
    pub fn new(
        vault: Rc<Vault>,
        http: Rc<Http>,
        connection: Rc<Connection>,
        ended: Cancellation,
        options: &Options,
    ) -> Rc<Self> {
        let name = (!vault.is_memory()).then(|| vault.scope().to_owned());
        let outbox = Rc::new(Self {
            is_to_persist: Cell::new(options.flag(&PERSIST_STORAGE) && name.is_some()),
            queue: Queue::new(vault),
            http,
            connection,
            ended,
            on_change: options.page(&ON_OUTBOX),
            on_interrupted: options.page(&ON_INTERRUPTED),
            has_recovered: Cell::default(),
            channel: RefCell::default(),
            thrown: RefCell::default(),
            unreadable: RefCell::default(),
            waiting: RefCell::default(),
            wake_up: Rc::default(),
            is_sending: Cell::default(),
            demand: Demand::default(),
        });
        if let Some(name) = name {
            let weak = Rc::downgrade(&outbox);
            let channel = Channel::open(&["pos-connect outbox ", &name], move |text| {
                if let (Some(outbox), Some(change)) = (weak.upgrade(), Vault::from_text(text)) {
                    outbox.heard(&change);
                }
            });
            outbox.channel.replace(channel);
        }
        outbox
    }

    /// Keeps an order, sends it, and waits a moment for the service.
    ///
    /// Gives what became of it: accepted, refused, or still queued. Fails only if it was not kept; from then on,
    /// neither the caller's signal nor `destroy` takes it back.
    pub async fn send(
        self: &Rc<Self>,
        mut entry: QueuedOrder,
        cancel: &Cancellation,
    ) -> Result<Change, Failure> {
        cancel.check()?;
        entry.at = Some(Date::now());
        Ok(self.keep(entry, None).await?.settled(cancel).await)
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
        if entry.has_ereceipt {
            self.connection.renew_key(false);
        }
        let sealed = self.sealed(entry.clone());
        self.queue.join(sealed, sale, joined).await?;
        self.recover_sales();
        let Some(waiting) = waiting.take() else {
            return Err(Failure::new(ErrorCode::VaultFailed));
        };
        let queued = Change::new(State::Queued, &waiting.id, &entry);
        self.announce(&queued);
        self.send_now();
        let outbox = self.clone();
        Ok(Sending {
            outbox,
            waiting: Some(waiting),
            queued,
        })
    }

    /// The same order with its number sealed, if the service's key is known. Boxed: see `Vault::perform`.
    fn sealed(&self, mut entry: QueuedOrder) -> Boxed<'_, QueuedOrder> {
        Box::pin(async move {
            if entry.has_ereceipt
                && let Some(key) = self.queue.storage.key().await
            {
                // A number that cannot be sealed is kept as it would be without a key: the order was paid.
                let _ = sealing::seal_number(&mut entry, &key).await;
            }
            entry
        })
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
    fn wake(self: &Rc<Self>) {
        self.demand.is_asked.set(true);
        self.wake_up.notify_one();
        if self.http.is_destroyed.get() || self.is_sending.replace(true) {
            return;
        }
        let outbox = self.clone();
        task::start(async move {
            let woken = outbox.clone();
            let _listeners = global::on_wake(Rc::new(move || {
                woken.demand.is_urgent.set(true);
                woken.wake_up.notify_one();
            }));
            sender::run(&*outbox).await;
            outbox.is_sending.set(false);
        });
    }

    /// The orders that can be sent, and the others.
    pub async fn list(&self) -> Result<[Vec<Kept>; 2], Failure> {
        self.queue.list().await
    }

    /// Why an order was not accepted, as the host is told; with what the page itself threw, if it was this one's try.
    pub fn failure(&self, id: &str, error: Option<Error>) -> Option<Failure> {
        let thrown = self.thrown.borrow();
        let own = thrown.as_ref().filter(|(of, _)| of == id);
        Some(Failure {
            cause: own.map(|(_, thrown)| thrown.clone()),
            ..Failure::from(error?)
        })
    }

    /// Whether the browser has promised not to clear the storage by itself.
    pub async fn is_persisted(&self) -> bool {
        !self.queue.storage.is_memory() && persistence::is_promised().await
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
        if let Some((kept, refused)) = self.queue.refused(id).await? {
            let entry = match corrected {
                Some(by) => corrected_by(refused, self.sealed(by).await)?,
                None => refused.again(),
            };
            if self.queue.requeue(&kept, &entry).await? {
                self.announce(&Change::new(State::Queued, id, &entry));
            }
        } else if let Some((kept, waiting)) = self.queue.waiting(id).await? {
            if corrected.is_some() {
                // It may have arrived as it is.
                let fault = "order: only a refused order can be corrected";
                return Err(Failure::invalid(fault));
            }
            self.queue.note(&kept, &waiting.at_once()).await?;
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
        if let Some(kept) = &discarded {
            let entry = kept.entry.clone().unwrap_or_default();
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
        for Kept { id, entry, .. } in erased {
            let entry = entry.unwrap_or_default().again();
            self.announce(&Change::new(State::Discarded, &id, &entry));
        }
        Ok(())
    }

    /// Ends the sender, and listens to no other page any more. What is on its way is still told: others show it as
    /// waiting.
    pub fn destroy(&self) {
        // With no borrow held: a page may have put its own functions in the place of the browser's.
        let mut channel = self.channel.take();
        if let Some(channel) = &mut channel {
            channel.deafen();
        }
        self.channel.replace(channel);
        self.wake_up.notify_one();
    }

    /// Another page has done something.
    fn heard(self: &Rc<Self>, change: &Change) {
        if change.state == State::Asked {
            return self.recover_when_left(change.id.clone());
        }
        self.settle(change);
        if change.state == State::Queued {
            // If that page goes, this one sends.
            self.wake();
        }
    }

    fn tell_pages(&self, change: &Change) {
        if let (Some(channel), Ok(text)) = (&*self.channel.borrow(), Vault::to_text(change)) {
            channel.post(&text);
        }
    }

    fn settle(&self, change: &Change) {
        let waiting: Vec<_> = self
            .waiting
            .borrow()
            .iter()
            .filter_map(Weak::upgrade)
            .collect();
        for waiting in waiting {
            let is_own = waiting.id == change.id && change.state != State::Queued;
            let is_over = is_own && change.state != State::Postponed;
            if is_own {
                waiting.change.replace(Some(change.clone()));
            }
            if is_over || change.stops_waiting {
                waiting.settled.notify_one();
            }
        }
        if let Some(on_change) = &self.on_change {
            let failure = self.failure(&change.id, change.error());
            let told = draft::change(change, failure);
            console::report("onOutbox", on_change.call1(&JsValue::UNDEFINED, &told));
        }
    }
}
