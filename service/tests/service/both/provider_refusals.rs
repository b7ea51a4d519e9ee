//! What is no answer of the provider's, or not to this browser: refused, in the audit, and without a change.

use crate::both::sign_in::page;
use crate::http::{Answer, Call, query};
use crate::provider::{Provider, SECRET, Signer, Token, begin};
use crate::world::World;
use pos_connect_protocol::Status;
use pos_connect_service::token::Hash;
use serde_json::{Value, json};
use std::time::Duration;

fn bakery() -> Value {
    json!({ "name": "Corner Bakery", "org": { "stores": ["s1"] } })
}

/// The newest row of the audit.
async fn last(world: &World) -> String {
    world
        .value("SELECT event FROM audit ORDER BY id DESC LIMIT 1")
        .await
}

/// Nobody owns the integration, and nobody new has an account.
async fn is_untouched(world: &World, token: &str) {
    assert_eq!(world.rows("account").await, 1);
    let (hash, store) = (Hash::of(token), &world.service.store);
    let status = store.status(&hash, world.now()).await.unwrap();
    assert_eq!(status, Some(Status::Pending));
    let owned: i64 = world.value("SELECT count(owner_id) FROM integration").await;
    assert_eq!(owned, 0);
}

/// Asked again, in words, and without the fields being wrong.
fn asks_again(answer: &Answer) {
    assert_eq!(page(answer), (200, "sign-in".into()));
    assert!(
        answer.body.contains("You were not signed in"),
        "{}",
        answer.body
    );
    assert!(!answer.body.contains("aria-invalid=\"true\""));
}

#[tokio::test]
async fn a_token_that_is_not_for_this_sign_in_is_refused() {
    let (provider, world, token, mut form) = begin().await;
    let now = world.now().0 / 1000;
    let public_key = provider.public_key();
    type Change = Box<dyn Fn(&mut Token) + Send>;
    let claim = |name: &'static str, value: Value| -> Change {
        Box::new(move |token| token.claims[name] = value.clone())
    };
    let header = |header: Value, signer: fn(&[u8]) -> Signer| -> Change {
        let key = public_key.clone();
        Box::new(move |token| {
            token.header = header.clone();
            token.signer = signer(&key);
        })
    };
    let stranger = |_: &[u8]| Signer::Stranger;
    let nothing = |_: &[u8]| Signer::Nothing;
    let public = |key: &[u8]| Signer::Shared(key.to_vec());
    let shared = |_: &[u8]| Signer::Shared(SECRET.as_bytes().to_vec());
    let cases = [
        ("wrong_nonce", claim("nonce", json!("another"))),
        ("wrong_nonce", claim("nonce", Value::Null)),
        ("wrong_issuer", claim("iss", json!("https://other.example"))),
        ("wrong_audience", claim("aud", json!("another-client"))),
        (
            "wrong_audience",
            claim("aud", json!(["ads-connect", "another-client"])),
        ),
        ("expired_token", claim("exp", json!(now))),
        ("expired_token", claim("auth_time", json!(now - 3600))),
        ("claims_missing", claim("org", json!({}))),
        (
            "wrong_signature",
            header(json!({ "alg": "EdDSA", "kid": "key-0" }), stranger),
        ),
        ("wrong_signature", header(json!({ "alg": "none" }), nothing)),
        (
            "wrong_signature",
            header(json!({ "alg": "HS256", "kid": "key-0" }), public),
        ),
        ("wrong_signature", header(json!({ "alg": "HS256" }), shared)),
        (
            "wrong_signature",
            header(json!({ "alg": "RS256", "kid": "key-0" }), stranger),
        ),
        (
            "wrong_signature",
            header(json!({ "alg": "EdDSA", "kid": "key-9" }), stranger),
        ),
    ];
    for (event, change) in cases {
        provider.change(change);
        form = world.by_provider(&provider, &form, bakery()).await;
        asks_again(&form);
        assert_eq!(last(&world).await, format!("sign_in.{event}"));
        is_untouched(&world, &token).await;
    }
    provider.is_honest_again();
    let right = world.by_provider(&provider, &form, bakery()).await;
    assert_eq!(page(&right), (200, "consent".into()));
}

