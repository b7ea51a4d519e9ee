//! The admin API of the program itself: off unless asked for, on a listener of its own, with keys from its command.

use crate::folder::Folder;
use crate::http::{Answer, Call};
use crate::program::{Program, failure, json};
use crate::sqlite::metrics::{listening, log};
use serde_json::{Value, json};
use std::net::SocketAddr;

async fn vendors(address: SocketAddr, key: &str) -> Answer {
    let call =
        Call::new("GET", "/admin/v1/vendors").header("Authorization", format!("Bearer {key}"));
    call.elsewhere().send(address).await
}

fn add_key(folder: &Folder) -> (String, String) {
    let scopes = ["--scopes", "vendors:read,vendors:write"];
    let add = [&["admin-key", "add", "--name", "Back office"][..], &scopes].concat();
    let added = json(folder, &add);
    let text = |name: &str| added[name].as_str().unwrap().to_owned();
    (text("id"), text("key"))
}

#[tokio::test]
async fn it_has_a_listener_and_keys_of_its_own_and_a_revoked_one_is_refused_at_once() {
    let folder = Folder::new();
    json(&folder, &["migrate"]);
    let (id, key) = add_key(&folder);
    let options = ["--admin-listen", "127.0.0.1:0", "--log-format", "json"];
    let program = Program::serve(&folder, &options, Some("info"));
    let address = listening(&folder, "the admin API is at /admin/v1").await;
    assert_eq!(vendors(address, &key).await.status, 200);
    // A key that comes later works as well, beside the running service.
    let (other, second) = add_key(&folder);
    assert_eq!(vendors(address, &second).await.status, 200);
    assert_eq!(
        json(&folder, &["admin-key", "revoke", &id])["revoked"],
        true
    );
    assert_eq!(vendors(address, &key).await.code(), "invalid_token");
    assert_eq!(vendors(address, &second).await.status, 200);
    let public = vendors(program.address("baseUrl"), &second).await;
    assert_eq!((public.status, public.code()), (404, "not_found".into()));
    let keys = json(&folder, &["admin-key", "list"]);
    let states = keys.as_array().unwrap().iter();
    let states: Vec<_> = states.map(|key| (&key["id"], &key["revoked"])).collect();
    assert_eq!(
        states,
        [(&json!(id), &json!(true)), (&json!(other), &json!(false))]
    );
    let by_key = |line: &Value| line["admin_key"] == *id && line["request_id"].is_string();
    assert!(
        log(&folder).iter().any(by_key),
        "the log tells whose call it was"
    );
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains(&key) && !text.contains(&second));
    }
}

#[tokio::test]
async fn without_the_option_there_is_none() {
    let folder = Folder::new();
    let program = Program::serve(&folder, &["--log-format", "json"], Some("info"));
    let (_, key) = add_key(&folder);
    let refused = vendors(program.address("baseUrl"), &key).await;
    assert_eq!(refused.code(), "not_found");
    let says = |line: &Value| line["message"].to_string().contains("admin");
    assert!(!log(&folder).iter().any(says));
}

#[test]
fn a_key_needs_scopes_that_there_are_and_no_error_repeats_a_key() {
    let folder = Folder::new();
    json(&folder, &["migrate"]);
    let add = ["admin-key", "add", "--name", "Back office"];
    failure(&folder, &add);
    let error = failure(&folder, &[&add[..], &["--scopes", "vendors:all"]].concat());
    assert!(
        error.contains("vendors:read, vendors:write, accounts:read"),
        "{error}"
    );
    let (_, key) = add_key(&folder);
    let error = failure(&folder, &["admin-key", "revoke", &key]);
    assert!(!error.contains(&key), "{error}");
}
