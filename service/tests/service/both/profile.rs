//! `GET` and `PATCH /v1/store`: a merge patch changes what it names.

use crate::both::orders::with_body;
use crate::http::{Answer, Call};
use crate::world::World;
use pos_connect_foundation::database::Transaction;
use serde_json::{Value, json};
use std::sync::Mutex;
use std::time::Duration;

const STORE: &str = "/v1/store";

async fn patch(world: &World, access: &str, change: Value) -> Answer {
    world.send(with_body("PATCH", STORE, access, &change)).await
}

async fn profile(world: &World, access: &str) -> Value {
    let call = Call::new("GET", STORE).header("Authorization", format!("Bearer {access}"));
    let answer = world.send(call).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()["profile"].clone()
}

#[tokio::test]
async fn a_patch_changes_what_it_names() {
    let (world, access) = World::connected().await;
    assert_eq!(profile(&world, &access).await, json!({}));
    let whole = json!({
        "name": "Corner Bakery", "phone": "+972 4 123 4567", "website": "https://bakery.example",
        "address": {"street": "1 Market St", "city": "Haifa", "country": "IL"},
        "openingHours": [{"days": ["sunday"], "opens": "07:00", "closes": "15:00"}],
    });
    let answer = patch(&world, &access, whole.clone()).await;
    assert_eq!(
        (answer.status, &answer.json()["profile"]),
        (200, &whole),
        "{}",
        answer.body
    );
    assert_eq!(answer.json()["store"]["name"], "Market Street");
    let change = json!({"phone": null, "address": {"street": "2 Market St", "city": null}});
    assert_eq!(patch(&world, &access, change).await.status, 200);
    let mut expected = whole;
    expected.as_object_mut().unwrap().remove("phone");
    expected["address"] = json!({"street": "2 Market St", "country": "IL"});
    assert_eq!(profile(&world, &access).await, expected);
    let world = world.restart().await;
    assert_eq!(profile(&world, &access).await, expected);
}

#[tokio::test]
async fn a_patch_that_leads_to_no_profile_changes_nothing() {
    let (world, access) = World::connected().await;
    let before = json!({"name": "Corner Bakery"});
    assert_eq!(patch(&world, &access, before.clone()).await.status, 200);
    for (change, code, pointer) in [
        (
            json!({"name": "x", "website": "ftp://x"}),
            "invalid_member",
            "/website",
        ),
        (json!({"nmae": "x"}), "unknown_member", "/nmae"),
        (json!({"nmae": null}), "unknown_member", "/nmae"),
        (
            json!({"address": {"country": "Israel"}}),
            "invalid_member",
            "/address/country",
        ),
        (
            json!({"address": {}, "openingHours": [1]}),
            "invalid_member",
            "/openingHours/0",
        ),
        (json!("x"), "invalid_member", ""),
        (Value::Null, "invalid_member", ""),
        (json!([]), "invalid_member", ""),
    ] {
        let answer = patch(&world, &access, change.clone()).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (422, code),
            "{change}"
        );
        assert_eq!(answer.json()["pointer"], pointer, "{change}");
    }
    let twice = with_body("PATCH", STORE, &access, &json!({}))
        .body(r#"{"address":{"city":"A","city":null}}"#);
    let twice = twice.without_first("Content-Length");
    let answer = world.send(twice).await;
    assert_eq!(answer.json()["pointer"], "/address/city", "{}", answer.body);
    assert_eq!(profile(&world, &access).await, before);
}

#[tokio::test]
async fn a_patch_sent_again_undoes_nothing() {
    let (world, access) = World::connected().await;
    let keyed = |key: &str, name: &str| {
        with_body("PATCH", STORE, &access, &json!({ "name": name })).header("Idempotency-Key", key)
    };
    let first = world.send(keyed("k-1", "Old")).await;
    assert_eq!(world.send(keyed("k-2", "New")).await.status, 200);
    let again = world.send(keyed("k-1", "Old")).await;
    assert_eq!(again.body, first.body);
    assert_eq!(profile(&world, &access).await["name"], "New");
    assert_eq!(
        world.send(keyed("k-1", "Other")).await.code(),
        "idempotency_key_reused"
    );
}

#[tokio::test]
async fn both_media_types_are_read() {
    let (world, access) = World::connected().await;
    for (kind, status) in [
        ("application/merge-patch+json", 200),
        ("application/json", 200),
        ("Application/JSON; charset=utf-8", 200),
        ("application/json-patch+json", 415),
        ("", 415),
    ] {
        let call = Call::new("PATCH", STORE)
            .header("Authorization", format!("Bearer {access}"))
            .header("Content-Type", kind)
            .body("{}");
        assert_eq!(world.send(call).await.status, status, "{kind}");
    }
}

/// A megabyte of members is refused before it is compared, in a list or a patch.
#[tokio::test]
async fn very_many_members_cost_nobody_time() {
    let (world, access) = World::connected().await;
    let many: serde_json::Map<String, Value> =
        (0..80_000).map(|n| (n.to_string(), Value::Null)).collect();
    let nested = json!({ "address": many });
    let begun = std::time::Instant::now();
    for (method, path, body) in [
        ("PATCH", STORE, &Value::from(many.clone())),
        ("PATCH", STORE, &nested),
        ("POST", "/v1/orders", &Value::from(many.clone())),
        ("POST", "/v1/customers", &json!({ "customers": [many] })),
    ] {
        let answer = world.send(with_body(method, path, &access, body)).await;
        assert!(matches!(answer.status, 200 | 422), "{}", answer.status);
    }
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
}

/// The writer is one, and orders of all stores wait for it.
#[tokio::test(flavor = "multi_thread")]
async fn a_patch_that_leads_to_no_profile_does_not_wait_for_the_writer() {
    let (world, access) = World::connected().await;
    assert_eq!(patch(&world, &access, json!({})).await.status, 200);
    let (end, ended) = std::sync::mpsc::channel::<()>();
    let (ended, service) = (Mutex::new(ended), world.service.clone());
    let (begun, begins) = std::sync::mpsc::channel();
    let busy = tokio::spawn(async move {
        let work = move |_: &Transaction<'_>| {
            begun.send(()).unwrap();
            let _ = ended.lock().unwrap().recv();
            Ok(())
        };
        service.store.write(work).await
    });
    begins.recv().unwrap();
    let deep = json!({"address": {"street": {"a": {"b": 1}}}});
    let refused = tokio::time::timeout(Duration::from_secs(60), patch(&world, &access, deep));
    let refused = refused.await.expect("it waits for nobody");
    assert_eq!(refused.code(), "invalid_member", "{}", refused.body);
    drop(end);
    busy.await.unwrap().unwrap();
}
