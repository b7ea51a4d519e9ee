//! Orders: one row for each external id of a vendor in a store.

use super::budget::{MessageLimits, spend};
use super::message::{MessageContent, add_message};
use super::receipt::{add_receipt, opened};
use super::repeatable::{Answered, Repeatable, Scope};
use super::{Store, StoreError};
use crate::clock::Timestamp;
use crate::seal::{self, Purpose};
use crate::token::Hash;
use pos_connect_foundation::database::{Row, Session};
use pos_connect_foundation::limit::Budget;
use pos_connect_foundation::seal::Sealer;
use pos_connect_foundation::values;
use pos_connect_protocol::ProblemCode;
use pos_connect_protocol::body::BodyFault;
use pos_connect_protocol::order::{EreceiptState, Order, OrderResponse};
use std::time::Duration;

/// An order that was checked.
pub struct NewOrder {
    /// What the till sent, without the shopper's number.
    pub order: Order,
    /// The shopper's number.
    pub number: Number,
    /// The last part of the address that its receipt gets, if it gets one.
    pub link: String,
    /// How long that receipt can be opened.
    pub receipt_ttl: Duration,
    /// The name that begins its message: the account's.
    pub account: String,
    /// The till that sends it, if it is told apart from the store's others.
    pub till: Option<String>,
    /// How many messages may be written.
    pub limits: MessageLimits,
}

/// The number that an order's e-receipt goes to. No `Debug`.
pub enum Number {
    /// The shopper wants no e-receipt.
    None,
    /// It can be sent.
    Right {
        /// E.164.
        phone: String,
        /// Of the encapsulated key, if the number was sealed. One sealed number is good for one order.
        seal: Option<Hash>,
    },
    /// Why it cannot be sent now.
    Wrong(BodyFault),
}

/// An order as it is stored.
struct StoredOrder {
    sealed: Vec<u8>,
    received_at: Timestamp,
    ereceipt: Option<EreceiptState>,
}

/// An order as it is written. It is sealed before: everybody waits for the one writer.
struct Prepared {
    scope: Scope,
    row: Hash,
    order: Order,
    sealed: Vec<u8>,
    /// The answer to whoever sends it first.
    answer: Vec<u8>,
    fault: Option<BodyFault>,
    ereceipt: Option<Ereceipt>,
}

/// What an order with an e-receipt brings along.
struct Ereceipt {
    seal: Option<Hash>,
    link: Hash,
    /// When the receipt cannot be opened any more.
    until: Timestamp,
    /// The message, sealed.
    message: Vec<u8>,
    /// What it is counted against.
    budgets: Vec<(Hash, Budget)>,
}

impl Store {
    /// Accepts an order, once: the same order again gets the same answer, with or without an `Idempotency-Key`.
    pub async fn accept_order(
        &self,
        order: NewOrder,
        call: Repeatable,
    ) -> Result<Answered, StoreError> {
        let prepared = self.prepared(order, &call)?;
        self.once(call, move |session, sealer, _| {
            accept(session, sealer, &prepared)
        })
        .await
    }

    fn prepared(&self, new: NewOrder, call: &Repeatable) -> Result<Prepared, StoreError> {
        let (order, scope) = (new.order, call.scope);
        let row = row_of(&self.sealer, scope.vendor, scope.store, &order.external_id);
        let (ereceipt, fault) = match new.number {
            Number::None => (None, None),
            Number::Wrong(fault) => (None, Some(fault)),
            // The number is kept nowhere but in the message.
            Number::Right { phone, seal } => {
                let till = new.till.as_deref();
                let budgets = new.limits.budgets(&self.sealer, scope, till, &phone);
                let content = MessageContent {
                    phone,
                    link: new.link.clone(),
                    locale: locale(&order),
                    account: new.account,
                };
                let ereceipt = Ereceipt {
                    seal,
                    link: Hash::of(&new.link),
                    until: scope.now.after(new.receipt_ttl),
                    message: self.sealer.seal(Purpose::Message, &row, &json(&content)?)?,
                    budgets,
                };
                (Some(ereceipt), None)
            }
        };
        Ok(Prepared {
            scope,
            row,
            sealed: self.sealer.seal(Purpose::Order, &row, &json(&order)?)?,
            answer: json(&accepted(order.clone(), scope.now))?,
            order,
            fault,
            ereceipt,
        })
    }

