//! The outbox in the storage: what it shows, what happens when it is full, shut or damaged.

use crate::orders::{drained, keys, no_options, options, order, outbox, receipt, send};
use crate::support::*;
use js_sys::{Array, Function};
use pos_connect::PosConnect;

const NUMBER: &str = "502345678";

pub fn down(times: usize) -> Service {
    Service::ordered(json!({"order": vec![json!({"fault": "network"}); times]}))
}

pub async fn rows(service: &Service) -> Vec<JsValue> {
    rows_of(&service.base_url())
        .await
        .unchecked_into::<Array>()
        .to_vec()
}

async fn send_with_receipt(client: &PosConnect, id: &str) -> Value {
    let with_receipt = options(&json!({"receipt": receipt("ereceipt", id)}));
    to_value(&done(client.orders().send(to_js(&order(id)), with_receipt)).await)
}

/// A page that has left its orders in the storage.
pub async fn left_behind(service: &Service, ids: &[&str]) {
    let client = service.merchant_in("indexeddb");
    for id in ids {
        assert_eq!(send(&client, id).await["state"], "queued");
    }
    client.destroy();
}

#[wasm_bindgen_test]
async fn the_number_of_an_order_that_waits_is_readable_nowhere() {
    let service = down(2);
    let (told, changes) = recorder();
    let ears = eavesdrop();
    let client = service.merchant_with(&[("onOutbox", &told.into())]);
    let sent = send_with_receipt(&client, "A-1").await;
    assert_eq!(sent["state"], "queued");
    let rows = rows(&service).await;
    assert_eq!(rows.len(), 1);
    let shown = shown_by(&rows[0]);
    assert!(!shown.contains(NUMBER) && !shown.contains("A-1"), "{shown}");
    // What the seal hides is there: else the search above would find nothing for ever.
    let content = opened(&rows[0]).await.as_string().unwrap();
    assert!(content.contains(NUMBER) && content.contains("A-1"));
    let listed = json!(outbox(&client).await).to_string();
    assert!(
        listed.contains("A-1") && !listed.contains(NUMBER),
        "{listed}"
    );
    drained(&client).await;
    let accepted = |changes: &Array| {
        let last = changes.get(changes.length().saturating_sub(1));
        text(&last, "state") == "accepted"
    };
    let seen = changes.clone();
    eventually(move || accepted(&seen)).await;
    call(&ears, "restore");
    for told in [changes, get(&ears, "heard").unchecked_into()] {
        let told = to_value(&told).to_string();
        assert!(told.contains("A-1") && !told.contains(NUMBER), "{told}");
    }
    assert!(self::rows(&service).await.is_empty());
    assert_eq!(service.kept(), 1);
}

#[wasm_bindgen_test]
async fn a_full_outbox_keeps_and_sends_nothing() {
    // So that the first one stays where it is.
    let service = down(50);
    left_behind(&service, &["A-1"]).await;
    let first = rows(&service).await.remove(0);
    // As large as all that may wait.
    misplace(&first, "0000010000.00000000000500.33554432.").await;
    let client = service.merchant_in("indexeddb");
    assert_eq!(
        code_of(client.orders().send(to_js(&order("A-2")), no_options())).await,
        "outbox_full"
    );
    let left = outbox(&client).await;
    assert_eq!((left.len(), &left[0]["externalId"]), (2, &json!("A-1")));
    // There is room again.
    for kept in left {
        let id = JsValue::from(kept["id"].as_str().unwrap());
        assert_eq!(done(client.orders().discard(id)).await, true);
    }
    assert_eq!(send(&client, "A-3").await["state"], "queued");
    let sent = json!(service.requests()).to_string();
    assert!(sent.contains("A-3") && !sent.contains("A-2"));
    client.destroy();
}

/// One that stands first for months, because nobody can read it, does not count for all that came after it.
#[wasm_bindgen_test]
async fn places_that_are_empty_again_do_not_fill_the_outbox() {
    let service = down(2);
    left_behind(&service, &["A-1"]).await;
    let first = rows(&service).await.remove(0);
    misplace(&first, "0000010000.00000033554432.00000100.").await;
    damage(&first).await;
    let client = service.merchant_in("indexeddb");
    assert_eq!(send(&client, "A-2").await["state"], "accepted");
    client.destroy();
}

/// Waits until only refused orders are left.
pub async fn drained_but_refused(client: &PosConnect) {
    for _ in 0..750 {
        let left = outbox(client).await;
        if left.iter().all(|kept| kept["state"] == "refused") {
            return;
        }
        sleep(20).await;
    }
    panic!("never drained");
}

#[wasm_bindgen_test]
async fn a_disk_without_space_keeps_and_sends_nothing() {
    let service = Service::as_specified();
    let client = service.merchant_in("indexeddb");
    assert!(outbox(&client).await.is_empty());
    let disk = refuse_writes(1, "throw");
    let refused = code_of(client.orders().send(to_js(&order("A-1")), no_options())).await;
    call(&disk, "restore");
    assert_eq!(refused, "vault_failed");
    assert!(outbox(&client).await.is_empty() && rows(&service).await.is_empty());
    assert_eq!(service.operations(), "");
    assert_eq!(send(&client, "A-1").await["state"], "accepted");
}

