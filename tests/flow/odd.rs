//! Pages that have changed what the SDK stands on.

use crate::support::*;
use js_sys::Function;

/// What a function body of the page's returns.
fn made(body: &str) -> JsValue {
    Function::new_no_args(body).call0(&JsValue::NULL).unwrap()
}

/// Wraps `fetch` for one call. `answer` is called with the real one, and with what the SDK gave.
fn wrap_fetch(answer: &str) {
    let wrap = "const { fetch } = window;
        window.fetch = async (url, init) => {
            window.fetch = fetch;
            return answer(fetch, url, init);
        };";
    Function::new_with_args("answer", wrap)
        .call1(&JsValue::NULL, &made(&["return ", answer].concat()))
        .unwrap();
}

#[wasm_bindgen_test]
async fn a_page_may_wrap_fetch_in_the_usual_ways() {
    for wrapper in [
        // Knows a URL and its options only.
        "(fetch, url, init) => fetch(url.trim(), { ...init, headers: new Headers(init.headers) })",
        "(fetch, url, init) => { new URL(url); init.method.length; return fetch(url, init); }",
    ] {
        let scripted = Service::scripted(json!({"create": created()}));
        let headers = to_js(&json!({"authorization": "Till 7"}));
        let client = scripted.client_with(&[("headers", &headers)]);
        wrap_fetch(wrapper);
        integration(&client).await;
        let sent = scripted.carried("create", "/headers/authorization");
        assert_eq!(sent, ["Till 7"], "{wrapper}");
    }
}

/// A store of state hands a signal out as a proxy of its own, which the browser does not take for one.
#[wasm_bindgen_test]
async fn a_signal_that_cannot_be_heard_is_refused() {
    let client = Service::scripted(json!({"create": created()})).client();
    let proxy = made("return new Proxy(new AbortController().signal, {})");
    let call = client.create_integration(with(&json!({}), &[("signal", &proxy)]));
    assert_eq!(code_of(call).await, "invalid_option");
}

/// Monitoring scripts and kill switches patch `fetch`; whatever they do, the promise settles.
#[wasm_bindgen_test]
async fn a_patched_fetch_is_a_network_error() {
    for patch in [
        "throw 'blocked'",
        "return Promise.reject('offline')",
        "return Promise.reject()",
        "return 5",
        "return Promise.resolve({ok: true})",
        "return Promise.resolve(new Proxy(new Response('{}'), {}))",
    ] {
        let pos = Service::scripted(json!({"create": created()})).client();
        patch_fetch(&js_sys::Function::new_no_args(patch));
        assert_eq!(
            code_of(pos.create_integration(JsValue::UNDEFINED)).await,
            "network",
            "{patch}"
        );
    }
}
