//! A till before a service that is in its page.

use js_sys::{Array, Function};
use pos_connect::bindings::PosConnect;
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;

#[path = "../browser/till.rs"]
mod till;
pub use till::*;

/// Of the connect page, which nobody has: the flow works without it.
pub const CONNECT_ORIGIN: &str = "https://connect.example";
/// Both vaults do the same for a page.
pub const VAULTS: [&str; 2] = ["indexeddb", "memory"];

#[wasm_bindgen(module = "/tests/flow/service.js")]
extern "C" {
    #[wasm_bindgen(js_name = Service)]
    type InPage;
    #[wasm_bindgen(constructor, js_class = "Service")]
    fn new(extra: &JsValue, orders: &JsValue) -> InPage;
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
    #[wasm_bindgen(js_name = sleep)]
    async fn sleep_ms(ms: f64);
    #[wasm_bindgen(catch, js_name = eventually)]
    async fn eventually_js(test: &Function) -> Result<JsValue, JsValue>;
    pub fn frames() -> Array;
    pub fn say(source: &JsValue, origin: &str, kind: &str);
    pub fn host(ways: &str) -> JsValue;
    pub fn overhear() -> JsValue;
}

pub async fn sleep(ms: u32) {
    sleep_ms(f64::from(ms)).await;
}

/// Waits for what comes at once, unless the machine is busy.
pub async fn eventually(test: impl FnMut() -> bool + 'static) {
    let test = Closure::<dyn FnMut() -> bool>::new(test);
    eventually_js(test.as_ref().unchecked_ref()).await.unwrap();
}

/// See `service.js`. Each has an origin of its own, and so entries of its own in the vault.
pub struct Service {
    in_page: InPage,
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
        let in_page = InPage::new(&to_js(&extra), &to_js(&orders));
        Self { in_page }
    }

    pub fn options(&self) -> Value {
        json!({
            "baseUrl": self.in_page.origin(), "connectUrl": format!("{CONNECT_ORIGIN}/connect"),
            "clientId": "till", "clientSecret": "hunter2",
        })
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

    /// How many orders it has.
    pub fn kept(&self) -> u32 {
        self.in_page.orders().size()
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

    pub fn calls(&self, operation: &str) -> usize {
        count(&self.in_page.requests(), operation)
    }

    /// Waits until it was asked for that often.
    pub async fn until_called(&self, operation: &'static str, times: usize) {
        let requests = self.in_page.requests();
        eventually(move || count(&requests, operation) >= times).await;
    }

    /// Milliseconds between the calls of an operation.
    pub fn pauses(&self, operation: &str) -> Vec<f64> {
        let requests = self.requests();
        let of = |request: &&Value| request["operation"] == operation;
        let times: Vec<f64> = requests
            .iter()
            .filter(of)
            .map(|request| request["at"].as_f64().unwrap())
            .collect();
        times.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }
}

fn count(requests: &Array, operation: &str) -> usize {
    let of = |request: &JsValue| text(request, "operation") == operation;
    requests.iter().filter(of).count()
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

/// Calls a method without arguments.
pub fn call(object: &JsValue, name: &str) -> JsValue {
    let method: Function = get(object, name).unchecked_into();
    method.call0(object).unwrap()
}

/// How often a host was given tokens.
pub fn given(host: &JsValue) -> u32 {
    get(host, "calls").unchecked_into::<Array>().length()
}

/// Waits until a pick-up is refused in the page, because the host has the tokens; gives the code.
pub async fn handed_over(integration: &pos_connect::bindings::Integration) -> String {
    for _ in 0..750 {
        match settled(integration.fetch_tokens(JsValue::UNDEFINED)).await {
            Ok(_) => sleep(20).await,
            Err(error) => return code(&error),
        }
    }
    panic!("never handed over")
}
