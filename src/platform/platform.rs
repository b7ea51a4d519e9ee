//! What the SDK's work is done with: in the browser, or in a test that ends the page at any moment.

use crate::core::failure::Failure;
use crate::http::Call;
use crate::http::config::Config;
use crate::vault::storage::Storage;
use pos_connect_protocol::decode::Fault;
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

    /// Cancelled when the object is destroyed that all this belongs to.
    fn ended(&self) -> &Self::Cancel;

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
