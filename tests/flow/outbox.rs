//! The outbox: what a person does with what waits, and with what was refused.

use crate::orders::{drained, keys, no_options, options, order, outbox, receipt, send};
use crate::support::*;

#[wasm_bindgen_test]
async fn a_refused_order_stays_until_somebody_decides() {
    for vault in VAULTS {
        let wrong = json!({
            "status": 422, "body": {"success": false, "code": "invalid_member", "pointer": "/currency"}
        });
        let service = Service::ordered(json!({"order": [wrong, wrong]}));
        let client = service.merchant_in(vault);
        let error = failed(client.orders().send(to_js(&order("A-1")), no_options())).await;
        assert_eq!(code(&error), "invalid_body");
        assert_eq!(text(&error, "pointer"), "/currency");
        let left = outbox(&client).await;
        assert_eq!(left[0]["state"], "refused");
        assert_eq!(left[0]["error"]["pointer"], "/currency");
        // It does not keep the next one.
        assert_eq!(
            code_of(client.orders().send(to_js(&order("A-2")), no_options())).await,
            "invalid_body"
        );
        assert_eq!(send(&client, "A-3").await["state"], "accepted");
        let left = outbox(&client).await;
        assert_eq!(left.len(), 2);
        let id = |at: usize| JsValue::from(left[at]["id"].as_str().unwrap());
        assert_eq!(done(client.orders().retry(id(0), no_options())).await, true);
        assert_eq!(done(client.orders().discard(id(1))).await, true);
        drained(&client).await;
        assert_eq!(service.kept(), 2);
        let keys = keys(&service);
        assert_eq!(keys[0], keys[3], "the service has kept nothing of it");
        assert_eq!(
            done(client.orders().retry(id(0), no_options())).await,
            false
        );
        assert_eq!(done(client.orders().discard(id(1))).await, false);
    }
}

#[wasm_bindgen_test]
async fn a_refused_order_is_corrected_and_keeps_its_ereceipt() {
    for vault in VAULTS {
        let wrong = json!({
            "status": 422, "body": {"success": false, "code": "invalid_member", "pointer": "/currency"}
        });
        let service = Service::ordered(json!({"order": [wrong]}));
        let client = service.merchant_in(vault);
        let with_receipt = options(&json!({"receipt": receipt("ereceipt", "A-1")}));
        let error = failed(client.orders().send(to_js(&order("A-1")), with_receipt)).await;
        assert!(text(&error, "message").contains("/currency"));
        let left = outbox(&client).await;
        assert_eq!(
            (&left[0]["tries"], &left[0]["hasEreceipt"]),
            (&json!(1), &json!(true))
        );
        assert_eq!(left[0]["error"]["pointer"], "/currency");
        let id = JsValue::from(left[0]["id"].as_str().unwrap());
        let bad = options(&json!({"order": {"externalId": "A-1"}}));
        assert_eq!(
            code_of(client.orders().retry(id.clone(), bad)).await,
            "invalid_option"
        );
        let mut corrected = left[0]["order"].clone();
        corrected["currency"] = json!("EUR");
        let corrected = options(&json!({"order": corrected}));
        assert_eq!(done(client.orders().retry(id, corrected)).await, true);
        drained(&client).await;
        let body = service.requests()[1]["body"].as_str().unwrap().to_owned();
        let body: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(
            (&body["currency"], &body["ereceipt"]["phone"]),
            (&json!("EUR"), &json!("+972502345678"))
        );
        let keys = keys(&service);
        assert_ne!(keys[0], keys[1], "another body needs another key");
    }
}

#[wasm_bindgen_test]
async fn an_order_on_which_the_service_fails_holds_up_no_other() {
    for vault in VAULTS {
        let broken = json!({"status": 500, "body": {"success": false, "code": "internal_error"}});
        let service = Service::ordered(json!({"order": [broken, broken, broken]}));
        let client = service.merchant_in(vault);
        assert_eq!(send(&client, "A-1").await["state"], "queued");
        assert_eq!(send(&client, "A-2").await["state"], "queued");
        // The third try of the first one; then it lets the others pass.
        assert_eq!(send(&client, "A-3").await["state"], "accepted");
        assert_eq!(service.kept(), 2);
        let left = outbox(&client).await;
        assert_eq!((left.len(), &left[0]["externalId"]), (1, &json!("A-1")));
        drained(&client).await;
        assert_eq!(service.kept(), 3);
    }
}

#[wasm_bindgen_test]
async fn a_person_sends_what_waits_at_once() {
    for vault in VAULTS {
        let busy = json!({
            "status": 429, "headers": {"retry-after": "300"}, "body": {"success": false, "code": "rate_limited"}
        });
        let service = Service::ordered(json!({"order": [busy]}));
        let client = service.merchant_in(vault);
        assert_eq!(send(&client, "A-1").await["state"], "queued");
        let left = outbox(&client).await;
        let id = JsValue::from(left[0]["id"].as_str().unwrap());
        let other = options(&json!({"order": order("A-1")}));
        assert_eq!(
            code_of(client.orders().retry(id.clone(), other)).await,
            "invalid_option"
        );
        assert_eq!(done(client.orders().retry(id, no_options())).await, true);
        drained(&client).await;
        assert_eq!(keys(&service).len(), 2);
        let nothing = client.orders().retry("nothing".into(), no_options());
        assert_eq!(done(nothing).await, false);
    }
}

