//! The program itself: its command line, and what it prints.

use crate::folder::Folder;
use crate::http::Call;
use crate::program::{Program, add_till, command, json, refused, said};
use crate::world::{INTEGRATION, TOKEN, Vendor};
use pos_connect_foundation::token::Kind;
use pos_connect_relay::store::SCHEMA;
use serde_json::Value;

const SERVE: [&str; 5] = ["serve", "--listen", "127.0.0.1:0", "--client-id", "demo"];

/// As after the installation of the package, whose file has neither yet.
#[test]
fn what_the_settings_file_lacks_is_named_with_the_file() {
    let folder = Folder::new();
    let file = folder.path().join("relay.toml");
    std::fs::write(&file, "listen = \"127.0.0.1:0\"\n").unwrap();
    let file = file.to_str().unwrap();
    let error = refused(&folder, &["serve", "--config", file]);
    assert!(
        error.contains("--upstream") && error.contains("--client-id"),
        "{error}"
    );
    let tip = format!("tip: they can be set in {file}");
    assert!(error.contains(&tip), "{error}");
}

#[tokio::test]
async fn tills_are_added_listed_and_revoked_beside_a_running_relay() {
    let (world, folder) = (crate::world::World::new().await, Folder::new());
    let url = format!("http://{}", world.address);
    let program = Program::serve(&folder, &url, &world.vendor, &[]);
    let added = json(
        &folder,
        &["till", "add", "--merchant", "bakery", "--name", "Counter 1"],
    );
    let key = added["key"].as_str().unwrap();
    assert!(key.starts_with("pct_") && key.len() == 53, "{key}");
    assert_eq!(program.ask(key, "POST", INTEGRATION, "").await.status, 200);
    let mut listed = json(&folder, &["till", "list"]);
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(
        (&listed[0]["merchant"], &listed[0]["name"]),
        (&"bakery".into(), &"Counter 1".into())
    );
    assert!(!listed.to_string().contains(key));
    let id = listed[0]["id"].take();
    let revoked = json(&folder, &["till", "revoke", id.as_str().unwrap()]);
    assert_eq!((&revoked["id"], &revoked["revoked"]), (&id, &true.into()));
    assert_eq!(program.ask(key, "POST", INTEGRATION, "").await.status, 401);
    assert_eq!(json(&folder, &["till", "list"])[0]["revoked"], true);
    assert_eq!(
        json(&folder, &["migrate"])["schemaVersion"],
        SCHEMA.sqlite.latest()
    );
}

#[tokio::test]
async fn fleet_keys_are_added_listed_and_revoked_beside_a_running_relay() {
    let (world, folder) = (crate::world::World::new().await, Folder::new());
    let url = format!("http://{}", world.address);
    let program = Program::serve(&folder, &url, &world.vendor, &[]);
    let added = json(&folder, &["fleet-key", "add", "--name", "Back office"]);
    let key = added["key"].as_str().unwrap();
    assert!(key.starts_with("pcb_") && key.len() == 53, "{key}");
    let tills = async || {
        let call = Call::new("GET", "/tills").header("Authorization", format!("Bearer {key}"));
        call.send(program.address).await.status
    };
    assert_eq!(tills().await, 200);
    let listed = json(&folder, &["fleet-key", "list"]);
    assert_eq!(listed[0]["name"], "Back office");
    assert!(!listed.to_string().contains(key));
    let error = refused(&folder, &["fleet-key", "revoke", key]);
    assert!(
        error.contains("fleet-key list") && !error.contains(key),
        "{error}"
    );
    let revoked = json(
        &folder,
        &["fleet-key", "revoke", listed[0]["id"].as_str().unwrap()],
    );
    assert_eq!(revoked["revoked"], true);
    assert_eq!(tills().await, 401);
    let events = json(&folder, &["audit", "--event", "fleet_key"]);
    let events = events
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["event"]);
    assert!(events.eq(["fleet_key.added", "fleet_key.revoked"]));
}

