//! The operations that are answered at once: the store's profile, the customers list, and a look at an order.

use crate::support::*;
use js_sys::Promise;
use pos_connect::PosConnect;

fn no_options() -> JsValue {
    JsValue::UNDEFINED
}

#[wasm_bindgen_test]
async fn the_profile_is_changed_by_a_patch() {
    let service = Service::as_specified();
    let client = service.merchant_in("memory");
    let before = to_value(&done(client.store().get(no_options())).await);
    assert_eq!(
        before,
        json!({"store": {"id": "s-1", "name": "Market Street"}, "profile": {"name": "Corner Bakery"}})
    );
    let patch = json!({"website": "https://bakery.example", "phone": null});
    let after = to_value(&done(client.store().update(to_js(&patch), no_options())).await);
    assert_eq!(after["profile"]["website"], "https://bakery.example");
    let sent: Value =
        serde_json::from_str(service.requests()[1]["body"].as_str().unwrap()).unwrap();
    assert_eq!(sent, patch);
    assert_eq!(service.operations(), "profile patch");
}

#[wasm_bindgen_test]
async fn customers_are_sent_under_a_key() {
    let service = Service::as_specified();
    let client = service.merchant_in("memory");
    let list =
        json!([{"externalId": "c-1", "name": "Dana"}, {"externalId": "c-2", "deleted": true}]);
    let results = to_value(&done(client.customers().send(to_js(&list), no_options())).await);
    assert_eq!(
        results,
        json!([{"externalId": "c-1", "result": "created"}, {"externalId": "c-2", "result": "created"}])
    );
    let sent = &service.requests()[0];
    let body: Value = serde_json::from_str(sent["body"].as_str().unwrap()).unwrap();
    assert_eq!(body, json!({"customers": list}));
    assert_eq!(
        sent["headers"]["idempotency-key"]
            .as_str()
            .unwrap()
            .split('-')
            .count(),
        4
    );
    let key = to_js(&json!({"idempotencyKey": "list-7"}));
    done(client.customers().send(to_js(&list), key)).await;
    assert_eq!(
        service.requests()[1]["headers"]["idempotency-key"],
        "list-7"
    );
    let many = vec![json!({"externalId": "c"}); 1_001];
    for (wrong, options, message) in [
        (json!({}), json!({}), "customers: is not an array"),
        (
            json!([]),
            json!({}),
            "customers: must have 1 to 1,000 items",
        ),
        (
            json!(many),
            json!({}),
            "customers: must have 1 to 1,000 items",
        ),
        (
            json!([{"externalId": "x".repeat(1 << 20)}]),
            json!({}),
            "customers: is longer than 1,048,576 bytes",
        ),
        (
            json!([1]),
            json!({"idempotencyKey": "a b"}),
            "idempotencyKey: must have 1 to 64 visible ASCII characters",
        ),
    ] {
        let error = failed(client.customers().send(to_js(&wrong), to_js(&options))).await;
        assert_eq!(
            (code(&error), text(&error, "message")),
            ("invalid_option".into(), message.into())
        );
    }
    assert_eq!(service.calls("customers"), 2);
}

#[wasm_bindgen_test]
async fn an_order_can_be_looked_at() {
    let service = Service::as_specified();
    let client = service.merchant_in("memory");
    assert_eq!(
        done(client.orders().get("a/1".into(), no_options())).await,
        JsValue::NULL
    );
    let order = json!({
        "externalId": "a/1", "time": "2026-11-23T10:30:00+02:00", "currency": "ILS", "total": 1191,
        "lines": [{"name": "Bread", "quantity": 1, "amount": 1191}],
    });
    done(client.orders().send(to_js(&order), no_options())).await;
    let found = to_value(&done(client.orders().get("a/1".into(), no_options())).await);
    assert_eq!(
        found,
        json!({"order": order, "receivedAt": "2026-11-23T08:30:00.000Z"})
    );
    for wrong in [
        JsValue::UNDEFINED,
        "".into(),
        ".".into(),
        "x".repeat(201).into(),
    ] {
        assert_eq!(
            code_of(client.orders().get(wrong, no_options())).await,
            "invalid_option"
        );
    }
}

/// That of a wrong address must not look like an order that never arrived.
#[wasm_bindgen_test]
async fn not_every_404_is_a_missing_order() {
    let elsewhere = json!({"status": 404, "body": {"success": false, "code": "not_found"}});
    let not_ours = json!({"status": 404, "text": "<h1>Not found</h1>"});
    let gone = json!({"status": 404, "body": {"success": false, "code": "not_connected"}});
    let service = Service::ordered(json!({"look": [elsewhere, not_ours, gone]}));
    let client = service.merchant_in("memory");
    for expected in ["unexpected_status", "network", "not_connected"] {
        assert_eq!(
            code_of(client.orders().get("A-1".into(), no_options())).await,
            expected
        );
    }
}

/// Each of them hangs until its caller gives it up.
#[wasm_bindgen_test]
async fn every_call_that_waits_is_given_up_by_its_signal() {
    type Begin = fn(&PosConnect, JsValue) -> Promise;
    let calls: [(&str, Begin); 5] = [
        ("profile", |client, options| client.store().get(options)),
        ("patch", |client, options| {
            let patch = to_js(&json!({"name": "Bakery"}));
            client.store().update(patch, options)
        }),
        ("customers", |client, options| {
            let list = to_js(&json!([{"externalId": "c-1"}]));
            client.customers().send(list, options)
        }),
        ("look", |client, options| {
            client.orders().get("A-1".into(), options)
        }),
        ("disconnect", |client, options| client.disconnect(options)),
    ];
    for (operation, begin) in calls {
        let hang = json!({"fault": "hang"});
        let service = Service::ordered(json!({operation: [hang, hang]}));
        let client = match operation {
            "disconnect" => service.till_with(&[("vault", &"memory".into())]),
            _ => service.merchant_in("memory"),
        };
        let controller = web_sys::AbortController::new().unwrap();
        let signal = JsValue::from(controller.signal());
        let options = || with(&json!({}), &[("signal", &signal)]);
        let waiting = begin(&client, options());
        service.until_called(operation, 1).await;
        controller.abort();
        assert_eq!(code_of(waiting).await, "aborted", "{operation}");
        assert_eq!(
            (service.calls(operation), service.given_up()),
            (1, 1),
            "{operation}"
        );
        // A signal that is over before sends nothing.
        assert_eq!(
            code_of(begin(&client, options())).await,
            "aborted",
            "{operation}"
        );
        assert_eq!(service.calls(operation), 1, "{operation}");
        client.destroy();
    }
}
