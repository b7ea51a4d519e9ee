//! `orders.send`: nothing is lost, nothing is sent twice, and the till knows whether to print.

use crate::support::*;
use js_sys::Array;
use pos_connect::PosConnect;

pub fn order(id: &str) -> Value {
    json!({
        "externalId": id, "time": "2026-11-23T10:30:00+02:00", "currency": "ILS", "total": 1191,
        "lines": [{"name": "Bread", "quantity": 1, "amount": 1191}],
    })
}

/// What `receiptFor` gives.
pub fn receipt(kind: &str, id: &str) -> Value {
    let consent =
        json!({"id": "ereceipt-1", "locale": "en", "text": "Yes", "at": "2026-11-23T08:30:00Z"});
    json!({"kind": kind, "print": kind == "print", "orderId": id, "phone": "+972502345678", "consent": consent})
}

pub fn no_options() -> JsValue {
    JsValue::UNDEFINED
}

pub fn options(value: &Value) -> JsValue {
    to_js(value)
}

pub async fn send(client: &PosConnect, id: &str) -> Value {
    to_value(&done(client.orders().send(to_js(&order(id)), no_options())).await)
}

pub async fn outbox(client: &PosConnect) -> Vec<Value> {
    let listed = to_value(&done(client.orders().list()).await);
    listed.as_array().unwrap().clone()
}

/// Waits until nothing is left to send.
pub async fn drained(client: &PosConnect) {
    for _ in 0..750 {
        if outbox(client).await.is_empty() {
            return;
        }
        sleep(20).await;
    }
    panic!("never drained");
}

pub fn keys(service: &Service) -> Vec<Value> {
    let sent = service.requests();
    let orders = sent.iter().filter(|sent| sent["operation"] == "order");
    orders
        .map(|sent| sent["headers"]["idempotency-key"].clone())
        .collect()
}

#[wasm_bindgen_test]
async fn an_order_is_accepted() {
    for vault in VAULTS {
        let service = Service::as_specified();
        let client = service.merchant_in(vault);
        let sent = send(&client, "A-1").await;
        assert_eq!(sent["state"], "accepted");
        assert_eq!(
            (&sent["externalId"], &sent["print"]),
            (&json!("A-1"), &json!(true))
        );
        assert_eq!(sent["receivedAt"], "2026-11-23T08:30:00.000Z");
        assert!(
            sent.get("error").is_none() && sent.get("ereceipt").is_none(),
            "{sent}"
        );
        let request = &service.requests()[0];
        assert_eq!(request["method"], "POST");
        assert_eq!(request["headers"]["content-type"], "application/json");
        assert_eq!(request["headers"]["authorization"], "Bearer access-1");
        assert_eq!(request["query"], json!({}));
        let body: Value = serde_json::from_str(request["body"].as_str().unwrap()).unwrap();
        assert_eq!(body, order("A-1"));
        assert!(outbox(&client).await.is_empty());
    }
}

#[wasm_bindgen_test]
async fn a_date_and_what_is_undefined_are_taken_as_json_has_them() {
    let service = Service::as_specified();
    let client = service.merchant_in("memory");
    let date = js_sys::Date::new(&"2026-11-23T08:30:00Z".into());
    let more: [(&str, &JsValue); 2] =
        [("time", &date.clone().into()), ("tax", &JsValue::UNDEFINED)];
    done(
        client
            .orders()
            .send(with(&order("A-1"), &more), no_options()),
    )
    .await;
    let body = service.requests()[0]["body"].as_str().unwrap().to_owned();
    assert!(!body.contains("tax"));
    // The receipt shows the time of the shop, not that of Greenwich.
    let sent: Value = serde_json::from_str(&body).unwrap();
    let time = sent["time"].as_str().unwrap();
    let (clock, offset) = time.split_at(time.len() - 6);
    assert!(
        offset.starts_with(['+', '-']) && &offset[3..4] == ":",
        "{time}"
    );
    let hours: f64 = offset[..3].parse().unwrap();
    assert_eq!(
        hours.abs() * 60.0 + offset[4..].parse::<f64>().unwrap(),
        date.get_timezone_offset().abs()
    );
    assert_eq!(
        js_sys::Date::new(&time.into()).get_time(),
        date.get_time(),
        "{clock}"
    );
}

#[wasm_bindgen_test]
async fn a_lost_answer_makes_no_second_order() {
    for vault in VAULTS {
        for fault in ["lost", "cut"] {
            let service = Service::ordered(json!({"order": [{"fault": fault}]}));
            let client = service.merchant_in(vault);
            let sent = send(&client, "A-1").await;
            assert_eq!(sent["state"], "accepted", "{fault}");
            let keys = keys(&service);
            assert_eq!(keys.len(), 2);
            assert_eq!(keys[0], keys[1]);
            assert_eq!(service.kept(), 1);
        }
    }
}