    /// The order of an external id.
    pub async fn order(
        &self,
        vendor: i64,
        store: i64,
        external_id: &str,
    ) -> Result<Option<OrderResponse>, StoreError> {
        let row = row_of(&self.sealer, vendor, store, external_id);
        let found = self.row(FIND, values![row], read_order).await?;
        let response = |stored: StoredOrder| {
            Ok(OrderResponse {
                ereceipt: stored.ereceipt,
                ..accepted(
                    opened(&self.sealer, &row, &stored.sealed)?,
                    stored.received_at,
                )
            })
        };
        found.map(response).transpose()
    }
}

fn accept(session: &Session<'_>, sealer: &Sealer, new: &Prepared) -> Result<Answered, StoreError> {
    if let Some(stored) = session.row(FIND, values![new.row], read_order)? {
        let order: Order = opened(sealer, &new.row, &stored.sealed)?;
        return match order == new.order {
            true => Ok(Answered::Replayed(json(&accepted(
                order,
                stored.received_at,
            ))?)),
            false => Ok(refused(ProblemCode::OrderExists, "/externalId")),
        };
    }
    // Only now: an order that was accepted before is answered as then, whatever the merchant allows today.
    if let Some(fault) = &new.fault {
        return Ok(Answered::Refused(fault.clone().into()));
    }
    let seal = new.ereceipt.as_ref().and_then(|ereceipt| ereceipt.seal);
    if let Some(seal) = seal
        && session.exists(USED, values![seal])?
    {
        return Ok(refused(ProblemCode::InvalidMember, "/ereceipt/sealed"));
    }
    if let Some(ereceipt) = &new.ereceipt
        && spend(session, &ereceipt.budgets, new.scope.now)?.is_err()
    {
        return Ok(refused(ProblemCode::TooManyMessages, "/ereceipt"));
    }
    let sql =
        "INSERT INTO store_order (hash, vendor_id, store_id, number_seal, sealed, received_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING id";
    let scope = new.scope;
    let values = values![
        new.row,
        scope.vendor,
        scope.store,
        seal,
        new.sealed,
        scope.now
    ];
    let id: i64 = session.one(sql, values, |row| row.get(0))?;
    if let Some(ereceipt) = &new.ereceipt {
        add_receipt(session, id, &ereceipt.link, ereceipt.until)?;
        add_message(session, id, &ereceipt.message, scope)?;
    }
    Ok(Answered::Done(new.answer.clone()))
}

fn refused(code: ProblemCode, pointer: &str) -> Answered {
    Answered::Refused(BodyFault::new(code, pointer).into())
}

/// The same whenever it is asked for: how far the message is, `GET` tells.
fn accepted(order: Order, received_at: Timestamp) -> OrderResponse {
    OrderResponse {
        success: true,
        ereceipt: order.ereceipt.as_ref().map(|_| EreceiptState::Queued),
        order,
        received_at: received_at.to_string(),
    }
}

fn locale(order: &Order) -> String {
    let consent = order.ereceipt.as_ref().map(|ereceipt| &ereceipt.consent);
    consent
        .and_then(|consent| consent.locale.clone())
        .unwrap_or_default()
}

fn row_of(sealer: &Sealer, vendor: i64, store: i64, external_id: &str) -> Hash {
    seal::row(sealer, Purpose::Order, vendor, store, &[external_id])
}

/// Whether a sealed number has come with an order.
const USED: &str = "SELECT 1 FROM store_order WHERE number_seal = ?1";

/// The order of a row.
const FIND: &str = "SELECT o.sealed, o.received_at, m.state
     FROM store_order o LEFT JOIN message m ON m.order_id = o.id WHERE o.hash = ?1";

fn read_order(row: &Row<'_>) -> Result<StoredOrder, StoreError> {
    let state: Option<String> = row.get(2)?;
    Ok(StoredOrder {
        sealed: row.get(0)?,
        received_at: row.get(1)?,
        ereceipt: state.as_deref().and_then(EreceiptState::parse),
    })
}

pub(super) fn json(value: &impl serde::Serialize) -> Result<Vec<u8>, StoreError> {
    serde_json::to_vec(value).map_err(|error| StoreError::Fault(error.to_string()))
}