#[tokio::test]
async fn an_answer_that_is_not_the_providers_is_refused() {
    let (provider, world, token, mut form) = begin().await;
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let other = pair("iss", "https://other.example");
    let denied = pair("error", "access_denied");
    for (event, leave_out, add) in [
        ("other_issuer", "iss", Some(other)),
        ("other_issuer", "iss", None),
        ("denied", "code", Some(denied)),
        ("code_refused", "code", Some(pair("code", "made-up"))),
        ("code_refused", "code", None),
    ] {
        let window = world.to_provider(&form).await;
        let mut said = provider.approve(&window, world.now().0, bakery());
        said.retain(|(name, _)| name != leave_out);
        said.extend(add);
        form = world.come_back(&window.cookie, &said).await;
        asks_again(&form);
        assert_eq!(last(&world).await, format!("sign_in.{event}"));
        is_untouched(&world, &token).await;
    }
    assert_eq!(provider.calls("token"), 1, "a code goes nowhere but home");
}

/// A code of one sign-in in the answer of another: PKCE and the nonce are those of its own.
#[tokio::test]
async fn a_code_of_another_sign_in_is_refused() {
    let (provider, world, token, form) = begin().await;
    let (own, stolen) = (
        world.to_provider(&form).await,
        world.to_provider(&form).await,
    );
    let mut said = provider.approve(&stolen, world.now().0, bakery());
    for (name, value) in &mut said {
        if name == "state" {
            *value = own.asked("state");
        }
    }
    asks_again(&world.come_back(&own.cookie, &said).await);
    assert_eq!(last(&world).await, "sign_in.code_refused");
    is_untouched(&world, &token).await;
}

#[tokio::test]
async fn an_answer_belongs_to_one_browser_and_counts_once() {
    let (provider, world, token, form) = begin().await;
    let (window, other) = (
        world.to_provider(&form).await,
        world.to_provider(&form).await,
    );
    let said = provider.approve(&window, world.now().0, bakery());
    let renamed = other.cookie.split_once('=').unwrap().1;
    let renamed = format!("{}={renamed}", window.cookie.split_once('=').unwrap().0);
    for cookie in ["", "a=b", &*other.cookie, &*renamed] {
        let refused = world.come_back(cookie, &said).await;
        assert_eq!(page(&refused), (403, "error".into()));
        assert!(refused.body.contains("another browser"));
        assert!(!refused.body.contains(&token) && !refused.body.contains("Corner"));
        assert_eq!(last(&world).await, "sign_in.other_browser");
        is_untouched(&world, &token).await;
    }
    assert_eq!(provider.calls("token"), 0);
    // Whoever has begun it is not disturbed.
    let consent = world.come_back(&window.cookie, &said).await;
    assert_eq!(page(&consent), (200, "consent".into()));
    let replayed = world.come_back(&window.cookie, &said).await;
    assert_eq!(page(&replayed), (403, "error".into()));
    assert_eq!(last(&world).await, "sign_in.unknown_state");
    assert_eq!(provider.calls("token"), 1);
}

/// A cookie whose integration was exchanged for another one ends neither.
#[tokio::test]
async fn an_answer_belongs_to_one_integration() {
    let provider = Provider::start().await;
    let world = provider.world().await;
    let (token, victim) = (world.create().await, world.create().await);
    let window = world.to_provider(&world.open_connect(&token).await).await;
    let said = provider.approve(&window, world.now().0, bakery());
    let swapped = window.cookie.replace(&token, &victim);
    assert_ne!(swapped, window.cookie);
    let refused = world.come_back(&swapped, &said).await;
    assert_eq!(page(&refused), (403, "error".into()));
    for token in [token, victim] {
        is_untouched(&world, &token).await;
    }
}

