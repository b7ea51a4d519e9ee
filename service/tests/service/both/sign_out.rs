//! A merchant signs out at the provider, which tells the service (OpenID Connect Back-Channel Logout).

use crate::both::sign_in::page;
use crate::http::{Answer, Call, query};
use crate::provider::{CLIENT, Provider, Signer, Token, begin};
use crate::world::World;
use pos_connect_service::store::Listing;
use serde_json::{Value, json};

fn bakery() -> Value {
    json!({ "name": "Corner Bakery", "org": { "stores": ["s1"] } })
}

async fn tell(world: &World, token: &str) -> Answer {
    let body = query(&[("logout_token", token)]);
    let form = "application/x-www-form-urlencoded";
    let call = Call::new("POST", "/backchannel-logout").header("Content-Type", form);
    world.send(call.body(body)).await
}

async fn count(world: &World, event: &str) -> i64 {
    let sql = format!("SELECT count(*) FROM audit WHERE event = '{event}'");
    world.value(&sql).await
}

/// Connects the first store on the consent page.
async fn agree(world: &World, consent: &Answer) -> Answer {
    let store = consent.stores().remove(0);
    let chosen = [("action", "connect"), ("store", &*store)];
    world.submit(consent, &chosen).await
}

#[tokio::test]
async fn pages_that_are_open_end_and_connections_stay() {
    let (provider, world, connected, first) = begin().await;
    let consent = world.by_provider(&provider, &first, bakery()).await;
    assert_eq!(
        page(&agree(&world, &consent).await),
        (200, "finished".into())
    );
    let first = world.open_connect(&world.create().await).await;
    let consent = world.by_provider(&provider, &first, bakery()).await;
    let now = world.now().0;
    // Somebody else, and somebody whom nobody knows.
    let mut other = bakery();
    other["sub"] = "m-2".into();
    let kiosk = world.open_connect(&world.create().await).await;
    let kiosk = world.by_provider(&provider, &kiosk, other).await;
    let unknown = provider.logout_token(now, |token| token.claims["sub"] = "m-9".into());
    assert_eq!(tell(&world, &unknown).await.status, 200);
    assert_eq!(count(&world, "sign_out.succeeded").await, 0);
    let told = provider.logout_token(now, |_| {});
    assert_eq!(tell(&world, &told).await.status, 200);
    let row: String = world
        .value("SELECT actor || ' ' || subject FROM audit WHERE event = 'sign_out.succeeded'")
        .await;
    let id = &world.service.store.accounts(Listing::ALL).await.unwrap()[1].id;
    assert_eq!(row, format!("account {id} {id}"));
    let late = agree(&world, &consent).await;
    assert_eq!(page(&late), (200, "sign-in".into()));
    assert_eq!(page(&agree(&world, &kiosk).await), (200, "finished".into()));
    assert_eq!(world.token(&connected).await.status, 200);
}

#[tokio::test]
async fn a_token_that_is_no_logout_token_of_the_provider_is_refused() {
    let (provider, world, _, first) = begin().await;
    let stranger = Provider::second().await;
    let consent = world.by_provider(&provider, &first, bakery()).await;
    let now = world.now().0;
    let seconds = now / 1000;
    type Change = Box<dyn Fn(&mut Token)>;
    let claim = |name: &'static str, value: Value| -> Change {
        Box::new(move |token| token.claims[name] = value.clone())
    };
    let header = |name: &'static str, value: Value, signer: fn() -> Signer| -> Change {
        Box::new(move |token| {
            token.header[name] = value.clone();
            token.signer = signer();
        })
    };
    let cases = [
        claim("nonce", json!("that of a sign-in")),
        claim("events", json!({})),
        claim("events", Value::Null),
        claim(
            "events",
            json!({ "http://schemas.openid.net/event/backchannel-logout": 1 }),
        ),
        claim("aud", json!("another-client")),
        claim("aud", json!([CLIENT, "another-client"])),
        claim("iss", json!(stranger.url)),
        claim("iss", Value::Null),
        claim("sub", Value::Null),
        claim("exp", json!(seconds)),
        claim("exp", Value::Null),
        claim("iat", json!(seconds - 301)),
        claim("iat", json!(seconds + 61)),
        header("typ", json!("at+jwt"), || Signer::Own),
        header("kid", json!("key-0"), || Signer::Stranger),
        header("alg", json!("none"), || Signer::Nothing),
        header("alg", json!("HS256"), || Signer::Shared(b"x".to_vec())),
    ];
    let mut tokens: Vec<_> = cases
        .iter()
        .map(|change| provider.logout_token(now, change))
        .collect();
    let url = json!(provider.url);
    tokens.push(stranger.logout_token(now, |token| token.claims["iss"] = url.clone()));
    tokens.push(stranger.logout_token(now, |_| {}));
    tokens.extend(["x".into(), "a.b.c".into(), "..".into()]);
    for (index, token) in tokens.iter().enumerate() {
        let refused = tell(&world, token).await;
        assert_eq!(refused.status, 400, "{index}: {}", refused.body);
        assert!(!refused.body.contains(&provider.url));
    }
    let refused = i64::try_from(tokens.len()).unwrap();
    assert_eq!(count(&world, "sign_out.refused").await, refused);
    assert_eq!(tell(&world, "").await.status, 400);
    // Nor is a logout token an ID token.
    assert_eq!(
        page(&agree(&world, &consent).await),
        (200, "finished".into())
    );
}
