//! A sale in one call, as "Sell" in `docs/orders.md` tells it.

use super::draft::{self, Draft};
use super::merchant::Merchant;
use super::order::{PRINT, PRINT_IF_QUEUED};
use super::page::Page;
use super::queued_order::{QueuedOrder, ReceiptChoice};
use super::sale::Sale;
use crate::connect::exports::Owner;
use crate::core::cancellation::{Cancellation, race, timeout};
use crate::core::error::Operation;
use crate::core::failure::{Failure, Rejection};
use crate::core::notify::Notify;
use crate::core::object::{self, get, text};
use crate::core::options::Options;
use crate::core::{console, global, task};
use crate::keypad::Keypad;
use crate::keypad::prompt::SEND_MS;
use crate::keypad::reason::PrintReason;
use crate::keypad::settings::{CONTAINER, SIGNAL};
use js_sys::{Array, Function, JSON, Promise};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::prelude::*;

const OPERATION: Operation = Operation::Charge;
/// The reason of a print in the place of a message of which nobody knows when it arrives.
const QUEUED: &str = "queued";
type OnSend = Closure<dyn Fn(JsValue) -> Promise>;

/// The paid order of one call, and what became of it.
pub struct Charge {
    merchant: Rc<Merchant>,
    /// The order with its key.
    entry: QueuedOrder,
    print: Function,
    /// Whether a queued message stands in the place of paper.
    trusts_queue: bool,
    /// Ends the wait for the service.
    cancel: Cancellation,
    /// Until the order is among those that wait.
    sale: Cell<Option<Sale<Page>>>,
    /// The sale whose code is shown, once the order is sent.
    shown: Cell<Option<Sale<Page>>>,
    is_printed: Cell<bool>,
    /// What was sent, once it was.
    sent: RefCell<Option<Sent>>,
    is_sent: Notify,
    /// The order has its place among those that wait, or none.
    is_placed: Notify,
    /// Called by the keypad, which ends before this.
    on_send: RefCell<Option<OnSend>>,
}

/// A sent order.
struct Sent {
    choice: ReceiptChoice,
    /// `SentOrder` in `index.d.ts`.
    result: Result<JsValue, JsValue>,
}

impl Sent {
    /// Whether the message that the shopper chose stands in the place of paper.
    fn is_message(&self) -> bool {
        self.choice == ReceiptChoice::Text && self.result.is_ok() && !self.is_printed()
    }

    /// Whether there is paper in the place of the message that the shopper chose, or beside it.
    fn is_printed(&self) -> bool {
        let print = self.result.as_ref().map(|sent| get(sent, "print"));
        self.choice == ReceiptChoice::Text && !print.is_ok_and(|print| print == false)
    }

    fn is_queued(&self) -> bool {
        let state = self.result.as_ref().map(|sent| get(sent, "state"));
        state.is_ok_and(|state| state == "queued")
    }
}

impl Charge {
    /// The charge of an order, which has its key.
    pub fn new(
        merchant: Rc<Merchant>,
        entry: QueuedOrder,
        options: &Options,
    ) -> Result<Rc<Self>, Failure> {
        let print = options.page(&PRINT);
        Ok(Rc::new(Self {
            print: print.ok_or_else(|| Failure::invalid("print: is required"))?,
            trusts_queue: !options.flag(&PRINT_IF_QUEUED),
            cancel: merchant.ended().with(options.page(&SIGNAL)),
            merchant,
            entry,
            sale: Cell::default(),
            shown: Cell::default(),
            is_printed: Cell::default(),
            sent: RefCell::default(),
            is_sent: Notify::default(),
            is_placed: Notify::default(),
            on_send: RefCell::default(),
        }))
    }

    /// The keypad's `onSend` and `onScan`: sends the order while the shopper looks, who reads then what really became
    /// of it.
    pub fn on_send(self: &Rc<Self>) -> Function {
        let charge = Rc::downgrade(self);
        let closure = OnSend::new(move |receipt: JsValue| {
            let charge = charge.upgrade();
            task::promise(OPERATION, async move {
                let Some(charge) = charge else {
                    return Ok(JsValue::UNDEFINED);
                };
                charge.send(&receipt).await;
                charge.result_for_keypad()
            })
        });
        let function: Function = closure.as_ref().clone().unchecked_into();
        self.on_send.replace(Some(closure));
        function
    }

