//! The operations of §4, the states of §3 and every row of §7.

use crate::http::Call;
use crate::world::{INTEGRATION, TILL, TOKEN, Vendor, World, target};
use pos_connect_service::token::{Hash, Kind};
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);

#[tokio::test]
async fn creating_answers_what_the_spec_says_and_the_extensions() {
    let world = World::new().await;
    let answer = world.call("POST", INTEGRATION, "").await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let body = answer.json();
    assert_eq!(body["success"], true);
    assert_eq!(
        (body["interval"].as_u64(), body["expiresIn"].as_u64()),
        (Some(5), Some(1800))
    );
    let token = body["integrationToken"].as_str().unwrap();
    assert!(Kind::Integration.digest(token).is_some());
    assert_ne!(
        world.create().await,
        token,
        "every call creates another integration"
    );
}

#[tokio::test]
async fn the_whole_way_from_pending_to_tokens() {
    let (world, token) = World::with_integration().await;
    let pending = world.status(&token).await;
    assert_eq!(pending.status, 200);
    let body = pending.json();
    assert_eq!(
        (&body["success"], &body["status"]),
        (&true.into(), &"pending".into())
    );
    assert_eq!(
        (body["interval"].as_u64(), body["expiresIn"].as_u64()),
        (Some(5), Some(1800))
    );

    assert!(world.finish(&token).await);
    let finished = world.status(&token).await;
    assert_eq!(finished.body, r#"{"success":true,"status":"finished"}"#);

    let tokens = world.token(&token).await;
    assert_eq!(tokens.status, 200);
    let body = tokens.json();
    assert_eq!(body["success"], true);
    assert_eq!(body["ereceipt"], true);
    assert_eq!(body["expiration"], world.now().after(HOUR).to_string());
    assert_eq!(body["account"]["name"], "Corner Bakery");
    assert!(body["account"]["id"].as_str().unwrap().starts_with("acc_"));
    assert!(
        Kind::Access
            .digest(body["accessToken"].as_str().unwrap())
            .is_some()
    );
    assert!(
        Kind::Refresh
            .digest(body["refreshToken"].as_str().unwrap())
            .is_some()
    );

    let again = world.token(&token).await;
    assert_eq!(
        (again.status, again.code().as_str()),
        (410, "tokens_already_retrieved")
    );
    world.pass(Duration::from_secs(5));
    assert_eq!(world.status(&token).await.json()["status"], "finished");
}

#[tokio::test]
async fn every_row_of_the_error_table() {
    let world = World::new().await;
    let (finished, claimed) = (world.finished().await, world.finished().await);
    assert_eq!(world.token(&claimed).await.status, 200);
    let right = world.vendor.clone();
    let (unknown_client, wrong_secret) = (Vendor::unknown(), right.with_wrong_secret());
    let no_secret = Vendor {
        secret: "guess".into(),
        ..right.clone()
    };
    let wrong_token = Kind::Integration.mint();
    let (create, poll, pick_up) = (("POST", INTEGRATION), ("GET", INTEGRATION), ("GET", TOKEN));
    let (unknown, claimed, held) = (&*wrong_token, &*claimed, &*finished);
    let rows = [
        (create, &unknown_client, "", 400, "invalid_client"),
        (create, &wrong_secret, "", 403, "invalid_secret"),
        (create, &no_secret, "", 403, "invalid_secret"),
        (poll, &right, unknown, 403, "invalid_integration"),
        (poll, &wrong_secret, held, 403, "invalid_secret"),
        (pick_up, &right, unknown, 403, "invalid_integration"),
        (pick_up, &right, claimed, 410, "tokens_already_retrieved"),
        // By analogy; the spec is silent.
        (poll, &unknown_client, held, 400, "invalid_client"),
        (pick_up, &unknown_client, held, 400, "invalid_client"),
        (pick_up, &wrong_secret, held, 403, "invalid_secret"),
        (pick_up, &wrong_secret, claimed, 403, "invalid_secret"),
    ];
    for ((method, path), vendor, token, status, code) in rows {
        let answer = world
            .send(Call::new(method, target(path, vendor, token)))
            .await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (status, code),
            "{method} {path}"
        );
        assert_eq!(
            answer.header("content-type"),
            Some("application/problem+json")
        );
        let body = answer.json();
        assert_eq!(
            (&body["success"], &body["status"]),
            (&false.into(), &status.into())
        );
        assert_eq!(body["requestId"].as_str(), answer.header("x-request-id"));
    }
    assert_eq!(
        world.token(&finished).await.status,
        200,
        "no refusal consumed it"
    );
}

