//! An order that waits to be sent. Decides what a failed call means for it, and when to try again. Knows no storage, no
//! clock and no network.

use crate::core::error::{Error, ErrorCode, Refusals};
use crate::core::named_enum::named_enum;
use crate::vault::storage::record;
use serde::{Deserialize, Serialize};

/// Orders that may wait: days of a busy till.
pub const MOST_ORDERS: u64 = 10_000;
/// Bytes of orders that may wait.
pub const MOST_QUEUED_BYTES: u64 = 32 << 20;
/// Refused orders that may be left for somebody to look at.
pub const MOST_REFUSED: usize = 1_000;
/// How long `orders.send` waits for the service, in milliseconds, before it says that the order is queued.
pub const PATIENCE_MS: f64 = 3_000.0;

const FIRST_REST_MS: f64 = 1_000.0;
const LONGEST_REST_MS: f64 = 60_000.0;
/// What a service may ask for at most, and what a clock that was set may cost.
const LONGEST_RETRY_AFTER_MS: f64 = 10.0 * 60_000.0;
/// How many failed tries somebody in front of the till waits for.
const TRIES_TO_WAIT_FOR: u32 = 2;
/// After so many tries on which the service itself failed, the fault may be the order's: others may go before it.
const TRIES_OF_A_STUCK_ONE: u32 = 3;
/// How long to leave a storage alone that has failed so many times in a row, in milliseconds.
pub fn storage_rest(failures: u32) -> f64 {
    FIRST_REST_MS * f64::from(1u32 << failures.saturating_sub(1).min(5))
}

record! {
    /// An order that waits, or that was refused. No `Debug`: it may hold a phone number.
    ///
    /// Other releases of the package read and write the same JSON text, so a released member is never renamed.
    pub struct QueuedOrder {
        /// The key that makes each try the same call.
        pub key: String,
        /// The till's own id of the order.
        pub external_id: String,
        /// When it was queued, in milliseconds since 1970.
        pub at: Option<f64>,
        /// The body: JSON.
        pub body: String,
        /// Whether the body asks for an e-receipt.
        pub has_ereceipt: bool,
        /// Why the e-receipt was left out of it.
        pub ereceipt_fault: Option<ErrorCode>,
        /// How often it was tried.
        pub tries: u32,
        /// How often it was refused in a row by somebody who did not say who it is; see [`Refusals`].
        pub refusals: u8,
        /// When to try again, in milliseconds since 1970.
        pub next: Option<f64>,
        /// Whether the service asked for that rest.
        pub must_rest: bool,
        /// Why the last try failed.
        pub error: Option<Error>,
        /// Whether the order of a sale waits, or was sent, while its code is shown.
        pub is_placed: bool,
    }
}

impl QueuedOrder {
    /// An order that nobody has tried to send.
    pub fn new(key: String, external_id: String, body: String) -> Self {
        Self {
            key,
            external_id,
            body,
            ..Self::default()
        }
    }

    /// What stands for an order that can't be read: the storage's key is gone, or the entry is damaged.
    pub fn unreadable() -> Self {
        Self {
            error: Some(Error::new(ErrorCode::VaultFailed)),
            ..Self::default()
        }
    }

    /// Whether there is anything to send: one that could not be read has no body.
    pub fn is_sendable(&self) -> bool {
        !self.body.is_empty()
    }

    /// Milliseconds until it is to be tried; 0: now. With `is_urgent`, somebody may be there, and only a service that
    /// asked for a rest gets it.
    pub fn rest(&self, now_ms: f64, is_urgent: bool) -> f64 {
        let rest = self.next.map_or(0.0, |next| next - now_ms);
        match rest {
            _ if is_urgent && !self.must_rest => 0.0,
            rest if (0.0..=LONGEST_RETRY_AFTER_MS * 1.5).contains(&rest) => rest,
            // It is over; or it was set by a clock that jumped since.
            _ => 0.0,
        }
    }

    /// Whether an answer says again and again that this order cannot pass: the service fails on it, or a firewall
    /// refuses what it holds. Then it must not hold up the others.
    pub fn is_stuck(&self) -> bool {
        let is_about_it = self.error.as_ref().is_some_and(|error| match error.code {
            // Some firewalls refuse with a page and the status 200.
            ErrorCode::Protocol => true,
            // These are about the connection, and so about every order.
            ErrorCode::NotConnected
            | ErrorCode::ConnectionEnded
            | ErrorCode::OtherAccount
            | ErrorCode::TokensHandedOut
            | ErrorCode::OriginNotAllowed => false,
            // These statuses are about the till, the network or the service.
            _ => (error.status).is_some_and(|status| !matches!(status, 401 | 408 | 429 | 502..)),
        });
        is_about_it && self.tries >= TRIES_OF_A_STUCK_ONE
    }

