//! The receipt's link as a QR code. It is made and drawn in JavaScript, in a file that is loaded for it.

use super::Keypad;
use super::dom::{Dom, Item};
use super::texts::{TextKey, Texts};
use crate::core::nodes::append;
use wasm_bindgen::prelude::*;
use web_sys::Node;

#[wasm_bindgen(module = "/src/core/qr.js")]
extern "C" {
    /// A link that nobody else knows, as a code.
    pub type Code;
    /// SHA-256 of the link's last part, in base64url.
    #[wasm_bindgen(method, getter, js_name = linkHash)]
    pub fn link_hash(this: &Code) -> String;
    #[wasm_bindgen(method)]
    fn draw(this: &Code, name: &str) -> Node;
    /// Makes a link that begins with `receipt_url`, offline too. Fails if the file does not load, or without WebCrypto.
    #[wasm_bindgen(catch, js_name = makeCode)]
    async fn make_code(receipt_url: &str) -> Result<JsValue, JsValue>;
}

impl Keypad {
    /// Offers a code, if the host takes one, once there is a link and the file that draws it.
    pub(super) async fn offer_code(&self, receipt_url: impl Future<Output = Option<String>>) {
        if self.on_scan.is_some()
            && let Some(url) = receipt_url.await
            && let Ok(code) = make_code(&url).await
            && let Some(dom) = self.dom()
        {
            let is_set = self.code.set(code.unchecked_into()).is_ok();
            self.prompt.borrow_mut().offers_code = is_set;
            dom.get(Item::Scan).set_hidden(false);
        }
    }

    /// Shows the code.
    pub(super) fn show_code(&self, now: f64) {
        if let (Some(dom), Some(code)) = (self.dom(), self.code.get()) {
            let settings = self.prompt.borrow().settings.clone();
            // "Done" stands where "send" stood, under the finger that pressed "scan".
            self.taps.borrow_mut().shown(now);
            dom.show_code(code, &settings.texts);
        }
    }
}

impl Dom {
    /// Draws the code, with the focus on "done".
    pub fn show_code(&self, code: &Code, texts: &Texts) {
        let hint = texts.get(TextKey::ScanHint);
        append(self.get(Item::Code), &code.draw(hint));
        self.get(Item::Heading).set_text_content(Some(hint));
        let _ = self.get(Item::Done).focus();
    }
}
