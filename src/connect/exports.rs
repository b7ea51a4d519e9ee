//! The class `Integration`: reads the options of its calls, and hands each to the session. Decides nothing.

use super::frame::exports::{self, read_frame};
use super::integration::{CALL, ON_STATUS, SIGNAL, WAIT};
use super::page::Page;
use super::session::Session;
use crate::core::cancellation::Cancellation;
use crate::core::error::Operation;
use crate::core::failure::{Failure, Rejection};
use crate::core::options::Options;
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

/// A call of an object: its options, and what cancels it.
pub(crate) struct ExportedCall<T> {
    owner: Rc<T>,
    operation: Operation,
    begun: Result<(Options, Cancellation), Failure>,
}

/// Begins a call of `owner`. The signal among its options cancels it, as the end of its owner does.
pub(crate) fn call<T: Owner>(
    owner: &Rc<T>,
    operation: Operation,
    options: Result<Options, Failure>,
) -> ExportedCall<T> {
    ExportedCall {
        owner: owner.clone(),
        operation,
        begun: options.map(|options| {
            let cancel = owner.ended().with(options.page(&SIGNAL));
            (options, cancel)
        }),
    }
}

impl<T: Owner> ExportedCall<T> {
    /// Starts its work, and gives a promise of the result. What the work does not keep of the options is dropped before
    /// it waits: a future that keeps all of them costs a hundred bytes of the download.
    pub(crate) fn run<F: Future<Output = Result<JsValue, Rejection>> + 'static>(
        self,
        work: impl FnOnce(Rc<T>, Options, Cancellation) -> F,
    ) -> Promise {
        match self.begun {
            Ok((options, cancel)) => {
                task::promise(self.operation, work(self.owner, options, cancel))
            }
            Err(failure) => Promise::reject(&failure.during(self.operation)),
        }
    }
}

impl Owner for Session<Page> {
    fn ended(&self) -> Cancellation {
        self.page().session_ended()
    }
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
        let call = call(&self.inner, Operation::Status, read(&options, CALL));
        call.run(
            |session, _, cancel| async move { Ok(session.status(&cancel).await?.as_str().into()) },
        )
    }

    /// Polls until the end (§4.2): a promise of `finished` or `cancelled`.
    #[wasm_bindgen(js_name = waitUntilDone)]
    pub fn wait_until_done(&self, options: JsValue) -> Promise {
        let call = call(&self.inner, Operation::WaitUntilDone, read(&options, WAIT));
        call.run(|session, options, cancel| {
            let on_status = options.page(&ON_STATUS);
            async move { session.wait(cancel, on_status).await }
        })
    }

    /// Picks the token set up, once (§4.4): a promise of it.
    #[wasm_bindgen(js_name = fetchTokens)]
    pub fn fetch_tokens(&self, options: JsValue) -> Promise {
        let call = call(&self.inner, Operation::FetchTokens, read(&options, CALL));
        call.run(|session, _, cancel| async move { session.fetch_tokens(cancel).await })
    }

    /// The host says that it has the tokens: they are erased here.
    #[wasm_bindgen(js_name = acknowledgeTokens)]
    pub fn acknowledge_tokens(&self, options: JsValue) -> Promise {
        let options = read(&options, CALL);
        let call = call(&self.inner, Operation::AcknowledgeTokens, options);
        call.run(|session, _, cancel| async move {
            session.hand_over.acknowledge(&cancel).await?;
            Ok(JsValue::UNDEFINED)
        })
    }

    /// Withdraws the integration (extension).
    pub fn cancel(&self, options: JsValue) -> Promise {
        let call = call(&self.inner, Operation::Cancel, read(&options, CALL));
        call.run(|session, _, cancel| async move {
            session.cancel(&cancel).await?;
            Ok(JsValue::UNDEFINED)
        })
    }

    /// Ends the session, except for a pick-up on its way; a second time does nothing.
    pub fn destroy(&self) {
        self.inner.destroy();
    }
}