    /// Judges a failed try. Only the service itself can refuse an order.
    pub fn judge(&mut self, error: &Error) -> Verdict {
        let mut refusals = Refusals::new(self.status(), self.refusals);
        let is_refused = refusals.note(error);
        self.refusals = refusals.count();
        let is_about_ereceipt = match error.code {
            ErrorCode::EreceiptNotEnabled
            | ErrorCode::TooManyMessages
            | ErrorCode::UnknownSealingKey => true,
            ErrorCode::InvalidBody => {
                let pointer = error.pointer.as_deref();
                pointer.is_some_and(|pointer| pointer.starts_with("/ereceipt"))
            }
            _ => false,
        };
        match error.code {
            _ if !is_refused => Verdict::Later,
            _ if is_about_ereceipt && self.has_ereceipt => Verdict::WithoutEreceipt,
            _ if is_about_ereceipt => Verdict::Refused,
            ErrorCode::InvalidBody
            | ErrorCode::InvalidRequest
            | ErrorCode::TooLarge
            | ErrorCode::IdempotencyKeyReused
            | ErrorCode::OrderExists => Verdict::Refused,
            _ => Verdict::Later,
        }
    }

    /// Notes a failed try. `chance` is from 0 to 1: tills that lost the network together must not come back together.
    pub fn postpone(&mut self, error: &Error, now_ms: f64, chance: f64) {
        let doubled = FIRST_REST_MS * f64::from(1u32 << self.tries.min(6));
        let rest = doubled.min(LONGEST_REST_MS) * (0.75 + chance / 2.0);
        let asked = error.retry_after_ms.unwrap_or_default();
        self.next = Some(now_ms + rest.max(asked.min(LONGEST_RETRY_AFTER_MS)));
        self.must_rest = asked > 0.0;
        self.tries = self.tries.saturating_add(1);
        self.error = Some(error.to_stored());
    }

    /// The HTTP status of the last answer.
    fn status(&self) -> Option<u16> {
        self.error.as_ref()?.status
    }

    /// Whether somebody in front of the till should wait for the next try.
    pub fn is_worth_waiting(&self) -> bool {
        let is_passing = self.error.as_ref().is_some_and(Error::is_no_answer);
        is_passing && !self.must_rest && self.tries < TRIES_TO_WAIT_FOR
    }

    /// A refused one in another content: another call, so it gets another key. The place in the queue stays.
    pub fn corrected(self, by: Self, key: String) -> Self {
        Self {
            at: self.at,
            key,
            ..by
        }
    }

    /// This order, to be tried now.
    pub fn at_once(self) -> Self {
        Self {
            next: None,
            must_rest: false,
            ..self
        }
    }

    /// A refused one, to be tried again from the beginning. The service has kept nothing of it, so the key stays.
    pub fn again(self) -> Self {
        Self {
            at: self.at,
            has_ereceipt: self.has_ereceipt,
            ereceipt_fault: self.ereceipt_fault,
            ..Self::new(self.key, self.external_id, self.body)
        }
    }
}

/// What an error means for the order that was sent.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Verdict {
    /// It is nobody's fault, or not the order's: try again.
    Later,
    /// The service takes the order, but not its e-receipt.
    WithoutEreceipt,
    /// The service will never take it.
    Refused,
}

/// What became of an order: what other pages of the browser are told, and the host.
///
/// Read strictly, unlike what is kept: a message that is not understood is one that nobody sent.
#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// Where the order is now.
    pub state: State,
    /// Names the order in the outbox.
    pub id: String,
    /// The till's own id of it.
    pub external_id: String,
    /// What became of its e-receipt, if it has one.
    pub ereceipt: Option<String>,
    /// When the service accepted it: RFC 3339.
    pub received_at: Option<String>,
    /// Whether nobody in front of a till should wait any longer for this postponed one.
    pub stops_waiting: bool,
    /// Why it was not accepted.
    pub error: Option<Error>,
}

named_enum! {
    /// Where an order is.
    State {
        /// It is kept, and its shopper is being asked.
        Asked = "asked",
        /// It is kept, and will be sent.
        Queued = "queued",
        /// A try failed; there will be another one.
        Postponed = "postponed",
        /// The service has it.
        Accepted = "accepted",
        /// The service will not have it.
        Refused = "refused",
        /// The host has given it up.
        Discarded = "discarded",
    }
}

impl Change {
    /// What became of an order that is kept as `entry`.
    pub fn new(state: State, id: &str, entry: &QueuedOrder) -> Self {
        Self {
            state,
            id: id.into(),
            external_id: entry.external_id.clone(),
            ereceipt: None,
            received_at: None,
            stops_waiting: state == State::Postponed && !entry.is_worth_waiting(),
            error: entry.error.clone(),
        }
    }
}

/// What the shopper chose, as far as the printer is concerned.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ReceiptChoice {
    /// Paper: nobody asked for anything else.
    Print,
    /// A text message in its place, or a code.
    Text,
    /// No receipt at all.
    Nothing,
}

/// Whether the receipt is to be printed. A print is cancelled only when the service has accepted the e-receipt, or when
/// the host trusts that a queued one will arrive.
pub fn prints(
    choice: ReceiptChoice,
    ereceipt: Option<&str>,
    is_accepted: bool,
    trusts_queue: bool,
) -> bool {
    match choice {
        ReceiptChoice::Print => true,
        ReceiptChoice::Nothing => false,
        ReceiptChoice::Text if is_accepted => !matches!(ereceipt, Some("queued" | "sent")),
        ReceiptChoice::Text => !trusts_queue,
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;
