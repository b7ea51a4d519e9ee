//! What the real service refuses, readable from the page with its code; and what is no answer to a real browser.

use crate::support::*;
use pos_connect::PosConnect;
use serde_json::Value;
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
    let _pace = RealPace::keep();
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
    let _pace = RealPace::keep();
    let stranger = settings().await["stranger"].clone();
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
    let _pace = RealPace::keep();
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

/// Lost, without the header that lets the page read it, cut, and sent elsewhere.
#[wasm_bindgen_test]
async fn an_answer_that_the_browser_keeps_to_itself_is_a_network_error() {
    let _pace = RealPace::keep();
    for kind in ["drop", "hidden", "cut", "redirect"] {
        let url = format!("{}/broken/{kind}", rig_url());
        let pos = client(real().await, "baseUrl", url.into());
        let error = failed(pos.create_integration(JsValue::UNDEFINED)).await;
        let said = (code(&error), get(&error, "retryable"));
        assert_eq!(said, ("network".into(), JsValue::TRUE), "{kind}");
        assert!(get(&error, "status").is_undefined());
    }
}
