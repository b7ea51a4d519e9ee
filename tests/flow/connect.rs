//! The whole flow in one call, and each of its ends.

use crate::support::*;
use web_sys::AbortController;

#[wasm_bindgen_test]
async fn from_nothing_to_tokens() {
    for vault in VAULTS {
        let service = Service::as_specified();
        let client = service.client_in(vault);
        assert_eq!(done(client.connection()).await, JsValue::NULL);
        let (on_status, statuses) = recorder();
        let connecting = client.connect(with(&json!({}), &[("onStatus", &on_status)]));
        assert_eq!(
            framed().await,
            "https://connect.example/connect?integration_token=itk-1&client_id=till"
        );
        service.until_called("status", 1).await;
        service.decide("finished");
        let set = done(connecting).await;
        let expected = json!({
            "held": false, "accessToken": "access-itk-1", "refreshToken": "refresh-itk-1",
            "expiration": "2031-05-06T07:08:09.000Z", "ereceipt": true, "faults": [],
        });
        assert_eq!(to_value(&set), expected, "{vault}");
        assert_eq!(to_value(&statuses), json!(["pending", "finished"]));
        assert_eq!(service.operations(), "create status status token");
        assert_eq!(frames().length(), 0);
        let record = json!({"expiration": "2031-05-06T07:08:09.000Z", "ereceipt": true});
        assert_eq!(to_value(&done(client.connection()).await), record);
    }
}

#[wasm_bindgen_test]
async fn the_frame_is_a_page_of_its_own() {
    let service = Service::as_specified();
    let integration = integration(&service.client()).await;
    let place = container();
    let frame = integration
        .mount_frame(place.clone().into(), JsValue::UNDEFINED)
        .unwrap();
    framed().await;
    let element: web_sys::Element = frames().get(0).unchecked_into();
    let attribute = |name| element.get_attribute(name).unwrap_or_default();
    assert_eq!(attribute("referrerpolicy"), "no-referrer");
    assert_eq!(attribute("allow"), "publickey-credentials-get");
    assert!(!attribute("title").is_empty());
    assert!(attribute("sandbox").contains("allow-forms"));
    assert!(!attribute("sandbox").contains("top-navigation"));
    let close: js_sys::Function = get(&frame, "close").unchecked_into();
    close.call0(&frame).unwrap();
    assert_eq!(done(get(&frame, "ended")).await, "closed");
    assert_eq!(place.child_element_count(), 0);
    place.remove();
    // Closing is not cancelling.
    assert_eq!(
        done(integration.status(JsValue::UNDEFINED)).await,
        "pending"
    );
}

#[wasm_bindgen_test]
async fn overlapping_calls_share_one_flow() {
    let service = Service::as_specified();
    let client = service.client();
    let (first, second) = (
        client.connect(JsValue::UNDEFINED),
        client.connect(JsValue::UNDEFINED),
    );
    framed().await;
    assert_eq!(frames().length(), 1);
    service.decide("finished");
    assert_eq!(done(first).await, done(second).await);
    assert_eq!(service.calls("create"), 1);
    assert_eq!(service.calls("token"), 1);
}

#[wasm_bindgen_test]
async fn the_merchant_cancels() {
    let service = Service::as_specified();
    let client = service.client();
    let connecting = client.connect(JsValue::UNDEFINED);
    framed().await;
    service.decide("cancelled");
    assert_eq!(code_of(connecting).await, "cancelled");
    assert_eq!(frames().length(), 0);
    assert_eq!(service.calls("token"), 0);
    nothing_is_left(&client).await;
}

