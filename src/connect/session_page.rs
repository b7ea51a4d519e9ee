//! What an integration asks of the page around it: this one, or that of a test which ends it at any moment.

use crate::core::error::Operation;
use crate::core::failure::{Failure, Rejection};
use crate::platform::Platform;
use pos_connect_protocol::Status;
use pos_connect_protocol::decode::TokenSet;

/// The page around all integrations of one object.
pub trait SessionPages: Platform {
    /// The page around one integration.
    type Page: SessionPage<Storage = Self::Storage, Cancel = Self::Cancel>;

    /// Makes the page's side of an integration.
    fn page(&self) -> Result<Self::Page, Failure>;
}

/// The page around one integration.
pub trait SessionPage: Platform + 'static {
    /// Whether the host has destroyed its handle on the integration.
    fn is_session_destroyed(&self) -> bool;

    /// Tells the page a status, and ends its frame with it.
    fn tell_status(&self, status: Status);

    /// The connect page was opened outside of its frame.
    fn opened_elsewhere(&self);

    /// Whether the page's own policy blocks the frame.
    fn is_blocked(&self) -> bool;

    /// Whether the host has a function that takes the tokens.
    fn wants_tokens(&self) -> bool;

    /// Gives the tokens to the host. When this is done, it has them. Drops its own copy before it waits.
    fn persist(&self, set: TokenSet) -> impl Future<Output = Result<(), Rejection>>;

    /// Tells the host why something failed that nobody waits for.
    fn report(&self, message: &'static str, operation: Operation, reason: Rejection);

    /// Notes what a token set says about the connection.
    fn note_connection(&self, set: &TokenSet);

    /// Lets go of the key that numbers are sealed for: it is for one store.
    fn forget_key(&self);

    /// Lets go of the tokens that this page has in its memory.
    fn forget_tokens(&self);
}
