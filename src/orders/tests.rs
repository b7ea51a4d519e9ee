//! The outbox on a page that is ended at every step, beside each trouble of network, service and storage: no order that
//! was kept is lost, and none arrives twice at a service that honors its key.

use super::queue::Queue;
use super::queued_order::{Change, QueuedOrder};
use super::sender::{self, Demand, Till};
use crate::connect::platform::Platform;
use crate::core::error::{Error, ErrorCode, Source};
use crate::core::failure::Failure;
use crate::crash::{self, Disk, step};
use crate::http::Call;
use crate::http::config::Config;
use crate::vault::mutex::Guard;
use pos_connect_protocol::decode::Fault;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

/// What goes wrong; once, if it is not the service's will.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Trouble {
    Nothing,
    RequestLost,
    AnswerLost,
    FailedAfterwards,
    /// Something on the way answers in the place of the service.
    Portal,
    /// The service never takes the second order.
    Refused,
    /// The service never takes an e-receipt.
    WithoutEreceipt,
    WriteFails(u32),
}

const TROUBLES: [Trouble; 13] = [
    Trouble::Nothing,
    Trouble::RequestLost,
    Trouble::AnswerLost,
    Trouble::FailedAfterwards,
    Trouble::Portal,
    Trouble::Refused,
    Trouble::WithoutEreceipt,
    Trouble::WriteFails(1),
    Trouble::WriteFails(2),
    Trouble::WriteFails(3),
    Trouble::WriteFails(4),
    Trouble::WriteFails(5),
    Trouble::WriteFails(6),
];

/// An order that the service has.
struct Accepted {
    key: String,
    body: String,
    external_id: String,
}

/// The world outside the page.
struct World {
    disk: Rc<Disk>,
    config: Rc<Config>,
    trouble: Cell<Trouble>,
    now: Cell<f64>,
    /// The service honors the keys: a call that is made again is the same call.
    service: RefCell<Vec<Accepted>>,
    /// The orders that it has refused.
    refused: RefCell<BTreeSet<String>>,
    /// A page that lives is asking the shopper of its sale.
    is_asking: Cell<bool>,
    /// The first page is over.
    is_sold: Cell<bool>,
    /// The orders that a page was told are kept.
    kept: RefCell<Vec<&'static str>>,
}

impl World {
    fn new(trouble: Trouble) -> Rc<Self> {
        let disk = Disk::default();
        if let Trouble::WriteFails(write) = trouble {
            disk.failing_write.set(write);
        }
        Rc::new(Self {
            disk: Rc::new(disk),
            config: crash::config(),
            trouble: Cell::new(trouble),
            now: Cell::default(),
            service: RefCell::default(),
            refused: RefCell::default(),
            is_asking: Cell::default(),
            is_sold: Cell::default(),
            kept: RefCell::default(),
        })
    }

    fn goes_wrong(&self, trouble: Trouble) -> bool {
        let is_it = self.trouble.get() == trouble;
        if is_it {
            self.trouble.set(Trouble::Nothing);
        }
        is_it
    }

    /// What the service does with an order.
    fn answer(&self, key: String, body: String) -> Result<String, Error> {
        let order: Value = serde_json::from_str(&body).unwrap();
        let external_id = order["externalId"].as_str().unwrap().to_owned();
        let refusal = |status, code| {
            let mut error = Error::new(code);
            (error.status, error.source) = (Some(status), Some(Source::Service));
            error
        };
        let has_ereceipt = order.get("ereceipt").is_some();
        if has_ereceipt && self.trouble.get() == Trouble::WithoutEreceipt {
            return Err(refusal(409, ErrorCode::EreceiptNotEnabled));
        }
        if external_id == B && self.trouble.get() == Trouble::Refused {
            self.refused.borrow_mut().insert(external_id);
            return Err(refusal(400, ErrorCode::InvalidBody));
        }
        let mut orders = self.service.borrow_mut();
        match orders.iter().find(|order| order.key == key) {
            Some(order) => assert!(order.body == body, "one key for two bodies"),
            None => orders.push(Accepted {
                key,
                body,
                external_id,
            }),
        }
        Ok(json!({"success": true, "receivedAt": "2030-01-01T00:00:00Z"}).to_string())
    }

