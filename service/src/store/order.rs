//! Orders: one row for each external id of a vendor in a store, or of each till there, if a relay tells tills apart.

use super::budget::MessageLimits;
use super::ereceipt::{NewEreceipt, NewMessage};
use super::kept_order::KeptOrder;
use super::message::MessageContent;
use super::repeatable::{Answered, Repeatable, Scope};
use super::{Growth, Store, StoreError, json};
use crate::clock::Timestamp;
use crate::seal::{self, Purpose};
use crate::token::Hash;
use pos_connect_foundation::database::{Row, Transaction};
use pos_connect_foundation::seal::Sealer;
use pos_connect_foundation::values;
use pos_connect_protocol::body::BodyFault;
use pos_connect_protocol::order::{self, EreceiptState, Order, OrderResponse};
use pos_connect_protocol::{Mode, ProblemCode};
use std::time::Duration;

/// An order that was checked.
pub struct NewOrder {
    /// What the till sent, without the shopper's number.
    pub order: Order,
    /// Where its e-receipt goes.
    pub channel: Channel,
    /// The last part of the address that its receipt gets, if it gets one.
    pub link: String,
    /// How long that receipt can be opened.
    pub receipt_ttl: Duration,
    /// The name that begins its message: the account's.
    pub account: String,
    /// How many messages may be written.
    pub limits: MessageLimits,
    /// The vendor's.
    pub mode: Mode,
}

/// Where an order's e-receipt goes. No `Debug`: it may hold a number.
pub enum Channel {
    /// The shopper wants no e-receipt.
    None,
    /// A text message.
    Message {
        /// E.164.
        phone: String,
        /// The hash of the encapsulated key, if the number was sealed. One sealed number is good for one e-receipt.
        seal: Option<Hash>,
    },
    /// The till shows the link with this hash.
    Link(Hash),
    /// Why it cannot be sent now.
    Refused(BodyFault),
}

/// An order as it is stored, and how far its newest e-receipt is.
struct StoredOrder {
    id: i64,
    row: Hash,
    sealed: Vec<u8>,
    received_at: Timestamp,
    ereceipt: Option<EreceiptState>,
}

/// An order as it is written. It is sealed before: everybody waits for the one writer.
struct Prepared {
    scope: Scope,
    row: Hash,
    /// The hash of its external id, whichever till it is from.
    number: Hash,
    /// The hash of the order without its e-receipt, which is how a receipt is delivered, and no part of the sale.
    sale: Hash,
    order: Order,
    sealed: Vec<u8>,
    /// The answer to whoever sends it first.
    answer: Vec<u8>,
    /// What it brings along, or why that cannot be sent now.
    ereceipt: Result<Option<NewEreceipt>, BodyFault>,
}

impl Store {
    /// Accepts an order, once: the same sale again is the same order, with or without an `Idempotency-Key`. It can
    /// bring an e-receipt that it did not have.
    pub async fn accept_order(
        &self,
        order: NewOrder,
        call: Repeatable,
    ) -> Result<Answered, StoreError> {
        let prepared = self.prepared(order, &call)?;
        self.once(call, move |transaction, sealer, _| {
            accept(transaction, sealer, &prepared)
        })
        .await
    }

    fn prepared(&self, new: NewOrder, call: &Repeatable) -> Result<Prepared, StoreError> {
        let (mut order, scope) = (new.order, call.scope);
        let delivered = order.ereceipt.take();
        let sale = self.sealer.fingerprint(Purpose::Sale, &json(&order)?);
        order.ereceipt = delivered;
        let id = &*order.external_id;
        let till = call.till.as_deref();
        let row = row_of(&self.sealer, scope.vendor, scope.store, till, id);
        let number = row_of(&self.sealer, scope.vendor, scope.store, None, id);
        let until = scope.now.after(new.receipt_ttl);
        let ereceipt = |link, message| NewEreceipt {
            link,
            until,
            message,
        };
        let ereceipt = match new.channel {
            Channel::None => Ok(None),
            Channel::Refused(fault) => Err(fault),
            Channel::Link(link) => Ok(Some(ereceipt(link, None))),
            // The number is kept nowhere but in the message.
            Channel::Message { phone, seal } => {
                let to = (new.mode, &*phone);
                let budgets = new.limits.budgets(&self.sealer, scope, till, to);
                let content = json(&MessageContent {
                    phone,
                    link: new.link.clone(),
                    locale: locale(&order),
                    account: new.account,
                })?;
                let message = NewMessage {
                    seal,
                    budgets,
                    sealed: self.sealer.seal(Purpose::Message, &row, &content)?,
                    content,
                    row,
                };
                Ok(Some(ereceipt(Hash::of(&new.link), Some(message))))
            }
        };
        Ok(Prepared {
            scope,
            row,
            sealed: self.sealer.seal(Purpose::Order, &row, &json(&order)?)?,
            answer: json(&accepted(order.clone(), scope.now))?,
            number,
            sale,
            order,
            ereceipt,
        })
    }