/// A terminal would obey control characters, and nobody could tell the others.
#[test]
fn a_name_that_people_cannot_read_is_refused() {
    let folder = Folder::new();
    let long = "x".repeat(101);
    for wrong in ["a\u{1b}[2J", "a\nb", " ", "\u{200b}", "a ", &long] {
        for arguments in [
            ["till", "add", "--name=x", "--merchant", wrong],
            ["till", "add", "--merchant=x", "--name", wrong],
            ["fleet-key", "add", "--json", "--name", wrong],
        ] {
            let error = refused(&folder, &arguments);
            assert!(error.contains("at most 100 characters"), "{error}");
        }
    }
    let error = refused(&folder, &["till", "add", "--merchant", ""]);
    assert!(error.contains("empty"), "{error}");
}

#[tokio::test]
async fn a_file_has_one_relay_and_the_next_one_comes_after_a_kill() {
    let (world, folder) = (crate::world::World::new().await, Folder::new());
    let url = format!("http://{}", world.address);
    let program = Program::serve(&folder, &url, &world.vendor, &[]);
    let second = [&SERVE[..], &["--upstream", &url]].concat();
    let on_a_file = std::fs::read_to_string(folder.path().join("database-url")).is_err();
    if on_a_file {
        let error = refused(&folder, &second);
        assert!(error.contains("another program serves"), "{error}");
    }
    // Other commands work beside it.
    add_till(&folder, "bakery");
    drop(program);
    drop(Program::serve(&folder, &url, &world.vendor, &[]));
}

#[tokio::test]
async fn merchants_are_listed_and_disconnected_beside_a_running_relay() {
    let (world, folder) = (crate::world::World::new().await, Folder::new());
    let url = format!("http://{}", world.address);
    let program = Program::serve(&folder, &url, &world.vendor, &[]);
    let key = add_till(&folder, "bakery");
    assert_eq!(json(&folder, &["merchant", "list"]), serde_json::json!([]));
    let created = program.ask(&key, "POST", INTEGRATION, "").await;
    let token = crate::rig::text(&created, "integrationToken");
    assert!(world.finish(&token).await);
    assert_eq!(program.ask(&key, "GET", TOKEN, &token).await.status, 200);
    let listed = json(&folder, &["merchant", "list"]);
    assert_eq!(
        (&listed[0]["merchant"], &listed[0]["state"]),
        (&"bakery".into(), &"connected".into())
    );
    assert_eq!(listed[0]["account"]["name"], "Corner Bakery");
    let allowed = json(&folder, &["merchant", "allow-change", "bakery"]);
    assert_eq!(allowed["from"]["name"], "Corner Bakery");
    json(&folder, &["merchant", "disconnect", "bakery"]);
    let order = program.ask(&key, "GET", "/connection", "").await;
    assert_eq!(order.json()["connected"], false);
    // The running relay's next round has the service revoke it; a till's call does so at once.
    assert_eq!(
        program.ask(&key, "DELETE", "/connection", "").await.status,
        204
    );
    assert_eq!(json(&folder, &["merchant", "list"])[0]["state"], "ended");
    for command in ["disconnect", "allow-change"] {
        let error = refused(&folder, &["merchant", command, "baker"]);
        assert!(error.contains("never connected"), "{error}");
    }
}

#[test]
fn a_secret_on_the_command_line_is_refused_and_not_repeated() {
    let folder = Folder::new();
    let upstream = ["--upstream", "https://auth.example.com"];
    for secret in [
        &["--client-secret", "hunter2hunter2"][..],
        &["--client-secret=hunter2hunter2"],
    ] {
        let error = refused(&folder, &[&SERVE[..], &upstream, secret].concat());
        assert!(
            error.contains("--client-secret-file") && error.contains("command line"),
            "{error}"
        );
        assert!(!error.contains("hunter2"), "{error}");
    }
    let url = "postgres://user:hunter2@127.0.0.1/relay";
    let error = refused(
        &folder,
        &[&SERVE[..], &upstream, &["--database", url]].concat(),
    );
    assert!(
        error.contains("POS_CONNECT_RELAY_DATABASE") && !error.contains("hunter2"),
        "{error}"
    );
    let error = said(
        command(&folder, &[&SERVE[..], &upstream].concat())
            .output()
            .unwrap(),
    );
    assert!(error.contains("POS_CONNECT_CLIENT_SECRET"), "{error}");
}

