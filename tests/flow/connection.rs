//! One merchant, many tills: the relay knows the connection for all of them.

use crate::support::*;
use js_sys::{Array, Function};
use pos_connect::PosConnect;
use std::rc::Rc;

fn no_options() -> JsValue {
    JsValue::UNDEFINED
}

async fn known(client: &PosConnect) -> Value {
    to_value(&done(client.connection()).await)
}

fn over(code: &str, status: u16) -> Value {
    json!({"status": status, "body": {"success": false, "code": code}})
}

/// What is known is looked at anew after so long.
const FRESH_MS: u32 = 15_000;

#[wasm_bindgen_test]
async fn a_second_till_asks_the_relay() {
    for vault in VAULTS {
        let service = Service::as_specified();
        let client = service.till_with(&[("vault", &vault.into())]);
        let connection = known(&client).await;
        assert_eq!(connection["ereceipt"], true);
        assert_eq!(connection["account"]["name"], "Corner Bakery");
        assert_eq!(connection["expiration"], "2031-05-06T07:08:09.000Z");
        assert_eq!(
            service.requests()[0]["headers"]["authorization"],
            "Bearer till-key"
        );
        // It is kept.
        assert_eq!(known(&client).await, connection);
        assert_eq!(service.operations(), "connection");
    }
}

#[wasm_bindgen_test]
async fn a_second_till_offers_the_keypad() {
    let service = Service::as_specified();
    let client = service.till_with(&[("vault", &"memory".into())]);
    let order = to_js(&json!({"orderId": "A-1", "region": "IL"}));
    let receipt = begun(client.receipt_for(order));
    eventually(|| {
        document()
            .query_selector("ereceipt-keypad")
            .unwrap()
            .is_some()
    })
    .await;
    client.destroy();
    assert_eq!(text(&done(receipt).await, "reason"), "aborted");
}

#[wasm_bindgen_test]
async fn a_change_is_seen_after_a_quarter_of_a_minute() {
    let changed = json!({"change": {"ereceipt": false}});
    let service = Service::ordered(json!({"connection": [{}, changed]}));
    let client = service.till_with(&[("vault", &"memory".into())]);
    assert_eq!(known(&client).await["ereceipt"], true);
    sleep(FRESH_MS - 1).await;
    assert_eq!(known(&client).await["ereceipt"], true);
    sleep(1).await;
    assert_eq!(known(&client).await["ereceipt"], false);
    assert_eq!(service.calls("connection"), 2);
}

#[wasm_bindgen_test]
async fn a_relay_that_does_not_answer_changes_nothing() {
    let fault = json!({"fault": "network"});
    let service = Service::ordered(json!({"connection": [fault, {}, fault, {"status": 503}]}));
    let client = service.till_with(&[("vault", &"memory".into())]);
    assert_eq!(code_of(client.connection()).await, "network");
    assert_eq!(known(&client).await["ereceipt"], true);
    for _ in 0..2 {
        sleep(FRESH_MS).await;
        assert_eq!(known(&client).await["ereceipt"], true);
    }
    assert_eq!(service.calls("connection"), 4);
}

#[wasm_bindgen_test]
async fn an_end_is_told_once() {
    for (vault, code, status) in [
        ("memory", "not_connected", 404),
        ("indexeddb", "connection_ended", 409),
    ] {
        let end = over(code, status);
        let service = Service::ordered(json!({"connection": [{}, end, end]}));
        let (told, ends) = recorder();
        let more: [(&str, &JsValue); 2] = [
            ("onConnectionEnded", &told.into()),
            ("vault", &vault.into()),
        ];
        let client = service.till_with(&more);
        // Between two of the looks that it takes by itself.
        sleep(30_000).await;
        known(&client).await;
        sleep(FRESH_MS).await;
        assert_eq!(known(&client).await, Value::Null);
        assert_eq!(known(&client).await, Value::Null);
        assert_eq!(ends.length(), 1, "{code}");
    }
}

#[wasm_bindgen_test]
async fn an_order_finds_out_that_the_connection_is_over() {
    let end = over("connection_ended", 409);
    let service =
        Service::ordered(json!({"connection": [{}, over("not_connected", 404)], "order": [end]}));
    let (told, ends) = recorder();
    let more: [(&str, &JsValue); 2] = [
        ("onConnectionEnded", &told.into()),
        ("vault", &"memory".into()),
    ];
    let client = service.till_with(&more);
    known(&client).await;
    let order = json!({
        "externalId": "A-1", "time": "2026-11-23T10:30:00+02:00", "currency": "ILS", "total": 1,
        "lines": [{"name": "Bread", "quantity": 1, "amount": 1}],
    });
    let sent = to_value(&done(client.orders().send(to_js(&order), no_options())).await);
    assert_eq!(
        (&sent["state"], &sent["error"]["code"]),
        (&json!("queued"), &json!("connection_ended"))
    );
    let length = |ends: &Array| ends.length() == 1;
    eventually(move || length(&ends)).await;
    client.destroy();
}

/// A back end of the vendor's own need not have the call.
#[wasm_bindgen_test]
async fn a_back_end_without_the_call_is_asked_once() {
    let service = Service::ordered(json!({"connection": [{"status": 404, "text": "Not found"}]}));
    let client = service.till_with(&[("vault", &"memory".into())]);
    for _ in 0..3 {
        assert_eq!(known(&client).await, Value::Null);
    }
    assert_eq!(service.calls("connection"), 1);
}

#[wasm_bindgen_test]
async fn without_a_relay_nobody_is_asked() {
    let service = Service::as_specified();
    assert_eq!(known(&service.client_in("memory")).await, Value::Null);
    assert_eq!(known(&service.merchant_in("memory")).await, Value::Null);
    assert_eq!(service.operations(), "");
}

