//! The operations for a connected merchant (spec §1), and the outbox. `index.d.ts` documents them for their users.

use super::client::PosConnect;
use super::options::read;
use crate::browser::client::Client;
use crate::browser::failure::Failure;
use crate::browser::order;
use crate::browser::task;
use crate::browser::vault::random_letters;
use crate::error::Operation;
use crate::integration::{CALL, SIGNAL};
use crate::order::{
    IDEMPOTENCY_KEY, ORDER, PRINT_IF_QUEUED, RECEIPT, RETRY_ORDER, SEND_CUSTOMERS, SEND_ORDER,
};
use crate::outbox::{QueuedOrder, State};
use js_sys::{Array, Promise};
use pos_connect_protocol::order::LONGEST_ID;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
impl PosConnect {
    /// The orders of the connected merchant.
    #[wasm_bindgen(getter)]
    pub fn orders(&self) -> Orders {
        let client = self.inner.clone();
        Orders { client }
    }

    /// The profile of the connected merchant's store.
    #[wasm_bindgen(getter)]
    pub fn store(&self) -> Store {
        let client = self.inner.clone();
        Store { client }
    }

    /// The customers of the connected merchant.
    #[wasm_bindgen(getter)]
    pub fn customers(&self) -> Customers {
        let client = self.inner.clone();
        Customers { client }
    }
}

/// `pos.orders`
#[wasm_bindgen]
pub struct Orders {
    client: Rc<Client>,
}

#[wasm_bindgen]
impl Orders {
    /// Queues an order and sends it: a promise of what became of it.
    pub fn send(&self, order: JsValue, options: JsValue) -> Promise {
        let client = self.client.clone();
        // Read at once: a till that uses its object for the next order must not change this one.
        let read = read(&options, SEND_ORDER).and_then(|options| {
            let draft = order::draft(&order, options.page(&RECEIPT))?;
            Ok((options, draft))
        });
        task::promise(Operation::SendOrder, async move {
            let (options, mut draft) = read?;
            draft.entry.key = random_letters().map_err(Failure::from)?;
            let cancel = client.cancel_by(options.page(&SIGNAL));
            let change = client.outbox.send(draft.entry, &cancel).await?;
            let trusts_queue = !options.flag(&PRINT_IF_QUEUED);
            let failure = client.outbox.failure(&change.id, change.error());
            let sent = order::sent(&change, failure, draft.choice, trusts_queue)?;
            Ok(order::with_cleaned(sent, &draft.cleaned))
        })
    }

    /// An order that the service has: a promise of it, or of `null`.
    pub fn get(&self, external_id: JsValue, options: JsValue) -> Promise {
        let client = self.client.clone();
        let options = read(&options, CALL);
        task::promise(Operation::GetOrder, async move {
            let cancel = client.cancel_by(options?.page(&SIGNAL));
            let id = external_id.as_string().filter(|id| is_id(id));
            let fault = "externalId: is not a text of 1 to 200 characters";
            let id = id.ok_or_else(|| Failure::invalid(fault))?;
            Ok(client.order(&id, &cancel).await?)
        })
    }

    /// What waits in the outbox: a promise of a list.
    pub fn list(&self) -> Promise {
        let client = self.client.clone();
        task::promise(Operation::ListOrders, async move {
            let [queued, refused] = client.outbox.list().await?;
            let persisted = client.outbox.is_persisted().await;
            let list = Array::new();
            for (orders, state) in [(queued, State::Queued), (refused, State::Refused)] {
                for kept in orders {
                    let entry = kept.entry.unwrap_or_else(QueuedOrder::unreadable);
                    let failure = client.outbox.failure(&kept.id, entry.error());
                    let waiting = order::waiting(&kept.id, &entry, failure, state, persisted);
                    list.push(&waiting);
                }
            }
            Ok(list.into())
        })
    }

    /// Sends an order of the outbox now: a promise of whether there is one.
    pub fn retry(&self, id: JsValue, options: JsValue) -> Promise {
        let client = self.client.clone();
        let read = read(&options, RETRY_ORDER).and_then(|options| {
            let order: Option<JsValue> = options.page(&ORDER);
            let draft = order.map(|order| order::draft(&order, None));
            draft.transpose()
        });
        task::promise(Operation::RetryOrder, async move {
            let corrected = read?.map(|draft| draft.entry);
            let id = outbox_id(&id)?;
            Ok(client.outbox.retry(&id, corrected).await?.into())
        })
    }

    /// Erases an order from the outbox: a promise of whether there was one.
    pub fn discard(&self, id: JsValue) -> Promise {
        let client = self.client.clone();
        task::promise(Operation::DiscardOrder, async move {
            let id = outbox_id(&id)?;
            Ok(client.outbox.discard(&id).await?.into())
        })
    }
}

/// `pos.store`
#[wasm_bindgen]
pub struct Store {
    client: Rc<Client>,
}

#[wasm_bindgen]
impl Store {
    /// Changes the store's profile: a promise of it.
    pub fn update(&self, patch: JsValue, options: JsValue) -> Promise {
        let client = self.client.clone();
        let options = read(&options, CALL);
        task::promise(Operation::UpdateStore, async move {
            let cancel = client.cancel_by(options?.page(&SIGNAL));
            Ok(client.update_store_profile(&patch, &cancel).await?)
        })
    }

    /// The store's profile: a promise of it.
    pub fn get(&self, options: JsValue) -> Promise {
        let client = self.client.clone();
        let options = read(&options, CALL);
        task::promise(Operation::GetStore, async move {
            let cancel = client.cancel_by(options?.page(&SIGNAL));
            Ok(client.store_profile(&cancel).await?)
        })
    }
}

/// `pos.customers`
#[wasm_bindgen]
pub struct Customers {
    client: Rc<Client>,
}

#[wasm_bindgen]
impl Customers {
    /// Sends the customers list: a promise of a result for each item.
    pub fn send(&self, customers: JsValue, options: JsValue) -> Promise {
        let client = self.client.clone();
        let options = read(&options, SEND_CUSTOMERS);
        task::promise(Operation::SendCustomers, async move {
            let options = options?;
            let key = options.text(&IDEMPOTENCY_KEY);
            let cancel = client.cancel_by(options.page(&SIGNAL));
            Ok(client.send_customers(&customers, key, &cancel).await?)
        })
    }
}

fn outbox_id(given: &JsValue) -> Result<String, Failure> {
    let id = given.as_string();
    id.ok_or_else(|| Failure::invalid("id: is not a text"))
}

/// As the protocol has it: the empty one, `.` and `..` cannot stand in a path.
fn is_id(id: &str) -> bool {
    !matches!(id, "" | "." | "..") && id.chars().count() <= LONGEST_ID
}
