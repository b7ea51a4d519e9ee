//! Every error answer, readable from the page with its code.

use crate::support::*;
use pos_connect::bindings::PosConnect;
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

fn client(mut options: Value, name: &str, value: Value) -> PosConnect {
    options[name] = value;
    PosConnect::create(to_js(&options)).unwrap()
}

fn assert_answer(error: &JsValue, expected: &str, status: u16) {
    assert_eq!(
        (code(error).as_str(), get(error, "status")),
        (expected, status.into())
    );
    assert!(
        !text(error, "requestId").is_empty(),
        "{expected}: no request id"
    );
}

#[wasm_bindgen_test]
async fn creating_is_refused() {
    let options = real().await;
    let wrong = client(options.clone(), "clientId", "nobody".into());
    assert_answer(
        &failed(wrong.create_integration(JsValue::UNDEFINED)).await,
        "invalid_client",
        400,
    );
    let wrong = client(options.clone(), "clientSecret", "wrong".into());
    assert_answer(
        &failed(wrong.create_integration(JsValue::UNDEFINED)).await,
        "invalid_secret",
        403,
    );
    let wrong = client(
        options.clone(),
        "baseUrl",
        format!("{}/nothing", options["baseUrl"].as_str().unwrap()).into(),
    );
    assert_answer(
        &failed(wrong.create_integration(JsValue::UNDEFINED)).await,
        "unexpected_status",
        404,
    );
    let mut without = options;
    without.as_object_mut().unwrap().remove("clientSecret");
    let wrong = PosConnect::create(to_js(&without)).unwrap();
    let error = failed(wrong.create_integration(JsValue::UNDEFINED)).await;
    assert!(text(&error, "message").contains("client_secret"));
    assert_answer(
        &failed(wrong.create_integration(JsValue::UNDEFINED)).await,
        "invalid_request",
        400,
    );
}

#[wasm_bindgen_test]
async fn a_page_of_another_origin_is_refused_readably() {
    let stranger = rig("/settings", None).await["stranger"].clone();
    let mut options = real().await;
    options["clientId"] = stranger["clientId"].clone();
    options["clientSecret"] = stranger["clientSecret"].clone();
    let wrong = PosConnect::create(to_js(&options)).unwrap();
    assert_answer(
        &failed(wrong.create_integration(JsValue::UNDEFINED)).await,
        "origin_not_allowed",
        403,
    );
}

#[wasm_bindgen_test]
async fn asking_too_early_too_often_and_too_late() {
    let pos = real_client().await;
    let integration = integration(&pos).await;
    assert_answer(
        &failed(integration.fetch_tokens(JsValue::UNDEFINED)).await,
        "not_finished",
        409,
    );
    done(integration.status(JsValue::UNDEFINED)).await;
    let error = failed(integration.status(JsValue::UNDEFINED)).await;
    assert_answer(&error, "rate_limited", 429);
    assert_eq!(get(&error, "retryable"), JsValue::TRUE);
    assert!(get(&error, "retryAfterMs").as_f64().unwrap() >= 1_000.0);
    merchant(&token(&integration), "").await;
    // A rival with the same keys.
    let options = real().await;
    let key = |name: &str| options[name].as_str().unwrap().to_owned();
    let url = format!(
        "{}/v1/auth/integration/token?client_id={}&client_secret={}&integration_token={}",
        key("baseUrl"),
        key("clientId"),
        key("clientSecret"),
        token(&integration)
    );
    let rival = web_sys::window().unwrap().fetch_with_str(&url);
    assert_eq!(get(&done(rival).await, "status"), 200);
    assert_answer(
        &failed(integration.fetch_tokens(JsValue::UNDEFINED)).await,
        "tokens_already_retrieved",
        410,
    );
}

#[wasm_bindgen_test]
async fn a_refused_integration_token() {
    let steps = json!({
        "create": created(), "status": [{"status": 403}], "token": [{"status": 403}], "cancel": [{"status": 403}]
    });
    let pos = Scripted::new(steps).await.client();
    let integration = integration(&pos).await;
    assert_eq!(
        code_of(integration.status(JsValue::UNDEFINED)).await,
        "forbidden"
    );
    assert_eq!(
        code_of(integration.wait_until_done(JsValue::UNDEFINED)).await,
        "forbidden"
    );
    assert_eq!(
        code_of(integration.fetch_tokens(JsValue::UNDEFINED)).await,
        "invalid_integration"
    );
    assert_eq!(
        code_of(integration.cancel(JsValue::UNDEFINED)).await,
        "forbidden"
    );
}

