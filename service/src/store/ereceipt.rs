//! What an order with an e-receipt brings along: the receipt, and the message that leads to it.

use super::StoreError;
use super::budget::spend;
use super::message::add_message;
use super::receipt::add_receipt;
use super::repeatable::Scope;
use crate::clock::Timestamp;
use crate::seal::Purpose;
use crate::token::Hash;
use pos_connect_foundation::database::Transaction;
use pos_connect_foundation::limit::Budget;
use pos_connect_foundation::seal::Sealer;
use pos_connect_foundation::values;
use pos_connect_protocol::ProblemCode;
use pos_connect_protocol::body::BodyFault;

/// An e-receipt as it is written. No `Debug`: it may hold a number.
pub(super) struct NewEreceipt {
    pub(super) link: Hash,
    /// When the receipt cannot be opened any more.
    pub(super) until: Timestamp,
    /// `None` if a till has made the link, and shows it.
    pub(super) message: Option<NewMessage>,
}

/// The message that leads to it.
pub(super) struct NewMessage {
    /// The hash of the encapsulated key, if its number came sealed.
    pub(super) seal: Option<Hash>,
    /// What it is counted against.
    pub(super) budgets: Vec<(Hash, Budget)>,
    /// A [`MessageContent`](super::message::MessageContent).
    pub(super) content: Vec<u8>,
    /// The row of the order that it is sealed for.
    pub(super) row: Hash,
    pub(super) sealed: Vec<u8>,
}

impl NewEreceipt {
    /// Why it cannot be added; else its message is counted.
    pub(super) fn fault(
        &self,
        transaction: &Transaction<'_>,
        now: Timestamp,
    ) -> Result<Option<BodyFault>, StoreError> {
        let invalid = |pointer| Ok(Some(BodyFault::new(ProblemCode::InvalidMember, pointer)));
        let Some(message) = &self.message else {
            // A link of our own is new, and no message is counted for one of a till's.
            return match transaction.exists(TAKEN, values![self.link])? {
                true => invalid("/ereceipt/linkHash"),
                false => Ok(None),
            };
        };
        if let Some(seal) = message.seal
            && transaction.exists(USED, values![seal])?
        {
            return invalid("/ereceipt/sealed");
        }
        let is_spent = spend(transaction, &message.budgets, now)?.is_err();
        Ok(is_spent.then(|| BodyFault::new(ProblemCode::TooManyMessages, "/ereceipt")))
    }

    /// Adds receipt and message to an order, by its number and row; gives the length of what is sealed.
    pub(super) fn add(
        &self,
        transaction: &Transaction<'_>,
        sealer: &Sealer,
        scope: Scope,
        (order, row): (i64, &Hash),
    ) -> Result<usize, StoreError> {
        add_receipt(transaction, order, &self.link, self.until)?;
        let Some(message) = &self.message else {
            return Ok(0);
        };
        if let Some(seal) = message.seal {
            let sql = "INSERT INTO number_seal (hash, order_id) VALUES (?1, ?2)";
            transaction.execute(sql, values![seal, order])?;
        }
        let again;
        let sealed = match message.row.matches(row) {
            true => &message.sealed,
            // The same sale under another id is that order's.
            false => {
                again = sealer.seal(Purpose::Message, row, &message.content)?;
                &again
            }
        };
        add_message(transaction, order, sealed, scope)?;
        Ok(sealed.len())
    }
}

/// Whether a sealed number has come with an order.
const USED: &str = "SELECT 1 FROM number_seal WHERE hash = ?1";

/// Whether a link opens a receipt already.
const TAKEN: &str = "SELECT 1 FROM receipt WHERE hash = ?1";
