//! Who may call with a fleet key, and what a call may say.

use crate::fleet::{BODY, TILLS, add, adding, another, ask, count, fleet, refused, revoke};
use crate::folder::Folder;
use crate::http::{Answer, Call, Connection};
use crate::rig::PAGE;
use pos_connect_foundation::database::{Database, Schema, Transaction};
use pos_connect_foundation::token::Kind;
use pos_connect_foundation::{sqlite, values};
use pos_connect_relay::store::{Opening, SCHEMA, Store};
use serde_json::{Value, json};
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn no_other_kind_of_key_is_let_in() {
    let (rig, fleet, key) = fleet().await;
    let mut changed = key.clone();
    changed.replace_range(10..11, if &key[10..11] == "x" { "y" } else { "x" });
    let mut wrong: Vec<String> = Kind::ALL.map(Kind::mint).to_vec();
    wrong.extend([rig.till.clone(), fleet, changed, "pcb_".into()]);
    wrong.push(rig.service.vendor.secret.clone());
    wrong.push(key.replacen("pcb_", "pct_", 1));
    for wrong in wrong {
        let answer = add(&rig, &wrong, "1").await;
        assert_eq!(refused(&answer), (401, "unauthorized".into()), "{wrong}");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
        assert_eq!(ask(&rig, &wrong, "GET", TILLS).await.status, 401);
        assert_eq!(revoke(&rig, &wrong, "x").await, 401);
    }
    assert_eq!(Call::new("GET", TILLS).send(rig.address).await.status, 401);
    // Nor is it a till's.
    assert_eq!(rig.connection(&key).await.status, 401);
    assert_eq!(count(&rig, "till").await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_page_reaches_it_or_reads_an_answer() {
    let (rig, _, key) = fleet().await;
    let elsewhere = format!("{TILLS}/nobody");
    let calls = |key: &str| {
        [
            ("GET", TILLS),
            ("POST", TILLS),
            ("DELETE", &*elsewhere),
            ("OPTIONS", TILLS),
            ("OPTIONS", &*elsewhere),
            ("PUT", TILLS),
            ("GET", &*elsewhere),
        ]
        .map(|(method, target)| rig.call(key, method, target))
    };
    let by_page = [
        ("Origin", PAGE),
        ("Origin", "https://other.example"),
        ("Origin", "null"),
        ("Origin", ""),
        ("Sec-Fetch-Site", "same-origin"),
        ("Sec-Fetch-Mode", "no-cors"),
        ("Sec-Fetch-Mode", "navigate"),
    ];
    for (name, value) in by_page {
        for call in calls(&key) {
            let answer = call.header(name, value).send(rig.address).await;
            assert!(
                [(403, "origin_not_allowed"), (405, "method_not_allowed")]
                    .contains(&(answer.status, &*answer.code())),
                "{}",
                answer.body
            );
            assert_unreadable(&answer);
        }
    }
    for key in [&*key, "nothing"] {
        for call in calls(key) {
            assert_unreadable(&call.send(rig.address).await);
        }
    }
    assert_unreadable(&add(&rig, &key, "1").await);
    assert_eq!(count(&rig, "till").await, 2 + 1);
}

fn assert_unreadable(answer: &Answer) {
    let cors = |(name, _): &&(String, String)| name.starts_with("access-control");
    assert_eq!(answer.headers.iter().find(cors), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_said_right_adds_nothing() {
    let (rig, _, key) = fleet().await;
    let long = "x".repeat(101);
    let member = |name: &str, value: Value| json!({ "merchant": "m", name: value }).to_string();
    for (body, status, code) in [
        (String::new(), 400, "malformed_request"),
        ("{".into(), 400, "malformed_request"),
        ("[".repeat(5000), 400, "malformed_request"),
        ("[]".into(), 422, "invalid_member"),
        ("{}".into(), 422, "missing_member"),
        (member("merchant", json!("")), 422, "invalid_member"),
        (member("merchant", json!(" \u{a0}")), 422, "invalid_member"),
        (member("merchant", json!("\u{200b}")), 422, "invalid_member"),
        (member("merchant", json!("bakery ")), 422, "invalid_member"),
        (member("name", json!("\u{2800}")), 422, "invalid_member"),
        (member("merchant", json!(7)), 422, "invalid_member"),
        (member("merchant", json!(long)), 422, "invalid_member"),
        (member("merchant", json!("a\0b")), 422, "invalid_member"),
        (member("name", json!("\u{1b}[2J")), 422, "invalid_member"),
        (member("name", json!("a\nb")), 422, "invalid_member"),
        (member("name", json!("\u{9b}1m")), 422, "invalid_member"),
        (member("name", json!(long)), 422, "invalid_member"),
        (member("key", json!("mine")), 422, "unknown_member"),
        (
            r#"{"merchant":"a","merchant":"b"}"#.into(),
            422,
            "repeated_member",
        ),
        (" ".repeat(16 * 1024 + 1), 413, "body_too_large"),
    ] {
        let answer = adding(&rig, &key, "1", body.clone())
            .send(rig.address)
            .await;
        assert_eq!(refused(&answer), (status, code.into()), "{body}");
    }
    let post = || rig.call(&key, "POST", TILLS).body(BODY);
    let long = "x".repeat(65);
    for (keys, code) in [
        (&[][..], "missing_parameter"),
        (&[""], "invalid_idempotency_key"),
        (&["a b"], "invalid_idempotency_key"),
        (&[&*long], "invalid_idempotency_key"),
        (&["a", "a"], "invalid_idempotency_key"),
    ] {
        let with = |call: Call, key: &&str| call.header("Idempotency-Key", *key);
        let answer = keys.iter().fold(post(), with).send(rig.address).await;
        assert_eq!(refused(&answer), (400, code.into()), "{keys:?}");
    }
    for (method, target, status) in [
        ("POST", "/tills?merchant=a", 400),
        ("GET", "/tills?merchant=", 400),
        ("GET", "/tills?merchnat=a", 400),
        ("GET", "/tills?merchant=%00", 400),
        ("GET", "/tills?after=%00", 400),
        ("GET", "/tills?after=nobody", 400),
        ("GET", "/tills?after=a&after=b", 400),
        ("GET", "/tills?merchant=%zz", 400),
        ("DELETE", "/tills/nobody", 404),
        ("DELETE", "/tills/%00", 404),
        ("DELETE", "/tills/nobody?x", 400),
        ("DELETE", "/tills/", 404),
        ("DELETE", "/tills/a/b", 404),
    ] {
        let answer = ask(&rig, &key, method, target).await;
        assert_eq!(answer.status, status, "{method} {target} {}", answer.body);
    }
    assert_eq!(count(&rig, "till").await, 2);
    // No name is a name that answers show.
    let nameless = adding(&rig, &key, "1", member("name", json!("")));
    let nameless = nameless.send(rig.address).await;
    assert_eq!(nameless.json()["till"]["name"], "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fleet_key_has_so_many_calls_and_takes_nothing_from_another() {
    let (rig, _, key) = fleet().await;
    let mut connection = Connection::open(rig.address).await;
    let mut unknown = async || {
        let call = rig.call(&key, "DELETE", format!("{TILLS}/nobody"));
        connection.send(call).await
    };
    for _ in 0..1000 {
        assert_eq!(unknown().await.status, 404);
    }
    let full = unknown().await;
    assert_eq!(refused(&full), (429, "slow_down".into()));
    assert_eq!(full.header("retry-after"), Some("1"));
    assert_eq!(rig.connection(&rig.till).await.status, 200);
    let (_, other) = another(&rig).await;
    assert_eq!(add(&rig, &other, "1").await.status, 200);
    rig.service.pass(Duration::from_millis(500));
    assert_eq!(unknown().await.status, 404);
    assert_eq!(unknown().await.status, 429);
}

/// A database from before the column, whose audit says the same.
#[tokio::test]
async fn tills_of_an_older_relay_are_revoked_with_their_fleet_key() {
    let folder = Folder::new();
    let url = format!("sqlite://{}", folder.path().join("test.db").display());
    let migrations = SCHEMA.sqlite.migrations;
    let sqlite = sqlite::Schema {
        migrations: &migrations[..2],
        ..SCHEMA.sqlite
    };
    let older = Schema { sqlite, ..SCHEMA };
    let database = Database::open(&url, &older, Opening::Prepare)
        .await
        .unwrap();
    let fill = |transaction: &Transaction<'_>| {
        let sql = "INSERT INTO fleet_key (label, key_hash, name, created_at) VALUES ('f', zeroblob(32), '', 0)";
        transaction.execute(sql, values![])?;
        for (till, actor) in [("a", "fleet key f"), ("b", "operator x")] {
            let sql = "INSERT INTO till (label, key_hash, merchant, name, created_at)
                       VALUES (?1, CAST(substr(?1 || hex(zeroblob(16)), 1, 32) AS BLOB), 'm', '', 0)";
            transaction.execute(sql, values![till])?;
            let sql = "INSERT INTO audit (at, event, actor, merchant, subject) VALUES (0, 'till.added', ?2, 'm', ?1)";
            transaction.execute(sql, values![till, actor])?;
        }
        Ok(())
    };
    database.write(fill).await.unwrap();
    drop(database);
    let store = Store::open(&url, Opening::Prepare).await.unwrap();
    let revoked = store.revoke_fleet_key("f", true, pos_connect_foundation::clock::Timestamp(1));
    assert_eq!(revoked.await.unwrap(), Some(1));
    assert!(store.till("a").await.unwrap().unwrap().revoked);
    assert!(!store.till("b").await.unwrap().unwrap().revoked);
}
