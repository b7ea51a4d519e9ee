//! What the outbox works with: in the browser, or in a test that ends the page at any moment.

use super::queued_order::{Change, QueuedOrder};
use crate::core::Boxed;
use crate::core::failure::Failure;
use crate::platform::Platform;

/// The page around the outbox.
pub trait OutboxPage: Platform + 'static {
    /// The order with its number sealed, if the service's key is known.
    fn sealed(&self, entry: QueuedOrder) -> Boxed<'_, QueuedOrder>;

    /// The body of an order without its e-receipt; `None` if it can't be read.
    fn without_ereceipt(body: &str) -> Option<String>;

    /// The body `new` with the e-receipt of the body `old`.
    fn with_ereceipt_of(old: &str, new: &str) -> String;

    /// Tells the other pages what became of an order.
    fn tell_pages(&self, change: &Change);

    /// Tells the host what became of an order.
    fn tell_host(&self, change: &Change);

    /// Whether the host prints the receipts of interrupted sales.
    fn prints_interrupted(&self) -> bool;

    /// Gives the host an interrupted sale, whose order is queued now.
    fn interrupted(&self, entry: &QueuedOrder);

    /// Notes what the page itself threw in the last try of an order, if it did.
    fn note_thrown(&self, id: &str, failure: &Failure);

    /// A call for the merchant has failed: the connection may be over.
    fn on_call_failed(&self, failure: &Failure);

    /// The service has the key no more that the number is sealed for.
    fn key_refused(&self);

    /// An order waits: the browser is asked, once, not to clear the storage.
    fn keep_storage(&self);
}
