//! The pick-up, against a service that loses answers.

use crate::support::*;
use pos_connect::bindings::Integration;
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::AbortController;

async fn finished(steps: Value) -> (Scripted, Integration) {
    let scripted = Scripted::new(json!({"create": created(), "token": steps})).await;
    let integration = integration(&scripted.client()).await;
    (scripted, integration)
}

#[wasm_bindgen_test]
async fn overlapping_calls_share_one_request() {
    let (scripted, integration) = finished(json!([tokens(), gone()])).await;
    let promises: Vec<_> = (0..20)
        .map(|_| integration.fetch_tokens(JsValue::UNDEFINED))
        .collect();
    let mut sets = Vec::new();
    for promise in promises {
        sets.push(done(promise).await);
    }
    assert!(sets.windows(2).all(|pair| pair[0] == pair[1]));
    assert_eq!(
        done(integration.fetch_tokens(JsValue::UNDEFINED)).await,
        sets[0]
    );
    assert_eq!(scripted.calls("token").await, 1);
    let set: &js_sys::Object = sets[0].unchecked_ref();
    assert!(js_sys::Object::is_frozen(set));
}

#[wasm_bindgen_test]
async fn an_answer_that_never_left_is_asked_for_again() {
    for silent in [json!({"drop": true}), json!({"status": 502})] {
        let (scripted, integration) = finished(json!([silent, tokens()])).await;
        let set = done(integration.fetch_tokens(JsValue::UNDEFINED)).await;
        assert_eq!(text(&set, "accessToken"), "acc");
        // WebKit now and then repeats a call by itself whose kept connection is closed just then.
        let calls = scripted.calls("token").await;
        assert!((2..=3).contains(&calls), "{calls}");
    }
}

#[wasm_bindgen_test]
async fn an_answer_lost_on_the_way_is_tokens_lost() {
    let cut = json!({"cut": true, "body": tokens()["body"]});
    for lost in [cut, json!({"status": 500}), json!({"text": "<html>"})] {
        let (_, integration) = finished(json!([lost, gone()])).await;
        let error = failed(integration.fetch_tokens(JsValue::UNDEFINED)).await;
        let said = (code(&error), get(&error, "status"));
        assert_eq!(said, ("tokens_lost".into(), 410.into()));
    }
}

/// Firefox and WebKit send a GET again by themselves when a connection closes without a byte, so the SDK may see
/// nothing but the 410.
#[wasm_bindgen_test]
async fn an_answer_that_the_browser_asked_for_again() {
    let (scripted, integration) = finished(json!([{"drop": true}, gone()])).await;
    let said = code_of(integration.fetch_tokens(JsValue::UNDEFINED)).await;
    assert!(
        ["tokens_lost", "tokens_already_retrieved"].contains(&said.as_str()),
        "{said}"
    );
    let calls = scripted.calls("token").await;
    assert!((2..=3).contains(&calls), "{calls}");
}

#[wasm_bindgen_test]
async fn gone_from_the_start_is_already_retrieved() {
    let (scripted, integration) = finished(json!([gone()])).await;
    assert_eq!(
        code_of(integration.fetch_tokens(JsValue::UNDEFINED)).await,
        "tokens_already_retrieved"
    );
    assert_eq!(scripted.calls("token").await, 1);
}

#[wasm_bindgen_test]
async fn an_answer_that_is_no_token_set_took_the_tokens() {
    let (scripted, integration) = finished(json!([{"body": {"success": true}}, gone()])).await;
    assert_eq!(refused(&integration).await, "protocol");
    assert_eq!(refused(&integration).await, "protocol", "it is kept");
    assert_eq!(scripted.calls("token").await, 1);
}

#[wasm_bindgen_test]
async fn too_early_can_be_tried_again() {
    let (_, integration) = finished(json!([{"status": 409}, tokens()])).await;
    let error = failed(integration.fetch_tokens(JsValue::UNDEFINED)).await;
    assert_eq!(
        (code(&error).as_str(), get(&error, "retryable")),
        ("not_finished", JsValue::TRUE)
    );
    done(integration.fetch_tokens(JsValue::UNDEFINED)).await;
}

#[wasm_bindgen_test]
async fn aborting_never_gives_a_pick_up_up() {
    let slow = with_delay(tokens(), 500);
    let (scripted, integration) = finished(json!([slow, gone()])).await;
    let controller = AbortController::new().unwrap();
    let call = integration.fetch_tokens(with(&json!({}), &[("signal", &controller.signal())]));
    sleep(100).await;
    controller.abort();
    assert_eq!(code_of(call).await, "aborted");
    let set = done(integration.fetch_tokens(JsValue::UNDEFINED)).await;
    assert_eq!(text(&set, "accessToken"), "acc");
    assert_eq!(scripted.calls("token").await, 1);
}

#[wasm_bindgen_test]
async fn destroying_still_delivers_a_pick_up_on_its_way() {
    let (_, integration) = finished(json!([with_delay(tokens(), 300)])).await;
    let call = integration.fetch_tokens(JsValue::UNDEFINED);
    sleep(100).await;
    integration.destroy();
    assert_eq!(text(&done(call).await, "accessToken"), "acc");
    assert_eq!(
        code_of(integration.fetch_tokens(JsValue::UNDEFINED)).await,
        "destroyed"
    );
}

