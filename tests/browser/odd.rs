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
        let scripted = Scripted::new(json!({"create": created()})).await;
        let headers = to_js(&json!({"authorization": "Till 7"}));
        let client = scripted.client_with(&[("headers", &headers)]);
        wrap_fetch(wrapper);
        integration(&client).await;
        assert_eq!(
            scripted.log().await[0]["authorization"],
            "Till 7",
            "{wrapper}"
        );
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
        let scripted = Scripted::new(json!({"create": created()})).await;
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
async fn headers_are_read_anew_for_each_call() {
    let steps = json!({"create": created(), "status": status(&["pending"])});
    let scripted = Scripted::new(steps).await;
    let headers = to_js(&json!({"authorization": "Till 7"}));
    let client = scripted.client_with(&[("headers", &headers)]);
    let integration = integration(&client).await;
    js_sys::Reflect::set(&headers, &"authorization".into(), &"Till 8".into()).unwrap();
    done(integration.status(JsValue::UNDEFINED)).await;
    let log = scripted.log().await;
    assert_eq!(
        (&log[0]["authorization"], &log[1]["authorization"]),
        (&json!("Till 7"), &json!("Till 8"))
    );
}

#[wasm_bindgen_test]
async fn a_signal_that_throws_ends_no_call_in_silence() {
    let scripted = Scripted::new(json!({"create": created()})).await;
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
    let scripted = Scripted::new(json!({"create": created()})).await;
    for body in [
        "return () => Object.assign(Promise.resolve({}), { then() { throw new Error('mine') } })",
        "return () => ({ get then() { throw new Error('mine') } })",
    ] {
        let client = scripted.client_with(&[("headers", &made(body))]);
        let call = client.create_integration(JsValue::UNDEFINED);
        assert_eq!(code_of(call).await, "headers_failed", "{body}");
    }
}