/// Its user would wait for up to a minute, in front of a till that works.
#[wasm_bindgen_test]
async fn a_new_page_tries_at_once() {
    let down = vec![json!({"fault": "network"}); 30];
    let service = Service::ordered(json!({"order": down}));
    let closed = service.merchant_in("indexeddb");
    // Each is a try, so that the next one is not due for 24 s.
    for order in ["A-1", "A-2", "A-3", "A-4", "A-5"] {
        assert_eq!(send(&closed, order).await["state"], "queued");
    }
    assert!(outbox(&closed).await[0]["tries"].as_u64() >= Some(6));
    closed.destroy();
    let tries = service.requests().len();
    let _page = service.merchant_in("indexeddb");
    eventually(move || service.requests().len() > tries).await;
}

#[wasm_bindgen_test]
async fn a_page_that_found_nothing_leaves_the_next_try_its_time() {
    let service = Service::ordered(json!({"order": [{"fault": "network"}]}));
    let [idle, selling] = ["indexeddb"; 2].map(|vault| service.merchant_in(vault));
    sleep(200).await;
    for page in [&idle, &selling] {
        assert!(outbox(page).await.is_empty());
    }
    let _sent = send(&selling, "A-1").await;
    drained(&selling).await;
    let at = |call: usize| service.requests()[call]["at"].as_f64().unwrap();
    // A second, give or take a quarter.
    let pause = at(1) - at(0);
    assert!((750.0..=1_250.0).contains(&pause), "{pause} ms");
}

#[wasm_bindgen_test]
async fn what_stands_behind_a_discarded_order_goes_at_once() {
    for vault in VAULTS {
        let busy = json!({
            "status": 429, "headers": {"retry-after": "300"}, "body": {"success": false, "code": "rate_limited"}
        });
        let service = Service::ordered(json!({"order": [busy]}));
        let client = service.merchant_in(vault);
        assert_eq!(send(&client, "A-1").await["state"], "queued");
        assert_eq!(send(&client, "A-2").await["state"], "queued");
        let left = outbox(&client).await;
        let id = JsValue::from(left[0]["id"].as_str().unwrap());
        assert_eq!(done(client.orders().discard(id)).await, true);
        drained(&client).await;
        assert_eq!(service.kept(), 1);
    }
}

#[wasm_bindgen_test]
async fn forgetting_erases_what_waits() {
    for vault in VAULTS {
        let down = json!([{"fault": "network"}, {"fault": "network"}]);
        let service = Service::ordered(json!({"order": down}));
        let (told, changes) = recorder();
        let client = service.merchant_with(&[("vault", &vault.into()), ("onOutbox", &told.into())]);
        assert_eq!(send(&client, "A-1").await["state"], "queued");
        done(client.forget()).await;
        assert!(outbox(&client).await.is_empty());
        let last = changes.get(changes.length() - 1);
        assert_eq!(
            (text(&last, "state"), text(&last, "externalId")),
            ("discarded".into(), "A-1".into())
        );
        sleep(600_000).await;
        assert_eq!(service.kept(), 0);
    }
}

/// They were paid. And whoever mends `connection_ended` presses the same button.
#[wasm_bindgen_test]
async fn disconnecting_keeps_what_waits() {
    for vault in VAULTS {
        let down = json!([{"fault": "network"}, {"fault": "network"}]);
        let service = Service::ordered(json!({"order": down}));
        let client = service.merchant_in(vault);
        assert_eq!(send(&client, "A-1").await["state"], "queued");
        done(client.disconnect(no_options())).await;
        drained(&client).await;
        assert_eq!(service.kept(), 1);
    }
}

/// The merchant has connected in front of this till, and looks whether the orders go.
#[wasm_bindgen_test]
async fn what_waits_for_a_connection_goes_with_it() {
    let absent =
        json!({"status": 404, "body": {"success": false, "code": "not_connected", "status": 404}});
    let service = Service::ordered(json!({"order": vec![absent; 5]}));
    let client = service.merchant_in("memory");
    for order in ["A-1", "A-2", "A-3", "A-4", "A-5"] {
        assert_eq!(send(&client, order).await["state"], "queued");
    }
    assert_eq!(service.kept(), 0);
    let begun = now();
    let integration = integration(&client).await;
    service.decide("finished");
    access(&integration).await;
    drained(&client).await;
    // Less than any rest.
    assert!(now() - begun < 500.0, "{} ms", now() - begun);
    assert_eq!(service.kept(), 5);
}
