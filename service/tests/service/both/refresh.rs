//! `POST /v1/auth/token`: refresh tokens rotate; one that comes back is a lost answer, or ends the token set.

use crate::http::{Call, query};
use crate::tokens::{Pair, bytes_of, form, refresh};
use crate::world::{REFRESH, REVOKE, TILL, Vendor, World, target};
use pos_connect_service::token::Kind;
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

#[tokio::test]
async fn a_refresh_token_becomes_a_new_pair() {
    let world = World::new().await;
    let (_, _, old) = world.picked_up().await;
    world.pass(2 * HOUR);
    let answer = world.refresh(&old.refresh).await;
    let new = Pair::of(&answer);
    let expiration = world.now().after(HOUR);
    let body = answer
        .body
        .replace(&new.access, "A")
        .replace(&new.refresh, "R");
    assert_eq!(
        body,
        format!(
            concat!(
                r#"{{"success":true,"access_token":"A","token_type":"Bearer","expires_in":3600,"#,
                r#""refresh_token":"R","expiration":"{expiration}","ereceipt":true}}"#
            ),
            expiration = expiration
        )
    );
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert!(
        Kind::Access.digest(&new.access).is_some() && Kind::Refresh.digest(&new.refresh).is_some()
    );
    let pairs = [old, new.clone()];
    assert_eq!(world.live(&pairs).await, [&new]);
}

#[tokio::test]
async fn it_goes_on_for_as_long_as_it_is_refreshed_in_time() {
    let world = World::new().await;
    let (_, _, mut pair) = world.picked_up().await;
    for _ in 0..5 {
        world.pass(90 * DAY - Duration::from_millis(1));
        pair = Pair::of(&world.refresh(&pair.refresh).await);
    }
    world.pass(90 * DAY);
    let refused = world.refresh(&pair.refresh).await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (400, "invalid_grant")
    );
    world.service.purge(Duration::ZERO).await.unwrap();
    assert!(
        world.rows("spent_refresh").await <= 2,
        "what is too old to be a danger is forgotten"
    );
}

#[tokio::test]
async fn a_spent_one_that_comes_back_ends_the_token_set() {
    let world = World::new().await;
    let (_, _, first) = world.picked_up().await;
    let (_, _, beside) = world.picked_up().await;
    let second = Pair::of(&world.refresh(&first.refresh).await);
    let third = Pair::of(&world.refresh(&second.refresh).await);
    assert_eq!(world.account(&third.access).await.status, 200);
    let world = world.restart().await;
    assert_eq!(world.refresh(&first.refresh).await.code(), "invalid_grant");
    assert_eq!(world.account(&third.access).await.status, 401);
    assert_eq!(world.refresh(&third.refresh).await.code(), "invalid_grant");
    assert_eq!(
        world.account(&beside.access).await.status,
        200,
        "another integration's lives on"
    );
}

#[tokio::test]
async fn another_vendor_can_neither_use_nor_end_it() {
    let world = World::new().await;
    let (_, _, first) = world.picked_up().await;
    let second = Pair::of(&world.refresh(&first.refresh).await);
    let other = world.add_vendor("Other Till", &[TILL]).await;
    let unknown = bytes_of(world.send(refresh(&other, &Kind::Refresh.mint())).await);
    for token in [&*first.refresh, &second.refresh, &second.access, "x"] {
        assert_eq!(
            bytes_of(world.send(refresh(&other, token)).await),
            unknown,
            "{token}"
        );
    }
    assert_eq!(world.account(&second.access).await.status, 200);
    assert_eq!(world.refresh(&second.refresh).await.status, 200);
}

/// Each row with the RFC's word beside ours; the token set is as before.
async fn assert_refused(world: &World, pair: &Pair, rows: Vec<(Call, u16, &str, Option<&str>)>) {
    for (call, status, code, error) in rows {
        let name = format!("{call:?}");
        let answer = world.send(call).await;
        assert_eq!((answer.status, &*answer.code()), (status, code), "{name}");
        assert_eq!(answer.json()["error"].as_str(), error, "{name}");
        assert!(
            !answer.body.contains(&world.vendor.secret) && !answer.body.contains(&pair.refresh)
        );
    }
    let till = refresh(&world.vendor, &pair.refresh).header("Origin", TILL);
    let till = world.send(till).await;
    let reader = till.header("access-control-allow-origin");
    assert_eq!(
        (till.status, reader),
        (200, Some(TILL)),
        "nothing was consumed"
    );
}

