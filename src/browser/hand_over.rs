//! The hand-over: the tokens stay in the vault until the host has them.

use super::failure::Failure;
use super::http::{self, Call, Parsed};
use super::js;
use super::promise::settled;
use super::session::Session;
use super::stop::{self, Stops};
use super::task::Task;
use super::tokens;
use super::vault::Lock;
use crate::decode;
use crate::error::{ErrorCode, Operation};
use crate::pickup;
use crate::vault;
use std::rc::Rc;
use wasm_bindgen::JsValue;

const OPERATION: Operation = Operation::PersistTokens;
const FAILED: &str = "pos-connect: the tokens are not handed over yet";

impl Session {
    /// Gives the tokens to the host until it has them; not waited for by anyone. After the object's own `destroy` no further try is made: the
    /// vault has them for the next one.
    pub fn hand_over(self: &Rc<Self>) {
        if self.http.persist.is_undefined() || self.is_handing_over.replace(true) {
            return;
        }
        let session = self.clone();
        Task::start(Box::pin(async move {
            let mut wait = 0.0;
            while let Err(reason) = session.deliver(true, Stops::default(), OPERATION).await {
                js::report(FAILED, &reason);
                wait = pickup::hand_over_again(wait);
                stop::sleep(wait).await;
                if session.http.is_destroyed.get() {
                    session.unkept.take();
                    break;
                }
            }
            session.is_handing_over.set(false);
        }));
    }

    /// The host says that it has the tokens. No lock: a host may say so in its `persistTokens`.
    pub async fn acknowledge(&self, caller: JsValue) -> Result<(), JsValue> {
        let stops = self.stops(caller);
        let operation = Operation::AcknowledgeTokens;
        self.deliver(false, stops, operation).await
    }

    /// Gives the tokens to the host, unless it says that it has them, and erases them, first at a relay that repeats them.
    async fn deliver(
        &self,
        asks_host: bool,
        stops: Stops,
        operation: Operation,
    ) -> Result<(), JsValue> {
        stops.check(operation)?;
        let _lock = if asks_host {
            // Of its own: a host that takes its time must not keep a page from the tokens.
            let lock = self.vault.lock(Lock::HAND_OVER, &self.id, operation);
            Some(Lock(lock.await?))
        } else {
            None
        };
        let unkept = self
            .unkept
            .borrow()
            .as_ref()
            .map(|(entry, _)| entry.clone());
        let entry = match unkept {
            // A copy: what fails to be written has not happened.
            Some(entry) => js::act(&js::named("Object"), "assign", &js::object(), &entry),
            None => self.vault.read(&self.seed, operation).await?,
        };
        if vault::claim(&Parsed(entry.clone()), 0.0) != vault::Claim::Undelivered {
            return Ok(());
        }
        // If no token can be read from it, there is nothing to hand over, but the host may give it up.
        let set = http::read(&js::get(&entry, "body"), operation, decode::token_set);
        if let Ok(set) = &set {
            self.connected(set);
        }
        if asks_host && !js::is(&entry, "handed") {
            let Ok(set) = &set else {
                return Ok(());
            };
            let asked = js::ask(&self.http.persist, &tokens::to_js(set))?;
            let mut result = Err(Failure::new(ErrorCode::Timeout, operation).into());
            let work = Box::pin(async { result = settled(&asked).await });
            let limit = Some(pickup::HAND_OVER_LIMIT_MS);
            stops.guard(operation, limit, work).await?;
            result?;
        }
        if set.is_ok_and(|set| set.acknowledge) {
            // If the relay fails now, the host is not asked again.
            js::set(&entry, "handed", true.into());
            self.vault.write(&entry, operation).await?;
            let call = Call {
                operation,
                method: "DELETE",
                url: self.http.config.token_url(self.token(), None, false),
            };
            let sent = self.http.send(call, &stops).await;
            // A relay that does not know it any more has nothing to erase.
            sent.or_else(|failure| match failure.error.status {
                Some(403 | 404 | 410) => Ok(JsValue::UNDEFINED),
                _ => Err(failure),
            })?;
        }
        js::set(&entry, "body", JsValue::UNDEFINED);
        let gone = ErrorCode::TokensAlreadyRetrieved;
        js::set_text(&entry, "over", gone.as_str());
        js::set(&entry, "told", true.into());
        self.vault.write(&entry, operation).await?;
        self.forget_tokens();
        Ok(())
    }
}
