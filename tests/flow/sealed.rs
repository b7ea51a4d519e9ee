//! Shoppers' numbers, sealed for a service that has a key (HPKE). That the service opens them, `tests/tabs` shows.

use crate::orders::{drained, no_options, options, order, outbox, receipt};
use crate::support::*;
use pos_connect::PosConnect;
use wasm_bindgen_futures::JsFuture;

const NUMBER: &str = "502345678";

/// The recipient of RFC 9180, appendix A.3.1.
fn key(id: &str) -> Value {
    let public =
        "BP6MGc4JBRkevCmKkkV5JTHybwzs4kYGOei8Oct_cGqCanebTPlpuKDlOcf2L7PTCtaqj4DjDx0Siq_WiiznLqA";
    json!({"keyId": id, "kem": 16, "kdf": 1, "aead": 1, "publicKey": public, "info": "till s-1"})
}

fn service() -> Service {
    let keys = json!({"keys": [key("k-1"), key("k-0")]});
    Service::extended(json!({"keys": keys}), json!({}))
}

/// The call is made at once.
fn sell(client: &PosConnect, id: &str) -> JsFuture {
    let with_receipt = options(&json!({"receipt": receipt("ereceipt", id)}));
    client.orders().send(to_js(&order(id)), with_receipt).into()
}

/// The bodies of the orders that were sent.
fn bodies(service: &Service) -> Vec<Value> {
    let sent = service.requests();
    let orders = sent.iter().filter(|sent| sent["operation"] == "order");
    let texts = orders.map(|sent| sent["body"].as_str().unwrap().to_owned());
    texts
        .map(|text| serde_json::from_str(&text).unwrap())
        .collect()
}

fn count(service: &Service, operation: &str) -> usize {
    let sent = service.requests();
    sent.iter()
        .filter(|sent| sent["operation"] == operation)
        .count()
}

/// Sells until the page has the key: the orders before are sent as they are.
async fn keyed(client: &PosConnect, service: &Service) {
    for at in 0..100 {
        sell(client, &format!("first-{at}")).await.unwrap();
        if bodies(service).pop().unwrap()["ereceipt"]["sealed"].is_object() {
            return;
        }
        sleep(10).await;
    }
    panic!("never sealed: asked {} times", count(service, "keys"));
}

#[wasm_bindgen_test]
async fn a_number_is_sealed_before_it_is_kept_and_sent() {
    for vault in VAULTS {
        let service = service();
        let client = service.merchant_in(vault);
        keyed(&client, &service).await;
        let before = bodies(&service).len();
        // In the order of the calls, though only one of them has to be sealed.
        let sales = [sell(&client, "A-1"), sell(&client, "A-2")];
        let plain = client.orders().send(to_js(&order("A-3")), no_options());
        for sale in sales {
            assert_eq!(to_value(&sale.await.unwrap())["ereceipt"], "queued");
        }
        done(plain).await;
        let sent = &bodies(&service)[before..];
        let sealed: Vec<_> = sent
            .iter()
            .map(|body| &body["ereceipt"]["sealed"])
            .collect();
        assert_eq!(sealed[0]["keyId"], "k-1");
        assert_ne!(sealed[0]["enc"], sealed[1]["enc"]);
        // 65 bytes; 13 of the number, and 16 of the tag.
        let length = |name: &str| sealed[0][name].as_str().unwrap().len();
        assert_eq!((length("enc"), length("ciphertext")), (87, 39));
        assert!(sent.iter().all(|body| !body.to_string().contains(NUMBER)));
        assert_eq!(sent[0]["ereceipt"]["consent"]["id"], "ereceipt-1");
        assert_eq!(count(&service, "keys"), 1);
    }
}

#[wasm_bindgen_test]
async fn an_order_that_gets_another_id_says_whose_number_it_has() {
    let exists = json!({"status": 409, "body": {"success": false, "code": "order_exists"}});
    let service = service();
    let client = service.merchant_in("indexeddb");
    keyed(&client, &service).await;
    service.plan("order", &exists);
    let error = sell(&client, "A-1").await.unwrap_err();
    assert_eq!(code(&error), "order_exists");
    let refused = outbox(&client).await.remove(0);
    let mut corrected = refused["order"].clone();
    corrected["externalId"] = json!("A-1-b");
    let id = JsValue::from(refused["id"].as_str().unwrap());
    let corrected = options(&json!({"order": corrected}));
    assert_eq!(done(client.orders().retry(id, corrected)).await, true);
    drained(&client).await;
    let [.., first, second] = &bodies(&service)[..] else {
        panic!("two tries");
    };
    let mut expected = first["ereceipt"].clone();
    expected["sealed"]["externalId"] = json!("A-1");
    assert_eq!(
        (&second["externalId"], &second["ereceipt"]),
        (&json!("A-1-b"), &expected)
    );
}

/// Another page has connected, maybe to another store: the key is for one.
#[wasm_bindgen_test]
async fn after_another_connection_the_key_is_asked_for_again() {
    let service = service();
    let client = service.merchant_in("indexeddb");
    keyed(&client, &service).await;
    let integration = integration(&service.client_in("indexeddb")).await;
    service.decide("finished");
    done(integration.fetch_tokens(JsValue::UNDEFINED)).await;
    for at in 0..100 {
        sell(&client, &format!("second-{at}")).await.unwrap();
        if count(&service, "keys") == 2 {
            return;
        }
        sleep(20).await;
    }
    panic!("never asked again");
}

/// The service has given the key up: the order goes on without its number, and the next one gets the new key.
#[wasm_bindgen_test]
async fn a_number_for_a_key_that_is_gone_does_not_cost_the_order() {
    let gone = json!({"status": 422, "body": {
        "success": false, "code": "unknown_sealing_key", "pointer": "/ereceipt/sealed/keyId",
    }});
    let service = service();
    let client = service.merchant_in("indexeddb");
    keyed(&client, &service).await;
    service.plan("order", &gone);
    let sold = to_value(&sell(&client, "A-1").await.unwrap());
    assert_eq!(
        (&sold["state"], &sold["print"], &sold["ereceipt"]),
        (&json!("accepted"), &json!(true), &json!("refused"))
    );
    assert_eq!(sold["error"]["code"], "unknown_sealing_key");
    assert!(bodies(&service).pop().unwrap().get("ereceipt").is_none());
    for _ in 0..100 {
        if count(&service, "keys") == 2 {
            return;
        }
        sleep(20).await;
    }
    panic!("never asked again");
}
