//! The pick-up (§4.4), as DESIGN §5 wants it: one page at a time, what is about to happen is written down first, and the answer is kept before
//! anybody looks at it.

use super::failure::Failure;
use super::http::{self, Call, Parsed};
use super::old::js;
use super::old::promise::promise;
use super::old::stop::{self, Stops};
use super::session::Session;
use super::tokens;
use super::vault::{Asked, Lock};
use crate::decode::{self, TokenSet};
use crate::error::{ErrorCode, Operation};
use crate::pickup::Pickup;
use crate::vault;
use std::rc::Rc;
use wasm_bindgen::JsValue;

const OPERATION: Operation = Operation::FetchTokens;

impl Session {
    /// Picks the token set up; overlapping calls share the call, a repeat gives the same object until it is handed over.
    pub async fn fetch_tokens(self: &Rc<Self>, caller: JsValue) -> Result<JsValue, JsValue> {
        let mut stops = self.stops(caller);
        stops.check(OPERATION)?;
        let known = self.tokens.borrow().clone();
        let promise = if known.is_undefined() {
            let promise = promise(self.clone().pick_up());
            self.tokens.replace(promise.clone());
            promise
        } else {
            known
        };
        // Not the object's own end: a pick-up on its way is still delivered.
        stops.owner = JsValue::UNDEFINED;
        let outcome = stops.outcome(OPERATION, None, promise).await?;
        outcome.unwrap_or(Ok(JsValue::UNDEFINED))
    }

    async fn pick_up(self: Rc<Self>) -> Result<JsValue, JsValue> {
        let result = self.try_to_pick_up().await;
        let error = result.as_ref().err().map(|failure| failure.error.code);
        let may_fetch_again = error.is_some_and(ErrorCode::retryable);
        self.may_fetch_again.set(may_fetch_again);
        if error.is_some() {
            self.tokens.take();
        } else {
            self.hand_over();
        }
        Ok(result?)
    }

    /// Never stopped: giving the answer up would lose it.
    async fn try_to_pick_up(&self) -> Result<JsValue, Failure> {
        let lock = self.vault.lock(Lock::PICK_UP, &self.id, OPERATION);
        let lock = Lock(lock.await?);
        let entry = self.vault.read(&self.seed, OPERATION).await?;
        if let Some(code) = vault::over(&Parsed(entry.clone())) {
            self.told(&entry);
            return Err(Failure::new(code, OPERATION));
        }
        let kept = js::get(&entry, "body");
        if !kept.is_undefined() {
            match self.opened(&entry, &kept) {
                Err(failure) if failure.error.may_be_cut() => {}
                opened => return opened,
            }
        }
        let pickup_id = js::get(&entry, "pickup").as_string();
        let mut pickup = Pickup::new(js::is(&entry, "unanswered"), pickup_id.is_some());
        pickup.is_lost = js::is(&entry, "isLost");
        js::set(&entry, "unanswered", true.into());
        self.vault.write(&entry, OPERATION).await?;
        let mut lock = Some(lock);
        loop {
            let call = self.token_call(pickup.is_reissue, pickup_id.as_deref());
            let answer = self.http.send(call, &Stops::default()).await;
            let opened = match answer {
                Ok(body) => {
                    js::set(&entry, "body", body.clone());
                    let written = self.vault.write(&entry, OPERATION).await;
                    let opened = self.opened(&entry, &body);
                    if let (Err(failure), Ok(_)) = (written, &opened) {
                        // They are here all the same. No other page may ask as long as it can't know.
                        js::report(UNKEPT, &failure.into());
                        let unkept = lock.take().map(|lock| (entry.clone(), lock));
                        self.unkept.replace(unkept);
                        if self.tokens.borrow().is_undefined() {
                            // Forgotten meanwhile; that waits for the lock.
                            self.forget_tokens();
                        }
                    }
                    opened
                }
                Err(failure) => Err(failure),
            };
            let Err(mut failure) = opened else {
                return opened;
            };
            if failure.error.may_be_cut() {
                js::set(&entry, "body", JsValue::UNDEFINED);
            }
            let Some(wait) = pickup.failed(&mut failure.error) else {
                // If the storage fails, the doubt stays.
                let _ = self.settled(&entry, &pickup, failure.error.code).await;
                if vault::is_final(failure.error.code) {
                    self.told(&entry);
                }
                return Err(failure);
            };
            stop::sleep(wait).await;
        }
    }

    fn token_call(&self, is_reissue: bool, pickup_id: Option<&str>) -> Call {
        let config = &self.http.config;
        Call {
            operation: OPERATION,
            method: if is_reissue { "POST" } else { "GET" },
            url: config.token_url(self.token(), pickup_id, is_reissue),
        }
    }

    /// Notes what a failed pick-up has settled.
    fn settled(&self, entry: &JsValue, pickup: &Pickup, code: ErrorCode) -> Asked {
        if vault::is_final(code) {
            js::set_text(entry, "over", code.as_str());
        }
        js::set(entry, "unanswered", pickup.unanswered.into());
        self.vault.write(entry, OPERATION)
    }

    /// Notes that the page hears what became of it; if the page dies first, the next one does.
    fn told(&self, entry: &JsValue) {
        js::set(entry, "told", true.into());
        self.vault.note(entry);
    }

    /// Reads a kept answer, and notes what it says about the connection.
    fn opened(&self, entry: &JsValue, body: &JsValue) -> Result<JsValue, Failure> {
        let set = http::read(body, OPERATION, decode::token_set)?;
        self.connected(&set);
        if set.tokens.is_none() && !js::is(entry, "held") {
            // Nothing to hand over: the relay has them.
            js::set(entry, "held", true.into());
            self.vault.note(entry);
        }
        Ok(tokens::to_js(&set))
    }

    /// Notes what a token set says about the connection.
    pub fn connected(&self, set: &TokenSet) {
        let record = tokens::connection(set);
        js::set_text(&record, "id", &self.vault.scope);
        js::set(&record, "held", true.into());
        self.vault.note(&record);
    }
}

const UNKEPT: &str = "pos-connect: the tokens are here, but will not survive a reload";