    /// The order of an external id: this till's own, or else the newest of another till.
    pub async fn order(
        &self,
        vendor: i64,
        store: i64,
        till: Option<&str>,
        external_id: &str,
    ) -> Result<Option<OrderResponse>, StoreError> {
        let row = row_of(&self.sealer, vendor, store, till, external_id);
        let number = row_of(&self.sealer, vendor, store, None, external_id);
        let mut found = self.row(FIND, values![number, row], read_order).await?;
        if found.is_none() {
            let known = values![number, MAX_TILLS];
            let known = self.rows(BY_NUMBER, known, read_known).await?;
            if let Some(newest) = known.iter().max_by_key(|known| known.id) {
                found = self
                    .row(FIND, values![number, newest.row], read_order)
                    .await?;
            }
        }
        let response = |stored: StoredOrder| {
            let newest = accepted(stored.open(&self.sealer)?.newest(), stored.received_at);
            Ok(OrderResponse {
                // Behind a link it is at once; of a message, its row tells.
                ereceipt: newest
                    .ereceipt
                    .filter(|state| *state == EreceiptState::Sent)
                    .or(stored.ereceipt),
                ..newest
            })
        };
        found.map(response).transpose()
    }
}

fn accept(
    transaction: &Transaction<'_>,
    sealer: &Sealer,
    new: &Prepared,
) -> Result<Answered, StoreError> {
    let mut known = transaction.rows(BY_NUMBER, values![new.number, MAX_TILLS], read_known)?;
    if known.len() == MAX_TILLS as usize {
        let own = values![new.number, new.row];
        known.extend(transaction.row(BY_NUMBER_AND_HASH, own, read_known)?);
    }
    let own = known.iter().find(|known| known.row.matches(&new.row));
    let same = known.iter().filter(|known| known.sale.matches(&new.sale));
    let same = match own {
        Some(own) => Some(own).filter(|own| own.sale.matches(&new.sale)),
        // A till that got another key sends again what it sent under its old id.
        None => same.max_by_key(|known| known.id),
    };
    if let Some(same) = same {
        let stored = transaction.one(FIND, values![new.number, same.row], read_order)?;
        return accept_again(transaction, sealer, new, &stored);
    }
    if own.is_some() {
        return Ok(refused(ProblemCode::OrderExists, "/externalId"));
    }
    if let Some(refusal) = refusal(transaction, new)? {
        return Ok(refusal);
    }
    let sql =
        "INSERT INTO store_order (hash, vendor_id, store_id, sealed, received_at, number, sale)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING id";
    let scope = new.scope;
    let values = values![
        new.row,
        scope.vendor,
        scope.store,
        new.sealed,
        scope.now,
        new.number,
        new.sale
    ];
    let id: i64 = transaction.one(sql, values, |row| row.get(0))?;
    let mut grown = Growth::default();
    grown.add(new.sealed.len());
    if let Ok(Some(ereceipt)) = &new.ereceipt {
        grown.write(ereceipt.add(transaction, sealer, scope, (id, &new.row))?);
    }
    Ok(Answered::Done(new.answer.clone(), grown))
}

