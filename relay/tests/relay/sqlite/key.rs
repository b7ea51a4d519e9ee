//! Another storage key: the tokens are there as before, and the old key opens nothing.

use crate::folder::Folder;
use crate::http::Call;
use crate::program::{Program, add_till, json, refused};
use crate::rig::database;
use crate::world::{TOKEN, World};
use std::fs;

const NEW_KEY: [&str; 3] = ["rotate-key", "--new-key-file", "new.key"];

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
    let running = refused(&folder, &NEW_KEY);
    assert!(running.contains("stop"), "{running}");
    drop(program);
    let _ = fs::remove_file(folder.path().join("new.key"));

    // An integration that waits, the tokens of the other, the key of a till that a server added.
    assert_eq!(json(&folder, &NEW_KEY)["changed"], 3);
    let serve = ["serve", "--client-id", "demo", "--upstream", &url];
    let old = refused(&folder, &serve);
    assert!(old.contains("another key"), "{old}");
    assert!(
        old.contains("encrypted with the key "),
        "both are named: {old}"
    );
    assert!(refused(&folder, &NEW_KEY).contains("another key"));
    let program = Program::serve(&folder, &url, &world.vendor, &["--key-file", "new.key"]);
    let call = Call::new("GET", "/v1/store").header("Authorization", format!("Bearer {key}"));
    assert_eq!(call.send(program.address).await.status, 200);
    assert_eq!(add().send(program.address).await.body, added);
    assert!(world.finish(&open).await);
    assert_eq!(program.ask(&key, "GET", TOKEN, &open).await.status, 200);
}

#[test]
fn no_file_is_replaced() {
    let folder = Folder::new();
    json(&folder, &["migrate"]);
    let _ = refused(&folder, &NEW_KEY);
    let key = json(&folder, &["key"])["key"].as_str().unwrap().to_owned();
    fs::write(folder.path().join("pos-connect-relay.key"), &key).unwrap();
    fs::write(folder.path().join("new.key"), "something else").unwrap();
    let error = refused(&folder, &NEW_KEY);
    assert!(error.contains("new.key"), "{error}");
    let kept = fs::read_to_string(folder.path().join("new.key")).unwrap();
    assert_eq!(kept, "something else");
}