#[tokio::test]
async fn answers_that_nobody_asked_for_do_not_fill_the_audit() {
    let provider = Provider::start().await;
    let world = provider.world().await;
    for state in ["", "x", "pcl_x"] {
        let call = Call::new(
            "GET",
            format!("/callback-corner?{}", query(&[("state", state)])),
        );
        assert_eq!(page(&world.send(call).await), (403, "error".into()));
    }
    assert_eq!(last(&world).await, "sign_in.unknown_state");
    let before = world.rows("audit").await;
    let spent = "UPDATE budget SET full_at = 9000000000000000000";
    assert_eq!(world.change(spent, vec![]).await, 1);
    // The budget takes that for a clock that was set back: room for one.
    for _ in 0..3 {
        world.come_back("", &[]).await;
    }
    assert_eq!(world.rows("audit").await, before + 1);
}

#[tokio::test]
async fn a_provider_that_is_away_is_said_to_be_and_asked_again() {
    let (provider, world, token, form) = begin().await;
    provider.set_down(true);
    for _ in 0..2 {
        let away = world.submit(&form, &[("action", "provider-corner")]).await;
        assert_eq!(page(&away), (503, "sign-in".into()));
        assert_eq!(away.header("retry-after"), Some("5"));
        assert!(away.body.contains("be reached just now"));
        assert!(away.header("set-cookie").is_none());
    }
    assert_eq!(last(&world).await, "sign_in.provider_unreached");
    assert_eq!(
        provider.calls("configuration"),
        1,
        "one call, however many press"
    );
    provider.set_down(false);
    world.pass(Duration::from_secs(5));
    let window = world.to_provider(&form).await;
    provider.set_down(true);
    let said = provider.approve(&window, world.now().0, bakery());
    let away = world.come_back(&window.cookie, &said).await;
    assert_eq!(page(&away), (503, "sign-in".into()));
    is_untouched(&world, &token).await;
    // What is known of it is old by then, and does while it is away.
    world.pass(Duration::from_secs(20 * 60));
    world.to_provider(&away).await;
}

#[tokio::test]
async fn a_new_key_is_asked_for_once_and_made_up_ones_are_not() {
    let (provider, world, _, mut form) = begin().await;
    let first = world.by_provider(&provider, &form, bakery()).await;
    assert_eq!(page(&first), (200, "consent".into()));
    provider.replace_key();
    world.pass(Duration::from_secs(60));
    form = world.open_connect(&world.create().await).await;
    let second = world.by_provider(&provider, &form, bakery()).await;
    assert_eq!(page(&second), (200, "consent".into()));
    assert_eq!(provider.calls("jwks"), 2);
    provider.change(|token| {
        token.header["kid"] = "made-up".into();
        token.signer = Signer::Stranger;
    });
    form = world.open_connect(&world.create().await).await;
    for _ in 0..5 {
        form = world.by_provider(&provider, &form, bakery()).await;
        asks_again(&form);
    }
    assert_eq!(provider.calls("jwks"), 2, "not within a minute");
    world.pass(Duration::from_secs(60));
    provider.replace_key();
    provider.change(|token| {
        // All that a provider need not say.
        token.header.as_object_mut().unwrap().remove("kid");
        token.claims.as_object_mut().unwrap().remove("auth_time");
    });
    let third = world.by_provider(&provider, &form, bakery()).await;
    assert_eq!(page(&third), (200, "consent".into()));
    assert_eq!(provider.calls("jwks"), 3, "a new key may have no ID");
    world.pass(Duration::from_secs(60 * 60));
    form = world.open_connect(&world.create().await).await;
    world.to_provider(&form).await;
    assert_eq!(provider.calls("jwks"), 4, "after an hour, in any case");
}
