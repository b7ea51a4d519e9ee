//! Locks: what two pages must not do at once.

use super::StorageError;
use super::mutex::{FairMutex, Guard};
use crate::core::cancellation::{self, AbortOnDrop, Resolve};
use crate::core::notify::Notify;
use crate::core::{object, task};
use js_sys::{Function, Object, Promise};
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, DomException};

// web-sys has the Web Locks only as an unstable API.
#[wasm_bindgen]
extern "C" {
    type LockManager;
    #[wasm_bindgen(thread_local_v2, js_namespace = navigator, js_name = locks)]
    static LOCKS: LockManager;
    #[wasm_bindgen(method, catch)]
    fn request(
        this: &LockManager,
        name: &str,
        options: &Object,
        granted: &Function,
    ) -> Result<Promise, JsValue>;
}

/// A lock that is held.
#[must_use = "dropping it releases the lock"]
pub struct Lock {
    /// Whether it was taken away from another page.
    pub is_stolen: bool,
    /// Releases a lock in this page.
    _guard: Option<Guard>,
    /// Releases a lock in the browser.
    _release: Option<Resolve>,
}

/// Waits for a lock of this page's.
pub async fn in_page(mutex: Rc<FairMutex>) -> Lock {
    Lock {
        is_stolen: false,
        _guard: Some(mutex.acquire().await),
        _release: None,
    }
}

/// Waits for a Web Lock, or takes it away from its holder (`steals`). If the wait is dropped, so is the request; a lock
/// that comes all the same is released at once. `None`: another one has taken the lock away before WebKit said that it
/// was granted.
pub async fn in_browser(name: &str, steals: bool) -> Result<Option<Lock>, StorageError> {
    let (held, release) = cancellation::deferred();
    let is_granted = Rc::new(Cell::new(false));
    let is_aborted = Rc::new(Cell::new(false));
    let settled = Rc::new(Notify::default());
    let granted = {
        let (is_granted, settled) = (is_granted.clone(), settled.clone());
        Closure::<dyn Fn(JsValue) -> Promise>::new(move |_| {
            is_granted.set(true);
            settled.notify_one();
            // The browser keeps the lock until this is resolved.
            held.clone()
        })
    };
    // A place in the browser's queue is given up with the wait. A lock that was granted stays.
    let queued = AbortOnDrop(AbortController::new()?);
    let options: Object = object::null_prototype();
    match steals {
        true => object::set(&options, "steal", &true.into()),
        // Refused with `steal`, which does not wait.
        false => object::set(&options, "signal", &queued.0.signal()),
    }
    let granted_by = granted.as_ref().unchecked_ref();
    let request = LOCKS.with(|locks| locks.request(name, &options, granted_by))?;
    let (rejected, was_aborted) = (settled.clone(), is_aborted.clone());
    task::start(async move {
        // Settles when the lock is released, stolen, or refused. Until then, the browser may call the closure.
        let settled = JsFuture::from(request).await;
        was_aborted.set(settled.is_err_and(|error| is_abort(&error)));
        drop(granted);
        rejected.notify_one();
    });
    settled.notified().await;
    match (is_granted.get(), is_aborted.get()) {
        (true, _) => Ok(Some(Lock {
            is_stolen: steals,
            _guard: None,
            _release: Some(release),
        })),
        (false, true) => Ok(None),
        (false, false) => Err(StorageError),
    }
}

fn is_abort(error: &JsValue) -> bool {
    let exception = error.dyn_ref::<DomException>();
    exception.is_some_and(|exception| exception.name() == "AbortError")
}