    /// What must hold in the end.
    fn check(&self) {
        let orders = self.service.borrow();
        let arrived: Vec<_> = orders.iter().map(|order| &*order.external_id).collect();
        assert!(arrived.is_sorted(), "not in their order: {arrived:?}");
        for id in [A, B, C] {
            let count = arrived.iter().filter(|other| **other == id).count();
            let is_refused = self.refused.borrow().contains(id);
            let is_kept = self.kept.borrow().contains(&id);
            assert!(count <= 1, "{id} has arrived {count} times");
            assert!(count == 1 || is_refused || !is_kept, "{id} is lost");
            assert!(count == 0 || !is_refused, "{id} was refused");
        }
        let left = self.disk.texts().len();
        assert_eq!(left, self.refused.borrow().len(), "entries left");
    }
}

/// A page of the till.
struct Page {
    world: Rc<World>,
    queue: Queue<Disk>,
    demand: Demand,
}

impl Platform for Page {
    type Storage = Disk;
    type Cancel = ();

    fn storage(&self) -> &Disk {
        &self.world.disk
    }

    fn config(&self) -> &Config {
        &self.world.config
    }

    fn is_destroyed(&self) -> bool {
        false
    }

    fn check(_: &()) -> Result<(), Failure> {
        Ok(())
    }

    async fn send(&self, call: Call, _: &()) -> Result<String, Failure> {
        step().await;
        if self.world.goes_wrong(Trouble::RequestLost) {
            return Err(Failure::new(ErrorCode::Network));
        }
        if self.world.goes_wrong(Trouble::Portal) {
            let mut error = Error::new(ErrorCode::Network);
            (error.status, error.source) = (Some(403), Some(Source::Intermediary));
            return Err(error.into());
        }
        let body = call.body.unwrap();
        let answer = self.world.answer(body.key.unwrap(), body.text);
        step().await;
        if self.world.goes_wrong(Trouble::AnswerLost) {
            return Err(Failure::new(ErrorCode::Network));
        }
        if self.world.goes_wrong(Trouble::FailedAfterwards) {
            return Err(Failure::new(ErrorCode::ServerError));
        }
        Ok(answer?)
    }

    fn read<B: DeserializeOwned, T>(
        body: &str,
        reader: fn(B) -> Result<T, Fault>,
    ) -> Result<T, Failure> {
        crash::read(body, reader)
    }

    fn now(&self) -> f64 {
        self.world.now.get()
    }

    async fn sleep(&self, ms: f64) {
        step().await;
        self.world.now.set(self.world.now.get() + ms);
    }
}

impl Till for Page {
    fn queue(&self) -> &Queue<Disk> {
        &self.queue
    }

    fn demand(&self) -> &Demand {
        &self.demand
    }

    async fn lock(&self) -> Result<Guard, Failure> {
        self.queue.lock().await
    }

    fn is_ended(&self) -> bool {
        false
    }

    async fn rest(&self, ms: f64) -> Result<(), Failure> {
        self.sleep(ms).await;
        Ok(())
    }

    fn chance(&self) -> f64 {
        0.5
    }

    fn is_online(&self) -> bool {
        true
    }

    fn announce(&self, _: &Change) {}

    fn report_unreadable(&self, ids: Vec<String>) {
        assert!(ids.is_empty());
    }

    fn note_thrown(&self, _: &str, _: &Failure) {}

    fn on_call_failed(&self, _: &Failure) {}

    fn key_refused(&self) {}

    fn without_ereceipt(body: &str) -> Option<String> {
        let mut body: Value = serde_json::from_str(body).ok()?;
        body.as_object_mut()?.remove("ereceipt");
        Some(body.to_string())
    }
}

const A: &str = "a";
const B: &str = "b";
const C: &str = "c";

