//! The outbox on a page that is ended at every step, beside each trouble of network, service and storage: no order that
//! was kept is lost, and none arrives twice at a service that honors its key.

use super::outbox::Outbox;
use super::outbox_page::OutboxPage;
use super::queued_order::{Change, QueuedOrder, State};
use crate::core::Boxed;
use crate::core::error::{Error, ErrorCode};
use crate::core::failure::Failure;
use crate::crash::{self, Service, Trouble, step};
use crate::http::Call;
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

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

/// What stands beside the first page, which sells.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Beside {
    Nothing,
    /// A page that is opened anew, again and again. The browser ends both.
    Reopened,
    /// A page that lives on.
    Living,
}

/// An order that the service has.
struct Accepted {
    key: String,
    body: String,
    external_id: String,
}

/// The service, the shopper, and what the pages say.
#[derive(Default)]
struct Outside {
    /// The service honors the keys: a call that is made again is the same call.
    accepted: RefCell<Vec<Accepted>>,
    /// The orders that it has refused.
    refused: RefCell<BTreeSet<String>>,
    /// A page that lives is asking the shopper of its sale.
    is_asking: Cell<bool>,
    /// The first page is over.
    is_sold: Cell<bool>,
    /// The orders that a page was told are kept.
    kept: RefCell<Vec<&'static str>>,
    /// The sales that were given to a host as interrupted.
    interrupted: Cell<u32>,
    /// The first page has said that it asks its shopper.
    is_announced: Cell<bool>,
    /// What the first page tells the one beside it.
    mail: RefCell<Vec<Change>>,
}

type World = crash::World<Outside>;

impl Service for Outside {
    fn answer(&self, call: Call, trouble: Trouble) -> Result<String, Error> {
        let body = call.body.unwrap();
        let (key, body) = (body.key.unwrap(), body.text);
        let order: Value = serde_json::from_str(&body).unwrap();
        let external_id = order["externalId"].as_str().unwrap().to_owned();
        let has_ereceipt = order.get("ereceipt").is_some();
        if has_ereceipt && trouble == Trouble::WithoutEreceipt {
            return Err(crash::refusal(409, ErrorCode::EreceiptNotEnabled));
        }
        if external_id == B && trouble == Trouble::Refused {
            self.refused.borrow_mut().insert(external_id);
            return Err(crash::refusal(400, ErrorCode::InvalidBody));
        }
        let mut orders = self.accepted.borrow_mut();
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
}

impl Outside {
    /// What must hold in the end.
    fn check(&self, left: usize) {
        let orders = self.accepted.borrow();
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
        assert!(self.interrupted.get() <= 1, "printed twice");
        assert_eq!(left, self.refused.borrow().len(), "entries left");
    }

    /// What a page has done that was not ended: it waits for no other.
    fn check_sent(&self) {
        let (kept, refused) = (self.kept.borrow(), self.refused.borrow());
        let orders = self.accepted.borrow();
        for id in kept.iter().filter(|id| !refused.contains(**id)) {
            assert!(
                orders.iter().any(|order| order.external_id == *id),
                "{id} was left"
            );
        }
    }

    /// What a page that has heard of a sale has done with it by itself.
    fn check_recovered(&self, ends: &[usize]) {
        let has_arrived = self
            .accepted
            .borrow()
            .iter()
            .any(|order| order.external_id == C);
        let is_recovered = has_arrived || !self.is_announced.get();
        assert!(is_recovered, "the page beside has left the sale: {ends:?}");
    }

    fn keeps<T>(&self, external_id: &'static str, kept: &Result<T, Failure>) {
        if kept.is_ok() {
            self.kept.borrow_mut().push(external_id);
        }
    }
}

/// A page of the till.
struct Page {
    world: Rc<World>,
    /// The others hear of it.
    is_first: bool,
}

impl crash::Page for Page {
    type Service = Outside;

    fn world(&self) -> &World {
        &self.world
    }
}

impl OutboxPage for Page {
    fn sealed(&self, entry: QueuedOrder) -> Boxed<'_, QueuedOrder> {
        let is_taken = entry.external_id == C && self.world.service.is_asking.get();
        assert!(!is_taken, "taken from its page");
        Box::pin(async { entry })
    }

    fn without_ereceipt(body: &str) -> Option<String> {
        let mut body: Value = serde_json::from_str(body).ok()?;
        body.as_object_mut()?.remove("ereceipt");
        Some(body.to_string())
    }

    fn with_ereceipt_of(_: &str, new: &str) -> String {
        new.into()
    }

    fn tell_pages(&self, change: &Change) {
        if self.is_first {
            let is_announced = &self.world.service.is_announced;
            is_announced.set(is_announced.get() || change.state == State::Asked);
            self.world.service.mail.borrow_mut().push(change.clone());
        }
    }

    fn tell_host(&self, _: &Change) {}

    fn prints_interrupted(&self) -> bool {
        true
    }

