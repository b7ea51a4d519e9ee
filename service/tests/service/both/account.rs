//! `GET /v1/account`: an access token says whose it is, and that it arrived.

use crate::http::{Answer, Call};
use crate::tokens::{account, bytes_of};
use crate::world::{ACCOUNT, TILL, World};
use pos_connect_service::token::Kind;
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3600);
const INVALID: Option<&str> = Some("Bearer error=\"invalid_token\"");

fn assert_invalid(answer: &Answer) {
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (401, "invalid_token")
    );
    assert_eq!(answer.header("www-authenticate"), INVALID);
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
}

#[tokio::test]
async fn it_says_whose_the_token_is() {
    let world = World::new().await;
    let (_, _, pair) = world.picked_up().await;
    let answer = world.account(&pair.access).await;
    let body = answer.json();
    let id = |name: &str| body[name]["id"].as_str().unwrap().to_owned();
    assert!(id("account").starts_with("acc_") && id("store").starts_with("sto_"));
    let expiration = world.now().after(HOUR);
    let (account, store) = (id("account"), id("store"));
    assert_eq!(
        answer.body,
        format!(
            concat!(
                r#"{{"success":true,"account":{{"id":"{account}","name":"Corner Bakery"}},"#,
                r#""store":{{"id":"{store}","name":"Market Street"}},"ereceipt":true,"expiration":"{expiration}"}}"#
            ),
            account = account,
            store = store,
            expiration = expiration
        )
    );
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    for header in ["bearer ", "BEARER ", "Bearer   "] {
        let call =
            Call::new("GET", ACCOUNT).header("Authorization", format!("{header}{}", pair.access));
        assert_eq!(world.send(call).await.body, answer.body, "{header}");
    }
}

#[tokio::test]
async fn every_invalid_token_gets_the_same_answer() {
    let world = World::new().await;
    let (_, _, pair) = world.picked_up().await;
    let (_, _, revoked) = world.picked_up().await;
    assert_eq!(world.revoke(&revoked.access).await.status, 200);
    let (token, pickup, replaced) = world.picked_up().await;
    assert_eq!(world.reissue(&token, &pickup).await.status, 200);
    let (_, _, refreshed) = world.picked_up().await;
    assert_eq!(world.refresh(&refreshed.refresh).await.status, 200);
    let unknown = world.account(&Kind::Access.mint()).await;
    assert_invalid(&unknown);
    let same = bytes_of(unknown);
    let wrong = [
        &*revoked.access,
        &replaced.access,
        &refreshed.access,
        &pair.refresh,
        &pair.access[..20],
        "x",
        "a b",
        "\u{e9}",
    ];
    for wrong in wrong {
        assert_eq!(bytes_of(world.account(wrong).await), same, "{wrong}");
    }
    world.pass(HOUR - Duration::from_millis(1));
    assert_eq!(world.account(&pair.access).await.status, 200);
    world.pass(Duration::from_millis(1));
    assert_eq!(bytes_of(world.account(&pair.access).await), same, "expired");
}

#[tokio::test]
async fn a_disabled_vendors_tokens_are_not_valid() {
    let world = World::new().await;
    let (_, _, pair) = world.picked_up().await;
    assert_eq!(world.account(&pair.access).await.status, 200);
    let (store, id) = (&world.service.store, world.vendor.id.clone());
    assert!(
        store
            .set_vendor_disabled(id, true, world.operator())
            .await
            .unwrap()
    );
    assert_invalid(&world.account(&pair.access).await);
    assert_eq!(world.refresh(&pair.refresh).await.code(), "invalid_client");
}

