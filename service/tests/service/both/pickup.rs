//! `pickup_id` on the token call: who is told what, and that a client without one notices nothing.

use crate::http::Call;
use crate::tokens::{bytes_of, pick_up, pickup_id, with_pickup};
use crate::world::{INTEGRATION, TILL, TOKEN, Vendor, World, target};
use pos_connect_foundation::values;
use pos_connect_service::token::{Hash, Kind};

#[tokio::test]
async fn creating_says_that_there_is_a_way_back() {
    let world = World::new().await;
    let answer = world.call("POST", INTEGRATION, "").await;
    let token = answer.json()["integrationToken"]
        .as_str()
        .unwrap()
        .to_owned();
    let rest = answer.body.replace(&token, "");
    let code = answer.json()["code"].to_string();
    let expected = r#"{"success":true,"integrationToken":"","interval":5,"expiresIn":1800,"pickup":true,"code":CODE}"#;
    assert_eq!(rest, expected.replace("CODE", &code));
}

#[tokio::test]
async fn the_410_says_whose_pick_up_it_was() {
    let world = World::new().await;
    let (token, mine) = (world.finished().await, pickup_id());
    assert_eq!(world.pick_up(&token, &mine).await.status, 200);
    for (pickup, word) in [(&mine, "yours"), (&pickup_id(), "other"), (&mine, "yours")] {
        let gone = world.pick_up(&token, pickup).await;
        assert_eq!(
            (gone.status, gone.code().as_str()),
            (410, "tokens_already_retrieved")
        );
        assert_eq!(gone.json()["pickup"], *word);
        assert!(!gone.body.contains(pickup.as_str()));
    }
    let world = world.restart().await;
    assert_eq!(world.pick_up(&token, &mine).await.json()["pickup"], "yours");
}

#[tokio::test]
async fn a_pick_up_without_one_is_somebody_elses() {
    let world = World::new().await;
    let token = world.finished().await;
    assert_eq!(world.token(&token).await.status, 200);
    let gone = world.pick_up(&token, &pickup_id()).await;
    assert_eq!(
        (gone.status, &gone.json()["pickup"]),
        (410, &"other".into())
    );
}

/// What a client that knows only the spec gets, to the byte.
#[tokio::test]
async fn without_one_nothing_is_different() {
    let world = World::new().await;
    let (with, without) = (world.finished().await, world.finished().await);
    let taken = world.pick_up(&with, &pickup_id()).await;
    let names = |body: &str| {
        let body: serde_json::Map<_, _> = serde_json::from_str(body).unwrap();
        body.keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(names(&taken.body), names(&world.token(&without).await.body));
    let bytes = bytes_of(world.token(&without).await);
    assert_eq!(bytes, bytes_of(world.token(&with).await));
    let empty = Call::new("GET", with_pickup(TOKEN, &world.vendor, &with, ""));
    assert_eq!(
        bytes,
        bytes_of(world.send(empty).await),
        "an empty one is none"
    );
    assert_eq!(
        bytes.2,
        concat!(
            r#"{"success":false,"code":"tokens_already_retrieved","title":"The tokens were already retrieved.","#,
            r#""status":410,"requestId":""}"#
        )
    );
}

#[tokio::test]
async fn every_other_refusal_is_the_same_with_one() {
    let world = World::new().await;
    let (pending, finished, claimed) = (
        world.create().await,
        world.finished().await,
        world.finished().await,
    );
    assert_eq!(world.pick_up(&claimed, &pickup_id()).await.status, 200);
    let cancelled = world.create().await;
    assert_eq!(
        world.call("DELETE", INTEGRATION, &cancelled).await.status,
        204
    );
    let right = &world.vendor;
    let wrong = Vendor {
        secret: Kind::ClientSecret.mint(),
        ..right.clone()
    };
    let other = world.add_vendor("Other Till", &[TILL]).await;
    let unknown = Kind::Integration.mint();
    for (vendor, token, code) in [
        (right, &pending, "integration_pending"),
        (right, &cancelled, "integration_cancelled"),
        (right, &unknown, "invalid_integration"),
        (&wrong, &claimed, "invalid_secret"),
        (&other, &claimed, "invalid_integration"),
    ] {
        let plain = world
            .send(Call::new("GET", target(TOKEN, vendor, token)))
            .await;
        let call = pick_up(vendor, token, &pickup_id());
        assert_eq!(plain.code(), code);
        assert_eq!(bytes_of(plain), bytes_of(world.send(call).await));
    }
    assert_eq!(world.token(&finished).await.status, 200);
}

#[tokio::test]
async fn its_form_is_checked_and_its_value_never_told() {
    let world = World::new().await;
    let token = world.finished().await;
    let (short, long) = ("a".repeat(21), "a".repeat(129));
    for wrong in [
        &*short,
        &long,
        "0123456789abcdefABCDE=",
        "0123456789 abcdef ABCDEF",
        "0123456789abcdefABCDEé",
    ] {
        let answer = world.pick_up(&token, wrong).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (400, "invalid_parameter")
        );
        assert_eq!(answer.json()["parameter"], "pickup_id");
        assert!(!answer.body.contains(wrong));
    }
    let twice = format!(
        "{}&pickup_id={}",
        with_pickup(TOKEN, &world.vendor, &token, &short),
        pickup_id()
    );
    let answer = world.send(Call::new("GET", twice)).await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (400, "repeated_parameter")
    );
    assert_eq!(answer.json()["parameter"], "pickup_id");
    let broken = format!("{}&pickup_id=%zz", target(TOKEN, &world.vendor, &token));
    let answer = world.send(Call::new("GET", broken)).await;
    assert_eq!(answer.code(), "malformed_request");
    assert_eq!(answer.json()["parameter"], "pickup_id");
    let longest = "-_".repeat(64);
    assert_eq!(
        world.pick_up(&token, &longest).await.status,
        200,
        "nothing was consumed"
    );
    assert_eq!(
        world.pick_up(&token, &longest).await.json()["pickup"],
        "yours"
    );
}

#[tokio::test]
async fn only_its_hash_is_stored() {
    let world = World::new().await;
    let (_, pickup, pair) = world.picked_up().await;
    let stored: [Hash; 3] = world
        .service
        .store
        .one(
            "SELECT pickup_hash, access_hash, refresh_hash FROM token_set",
            values![],
            |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]),
        )
        .await
        .unwrap();
    assert_eq!(
        stored,
        [pickup, pair.access, pair.refresh].map(|text| Hash::of(&text))
    );
}
