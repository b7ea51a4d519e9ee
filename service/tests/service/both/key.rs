//! Another storage key while the service runs: everything is found and read as before, and the old key opens nothing.

use super::orders::with_body;
use super::receipts::{PHONE, with_ereceipt};
use super::sealed::with_sealed;
use crate::http::Call;
use crate::program::{failure, json};
use crate::sealing::sealed;
use crate::world::World;
use pos_connect_foundation::token::Kind;
use pos_connect_foundation::values;
use pos_connect_service::Service;
use serde_json::json as body;
use std::time::Duration;

impl World {
    /// As two minutes after the services were stopped that wrote with other keys.
    pub async fn age_keys(&self) {
        let sql = "UPDATE storage_key SET noted_at = 0";
        self.change(sql, vec![]).await;
    }

    /// Encrypts again; says how many values.
    pub async fn rotate_key(&self) -> i64 {
        self.age_keys().await;
        let rotated = json(&self.folder, &["rotate-key"]);
        rotated["changed"].as_i64().unwrap()
    }
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
    assert_eq!(world.rotate_key().await, 5);
    assert_eq!(world.rotate_key().await, 0);
    let audited = "SELECT count(*) FROM audit WHERE event = 'storage_key.changed'";
    assert_eq!(world.value::<i64>(audited).await, 1);

    let error = refused(&world, &[&old]).await;
    assert!(error.contains("another storage key"), "{error}");
    assert!(error.contains("`--key-file`"), "{error}");
    assert!(error.contains("whose first key is "), "{error}");
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
async fn nothing_is_encrypted_again_while_a_service_writes_with_the_old_key() {
    let world = World::new().await;
    let access = world.access().await;
    let order = with_ereceipt("A-1", "en");
    assert_eq!(world.send_order(&access, &order).await.status, 200);
    let note = || world.service.store.note_key(world.now());
    world.folder.add_key();
    let command = world.command().await;
    let serving = async {
        loop {
            world.pass(Duration::from_secs(20));
            note().await.unwrap();
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let rotated = tokio::select! {
        rotated = command.store.rotate_key(&command.clock) => rotated,
        () = serving => unreachable!(),
    };
    let error = rotated.unwrap_err().to_string();
    assert!(error.contains("still writes with the key"), "{error}");
    assert_eq!(world.rows("storage_key").await, 1);
    let due = world.service.store.due_messages(1, world.now(), 10);
    assert_eq!(due.await.unwrap().len(), 1);
    world.pass(Duration::from_secs(120));
    let rotated = command.store.rotate_key(&command.clock).await;
    assert_eq!(rotated.unwrap(), 2);
    assert_eq!(world.rows("storage_key").await, 1);
    note().await.unwrap();
    let error = refused(&world, &[world.folder.read_keys().lines().next().unwrap()]).await;
    assert!(error.contains("another storage key"), "{error}");
    // Which lacks the key, and fails nobody's message.
    let due = world.service.store.due_messages(1, world.now(), 10);
    assert_eq!(due.await.unwrap().len(), 0);
    let waiting = "SELECT count(*) FROM message WHERE state = 'queued'";
    assert_eq!(world.value::<i64>(waiting).await, 1);
}

#[tokio::test]
async fn a_key_that_nobody_has_is_named_and_no_other_is_forgotten() {
    let world = World::new().await;
    let access = world.access().await;
    let order = with_ereceipt("A-1", "en");
    assert_eq!(world.send_order(&access, &order).await.status, 200);
    let mut sealed: Vec<u8> = world.value("SELECT sealed FROM message").await;
    sealed[3..7].fill(0);
    world
        .change("UPDATE message SET sealed = ?1", values![sealed])
        .await;
    world.folder.add_key();
    world.age_keys().await;
    let error = failure(&world.folder, &["rotate-key"]);
    assert!(error.contains("encrypted with the key 00000000"), "{error}");
    assert_eq!(world.rows("storage_key").await, 2);
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
    assert_eq!(world.rotate_key().await, 3);
}
