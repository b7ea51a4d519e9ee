//! Whatever goes wrong has a code, says what was being done, and tells no secret.

use crate::support::*;
use pos_connect::PosConnect;

/// Makes one call.
async fn ask(client: &PosConnect, operation: &str) -> JsValue {
    let none = JsValue::UNDEFINED;
    if operation == "create" {
        return failed(client.create_integration(none)).await;
    }
    let integration = integration(client).await;
    match operation {
        "status" => failed(integration.status(none)).await,
        "wait" => failed(integration.wait_until_done(none)).await,
        "token" => failed(integration.fetch_tokens(none)).await,
        _ => failed(integration.cancel(none)).await,
    }
}

/// What comes of an answer to an operation.
async fn answered(operation: &str, order: &Value) -> JsValue {
    let name = if operation == "wait" {
        "status"
    } else {
        operation
    };
    let mut orders = json!({});
    orders[name] = json!([order]);
    ask(&Service::ordered(orders).client(), operation).await
}

/// Each call says which one it is, and gives status and word on; `src/core/error/tests.rs` has all of them.
#[wasm_bindgen_test]
async fn each_call_has_the_code_of_its_status_and_word() {
    for (operation, status, word, expected) in [
        ("create", 403, "", "invalid_secret"),
        ("create", 403, "origin_not_allowed", "origin_not_allowed"),
        ("status", 403, "", "forbidden"),
        ("status", 403, "invalid_secret", "invalid_secret"),
        ("wait", 403, "", "forbidden"),
        ("wait", 404, "", "unexpected_status"),
        ("token", 403, "", "invalid_integration"),
        ("token", 409, "integration_expired", "integration_expired"),
        ("cancel", 403, "", "forbidden"),
        ("cancel", 409, "integration_finished", "already_finished"),
    ] {
        let body = json!({"success": false, "code": word, "requestId": "rq-2"});
        let error = answered(operation, &json!({"status": status, "body": body})).await;
        let said = (
            code(&error),
            get(&error, "status"),
            text(&error, "requestId"),
        );
        let expected = (expected.into(), status.into(), "rq-2".into());
        assert_eq!(said, expected, "{operation} {status} {word}");
    }
}

#[wasm_bindgen_test]
async fn the_headers_of_a_refusal_are_read() {
    let headers = json!({"retry-after": "7", "x-request-id": "rq-1"});
    let order = json!({"status": 429, "headers": headers, "body": {"requestId": "rq-2"}});
    let error = answered("status", &order).await;
    assert_eq!(get(&error, "retryAfterMs"), 7_000);
    assert_eq!(text(&error, "requestId"), "rq-1");
    assert_eq!(text(&error, "operation"), "status");
    assert_eq!(get(&error, "retryable"), JsValue::TRUE);
    assert_eq!(text(&error, "advice"), "retry");
    assert!(text(&error, "docUrl").ends_with("/errors.html#rate_limited"));
    let at = js_sys::Date::new(&(js_sys::Date::now() + 60_000.0).into());
    let date = at.to_utc_string().as_string().unwrap();
    let order = json!({"status": 503, "headers": {"retry-after": date}});
    let wait = get(&answered("status", &order).await, "retryAfterMs");
    let wait = wait.as_f64().unwrap();
    assert!((45_000.0..=60_000.0).contains(&wait), "{wait}");
}

#[wasm_bindgen_test]
async fn the_service_knows_its_tills() {
    let service = Service::as_specified();
    for (name, expected) in [
        ("clientId", "invalid_client"),
        ("clientSecret", "invalid_secret"),
    ] {
        let client = service.client_with(&[(name, &"wrong".into())]);
        assert_eq!(code(&ask(&client, "create").await), expected);
    }
    let missing =
        json!({"status": 400, "body": {"code": "missing_parameter", "parameter": "client_secret"}});
    let error = answered("create", &missing).await;
    assert!(text(&error, "message").contains("client_secret"));
}

