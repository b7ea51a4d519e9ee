//! The tokens come once, and are never lost where they could be kept.

use crate::support::*;
use pos_connect::Integration;

/// A finished integration, whose token calls go as ordered.
async fn finished(orders: Value) -> (Service, Integration) {
    let service = Service::ordered(json!({"token": orders}));
    let integration = integration(&service.client()).await;
    service.decide("finished");
    (service, integration)
}

/// One whose service can give a lost answer again.
async fn reissuing(orders: Value) -> (Service, Integration) {
    let extra = json!({"create": {"pickup": true}});
    let service = Service::extended(extra, json!({"token": orders}));
    let integration = integration(&service.client()).await;
    service.decide("finished");
    (service, integration)
}

#[wasm_bindgen_test]
async fn once_fetched_they_are_asked_for_no_more() {
    let service = Service::as_specified();
    let first = integration(&service.client()).await;
    service.decide("finished");
    let calls: Vec<JsValue> = (0..5)
        .map(|_| begun(first.fetch_tokens(JsValue::UNDEFINED)))
        .collect();
    let mut sets = Vec::new();
    for call in calls {
        sets.push(done(call).await);
    }
    sets.push(done(first.fetch_tokens(JsValue::UNDEFINED)).await);
    assert!(sets.iter().all(|set| *set == sets[0]), "the same object");
    assert!(js_sys::Object::is_frozen(
        sets[0].unchecked_ref::<js_sys::Object>()
    ));
    let later = resumed(&service.client()).await;
    let again = done(later.fetch_tokens(JsValue::UNDEFINED)).await;
    assert_eq!(to_value(&again), to_value(&sets[0]));
    assert_eq!(service.calls("token"), 1);
}

#[wasm_bindgen_test]
async fn a_page_that_comes_later_goes_on() {
    let service = Service::extended(json!({"create": {"code": "4821"}}), json!({}));
    let client = service.client();
    assert!(found(&client).await.is_none());
    drop(integration(&client).await);
    let later = resumed(&service.client()).await;
    assert_eq!(
        (token(&later), later.code()),
        ("itk-1".into(), "4821".into())
    );
    assert_eq!(service.operations(), "create", "resuming sends nothing");
    service.decide("finished");
    let waiting = later.wait_until_done(JsValue::UNDEFINED);
    assert_eq!(done(waiting).await, "finished");
    assert_eq!(access(&later).await, "access-itk-1");
}

#[wasm_bindgen_test]
async fn a_call_that_never_arrived_is_sent_again() {
    for fault in [json!({"fault": "network"}), json!({"status": 503})] {
        let (service, integration) = finished(json!([fault])).await;
        assert_eq!(access(&integration).await, "access-itk-1");
        assert_eq!(service.calls("token"), 2);
        assert_eq!(service.pauses("token"), [1_000.0]);
    }
}

#[wasm_bindgen_test]
async fn an_answer_that_was_lost_is_tokens_lost() {
    let broken = json!({"text": "<html>"});
    for fault in [json!({"fault": "lost"}), json!({"fault": "cut"}), broken] {
        let gone = json!({"status": 410, "body": {"success": false}});
        let (service, integration) = finished(json!([fault, gone])).await;
        let error = failed(integration.fetch_tokens(JsValue::UNDEFINED)).await;
        let said = (code(&error), get(&error, "status"));
        assert_eq!(said, ("tokens_lost".into(), 410.into()), "{fault}");
        assert_eq!(get(&error, "retryable"), JsValue::FALSE);
        assert_eq!(refused(&integration).await, "tokens_lost");
        assert_eq!(service.calls("token"), 2, "there is nothing to ask for");
    }
}

#[wasm_bindgen_test]
async fn what_somebody_else_took_is_not_lost() {
    let gone = json!({"status": 410, "body": {"success": false}});
    for vault in VAULTS {
        let service = Service::ordered(json!({"token": [gone]}));
        let client = service.client_in(vault);
        let integration = integration(&client).await;
        service.decide("finished");
        assert_eq!(refused(&integration).await, "tokens_already_retrieved");
        assert_eq!(refused(&integration).await, "tokens_already_retrieved");
        assert_eq!(service.calls("token"), 1, "{vault}");
        assert!(found(&client).await.is_none());
    }
}

#[wasm_bindgen_test]
async fn a_service_that_reissues_cures_a_lost_answer() {
    let (service, integration) = reissuing(json!([{"fault": "lost"}])).await;
    assert_eq!(access(&integration).await, "access-itk-1-reissued");
    assert_eq!(service.operations(), "create token token reissue");
    let requests = service.requests();
    let ids: Vec<&Value> = requests[1..]
        .iter()
        .map(|request| &request["query"]["pickup_id"])
        .collect();
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    assert!(ids[0].as_str().unwrap().len() >= 22);
}

#[wasm_bindgen_test]
async fn a_service_that_reissues_says_who_took_them() {
    let gone = json!({"status": 410, "body": {"success": false, "pickup": "other"}});
    let (service, integration) = reissuing(json!([{"fault": "network"}, gone])).await;
    assert_eq!(refused(&integration).await, "tokens_already_retrieved");
    assert_eq!(service.calls("reissue"), 0);
}

#[wasm_bindgen_test]
async fn asking_too_early_costs_nothing() {
    let service = Service::as_specified();
    let integration = integration(&service.client()).await;
    let error = failed(integration.fetch_tokens(JsValue::UNDEFINED)).await;
    assert_eq!(code(&error), "not_finished");
    assert_eq!(get(&error, "retryable"), JsValue::TRUE);
    service.decide("finished");
    assert_eq!(access(&integration).await, "access-itk-1");
}