#[wasm_bindgen_test]
async fn consent_given_connect_no_longer_listens_to_its_signal() {
    let steps = json!({
        "create": created(), "status": status(&["finished"]), "token": [with_delay(tokens(), 500), gone()]
    });
    let scripted = Scripted::new(steps).await;
    let client = scripted.client();
    let controller = AbortController::new().unwrap();
    // In the middle of the token call, whose answer takes half a second.
    let aborting = controller.clone();
    let abort = Closure::<dyn Fn()>::new(move || aborting.abort());
    let body = "return (status) => status === 'finished' && setTimeout(abort, 50)";
    let on_status = js_sys::Function::new_with_args("abort", body);
    let on_status = on_status.call1(&JsValue::NULL, abort.as_ref()).unwrap();
    let more: [(&str, &JsValue); 2] = [("signal", &controller.signal()), ("onStatus", &on_status)];
    let call = client.connect(with(&json!({}), &more));
    assert_eq!(text(&done(call).await, "accessToken"), "acc");
    assert!(controller.signal().aborted());
}

#[wasm_bindgen_test]
async fn destroying_does_not_end_the_tries_either() {
    let (scripted, integration) =
        finished(json!([with_delay(json!({"status": 503}), 300), tokens()])).await;
    let call = integration.fetch_tokens(JsValue::UNDEFINED);
    sleep(100).await;
    integration.destroy();
    assert_eq!(text(&done(call).await, "accessToken"), "acc");
    assert_eq!(scripted.calls("token").await, 2);
}

#[wasm_bindgen_test]
async fn a_pick_up_that_failed_for_now_is_where_connect_goes_on() {
    let busy = json!({"status": 503, "headers": {"Retry-After": "60"}});
    let steps =
        json!({"create": created(), "status": status(&["finished"]), "token": [busy, tokens()]});
    let scripted = Scripted::new(steps).await;
    let client = scripted.client();
    let error = failed(client.connect(JsValue::UNDEFINED)).await;
    assert_eq!(
        (code(&error).as_str(), get(&error, "retryable")),
        ("server_error", JsValue::TRUE)
    );
    assert_eq!(get(&error, "retryAfterMs"), 60_000);
    let again = client.connect(JsValue::UNDEFINED);
    assert_eq!(open_frames().length(), 0, "the merchant consented already");
    assert_eq!(text(&done(again).await, "accessToken"), "acc");
    assert_eq!(scripted.calls("create").await, 1);
    assert_eq!(scripted.calls("token").await, 2);
}

#[wasm_bindgen_test]
async fn faults_stand_beside_the_tokens() {
    let (_, integration) = finished(
        json!([{"body": {"accessToken": "acc", "expiration": "soon", "ereceipt": 1, "new": {}}}]),
    )
    .await;
    let set = done(integration.fetch_tokens(JsValue::UNDEFINED)).await;
    let expected = json!({
        "held": false, "accessToken": "acc", "refreshToken": "", "expiration": "soon", "ereceipt": false,
        "faults": [
            {"field": "refreshToken", "problem": "missing"}, {"field": "success", "problem": "missing"},
            {"field": "expiration", "problem": "unreadable"}, {"field": "ereceipt", "problem": "wrong_type"},
        ],
    });
    assert_eq!(to_value(&set), expected);
}

#[wasm_bindgen_test]
async fn expiration_in_its_forms() {
    for (sent, read) in [
        (
            json!("2026-11-21T10:30:00Z"),
            json!("2026-11-21T10:30:00.000Z"),
        ),
        (json!(1_795_257_000), json!("2026-11-21T10:30:00.000Z")),
        (
            json!(1_795_257_000_000_i64),
            json!("2026-11-21T10:30:00.000Z"),
        ),
        (json!(-1.5), json!("-1.5")),
        (json!(null), json!(null)),
        (json!([1]), json!("")),
    ] {
        let (_, integration) =
            finished(json!([{"body": {"success": true, "accessToken": "a", "expiration": sent}}]))
                .await;
        let set = done(integration.fetch_tokens(JsValue::UNDEFINED)).await;
        assert_eq!(to_value(&get(&set, "expiration")), read, "{sent}");
    }
}

#[wasm_bindgen_test]
async fn a_relay_may_keep_the_tokens() {
    let held = json!({"body": {
        "success": true, "held": true, "expiration": 1_795_257_000, "ereceipt": true,
        "account": {"id": "1", "name": "Bakery"}
    }});
    let (_, integration) = finished(json!([held])).await;
    let set = done(integration.fetch_tokens(JsValue::UNDEFINED)).await;
    let expected = json!({
        "held": true, "expiration": "2026-11-21T10:30:00.000Z", "ereceipt": true,
        "account": {"id": "1", "name": "Bakery"}, "faults": [],
    });
    assert_eq!(to_value(&set), expected);
}

#[wasm_bindgen_test]
async fn tokens_get_into_no_cache_and_preflights_may_be_remembered() {
    let steps = json!({"create": created(), "status": status(&["pending", "finished"]), "token": [tokens()]});
    let headers = to_js(&json!({"authorization": "Till 7"}));
    for (options, expected) in [
        (vec![], "no-store no-store no-store no-store"),
        (
            vec![("headers", &headers)],
            "default default default no-store",
        ),
    ] {
        let scripted = Scripted::new(steps.clone()).await;
        let recorded = record_caches();
        let integration = integration(&scripted.client_with(&options)).await;
        done(integration.wait_until_done(JsValue::UNDEFINED)).await;
        done(integration.fetch_tokens(JsValue::UNDEFINED)).await;
        restore(&recorded);
        let caches = get(&recorded, "caches").unchecked_into::<js_sys::Function>();
        assert_eq!(caches.call0(&recorded).unwrap(), expected);
    }
}