#[wasm_bindgen_test]
async fn what_does_not_arrive_waits() {
    for vault in VAULTS {
        let down = json!([{"fault": "network"}, {"fault": "network"}, {"fault": "network"}]);
        let service = Service::ordered(json!({"order": down}));
        let client = service.merchant_in(vault);
        let sent = send(&client, "A-1").await;
        assert_eq!(
            (&sent["state"], &sent["print"]),
            (&json!("queued"), &json!(true))
        );
        assert_eq!(sent["error"]["code"], "network");
        let waiting = outbox(&client).await;
        assert_eq!(waiting.len(), 1);
        assert_eq!(
            (&waiting[0]["state"], &waiting[0]["tries"]),
            (&json!("queued"), &json!(2))
        );
        assert_eq!(waiting[0]["order"], order("A-1"));
        assert_eq!(waiting[0]["id"], sent["id"]);
        // A second order comes while the first one waits: both go out, in order.
        assert_eq!(send(&client, "A-2").await["state"], "queued");
        drained(&client).await;
        assert_eq!(service.kept(), 2);
        let sent = service.requests();
        let last: Vec<bool> = ["A-1", "A-2"]
            .iter()
            .zip(&sent[sent.len() - 2..])
            .map(|(id, sent)| sent["body"].as_str().unwrap().contains(id))
            .collect();
        assert_eq!(last, [true, true]);
    }
}

#[wasm_bindgen_test]
async fn the_next_page_sends_what_is_left() {
    let down = json!([{"fault": "network"}, {"fault": "network"}]);
    let service = Service::ordered(json!({"order": down}));
    let client = service.merchant_in("indexeddb");
    assert_eq!(send(&client, "A-1").await["state"], "queued");
    client.destroy();
    let next = service.merchant_in("indexeddb");
    drained(&next).await;
    assert_eq!(service.kept(), 1);
}

#[wasm_bindgen_test]
async fn another_page_sends_when_this_one_is_gone() {
    let service = Service::ordered(json!({"order": [{"fault": "network"}, {"fault": "network"}]}));
    let other = service.merchant_in("indexeddb");
    let client = service.merchant_in("indexeddb");
    assert_eq!(send(&client, "A-1").await["state"], "queued");
    client.destroy();
    drained(&other).await;
    assert_eq!(service.kept(), 1);
}

/// Else it would show the order as waiting, for good.
#[wasm_bindgen_test]
async fn a_page_hears_what_another_one_sent_while_it_ended() {
    let service = Service::ordered(json!({"order": [{"delayMs": 300}]}));
    let (told, changes) = recorder();
    let ended = service.merchant_in("indexeddb");
    let stays = service.merchant_with(&[("onOutbox", &told.into())]);
    // It has looked for orders, and does not look again by itself.
    sleep(200).await;
    assert!(outbox(&stays).await.is_empty());
    let sending = begun(ended.orders().send(to_js(&order("A-1")), no_options()));
    service.until_called("order", 1).await;
    ended.destroy();
    drop(sending);
    let is_accepted = move || {
        changes
            .iter()
            .any(|change| text(&change, "state") == "accepted")
    };
    eventually(is_accepted).await;
    assert_eq!(service.calls("order"), 1);
}

#[wasm_bindgen_test]
async fn a_page_hears_what_another_one_has_sent() {
    let service = Service::ordered(json!({"order": [{"delayMs": 300}]}));
    let (told, changes) = recorder();
    let first = service.merchant_in("indexeddb");
    let second = service.merchant_with(&[("onOutbox", &told.into())]);
    let one = begun(first.orders().send(to_js(&order("A-1")), no_options()));
    let two = begun(second.orders().send(to_js(&order("A-2")), no_options()));
    assert_eq!(text(&done(one).await, "state"), "accepted");
    assert_eq!(text(&done(two).await, "state"), "accepted");
    let accepted = |changes: &Array| {
        let of = |change: &JsValue| text(change, "state") == "accepted";
        changes.iter().filter(of).count() == 2
    };
    eventually(move || accepted(&changes)).await;
    assert_eq!(service.kept(), 2);
}

#[wasm_bindgen_test]
async fn a_page_of_some_proxy_refuses_nothing() {
    let portal = json!({"status": 200, "text": "<h1>Welcome to our wifi</h1>"});
    let proxy = json!({"status": 403, "text": "<h1>Forbidden</h1>"});
    let large = json!({"status": 413, "text": "<h1>Too large</h1>"});
    let service = Service::ordered(json!({"order": [portal, proxy, large]}));
    let client = service.merchant_in("memory");
    let sent = send(&client, "A-1").await;
    assert_eq!(
        (&sent["state"], &sent["error"]["code"]),
        (&json!("queued"), &json!("protocol"))
    );
    drained(&client).await;
    assert_eq!(service.kept(), 1);
    assert_eq!(service.calls("order"), 4);
}

