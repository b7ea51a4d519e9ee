//! A storage that gives something else than it was given: for a while, or for good.

use crate::orders::{drained, no_options, order, outbox, send};
use crate::storage::{down, drained_but_refused, left_behind, rows};
use crate::support::*;

/// The next call opens the storage as a new page does.
async fn another_page() {
    restore(&upgrade().await);
}

#[wasm_bindgen_test]
async fn a_key_that_is_misread_once_costs_no_order() {
    for misread in [JsValue::NULL, JsValue::UNDEFINED, "key".into()] {
        let service = down(4);
        left_behind(&service, &["A-1", "A-2"]).await;
        another_page().await;
        let locked = misread_key(&misread);
        let client = service.merchant_in("indexeddb");
        drained(&client).await;
        assert_eq!(count_of(&locked), 1);
        restore(&locked);
        client.destroy();
        assert_eq!(service.kept(), 2, "{misread:?}");
    }
}

#[wasm_bindgen_test]
async fn a_key_that_is_gone_is_not_replaced_until_somebody_forgets() {
    for left in [JsValue::UNDEFINED, JsValue::NULL] {
        key_gone(&left).await;
    }
}

/// `left`: what stands in its place.
async fn key_gone(left: &JsValue) {
    let service = down(2);
    left_behind(&service, &["A-1"]).await;
    another_page().await;
    lose_key(left).await;
    let (told, changes) = recorder();
    let client = service.merchant_with(&[("onOutbox", &told.into())]);
    let before = rows(&service).await;
    for call in [
        client.orders().list(),
        client.orders().send(to_js(&order("A-2")), no_options()),
        client.connection(),
        client.create_integration(no_options()),
    ] {
        assert_eq!(code(&failed(call).await), "vault_failed");
    }
    assert_eq!(rows(&service).await.len(), before.len());
    done(client.forget()).await;
    assert_eq!(text(&changes.get(0), "state"), "discarded");
    assert!(rows(&service).await.is_empty());
    // What other accounts have kept.
    clear_entries().await;
    done(client.forget()).await;
    assert_eq!(send(&client, "A-3").await["state"], "accepted");
    client.destroy();
}

#[wasm_bindgen_test]
async fn a_row_that_cannot_be_read_stops_nobody() {
    let service = down(4);
    left_behind(&service, &["A-1", "A-2"]).await;
    let gone = lose_row(&rows(&service).await[0], f64::INFINITY);
    let (told, changes) = recorder();
    let client = service.merchant_with(&[("onOutbox", &told.into())]);
    drained_but_refused(&client).await;
    assert_eq!(send(&client, "A-3").await["state"], "accepted");
    assert_eq!(service.kept(), 2);
    let left = outbox(&client).await;
    assert_eq!((left.len(), &left[0]["order"]), (1, &json!(null)));
    assert_eq!(left[0]["error"]["code"], "vault_failed");
    let refused = |change: &JsValue| text(change, "state") == "refused";
    assert_eq!(changes.iter().filter(refused).count(), 1);
    let id = JsValue::from(left[0]["id"].as_str().unwrap());
    let retried = client.orders().retry(id.clone(), no_options());
    assert_eq!(done(retried).await, false);
    assert_eq!(done(client.orders().discard(id)).await, true);
    assert!(outbox(&client).await.is_empty());
    restore(&gone);
    client.destroy();
}

/// It is still there, whatever the page thought of it.
#[wasm_bindgen_test]
async fn a_row_that_can_be_read_again_is_sent() {
    let service = down(2);
    left_behind(&service, &["A-1"]).await;
    let gone = lose_row(&rows(&service).await[0], f64::INFINITY);
    let client = service.merchant_in("indexeddb");
    assert_eq!(send(&client, "A-2").await["state"], "accepted");
    assert_eq!(outbox(&client).await[0]["state"], "refused");
    restore(&gone);
    drained(&client).await;
    assert_eq!(service.kept(), 2);
    client.destroy();
}

/// No sale and no new page comes to its help.
#[wasm_bindgen_test]
async fn a_sender_whose_storage_fails_tries_again_by_itself() {
    let service = down(2);
    left_behind(&service, &["A-1"]).await;
    let shut = shut("error");
    let client = service.merchant_in("indexeddb");
    sleep(5_000).await;
    restore(&shut);
    service.until_called("order", 3).await;
    drained(&client).await;
    assert_eq!(service.kept(), 1);
    client.destroy();
}