#[wasm_bindgen_test]
async fn aborting_never_gives_a_pick_up_up() {
    let (service, integration) = finished(json!([{"delayMs": 300}])).await;
    let controller = web_sys::AbortController::new().unwrap();
    let options = with(&json!({}), &[("signal", &controller.signal())]);
    let call = integration.fetch_tokens(options);
    service.until_called("token", 1).await;
    controller.abort();
    assert_eq!(code_of(call).await, "aborted");
    assert_eq!(access(&integration).await, "access-itk-1");
    assert_eq!(service.calls("token"), 1);
}

#[wasm_bindgen_test]
async fn faults_stand_beside_the_tokens() {
    let change = json!({
        "refreshToken": 7, "expiration": "soon", "ereceipt": "yes", "account": {"id": "1"}, "success": null,
        "unknown": {"to": "us"},
    });
    let (_, integration) = finished(json!([{"change": change}])).await;
    let set = to_value(&done(integration.fetch_tokens(JsValue::UNDEFINED)).await);
    let rest = json!({
        "held": false, "accessToken": "access-itk-1", "refreshToken": "", "expiration": "soon",
        "ereceipt": false, "faults": [
            {"field": "refreshToken", "problem": "wrong_type"}, {"field": "success", "problem": "missing"},
            {"field": "expiration", "problem": "unreadable"}, {"field": "ereceipt", "problem": "wrong_type"},
            {"field": "account.name", "problem": "missing"},
        ],
    });
    assert_eq!(set, rest);
}

#[wasm_bindgen_test]
async fn every_form_of_expiration_is_read() {
    for (sent, read) in [
        (
            json!("2026-11-21T10:30:00Z"),
            json!("2026-11-21T10:30:00.000Z"),
        ),
        (
            json!("2026-11-21t12:30:00.25+02:00"),
            json!("2026-11-21T10:30:00.250Z"),
        ),
        (json!(1_795_257_000), json!("2026-11-21T10:30:00.000Z")),
        (json!("1795257000"), json!("2026-11-21T10:30:00.000Z")),
        (
            json!(1_795_257_000_000_i64),
            json!("2026-11-21T10:30:00.000Z"),
        ),
        (json!("2026-02-29T10:30:00Z"), json!("2026-02-29T10:30:00Z")),
        (json!("tomorrow"), json!("tomorrow")),
        (json!(-1.5), json!("-1.5")),
        (json!(true), json!("")),
        (json!(null), json!(null)),
    ] {
        let (_, integration) = finished(json!([{"change": {"expiration": sent}}])).await;
        let set = done(integration.fetch_tokens(JsValue::UNDEFINED)).await;
        assert_eq!(to_value(&get(&set, "expiration")), read, "{sent}");
        let is_fault =
            read != json!("2026-11-21T10:30:00.000Z") && !sent.to_string().contains("25+");
        let faults = to_value(&get(&set, "faults"));
        assert_eq!(
            faults.as_array().unwrap().len(),
            usize::from(is_fault),
            "{sent}"
        );
    }
}

#[wasm_bindgen_test]
async fn an_account_and_a_set_that_a_relay_holds() {
    let account = json!({"id": "1", "name": "Bakery"});
    let change =
        json!({"held": true, "accessToken": null, "refreshToken": null, "account": account});
    let (_, integration) = finished(json!([{"change": change}])).await;
    let set = done(integration.fetch_tokens(JsValue::UNDEFINED)).await;
    let expected = json!({
        "held": true, "expiration": "2031-05-06T07:08:09.000Z", "ereceipt": true,
        "account": {"id": "1", "name": "Bakery"}, "faults": [],
    });
    assert_eq!(to_value(&set), expected);
}

#[wasm_bindgen_test]
async fn an_answer_without_an_access_token_took_the_tokens() {
    for change in [
        json!({"accessToken": null}),
        json!({"accessToken": ""}),
        json!({"accessToken": 5}),
    ] {
        let (service, integration) = finished(json!([{"change": change}])).await;
        let error = failed(integration.fetch_tokens(JsValue::UNDEFINED)).await;
        assert_eq!(code(&error), "protocol", "{change}");
        assert!(text(&error, "message").contains("accessToken"));
        assert_eq!(refused(&integration).await, "protocol", "it is kept");
        assert_eq!(service.calls("token"), 1, "{change}");
    }
}

#[wasm_bindgen_test]
async fn destroying_still_delivers_a_pick_up_on_its_way() {
    let (_, integration) = finished(json!([{"delayMs": 300}])).await;
    let call = integration.fetch_tokens(JsValue::UNDEFINED);
    sleep(100).await;
    integration.destroy();
    assert_eq!(text(&done(call).await, "accessToken"), "access-itk-1");
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
    let scripted = Service::scripted(steps);
    let client = scripted.client();
    let controller = web_sys::AbortController::new().unwrap();
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
    let (scripted, integration) = finished(json!([with_delay(json!({"status": 503}), 300)])).await;
    let call = integration.fetch_tokens(JsValue::UNDEFINED);
    sleep(100).await;
    integration.destroy();
    assert_eq!(text(&done(call).await, "accessToken"), "access-itk-1");
    assert_eq!(scripted.calls("token"), 2);
}