/// Accepts the same sale again: only an e-receipt that nobody asked for before changes anything.
fn accept_again(
    transaction: &Transaction<'_>,
    sealer: &Sealer,
    new: &Prepared,
    stored: &StoredOrder,
) -> Result<Answered, StoreError> {
    let mut kept = stored.open(sealer)?;
    let answer = |order: Order| json(&accepted(order, stored.received_at));
    let Some(asked) = &new.order.ereceipt else {
        let answer = answer(kept.accepted())?;
        return Ok(Answered::Replayed(answer, Growth::default()));
    };
    let answer = answer(new.order.clone())?;
    if kept.has(asked) {
        return Ok(Answered::Replayed(answer, Growth::default()));
    }
    if !kept.add(asked.clone()) {
        return Ok(refused(ProblemCode::TooManyMessages, "/ereceipt"));
    }
    if let Some(refusal) = refusal(transaction, new)? {
        return Ok(refusal);
    }
    let sealed = kept.seal(sealer, &stored.row)?;
    let sql = "UPDATE store_order SET sealed = ?2 WHERE id = ?1";
    transaction.execute(sql, values![stored.id, sealed])?;
    let mut grown = Growth::default();
    grown.add(sealed.len());
    grown.erase(i64::try_from(stored.sealed.len()).unwrap_or(i64::MAX));
    if let Ok(Some(ereceipt)) = &new.ereceipt {
        grown.write(ereceipt.add(transaction, sealer, new.scope, (stored.id, &stored.row))?);
    }
    Ok(Answered::Done(answer, grown))
}

/// Why the e-receipt cannot be sent. Asked only when it is new: one that was accepted before is answered as then,
/// whatever the merchant allows today.
fn refusal(transaction: &Transaction<'_>, new: &Prepared) -> Result<Option<Answered>, StoreError> {
    let fault = match &new.ereceipt {
        Ok(None) => None,
        Ok(Some(ereceipt)) => ereceipt.fault(transaction, new.scope.now)?,
        Err(fault) => Some(fault.clone()),
    };
    Ok(fault.map(|fault| Answered::Refused(fault.into())))
}

impl StoredOrder {
    fn open(&self, sealer: &Sealer) -> Result<KeptOrder, StoreError> {
        KeptOrder::open(sealer, &self.row, &self.sealed)
    }
}

fn refused(code: ProblemCode, pointer: &str) -> Answered {
    Answered::Refused(BodyFault::new(code, pointer).into())
}

/// The answer to an order, the same whenever it is asked for: how far the message is, `GET` tells.
fn accepted(order: Order, received_at: Timestamp) -> OrderResponse {
    let state = |ereceipt: &order::Ereceipt| match ereceipt.link_hash {
        Some(_) => EreceiptState::Sent,
        None => EreceiptState::Queued,
    };
    OrderResponse {
        success: true,
        ereceipt: order.ereceipt.as_ref().map(state),
        order,
        received_at: received_at.to_string(),
    }
}

fn locale(order: &Order) -> String {
    let locale = || order.ereceipt.as_ref()?.locale();
    locale().unwrap_or_default().into()
}

pub(super) fn row_of(
    sealer: &Sealer,
    vendor: i64,
    store: i64,
    till: Option<&str>,
    external_id: &str,
) -> Hash {
    let names = [till, Some(external_id)];
    let names: Vec<&str> = names.into_iter().flatten().collect();
    seal::row(sealer, Purpose::Order, vendor, store, &names)
}

/// The order of a row.
const FIND: &str = "SELECT o.id, o.hash, o.sealed, o.received_at, m.state FROM store_order o
     LEFT JOIN message m ON m.id = (SELECT max(id) FROM message WHERE order_id = o.id)
     WHERE o.number = ?1 AND o.hash = ?2";

/// Orders with an external id, of all tills.
const BY_NUMBER: &str = "SELECT id, hash, sale FROM store_order WHERE number = ?1 LIMIT ?2";

/// This till's order with an external id.
const BY_NUMBER_AND_HASH: &str =
    "SELECT id, hash, sale FROM store_order WHERE number = ?1 AND hash = ?2";

/// Tills that are looked at: more than a store has, and whoever invents tills holds up nobody for longer.
const MAX_TILLS: u32 = 256;

/// An order that has the external id of another, unopened.
struct KnownOrder {
    id: i64,
    row: Hash,
    sale: Hash,
}

fn read_known(row: &Row<'_>) -> Result<KnownOrder, StoreError> {
    Ok(KnownOrder {
        id: row.get(0)?,
        row: row.get(1)?,
        sale: row.get(2)?,
    })
}

fn read_order(row: &Row<'_>) -> Result<StoredOrder, StoreError> {
    let state: Option<String> = row.get(4)?;
    Ok(StoredOrder {
        id: row.get(0)?,
        row: row.get(1)?,
        sealed: row.get(2)?,
        received_at: row.get(3)?,
        ereceipt: state.as_deref().and_then(EreceiptState::parse),
    })
}
