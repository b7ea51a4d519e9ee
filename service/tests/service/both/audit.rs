//! The audit: who did what, when and from where; and nothing that is secret.

use crate::http::Call;
use crate::program::{failure, json};
use crate::tokens::Pair;
use crate::world::{EMAIL, INTEGRATION, PASSWORD, World};
use pos_connect_foundation::values;
use pos_connect_protocol::Mode;
use pos_connect_service::Settings;
use pos_connect_service::clock::Timestamp;
use pos_connect_service::sign_in::Tried;
use pos_connect_service::store::{AuditEntry, AuditQuery};
use pos_connect_service::token::Hash;
use serde_json::Value;
use std::time::{Duration, UNIX_EPOCH};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Event, actor and address of every row.
async fn rows(world: &World) -> Vec<(String, String, Option<String>)> {
    let query = AuditQuery {
        limit: 1000,
        ..AuditQuery::default()
    };
    let found = world.service.store.audit(query).await.unwrap();
    let entries: Vec<AuditEntry> = found.entries;
    let row = |entry: AuditEntry| (entry.event, entry.actor, entry.address);
    entries.into_iter().map(row).collect()
}

async fn events(world: &World) -> Vec<String> {
    rows(world).await.into_iter().map(|row| row.0).collect()
}

fn from(call: Call, address: &str) -> Call {
    call.header("X-Forwarded-For", address)
}

#[tokio::test]
async fn it_tells_a_whole_story() {
    let settings = Settings {
        trusted_proxies: vec!["127.0.0.1/32".parse().unwrap()],
        ..Settings::default()
    };
    let world = World::with(settings).await;
    let before = events(&world).await;
    assert_eq!(before, ["vendor.added", "account.added"]);
    let token = world.create().await;
    let first = world.open_connect(&token).await;
    let filled = |password: &'static str| {
        [
            ("action", "sign-in"),
            ("email", EMAIL),
            ("password", password),
        ]
    };
    let call = from(world.form(&first, &filled("wrong")), "203.0.113.9");
    let again = world.send(call).await;
    let call = from(world.form(&again, &filled(PASSWORD)), "203.0.113.9");
    let consent = world.send(call).await;
    let store = consent.stores().remove(0);
    let chosen = [("action", "connect"), ("store", &*store)];
    world
        .send(from(world.form(&consent, &chosen), "2001:db8::1"))
        .await;
    let call = from(
        world.prepared("GET", crate::world::TOKEN, &token),
        "198.51.100.7",
    );
    let pair = Pair::of(&world.send(call).await);
    let second = Pair::of(&world.refresh(&pair.refresh).await);
    assert_eq!(world.account(&second.access).await.status, 200);
    world.refresh(&pair.refresh).await;
    let cancelled = world.create().await;
    world.call("DELETE", INTEGRATION, &cancelled).await;

    let story = rows(&world).await.split_off(2);
    let id: String = world.value("SELECT public_id FROM account").await;
    let (merchant, vendor) = (
        format!("account {id}"),
        format!("vendor {}", world.vendor.id),
    );
    let told: Vec<(&str, &str, Option<&str>)> = story
        .iter()
        .map(|(event, actor, address)| (&**event, &**actor, address.as_deref()))
        .collect();
    assert_eq!(
        told,
        [
            ("sign_in.failed", "visitor", Some("203.0.113.9")),
            ("sign_in.succeeded", &*merchant, Some("203.0.113.9")),
            ("integration.consented", &*merchant, Some("2001:db8::1")),
            ("token_set.picked_up", &*vendor, Some("198.51.100.7")),
            ("refresh.reused", &*vendor, None),
            ("integration.cancelled", &*vendor, None),
        ]
    );
    let query = AuditQuery {
        about: Some(Hash::of(&token).label()),
        limit: 10,
        ..AuditQuery::default()
    };
    let found = world.service.store.audit(query).await.unwrap();
    let entries: Vec<AuditEntry> = found.entries;
    assert_eq!(entries.len(), 3);
}

#[tokio::test]
async fn what_did_not_happen_is_not_in_it() {
    let world = World::new().await;
    let token = world.finished().await;
    let before = events(&world).await.len();
    assert_eq!(world.call("DELETE", INTEGRATION, &token).await.status, 409);
    assert!(!world.finish(&token).await);
    assert_eq!(world.token(&token).await.status, 200);
    assert_eq!(world.token(&token).await.status, 410);
    let store = &world.service.store;
    let nobody = store.set_account_disabled("nobody@x.example".into(), true, world.operator());
    assert!(!nobody.await.unwrap());
    assert_eq!(events(&world).await.len(), before + 1);
}

/// A row stays for a month at least: who invents emails, at addresses without end, must not fill the disk with them.
#[tokio::test]
async fn of_guesses_for_accounts_that_are_not_there_only_some_are_in_it() {
    let world = World::new().await;
    let store = &world.service.store;
    let failed = async |owner| {
        let tried = Tried {
            owner,
            address: Some([203, 0, 113, 9].into()),
            is_right: false,
            mode: Some(Mode::Live),
        };
        let kept = store.keep_budgets(Vec::new(), tried, world.now());
        kept.await.unwrap();
    };
    let before = events(&world).await.len();
    for _ in 0..510 {
        failed(None).await;
    }
    assert_eq!(events(&world).await.len(), before + 500);
    let account = store.account_by_email(EMAIL).await.unwrap().unwrap();
    failed(Some((account.signed_in(), None))).await;
    assert_eq!(events(&world).await.len(), before + 501);
    world.pass(Duration::from_secs(60));
    for _ in 0..2 {
        failed(None).await;
    }
    assert_eq!(events(&world).await.len(), before + 502);
}

