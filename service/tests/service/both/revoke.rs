//! `POST /v1/auth/revoke` (RFC 7009): the end of a token set.

use crate::http::Call;
use crate::tokens::{Pair, bytes_of, form, revoke};
use crate::world::{REVOKE, TILL, Vendor, World, target};
use pos_connect_service::token::Kind;
use std::time::Duration;

#[tokio::test]
async fn either_token_ends_both() {
    let world = World::new().await;
    for pick in [
        |pair: &Pair| pair.access.clone(),
        |pair: &Pair| pair.refresh.clone(),
    ] {
        let (token, _, pair) = world.picked_up().await;
        assert_eq!(world.account(&pair.access).await.status, 200);
        for _ in 0..2 {
            let answer = world.revoke(&pick(&pair)).await;
            assert_eq!(
                (answer.status, answer.body.as_str()),
                (200, r#"{"success":true}"#)
            );
        }
        assert_eq!(world.account(&pair.access).await.code(), "invalid_token");
        assert_eq!(world.refresh(&pair.refresh).await.code(), "invalid_grant");
        assert_eq!(world.token(&token).await.status, 410, "the 410 stays");
        assert_eq!(world.status(&token).await.json()["status"], "finished");
    }
}

#[tokio::test]
async fn a_spent_or_expired_token_will_do() {
    let world = World::new().await;
    let (_, _, first) = world.picked_up().await;
    let second = Pair::of(&world.refresh(&first.refresh).await);
    assert_eq!(world.revoke(&first.refresh).await.status, 200);
    assert_eq!(world.account(&second.access).await.status, 401);
    let (_, _, pair) = world.picked_up().await;
    world.pass(Duration::from_secs(3600));
    assert_eq!(world.revoke(&pair.access).await.status, 200);
    let world = world.restart().await;
    assert_eq!(world.refresh(&pair.refresh).await.code(), "invalid_grant");
}

#[tokio::test]
async fn any_other_token_is_answered_the_same_and_changes_nothing() {
    let world = World::new().await;
    let (token, pickup, replaced) = world.picked_up().await;
    let pair = Pair::of(&world.reissue(&token, &pickup).await);
    let other = world.add_vendor("Other Till", &[TILL]).await;
    let same = bytes_of(world.revoke(&Kind::Access.mint()).await);
    for (vendor, token) in [
        (&world.vendor, &*replaced.access),
        (&world.vendor, &replaced.refresh),
        (&world.vendor, &token),
        (&world.vendor, "x"),
        (&other, &pair.access),
        (&other, &pair.refresh),
    ] {
        assert_eq!(bytes_of(world.send(revoke(vendor, token)).await), same);
    }
    assert_eq!(world.account(&pair.access).await.status, 200);
}

#[tokio::test]
async fn whoever_cannot_prove_itself_revokes_nothing() {
    let world = World::new().await;
    let (_, _, pair) = world.picked_up().await;
    let right = &world.vendor;
    let wrong = Vendor {
        secret: Kind::ClientSecret.mint(),
        ..right.clone()
    };
    let no_token = [("client_id", &*right.id), ("client_secret", &right.secret)];
    let rows = [
        (
            form(REVOKE, &no_token),
            400,
            "missing_parameter",
            "invalid_request",
        ),
        (
            revoke(&wrong, &pair.access),
            403,
            "invalid_secret",
            "invalid_client",
        ),
        (
            Call::new(
                "POST",
                format!("{}&token={}", target(REVOKE, right, ""), pair.access),
            ),
            400,
            "malformed_request",
            "invalid_request",
        ),
    ];
    for (call, status, code, error) in rows {
        let answer = world.send(call).await;
        assert_eq!((answer.status, answer.code().as_str()), (status, code));
        assert_eq!(answer.json()["error"], error);
    }
    let stranger = revoke(right, &pair.access).header("Origin", "https://stranger.example");
    assert_eq!(world.send(stranger).await.code(), "origin_not_allowed");
    assert_eq!(world.account(&pair.access).await.status, 200);
}
