//! The class `Integration`: reads the options of its calls, and hands each to the session. Decides nothing.

use super::frame::exports::{self, read_frame};
use super::integration::{CALL, ON_STATUS, SIGNAL, WAIT};
use super::page::Page;
use super::session::Session;
use crate::core::cancellation::Cancellation;
use crate::core::error::Operation;
use crate::core::failure::Rejection;
use crate::core::reader::read;
use crate::core::task;
use js_sys::Promise;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// What the calls of an object belong to.
pub(crate) trait Owner: 'static {
    /// Cancels them.
    fn ended(&self) -> Cancellation;
}

impl Owner for Session<Page> {
    fn ended(&self) -> Cancellation {
        self.page().session_ended()
    }
}

/// Starts a call whose only option is its signal, which cancels it, as the end of its owner does.
pub(crate) fn call<T: Owner>(
    owner: &Rc<T>,
    operation: Operation,
    options: &JsValue,
    work: impl AsyncFnOnce(Rc<T>, Cancellation) -> Result<JsValue, Rejection> + 'static,
) -> Promise {
    let (owner, options) = (owner.clone(), read(options, CALL));
    task::promise(operation, async move {
        let cancel = owner.ended().with(options?.page(&SIGNAL));
        work(owner, cancel).await
    })
}

/// One integration (§2.1). `index.d.ts` documents it for its users.
///
/// ```js
/// const integration = await pos.createIntegration();
/// const frame = integration.mountFrame("#connect");
/// if ((await integration.waitUntilDone()) === "finished") await integration.fetchTokens();
/// ```
#[wasm_bindgen]
pub struct Integration {
    inner: Rc<Session<Page>>,
}

impl Integration {
    /// A handle on a session.
    pub fn new(inner: Rc<Session<Page>>) -> Self {
        Self { inner }
    }
}

#[wasm_bindgen]
impl Integration {
    /// The integration token (§2.1).
    #[wasm_bindgen(getter, js_name = integrationToken)]
    pub fn integration_token(&self) -> JsValue {
        self.inner
            .pick_up
            .identity
            .integration_token
            .as_str()
            .into()
    }

    /// Four digits that the connect page shows, too (extension); `undefined` if the service has none.
    #[wasm_bindgen(getter)]
    pub fn code(&self) -> JsValue {
        self.inner.pick_up.identity.code.as_deref().into()
    }

    /// Shows the connect frame (§4.3): a `ConnectFrame`.
    #[wasm_bindgen(js_name = mountFrame)]
    pub fn mount_frame(&self, container: JsValue, options: JsValue) -> Result<JsValue, JsValue> {
        let mounted = read_frame(container, &options).and_then(|options| self.inner.mount(options));
        let frame = mounted.map_err(|failure| failure.during(Operation::MountFrame))?;
        Ok(exports::handle(&frame))
    }

    /// One status call (§4.2): a promise of the status.
    pub fn status(&self, options: JsValue) -> Promise {
        call(
            &self.inner,
            Operation::Status,
            &options,
            async |session, cancel| Ok(session.status(&cancel).await?.as_str().into()),
        )
    }

    /// Polls until the end (§4.2): a promise of `finished` or `cancelled`.
    #[wasm_bindgen(js_name = waitUntilDone)]
    pub fn wait_until_done(&self, options: JsValue) -> Promise {
        let session = self.inner.clone();
        let options = read(&options, WAIT);
        task::promise(Operation::WaitUntilDone, async move {
            let options = options?;
            let cancel = session.page().session_ended().with(options.page(&SIGNAL));
            session.wait(cancel, options.page(&ON_STATUS)).await
        })
    }

    /// Picks the token set up, once (§4.4): a promise of it.
    #[wasm_bindgen(js_name = fetchTokens)]
    pub fn fetch_tokens(&self, options: JsValue) -> Promise {
        call(
            &self.inner,
            Operation::FetchTokens,
            &options,
            async |session, cancel| session.fetch_tokens(cancel).await,
        )
    }

    /// The host says that it has the tokens: they are erased here.
    #[wasm_bindgen(js_name = acknowledgeTokens)]
    pub fn acknowledge_tokens(&self, options: JsValue) -> Promise {
        let operation = Operation::AcknowledgeTokens;
        call(&self.inner, operation, &options, async |session, cancel| {
            session.hand_over.acknowledge(&cancel).await?;
            Ok(JsValue::UNDEFINED)
        })
    }

    /// Withdraws the integration (extension).
    pub fn cancel(&self, options: JsValue) -> Promise {
        call(
            &self.inner,
            Operation::Cancel,
            &options,
            async |session, cancel| {
                session.cancel(&cancel).await?;
                Ok(JsValue::UNDEFINED)
            },
        )
    }

    /// Ends the session, except for a pick-up on its way; a second time does nothing.
    pub fn destroy(&self) {
        self.inner.destroy();
    }
}