    /// Keeps the order, asks, sends and prints. Gives `ChargeResult` in `index.d.ts`.
    pub async fn run(&self, keypad: Rc<Keypad>, options: &Options) -> Result<JsValue, Rejection> {
        let sale = self.merchant.outbox.begin_sale(self.entry.clone()).await;
        self.sale.set(Some(sale));
        let connection = self.merchant.connection.clone();
        keypad.show_if(
            connection.clone().asks_shopper(options),
            connection.receipt_url(),
            options.page(&CONTAINER),
        );
        let receipt = keypad.until_settled().await;
        let is_hidden = text(&receipt, "reason") == PrintReason::PageHidden.as_str();
        if is_hidden {
            // If the page does not come back, or ends, the next one prints.
            self.woken().await?;
        }
        if !self.send(&receipt).await {
            // The shopper chose paper while the order was on its way. A page that was hidden then says nothing of it.
            self.is_placed.notified().await;
            if !is_hidden {
                self.print_if_chosen(&receipt);
            }
            timeout(SEND_MS, self.is_sent.notified()).await;
            if !self.sent.borrow().as_ref().is_some_and(Sent::is_message) {
                self.print_if_chosen(&receipt);
            }
        }
        if let Some(sale) = self.shown.take() {
            self.merchant.outbox.close_sale(sale).await;
        }
        let Some(sent) = self.sent.take() else {
            return Ok(receipt);
        };
        if sent.is_printed() {
            self.print(QUEUED);
        }
        let result = sent.result?;
        let printed = self.is_printed.get().into();
        let more = [("print", printed), ("receipt", receipt)];
        object::fill(result.unchecked_ref(), &more);
        Ok(result)
    }

    /// Sends the order with what the shopper chose, once. False if it is on its way already.
    async fn send(&self, receipt: &JsValue) -> bool {
        let Some(sale) = self.sale.take() else {
            return false;
        };
        let body = JSON::parse(&self.entry.body).unwrap_or_default();
        // What is wrong with the receipt does not cost the order.
        let draft = draft::draft(&body, Some(receipt.clone())).unwrap_or_else(|_| Draft {
            entry: self.entry.clone(),
            choice: ReceiptChoice::Text,
            cleaned: Array::new(),
        });
        let choice = draft.choice;
        let result = self.send_as(sale, draft, receipt).await;
        let result = result.map_err(|failure| failure.during(OPERATION));
        self.sent.replace(Some(Sent { choice, result }));
        self.is_sent.notify_one();
        true
    }

    async fn send_as(
        &self,
        sale: Sale<Page>,
        draft: Draft,
        receipt: &JsValue,
    ) -> Result<JsValue, Failure> {
        let outbox = &self.merchant.outbox;
        let is_code = text(receipt, "kind") == draft::CODE;
        let shown = is_code.then(|| draft.entry.clone());
        let sending = outbox.end_sale(sale, draft.entry).await;
        if let (Some(shown), Ok(sending)) = (shown, &sending) {
            self.shown.set(outbox.show_sale(sending, shown).await);
        }
        // Nothing is printed before: a page that dies then must not leave the sale to the next one, which prints.
        self.is_placed.notify_one();
        self.print_if_chosen(receipt);
        let change = outbox.settled(sending?, &self.cancel).await;
        let failure = outbox.page.failure(&change.id, change.error.clone());
        draft::sent(&change, failure, draft.choice, self.trusts_queue)
    }

    /// What the shopper reads: sent, or of a queued one that the message comes later. There is nothing to try again.
    fn result_for_keypad(&self) -> Result<JsValue, Rejection> {
        let sent = self.sent.borrow();
        let accepted = sent
            .as_ref()
            .filter(|sent| sent.is_queued() || !sent.is_printed());
        if let Some(Ok(result)) = accepted.map(|sent| &sent.result) {
            return Ok(result.clone());
        }
        let refused = js_sys::Error::new("No e-receipt was accepted.");
        object::set(&refused, "retryable", &JsValue::FALSE);
        Err(JsValue::from(refused).into())
    }

    fn print_if_chosen(&self, receipt: &JsValue) {
        if get(receipt, "print") == true {
            self.print(&text(receipt, "reason"));
        }
    }

    /// Prints the receipt, unless it was printed.
    fn print(&self, reason: &str) {
        if self.is_printed.replace(true) {
            return;
        }
        let receipt = draft::receipt_to_print(&self.entry, reason);
        console::report("print", self.print.call1(&JsValue::UNDEFINED, &receipt));
    }

    async fn woken(&self) -> Result<(), Failure> {
        let woken = Rc::new(Notify::default());
        let notify = woken.clone();
        let _listeners = global::on_wake(Rc::new(move || notify.notify_one()));
        race(woken.notified(), &self.cancel).await
    }
}
