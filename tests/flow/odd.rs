//! Pages that have changed what the SDK stands on.

use crate::support::*;
use js_sys::Function;
use serde_json::json;
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

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

#[wasm_bindgen_test]
async fn an_odd_answer_of_a_wrapped_fetch_is_an_error_and_no_hang() {
    for (wrapper, expected) in [
        ("() => Object.create(Response.prototype)", "network"),
        (
            "() => Object.assign(new Response('{'), { text: () => '{' })",
            "protocol",
        ),
        ("() => { throw 'blocked' }", "network"),
    ] {
        let scripted = Service::scripted(json!({"create": created()}));
        let client = scripted.client();
        wrap_fetch(wrapper);
        assert_eq!(
            code_of(client.create_integration(JsValue::UNDEFINED)).await,
            expected,
            "{wrapper}"
        );
    }
}

#[wasm_bindgen_test]
async fn a_signal_that_throws_ends_no_call_in_silence() {
    let scripted = Service::scripted(json!({"create": created()}));
    let client = scripted.client();
    for body in [
        "return Object.create(AbortSignal.prototype)",
        "return new Proxy(new AbortController().signal, {})",
    ] {
        let call = client.create_integration(with(&json!({}), &[("signal", &made(body))]));
        assert_eq!(code_of(call).await, "invalid_option", "{body}");
    }
    let mute = made(
        "const controller = new AbortController();
        Object.defineProperty(controller.signal, 'reason', { get() { throw new Error('mine') } });
        controller.abort();
        return controller.signal",
    );
    let call = client.create_integration(with(&json!({}), &[("signal", &mute)]));
    assert_eq!(code_of(call).await, "aborted");
}

#[wasm_bindgen_test]
async fn a_promise_whose_then_throws_is_a_rejection() {
    let scripted = Service::scripted(json!({"create": created()}));
    for body in [
        "return () => Object.assign(Promise.resolve({}), { then() { throw new Error('mine') } })",
        "return () => ({ get then() { throw new Error('mine') } })",
    ] {
        let client = scripted.client_with(&[("headers", &made(body))]);
        let call = client.create_integration(JsValue::UNDEFINED);
        assert_eq!(code_of(call).await, "headers_failed", "{body}");
    }
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
