//! A lost first answer: another pair in the place of the one that never arrived.

use crate::http::{Call, Connection};
use crate::tokens::{Pair, bytes_of, pickup_id, reissue, with_pickup};
use crate::world::{INTEGRATION, REISSUE, TILL, TOKEN, Vendor, World, target};
use pos_connect_service::token::Kind;
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3600);
const STRANGER: &str = "https://stranger.example";

#[tokio::test]
async fn the_new_pair_takes_the_place_of_the_old_one() {
    let world = World::new().await;
    let (token, pickup, lost) = world.picked_up().await;
    world.pass(2 * HOUR);
    let answer = world.reissue(&token, &pickup).await;
    let new = Pair::of(&answer);
    assert!(new.access != lost.access && new.refresh != lost.refresh);
    assert!(
        Kind::Access.digest(&new.access).is_some() && Kind::Refresh.digest(&new.refresh).is_some()
    );
    let body = answer.json();
    assert_eq!(body["expiration"], world.now().after(HOUR).to_string());
    assert_eq!(
        (&body["ereceipt"], &body["account"]["name"]),
        (&true.into(), &"Corner Bakery".into())
    );
    let gone = world.pick_up(&token, &pickup).await;
    assert_eq!(
        (gone.status, &gone.json()["pickup"]),
        (410, &"yours".into()),
        "the 410 stays"
    );
    assert_eq!(world.refresh(&lost.refresh).await.code(), "invalid_grant");
    let pairs = [lost, new.clone()];
    assert_eq!(world.live(&pairs).await, [&new]);
    assert_eq!(
        world.refresh(&new.refresh).await.status,
        200,
        "the dead one's refresh token ended nothing"
    );
}

/// To the byte, but for the tokens themselves.
#[tokio::test]
async fn it_answers_as_the_token_call_does() {
    let world = World::new().await;
    let (token, pickup) = (world.finished().await, pickup_id());
    let blank = |answer: crate::http::Answer| {
        let pair = Pair::of(&answer);
        let (status, headers, body) = bytes_of(answer);
        (
            status,
            headers,
            body.replace(&pair.access, "").replace(&pair.refresh, ""),
        )
    };
    let first = blank(world.pick_up(&token, &pickup).await);
    assert_eq!(blank(world.reissue(&token, &pickup).await), first);
}

#[tokio::test]
async fn three_times_and_no_more() {
    let world = World::new().await;
    let (token, pickup, first) = world.picked_up().await;
    let mut pairs = vec![first];
    for _ in 0..3 {
        pairs.push(Pair::of(&world.reissue(&token, &pickup).await));
    }
    for _ in 0..2 {
        let refused = world.reissue(&token, &pickup).await;
        assert_eq!(
            (refused.status, refused.code().as_str()),
            (409, "reissue_exhausted")
        );
    }
    assert_eq!(
        world.live(&pairs).await,
        [&pairs[3]],
        "the last one stays valid"
    );
}

#[tokio::test]
async fn a_used_token_is_not_replaced_whichever_use_it_was() {
    let world = World::new().await;
    for way in ["account", "refresh", "revoke access", "revoke refresh"] {
        let (token, pickup, pair) = world.picked_up().await;
        let used = match way {
            "account" => world.account(&pair.access).await,
            "refresh" => world.refresh(&pair.refresh).await,
            "revoke access" => world.revoke(&pair.access).await,
            _ => world.revoke(&pair.refresh).await,
        };
        assert_eq!(used.status, 200, "{way}");
        let refused = world.reissue(&token, &pickup).await;
        assert_eq!(
            (refused.status, refused.code().as_str()),
            (409, "reissue_used"),
            "{way}"
        );
        let gone = world.pick_up(&token, &pickup).await;
        assert_eq!(
            (gone.status, &gone.json()["pickup"]),
            (410, &"yours".into()),
            "{way}"
        );
    }
}

#[tokio::test]
async fn what_was_refused_is_no_use() {
    let world = World::new().await;
    let (token, pickup, pair) = world.picked_up().await;
    let foreign = crate::tokens::account(&pair.access).header("Origin", STRANGER);
    assert_eq!(world.send(foreign).await.code(), "origin_not_allowed");
    let wrong = Vendor {
        secret: Kind::ClientSecret.mint(),
        ..world.vendor.clone()
    };
    let refused = world
        .send(crate::tokens::refresh(&wrong, &pair.refresh))
        .await;
    assert_eq!(refused.code(), "invalid_secret");
    let other = world.add_vendor("Other Till", &[TILL]).await;
    for call in [
        crate::tokens::refresh(&other, &pair.refresh),
        crate::tokens::revoke(&other, &pair.access),
    ] {
        world.send(call).await;
    }
    world.pass(HOUR);
    assert_eq!(world.account(&pair.access).await.status, 401, "expired");
    assert_eq!(world.reissue(&token, &pickup).await.status, 200);
}

