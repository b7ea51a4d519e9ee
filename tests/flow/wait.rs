//! Waiting: several at once, aborting, waking up.

use crate::support::*;
use js_sys::Promise;
use pos_connect::Integration;
use web_sys::AbortController;

async fn waiting(steps: Value) -> (Service, Integration) {
    let scripted = Service::scripted(steps);
    let integration = integration(&scripted.client()).await;
    (scripted, integration)
}

fn until_aborted(integration: &Integration, controller: &AbortController) -> Promise {
    integration.wait_until_done(with(&json!({}), &[("signal", &controller.signal())]))
}

/// The last answer rings for a sleep that is over: the task must not end before it has heard that.
#[wasm_bindgen_test]
async fn its_end_throws_nothing_at_the_page() {
    let (_scripted, integration) =
        waiting(json!({"create": created(), "status": status(&["pending", "finished"])})).await;
    let thrown = uncaught();
    done(integration.wait_until_done(JsValue::UNDEFINED)).await;
    sleep(50).await;
    assert_eq!(count_of(&thrown), 0);
    restore(&thrown);
}

#[wasm_bindgen_test]
async fn overlapping_waits_share_one_series() {
    let (scripted, integration) =
        waiting(json!({"create": created(), "status": status(&["pending", "finished"])})).await;
    let first = integration.wait_until_done(JsValue::UNDEFINED);
    let second = integration.wait_until_done(JsValue::UNDEFINED);
    assert_eq!(
        (done(first).await, done(second).await),
        ("finished".into(), "finished".into())
    );
    assert_eq!(scripted.calls("status"), 2);
}

#[wasm_bindgen_test]
async fn aborting_one_wait_leaves_the_other() {
    let (_, integration) =
        waiting(json!({"create": created(), "status": status(&["pending", "finished"])})).await;
    let controller = AbortController::new().unwrap();
    let first = until_aborted(&integration, &controller);
    let second = integration.wait_until_done(JsValue::UNDEFINED);
    controller.abort();
    assert_eq!(code_of(first).await, "aborted");
    assert_eq!(done(second).await, "finished");
}

#[wasm_bindgen_test]
async fn aborting_the_last_wait_ends_the_series() {
    let (scripted, integration) =
        waiting(json!({"create": created(), "status": status(&["pending"])})).await;
    let controller = AbortController::new().unwrap();
    let wait = until_aborted(&integration, &controller);
    sleep(300).await;
    controller.abort();
    assert_eq!(code_of(wait).await, "aborted");
    sleep(60_000).await;
    assert_eq!(scripted.calls("status"), 1);
    // And it can be taken up again.
    let wait = integration.wait_until_done(JsValue::UNDEFINED);
    sleep(300).await;
    integration.destroy();
    assert_eq!(code_of(wait).await, "destroyed");
}

#[wasm_bindgen_test]
async fn any_reason_arrives_as_the_cause() {
    let reasons: [JsValue; 4] = [
        js_sys::Error::new("enough").into(),
        "user cancelled".into(),
        JsValue::UNDEFINED,
        7.into(),
    ];
    for reason in reasons {
        for before in [true, false] {
            let (_, integration) =
                waiting(json!({"create": created(), "status": [{"delayMs": 3_000}]})).await;
            let controller = AbortController::new().unwrap();
            if before {
                controller.abort_with_reason(&reason);
            }
            let wait = until_aborted(&integration, &controller);
            let once = integration.status(with(&json!({}), &[("signal", &controller.signal())]));
            if !before {
                sleep(50).await;
                controller.abort_with_reason(&reason);
            }
            for promise in [wait, once] {
                let error = failed(promise).await;
                assert_eq!(code(&error), "aborted");
                // The platform replaces an undefined reason by a DOMException of its own.
                assert!(reason.is_undefined() || get(&error, "cause") == reason);
            }
        }
    }
}

#[wasm_bindgen_test]
async fn a_browser_that_believes_that_it_is_offline_asks_all_the_same() {
    let (scripted, integration) =
        waiting(json!({"create": created(), "status": status(&["pending", "finished"])})).await;
    pretend_online(false);
    let began = now();
    let wait = integration.wait_until_done(JsValue::UNDEFINED);
    assert_eq!(done(wait).await, "finished");
    assert_eq!(scripted.calls("status"), 2);
    assert!(now() - began >= 15_000.0, "{}", now() - began);
    pretend_online(true);
}

#[wasm_bindgen_test]
async fn what_a_proxy_says_ends_no_wait_and_stands_in_the_timeout() {
    let portal = json!({"text": "<h1>Welcome to our wifi</h1>"});
    let proxy = json!({"status": 403, "text": "<h1>Forbidden</h1>"});
    let finished = status(&["finished"])[0].clone();
    let mut steps = json!({"create": created(), "status": [portal, proxy, finished]});
    let (_, integration) = waiting(steps.clone()).await;
    let wait = integration.wait_until_done(JsValue::UNDEFINED);
    assert_eq!(done(wait).await, "finished");
    steps["create"][0]["body"]["expiresIn"] = json!(20);
    steps["status"] = json!([portal, proxy]);
    let (_, integration) = waiting(steps).await;
    let error = failed(integration.wait_until_done(JsValue::UNDEFINED)).await;
    assert_eq!(code(&error), "wait_timeout");
    assert_eq!(get(&error, "status"), 403);
    let message = text(&error, "message");
    assert!(
        message.contains("network") && message.contains("on the way"),
        "{message}"
    );
}

#[wasm_bindgen_test]
async fn a_callback_that_throws_changes_nothing() {
    let (_, integration) =
        waiting(json!({"create": created(), "status": status(&["pending", "finished"])})).await;
    let throws = js_sys::Function::new_no_args("throw new Error('mine')");
    let wait = integration.wait_until_done(with(&json!({}), &[("onStatus", &throws)]));
    assert_eq!(done(wait).await, "finished");
}

#[wasm_bindgen_test]
async fn a_wait_after_a_status_call_keeps_the_interval() {
    let steps = json!({"create": created(), "status": status(&["pending", "finished"])});
    let (scripted, integration) = waiting(steps).await;
    assert_eq!(
        done(integration.status(JsValue::UNDEFINED)).await,
        "pending"
    );
    assert_eq!(
        done(integration.wait_until_done(JsValue::UNDEFINED)).await,
        "finished"
    );
    assert_eq!(scripted.pauses("status"), [1_000.0]);
}
