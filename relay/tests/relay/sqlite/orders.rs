//! Orders on their whole way: till, relay, service.

use crate::http::{Answer, Call};
use crate::proxy::Fault;
use crate::rig::{Rig, settings};
use pos_connect_relay::upstream::Patience;
use serde_json::{Value, json};
use std::collections::HashSet;

const ORDERS: &str = "/v1/orders";

fn order(id: &str) -> Value {
    json!({
        "externalId": id, "time": "2026-11-23T10:30:00+02:00", "currency": "ILS", "total": 1191,
        "lines": [{"name": "Bread", "quantity": 1, "amount": 1191}],
    })
}

fn post(rig: &Rig, key: &str, body: &Value) -> Call {
    rig.call(&rig.till, "POST", ORDERS)
        .header("Content-Type", "application/json")
        .header("Idempotency-Key", key)
        .body(body.to_string())
}

async fn read(rig: &Rig, target: &str) -> Answer {
    rig.call(&rig.till, "GET", target).send(rig.address).await
}

/// Both count from 1, and neither loses a sale.
#[tokio::test]
async fn each_till_of_a_merchant_has_its_own_numbers() {
    let rig = Rig::with_connection().await;
    for (till, total) in [(&rig.till, 100), (&rig.neighbor, 200)] {
        let mut body = order("1");
        body["total"] = total.into();
        let post = rig
            .call(till, "POST", ORDERS)
            .header("Content-Type", "application/json");
        let sent = post.body(body.to_string()).send(rig.address).await;
        assert_eq!(sent.status, 200, "{}", sent.body);
        let found = rig
            .call(till, "GET", "/v1/orders/1")
            .send(rig.address)
            .await;
        assert_eq!(found.json()["order"]["total"], total);
        let posted = rig.proxy.seen("POST", ORDERS).pop().unwrap();
        assert_eq!(posted.body, body.to_string(), "byte for byte");
    }
}

#[tokio::test]
async fn an_order_goes_all_the_way_and_can_be_looked_at() {
    let rig = Rig::with_connection().await;
    let sent = post(&rig, "k-1", &order("a/b ש")).send(rig.address).await;
    assert_eq!(sent.status, 200, "{}", sent.body);
    assert_eq!(sent.header("idempotent-replayed"), None);
    let again = post(&rig, "k-1", &order("a/b ש")).send(rig.address).await;
    assert_eq!(
        (&again.body, again.header("idempotent-replayed")),
        (&sent.body, Some("true"))
    );
    assert_eq!(
        read(&rig, "/v1/orders/a%2fb%20%d7%a9").await.body,
        sent.body
    );
    // Written anew on its way: one form for every way of writing it.
    assert_eq!(rig.proxy.seen("GET", "/v1/orders/a%2Fb%20%D7%A9").len(), 1);
    assert_eq!(
        read(&rig, "/v1/orders/none").await.code(),
        "order_not_found"
    );
    let wrong = post(&rig, "k-2", &json!({"externalId": 1}))
        .send(rig.address)
        .await;
    assert_eq!(
        (wrong.status, &wrong.json()["pointer"]),
        (422, &json!("/externalId"))
    );
    let profile = json!({"name": "Corner Bakery"});
    let patched = rig
        .call(&rig.till, "PATCH", "/v1/store")
        .header("Content-Type", "application/json");
    assert_eq!(
        patched
            .body(profile.to_string())
            .send(rig.address)
            .await
            .status,
        200
    );
    assert_eq!(read(&rig, "/v1/store").await.json()["profile"], profile);
}

/// The answer is lost between service and relay: the relay asks again, and the order stays one.
/// The service says which bodies it reads, and the till hears it.
#[tokio::test]
async fn a_body_in_a_coding_is_refused_with_those_that_are_read() {
    let rig = Rig::with_connection().await;
    let call = post(&rig, "k-1", &order("1")).header("Content-Encoding", "gzip");
    let refused = call.send(rig.address).await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (415, "unsupported_media_type")
    );
    assert_eq!(refused.header("accept-encoding"), Some("identity"));
    let plain = order("1").to_string().replace("1191", "1191.0");
    let call = rig
        .call(&rig.till, "POST", ORDERS)
        .header("Content-Type", "application/json");
    let accepted = call
        .body(format!("\u{feff}{plain}"))
        .send(rig.address)
        .await;
    assert_eq!(accepted.json()["order"]["total"], 1191, "{}", accepted.body);
}