#[wasm_bindgen_test]
async fn a_closed_dialog_is_no_cancel() {
    let service = Service::as_specified();
    let client = service.client();
    let connecting = client.connect(JsValue::UNDEFINED);
    framed().await;
    service.until_called("status", 1).await;
    click(".pos-connect-close");
    assert_eq!(code_of(connecting).await, "closed");
    assert_eq!(frames().length(), 0);
    // The next one goes on with the same integration.
    let connecting = client.connect(JsValue::UNDEFINED);
    framed().await;
    service.decide("finished");
    assert_eq!(text(&done(connecting).await, "accessToken"), "access-itk-1");
    assert_eq!(service.calls("create"), 1);
    assert_eq!(service.calls("cancel"), 0);
}

#[wasm_bindgen_test]
async fn an_aborted_wait_ends_the_flow_and_says_why() {
    let service = Service::as_specified();
    let client = service.client();
    let controller = AbortController::new().unwrap();
    let options = with(&json!({}), &[("signal", &controller.signal())]);
    let connecting = client.connect(options.clone());
    framed().await;
    controller.abort_with_reason(&"the queue is long".into());
    let error = failed(connecting).await;
    assert_eq!(code(&error), "aborted");
    assert_eq!(get(&error, "cause"), "the queue is long");
    eventually(|| frames().length() == 0).await;
    // Before anything is sent, too.
    assert_eq!(code_of(client.connect(options)).await, "aborted");
    assert_eq!(service.calls("create"), 1);
    assert_eq!(service.calls("token"), 0);
}

#[wasm_bindgen_test]
async fn an_aborted_call_is_given_up() {
    let service = Service::ordered(json!({"create": [{"fault": "hang"}]}));
    let client = service.client();
    let controller = AbortController::new().unwrap();
    let options = with(&json!({}), &[("signal", &controller.signal())]);
    let creating = client.create_integration(options);
    service.until_called("create", 1).await;
    controller.abort();
    assert_eq!(code_of(creating).await, "aborted");
    eventually(move || service.given_up() == 1).await;
}

#[wasm_bindgen_test]
async fn a_destroyed_object_sends_nothing_more() {
    let service = Service::as_specified();
    let client = service.client();
    let connecting = client.connect(JsValue::UNDEFINED);
    framed().await;
    service.until_called("status", 1).await;
    client.destroy();
    assert_eq!(code_of(connecting).await, "destroyed");
    assert_eq!(frames().length(), 0);
    let sent = service.requests().len();
    assert_eq!(
        code_of(client.connect(JsValue::UNDEFINED)).await,
        "destroyed"
    );
    sleep(60_000).await;
    assert_eq!(service.requests().len(), sent);
}

#[wasm_bindgen_test]
async fn a_pick_up_that_failed_for_now_is_where_the_next_call_goes_on() {
    let busy = json!({"status": 503, "headers": {"retry-after": "60"}});
    let service = Service::ordered(json!({"token": [busy]}));
    let client = service.client();
    let connecting = client.connect(JsValue::UNDEFINED);
    framed().await;
    service.decide("finished");
    let error = failed(connecting).await;
    assert_eq!(code(&error), "server_error");
    assert_eq!(get(&error, "retryAfterMs"), 60_000);
    let again = client.connect(JsValue::UNDEFINED);
    assert_eq!(frames().length(), 0, "the merchant consented already");
    assert_eq!(text(&done(again).await, "accessToken"), "access-itk-1");
    assert_eq!(service.calls("create"), 1);
}

/// A reload asks sooner than the service allows. The refusal says that the integration is alive.
#[wasm_bindgen_test]
async fn a_page_that_is_told_to_wait_goes_on_with_what_was_left() {
    let slow = json!({"status": 429, "headers": {"retry-after": "1"}});
    let service = Service::ordered(json!({"status": [slow]}));
    drop(integration(&service.client()).await);
    let connecting = service.client().connect(JsValue::UNDEFINED);
    let shown = "https://connect.example/connect?integration_token=itk-1&client_id=till";
    assert_eq!(framed().await, shown);
    service.decide("finished");
    let set = done(connecting).await;
    assert_eq!(text(&set, "accessToken"), "access-itk-1");
    assert_eq!(service.calls("create"), 1);
}