const INVALID_REQUEST: Option<&str> = Some("invalid_request");

/// A form that is right but for one field left out, and whatever grant it names.
fn body(vendor: &Vendor, pair: &Pair, without: &str, grant: &str) -> String {
    let all = [
        ("client_id", &*vendor.id),
        ("client_secret", &vendor.secret),
        ("grant_type", grant),
        ("refresh_token", &pair.refresh),
    ];
    let some: Vec<_> = all
        .into_iter()
        .filter(|(name, _)| *name != without)
        .collect();
    query(&some)
}

#[tokio::test]
async fn the_form_is_read_strictly() {
    let world = World::new().await;
    let (_, _, pair) = world.picked_up().await;
    let vendor = &world.vendor;
    let body = |without: &str, grant: &str| body(vendor, &pair, without, grant);
    let post = || Call::new("POST", REFRESH);
    let kind = "application/x-www-form-urlencoded; charset=utf-8";
    let send = |body: String| post().header("Content-Type", kind).body(body);
    let whole = body("", "refresh_token");
    let mut rows = Vec::new();
    for name in ["client_id", "client_secret", "grant_type", "refresh_token"] {
        rows.push((
            send(body(name, "refresh_token")),
            400,
            "missing_parameter",
            INVALID_REQUEST,
        ));
    }
    let in_query = Call::new("POST", target(REFRESH, vendor, ""))
        .header("Content-Type", kind)
        .body(whole.clone());
    let json = post().header("Content-Type", "application/json").body("{}");
    for (call, code) in [
        (send(body("", "")), "missing_parameter"),
        (
            send(format!("{whole}&refresh_token=x")),
            "repeated_parameter",
        ),
        (send(format!("{whole}&x=%zz")), "malformed_request"),
        (in_query, "malformed_request"),
    ] {
        rows.push((call, 400, code, INVALID_REQUEST));
    }
    for call in [post().body(whole.clone()), json] {
        rows.push((call, 415, "unsupported_media_type", INVALID_REQUEST));
    }
    let code = "unsupported_grant_type";
    rows.push((
        send(body("refresh_token", "password")),
        400,
        code,
        Some(code),
    ));
    let long = Call::new("POST", format!("{REFRESH}?{}", "x".repeat(9000)));
    rows.push((long, 414, "uri_too_long", INVALID_REQUEST));
    rows.push((Call::new("GET", REFRESH), 405, "method_not_allowed", None));
    assert_refused(&world, &pair, rows).await;
}

/// Each call commits the named fault and the next one in the order.
#[tokio::test]
async fn every_refusal_has_its_place() {
    let world = World::new().await;
    let (_, _, pair) = world.picked_up().await;
    let right = &world.vendor;
    let (unknown, wrong) = (Vendor::unknown(), right.with_wrong_secret());
    let stranger = |call: Call| call.header("Origin", "https://stranger.example");
    let prefetch = refresh(&unknown, "x").header("Sec-Purpose", "prefetch");
    let client = Some("invalid_client");
    let rows = vec![
        (prefetch, 400, "prefetch_refused", INVALID_REQUEST),
        (
            refresh(&unknown, &pair.refresh),
            400,
            "invalid_client",
            client,
        ),
        (
            stranger(refresh(&wrong, &pair.refresh)),
            403,
            "invalid_secret",
            client,
        ),
        (
            stranger(refresh(right, "x")),
            403,
            "origin_not_allowed",
            None,
        ),
        (
            refresh(right, &pair.access),
            400,
            "invalid_grant",
            Some("invalid_grant"),
        ),
    ];
    assert_refused(&world, &pair, rows).await;
}

#[tokio::test]
async fn a_body_has_a_longest_length() {
    let world = World::new().await;
    let (_, _, pair) = world.picked_up().await;
    for path in [REFRESH, REVOKE] {
        let filler = "x".repeat(16 * 1024);
        let pairs = [
            ("refresh_token", &*pair.refresh),
            ("token", &pair.access),
            ("filler", &filler),
        ];
        let answer = world.send(form(path, &pairs)).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (413, "content_too_large")
        );
        assert_eq!(
            world.send(Call::new("OPTIONS", path)).await.header("allow"),
            Some("POST, OPTIONS")
        );
    }
    assert_eq!(world.account(&pair.access).await.status, 200);
}
