//! The main job, against the real service.

use crate::support::*;
use serde_json::json;
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
async fn step_by_step() {
    let _pace = RealPace::keep();
    let client = real_client().await;
    let integration = integration(&client).await;
    let place = container();
    let frame = integration
        .mount_frame(place.clone().into(), JsValue::UNDEFINED)
        .unwrap();
    assert_eq!(place.child_element_count(), 1);
    assert_eq!(
        done(integration.status(JsValue::UNDEFINED)).await,
        "pending"
    );
    let (on_status, statuses) = recorder();
    let waiting = integration.wait_until_done(with(&json!({}), &[("onStatus", &on_status)]));
    let page = merchant(&token(&integration), "&ereceipts=1").await;
    assert_eq!(page["state"], "finished");
    assert_eq!(done(waiting).await, "finished");
    // "pending" only if the wait's first call was not refused as too soon after `status` above.
    assert_eq!(statuses.pop(), "finished");
    assert_eq!(done(frame.ended()).await, "finished");
    assert_eq!(place.child_element_count(), 0);
    let set = done(integration.fetch_tokens(JsValue::UNDEFINED)).await;
    assert!(!text(&set, "accessToken").is_empty() && !text(&set, "refreshToken").is_empty());
    assert_eq!(get(&set, "held"), JsValue::FALSE);
    assert_eq!(get(&set, "ereceipt"), JsValue::TRUE);
    assert_eq!(to_value(&get(&set, "faults")), json!([]));
    let expiration: js_sys::Date = get(&set, "expiration").dyn_into().unwrap();
    assert!(expiration.get_time() > js_sys::Date::now());
    assert!(!text(&get(&set, "account"), "name").is_empty());
    assert_eq!(
        done(integration.fetch_tokens(JsValue::UNDEFINED)).await,
        set,
        "a repeat gives the same object"
    );
    place.remove();
}

#[wasm_bindgen_test]
async fn in_one_call() {
    let _pace = RealPace::keep();
    let client = real_client().await;
    let (on_status, statuses) = recorder();
    let connecting = client.connect(with(&json!({}), &[("onStatus", &on_status)]));
    framed().await;
    let dialog = document()
        .query_selector("dialog.pos-connect-dialog[open]")
        .unwrap();
    assert!(dialog.is_some());
    merchant(&framed_token().unwrap(), "").await;
    let set = done(connecting).await;
    assert_eq!(get(&set, "ereceipt"), JsValue::FALSE);
    assert_eq!(to_value(statuses.as_ref()), json!(["pending", "finished"]));
    assert_eq!(frames().length(), 0);
}

#[wasm_bindgen_test]
async fn the_merchant_cancels() {
    let _pace = RealPace::keep();
    let client = real_client().await;
    let integration = integration(&client).await;
    let frame = integration
        .mount_frame(JsValue::UNDEFINED, JsValue::UNDEFINED)
        .unwrap();
    let waiting = integration.wait_until_done(JsValue::UNDEFINED);
    let page = merchant(&token(&integration), "&decision=cancel").await;
    assert_eq!(page["state"], "cancelled");
    assert_eq!(done(waiting).await, "cancelled");
    assert_eq!(done(frame.ended()).await, "cancelled");
    assert_eq!(
        code_of(integration.fetch_tokens(JsValue::UNDEFINED)).await,
        "integration_cancelled"
    );
    let again = integration
        .mount_frame(JsValue::UNDEFINED, JsValue::UNDEFINED)
        .err()
        .unwrap();
    assert_eq!(code(&again), "integration_cancelled");
}

#[wasm_bindgen_test]
async fn the_till_withdraws() {
    let _pace = RealPace::keep();
    let client = real_client().await;
    let integration = integration(&client).await;
    let waiting = integration.wait_until_done(JsValue::UNDEFINED);
    done(integration.cancel(JsValue::UNDEFINED)).await;
    done(integration.cancel(JsValue::UNDEFINED)).await;
    assert_eq!(done(waiting).await, "cancelled");
}

#[wasm_bindgen_test]
async fn withdrawing_comes_too_late() {
    let _pace = RealPace::keep();
    let client = real_client().await;
    let integration = integration(&client).await;
    merchant(&token(&integration), "").await;
    let error = failed(integration.cancel(JsValue::UNDEFINED)).await;
    assert_eq!(
        (code(&error), get(&error, "status")),
        ("already_finished".into(), 409.into())
    );
    done(integration.fetch_tokens(JsValue::UNDEFINED)).await;
}