#[tokio::test]
async fn an_answer_that_is_lost_costs_nothing() {
    let rig = Rig::with_connection().await;
    rig.proxy
        .faults(ORDERS, vec![Fault::DropAfter, Fault::DropAfter]);
    let sent = post(&rig, "k-1", &order("1041")).send(rig.address).await;
    assert_eq!(
        (sent.status, sent.header("idempotent-replayed")),
        (200, Some("true")),
        "{}",
        sent.body
    );
    assert_eq!(rig.proxy.seen("POST", ORDERS).len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_calls_at_once_make_one_order() {
    // A busy machine answers the last of them late.
    let rig = Rig::with(settings(), Patience::default()).await;
    rig.connected().await;
    for round in 0..4 {
        let id = format!("round-{round}");
        let send = |till: usize| {
            tokio::spawn(post(&rig, &format!("{id}-{}", till % 5), &order(&id)).send(rig.address))
        };
        let calls: Vec<_> = (0..8).map(send).collect();
        let mut bodies = HashSet::new();
        for call in calls {
            let answer = call.await.unwrap();
            assert_eq!(answer.status, 200, "{}", answer.body);
            bodies.insert(answer.body);
        }
        assert_eq!(bodies.len(), 1);
        let reused = post(&rig, &format!("{id}-0"), &order("other"))
            .send(rig.address)
            .await;
        assert_eq!(
            (reused.status, reused.code().as_str()),
            (422, "idempotency_key_reused")
        );
    }
}

#[tokio::test]
async fn the_services_keys_come_through() {
    let rig = Rig::new().await;
    assert_eq!(read(&rig, "/v1/keys").await.code(), "not_connected");
    rig.connected().await;
    let keys = read(&rig, "/v1/keys").await;
    assert_eq!(keys.status, 200, "{}", keys.body);
    assert_eq!(keys.json()["keys"][0]["kem"], 16);
    let call = Call::new("GET", "/v1/keys").send(rig.address).await;
    assert_eq!(call.code(), "unauthorized");
}

/// The relay cannot read it, and keeps nothing of it.
#[tokio::test]
async fn a_sealed_number_goes_on_as_it_is() {
    let rig = Rig::with_connection().await;
    let mut body = order("1041");
    let sealed = json!({"keyId": "gone", "enc": "BPE", "ciphertext": "c2VhbGVk"});
    body["ereceipt"] = json!({"sealed": sealed, "consent": {"id": "c"}});
    let refused = post(&rig, "k-1", &body).send(rig.address).await;
    assert_eq!(refused.code(), "unknown_sealing_key", "{}", refused.body);
    assert_eq!(refused.json()["pointer"], "/ereceipt/sealed/keyId");
    assert_eq!(rig.proxy.seen("POST", ORDERS)[0].body, body.to_string());
}

/// A service that is asked by a vendor of test mode says so, and tills are to know.
#[tokio::test]
async fn the_mark_of_test_mode_is_passed_back() {
    let rig = Rig::with_connection().await;
    let mark = "Content-Type: application/json\r\nTest-Mode: true\r\n";
    let body = json!({"success": true, "order": order("1"), "receivedAt": "2026-11-23T08:00:00Z"});
    let marked = Fault::Instead(200, mark, body.to_string());
    rig.proxy.faults(ORDERS, vec![marked]);
    let sent = post(&rig, "k-1", &order("1")).send(rig.address).await;
    assert_eq!((sent.status, sent.header("test-mode")), (200, Some("true")));
    let sent = post(&rig, "k-2", &order("2")).send(rig.address).await;
    assert_eq!((sent.status, sent.header("test-mode")), (200, None));
}