#[wasm_bindgen_test]
async fn a_call_without_an_answer_says_who_was_asked() {
    let service = Service::ordered(json!({"create": [{"fault": "network"}]}));
    let error = ask(&service.till_with(&[]), "create").await;
    let relay = format!(
        "relay or back end at {}.",
        service.options()["baseUrl"].as_str().unwrap()
    );
    assert!(text(&error, "message").ends_with(&relay), "{relay}");
}

#[wasm_bindgen_test]
async fn a_till_without_headers_is_told_so() {
    let refused = json!({"status": 401});
    let service = Service::ordered(json!({"create": [refused, refused]}));
    let keyless = service.till_with(&[("headers", &JsValue::UNDEFINED)]);
    let message = text(&ask(&keyless, "create").await, "message");
    assert!(message.ends_with("create() got no headers."), "{message}");
    let message = text(&ask(&service.till_with(&[]), "create").await, "message");
    assert!(!message.contains("got no"), "{message}");
}

#[wasm_bindgen_test]
async fn bodies_that_the_specification_does_not_know() {
    // `protocol/src/decode/tests.rs` has every kind of JSON in every member.
    for operation in ["create", "status"] {
        for order in [
            json!({"text": ""}),
            json!({"text": "<html>"}),
            json!({"text": "{\"success\":true,"}),
            json!({"body": []}),
            json!({"body": {}}),
            json!({"body": {"success": true}}),
            json!({"status": 204}),
        ] {
            let error = answered(operation, &order).await;
            assert_eq!(code(&error), "protocol", "{operation}: {order}");
            assert_eq!(get(&error, "retryable"), JsValue::FALSE);
        }
    }
    let error = answered(
        "status",
        &json!({"body": {"success": true, "status": "done"}}),
    )
    .await;
    assert_eq!(code(&error), "protocol");
    let message = text(&error, "message");
    assert!(
        message.contains("status") && !message.contains("done"),
        "{message}"
    );
}

#[wasm_bindgen_test]
async fn no_answer_is_a_network_error() {
    for operation in ["create", "status", "cancel"] {
        for fault in ["network", "lost", "cut"] {
            let order = json!({"fault": fault});
            // An answer without a body cannot be cut.
            if (operation, fault) == ("cancel", "cut") {
                continue;
            }
            let error = answered(operation, &order).await;
            let said = (code(&error), get(&error, "retryable"));
            assert_eq!(
                said,
                ("network".into(), JsValue::TRUE),
                "{operation} {fault}"
            );
            assert!(get(&error, "status").is_undefined());
        }
    }
}

#[wasm_bindgen_test]
async fn no_error_holds_a_secret() {
    let leaky = json!({"code": "hunter2", "requestId": "/v1?client_secret=hunter2"});
    for order in [
        json!({"fault": "network"}),
        json!({"text": "hunter2"}),
        json!({"status": 403}),
        json!({"status": 500, "headers": {"x-request-id": "hunter2 hunter2"}, "body": leaky}),
    ] {
        for operation in ["create", "status", "cancel"] {
            // Whatever a withdrawal is answered with 200, it is done.
            if operation == "cancel" && order["text"].is_string() {
                continue;
            }
            let error = answered(operation, &order).await;
            let parts = [
                text(&error, "message"),
                text(&error, "stack"),
                to_value(&error).to_string(),
            ];
            let all = parts.join(" ");
            assert!(
                !all.contains("hunter2") && !all.contains("itk-1"),
                "{operation}: {all}"
            );
        }
    }
}

#[wasm_bindgen_test]
async fn an_answer_that_does_not_come_is_a_timeout() {
    let pos = Service::ordered(json!({"create": [{"fault": "hang"}]})).client();
    let began = now();
    let error = failed(pos.create_integration(JsValue::UNDEFINED)).await;
    assert_eq!(code(&error), "timeout");
    assert!(text(&error, "message").contains("Asked: the service at http"));
    assert_eq!(now() - began, 10_000.0);
}
