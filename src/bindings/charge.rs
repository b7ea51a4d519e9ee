//! `charge`: a sale from the money to the receipt, in one call.

use super::client::PosConnect;
use super::options::read;
use crate::browser::charge::Charge;
use crate::browser::enabled::Enabled;
use crate::browser::failure::Failure;
use crate::browser::vault::random_letters;
use crate::browser::{order, task};
use crate::error::Operation;
use crate::keypad::settings::{CHARGE, CONTAINER, ERECEIPT, ON_SEND, ORDER_ID, PRINT, SIGNAL};
use crate::options::Value;
use crate::order::PRINT_IF_QUEUED;
use js_sys::Promise;
use wasm_bindgen::prelude::*;

const OPERATION: Operation = Operation::Charge;

#[wasm_bindgen]
impl PosConnect {
    /// Keeps a paid order, asks for its receipt, sends it, and prints if that is the outcome. See `index.d.ts`.
    pub fn charge(&self, order: JsValue, options: JsValue) -> Promise {
        // Read at once: a till that uses its objects for the next order must not change this one.
        self.charging(&order, &options)
            .unwrap_or_else(|failure| Promise::reject(&failure.during(OPERATION)))
    }
}

impl PosConnect {
    /// The call that runs for the order: a second click finds the first one's.
    fn charging(&self, order: &JsValue, options: &JsValue) -> Result<Promise, Failure> {
        let order::Draft {
            mut entry, cleaned, ..
        } = order::draft(order, None)?;
        if entry.has_ereceipt {
            let fault = "order/ereceipt: comes from the shopper";
            return Err(Failure::invalid(fault));
        }
        self.inner.cancel_by(None).check()?;
        let body = entry.body.clone();
        let is_same = |(other, _): &&(String, Promise)| *other == body;
        let running = self.charges.borrow().iter().find(is_same).cloned();
        if let Some((_, running)) = running {
            return Ok(running);
        }
        entry.key = random_letters()?;
        let mut options = read(options, CHARGE)?;
        let print = options.page(&PRINT);
        let print = print.ok_or_else(|| Failure::invalid("print: is required"))?;
        let trusts_queue = !options.flag(&PRINT_IF_QUEUED);
        let cancel = self.inner.cancel_by(options.page(&SIGNAL));
        options.or(&ORDER_ID, Some(Value::Text(entry.external_id.clone())));
        let charge = Charge::new(self.inner.clone(), entry, print, trusts_queue, cancel);
        options.or(&ON_SEND, Some(Value::Page(charge.on_send().into())));
        let keypad = self.keypad(&options)?;
        let (ereceipt, container) = (Enabled::of(&options, &ERECEIPT), options.page(&CONTAINER));
        let (charges, own) = (self.charges.clone(), body.clone());
        let promise = task::promise(OPERATION, async move {
            let done = charge.run(keypad, ereceipt, container).await;
            charges.borrow_mut().retain(|(body, _)| *body != own);
            done.map(|result| order::with_cleaned(result, &cleaned))
        });
        self.charges.borrow_mut().push((body, promise.clone()));
        Ok(promise)
    }
}
