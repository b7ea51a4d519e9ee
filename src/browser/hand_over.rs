//! The hand-over: the tokens stay in the vault until the host has them.

use super::failure::Failure;
use super::http::{self, Call, Parsed};
use super::old::js;
use super::old::stop::{self, Stops};
use super::old::task::Task;
use super::session::Session;
use super::tokens;
use super::vault::{Asked, Lock};
use crate::decode::{self, TokenSet};
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

    /// The host says that it has the tokens; it may say so in its `persistTokens`.
    pub async fn acknowledge(&self, caller: JsValue) -> Result<(), JsValue> {
        let stops = self.stops(caller);
        let operation = Operation::AcknowledgeTokens;
        self.deliver(false, stops, operation).await
    }

    /// Gives the tokens to the host, unless it says that it has them, and erases them.
    async fn deliver(
        &self,
        asks_host: bool,
        stops: Stops,
        operation: Operation,
    ) -> Result<(), JsValue> {
        stops.check(operation)?;
        let mut _lock = None;
        if asks_host {
            // Of its own: a host that takes its time must keep no page from the tokens, nor itself from acknowledging them.
            let lock = self.vault.lock(Lock::HAND_OVER, &self.id, operation);
            _lock = Some(Lock(lock.await?));
            let entry = self.entry(operation).await?;
            let Some(Some(set)) = Self::undelivered(&entry) else {
                return Ok(());
            };
            if !js::is(&entry, "handed") {
                let asked = js::ask(&self.http.persist, &tokens::to_js(&set))?;
                drop(set);
                let limit = Some(pickup::HAND_OVER_LIMIT_MS);
                let late = || Err(Failure::new(ErrorCode::Timeout, operation).into());
                let outcome = stops.outcome(operation, limit, asked).await?;
                outcome.unwrap_or_else(late)?;
            }
        }
        Ok(self.erase(&stops, operation).await?)
    }

    /// The entry as it is now, or a copy of it where the storage would not take it: what fails to be written has not happened.
    fn entry(&self, operation: Operation) -> Asked {
        let unkept = self.unkept.borrow();
        let unkept = unkept.as_ref().map(|(entry, _)| js::copy(entry));
        match unkept {
            Some(entry) => Box::pin(async move { Ok(entry) }),
            None => self.vault.read(&self.seed, operation),
        }
    }

    /// What can be read of the tokens in an entry, if the host does not have them yet.
    fn undelivered(entry: &JsValue) -> Option<Option<TokenSet>> {
        if vault::claim(&Parsed(entry.clone()), 0.0) != vault::Claim::Undelivered {
            return None;
        }
        let set = http::read(&js::get(entry, "body"), OPERATION, decode::token_set).ok();
        match &set {
            // A relay has them, and its page died before it could say so.
            Some(set) if set.tokens.is_none() => None,
            _ => Some(set),
        }
    }

    /// Erases what the host has, first at a relay that repeats it. If no token can be read from it, the host may give it up all the same.
    async fn erase(&self, stops: &Stops, operation: Operation) -> Result<(), Failure> {
        // One at a time, and nothing that was read before: else one that failed would write back what another has just erased.
        let lock = self.vault.lock(Lock::ERASE, &self.id, operation);
        let _lock = Lock(lock.await?);
        stops.check(operation)?;
        let entry = self.entry(operation).await?;
        let Some(set) = Self::undelivered(&entry) else {
            return Ok(());
        };
        if let Some(set) = &set {
            self.connected(set);
        }
        if set.is_some_and(|set| set.acknowledge) {
            // If the relay fails now, the host is not asked again.
            js::set(&entry, "handed", true.into());
            self.vault.write(&entry, operation).await?;
            // By now the storage has taken it.
            self.unkept.take();
            let call = Call {
                operation,
                method: "DELETE",
                url: self.http.config.token_url(self.token(), None, false),
            };
            let sent = self.http.send(call, stops).await;
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