#[wasm_bindgen_test]
async fn every_status_has_its_code_and_its_details() {
    for (status, expected) in [
        (400, "invalid_request"),
        (401, "unauthorized"),
        (404, "unexpected_status"),
        (405, "unexpected_status"),
        (429, "rate_limited"),
        (500, "server_error"),
        (503, "server_error"),
    ] {
        let answer = json!({
            "status": status, "headers": {"Retry-After": "7", "X-Request-Id": "rq-1"}, "body": {"success": false}
        });
        let steps = json!({"create": created(), "status": [answer]});
        let integration = integration(&Scripted::new(steps).await.client()).await;
        let error = failed(integration.status(JsValue::UNDEFINED)).await;
        assert_answer(&error, expected, status);
        assert_eq!(text(&error, "requestId"), "rq-1");
        assert_eq!(get(&error, "retryAfterMs"), 7_000);
        assert_eq!(text(&error, "operation"), "status");
    }
}

#[wasm_bindgen_test]
async fn bodies_that_the_specification_does_not_know() {
    for body in [
        json!({"text": ""}),
        json!({"text": "<html>"}),
        json!({"text": "{\"success\":true,\"status\":"}),
        json!({"body": null}),
        json!({"body": []}),
        json!({"body": "pending"}),
        json!({"body": {}}),
        json!({"body": {"success": true}}),
        json!({"body": {"success": false, "status": "pending"}}),
        json!({"body": {"success": true, "status": 1}}),
        json!({"body": {"success": "true", "status": "pending"}}),
        json!({"body": {"success": true, "status": "done"}}),
        json!({"status": 204}),
    ] {
        let steps = json!({"create": created(), "status": [body.clone()]});
        let integration = integration(&Scripted::new(steps).await.client()).await;
        assert_eq!(
            code_of(integration.status(JsValue::UNDEFINED)).await,
            "protocol",
            "{body}"
        );
    }
    let no_token = Scripted::new(json!({"create": [{"body": {"success": true}}]}))
        .await
        .client();
    let error = failed(no_token.create_integration(JsValue::UNDEFINED)).await;
    assert_eq!(code(&error), "protocol");
    assert!(text(&error, "message").contains("integrationToken"));
}

#[wasm_bindgen_test]
async fn no_answer_is_a_network_error() {
    for step in [
        json!({"drop": true}),
        json!({"hidden": true, "status": 500}),
        json!({"status": 302, "headers": {"Location": "/settings"}}),
    ] {
        let pos = Scripted::new(json!({"create": [step]})).await.client();
        let error = failed(pos.create_integration(JsValue::UNDEFINED)).await;
        assert_eq!(
            (code(&error).as_str(), get(&error, "retryable")),
            ("network", JsValue::TRUE)
        );
        assert!(get(&error, "status").is_undefined());
    }
}

#[wasm_bindgen_test]
async fn an_answer_that_does_not_come_is_a_timeout() {
    let pos = Scripted::new(json!({"create": [{"delayMs": 20_000}]}))
        .await
        .client();
    let began = js_sys::Date::now();
    assert_eq!(
        code_of(pos.create_integration(JsValue::UNDEFINED)).await,
        "timeout"
    );
    assert!((9_500.0..14_500.0).contains(&(js_sys::Date::now() - began)));
}

#[wasm_bindgen_test]
async fn no_error_holds_a_secret() {
    let steps = json!({"create": [
        {"status": 403}, {"drop": true}, {"text": "hunter2"},
        {"status": 500, "body": {"code": "hunter2", "requestId": "/v1?client_secret=hunter2"}}
    ]});
    let pos = Scripted::new(steps).await.client();
    for _ in 0..4 {
        let error = failed(pos.create_integration(JsValue::UNDEFINED)).await;
        let all = format!(
            "{} {} {}",
            text(&error, "message"),
            text(&error, "stack"),
            to_value(&error)
        );
        assert!(
            !all.contains("hunter2") && !all.contains("client_id"),
            "{all}"
        );
        assert!(get(&error, "cause").is_undefined());
        assert!(get(&error, "requestId").is_undefined());
    }
}