    fn interrupted(&self, entry: &QueuedOrder) {
        assert_eq!(entry.external_id, C);
        let interrupted = &self.world.service.interrupted;
        interrupted.set(interrupted.get() + 1);
    }

    fn note_thrown(&self, _: &str, _: &Failure) {}

    fn on_call_failed(&self, _: &Failure) {}

    fn key_refused(&self) {}

    fn keep_storage(&self) {}
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

/// Opens the till, as `create` does: it sends what waits, and ends the sales that it finds.
fn open(world: &Rc<World>, is_first: bool) -> Rc<Outbox<Page>> {
    let world = world.clone();
    let disk = world.disk.clone();
    let outbox = Rc::new(Outbox::new(Page { world, is_first }, disk));
    outbox.send_now();
    outbox.recover_sales();
    outbox
}

/// The first page: two orders, and a sale whose shopper is asked, and may be shown a code.
async fn sell(world: &Rc<World>, shows_code: bool) {
    let (outbox, outside) = (open(world, true), &world.service);
    for id in [A, B] {
        outside.keeps(id, &outbox.keep(order(id), None).await);
    }
    let sale = outbox.begin_sale(order(C)).await;
    outside.keeps(
        C,
        &sale
            .is_kept
            .then_some(())
            .ok_or(Failure::new(ErrorCode::VaultFailed)),
    );
    outside.is_asking.set(true);
    // Long enough for the page beside to look twice.
    for _ in 0..20 {
        step().await;
    }
    outside.is_asking.set(false);
    let sending = outbox.end_sale(sale, order(C)).await;
    outside.keeps(C, &sending);
    if shows_code && let Ok(sending) = &sending {
        let shown = outbox.show_sale(sending, order(C)).await;
        for _ in 0..20 {
            step().await;
        }
        if let Some(shown) = shown {
            outbox.close_sale(shown).await;
        }
    }
}

/// A page beside the first one.
async fn look_on(world: &Rc<World>, beside: Beside) {
    let mut outbox = open(world, false);
    loop {
        let is_sold = world.service.is_sold.get();
        for _ in 0..10 {
            for change in world.service.mail.take() {
                outbox.on_remote_change(&change);
            }
            step().await;
        }
        if is_sold {
            return;
        }
        if beside == Beside::Reopened {
            outbox = open(world, false);
        }
    }
}

/// Ends the first pages after so many steps each, and gives which of them were ended. Two more run to their ends.
fn pages(world: &Rc<World>, ends: &[usize], beside: Beside, shows_code: bool) -> Vec<bool> {
    let outside = &world.service;
    let first = || async {
        sell(world, shows_code).await;
        outside.is_sold.set(true);
    };
    let mut was_ended = Vec::new();
    for steps in ends.iter().copied().chain([usize::MAX; 2]) {
        let ended = match (was_ended.is_empty(), beside) {
            (false, _) => crash::run(async { drop(open(world, false)) }, steps),
            (true, Beside::Nothing) => crash::run(first(), steps),
            (true, Beside::Reopened) => {
                let both = crash::both(crash::page(first()), look_on(world, beside));
                crash::run(both, steps)
            }
            (true, Beside::Living) => {
                let first = async {
                    let ended = crash::ended(first(), steps).await;
                    outside.is_asking.set(false);
                    outside.is_sold.set(true);
                    ended
                };
                let both = crash::both(first, look_on(world, beside));
                let ended = crash::run(both, usize::MAX).flatten();
                if !matches!(world.trouble.get(), Trouble::WriteFails(_)) {
                    outside.check_recovered(ends);
                }
                ended
            }
        };
        if ended.is_some() {
            outside.check_sent();
        }
        world.disk.page_ended(ended.is_some());
        outside.is_asking.set(false);
        was_ended.push(ended.is_none());
    }
    was_ended
}

/// Ends the pages in every way, and says in how many.
fn end_everywhere(shows_code: bool) -> usize {
    let mut ways = 0;
    for trouble in TROUBLES {
        for beside in [Beside::Nothing, Beside::Reopened, Beside::Living] {
            // Two pages in a row, or one beside another trouble.
            let is_two = trouble == Trouble::Nothing && beside != Beside::Living && !shows_code;
            ways += crash::end_everywhere(if is_two { 2 } else { 1 }, |ends| {
                let world = Rc::new(World::new(trouble, Outside::default()));
                let checked = catch_unwind(AssertUnwindSafe(|| {
                    let was_ended = pages(&world, ends, beside, shows_code);
                    world.service.check(world.disk.texts().len());
                    was_ended
                }));
                checked.unwrap_or_else(|_| panic!("{trouble:?} {beside:?} {ends:?}"))
            });
        }
    }
    ways
}

#[test]
fn no_order_is_lost_or_doubled_wherever_the_page_ends() {
    let ways = end_everywhere(false);
    assert!(ways > 4_000, "only {ways} ways to end the pages");
}

#[test]
fn no_order_is_lost_or_printed_twice_while_its_code_is_shown() {
    let ways = end_everywhere(true);
    assert!(ways > 1_000, "only {ways} ways to end the pages");
}
