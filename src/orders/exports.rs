//! The operations for a connected merchant (spec §1), and the outbox. `index.d.ts` documents them for their users.

use super::draft;
use super::merchant::Merchant;
use super::order::{
    IDEMPOTENCY_KEY, ORDER, PRINT_IF_QUEUED, RECEIPT, RETRY_ORDER, SEND_CUSTOMERS, SEND_ORDER,
};
use super::queued_order::{QueuedOrder, State};
use crate::connect::exports::{Owner, call};
use crate::connect::integration::CALL;
use crate::core::cancellation::Cancellation;
use crate::core::error::Operation;
use crate::core::failure::Failure;
use crate::core::options::Options;
use crate::core::reader::read;
use crate::vault::seal::random_letters;
use js_sys::{Array, Promise};
use pos_connect_protocol::order::LONGEST_ID;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

impl Owner for Merchant {
    fn ended(&self) -> Cancellation {
        self.browser.http.ended.clone()
    }
}

/// `pos.orders`
#[wasm_bindgen]
pub struct Orders {
    /// Makes the calls.
    pub(crate) merchant: Rc<Merchant>,
}

#[wasm_bindgen]
impl Orders {
    /// Queues an order and sends it: a promise of what became of it.
    pub fn send(&self, order: JsValue, options: JsValue) -> Promise {
        let call = call(
            &self.merchant,
            Operation::SendOrder,
            read(&options, SEND_ORDER),
        );
        call.run(|merchant, options, cancel| {
            // Read at once: a till that uses its object for the next order must not change this one.
            let draft = draft::draft(&order, options.page(&RECEIPT));
            let trusts_queue = !options.flag(&PRINT_IF_QUEUED);
            async move {
                let mut draft = draft?;
                draft.entry.key = random_letters().map_err(Failure::from)?;
                let change = merchant.outbox.send(draft.entry, &cancel).await?;
                let page = &merchant.outbox.page;
                let failure = page.failure(&change.id, change.error.clone());
                let sent = draft::sent(&change, failure, draft.choice, trusts_queue)?;
                Ok(draft::with_cleaned(sent, &draft.cleaned))
            }
        })
    }

    /// An order that the service has: a promise of it, or of `null`.
    pub fn get(&self, external_id: JsValue, options: JsValue) -> Promise {
        let call = call(&self.merchant, Operation::GetOrder, read(&options, CALL));
        call.run(|merchant, _, cancel| async move {
            let id = external_id.as_string().filter(|id| is_id(id));
            let fault = "externalId: is not a text of 1 to 200 characters";
            let id = id.ok_or_else(|| Failure::invalid(fault))?;
            Ok(merchant.order(&id, &cancel).await?)
        })
    }

    /// What waits in the outbox: a promise of a list.
    pub fn list(&self) -> Promise {
        let call = call(
            &self.merchant,
            Operation::ListOrders,
            Ok(Options::default()),
        );
        call.run(|merchant, _, _| async move {
            let [queued, refused] = merchant.outbox.queue.list().await?;
            let persisted = merchant.outbox.page.is_persisted().await;
            let list = Array::new();
            for (orders, state) in [(queued, State::Queued), (refused, State::Refused)] {
                for row in orders {
                    let entry = row.entry.unwrap_or_else(QueuedOrder::unreadable);
                    let failure = merchant.outbox.page.failure(&row.id, entry.error.clone());
                    let waiting = draft::waiting(&row.id, &entry, failure, state, persisted);
                    list.push(&waiting);
                }
            }
            Ok(list.into())
        })
    }

    /// Sends an order of the outbox now: a promise of whether there is one.
    pub fn retry(&self, id: JsValue, options: JsValue) -> Promise {
        let call = call(
            &self.merchant,
            Operation::RetryOrder,
            read(&options, RETRY_ORDER),
        );
        call.run(|merchant, options, _| {
            let order: Option<JsValue> = options.page(&ORDER);
            let draft = order.map(|order| draft::draft(&order, None));
            async move {
                let corrected = draft.transpose()?.map(|draft| draft.entry);
                let id = outbox_id(&id)?;
                Ok(merchant.outbox.retry(&id, corrected).await?.into())
            }
        })
    }

    /// Erases an order from the outbox: a promise of whether there was one.
    pub fn discard(&self, id: JsValue) -> Promise {
        let call = call(
            &self.merchant,
            Operation::DiscardOrder,
            Ok(Options::default()),
        );
        call.run(|merchant, _, _| async move {
            let id = outbox_id(&id)?;
            Ok(merchant.outbox.discard(&id).await?.into())
        })
    }
}

/// `pos.store`
#[wasm_bindgen]
pub struct Store {
    /// Makes the calls.
    pub(crate) merchant: Rc<Merchant>,
}

#[wasm_bindgen]
impl Store {
    /// Changes the store's profile: a promise of it.
    pub fn update(&self, patch: JsValue, options: JsValue) -> Promise {
        let call = call(&self.merchant, Operation::UpdateStore, read(&options, CALL));
        call.run(|merchant, _, cancel| async move {
            Ok(merchant.update_store_profile(&patch, &cancel).await?)
        })
    }

    /// The store's profile: a promise of it.
    pub fn get(&self, options: JsValue) -> Promise {
        let call = call(&self.merchant, Operation::GetStore, read(&options, CALL));
        call.run(|merchant, _, cancel| async move {
            Ok(merchant.store(Operation::GetStore, None, &cancel).await?)
        })
    }
}

/// `pos.customers`
#[wasm_bindgen]
pub struct Customers {
    /// Makes the calls.
    pub(crate) merchant: Rc<Merchant>,
}

#[wasm_bindgen]
impl Customers {
    /// Sends the customers list: a promise of a result for each item.
    pub fn send(&self, customers: JsValue, options: JsValue) -> Promise {
        let options = read(&options, SEND_CUSTOMERS);
        let call = call(&self.merchant, Operation::SendCustomers, options);
        call.run(|merchant, options, cancel| {
            let key = options.text(&IDEMPOTENCY_KEY);
            async move { Ok(merchant.send_customers(&customers, key, &cancel).await?) }
        })
    }
}

fn outbox_id(given: &JsValue) -> Result<String, Failure> {
    let id = given.as_string();
    id.ok_or_else(|| Failure::invalid("id: is not a text"))
}

/// Whether an id is one of the protocol's: the empty one, `.` and `..` cannot stand in a path.
fn is_id(id: &str) -> bool {
    !matches!(id, "" | "." | "..") && id.chars().count() <= LONGEST_ID
}
