//! Another storage key: everything is found and read as before, and the old key opens nothing.

use crate::both::orders::with_body;
use crate::both::receipts::{PHONE, with_ereceipt};
use crate::both::sealed::with_sealed;
use crate::folder::Folder;
use crate::http::Call;
use crate::program::{failure, json};
use crate::sealing::sealed;
use crate::world::World;
use pos_connect_foundation::secret::StorageKey;
use pos_connect_foundation::sqlite::{Exclusive, Opening};
use pos_connect_service::{Service, Settings};
use serde_json::json as body;
use std::path::PathBuf;
use std::sync::Arc;

fn new_key(folder: &Folder) -> PathBuf {
    folder.path().join("new.key")
}

fn rotate(folder: &Arc<Folder>) -> u64 {
    let file = new_key(folder);
    let arguments = ["rotate-key", "--new-key-file", file.to_str().unwrap()];
    let rotated = json(folder, &arguments);
    assert_eq!(rotated["keyFile"], file.to_str().unwrap());
    rotated["changed"].as_u64().unwrap()
}

fn with_key(file: PathBuf) -> Settings {
    Settings {
        storage_key: Some(StorageKey::File(file)),
        ..Settings::default()
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

#[tokio::test]
async fn what_was_sealed_with_the_old_key_is_found_and_read_with_the_new_one() {
    let world = World::on_sqlite().await;
    let access = world.access().await;
    let accepted = world.send(keyed_order(&access)).await;
    assert_eq!(accepted.status, 200, "{}", accepted.body);
    assert_eq!(world.send(customers(&access)).await.status, 200);
    let key = world.key(&access).await;
    // An order, its message, the answer to its key, a customer, a sealing key; and once more, so that two rotations
    // work too.
    assert_eq!(rotate(&world.folder), 5);
    let again = world.folder.path().join("newer.key");
    let old = new_key(&world.folder);
    let arguments = ["--key-file", old.to_str().unwrap()];
    let twice = ["rotate-key", "--new-key-file", again.to_str().unwrap()];
    let rotated = json(&world.folder, &[&twice[..], &arguments[..]].concat());
    assert_eq!(rotated["changed"], 5);

    for stale in [world.folder.path().join("test.db.key"), old] {
        let clock = world.service.clock.clone();
        let opened = Service::open_as(
            Opening::Existing,
            &world.folder.database(),
            with_key(stale),
            clock,
        )
        .await;
        let error = opened.err().unwrap().to_string();
        assert!(error.contains("another storage key"), "{error}");
        assert!(error.contains("`--key-file`"), "{error}");
        assert!(
            error.contains("encrypted with the key "),
            "both are named: {error}"
        );
    }
    let world = world.restart_with(with_key(again)).await;
    let replayed = world.send(keyed_order(&access)).await;
    assert_eq!(replayed.header("idempotent-replayed"), Some("true"));
    assert_eq!(replayed.json()["receivedAt"], accepted.json()["receivedAt"]);
    let bearer = format!("Bearer {access}");
    let call = Call::new("GET", "/v1/orders/A-1").header("Authorization", bearer);
    assert_eq!(world.send(call).await.json()["order"]["externalId"], "A-1");
    let updated = world.send(customers(&access)).await.json();
    assert_eq!(updated["results"][0]["result"], "updated");
    let waiting = with_sealed("A-2", sealed(&key, "A-2", PHONE));
    assert_eq!(world.send_order(&access, &waiting).await.status, 200);
    let due = world.service.store.due_messages(1, world.now(), 10);
    let due = due.await.unwrap();
    assert!(due.len() == 2 && due.iter().all(|due| due.content.phone == PHONE));
}

#[tokio::test]
async fn a_damaged_value_holds_up_nobody() {
    let world = World::on_sqlite().await;
    let access = world.access().await;
    for id in ["A-1", "A-2"] {
        let call = with_body("POST", "/v1/orders", &access, &with_ereceipt(id, "en"));
        assert_eq!(world.send(call).await.status, 200);
    }
    assert_eq!(world.damage_messages().await, 1);
    assert_eq!(rotate(&world.folder), 3);
}

#[test]
fn a_key_is_changed_only_when_nobody_serves_and_no_file_is_replaced() {
    let folder = Folder::prepared();
    let file = new_key(&folder);
    let arguments = ["rotate-key", "--new-key-file", file.to_str().unwrap()];
    std::fs::write(&file, "something else").unwrap();
    let error = failure(&folder, &arguments);
    assert!(error.contains("new.key"), "{error}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "something else");
    std::fs::remove_file(&file).unwrap();
    // Last, because a program that another test starts just then has the lock, too, until it runs.
    let _served = Exclusive::take(&folder.database()).unwrap();
    let error = failure(&folder, &arguments);
    assert!(error.contains("another program serves"), "{error}");
    assert!(!file.exists());
    let listed = json(&folder, &["vendor", "list"]);
    assert_eq!(listed, body!([]));
}
