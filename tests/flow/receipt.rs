//! `receiptFor` asks where the connection says that the merchant has e-receipts (§2.3).

use crate::support::*;
use pos_connect::PosConnect;

fn is_keypad_shown() -> bool {
    let found = document().query_selector("ereceipt-keypad").unwrap();
    found.is_some()
}

fn order(more: &[(&str, &JsValue)]) -> JsValue {
    with(
        &json!({"orderId": "A-1", "region": "IL", "locale": "en"}),
        more,
    )
}

/// The reason for which an order's receipt is printed; what is asked is given up.
async fn reason(client: &PosConnect, more: &[(&str, &JsValue)]) -> (bool, String) {
    let controller = web_sys::AbortController::new().unwrap();
    let signal = JsValue::from(controller.signal());
    let options = order(&[more, &[("signal", &signal)]].concat());
    let outcome = begun(client.receipt_for(options));
    // Whether to ask may have to be read from the vault.
    done(client.connection()).await;
    sleep(200).await;
    let is_asked = is_keypad_shown();
    controller.abort();
    let outcome = done(outcome).await;
    assert_eq!(text(&outcome, "kind"), "print");
    assert_eq!(get(&outcome, "print"), JsValue::TRUE);
    assert_eq!(text(&outcome, "orderId"), "A-1");
    assert!(!is_keypad_shown());
    (is_asked, text(&outcome, "reason"))
}

async fn connected(service: &Service, vault: &str) -> PosConnect {
    let client = service.client_in(vault);
    let integration = integration(&client).await;
    service.decide("finished");
    done(integration.fetch_tokens(JsValue::UNDEFINED)).await;
    client
}

fn not_asked() -> (bool, String) {
    (false, "not_enabled".into())
}

fn asked() -> (bool, String) {
    (true, "aborted".into())
}

#[wasm_bindgen_test]
async fn the_connection_record_says_whether_to_ask() {
    for (ereceipt, expected) in [
        (json!(true), asked()),
        (json!(false), not_asked()),
        (json!("yes"), not_asked()),
        (Value::Null, not_asked()),
    ] {
        let change = json!({"ereceipt": ereceipt});
        let service = Service::ordered(json!({"token": [{"change": change}]}));
        let before = service.client();
        assert_eq!(reason(&before, &[]).await, not_asked(), "not connected");
        connected(&service, "indexeddb").await;
        // Another page of the same till.
        assert_eq!(reason(&before, &[]).await, expected, "{ereceipt}");
        done(before.forget()).await;
        assert_eq!(reason(&before, &[]).await, not_asked(), "forgotten");
    }
}

#[wasm_bindgen_test]
async fn what_the_host_says_comes_first() {
    let service = Service::as_specified();
    connected(&service, "indexeddb").await;
    let (yes, no) = (JsValue::TRUE, JsValue::FALSE);
    let client = service.client_with(&[("ereceipt", &no)]);
    assert_eq!(reason(&client, &[]).await, not_asked());
    assert_eq!(reason(&client, &[("ereceipt", &yes)]).await, asked());
    let later = js_sys::Function::new_no_args("return Promise.resolve(true)");
    assert_eq!(reason(&client, &[("ereceipt", &later)]).await, asked());
    let fails = js_sys::Function::new_no_args("throw new Error('no')");
    let (is_asked, _) = reason(&client, &[("ereceipt", &fails)]).await;
    assert!(!is_asked, "who does not know prints");
}

#[wasm_bindgen_test]
async fn the_hand_over_leaves_the_record() {
    let service = Service::as_specified();
    let client = connected(&service, "indexeddb").await;
    let integration = resumed(&client).await;
    done(integration.acknowledge_tokens(JsValue::UNDEFINED)).await;
    assert_eq!(reason(&service.client(), &[]).await, asked());
}