#[test]
fn what_the_operator_can_mend_is_said_plainly() {
    let folder = Folder::new();
    json(&folder, &["migrate"]);
    let serve = |more: &[&str]| refused(&folder, &[&SERVE[..], more].concat());
    let https = ["--upstream", "https://auth.example.com"];
    for upstream in ["http://auth.example.com", "ftp://auth.example.com"] {
        assert!(serve(&["--upstream", upstream]).contains("must be https://"));
    }
    let missing = serve(&[&https[..], &["--client-secret-file", "nowhere"]].concat());
    assert!(missing.contains("nowhere"), "{missing}");
    std::fs::write(folder.path().join("empty"), "\n").unwrap();
    assert!(
        serve(&[&https[..], &["--client-secret-file", "empty"]].concat()).contains("it is empty")
    );
    std::fs::write(folder.path().join("bad-key"), "hunter2\n").unwrap();
    let bad = serve(&[&https[..], &["--key-file", "bad-key"]].concat());
    assert!(
        bad.contains("pos-connect-relay key") && !bad.contains("hunter2"),
        "{bad}"
    );
    assert!(serve(&[&https[..], &["--origin", "*"]].concat()).contains("not an origin"));
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let busy = ["serve", "--client-id", "demo", "--listen", &*address];
    assert!(refused(&folder, &[&busy[..], &https].concat()).contains(&address));
    let key = Kind::Till.mint();
    let error = refused(&folder, &["till", "revoke", &key]);
    assert!(
        error.contains("till list") && !error.contains(&key),
        "{error}"
    );
    assert!(refused(&folder, &["till", "add", "--merchant", " "]).contains("--merchant"));
}

#[test]
fn another_key_is_noticed_before_it_does_harm() {
    let folder = Folder::new();
    let vendor = Vendor {
        id: "demo".into(),
        secret: Kind::ClientSecret.mint(),
    };
    drop(Program::serve(&folder, "http://127.0.0.1:9", &vendor, &[]));
    drop(Program::serve(&folder, "http://127.0.0.1:9", &vendor, &[]));
    let key: Value = {
        let output = command(&folder, &["key", "--json"]).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let arguments = [
        &SERVE[..],
        &[
            "--upstream",
            "http://127.0.0.1:9",
            "--database",
            "sqlite://test.db",
        ],
    ]
    .concat();
    let mut other = command(&folder, &arguments);
    other.env("POS_CONNECT_CLIENT_SECRET", "s");
    other.env("POS_CONNECT_RELAY_KEY", key["key"].as_str().unwrap());
    assert!(said(other.output().unwrap()).contains("another storage key"));
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_what_it_writes() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let vendor = Vendor {
        id: "demo".into(),
        secret: Kind::ClientSecret.mint(),
    };
    let _program = Program::serve(&folder, "http://127.0.0.1:9", &vendor, &[]);
    for name in ["test.db", "test.db-wal", "pos-connect-relay.key"] {
        let mode = folder.path().join(name).metadata().unwrap().permissions();
        assert_eq!(mode.mode() & 0o777, 0o600, "{name}");
    }
}

#[test]
fn help_names_every_command_and_no_secret_option() {
    let folder = Folder::new();
    let help = |arguments: &[&str]| {
        let output = command(&folder, arguments).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let top = help(&["--help"]);
    for word in ["serve", "till", "merchant", "migrate", "backup", "key"] {
        assert!(top.contains(word), "{top}");
    }
    let serve = help(&["serve", "--help"]);
    for word in [
        "--listen",
        "--upstream",
        "--client-id",
        "--origin",
        "--hand-out",
        "--key-file",
        "--database",
        "--json",
    ] {
        assert!(serve.contains(word), "{serve}");
    }
    assert!(
        !serve.contains("--client-secret <") && !serve.contains("--client-secret ["),
        "{serve}"
    );
}

#[tokio::test]
async fn an_origin_that_others_can_change_is_named_at_the_start() {
    let (world, folder) = (crate::world::World::new().await, Folder::new());
    let url = format!("http://{}", world.address);
    let open = ["--origin", "http://till.example"];
    let program = Program::serve(&folder, &url, &world.vendor, &open);
    let log = std::fs::read_to_string(folder.path().join("log")).unwrap();
    let named: Vec<&str> = log
        .lines()
        .filter(|line| line.contains("without TLS"))
        .collect();
    assert_eq!(named.len(), 1, "{named:?}");
    assert!(named[0].contains("http://till.example"), "{named:?}");
    drop(program);
}