fn order(external_id: &str) -> QueuedOrder {
    let body = json!({"externalId": external_id, "ereceipt": {}});
    QueuedOrder {
        has_ereceipt: true,
        ..QueuedOrder::new(
            ["key of ", external_id].concat(),
            external_id.into(),
            body.to_string(),
        )
    }
}

impl Page {
    fn new(world: &Rc<World>) -> Self {
        Self {
            world: world.clone(),
            queue: Queue::new(world.disk.clone()),
            demand: Demand::default(),
        }
    }

    fn keeps(&self, external_id: &'static str, kept: &Result<(), Failure>) {
        if kept.is_ok() {
            self.world.kept.borrow_mut().push(external_id);
        }
    }

    async fn join(&self, entry: QueuedOrder, sale: Option<&str>) -> Result<(), Failure> {
        self.queue
            .join(Box::pin(async { entry }), sale, |_| ())
            .await
    }

    /// The first page: two orders, and a sale whose shopper is asked.
    async fn sell(&self) {
        for id in [A, B] {
            let kept = self.join(order(id), None).await;
            self.keeps(id, &kept);
        }
        sender::run(self).await;
        let Ok((sale, _lock)) = self.queue.place_of_sale().await else {
            return;
        };
        let kept = self.queue.hold(&sale, &order(C)).await;
        self.keeps(C, &kept);
        self.world.is_asking.set(true);
        // Long enough for the page beside to look twice.
        for _ in 0..20 {
            step().await;
        }
        self.world.is_asking.set(false);
        // As `end_sale`: a storage that failed is asked again, if it has the sale.
        while self.join(order(C), Some(&sale)).await.is_err() && kept.is_ok() {
            self.sleep(1.0).await;
        }
        sender::run(self).await;
    }

    /// A later page: it ends the sales that it finds, and sends what waits.
    async fn recover(&self) {
        for sale in self.queue.sales().await.unwrap_or_default() {
            let Ok(_lock) = self.queue.lock_of_sale(&sale.id).await else {
                continue;
            };
            if let Ok(Some(entry)) = self.queue.sale(&sale.id).await {
                assert!(!self.world.is_asking.get(), "taken from its page");
                let _ = self.join(entry, Some(&sale.id)).await;
            }
        }
        sender::run(self).await;
    }

    /// A page beside the first one: it is opened anew, again and again, until that one is over.
    async fn look_on(&self) {
        while !self.world.is_sold.get() {
            self.recover().await;
            self.sleep(1.0).await;
        }
    }
}

/// Ends the first pages after so many steps each, and gives which of them were ended. Two more run to their ends.
/// `is_beside`: another page is open beside the first one, and the browser ends both.
fn pages(world: &Rc<World>, ends: &[usize], is_beside: bool) -> Vec<bool> {
    let mut was_ended = Vec::new();
    for steps in ends.iter().copied().chain([usize::MAX; 2]) {
        let [page, beside] = [Page::new(world), Page::new(world)];
        let sell = async {
            page.sell().await;
            world.is_sold.set(true);
        };
        let ended = match was_ended.is_empty() {
            true if is_beside => crash::run(crash::both(sell, beside.look_on()), steps),
            true => crash::run(sell, steps),
            false => crash::run(page.recover(), steps),
        };
        world.disk.page_ended(ended.is_some());
        world.is_asking.set(false);
        was_ended.push(ended.is_none());
    }
    was_ended
}

#[test]
fn no_order_is_lost_or_doubled_wherever_the_page_ends() {
    let mut ways = 0;
    let cases = TROUBLES.map(|trouble| [(trouble, false), (trouble, true)]);
    for (trouble, is_beside) in cases.into_iter().flatten() {
        // Two pages in a row, or one beside another trouble.
        let count = if trouble == Trouble::Nothing { 2 } else { 1 };
        ways += crash::end_everywhere(count, |ends| {
            let world = World::new(trouble);
            let was_ended = pages(&world, ends, is_beside);
            let checked = catch_unwind(AssertUnwindSafe(|| world.check()));
            assert!(checked.is_ok(), "{trouble:?} {is_beside} {ends:?}");
            was_ended
        });
    }
    assert!(ways > 3_000, "only {ways} ways to end the pages");
}
