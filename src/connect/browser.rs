//! The browser as a platform.

use super::platform::Platform;
use crate::core::cancellation::{self, Cancellation};
use crate::core::failure::Failure;
use crate::core::listener::Listener;
use crate::core::{global, task};
use crate::http::config::Config;
use crate::http::{self, Call, Http};
use crate::vault::Vault;
use js_sys::{Date, Math};
use pos_connect_protocol::decode::Fault;
use serde::de::DeserializeOwned;
use std::rc::Rc;

/// What calls and keeps with the means of this page.
pub trait Browser {
    /// Makes the calls.
    fn http(&self) -> &Http;

    /// Keeps the entries.
    fn vault(&self) -> &Vault;
}

impl<P: Browser> Platform for P {
    type Storage = Vault;
    type Cancel = Cancellation;
    type Listeners = Vec<Listener>;

    fn storage(&self) -> &Vault {
        self.vault()
    }

    fn config(&self) -> &Config {
        &self.http().config
    }

    fn is_destroyed(&self) -> bool {
        self.http().is_destroyed.get()
    }

    fn check(cancel: &Cancellation) -> Result<(), Failure> {
        cancel.check()
    }

    fn race<T>(
        work: impl Future<Output = T>,
        cancel: &Cancellation,
    ) -> impl Future<Output = Result<T, Failure>> {
        cancellation::race(work, cancel)
    }

    fn timeout<T>(
        &self,
        ms: f64,
        work: impl Future<Output = T>,
    ) -> impl Future<Output = Option<T>> {
        cancellation::timeout(ms, work)
    }

    fn start(work: impl Future<Output = ()> + 'static) {
        task::start(work);
    }

    fn on_wake(woken: Rc<dyn Fn()>) -> Vec<Listener> {
        global::on_wake(woken)
    }

    async fn send(&self, call: Call, cancel: &Cancellation) -> Result<String, Failure> {
        self.http().send(call, cancel).await
    }

    fn read<B: DeserializeOwned, T>(
        body: &str,
        reader: fn(B) -> Result<T, Fault>,
    ) -> Result<T, Failure> {
        http::read(body, reader)
    }

    fn now(&self) -> f64 {
        Date::now()
    }

    fn uptime(&self) -> f64 {
        global::now()
    }

    fn random() -> f64 {
        Math::random()
    }

    fn is_online() -> bool {
        global::is_online()
    }
}
