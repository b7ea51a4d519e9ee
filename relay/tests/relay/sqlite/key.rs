//! Another storage key while the relay runs: the tokens are there as before, and the old key opens nothing.

use crate::folder::Folder;
use crate::http::Call;
use crate::program::{Program, add_till, json, refused};
use crate::rig::database;
use crate::world::{TOKEN, World};
use pos_connect_foundation::database::{Database, Transaction};
use pos_connect_foundation::sqlite::Opening;
use pos_connect_relay::store::SCHEMA;
use std::fs;

/// As two minutes after the relays were stopped that wrote with other keys.
async fn age_keys(folder: &Folder) {
    let url = fs::read_to_string(folder.path().join("database-url")).unwrap();
    let database = Database::open(&url, &SCHEMA, Opening::Existing)
        .await
        .unwrap();
    let age = |transaction: &Transaction<'_>| {
        transaction.execute("UPDATE storage_key SET noted_at = 0", vec![])
    };
    assert_eq!(database.write(age).await.unwrap(), 2);
}

#[tokio::test]
async fn the_tokens_open_with_the_new_key_only() {
    let (world, folder) = (World::new().await, Folder::new());
    fs::write(folder.path().join("database-url"), database(&folder).await).unwrap();
    let url = format!("http://{}", world.address);
    let program = Program::serve(&folder, &url, &world.vendor, &[]);
    let key = add_till(&folder, "bakery");
    let (finished, open) = (program.create(&key).await, program.create(&key).await);
    assert!(world.finish(&finished).await);
    assert_eq!(program.ask(&key, "GET", TOKEN, &finished).await.status, 200);
    let fleet = json(&folder, &["fleet-key", "add"])["key"].clone();
    let add = || {
        let call = Call::new("POST", "/tills").header("Idempotency-Key", "1");
        let call = call.header(
            "Authorization",
            format!("Bearer {}", fleet.as_str().unwrap()),
        );
        call.body(r#"{"merchant":"bakery"}"#)
    };
    let added = add().send(program.address).await.body;
    drop(program);

    let file = folder.path().join("pos-connect-relay.key");
    let old = fs::read_to_string(&file).unwrap();
    let new = json(&folder, &["key"])["key"].as_str().unwrap().to_owned();
    fs::write(&file, format!("{new}\n{old}")).unwrap();
    let program = Program::serve(&folder, &url, &world.vendor, &[]);
    age_keys(&folder).await;
    // An integration that waits, the tokens of the other, the key of a till that a server added.
    assert_eq!(json(&folder, &["rotate-key"])["changed"], 3);
    assert_eq!(json(&folder, &["rotate-key"])["changed"], 0);
    let call = || Call::new("GET", "/v1/store").header("Authorization", format!("Bearer {key}"));
    assert_eq!(call().send(program.address).await.status, 200);
    drop(program);

    fs::write(&file, old).unwrap();
    let serve = ["serve", "--client-id", "demo", "--upstream", &url];
    for stale in [&serve[..], &["rotate-key"]] {
        let error = refused(&folder, stale);
        assert!(error.contains("another storage key"), "{error}");
        assert!(error.contains("whose first key is "), "{error}");
    }
    fs::write(&file, new).unwrap();
    let program = Program::serve(&folder, &url, &world.vendor, &[]);
    assert_eq!(call().send(program.address).await.status, 200);
    assert_eq!(add().send(program.address).await.body, added);
    assert!(world.finish(&open).await);
    assert_eq!(program.ask(&key, "GET", TOKEN, &open).await.status, 200);
}
