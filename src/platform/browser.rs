//! The browser as a platform.

use super::Platform;
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

/// What one object calls and keeps, for its account and store.
pub struct Browser {
    /// Makes the calls.
    pub http: Http,
    /// Keeps the entries.
    pub vault: Rc<Vault>,
}

impl<P: AsRef<Browser>> Platform for P {
    type Storage = Vault;
    type Cancel = Cancellation;
    type Listeners = Vec<Listener>;

    fn storage(&self) -> &Vault {
        &self.as_ref().vault
    }

    fn config(&self) -> &Config {
        &self.as_ref().http.config
    }

    fn ended(&self) -> &Cancellation {
        &self.as_ref().http.ended
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
        self.as_ref().http.send(call, cancel).await
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
