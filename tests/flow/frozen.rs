//! A page that the browser has frozen, with the lock of the outbox.

use crate::orders::{drained, keys, no_options, outbox, send};
use crate::storage::{down, left_behind, rows};
use crate::support::*;
use js_sys::Array;

const BOUND_MS: f64 = 20_000.0;

#[wasm_bindgen_test]
async fn another_page_goes_on_in_time() {
    let service = down(2);
    left_behind(&service, &["A-1"]).await;
    let tries = service.calls("order");
    let frozen = seize(&rows(&service).await[0]).await;
    let begun = now();
    let client = service.merchant_in("indexeddb");
    service.until_called("order", tries + 1).await;
    assert!(now() - begun <= BOUND_MS, "{} ms", now() - begun);
    drained(&client).await;
    assert_eq!(send(&client, "A-2").await["state"], "accepted");
    restore(&frozen);
    client.destroy();
}

#[wasm_bindgen_test]
async fn a_person_need_not_wait_for_it() {
    let service = down(50);
    left_behind(&service, &["A-1"]).await;
    let row = rows(&service).await.remove(0);
    let client = service.merchant_in("indexeddb");
    let id = JsValue::from(outbox(&client).await[0]["id"].as_str().unwrap());
    let before = now();
    let frozen = seize(&row).await;
    let retried = done(client.orders().retry(id.clone(), no_options())).await;
    restore(&frozen);
    let frozen = seize(&row).await;
    let discarded = done(client.orders().discard(id)).await;
    restore(&frozen);
    assert!(retried == true && discarded == true);
    assert!(now() - before <= 2.0 * BOUND_MS, "{} ms", now() - before);
    client.destroy();
}

/// Whoever waits takes the lock away when the time is over. In WebKit, the first of two loses it unheard.
#[wasm_bindgen_test]
async fn two_pages_that_wait_for_it_take_turns() {
    let service = down(50);
    left_behind(&service, &["A-1"]).await;
    let row = rows(&service).await.remove(0);
    let client = service.merchant_in("indexeddb");
    let id = JsValue::from(outbox(&client).await[0]["id"].as_str().unwrap());
    let (frozen, other) = (seize(&row).await, steal_back());
    assert_eq!(done(client.orders().retry(id, no_options())).await, true);
    assert_ne!(count_of(&other), 0);
    for patch in [frozen, other] {
        restore(&patch);
    }
    client.destroy();
}

/// Its answer comes when another page has sent the order, too.
#[wasm_bindgen_test]
async fn the_outcome_is_written_once() {
    let wrong = json!({
        "status": 422, "body": {"success": false, "code": "invalid_member", "pointer": "/currency"}
    });
    let late = |step: &serde_json::Value| with_delay(step.clone(), 9_000);
    // What the page that was frozen hears, and what the other one does.
    for (frozen, other, state) in [
        (late(&json!({})), json!({}), "accepted"),
        (late(&wrong), json!({}), "accepted"),
        (late(&json!({"status": 503})), json!({}), "accepted"),
        (late(&json!({})), wrong.clone(), "refused"),
    ] {
        let service = Service::ordered(json!({"order": [frozen, other]}));
        let (told, changes) = recorder();
        let client = service.merchant_with(&[("onOutbox", &told.into())]);
        // A clock that nobody waits for would bring the late answer before the other page has sent.
        let pace = RealPace::keep();
        let _sending = client
            .orders()
            .send(to_js(&crate::orders::order("A-1")), no_options());
        service.until_called("order", 1).await;
        restore(&seize(&rows(&service).await[0]).await);
        let beside = service.merchant_in("indexeddb");
        service.until_called("order", 2).await;
        drop(pace);
        let outcomes = |changes: &Array| {
            let states = changes.iter().map(|change| text(&change, "state"));
            states.filter(|state| state != "queued").collect::<Vec<_>>()
        };
        let seen = changes.clone();
        eventually(move || !outcomes(&seen).is_empty()).await;
        // Until the first answer has come, too.
        sleep(10_000).await;
        assert_eq!(outcomes(&changes), [state]);
        let left = outbox(&client).await.len();
        assert_eq!(left, usize::from(state == "refused"));
        let keys = keys(&service);
        assert!(keys.len() == 2 && keys[0] == keys[1]);
        for page in [client, beside] {
            page.destroy();
        }
    }
}
