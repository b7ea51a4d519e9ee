//! Secrets and origins that change and vendors that are turned off, and what their commands print.

use crate::folder::Folder;
use crate::http::Call;
use crate::program::{json, run};
use crate::world::{INTEGRATION, TOKEN, Vendor, World, target};
use pos_connect_service::store::{Act, Rotated, Rotation};
use std::process::Command;
use std::time::Duration;

async fn code(
    world: &World,
    vendor: &Vendor,
    method: &str,
    path: &str,
    token: &str,
) -> (u16, String) {
    let answer = world
        .send(Call::new(method, target(path, vendor, token)))
        .await;
    (answer.status, answer.code())
}

#[tokio::test]
async fn two_secrets_are_live_during_a_rotation() {
    let world = World::new().await;
    let token = world.finished().await;
    let old = world.vendor.clone();
    let rotate = |overlap: Duration| {
        let secret = pos_connect_service::token::Kind::ClientSecret.mint();
        let hash = pos_connect_service::token::Hash::of(&secret);
        let now = world.now();
        let until = now.after(overlap);
        let store = &world.service.store;
        let id = old.id.clone();
        async move {
            let rotation = Rotation {
                secret: hash,
                previous_until: until,
                ends_older: true,
            };
            let rotated = store
                .rotate_secret(id.clone(), rotation, Act::operator(now))
                .await;
            assert_eq!(rotated.unwrap(), Rotated::Done(until));
            Vendor { id, secret }
        }
    };
    let new = rotate(Duration::from_secs(3600)).await;
    for vendor in [&old, &new] {
        assert_eq!(code(&world, vendor, "POST", INTEGRATION, "").await.0, 200);
    }
    assert_eq!(code(&world, &new, "GET", TOKEN, &token).await.0, 200);
    assert_eq!(code(&world, &old, "GET", TOKEN, &token).await.0, 410);
    let newest = rotate(Duration::from_secs(3600)).await;
    assert_eq!(
        code(&world, &old, "POST", INTEGRATION, "").await,
        (403, "invalid_secret".into()),
        "never three"
    );
    assert_eq!(code(&world, &new, "POST", INTEGRATION, "").await.0, 200);
    world.pass(Duration::from_secs(3600));
    assert_eq!(
        code(&world, &new, "POST", INTEGRATION, "").await,
        (403, "invalid_secret".into()),
        "the overlap ended"
    );
    assert_eq!(code(&world, &newest, "GET", TOKEN, &token).await.0, 410);
    assert_eq!(
        code(&world, &new, "GET", TOKEN, &token).await.0,
        403,
        "a dead secret learns nothing"
    );
}

#[tokio::test]
async fn the_command_line_rotates_and_disables_beside_a_running_service() {
    let world = World::new().await;
    let token = world.finished().await;
    let rotated = json(
        &world.folder,
        &[
            "vendor",
            "rotate-secret",
            &world.vendor.id,
            "--overlap-hours",
            "0",
        ],
    );
    let new = Vendor {
        secret: rotated["clientSecret"].as_str().unwrap().into(),
        ..world.vendor.clone()
    };
    // The world's clock runs apart from the program's, so only the new secret's fate is certain here.
    assert_eq!(code(&world, &new, "GET", INTEGRATION, &token).await.0, 200);
    json(&world.folder, &["vendor", "disable", &new.id]);
    for (method, path) in [
        ("POST", INTEGRATION),
        ("GET", INTEGRATION),
        ("DELETE", INTEGRATION),
        ("GET", TOKEN),
    ] {
        assert_eq!(
            code(&world, &new, method, path, &token).await,
            (400, "invalid_client".into())
        );
    }
}

#[tokio::test]
async fn a_vendors_secret_does_not_open_another_vendor() {
    let world = World::new().await;
    let other = world.add_vendor("Other Till", &[]).await;
    let mixed = Vendor {
        id: world.vendor.id.clone(),
        secret: other.secret,
    };
    assert_eq!(
        code(&world, &mixed, "POST", INTEGRATION, "").await,
        (403, "invalid_secret".into())
    );
}

#[test]
fn help_and_text_and_json_spell_the_credentials_alike() {
    let folder = Folder::prepared();
    let text = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pos-connect-service"));
        let output = command.args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let database = folder.database();
    let add = [
        "vendor",
        "add",
        "--name",
        "Corner Till",
        "--database",
        &database,
    ];
    for text in [
        text(&["vendor", "--help"]),
        text(&["vendor", "add", "--help"]),
        text(&add),
    ] {
        for name in ["clientId", "clientSecret"] {
            assert!(text.contains(name), "{text}");
        }
        assert!(
            !text.contains("client_id") && !text.contains("client_secret"),
            "{text}"
        );
    }
}

#[test]
fn origins_can_be_replaced() {
    let folder = Folder::prepared();
    let add = [
        "vendor",
        "add",
        "--name",
        "Corner Till",
        "--origin",
        "https://old.example",
    ];
    let added = json(&folder, &add);
    let set = |id| {
        json(
            &folder,
            &[
                "vendor",
                "set-origins",
                id,
                "--origin",
                "https://new.example",
            ],
        )
    };
    let moved = set(added["clientId"].as_str().unwrap());
    assert_eq!(moved["origins"], serde_json::json!(["https://new.example"]));
    assert_eq!(
        json(&folder, &["vendor", "list"])[0]["origins"],
        moved["origins"]
    );
    let nobody = [
        "vendor",
        "set-origins",
        "nobody",
        "--origin",
        "https://new.example",
    ];
    let refused = run(&folder, &nobody);
    assert!(!refused.status.success());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("no vendor nobody"));
}

#[test]
fn the_command_line_takes_test_mode_by_that_word_alone() {
    let folder = Folder::prepared();
    for (arguments, mode) in [
        (&["--name", "Till"][..], "live"),
        (&["--name", "Test Till", "--mode", "test"], "test"),
    ] {
        let added = json(&folder, &[&["vendor", "add"], arguments].concat());
        let id = added["clientId"].as_str().unwrap();
        assert_eq!(
            (added["mode"].as_str(), id.starts_with("test_")),
            (Some(mode), mode == "test")
        );
    }
    for word in ["Test", "sandbox", ""] {
        let add = ["vendor", "add", "--name", "x", "--mode", word];
        let refused = run(&folder, &add);
        assert!(!refused.status.success(), "{word}");
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(
            said.contains("must be live or test") || word.is_empty(),
            "{said}"
        );
    }
    let account = ["account", "add", "--email", "a@test.example", "--name", "A"];
    json(&folder, &[&account[..], &["--mode", "test"]].concat());
    assert_eq!(json(&folder, &["account", "list"])[0]["mode"], "test");
    let audit = json(&folder, &["audit", "--limit", "3"]);
    let modes = audit
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["mode"].as_str());
    let modes: Vec<_> = modes.map(Option::unwrap).collect();
    assert_eq!(modes, ["live", "test", "test"]);
}