#[tokio::test]
async fn a_day_after_the_pick_up_it_is_too_late() {
    let world = World::new().await;
    let (early, late) = (world.picked_up().await, world.picked_up().await);
    world.pass(23 * HOUR);
    assert_eq!(
        world.reissue(&late.0, &late.1).await.status,
        200,
        "which starts no new day"
    );
    world.pass(HOUR - Duration::from_millis(1));
    assert_eq!(world.reissue(&early.0, &early.1).await.status, 200);
    world.pass(Duration::from_millis(1));
    let refused = world.reissue(&late.0, &late.1).await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (410, "reissue_expired")
    );
    assert_eq!(world.pick_up(&late.0, &late.1).await.status, 410);
}

#[tokio::test]
async fn another_pick_up_gets_nothing_and_learns_nothing_more() {
    let world = World::new().await;
    let (token, pickup, pair) = world.picked_up().await;
    let plain = world.finished().await;
    assert_eq!(world.token(&plain).await.status, 200);
    let refused = world.reissue(&token, &pickup_id()).await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (403, "reissue_other_pickup")
    );
    let same = bytes_of(refused);
    assert_eq!(
        bytes_of(world.reissue(&plain, &pickup).await),
        same,
        "claimed without one"
    );
    for _ in 0..3 {
        assert_eq!(
            world.reissue(&token, &pickup).await.status,
            200,
            "no refusal counts"
        );
    }
    assert_eq!(
        bytes_of(world.reissue(&token, &pickup_id()).await),
        same,
        "exhausted"
    );
    assert_eq!(world.account(&pair.access).await.status, 401);
    world.pass(48 * HOUR);
    assert_eq!(
        bytes_of(world.reissue(&token, &pickup_id()).await),
        same,
        "expired"
    );
}

#[tokio::test]
async fn before_the_pick_up_there_is_nothing_to_reissue() {
    let world = World::new().await;
    let (pending, cancelled, finished) = (
        world.create().await,
        world.create().await,
        world.finished().await,
    );
    assert_eq!(
        world.call("DELETE", INTEGRATION, &cancelled).await.status,
        204
    );
    let pickup = pickup_id();
    for (token, code) in [
        (&pending, "integration_pending"),
        (&cancelled, "integration_cancelled"),
        (&finished, "tokens_not_retrieved"),
    ] {
        let refused = world.reissue(token, &pickup).await;
        assert_eq!((refused.status, refused.code().as_str()), (409, code));
    }
    assert_eq!(
        world.pick_up(&finished, &pickup).await.status,
        200,
        "nothing was consumed"
    );
    let late = world.finished().await;
    world.pass(24 * HOUR);
    assert_eq!(
        world.reissue(&late, &pickup).await.code(),
        "integration_expired"
    );
}

async fn assert_refused(world: &World, pickup: &str, rows: Vec<(&str, Call)>) {
    for (code, call) in rows {
        let name = format!("{call:?}");
        let answer = world.send(call).await;
        assert_eq!(answer.code(), code, "{name}");
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert!(!answer.body.contains(pickup) && !answer.body.contains(&world.vendor.secret));
        assert!(
            answer.json().get("error").is_none(),
            "that word is RFC 6749's"
        );
    }
}