#[wasm_bindgen_test]
async fn a_receipt_goes_with_its_order() {
    let service = Service::as_specified();
    let client = service.merchant_in("memory");
    let with_receipt = options(&json!({"receipt": receipt("ereceipt", "A-1")}));
    let sent = to_value(&done(client.orders().send(to_js(&order("A-1")), with_receipt)).await);
    assert_eq!(
        (&sent["print"], &sent["ereceipt"]),
        (&json!(false), &json!("queued"))
    );
    let body = service.requests()[0]["body"].as_str().unwrap().to_owned();
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(body["ereceipt"]["phone"], "+972502345678");
    assert_eq!(body["ereceipt"]["consent"]["id"], "ereceipt-1");
    for (kind, print) in [("print", true), ("none", false)] {
        let id = ["B-", kind].concat();
        let options = options(&json!({"receipt": receipt(kind, &id)}));
        let sent = to_value(&done(client.orders().send(to_js(&order(&id)), options)).await);
        assert_eq!(sent["print"], print, "{kind}");
        let body = service.requests().last().unwrap()["body"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(!body.contains("ereceipt"), "{body}");
    }
}

#[wasm_bindgen_test]
async fn an_order_is_not_lost_for_its_ereceipt() {
    for (status, word) in [(403, "ereceipt_not_enabled"), (422, "too_many_messages")] {
        let refused = json!({"status": status, "body": {"success": false, "code": word}});
        let service = Service::ordered(json!({"order": [refused]}));
        let client = service.merchant_in("indexeddb");
        let with_receipt =
            options(&json!({"receipt": receipt("ereceipt", "A-1"), "printIfQueued": false}));
        let sent = done(client.orders().send(to_js(&order("A-1")), with_receipt)).await;
        let error = js_sys::Reflect::get(&sent, &"error".into()).unwrap();
        assert_eq!(code(&error), word);
        let sent = to_value(&sent);
        assert_eq!(sent["state"], "accepted");
        assert_eq!(
            (&sent["print"], &sent["ereceipt"]),
            (&json!(true), &json!("refused"))
        );
        let body = service.requests()[1]["body"].as_str().unwrap().to_owned();
        assert!(!body.contains("+972"), "{body}");
    }
}

#[wasm_bindgen_test]
async fn the_host_says_whether_a_queued_receipt_is_printed() {
    for (given, print) in [
        (json!({}), true),
        (json!({"printIfQueued": true}), true),
        (json!({"printIfQueued": false}), false),
    ] {
        let down = json!([{"fault": "network"}, {"fault": "network"}]);
        let service = Service::ordered(json!({"order": down}));
        let client = service.merchant_in("memory");
        let mut given = given.clone();
        given["receipt"] = receipt("ereceipt", "A-1");
        let sent =
            to_value(&done(client.orders().send(to_js(&order("A-1")), options(&given))).await);
        assert_eq!(
            (&sent["state"], &sent["print"]),
            (&json!("queued"), &json!(print))
        );
        let waiting = outbox(&client).await;
        assert_eq!(waiting[0]["hasEreceipt"], true);
        assert!(
            !waiting[0].to_string().contains("502345678"),
            "{}",
            waiting[0]
        );
        client.destroy();
    }
}

#[wasm_bindgen_test]
async fn abort_and_destroy_take_nothing_back() {
    let service = Service::ordered(json!({"order": [{"delayMs": 500}]}));
    let client = service.merchant_in("indexeddb");
    let controller = web_sys::AbortController::new().unwrap();
    let signal = JsValue::from(controller.signal());
    let sending = begun(client.orders().send(
        to_js(&order("A-1")),
        with(&json!({}), &[("signal", &signal)]),
    ));
    service.until_called("order", 1).await;
    controller.abort();
    assert_eq!(text(&done(sending).await, "state"), "queued");
    drained(&client).await;
    assert_eq!(service.kept(), 1);
    // Before anything is kept, it is a usual abort.
    let options = with(&json!({}), &[("signal", &signal)]);
    assert_eq!(
        code_of(client.orders().send(to_js(&order("A-2")), options)).await,
        "aborted"
    );
    client.destroy();
    assert_eq!(
        code_of(client.orders().send(to_js(&order("A-3")), no_options())).await,
        "destroyed"
    );
    assert_eq!(service.kept(), 1);
}

#[wasm_bindgen_test]
async fn an_access_token_is_asked_for_again_after_a_401() {
    let service = Service::as_specified();
    let access = js_sys::Function::new_no_args(
        "return (this.asked = (this.asked ?? 0) + 1) === 1 ? 'old' : 'access-1'",
    );
    let access = access.bind0(&js_sys::Object::new());
    let client =
        service.client_with(&[("accessToken", &access.into()), ("vault", &"memory".into())]);
    assert_eq!(send(&client, "A-1").await["state"], "accepted");
    assert_eq!(service.calls("order"), 2);
}

#[wasm_bindgen_test]
async fn an_access_token_that_cannot_be_had_keeps_the_order() {
    let service = Service::as_specified();
    let access = js_sys::Function::new_no_args("throw new Error('mine')");
    let client =
        service.client_with(&[("accessToken", &access.into()), ("vault", &"memory".into())]);
    let sent = send(&client, "A-1").await;
    assert_eq!(
        (&sent["state"], &sent["error"]["code"]),
        (&json!("queued"), &json!("access_token_failed"))
    );
    client.destroy();
}
