//! Each step by itself: what is sent, and what comes of it.

use crate::support::*;
use pos_connect::Integration;

const INTEGRATION: &str = "/v1/auth/integration";
const TOKEN: &str = "/v1/auth/integration/token";

/// A request as the specification (§4) and the privacy of the page want it.
fn sent(service: &Service, method: &str, path: &str, query: Value) -> Value {
    let base = service.options()["baseUrl"].as_str().unwrap().to_owned();
    json!({
        "method": method, "url": base + path, "query": query, "redirect": "error", "credentials": "omit",
        "cache": "no-store", "referrerPolicy": "no-referrer", "headers": {}, "body": "",
    })
}

/// Less what `sent` does not say.
fn requests(service: &Service) -> Vec<Value> {
    let mut requests = service.requests();
    for request in &mut requests {
        let members = request.as_object_mut().unwrap();
        members.remove("operation");
        members.remove("at");
    }
    requests
}

#[wasm_bindgen_test]
async fn every_request_is_as_specified() {
    let service = Service::as_specified();
    let client = service.client();
    let first = integration(&client).await;
    done(first.status(JsValue::UNDEFINED)).await;
    done(first.cancel(JsValue::UNDEFINED)).await;
    let second = integration(&client).await;
    service.decide("finished");
    done(second.fetch_tokens(JsValue::UNDEFINED)).await;
    let keys = json!({"client_id": "till", "client_secret": "hunter2"});
    let of = |token: &str| {
        let mut query = keys.clone();
        query["integration_token"] = token.into();
        query
    };
    let expected = [
        sent(&service, "POST", INTEGRATION, keys.clone()),
        sent(&service, "GET", INTEGRATION, of("itk-1")),
        sent(&service, "DELETE", INTEGRATION, of("itk-1")),
        sent(&service, "POST", INTEGRATION, keys.clone()),
        sent(&service, "GET", TOKEN, of("itk-2")),
    ];
    assert_eq!(requests(&service), expected);
}

#[wasm_bindgen_test]
async fn what_goes_into_an_address_is_encoded() {
    let service = Service::ordered(json!({
        "create": [{"body": {"success": true, "integrationToken": "a&b=c/ü ?", "interval": 1}}],
        "status": [{"body": {"success": true, "status": "pending"}}],
    }));
    let options = [("clientId", &"Café & Co".into())];
    let integration = integration(&service.client_with(&options)).await;
    done(integration.status(JsValue::UNDEFINED)).await;
    for (at, token) in [(0, Value::Null), (1, "a&b=c/ü ?".into())] {
        let query = service.requests()[at]["query"].clone();
        assert_eq!(query["client_id"], "Café & Co");
        assert_eq!(query["integration_token"], token);
    }
    integration
        .mount_frame(JsValue::UNDEFINED, JsValue::UNDEFINED)
        .unwrap();
    let url = web_sys::Url::new(&framed().await).unwrap();
    let parameters = url.search_params();
    assert_eq!(
        parameters.get("integration_token").as_deref(),
        Some("a&b=c/ü ?")
    );
    assert_eq!(parameters.get("client_id").as_deref(), Some("Café & Co"));
    integration.destroy();
    assert_eq!(frames().length(), 0);
}

#[wasm_bindgen_test]
async fn waiting_asks_at_the_services_pace_and_tells_each_status_once() {
    let service = Service::as_specified();
    let integration = integration(&service.client()).await;
    assert_eq!(token(&integration), "itk-1");
    let (on_status, statuses) = recorder();
    let waiting = integration.wait_until_done(with(&json!({}), &[("onStatus", &on_status)]));
    service.until_called("status", 2).await;
    service.decide("finished");
    assert_eq!(done(waiting).await, "finished");
    assert_eq!(to_value(&statuses), json!(["pending", "finished"]));
    let pauses = service.pauses("status");
    assert_eq!(pauses, [1_000.0, 1_000.0]);
    // A known end is not asked for again.
    assert_eq!(
        done(integration.status(JsValue::UNDEFINED)).await,
        "finished"
    );
    assert_eq!(service.calls("status"), 3);
}

#[wasm_bindgen_test]
async fn only_a_hint_of_the_frame_itself_shortens_the_wait() {
    let service = Service::ordered(json!({"create": [{"change": {"interval": 30}}]}));
    let integration = integration(&service.client()).await;
    integration
        .mount_frame(JsValue::UNDEFINED, JsValue::UNDEFINED)
        .unwrap();
    framed().await;
    let waiting = integration.wait_until_done(JsValue::UNDEFINED);
    service.until_called("status", 1).await;
    service.decide("finished");
    let frame = get(&frames().get(0), "contentWindow");
    let page = JsValue::from(web_sys::window().unwrap());
    let own_origin = web_sys::window().unwrap().location().origin().unwrap();
    say(&page, CONNECT_ORIGIN, "finished");
    say(&JsValue::NULL, CONNECT_ORIGIN, "finished");
    say(&frame, &own_origin, "finished");
    say(&frame, "null", "finished");
    say(&frame, CONNECT_ORIGIN, "done");
    say(&frame, CONNECT_ORIGIN, "ready");
    sleep(500).await;
    assert_eq!(service.calls("status"), 1);
    say(&frame, CONNECT_ORIGIN, "finished");
    assert_eq!(done(waiting).await, "finished");
    assert!(service.pauses("status")[0] < 2_000.0);
    assert_eq!(frames().length(), 0);
}

