//! The operations for a connected merchant (spec §1), and the outbox. `index.d.ts` documents them for their users.

use super::client::PosConnect;
use super::integration::SignalOptions;
use super::options::{given, read};
use crate::browser::client::Client;
use crate::browser::failure::Failure;
use crate::browser::order;
use crate::browser::task;
use crate::browser::vault::random_letters;
use crate::error::Operation;
use crate::outbox::{Entry, State};
use js_sys::{Array, Promise};
use pos_connect_protocol::order::LONGEST_ID;
use serde::Deserialize;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::AbortSignal;

/// `SendOrderOptions` in `index.d.ts`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct SendOrderOptions {
    #[serde(deserialize_with = "given")]
    signal: Option<AbortSignal>,
    #[serde(deserialize_with = "given")]
    receipt: Option<JsValue>,
    #[serde(deserialize_with = "given")]
    print_if_queued: Option<bool>,
}

/// `RetryOrderOptions` in `index.d.ts`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RetryOrderOptions {
    #[serde(deserialize_with = "given")]
    order: Option<JsValue>,
}

/// `SendCustomersOptions` in `index.d.ts`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct SendCustomersOptions {
    #[serde(deserialize_with = "given")]
    signal: Option<AbortSignal>,
    #[serde(deserialize_with = "given")]
    idempotency_key: Option<String>,
}

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
        let read = read::<SendOrderOptions>(&options).and_then(|mut options| {
            let draft = order::draft(&order, options.receipt.take())?;
            Ok((options, draft))
        });
        task::promise(Operation::SendOrder, async move {
            let (options, mut draft) = read?;
            draft.entry.key = random_letters().map_err(Failure::from)?;
            let cancel = client.cancel_by(options.signal);
            let change = client.outbox.send(draft.entry, &cancel).await?;
            let trusts_queue = options.print_if_queued == Some(false);
            let failure = client.outbox.failure(&change.id, change.error());
            let sent = order::sent(&change, failure, draft.paper, trusts_queue)?;
            Ok(order::with_cleaned(sent, &draft.cleaned))
        })
    }

    /// An order that the service has: a promise of it, or of `null`.
    pub fn get(&self, external_id: JsValue, options: JsValue) -> Promise {
        let client = self.client.clone();
        let options = read::<SignalOptions>(&options);
        task::promise(Operation::GetOrder, async move {
            let cancel = client.cancel_by(options?.signal);
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
                    let entry = kept.entry.unwrap_or_else(Entry::unreadable);
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
        let read = read::<RetryOrderOptions>(&options).and_then(|options| {
            let draft = options.order.map(|order| order::draft(&order, None));
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
        let options = read::<SignalOptions>(&options);
        task::promise(Operation::UpdateStore, async move {
            let cancel = client.cancel_by(options?.signal);
            Ok(client.update_store_profile(&patch, &cancel).await?)
        })
    }

    /// The store's profile: a promise of it.
    pub fn get(&self, options: JsValue) -> Promise {
        let client = self.client.clone();
        let options = read::<SignalOptions>(&options);
        task::promise(Operation::GetStore, async move {
            let cancel = client.cancel_by(options?.signal);
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
        let options = read::<SendCustomersOptions>(&options);
        task::promise(Operation::SendCustomers, async move {
            let options = options?;
            let key = options.idempotency_key;
            if key.as_deref().is_some_and(|key| !is_key(key)) {
                let fault = "idempotencyKey: must have 1 to 64 visible ASCII characters";
                return Err(Failure::invalid(fault).into());
            }
            let cancel = client.cancel_by(options.signal);
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

fn is_key(key: &str) -> bool {
    (1..=64).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic())
}