#[wasm_bindgen_test]
async fn disconnecting_ends_it_for_every_till() {
    for vault in VAULTS {
        let service = Service::ordered(
            json!({"connection": [{}, over("not_connected", 404)], "disconnect": [{"fault": "network"}]}),
        );
        let client = service.till_with(&[("vault", &vault.into())]);
        known(&client).await;
        // Not confirmed: nothing is forgotten.
        assert_eq!(code_of(client.disconnect(no_options())).await, "network");
        assert_eq!(known(&client).await["ereceipt"], true);
        done(client.disconnect(no_options())).await;
        done(client.disconnect(no_options())).await;
        assert_eq!(known(&client).await, Value::Null);
        assert_eq!(
            service.operations(),
            "connection disconnect disconnect disconnect connection"
        );
    }
}

#[wasm_bindgen_test]
async fn another_page_hears_of_both() {
    let service = Service::as_specified();
    let (connected, connections) = recorder();
    let (ended, ends) = recorder();
    let told: [(&str, &JsValue); 2] = [
        ("onConnected", &connected.into()),
        ("onConnectionEnded", &ended.into()),
    ];
    let (till, other) = (service.till_with(&told), service.till_with(&told));
    // Nobody has connected: there is no end.
    done(till.forget()).await;
    assert_eq!(known(&till).await["ereceipt"], true);
    eventually(is_one(&connections)).await;
    assert_eq!(to_value(&connections.get(0)), known(&other).await);
    done(till.disconnect(no_options())).await;
    eventually(is_one(&ends)).await;
    other.destroy();
    assert_eq!(known(&till).await["ereceipt"], true);
    sleep(1_000).await;
    assert_eq!((connections.length(), ends.length()), (1, 1));
    till.destroy();
}

#[wasm_bindgen_test]
async fn without_a_relay_the_tokens_are_revoked() {
    let service = Service::as_specified();
    let client = service.merchant_in("memory");
    done(client.disconnect(no_options())).await;
    let sent = &service.requests()[0];
    assert_eq!(
        (&sent["operation"], &sent["query"]),
        (&json!("revoke"), &json!({}))
    );
    assert_eq!(
        sent["body"],
        "client_id=till&client_secret=hunter2&token=access-1"
    );
    assert_eq!(
        sent["headers"]["content-type"],
        "application/x-www-form-urlencoded"
    );
    let error = failed(service.client_in("memory").disconnect(no_options())).await;
    assert_eq!(code(&error), "invalid_option");
}

fn is_one(ends: &Array) -> impl FnMut() -> bool + 'static {
    let ends = ends.clone();
    move || ends.length() == 1
}

/// Nobody sells, nobody looks: the page that wakes asks, and so does the timer.
#[wasm_bindgen_test]
async fn an_idle_till_hears_of_the_end() {
    for is_woken in [true, false] {
        let end = over("not_connected", 404);
        let service = Service::ordered(json!({"connection": [{}, end, end]}));
        let (told, ends) = recorder();
        let more: [(&str, &JsValue); 2] = [
            ("onConnectionEnded", &told.into()),
            ("vault", &"memory".into()),
        ];
        let client = service.till_with(&more);
        // It knows of no connection, and asks for none.
        online();
        sleep(59_000).await;
        assert_eq!(service.calls("connection"), 0);
        assert_eq!(known(&client).await["ereceipt"], true);
        online();
        sleep(FRESH_MS - 1).await;
        assert_eq!(service.calls("connection"), 1, "not before its time");
        sleep(1).await;
        assert_eq!(service.calls("connection"), 1);
        // By itself it looks once a minute.
        match is_woken {
            true => drop((online(), online())),
            false => sleep(60_000).await,
        }
        eventually(is_one(&ends)).await;
        online();
        sleep(60_000).await;
        assert_eq!((ends.length(), service.calls("connection")), (1, 2));
        client.destroy();
    }
}

#[wasm_bindgen_test]
async fn who_does_not_listen_costs_the_relay_nothing() {
    let service = Service::as_specified();
    let client = service.till_with(&[("vault", &"memory".into())]);
    assert_eq!(known(&client).await["ereceipt"], true);
    sleep(2 * FRESH_MS).await;
    online();
    sleep(FRESH_MS).await;
    assert_eq!(service.calls("connection"), 1);
    client.destroy();
}

#[wasm_bindgen_test]
async fn a_till_that_is_looked_at_hears_of_a_switch_and_asks_no_sooner_than_it_is_told() {
    let busy = json!({"status": 429, "headers": {"retry-after": "90"}});
    let off = json!({"change": {"ereceipt": false}});
    let service = Rc::new(Service::ordered(
        json!({"connection": [{}, busy, off, off, off]}),
    ));
    let (changed, changes) = recorder();
    let more: [(&str, &JsValue); 2] = [
        ("onConnectionEnded", &Function::default()),
        ("vault", &"memory".into()),
    ];
    let client = service.till_with(&more);
    assert_eq!(known(&client).await["ereceipt"], true);
    // Halfway between two looks of the page.
    sleep(30_000).await;
    for (minute, calls) in [(1, 2), (2, 2), (3, 3)] {
        sleep(60_000).await;
        let asked = service.clone();
        eventually(move || asked.calls("connection") >= calls).await;
        assert_eq!(service.calls("connection"), calls, "minute {minute}");
    }
    assert_eq!(known(&client).await["ereceipt"], false);
    client.observe(changed);
    sleep(60_000).await;
    assert_eq!(changes.get(0), true, "An observer looks by itself.");
    client.destroy();
}