#[tokio::test]
async fn without_a_token_it_says_how_and_no_more() {
    let world = World::new().await;
    let (token, pickup, pair) = world.picked_up().await;
    let get = || Call::new("GET", ACCOUNT);
    for call in [
        get(),
        get().header("Authorization", ""),
        get().header("Authorization", "Bearer"),
        get().header("Authorization", "Bearer  "),
        get().header("Authorization", format!("Basic {}", pair.access)),
        get().header("Authorization", pair.access.clone()),
    ] {
        let answer = world.send(call).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (401, "missing_token")
        );
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    }
    let twice = account(&pair.access).header("Authorization", format!("Bearer {}", pair.access));
    let in_query = account(&pair.access);
    let named = Call::new("GET", format!("{ACCOUNT}?access_token={}", pair.access));
    let broken = Call::new("GET", format!("{ACCOUNT}?x=%zz"));
    let prefetch = in_query.clone().header("Sec-Purpose", "prefetch");
    for (call, status, code) in [
        (twice, 400, "malformed_request"),
        (named, 400, "invalid_parameter"),
        (broken, 400, "malformed_request"),
        (prefetch, 400, "prefetch_refused"),
        (in_query.clone().body("x"), 400, "malformed_request"),
        (Call::new("HEAD", ACCOUNT), 405, ""),
        (Call::new("POST", ACCOUNT), 405, "method_not_allowed"),
        (Call::new("GET", format!("{ACCOUNT}/")), 404, "not_found"),
    ] {
        let answer = world.send(call).await;
        assert_eq!(answer.status, status, "{}", answer.body);
        assert!(code.is_empty() || answer.code() == code, "{}", answer.body);
        assert!(!answer.body.contains(&pair.access));
    }
    assert_eq!(
        world.reissue(&token, &pickup).await.status,
        200,
        "none of them was a use"
    );
}

#[tokio::test]
async fn a_page_of_the_vendors_may_call_it_and_no_other() {
    let world = World::new().await;
    world
        .add_vendor("Other Till", &["https://other.example"])
        .await;
    let (_, _, pair) = world.picked_up().await;
    let preflight = Call::new("OPTIONS", ACCOUNT)
        .header("Origin", TILL)
        .header("Access-Control-Request-Method", "GET")
        .header("Access-Control-Request-Headers", "authorization");
    let answer = world.send(preflight).await;
    assert_eq!(answer.status, 204);
    assert_eq!(
        answer.header("access-control-allow-methods"),
        Some("GET, OPTIONS")
    );
    assert_eq!(
        answer.header("access-control-allow-headers"),
        Some("*, Authorization")
    );
    let till = world
        .send(account(&pair.access).header("Origin", TILL))
        .await;
    assert_eq!(
        (till.status, till.header("access-control-allow-origin")),
        (200, Some(TILL))
    );
    for origin in [
        "https://other.example",
        "null",
        "https://till.example.evil.example",
    ] {
        let answer = world
            .send(account(&pair.access).header("Origin", origin))
            .await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (403, "origin_not_allowed")
        );
    }
    let hidden = account(&pair.access).header("Sec-Fetch-Mode", "no-cors");
    assert_eq!(world.send(hidden).await.code(), "origin_not_allowed");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_first_use_is_written() {
    let world = World::on_sqlite().await;
    let (_, _, pair) = world.picked_up().await;
    let database = rusqlite::Connection::open(world.folder.path().join("test.db")).unwrap();
    let used = || -> Option<i64> {
        let sql = "SELECT used_at FROM token_set";
        database.query_row(sql, [], |row| row.get(0)).unwrap()
    };
    assert_eq!(used(), None);
    assert_eq!(world.account(&pair.access).await.status, 200);
    let first = Some(world.now().0);
    assert_eq!(used(), first, "it is on the disk before the answer");
    database.execute_batch("BEGIN IMMEDIATE").unwrap();
    for _ in 0..20 {
        world.pass(Duration::from_secs(1));
        let answer = tokio::time::timeout(Duration::from_secs(30), world.account(&pair.access));
        let answer = answer
            .await
            .expect("nobody may write now, and nobody needs to");
        assert_eq!(answer.status, 200);
    }
    database.execute_batch("ROLLBACK").unwrap();
    assert_eq!(used(), first);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_first_use_that_cannot_be_written_is_not_answered() {
    let world = World::on_sqlite().await;
    let (token, pickup, pair) = world.picked_up().await;
    let database = rusqlite::Connection::open(world.folder.path().join("test.db")).unwrap();
    database.execute_batch("BEGIN IMMEDIATE").unwrap();
    let answer = world.account(&pair.access).await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (503, "unavailable")
    );
    assert_eq!(answer.header("retry-after"), Some("1"));
    database.execute_batch("ROLLBACK").unwrap();
    assert_eq!(world.reissue(&token, &pickup).await.status, 200);
}
