//! The main job, against the real service.

use crate::support::*;
use pos_connect::bindings::PosConnect;
use serde_json::json;
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
async fn step_by_step() {
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
    let client = real_client().await;
    let (on_status, statuses) = recorder();
    let connecting = client.connect(with(&json!({}), &[("onStatus", &on_status)]));
    eventually(|| framed_token().is_some()).await;
    let dialog = document()
        .query_selector("dialog.pos-connect-dialog[open]")
        .unwrap();
    assert!(dialog.is_some());
    merchant(&framed_token().unwrap(), "").await;
    let set = done(connecting).await;
    assert_eq!(get(&set, "ereceipt"), JsValue::FALSE);
    assert_eq!(to_value(statuses.as_ref()), json!(["pending", "finished"]));
    assert_eq!(open_frames().length(), 0);
}

#[wasm_bindgen_test]
async fn overlapping_calls_share_one_flow() {
    let client = real_client().await;
    let (on_status, statuses) = recorder();
    let first = client.connect(JsValue::UNDEFINED);
    let second = client.connect(with(&json!({}), &[("onStatus", &on_status)]));
    eventually(|| framed_token().is_some()).await;
    assert_eq!(open_frames().length(), 1);
    merchant(&framed_token().unwrap(), "").await;
    assert_eq!(done(first).await, done(second).await);
    assert_eq!(to_value(statuses.as_ref()), json!(["pending", "finished"]));
}

