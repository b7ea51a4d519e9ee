//! A till before a service that is in its page.

pub use crate::clock::*;
pub use crate::connect_frame::*;
pub use crate::page::*;
pub use crate::till::*;

pub use serde_json::{Value, json};
pub use wasm_bindgen::prelude::*;
pub use wasm_bindgen_test::wasm_bindgen_test;

use js_sys::{Array, Function};
use pos_connect::{Integration, PosConnect};

/// The address of the connect page, which nobody has: the flow works without it.
pub const CONNECT_ORIGIN: &str = "https://connect.example";
/// Both vaults do the same for a page.
pub const VAULTS: [&str; 2] = ["indexeddb", "memory"];

#[wasm_bindgen(module = "/tests/flow/page.js")]
extern "C" {
    #[wasm_bindgen(js_name = Service)]
    type InPage;
    #[wasm_bindgen(constructor, js_class = "Service")]
    fn new(extra: &JsValue, orders: &JsValue) -> InPage;
    #[wasm_bindgen(extends = InPage)]
    type Script;
    #[wasm_bindgen(constructor)]
    fn new(steps: &JsValue) -> Script;
    #[wasm_bindgen(method, getter)]
    fn origin(this: &InPage) -> String;
    #[wasm_bindgen(method, getter)]
    fn requests(this: &InPage) -> Array;
    #[wasm_bindgen(method, getter)]
    fn orders(this: &InPage) -> js_sys::Map;
    #[wasm_bindgen(method, getter, js_name = givenUp)]
    fn given_up(this: &InPage) -> u32;
    #[wasm_bindgen(method)]
    fn decide(this: &InPage, status: &str);
    #[wasm_bindgen(method)]
    fn plan(this: &InPage, operation: &str, order: &JsValue);
}

/// See `service.js`. Each has an origin of its own, and so entries of its own in the vault.
pub struct Service {
    in_page: InPage,
    connect_url: String,
}

impl Service {
    /// One that does what the specification says.
    pub fn as_specified() -> Self {
        Self::ordered(json!({}))
    }

    /// One whose next answers are others, by operation.
    pub fn ordered(orders: Value) -> Self {
        Self::extended(json!({}), orders)
    }

    /// One whose answers have further members, by operation.
    pub fn extended(extra: Value, orders: Value) -> Self {
        Self::of(InPage::new(&to_js(&extra), &to_js(&orders)))
    }

    /// One that answers as these say, by operation, and knows nothing else.
    pub fn scripted(steps: Value) -> Self {
        Self::of(Script::new(&to_js(&steps)).into())
    }

    fn of(in_page: InPage) -> Self {
        let connect_url = format!("{CONNECT_ORIGIN}/connect");
        Self {
            in_page,
            connect_url,
        }
    }

    /// Its connect page is another one.
    pub fn framed(self, connect_url: String) -> Self {
        Self {
            connect_url,
            ..self
        }
    }

    pub fn options(&self) -> Value {
        json!({
            "baseUrl": self.base_url(), "connectUrl": self.connect_url,
            "clientId": "till", "clientSecret": "hunter2",
        })
    }

    pub fn base_url(&self) -> String {
        self.in_page.origin()
    }

    pub fn client(&self) -> PosConnect {
        self.client_with(&[])
    }

    /// Another object of the same options: to the storage and its locks, it is another page.
    pub fn client_with(&self, more: &[(&str, &JsValue)]) -> PosConnect {
        PosConnect::create(with(&self.options(), more)).unwrap()
    }

    pub fn client_in(&self, vault: &str) -> PosConnect {
        self.client_with(&[("vault", &vault.into())])
    }

    /// A page whose host takes the tokens as `host` does.
    pub fn client_of(&self, host: &JsValue) -> PosConnect {
        self.client_with(&[("persistTokens", &get(host, "persistTokens"))])
    }

    /// A page that calls it with an access token.
    pub fn merchant_with(&self, more: &[(&str, &JsValue)]) -> PosConnect {
        let access = Function::new_no_args("return Promise.resolve('access-1')");
        let access = ("accessToken", &access.into());
        self.client_with(&[&[access], more].concat())
    }

    pub fn merchant_in(&self, vault: &str) -> PosConnect {
        self.merchant_with(&[("vault", &vault.into())])
    }

    /// A page that calls it as a relay, with a till's key.
    pub fn till_with(&self, more: &[(&str, &JsValue)]) -> PosConnect {
        let headers = to_js(&json!({"authorization": "Bearer till-key"}));
        let relay = [("clientSecret", &JsValue::UNDEFINED), ("headers", &headers)];
        self.client_with(&[&relay[..], more].concat())
    }

    /// What becomes of the next call of that operation.
    pub fn plan(&self, operation: &str, order: &Value) {
        self.in_page.plan(operation, &to_js(order));
    }