/// A row stays for a month at least: who holds a dead token must not fill the disk with them.
#[tokio::test]
async fn a_dead_token_set_ends_once_however_often_it_is_ended() {
    let world = World::new().await;
    let (_, _, pair) = world.picked_up().await;
    let second = Pair::of(&world.refresh(&pair.refresh).await);
    assert_eq!(world.account(&second.access).await.status, 200);
    let before = events(&world).await.len();
    for _ in 0..3 {
        assert_eq!(world.refresh(&pair.refresh).await.code(), "invalid_grant");
        for token in [&pair.refresh, &second.refresh, &second.access] {
            assert_eq!(world.revoke(token).await.status, 200);
        }
    }
    assert_eq!(events(&world).await.split_off(before), ["refresh.reused"]);
    let (_, _, pair) = world.picked_up().await;
    let before = events(&world).await.len();
    for _ in 0..3 {
        assert_eq!(world.revoke(&pair.access).await.status, 200);
    }
    let told = events(&world).await.split_off(before);
    assert_eq!(told, ["token_set.revoked"]);
}

#[tokio::test]
async fn nobody_changes_it_and_it_goes_when_it_is_old() {
    let world = World::new().await;
    let store = &world.service.store;
    let replaced =
        "INSERT OR REPLACE INTO audit (id, at, event, actor) SELECT id, at, 'x', actor FROM audit";
    for sql in [
        "UPDATE audit SET event = 'x'",
        "DELETE FROM audit",
        replaced,
    ] {
        let tried = store
            .write(move |transaction| transaction.execute(sql, vec![]))
            .await;
        assert!(tried.is_err(), "{sql}");
    }
    // What is old is so by the machine's clock, too.
    world.set_back(2000 * DAY);
    world.finished().await;
    world.pass(400 * DAY);
    world.finished().await;
    assert!(
        !store
            .purge_audit(world.now().before(400 * DAY))
            .await
            .unwrap()
    );
    assert_eq!(events(&world).await.len(), 4);
    world.pass(Duration::from_millis(1));
    assert!(
        !store
            .purge_audit(world.now().before(400 * DAY))
            .await
            .unwrap()
    );
    let left = ["vendor.added", "account.added", "integration.consented"];
    assert_eq!(events(&world).await, left);
}

/// As a clock that was ahead for a moment leaves it.
#[tokio::test]
async fn a_row_of_the_future_makes_no_other_one_old() {
    let world = World::new().await;
    let now = i64::try_from(UNIX_EPOCH.elapsed().unwrap().as_millis()).unwrap();
    let days = |count: i64| Timestamp(now + count * 86_400_000);
    let row = "INSERT INTO audit (at, event, actor) VALUES (?1, 'x', 'y')";
    for at in [days(-60), days(0), days(400)] {
        world.change(row, values![at]).await;
    }
    let store = &world.service.store;
    assert!(store.purge_audit(days(1)).await.is_err());
    assert_eq!(world.rows("audit").await, 5);
    assert!(!store.purge_audit(days(-40)).await.unwrap());
    assert_eq!(world.rows("audit").await, 4);
}

/// The commands' own rows name who ran them, and the command line shows all.
#[tokio::test]
async fn commands_are_in_it_and_it_holds_no_secret() {
    let world = World::new().await;
    let folder = &world.folder;
    let rotated = json(folder, &["vendor", "rotate-secret", &world.vendor.id]);
    let added = json(
        folder,
        &["account", "add", "--email", "a@b.example", "--name", "A"],
    );
    json(folder, &["account", "set-password", "a@b.example"]);
    json(folder, &["account", "disable", "a@b.example"]);
    json(
        folder,
        &[
            "vendor",
            "set-origins",
            &world.vendor.id,
            "--origin",
            "https://new.example",
        ],
    );
    json(folder, &["vendor", "disable", &world.vendor.id]);
    json(
        folder,
        &["token-set", "revoke", "--vendor", &world.vendor.id],
    );
    let webhook = [
        "webhook",
        "set",
        &world.vendor.id,
        "https://vendor.example/hook",
    ];
    json(folder, &webhook);
    json(folder, &["webhook", "test", &world.vendor.id]);
    json(folder, &["webhook", "enable", &world.vendor.id]);
    json(folder, &["migrate"]);
    json(folder, &["purge"]);
    failure(folder, &["vendor", "disable", "nobody"]);
    let audit = json(folder, &["audit"]);
    let entries = audit.as_array().unwrap();
    let events: Vec<&str> = entries
        .iter()
        .map(|entry| entry["event"].as_str().unwrap())
        .collect();
    assert_eq!(
        events[2..],
        [
            "vendor.secret_rotated",
            "account.added",
            "account.password_set",
            "account.disabled",
            "vendor.origins_set",
            "vendor.disabled",
            "token_sets.revoked",
            "webhook.set",
            "webhook.tested",
            "webhook.enabled",
            "database.migrated",
            "database.purged",
        ]
    );
    let whole = audit.to_string();
    for secret in [
        &rotated["clientSecret"],
        &added["password"],
        &Value::from(&*world.vendor.secret),
    ] {
        assert!(!whole.contains(secret.as_str().unwrap()));
    }
    assert!(
        entries
            .iter()
            .all(|entry| entry["actor"].as_str().unwrap().starts_with("operator"))
    );
    let some = json(folder, &["audit", "--event", "account.", "--limit", "2"]);
    assert_eq!(some.as_array().unwrap().len(), 2);
    assert_eq!(some[1]["event"], "account.disabled");
    assert_eq!(
        json(folder, &["audit", "--event", "%"])
            .as_array()
            .unwrap()
            .len(),
        0
    );
}
