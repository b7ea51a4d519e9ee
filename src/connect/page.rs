//! The browser's half of a pick-up and a hand-over.

use super::browser::Browser;
use super::platform::Host;
use super::{retry, tokens};
use crate::core::cancellation::{settled, timeout};
use crate::core::console;
use crate::core::error::{ErrorCode, Operation};
use crate::core::failure::{Failure, Rejection};
use crate::http::Http;
use crate::vault::Vault;
use js_sys::{Function, Promise};
use pos_connect_protocol::decode::TokenSet;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsValue;

/// This page, for one integration.
pub struct Page {
    /// Makes the calls.
    pub http: Rc<Http>,
    /// Keeps the entry.
    pub vault: Rc<Vault>,
    /// `persistTokens`, if the host has one.
    pub persist: Option<Function>,
    /// The promise of the pick-up that runs or has succeeded, until the tokens are handed over.
    pub tokens: RefCell<Option<Promise>>,
}

impl Browser for Page {
    fn http(&self) -> &Http {
        &self.http
    }

    fn vault(&self) -> &Vault {
        &self.vault
    }
}

impl Host for Page {
    fn wants_tokens(&self) -> bool {
        self.persist.is_some()
    }

    async fn persist(&self, set: TokenSet) -> Result<(), Rejection> {
        if let Some(persist) = &self.persist {
            let given = persist.call1(&JsValue::UNDEFINED, &tokens::to_js(&set))?;
            drop(set);
            let persisted = timeout(retry::HAND_OVER_LIMIT_MS, settled(&given)).await;
            persisted.ok_or_else(|| Failure::new(ErrorCode::Timeout))??;
        }
        Ok(())
    }

    fn report(&self, message: &'static str, operation: Operation, reason: Rejection) {
        console::error(message, &reason.during(operation));
    }

    fn note_connection(&self, set: &TokenSet) {
        self.vault.note_record(set, true);
    }

    fn forget_key(&self) {
        self.vault.forget_key();
    }

    fn forget_tokens(&self) {
        self.tokens.take();
    }
}