#[wasm_bindgen_test]
async fn a_hint_is_not_believed() {
    let service = Service::ordered(json!({"create": [{"change": {"interval": 30}}]}));
    let integration = integration(&service.client()).await;
    integration
        .mount_frame(JsValue::UNDEFINED, JsValue::UNDEFINED)
        .unwrap();
    framed().await;
    let waiting = integration.wait_until_done(JsValue::UNDEFINED);
    service.until_called("status", 1).await;
    let frame = get(&frames().get(0), "contentWindow");
    for kind in ["finished", "cancelled", "finished"] {
        say(&frame, CONNECT_ORIGIN, kind);
        sleep(100).await;
    }
    assert_eq!(service.calls("status"), 2, "one early call, once");
    integration.destroy();
    assert_eq!(code_of(waiting).await, "destroyed");
}

/// A second modal dialog would lie on top of the first.
#[wasm_bindgen_test]
async fn a_page_has_one_dialog_and_a_new_one_closes_it() {
    let service = Service::as_specified();
    let client = service.client();
    let mount = |integration: &Integration| {
        let mounted = integration.mount_frame(JsValue::UNDEFINED, JsValue::UNDEFINED);
        get(&mounted.unwrap(), "ended")
    };
    let (first, second) = (integration(&client).await, integration(&client).await);
    let ended = mount(&first);
    let ended_too = mount(&second);
    assert_eq!(done(ended).await, "closed");
    assert_eq!(frames().length(), 1);
    // `connect` shows the same kind of dialog. It ends as if the merchant had closed it.
    let connecting = client.connect(JsValue::UNDEFINED);
    assert_eq!(done(ended_too).await, "closed");
    framed().await;
    mount(&first);
    assert_eq!(code_of(connecting).await, "closed");
    assert_eq!(frames().length(), 1);
    first.destroy();
    second.destroy();
}

#[wasm_bindgen_test]
async fn failures_do_not_end_a_wait() {
    let faults = json!([{"fault": "network"}, {"status": 502}, {"fault": "cut"}]);
    let service = Service::ordered(json!({"status": faults}));
    let integration = integration(&service.client()).await;
    service.decide("finished");
    // Each wake-up ends the rest of a back-off, never the interval.
    let waiting = integration.wait_until_done(JsValue::UNDEFINED);
    for _ in 0..40 {
        sleep(100).await;
        let event = web_sys::Event::new("pageshow").unwrap();
        web_sys::window().unwrap().dispatch_event(&event).unwrap();
    }
    assert_eq!(done(waiting).await, "finished");
    let pauses = service.pauses("status");
    assert_eq!(pauses.len(), 3);
    assert!(pauses.iter().all(|pause| *pause >= 1_000.0), "{pauses:?}");
}

#[wasm_bindgen_test]
async fn too_many_calls_slow_a_wait_down() {
    let busy = json!({"status": 429, "headers": {"retry-after": "2"}});
    let service = Service::ordered(json!({"status": [busy]}));
    let integration = integration(&service.client()).await;
    service.decide("finished");
    let waiting = integration.wait_until_done(JsValue::UNDEFINED);
    assert_eq!(done(waiting).await, "finished");
    // RFC 8628 §3.5: 5 s more than the interval, which is longer than what was asked for.
    let pauses = service.pauses("status");
    assert_eq!(pauses, [6_000.0]);
}

#[wasm_bindgen_test]
async fn a_wait_ends_with_the_integrations_lifetime() {
    let service = Service::ordered(json!({"create": [{"change": {"expiresIn": 1.5}}]}));
    let integration = integration(&service.client()).await;
    let began = now();
    let frame = integration
        .mount_frame(JsValue::UNDEFINED, JsValue::UNDEFINED)
        .unwrap();
    let waiting = integration.wait_until_done(JsValue::UNDEFINED);
    assert_eq!(code_of(waiting).await, "wait_timeout");
    assert_eq!(now() - began, 1_500.0);
    assert_eq!(done(get(&frame, "ended")).await, "failed");
    assert_eq!(frames().length(), 0);
}

#[wasm_bindgen_test]
async fn the_till_withdraws() {
    let service = Service::as_specified();
    let integration = integration(&service.client()).await;
    let waiting = integration.wait_until_done(JsValue::UNDEFINED);
    service.until_called("status", 1).await;
    assert!(
        done(integration.cancel(JsValue::UNDEFINED))
            .await
            .is_undefined()
    );
    assert_eq!(done(waiting).await, "cancelled");
    assert_eq!(refused(&integration).await, "integration_cancelled");
    let again = integration.mount_frame(JsValue::UNDEFINED, JsValue::UNDEFINED);
    assert_eq!(code(&again.unwrap_err()), "integration_cancelled");
}

#[wasm_bindgen_test]
async fn withdrawing_comes_too_late() {
    let service = Service::as_specified();
    let integration = integration(&service.client()).await;
    service.decide("finished");
    let error = failed(integration.cancel(JsValue::UNDEFINED)).await;
    let said = (code(&error), get(&error, "status"));
    assert_eq!(said, ("already_finished".into(), 409.into()));
    assert_eq!(access(&integration).await, "access-itk-1");
}
