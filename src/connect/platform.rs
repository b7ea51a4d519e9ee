//! What the SDK's work is done with: in the browser, or in a test that ends the page at any moment.

use crate::core::error::Operation;
use crate::core::failure::{Failure, Rejection};
use crate::http::Call;
use crate::http::config::Config;
use crate::vault::storage::Storage;
use pos_connect_protocol::Status;
use pos_connect_protocol::decode::{Fault, TokenSet};
use serde::de::DeserializeOwned;
use std::future::pending;
use std::rc::Rc;

/// A lock of a platform's storage.
pub type LockOf<P> = <<P as Platform>::Storage as Storage>::Lock;

/// The network, the clock, the tasks and the storage.
pub trait Platform {
    /// Where entries are kept.
    type Storage: Storage;
    /// What may end a wait. The default is nothing.
    type Cancel: Default;
    /// Listens until it is dropped.
    type Listeners;

    /// Where entries are kept.
    fn storage(&self) -> &Self::Storage;

    /// Whom to call.
    fn config(&self) -> &Config;

    /// Whether the object that does all this was destroyed.
    fn is_destroyed(&self) -> bool;

    /// Fails if the wait is ended.
    fn check(cancel: &Self::Cancel) -> Result<(), Failure>;

    /// Waits until `work` is done; fails if `cancel` ends the wait first. `work` is dropped at any end.
    fn race<T>(
        work: impl Future<Output = T>,
        cancel: &Self::Cancel,
    ) -> impl Future<Output = Result<T, Failure>>;

    /// Waits until `work` is done; `None` if so many milliseconds are over first. `work` is dropped at any end.
    fn timeout<T>(&self, ms: f64, work: impl Future<Output = T>)
    -> impl Future<Output = Option<T>>;

    /// Waits so many milliseconds.
    fn sleep(&self, ms: f64) -> impl Future<Output = ()> {
        async move {
            self.timeout(ms, pending::<()>()).await;
        }
    }

    /// Starts work that nobody waits for. It ends with the page.
    fn start(work: impl Future<Output = ()> + 'static);

    /// Calls `woken` whenever the page wakes up, or comes online.
    fn on_wake(woken: Rc<dyn Fn()>) -> Self::Listeners;

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

    /// Milliseconds of a clock that nobody sets.
    fn uptime(&self) -> f64;

    /// A random number from 0 to 1.
    fn random() -> f64;

    /// Whether the network is there, as far as anybody knows.
    fn is_online() -> bool;
}

/// The page around all integrations of one object.
pub trait HostFactory: Platform {
    /// The page around one integration.
    type Host: Host<Storage = Self::Storage, Cancel = Self::Cancel>;

    /// Makes the page's side of an integration.
    fn host(&self) -> Result<Self::Host, Failure>;

    /// Whether the session of that host was destroyed.
    fn is_ended(host: &Self::Host) -> bool;
}

/// The page around one integration.
pub trait Host: Platform + 'static {
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
