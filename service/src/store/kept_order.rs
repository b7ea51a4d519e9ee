//! An order as it is kept: as it was accepted, and the e-receipts that were asked for later.

use super::{StoreError, json};
use crate::seal::Purpose;
use crate::token::Hash;
use pos_connect_foundation::seal::Sealer;
use pos_connect_protocol::order::{Ereceipt, Order};
use serde::{Deserialize, Serialize};

/// E-receipts of one order: a cashier corrects a number, and nobody sends without end.
const MOST_ERECEIPTS: usize = 10;

/// Sealed, the content of an order's row. None of its e-receipts has the shopper's number.
#[derive(Deserialize, Serialize)]
pub(super) struct KeptOrder {
    #[serde(flatten)]
    accepted: Order,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    later: Vec<Ereceipt>,
}

impl KeptOrder {
    pub(super) fn open(sealer: &Sealer, row: &Hash, sealed: &[u8]) -> Result<Self, StoreError> {
        let content = sealer.open(Purpose::Order, row, sealed)?;
        let unreadable = |_| StoreError::Fault("a stored order cannot be read".into());
        serde_json::from_slice(&content).map_err(unreadable)
    }

    pub(super) fn seal(&self, sealer: &Sealer, row: &Hash) -> Result<Vec<u8>, StoreError> {
        Ok(sealer.seal(Purpose::Order, row, &json(self)?)?)
    }

    /// Whether an e-receipt was asked for before: the shopper's consent or the link tells, because the number is not
    /// kept.
    pub(super) fn has(&self, ereceipt: &Ereceipt) -> bool {
        let mut all = self.accepted.ereceipt.iter().chain(&self.later);
        all.any(|known| known == ereceipt)
    }

    /// Adds an e-receipt; false if there are too many.
    pub(super) fn add(&mut self, ereceipt: Ereceipt) -> bool {
        let count = self.later.len() + usize::from(self.accepted.ereceipt.is_some());
        let has_room = count < MOST_ERECEIPTS;
        if has_room {
            self.later.push(ereceipt);
        }
        has_room
    }

    /// The order as it was accepted.
    pub(super) fn accepted(self) -> Order {
        self.accepted
    }

    /// The order with its newest e-receipt.
    pub(super) fn newest(mut self) -> Order {
        let ereceipt = self.later.pop().or(self.accepted.ereceipt);
        Order {
            ereceipt,
            ..self.accepted
        }
    }
}