#[tokio::test]
async fn another_vendors_integration_looks_exactly_like_an_unknown_one() {
    let world = World::new().await;
    let token = world.finished().await;
    let other = world.add_vendor("Other Till", &[TILL]).await;
    let unknown = Kind::Integration.mint();
    let mut changed = token.clone();
    changed.replace_range(10..11, if &token[10..11] == "x" { "y" } else { "x" });
    for path in [INTEGRATION, TOKEN] {
        let mut bodies = Vec::new();
        let swapped = token.to_uppercase();
        let padded = format!("{token} ");
        for token in [&*token, &unknown, &changed, &token[..30], &swapped, &padded] {
            let mut answer = world
                .send(Call::new("GET", target(path, &other, token)))
                .await;
            assert_eq!(answer.status, 403);
            let id = answer.header("x-request-id").unwrap().to_owned();
            answer
                .headers
                .retain(|(name, _)| name != "x-request-id" && name != "date");
            bodies.push((answer.body.replace(&id, ""), answer.headers));
        }
        assert!(
            bodies.windows(2).all(|pair| pair[0] == pair[1]),
            "{bodies:?}"
        );
    }
    let delete = world
        .send(Call::new("DELETE", target(INTEGRATION, &other, &token)))
        .await;
    assert_eq!(
        (delete.status, delete.code().as_str()),
        (403, "invalid_integration")
    );
    assert_eq!(world.token(&token).await.status, 200);
}

#[tokio::test]
async fn a_pending_integration_expires_on_time_and_a_finished_one_never() {
    let world = World::new().await;
    let (pending, finished) = (world.create().await, world.finished().await);
    world.pass(30 * MINUTE - Duration::from_millis(1));
    let body = world.status(&pending).await.json();
    assert_eq!(
        (&body["status"], &body["expiresIn"]),
        (&"pending".into(), &1.into())
    );
    assert_eq!(world.token(&pending).await.code(), "integration_pending");
    world.pass(Duration::from_millis(1));
    let expired = world.status(&pending).await;
    assert_eq!(
        expired.body,
        r#"{"success":true,"status":"cancelled","reason":"expired"}"#
    );
    let refused = world.token(&pending).await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (409, "integration_expired")
    );
    assert!(!world.finish(&pending).await, "too late to consent");
    assert_eq!(world.status(&finished).await.json()["status"], "finished");
}

#[tokio::test]
async fn tokens_wait_a_day_and_a_claimed_integration_stays_gone() {
    let world = World::new().await;
    let (early, late) = (world.finished().await, world.finished().await);
    world.pass(24 * HOUR - Duration::from_millis(1));
    assert_eq!(world.token(&early).await.status, 200);
    world.pass(Duration::from_millis(1));
    let refused = world.token(&late).await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (409, "integration_expired")
    );
    assert_eq!(
        world.status(&late).await.json()["status"],
        "finished",
        "finished never changes"
    );
    world.pass(365 * 24 * HOUR);
    assert_eq!(world.token(&early).await.status, 410);
}

#[tokio::test]
async fn deleting_cancels_once_and_never_undoes_a_finished_integration() {
    let (world, token) = World::with_integration().await;
    for _ in 0..2 {
        let deleted = world.call("DELETE", INTEGRATION, &token).await;
        assert_eq!((deleted.status, deleted.body.as_str()), (204, ""));
    }
    let body = world.status(&token).await.body;
    assert_eq!(
        body,
        r#"{"success":true,"status":"cancelled","reason":"till"}"#
    );
    let refused = world.token(&token).await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (409, "integration_cancelled")
    );
    assert!(!world.finish(&token).await, "cancelled never changes");

    let finished = world.finished().await;
    let refused = world.call("DELETE", INTEGRATION, &finished).await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (409, "integration_finished")
    );
    assert_eq!(world.token(&finished).await.status, 200);
    assert_eq!(
        world.call("DELETE", INTEGRATION, &finished).await.status,
        409
    );

    let expired = world.create().await;
    world.pass(30 * MINUTE);
    assert_eq!(
        world.call("DELETE", INTEGRATION, &expired).await.status,
        204
    );
    assert_eq!(world.status(&expired).await.json()["reason"], "expired");
}

#[tokio::test]
async fn every_ending_survives_a_restart() {
    let world = World::new().await;
    let (claimed, finished, cancelled) = (
        world.finished().await,
        world.finished().await,
        world.create().await,
    );
    assert_eq!(world.token(&claimed).await.status, 200);
    assert_eq!(
        world.call("DELETE", INTEGRATION, &cancelled).await.status,
        204
    );
    let world = world.restart().await;
    assert_eq!(world.token(&claimed).await.status, 410);
    assert_eq!(world.token(&cancelled).await.status, 409);
    assert_eq!(world.token(&finished).await.status, 200);
}

#[tokio::test]
async fn no_token_is_stored() {
    let world = World::new().await;
    let token = world.finished().await;
    let body = world.token(&token).await.json();
    let stored = async |column: &str| -> Hash {
        world
            .value(&format!("SELECT {column} FROM token_set"))
            .await
    };
    assert_eq!(
        stored("access_hash").await,
        Hash::of(body["accessToken"].as_str().unwrap())
    );
    assert_eq!(
        stored("refresh_hash").await,
        Hash::of(body["refreshToken"].as_str().unwrap())
    );
    assert_eq!(stored("integration_hash").await, Hash::of(&token));
}
