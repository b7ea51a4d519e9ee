//! `connect` after it was closed or aborted, and beside other calls.

use crate::support::*;
use pos_connect::PosConnect;

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
    let refused = json!({"status": 403, "body": {"success": false}});
    let proxy = json!({"status": 403, "text": "<h1>Forbidden</h1>"});
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
            json!([
                answer("pending"),
                answer("pending"),
                refused,
                answer("finished")
            ]),
            2,
        ),
        // What a proxy says is no reason, either.
        (
            json!([
                answer("pending"),
                answer("pending"),
                proxy,
                answer("finished")
            ]),
            1,
        ),
    ] {
        let all = json!({"create": created(), "status": steps, "token": [tokens()]});
        let scripted = Service::scripted(all);
        let client = scripted.client();
        connect_and_close(&client).await;
        let set = done(client.connect(JsValue::UNDEFINED)).await;
        assert_eq!(text(&set, "accessToken"), "acc");
        assert_eq!(scripted.calls("create"), creates, "{steps}");
        assert_eq!(frames().length(), 0);
    }
}

/// The closing page invites to it, and without a hint the till may not know yet.
#[wasm_bindgen_test]
async fn closing_the_dialog_after_the_consent_loses_nothing() {
    let created = json!([{"body": {"success": true, "integrationToken": "itk", "interval": 30}}]);
    let steps =
        json!({"create": created, "status": status(&["pending", "finished"]), "token": [tokens()]});
    let scripted = Service::scripted(steps);
    let client = scripted.client();
    let connecting = client.connect(JsValue::UNDEFINED);
    framed().await;
    sleep(500).await;
    let close = document().query_selector(".pos-connect-close").unwrap();
    close
        .unwrap()
        .unchecked_into::<web_sys::HtmlElement>()
        .click();
    assert_eq!(frames().length(), 0);
    assert_eq!(text(&done(connecting).await, "accessToken"), "acc");
}

/// The connect page has said so before: `closed` would be a lie that tills answer with a cancel.
#[wasm_bindgen_test]
async fn closing_the_dialog_after_the_consent_without_a_status_is_no_close() {
    let pending = status(&["pending"])[0].clone();
    let lost = json!({"fault": "network"});
    let statuses = json!([pending, lost, lost, status(&["finished"])[0]]);
    let steps = json!({"create": created(), "status": statuses, "token": [tokens()]});
    let scripted = Service::scripted(steps);
    let client = scripted.client();
    let connecting = client.connect(JsValue::UNDEFINED);
    framed().await;
    scripted.until_called("status", 1).await;
    let frame = get(&frames().get(0), "contentWindow");
    say(&frame, CONNECT_ORIGIN, "finished");
    scripted.until_called("status", 2).await;
    let close = document().query_selector(".pos-connect-close").unwrap();
    close
        .unwrap()
        .unchecked_into::<web_sys::HtmlElement>()
        .click();
    assert_eq!(code_of(connecting).await, "network");
    let again = client.connect(JsValue::UNDEFINED);
    assert_eq!(text(&done(again).await, "accessToken"), "acc");
    assert_eq!(scripted.calls("create"), 1);
}

/// Neither the caller's signal nor a wrong option costs the integration; `destroy` of its handle does.
#[wasm_bindgen_test]
async fn what_a_connect_leaves_behind() {
    let scripted = Service::scripted(json!({"create": created(), "status": status(&["pending"])}));
    let client = scripted.client();
    for _ in 0..2 {
        let controller = web_sys::AbortController::new().unwrap();
        let connecting = client.connect(with(&json!({}), &[("signal", &controller.signal())]));
        framed().await;
        controller.abort();
        assert_eq!(code_of(connecting).await, "aborted");
        eventually(|| frames().length() == 0).await;
        let wrong = client.connect(to_js(&json!({"container": "#nowhere"})));
        assert_eq!(code_of(wrong).await, "invalid_option");
    }
    assert_eq!(scripted.calls("create"), 1);
    resumed(&client).await.destroy();
    connect_and_close(&client).await;
    assert_eq!(scripted.calls("create"), 2);
    done(client.forget()).await;
    connect_and_close(&client).await;
    assert_eq!(scripted.calls("create"), 3);
}

/// Two series of calls for one integration: neither keeps the other asleep.
#[wasm_bindgen_test]
async fn a_wait_beside_a_connect() {
    let answers = ["pending", "pending", "pending", "finished"];
    let steps = json!({"create": created(), "status": status(&answers), "token": [tokens()]});
    let scripted = Service::scripted(steps);
    let client = scripted.client();
    let connecting = client.connect(JsValue::UNDEFINED);
    framed().await;
    let before = js_sys::Date::now();
    let waiting = resumed(&client).await.wait_until_done(JsValue::UNDEFINED);
    assert_eq!(done(waiting).await, "finished");
    assert_eq!(text(&done(connecting).await, "accessToken"), "acc");
    assert!(js_sys::Date::now() - before < 15_000.0);
    let pauses = scripted.pauses("status");
    assert!(pauses.iter().all(|pause| *pause >= 1_000.0), "{pauses:?}");
}

/// Callbacks may call anything of ours.
#[wasm_bindgen_test]
async fn a_callback_destroys_connects_and_closes() {
    let pending = json!({"create": created(), "status": status(&["pending"])});
    let client = std::rc::Rc::new(Service::scripted(pending.clone()).client());
    let again = client.clone();
    let on_status = Closure::<dyn FnMut()>::new(move || {
        let _joined = again.connect(JsValue::UNDEFINED);
        again.destroy();
    });
    let connecting = client.connect(with(&json!({}), &[("onStatus", on_status.as_ref())]));
    assert_eq!(code_of(connecting).await, "destroyed");
    assert_eq!(frames().length(), 0);

    let client = Service::scripted(pending).client();
    let on_ready =
        js_sys::Function::new_no_args("document.querySelector('.pos-connect-close').click()");
    let connecting = client.connect(with(&json!({}), &[("onReady", &on_ready)]));
    framed().await;
    say(
        &get(&frames().get(0), "contentWindow"),
        CONNECT_ORIGIN,
        "ready",
    );
    assert_eq!(code_of(connecting).await, "closed");
    assert_eq!(frames().length(), 0);
}
