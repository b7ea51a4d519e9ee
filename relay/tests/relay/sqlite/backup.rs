//! Copies, and what must not be made by mistake: databases and keys.

use crate::folder::Folder;
use crate::http::Call;
use crate::program::{Program, add_till, json, refused};
use crate::world::World;
use std::fs;
use std::time::Duration;

fn listed(folder: &Folder) -> Vec<String> {
    let entries = folder.path().read_dir().unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[tokio::test]
async fn a_copy_is_made_while_the_relay_runs_and_starts_another_one() {
    let (world, folder, elsewhere) = (World::new().await, Folder::new(), Folder::new());
    let url = format!("http://{}", world.address);
    let program = Program::serve(&folder, &url, &world.vendor, &[]);
    let key = add_till(&folder, "bakery");
    let token = program.create(&key).await;
    assert!(world.finish(&token).await);
    assert_eq!(
        program
            .ask(&key, "GET", crate::world::TOKEN, &token)
            .await
            .status,
        200
    );
    let copy = elsewhere.path().join("test.db");
    json(&folder, &["backup", copy.to_str().unwrap()]);
    drop(program);
    let storage_key = "pos-connect-relay.key";
    let serve = ["serve", "--client-id", "demo", "--upstream", &url];
    let error = refused(&elsewhere, &serve);
    assert!(
        error.contains(storage_key) && error.contains("written with"),
        "{error}"
    );
    assert!(!listed(&elsewhere).contains(&storage_key.to_owned()));
    fs::copy(
        folder.path().join(storage_key),
        elsewhere.path().join(storage_key),
    )
    .unwrap();
    let restored = Program::serve(&elsewhere, &url, &world.vendor, &[]);
    let connection = restored.ask(&key, "GET", "/connection", "").await;
    assert_eq!(connection.json()["account"]["name"], "Corner Bakery");
    // The copy's tokens open with the copied key.
    let call = Call::new("GET", "/v1/store").header("Authorization", format!("Bearer {key}"));
    assert_eq!(call.send(restored.address).await.status, 200);
}

/// What an older copy costs: a refresh token that was spent since is reuse, so the service ends the connection. The
/// operator sees who has to connect again, and connecting is all that it takes.
#[tokio::test]
async fn after_an_older_copy_is_restored_merchants_that_were_refreshed_connect_again() {
    let (world, folder) = (World::new().await, Folder::new());
    let url = format!("http://{}", world.address);
    let program = Program::serve(&folder, &url, &world.vendor, &[]);
    let key = add_till(&folder, "bakery");
    let connect = async |program: &Program| {
        let token = program.create(&key).await;
        assert!(world.finish(&token).await);
        let answer = program.ask(&key, "GET", crate::world::TOKEN, &token).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
    };
    let store = async |program: &Program| {
        let call = Call::new("GET", "/v1/store").header("Authorization", format!("Bearer {key}"));
        call.send(program.address).await
    };
    connect(&program).await;
    json(&folder, &["backup", "older.db"]);
    // The access token is over, so this call refreshes: the copy's refresh token is spent.
    world.pass(Duration::from_secs(3600));
    assert_eq!(store(&program).await.status, 200);
    world.pass(Duration::from_secs(3600));
    drop(program);
    for companion in ["test.db-wal", "test.db-shm"] {
        let _ = fs::remove_file(folder.path().join(companion));
    }
    fs::rename(
        folder.path().join("older.db"),
        folder.path().join("test.db"),
    )
    .unwrap();
    let restored = Program::serve(&folder, &url, &world.vendor, &[]);
    let ended = store(&restored).await;
    assert_eq!(
        (ended.status, ended.code().as_str()),
        (409, "connection_ended")
    );
    let listed = json(&folder, &["merchant", "list"]);
    assert_eq!(listed[0]["state"], "ended");
    let ended = json(&folder, &["merchant", "list", "--ended"]);
    assert_eq!(ended, listed);
    assert_eq!(ended[0]["canBeTakenBack"], true);
    // To no avail here: the service stopped taking them for good.
    let back = json(&folder, &["merchant", "take-back", "bakery"]);
    assert_eq!(back["state"], "connected");
    assert_eq!(store(&restored).await.code(), "connection_ended");
    connect(&restored).await;
    assert_eq!(store(&restored).await.status, 200);
    let listed = json(&folder, &["merchant", "list"]);
    assert_eq!(listed[0]["state"], "connected");
    assert_eq!(
        json(&folder, &["merchant", "list", "--ended"]),
        serde_json::json!([])
    );
    let refused = refused(&folder, &["merchant", "take-back", "bakery"]);
    assert!(refused.contains("nothing to take back"), "{refused}");
}

#[test]
fn commands_beside_the_relay_make_no_database() {
    let folder = Folder::new();
    for command in [
        &["till", "add", "--merchant", "bakery"][..],
        &["till", "list"],
        &["till", "revoke", "x"],
        &["merchant", "list"],
        &["merchant", "disconnect", "bakery"],
        &["backup", "copy.db"],
    ] {
        let error = refused(&folder, command);
        assert!(
            error.contains("there is no database") && error.contains("migrate"),
            "{error}"
        );
    }
    assert!(listed(&folder).is_empty());
}

#[tokio::test]
async fn a_relay_that_was_asked_to_stop_leaves_one_file() {
    let (world, folder) = (World::new().await, Folder::new());
    let url = format!("http://{}", world.address);
    let mut program = Program::serve(&folder, &url, &world.vendor, &[]);
    add_till(&folder, "bakery");
    program.signal("-TERM");
    assert_eq!(program.wait(), Some(0));
    let names = listed(&folder);
    assert!(
        !names
            .iter()
            .any(|name| name.ends_with("-wal") || name.ends_with("-shm")),
        "{names:?}"
    );
    assert_eq!(
        json(&folder, &["till", "list"]).as_array().unwrap().len(),
        1
    );
}