/// Each call commits the named fault and the next one in the order of the token call.
#[tokio::test]
async fn a_call_of_the_wrong_form_is_refused_first() {
    let world = World::new().await;
    let (token, pickup, _) = world.picked_up().await;
    let vendor = &world.vendor;
    let good = with_pickup(REISSUE, vendor, &token, &pickup);
    let odd = with_pickup(REISSUE, vendor, &token, "short");
    let empty = with_pickup(REISSUE, vendor, &token, "");
    let post = |target: String| Call::new("POST", target);
    let long = format!("{REISSUE}?{}", "x=%zz&".repeat(1400));
    let twice = format!("{REISSUE}?client_id=a&client_id=b");
    let rows = vec![
        ("not_found", Call::new("PUT", format!("{REISSUE}/?%zz"))),
        ("method_not_allowed", Call::new("GET", long.clone())),
        ("uri_too_long", post(long)),
        (
            "malformed_request",
            post(format!("{REISSUE}?client_id=%zz")),
        ),
        ("malformed_request", post(good.clone()).body("client_id=x")),
        ("missing_parameter", post(target(REISSUE, vendor, &token))),
        ("missing_parameter", post(empty)),
        ("missing_parameter", post(twice)),
        ("repeated_parameter", post(format!("{odd}&client_id=again"))),
        (
            "repeated_parameter",
            post(format!("{good}&pickup_id={pickup}")),
        ),
        (
            "invalid_parameter",
            post(odd).header("Sec-Purpose", "prefetch"),
        ),
    ];
    assert_refused(&world, &pickup, rows).await;
    assert_eq!(world.reissue(&token, &pickup).await.status, 200);
}

#[tokio::test]
async fn the_precedence_is_the_token_calls() {
    let world = World::new().await;
    let (token, pickup, _) = world.picked_up().await;
    let right = &world.vendor;
    let (unknown, wrong) = (Vendor::unknown(), right.with_wrong_secret());
    let foreign = Kind::Integration.mint();
    let stranger = |call: Call| call.header("Origin", STRANGER);
    let prefetch = reissue(&unknown, &token, &pickup).header("Sec-Purpose", "prefetch");
    let rows = vec![
        ("prefetch_refused", prefetch),
        ("invalid_client", reissue(&unknown, &token, &pickup)),
        ("invalid_secret", stranger(reissue(&wrong, &token, &pickup))),
        (
            "origin_not_allowed",
            stranger(reissue(right, &foreign, &pickup)),
        ),
        (
            "invalid_integration",
            reissue(right, &foreign, &pickup_id()),
        ),
        ("reissue_other_pickup", reissue(right, &token, &pickup_id())),
    ];
    assert_refused(&world, &pickup, rows).await;
    for _ in 0..3 {
        let till = reissue(right, &token, &pickup).header("Origin", TILL);
        let answer = world.send(till).await;
        let reader = answer.header("access-control-allow-origin");
        assert_eq!((answer.status, reader), (200, Some(TILL)));
    }
}

#[tokio::test]
async fn another_vendors_integration_looks_exactly_like_an_unknown_one() {
    let world = World::new().await;
    let (token, pickup, pair) = world.picked_up().await;
    let other = world.add_vendor("Other Till", &[TILL]).await;
    let foreign = world.send(reissue(&other, &token, &pickup)).await;
    let unknown = world
        .send(reissue(&other, &Kind::Integration.mint(), &pickup))
        .await;
    assert_eq!(
        (foreign.status, foreign.code().as_str()),
        (403, "invalid_integration")
    );
    assert_eq!(bytes_of(foreign), bytes_of(unknown));
    assert_eq!(world.account(&pair.access).await.status, 200);
}

#[tokio::test]
async fn other_methods_reissue_nothing() {
    let world = World::new().await;
    let (token, pickup, pair) = world.picked_up().await;
    let url = with_pickup(REISSUE, &world.vendor, &token, &pickup);
    for method in ["GET", "HEAD", "PUT", "PATCH", "DELETE", "TRACE"] {
        let mut connection = Connection::open(world.address).await;
        let answer = connection.send(Call::new(method, url.clone())).await;
        assert_eq!(
            (answer.status, answer.header("allow")),
            (405, Some("POST, OPTIONS")),
            "{method}"
        );
    }
    assert_eq!(world.send(Call::new("OPTIONS", url)).await.status, 204);
    assert_eq!(world.account(&pair.access).await.status, 200);
}

#[tokio::test]
async fn what_was_reissued_stays_so_over_a_restart() {
    let world = World::new().await;
    let (token, pickup, first) = world.picked_up().await;
    let second = Pair::of(&world.reissue(&token, &pickup).await);
    let world = world.restart().await;
    let third = Pair::of(&world.reissue(&token, &pickup).await);
    let world = world.restart().await;
    let pairs = [first, second, third];
    assert_eq!(world.live(&pairs).await, [&pairs[2]]);
    let world = world.restart().await;
    assert_eq!(world.reissue(&token, &pickup).await.code(), "reissue_used");
    assert_eq!(
        world
            .send(Call::new("GET", target(TOKEN, &world.vendor, &token)))
            .await
            .status,
        410
    );
}
