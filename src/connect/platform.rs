//! What a pick-up and a hand-over are done with: in the browser, or in a test that ends them at any moment.

use crate::core::error::Operation;
use crate::core::failure::{Failure, Rejection};
use crate::http::Call;
use crate::http::config::Config;
use crate::vault::storage::Storage;
use pos_connect_protocol::decode::{Fault, TokenSet};
use serde::de::DeserializeOwned;

/// The network, the clock and the storage.
pub trait Platform {
    /// Where entries are kept.
    type Storage: Storage;
    /// What may end a wait. The default is nothing.
    type Cancel: Default;

    /// Where entries are kept.
    fn storage(&self) -> &Self::Storage;

    /// Whom to call.
    fn config(&self) -> &Config;

    /// Whether the object that does all this was destroyed.
    fn is_destroyed(&self) -> bool;

    /// Fails if the wait is ended.
    fn check(cancel: &Self::Cancel) -> Result<(), Failure>;

    /// Sends one call and gives the body of a 2xx response.
    fn send(
        &self,
        call: Call,
        cancel: &Self::Cancel,
    ) -> impl Future<Output = Result<String, Failure>>;

    /// Reads the body of a 2xx response with one of `decode`'s readers.
    fn read<B: DeserializeOwned, T>(
        body: &str,
        reader: fn(B) -> Result<T, Fault>,
    ) -> Result<T, Failure>;

    /// Milliseconds since 1970.
    fn now(&self) -> f64;

    /// Waits so many milliseconds.
    fn sleep(&self, ms: f64) -> impl Future<Output = ()>;
}

/// The page around the tokens of one integration.
pub trait Host: Platform {
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