#[wasm_bindgen_test]
async fn the_merchant_cancels() {
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
async fn the_merchant_cancels_in_one_call() {
    let client = real_client().await;
    let connecting = client.connect(JsValue::UNDEFINED);
    eventually(|| framed_token().is_some()).await;
    merchant(&framed_token().unwrap(), "&decision=cancel").await;
    assert_eq!(code_of(connecting).await, "cancelled");
    assert_eq!(open_frames().length(), 0);
}

#[wasm_bindgen_test]
async fn the_till_withdraws() {
    let client = real_client().await;
    let integration = integration(&client).await;
    let waiting = integration.wait_until_done(JsValue::UNDEFINED);
    done(integration.cancel(JsValue::UNDEFINED)).await;
    done(integration.cancel(JsValue::UNDEFINED)).await;
    assert_eq!(done(waiting).await, "cancelled");
}

#[wasm_bindgen_test]
async fn withdrawing_comes_too_late() {
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

#[wasm_bindgen_test]
async fn the_user_closes_the_dialog() {
    let client = real_client().await;
    let connecting = client.connect(JsValue::UNDEFINED);
    eventually(|| framed_token().is_some()).await;
    let close = document()
        .query_selector(".pos-connect-close")
        .unwrap()
        .unwrap();
    close.unchecked_into::<web_sys::HtmlElement>().click();
    assert_eq!(code_of(connecting).await, "closed");
    assert_eq!(open_frames().length(), 0);
    // And again: closing is no cancel, and leaves nothing in the way.
    let connecting = client.connect(JsValue::UNDEFINED);
    eventually(|| framed_token().is_some()).await;
    merchant(&framed_token().unwrap(), "").await;
    done(connecting).await;
}

/// Closes the dialog when the first answer is there: sooner or later, and the rig would count other calls.
async fn connect_and_close(client: &PosConnect) {
    let close = "document.querySelector('.pos-connect-close')?.click()";
    let on_status = js_sys::Function::new_no_args(close);
    let connecting = client.connect(with(&json!({}), &[("onStatus", &on_status)]));
    assert_eq!(code_of(connecting).await, "closed");
}

/// The merchant goes on in a window or on the phone, while the till needs its screen.
#[wasm_bindgen_test]
async fn what_was_decided_elsewhere_after_the_dialog_was_closed() {
    let too_soon = json!({"status": 429});
    let answer = |word: &str| status(&[word])[0].clone();
    for (steps, creates) in [
        (
            json!([answer("pending"), answer("pending"), answer("finished")]),
            1,
        ),
        (json!([answer("pending"), too_soon, answer("finished")]), 1),
        (
            json!([answer("pending"), too_soon, too_soon, answer("finished")]),
            1,
        ),
        // What passes by: no reason to give it up.
        (
            json!([answer("pending"), answer("pending"), {"status": 503}, answer("finished")]),
            1,
        ),
        // Withdrawn, or expired: a new one.
        (
            json!([
                answer("pending"),
                answer("pending"),
                answer("cancelled"),
                answer("finished")
            ]),
            2,
        ),
        (
            json!([answer("pending"), answer("pending"), {"status": 403}, answer("finished")]),
            2,
        ),
    ] {
        let all = json!({"create": created(), "status": steps, "token": [tokens()]});
        let scripted = Scripted::new(all).await;
        let client = scripted.client();
        connect_and_close(&client).await;
        let set = done(client.connect(JsValue::UNDEFINED)).await;
        assert_eq!(text(&set, "accessToken"), "acc");
        assert_eq!(scripted.calls("create").await, creates, "{steps}");
        assert_eq!(open_frames().length(), 0);
    }
}

/// The closing page invites to it, and without a hint the till may not know yet.
#[wasm_bindgen_test]
async fn closing_the_dialog_after_the_consent_loses_nothing() {
    let created = json!([{"body": {"success": true, "integrationToken": "itk", "interval": 30}}]);
    let steps =
        json!({"create": created, "status": status(&["pending", "finished"]), "token": [tokens()]});
    let scripted = Scripted::new(steps).await;
    let client = scripted.client();
    let connecting = client.connect(JsValue::UNDEFINED);
    eventually(|| framed_token().is_some()).await;
    sleep(500).await;
    let close = document().query_selector(".pos-connect-close").unwrap();
    close
        .unwrap()
        .unchecked_into::<web_sys::HtmlElement>()
        .click();
    assert_eq!(open_frames().length(), 0);
    assert_eq!(text(&done(connecting).await, "accessToken"), "acc");
}

/// Neither the caller's signal nor a wrong option costs the integration; `destroy` of its handle does.
#[wasm_bindgen_test]
async fn what_a_connect_leaves_behind() {
    let scripted =
        Scripted::new(json!({"create": created(), "status": status(&["pending"])})).await;
    let client = scripted.client();
    for _ in 0..2 {
        let controller = web_sys::AbortController::new().unwrap();
        let connecting = client.connect(with(&json!({}), &[("signal", &controller.signal())]));
        eventually(|| framed_token().is_some()).await;
        controller.abort();
        assert_eq!(code_of(connecting).await, "aborted");
        eventually(|| open_frames().length() == 0).await;
        let wrong = client.connect(to_js(&json!({"container": "#nowhere"})));
        assert_eq!(code_of(wrong).await, "invalid_option");
    }
    assert_eq!(scripted.calls("create").await, 1);
    resumed(&client).await.destroy();
    connect_and_close(&client).await;
    assert_eq!(scripted.calls("create").await, 2);
    done(client.forget()).await;
    connect_and_close(&client).await;
    assert_eq!(scripted.calls("create").await, 3);
}

/// Two series of calls for one integration: neither keeps the other asleep.
#[wasm_bindgen_test]
async fn a_wait_beside_a_connect() {
    let answers = ["pending", "pending", "pending", "finished"];
    let steps = json!({"create": created(), "status": status(&answers), "token": [tokens()]});
    let scripted = Scripted::new(steps).await;
    let client = scripted.client();
    let connecting = client.connect(JsValue::UNDEFINED);
    eventually(|| framed_token().is_some()).await;
    let before = js_sys::Date::now();
    let waiting = resumed(&client).await.wait_until_done(JsValue::UNDEFINED);
    assert_eq!(done(waiting).await, "finished");
    assert_eq!(text(&done(connecting).await, "accessToken"), "acc");
    assert!(js_sys::Date::now() - before < 15_000.0);
    let times = scripted.times("status").await;
    assert!(
        times.windows(2).all(|pair| pair[1] - pair[0] >= 990.0),
        "{times:?}"
    );
}

/// Callbacks may call anything of ours.
#[wasm_bindgen_test]
async fn a_callback_destroys_connects_and_closes() {
    let pending = json!({"create": created(), "status": status(&["pending"])});
    let client = std::rc::Rc::new(Scripted::new(pending.clone()).await.client());
    let again = client.clone();
    let on_status = Closure::<dyn FnMut()>::new(move || {
        let _joined = again.connect(JsValue::UNDEFINED);
        again.destroy();
    });
    let connecting = client.connect(with(&json!({}), &[("onStatus", on_status.as_ref())]));
    assert_eq!(code_of(connecting).await, "destroyed");
    assert_eq!(open_frames().length(), 0);

    let ready = json!([{"posConnect": 1, "type": "ready"}]);
    let client = Scripted::new(pending)
        .await
        .framed("answers", &ready)
        .client();
    let on_ready =
        js_sys::Function::new_no_args("document.querySelector('.pos-connect-close').click()");
    let connecting = client.connect(with(&json!({}), &[("onReady", &on_ready)]));
    assert_eq!(code_of(connecting).await, "closed");
    assert_eq!(open_frames().length(), 0);
}