#[wasm_bindgen_test]
async fn a_browser_without_storage_says_so_and_sends_nothing() {
    for how in ["throw", "error"] {
        let service = Service::as_specified();
        let (told, changes) = recorder();
        let client = service.merchant_with(&[("onOutbox", &told.into())]);
        assert!(outbox(&client).await.is_empty());
        let private = shut(how);
        let error = failed(client.orders().send(to_js(&order("A-1")), no_options())).await;
        let listing = failed(client.orders().list()).await;
        call(&private, "restore");
        for (error, operation) in [(&error, "orders.send"), (&listing, "orders.list")] {
            assert_eq!(code(error), "vault_failed");
            assert_eq!(text(error, "operation"), operation);
            assert_eq!(get(error, "retryable"), JsValue::TRUE);
        }
        assert_eq!((service.operations(), changes.length()), (String::new(), 0));
        // The same call, once the storage is there.
        assert_eq!(send(&client, "A-1").await["state"], "accepted");
        assert_eq!(service.kept(), 1);
    }
}

#[wasm_bindgen_test]
async fn the_memory_keeps_orders_where_there_is_no_storage() {
    let service = down(2);
    let private = shut("error");
    let client = service.merchant_in("memory");
    assert_eq!(send(&client, "A-1").await["state"], "queued");
    assert_eq!(outbox(&client).await.len(), 1);
    let other = service.merchant_in("memory");
    assert_eq!(outbox(&other).await.len(), 0, "it is its client's");
    drained(&client).await;
    call(&private, "restore");
    assert_eq!(service.kept(), 1);
}

#[wasm_bindgen_test]
async fn a_damaged_order_is_listed_and_stops_nobody() {
    let service = down(4);
    left_behind(&service, &["A-1", "A-2"]).await;
    damage(&rows(&service).await[0]).await;
    let (told, changes) = recorder();
    let client = service.merchant_with(&[("onOutbox", &told.into())]);
    drained_but_refused(&client).await;
    let left = outbox(&client).await;
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(
        (&left[0]["state"], &left[0]["error"]["code"]),
        (&json!("refused"), &json!("vault_failed"))
    );
    assert!(left[0]["order"].is_null(), "{}", left[0]);
    assert_eq!(service.kept(), 1);
    let refused = |change: &JsValue| text(change, "state") == "refused";
    assert_eq!(changes.iter().filter(refused).count(), 1);
    let id = JsValue::from(left[0]["id"].as_str().unwrap());
    assert_eq!(
        done(client.orders().retry(id.clone(), no_options())).await,
        false
    );
    assert_eq!(done(client.orders().discard(id)).await, true);
    assert!(outbox(&client).await.is_empty());
}

/// The browser's storage as a page sees it, with these methods.
fn promises(persist: &Function, persisted: &str) -> JsValue {
    let persisted = Function::new_no_args(persisted);
    let storage = Function::new_with_args("persist, persisted", "return { persist, persisted }");
    let storage = storage.call2(&JsValue::NULL, persist, &persisted).unwrap();
    pretend("navigator.storage", &storage)
}

#[wasm_bindgen_test]
async fn the_browser_is_asked_to_keep_what_waits() {
    let (persist, asked) = recorder();
    for (given, vault, times) in [
        (JsValue::UNDEFINED, "indexeddb", 1),
        (JsValue::FALSE, "indexeddb", 0),
        (JsValue::TRUE, "memory", 0),
    ] {
        let service = down(50);
        let options = [("persistStorage", &given), ("vault", &vault.into())];
        let client = service.merchant_with(&options);
        for (answer, is_persisted) in [
            ("return Promise.resolve(true)", vault == "indexeddb"),
            ("return Promise.resolve(false)", false),
            ("throw new Error()", false),
            ("return new Promise(() => {})", false),
        ] {
            let storage = promises(&persist, answer);
            assert_eq!(send(&client, "A-1").await["state"], "queued");
            assert_eq!(
                outbox(&client).await[0]["persisted"],
                is_persisted,
                "{answer}"
            );
            restore(&storage);
        }
        assert_eq!(asked.length(), times, "{given:?} {vault}");
        asked.set_length(0);
        client.destroy();
    }
    for missing in [JsValue::UNDEFINED, Function::default().into()] {
        let storage = pretend("navigator.storage", &missing);
        let client = down(50).merchant_in("indexeddb");
        assert_eq!(send(&client, "A-1").await["state"], "queued");
        assert_eq!(outbox(&client).await[0]["persisted"], false);
        restore(&storage);
        client.destroy();
    }
    let storage = promises(&persist, "return true");
    let sent = send(&Service::as_specified().merchant_in("indexeddb"), "A-1").await;
    restore(&storage);
    assert_eq!((&sent["state"], asked.length()), (&json!("accepted"), 0));
}

/// 3 seconds are over, though no answer has come and none will.
#[wasm_bindgen_test]
async fn nobody_waits_for_an_answer_that_does_not_come() {
    for vault in VAULTS {
        let service = Service::ordered(json!({"order": [{"fault": "hang"}]}));
        let client = service.merchant_in(vault);
        let begun = now();
        let sent = send(&client, "A-1").await;
        let took = now() - begun;
        assert_eq!(
            (&sent["state"], &sent["print"]),
            (&json!("queued"), &json!(true))
        );
        assert!(sent.get("error").is_none(), "no try has failed yet: {sent}");
        assert_eq!(took, 3_000.0);
        assert_eq!((service.calls("order"), service.given_up()), (1, 0));
        client.destroy();
    }
}

/// Not the rest's own end: after so many tries it is long.
#[wasm_bindgen_test]
async fn the_network_that_returns_ends_the_rest() {
    for vault in VAULTS {
        let service = down(60);
        let client = service.merchant_in(vault);
        assert_eq!(send(&client, "A-1").await["state"], "queued");
        for times in 3..=12 {
            online();
            service.until_called("order", times).await;
        }
        // By itself, the next try would come in 45 s or more.
        let (times, before) = (service.calls("order"), now());
        online();
        service.until_called("order", times + 1).await;
        assert!(now() - before < 5_000.0);
        let keys = keys(&service);
        assert!(keys.iter().all(|key| *key == keys[0]));
        client.destroy();
    }
}