    /// How many orders it has.
    pub fn kept(&self) -> u32 {
        self.in_page.orders().size()
    }

    /// How many integrations the storage keeps for it, and whether a connection record.
    pub async fn entries(&self) -> (usize, bool) {
        // One call of the storage after the other: this one ends after what nobody waited for.
        done(self.client().connection()).await;
        let ids = to_value(&entry_ids(&self.base_url()).await);
        let ids = ids.as_array().unwrap();
        let is_record = |id: &&Value| id.as_str().unwrap().ends_with(' ');
        let records = ids.iter().filter(is_record).count();
        (ids.len() - records, records > 0)
    }

    /// The merchant decides.
    pub fn decide(&self, status: &str) {
        self.in_page.decide(status);
    }

    /// How many calls that hung were aborted.
    pub fn given_up(&self) -> u32 {
        self.in_page.given_up()
    }

    pub fn requests(&self) -> Vec<Value> {
        let requests = to_value(&self.in_page.requests());
        requests.as_array().unwrap().clone()
    }

    /// What was asked for, in order.
    pub fn operations(&self) -> String {
        let requests = self.requests();
        let names = requests
            .iter()
            .map(|request| request["operation"].as_str().unwrap());
        names.collect::<Vec<_>>().join(" ")
    }

    fn requests_of(&self, operation: &str) -> impl Iterator<Item = Value> {
        let of = move |request: &Value| request["operation"] == operation;
        self.requests().into_iter().filter(of)
    }

    pub fn calls(&self, operation: &str) -> usize {
        count_of_requests(&self.in_page.requests(), operation)
    }

    /// What each call of an operation carried at that place, such as `/query/pickup_id`.
    pub fn carried(&self, operation: &str, pointer: &str) -> Vec<Value> {
        let at = |request: Value| request.pointer(pointer).cloned().unwrap_or_default();
        self.requests_of(operation).map(at).collect()
    }

    /// Waits until it was asked for that often.
    pub async fn until_called(&self, operation: &'static str, times: usize) {
        let requests = self.in_page.requests();
        eventually(move || count_of_requests(&requests, operation) >= times).await;
    }

    /// Milliseconds between the calls of an operation.
    pub fn pauses(&self, operation: &str) -> Vec<f64> {
        let at = |request: Value| request["at"].as_f64().unwrap();
        let times: Vec<f64> = self.requests_of(operation).map(at).collect();
        times.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }
}

fn count_of_requests(requests: &Array, operation: &str) -> usize {
    let of = |request: &JsValue| text(request, "operation") == operation;
    requests.iter().filter(of).count()
}

pub fn created() -> Value {
    json!([{"body": {"success": true, "integrationToken": "itk", "interval": 1}}])
}

pub fn status(words: &[&str]) -> Value {
    words
        .iter()
        .map(|word| json!({"body": {"success": true, "status": word}}))
        .collect()
}

pub fn tokens() -> Value {
    json!({"body": {
        "success": true, "accessToken": "acc", "refreshToken": "ref",
        "expiration": "2026-11-21T10:30:00Z", "ereceipt": true,
    }})
}

pub fn gone() -> Value {
    json!({"status": 410, "body": {"success": false, "code": "tokens_already_retrieved"}})
}

/// No page sees more of an answer that the browser hides than of one that never came.
pub fn silent() -> Value {
    json!({"fault": "lost"})
}

pub fn with_delay(mut step: Value, ms: u32) -> Value {
    step["delayMs"] = ms.into();
    step
}

/// Waits for the frame; gives the address of its page.
pub async fn framed() -> String {
    let address = || {
        let frame = frames().get(0).dyn_into::<web_sys::Element>().ok()?;
        frame.get_attribute("src")
    };
    eventually(move || address().is_some()).await;
    address().unwrap()
}

pub fn click(selector: &str) {
    let element = document().query_selector(selector).unwrap().unwrap();
    element.unchecked_into::<web_sys::HtmlElement>().click();
}

/// Waits until a host was given the tokens so often.
pub async fn given(host: &JsValue, times: usize) {
    let host = host.clone();
    eventually(move || count_of(&host) >= times).await;
}

/// Waits until a pick-up is refused in the page, because the host has the tokens; gives the code.
pub async fn handed_over(integration: &Integration) -> String {
    for _ in 0..750 {
        match settled(integration.fetch_tokens(JsValue::UNDEFINED)).await {
            Ok(_) => sleep(20).await,
            Err(error) => return code(&error),
        }
    }
    panic!("never handed over")
}

/// Waits until a page finds no integration: an entry is erased beside what the caller waits for.
pub async fn nothing_is_left(client: &PosConnect) {
    for _ in 0..750 {
        if found(client).await.is_none() {
            return;
        }
        sleep(20).await;
    }
    panic!("the integration is still there");
}
