//! Another storage key while the service runs: everything is found and read as before, and the old key opens nothing.

use super::orders::with_body;
use super::receipts::{PHONE, with_ereceipt};
use super::sealed::with_sealed;
use crate::folder::Folder;
use crate::http::Call;
use crate::program::json;
use crate::sealing::sealed;
use crate::world::{World, until};
use pos_connect_foundation::token::Kind;
use pos_connect_service::{Service, Settings};
use serde_json::json as body;
use std::time::Duration;
use tokio::sync::watch;

/// Encrypts again; says how many values.
fn rotate(folder: &Folder) -> i64 {
    json(folder, &["rotate-key"])["changed"].as_i64().unwrap()
}

fn keyed_order(access: &str) -> Call {
    with_body("POST", "/v1/orders", access, &with_ereceipt("A-1", "en"))
        .header("Idempotency-Key", "key-1")
}

fn customers(access: &str) -> Call {
    let dana = body!({"customers": [{"externalId": "c-1", "name": "Dana"}]});
    with_body("POST", "/v1/customers", access, &dana)
}

/// Why a service does not start with these keys, which are then in the file.
async fn refused(world: &World, keys: &[&str]) -> String {
    world.folder.write_keys(keys);
    let (settings, clock) = (world.service.settings.clone(), world.service.clock.clone());
    let opened = Service::open(&world.folder.database(), settings, clock).await;
    opened.err().expect("a key is missing").to_string()
}

#[tokio::test]
async fn what_was_sealed_with_the_old_key_is_found_and_read_with_the_new_one() {
    let world = World::new().await;
    let access = world.access().await;
    let accepted = world.send(keyed_order(&access)).await;
    assert_eq!(accepted.status, 200, "{}", accepted.body);
    assert_eq!(world.send(customers(&access)).await.status, 200);
    let key = world.key(&access).await;
    let (old, new) = (world.folder.read_keys(), Kind::Storage.mint());
    world.folder.write_keys(&[&new, &old]);
    let world = world.restart().await;
    let waiting = with_sealed("A-2", sealed(&key, "A-2", PHONE));
    assert_eq!(world.send_order(&access, &waiting).await.status, 200);
    // An order, its message, the answer to its key, a customer, a sealing key; not what the new key has sealed.
    assert_eq!(rotate(&world.folder), 5);
    assert_eq!(rotate(&world.folder), 0);
    let audited = "SELECT count(*) FROM audit WHERE event = 'storage_key.changed'";
    assert_eq!(world.value::<i64>(audited).await, 1);

    let error = refused(&world, &[&old]).await;
    assert!(error.contains("another storage key"), "{error}");
    assert!(error.contains("`--key-file`"), "{error}");
    assert!(error.contains("encrypted with the key "), "{error}");
    world.folder.write_keys(&[&new]);
    let world = world.restart().await;
    let replayed = world.send(keyed_order(&access)).await;
    assert_eq!(replayed.header("idempotent-replayed"), Some("true"));
    assert_eq!(replayed.json()["receivedAt"], accepted.json()["receivedAt"]);
    let bearer = format!("Bearer {access}");
    let call = Call::new("GET", "/v1/orders/A-1").header("Authorization", bearer);
    assert_eq!(world.send(call).await.json()["order"]["externalId"], "A-1");
    let updated = world.send(customers(&access)).await.json();
    assert_eq!(updated["results"][0]["result"], "updated");
    let due = world.service.store.due_messages(1, world.now(), 10);
    let due = due.await.unwrap();
    assert!(due.len() == 2 && due.iter().all(|due| due.content.phone == PHONE));
}

#[tokio::test]
async fn a_service_that_still_writes_with_the_old_key_keeps_it_in_use() {
    let world = World::with(Settings {
        purge_every: Duration::from_millis(20),
        ..Settings::default()
    })
    .await;
    let access = world.access().await;
    let (old, new) = (world.folder.read_keys(), Kind::Storage.mint());
    // As the services of one database are told of the new key, before one of them writes with it.
    world.folder.write_keys(&[&old, &new]);
    let world = world.restart().await;
    world.folder.write_keys(&[&new, &old]);
    rotate(&world.folder);
    let order = with_ereceipt("A-1", "en");
    assert_eq!(world.send_order(&access, &order).await.status, 200);
    let (stop, stopped) = watch::channel(false);
    let tending = tokio::spawn(world.service.clone().tend(stopped));
    until(async || world.rows("storage_key").await == 2).await;
    stop.send(true).unwrap();
    tending.await.unwrap();
    let error = refused(&world, &[&new]).await;
    assert!(error.contains("another storage key"), "{error}");
    world.folder.write_keys(&[&new, &old]);
    assert!(rotate(&world.folder) > 0);
    world.folder.write_keys(&[&new]);
    let world = world.restart().await;
    let bearer = format!("Bearer {access}");
    let call = Call::new("GET", "/v1/orders/A-1").header("Authorization", bearer);
    assert_eq!(world.send(call).await.json()["order"]["externalId"], "A-1");
}

#[tokio::test]
async fn a_damaged_value_holds_up_nobody() {
    let world = World::new().await;
    let access = world.access().await;
    for id in ["A-1", "A-2"] {
        let call = with_body("POST", "/v1/orders", &access, &with_ereceipt(id, "en"));
        assert_eq!(world.send(call).await.status, 200);
    }
    assert_eq!(world.damage_messages().await, 1);
    world.folder.add_key();
    assert_eq!(rotate(&world.folder), 3);
}
