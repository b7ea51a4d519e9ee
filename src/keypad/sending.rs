//! Asks the host to accept the e-receipt.

use super::Keypad;
use super::prompt::Input;
use crate::core::cancellation::{self, Cancellation, race, settled};
use crate::core::error::Operation;
use crate::core::failure::Rejection;
use crate::core::{global, object, task};
use js_sys::{Function, Object};
use std::rc::Rc;
use wasm_bindgen::prelude::*;

impl Keypad {
    /// Asks the host to accept the e-receipt.
    pub(super) fn send(self: &Rc<Self>) {
        self.ask(self.on_send.as_ref(), self.receipt());
    }

    /// Asks the host to accept the code, which is shown meanwhile.
    pub(super) fn send_scan(self: &Rc<Self>) {
        self.ask(self.on_scan.as_ref(), self.scan());
    }

    fn ask(self: &Rc<Self>, host: Option<&Function>, receipt: Object) {
        let answer = self.call_host(host, &receipt);
        let keypad = self.clone();
        task::start(async move {
            let answer = match answer {
                Ok(value) => match keypad.answer(&value).await {
                    Some(answer) => answer,
                    None => return,
                },
                Err(rejection) => Err(rejection.during(Operation::ReceiptFor)),
            };
            match answer {
                Ok(answer) => {
                    // The word is that of `orders.send`. What is not an object has no state.
                    let for_later = object::get(&answer, "state") == "queued";
                    keypad.on(Input::Accepted(for_later), global::now(), None);
                }
                Err(thrown) => {
                    let may_retry = object::get(&thrown, "retryable") != false;
                    keypad.on(Input::Rejected(may_retry), global::now(), Some(thrown));
                }
            }
        });
    }

    /// What the host's promise came to; `None` once the prompt is over.
    async fn answer(&self, value: &JsValue) -> Option<Result<JsValue, JsValue>> {
        let sending = self.live.borrow().sending.clone();
        race(settled(value), &Cancellation::by(&sending?))
            .await
            .ok()
    }

    fn call_host(&self, host: Option<&Function>, receipt: &Object) -> Result<JsValue, Rejection> {
        // Without it, nothing is asked.
        let Some(host) = host else {
            return Ok(JsValue::UNDEFINED);
        };
        let controller = cancellation::controller()?;
        let attempt = self.attempts.get() + 1;
        self.attempts.set(attempt);
        // `SendAttempt` in `index.d.ts`.
        let sending = object::of(&[
            ("signal", controller.signal().into()),
            ("idempotencyKey", self.idempotency_key.as_str().into()),
            ("attempt", attempt.into()),
        ]);
        self.live.borrow_mut().sending = Some(controller);
        Ok(host.call2(&JsValue::UNDEFINED, receipt, &sending)?)
    }
}
