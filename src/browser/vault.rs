//! What survives this page, and the locks between pages.

use super::failure::Failure;
use super::old::js;
use super::old::promise::settled;
use crate::error::{ErrorCode, Operation};
use std::pin::Pin;
use wasm_bindgen::prelude::*;

/// An answer on its way. Boxed, because each caller would bring its own copy of the wait.
pub type Asked = Pin<Box<dyn Future<Output = Result<JsValue, Failure>>>>;

#[wasm_bindgen(module = "/src/js/page.js")]
extern "C" {
    #[wasm_bindgen(js_name = vault)]
    fn open(scope: &str, is_memory: bool) -> JsValue;

    /// A text that begins with `scope`, and 128 random bits.
    pub fn fresh(scope: &str) -> JsValue;
}

/// The entries of one vendor account in this browser.
pub struct Vault {
    object: JsValue,
    /// What their ids begin with. By itself, it is the id of the connection record.
    pub scope: String,
}

impl Vault {
    /// Opens nothing yet.
    pub fn new(scope: String, is_memory: bool) -> Self {
        Self {
            object: open(&scope, is_memory),
            scope,
        }
    }

    /// The entry whose `id` the seed has, or the seed.
    pub fn read(&self, seed: &JsValue, operation: Operation) -> Asked {
        self.ask(operation, "read", seed)
    }

    /// Keeps an object of texts, numbers and booleans, under its `id`; when this is done, it survives a crash.
    pub fn write(&self, entry: &JsValue, operation: Operation) -> Asked {
        self.ask(operation, "write", entry)
    }

    /// Keeps it soon, if the storage lets it.
    pub fn note(&self, entry: &JsValue) {
        js::act(&self.object, "note", entry, js::NONE);
    }

    /// All that can be read, in an array.
    pub fn list(&self, operation: Operation) -> Asked {
        self.ask(operation, "list", js::NONE)
    }

    /// Erases one entry, or with `undefined` all.
    pub fn erase(&self, id: &JsValue, operation: Operation) -> Asked {
        self.ask(operation, "erase", id)
    }

    /// Waits until no page of this browser holds the lock. For a `Lock`.
    pub fn lock(&self, what: &str, id: &str, operation: Operation) -> Asked {
        let name = [what, id].concat();
        self.ask(operation, "lock", &name.as_str().into())
    }

    fn ask(&self, operation: Operation, method: &str, argument: &JsValue) -> Asked {
        let asked = js::act(&self.object, method, argument, js::NONE);
        Box::pin(async move {
            let answer = settled(&asked).await;
            answer.map_err(|_| Failure::new(ErrorCode::VaultFailed, operation))
        })
    }
}

/// A lock that is held: what `Vault::lock` gave.
#[must_use = "dropping it releases the lock"]
pub struct Lock(pub JsValue);

impl Lock {
    /// One page at a time asks for an integration's tokens.
    pub const PICK_UP: &str = "pos-connect pick-up ";
    /// One page at a time hands them over.
    pub const HAND_OVER: &str = "pos-connect hand-over ";
    /// One at a time erases them, after the host has them.
    pub const ERASE: &str = "pos-connect erase ";
}

impl Drop for Lock {
    fn drop(&mut self) {
        // It does not throw.
        let _ = js::ask(&self.0, js::NONE);
    }
}
