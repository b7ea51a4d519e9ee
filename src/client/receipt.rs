//! The calls of `PosConnect` that ask a shopper: `receiptFor` and `charge`.

use super::pos_connect::PosConnect;
use crate::connect::exports::call;
use crate::core::error::Operation;
use crate::core::failure::Failure;
use crate::core::options::{Options, Value};
use crate::core::reader::read;
use crate::core::task;
use crate::keypad::Keypad;
use crate::keypad::reason::PrintReason;
use crate::keypad::settings::{CONTAINER, ON_SCAN, ON_SEND, ORDER_ID, RECEIPT};
use crate::orders::charge::Charge;
use crate::orders::draft;
use crate::orders::order::{ALLOW_SCAN, CHARGE};
use crate::vault::seal::random_letters;
use js_sys::Promise;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

const OPERATION: Operation = Operation::Charge;

#[wasm_bindgen]
impl PosConnect {
    /// Asks the shopper for a number, and says whether the receipt is to be printed. See `index.d.ts`.
    #[wasm_bindgen(js_name = receiptFor)]
    pub fn receipt_for(&self, options: JsValue) -> Promise {
        let call = call(&self.inner, Operation::ReceiptFor, read(&options, RECEIPT));
        call.run(|client, options, _| {
            // Begun at once: the next order's ends the one before.
            let keypad = self.keypad(&options).inspect(|keypad| {
                let connection = client.connection.clone();
                keypad.show_if(
                    connection.clone().asks_shopper(&options),
                    connection.receipt_url(),
                    options.page(&CONTAINER),
                );
            });
            async move { Ok(keypad?.until_settled().await) }
        })
    }

    /// A sale in one call: a promise of a `ChargeResult`.
    pub fn charge(&self, order: JsValue, options: JsValue) -> Promise {
        // Read at once: a till that uses its objects for the next order must not change this one.
        self.charging(&order, &options)
            .unwrap_or_else(|failure| Promise::reject(&failure.during(OPERATION)))
    }
}

impl PosConnect {
    /// The next ask of this object, in no page yet. It ends the one before.
    fn keypad(&self, options: &Options) -> Result<Rc<Keypad>, Failure> {
        let keypad = Keypad::new(options)?;
        let before = self.receipt.replace(Rc::downgrade(&keypad)).upgrade();
        if let Some(before) = before {
            before.end(PrintReason::Replaced);
        }
        keypad.end_with(&self.inner.owner.signal());
        Ok(keypad)
    }

    /// The call that runs for the order: a second click finds the first one's.
    fn charging(&self, order: &JsValue, options: &JsValue) -> Result<Promise, Failure> {
        let draft::Draft {
            mut entry, cleaned, ..
        } = draft::draft(order, None)?;
        if entry.has_ereceipt {
            let fault = "order/ereceipt: comes from the shopper";
            return Err(Failure::invalid(fault));
        }
        self.inner.browser.http.ended.check()?;
        let body = entry.body.clone();
        let is_same = |(other, _): &&(String, Promise)| *other == body;
        let running = self.charges.borrow().iter().find(is_same).cloned();
        if let Some((_, running)) = running {
            return Ok(running);
        }
        entry.key = random_letters()?;
        let mut options = read(options, CHARGE)?;
        options.or(&ORDER_ID, Some(Value::Text(entry.external_id.clone())));
        let charge = Charge::new(self.inner.merchant.clone(), entry, &options)?;
        let on_send: JsValue = charge.on_send().into();
        let on_scan = options.flag(&ALLOW_SCAN).then(|| on_send.clone());
        options.or(&ON_SCAN, on_scan.map(Value::Page));
        options.or(&ON_SEND, Some(Value::Page(on_send)));
        let keypad = self.keypad(&options)?;
        let (charges, own) = (self.charges.clone(), body.clone());
        let promise = task::promise(OPERATION, async move {
            let done = charge.run(keypad, &options).await;
            charges.borrow_mut().retain(|(body, _)| *body != own);
            done.map(|result| draft::with_cleaned(result, &cleaned))
        });
        self.charges.borrow_mut().push((body, promise.clone()));
        Ok(promise)
    }
}