#[wasm_bindgen_test]
async fn headers_are_asked_for_and_once_more_after_a_401() {
    let steps = json!({"create": [{"status": 401}, created()[0]]});
    let scripted = Scripted::new(steps).await;
    let asked = js_sys::Array::new();
    let headers = Closure::<dyn FnMut() -> JsValue>::new({
        let asked = asked.clone();
        move || {
            asked.push(&JsValue::NULL);
            let headers = json!({"authorization": format!("Till {}", asked.length())});
            js_sys::Promise::resolve(&to_js(&headers)).into()
        }
    });
    let pos =
        PosConnect::create(with(&scripted.options, &[("headers", headers.as_ref())])).unwrap();
    integration(&pos).await;
    let log = scripted.log().await;
    let sent: Vec<&Value> = log
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["authorization"])
        .collect();
    assert_eq!(sent, [&json!("Till 1"), &json!("Till 2")]);
}

#[wasm_bindgen_test]
async fn a_401_with_fixed_headers_is_final() {
    let scripted = Scripted::new(json!({"create": [{"status": 401}]})).await;
    let mut options = scripted.options.clone();
    options["headers"] = json!({"authorization": "Till 1"});
    let pos = PosConnect::create(to_js(&options)).unwrap();
    assert_eq!(
        code_of(pos.create_integration(JsValue::UNDEFINED)).await,
        "unauthorized"
    );
    assert_eq!(scripted.calls("create").await, 1);
}

#[wasm_bindgen_test]
async fn headers_that_fail() {
    let scripted = Scripted::new(json!({"create": created()})).await;
    let throws = js_sys::Function::new_no_args("throw new Error('no session')");
    let pos = PosConnect::create(with(&scripted.options, &[("headers", &throws)])).unwrap();
    let error = failed(pos.create_integration(JsValue::UNDEFINED)).await;
    assert_eq!(code(&error), "headers_failed");
    assert_eq!(text(&get(&error, "cause"), "message"), "no session");
    let wrong = js_sys::Function::new_no_args("return { 'x-till': 'a\\nb' }");
    let pos = PosConnect::create(with(&scripted.options, &[("headers", &wrong)])).unwrap();
    assert_eq!(
        code_of(pos.create_integration(JsValue::UNDEFINED)).await,
        "invalid_option"
    );
    assert_eq!(scripted.calls("create").await, 0);
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
        let pos = Scripted::new(json!({"create": created()})).await.client();
        patch_fetch(&js_sys::Function::new_no_args(patch));
        assert_eq!(
            code_of(pos.create_integration(JsValue::UNDEFINED)).await,
            "network",
            "{patch}"
        );
    }
}

#[wasm_bindgen_test]
async fn headers_of_another_kind_are_refused_not_dropped() {
    let scripted = Scripted::new(json!({"create": created()})).await;
    for kind in [
        "new Headers({a: 'b'})",
        "new Map([['a', 'b']])",
        "Promise.resolve({a: 'b'})",
        "[['a', 'b']]",
    ] {
        let value = js_sys::Function::new_no_args(&format!("return {kind}"))
            .call0(&JsValue::NULL)
            .unwrap();
        let error = PosConnect::create(with(&scripted.options, &[("headers", &value)]))
            .err()
            .unwrap();
        assert_eq!(code(&error), "invalid_option", "{kind}");
    }
    let throws = js_sys::Function::new_no_args("return { get a() { throw new Error('mine') } }");
    let error = PosConnect::create(with(
        &scripted.options,
        &[("headers", &throws.call0(&JsValue::NULL).unwrap())],
    ))
    .err()
    .unwrap();
    assert_eq!(
        (code(&error), text(&get(&error, "cause"), "message")),
        ("invalid_option".into(), "mine".into())
    );
    let pos = PosConnect::create(with(&scripted.options, &[("headers", &throws)])).unwrap();
    assert_eq!(
        code_of(pos.create_integration(JsValue::UNDEFINED)).await,
        "headers_failed"
    );
    let bare = js_sys::Function::new_no_args(
        "return Object.assign(Object.create(null), {authorization: 'x'})",
    );
    let pos = PosConnect::create(with(&scripted.options, &[("headers", &bare)])).unwrap();
    integration(&pos).await;
    assert_eq!(scripted.log().await[0]["authorization"], "x");
}
