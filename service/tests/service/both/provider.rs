//! Merchants whose accounts are the operator's: through its provider to a connection.

use crate::both::sign_in::page;
use crate::http::{Answer, Call, query};
use crate::program::json as printed;
use crate::provider::{Provider, Window, begin};
use crate::world::{EMAIL, World};
use pos_connect_service::store::{Listing, RevocationScope};
use serde_json::{Value, json};
use std::time::Duration;

fn bakery() -> Value {
    let stores =
        json!([{ "id": "s1", "name": "Market Street" }, { "id": "s2", "name": "Old Harbor" }]);
    json!({ "name": "Corner Bakery", "email": EMAIL, "org": { "stores": stores } })
}

/// Chooses the first store, and connects it.
async fn connect(world: &World, consent: &Answer) -> Answer {
    let store = consent.stores().remove(0);
    let chosen = [("action", "connect"), ("store", &*store)];
    world.submit(consent, &chosen).await
}

async fn count(world: &World, event: &str) -> i64 {
    let sql = format!("SELECT count(*) FROM audit WHERE event = '{event}'");
    world.value(&sql).await
}

#[tokio::test]
async fn a_merchant_signs_in_at_the_provider_and_connects() {
    let (provider, world, token, first) = begin().await;
    assert!(first.body.contains("Sign in with <bdi>Corner Ads</bdi>"));
    let window = world.to_provider(&first).await;
    assert!(
        window
            .url
            .starts_with(&format!("{}/authorize?", provider.url))
    );
    for (name, value) in [
        ("response_type", "code"),
        ("client_id", "ads-connect"),
        ("scope", "openid profile"),
        ("code_challenge_method", "S256"),
        ("prompt", "login"),
        ("max_age", "60"),
        ("ui_locales", "en"),
    ] {
        assert_eq!(window.asked(name), value);
    }
    let back = format!("http://{}/callback-corner", world.address);
    assert_eq!(window.asked("redirect_uri"), back);
    assert!(window.set_cookie.contains("; HttpOnly; SameSite=Lax"));
    let said = provider.approve(&window, world.now().0, bakery());
    let consent = world.come_back(&window.cookie, &said).await;
    assert_eq!(page(&consent), (200, "consent".into()));
    assert!(consent.header("set-cookie").unwrap().contains("Max-Age=0"));
    assert!(consent.body.contains("Corner Bakery") && consent.body.contains(EMAIL));
    let code = pos_connect_service::integration::code(&token);
    assert!(
        consent
            .body
            .contains(&format!("<strong dir=\"ltr\">{code}</strong>"))
    );
    assert_eq!(
        page(&connect(&world, &consent).await),
        (200, "finished".into())
    );
    let picked_up = world.token(&token).await.json();
    assert_eq!(picked_up["account"]["name"], "Corner Bakery");
    let sql = "SELECT actor || ' ' || subject FROM audit WHERE event = 'sign_in.succeeded'";
    let row: String = world.value(sql).await;
    let id = picked_up["account"]["id"].as_str().unwrap();
    assert_eq!(row, format!("account {id} {id}"));
    assert_eq!(provider.calls("userinfo"), 0, "the ID token says it all");
    assert_eq!(
        (provider.calls("configuration"), provider.calls("jwks")),
        (1, 1)
    );
}

/// The operator's own account with the same email is another one.
#[tokio::test]
async fn an_account_is_made_once_and_follows_the_provider() {
    let provider = Provider::start().await;
    let world = provider.world().await;
    let consent = async |claims| {
        let token = world.create().await;
        let first = world.open_connect(&token).await;
        (token, world.by_provider(&provider, &first, claims).await)
    };
    let (token, first) = consent(bakery()).await;
    assert_eq!(first.stores().len(), 2);
    assert_eq!(
        page(&connect(&world, &first).await),
        (200, "finished".into())
    );
    let now = json!({ "name": "Corner Café", "org": { "stores": [{ "id": "s2", "name": "New Harbor" }, "s3"] } });
    let (_, second) = consent(now).await;
    assert!(second.body.contains("Corner Café") && second.body.contains("New Harbor"));
    assert!(!second.body.contains("Market Street"), "it is withdrawn");
    assert_eq!(second.stores().len(), 2);
    let (_, third) = consent(bakery()).await;
    assert_eq!(
        first.stores(),
        third.stores(),
        "they are the same as before"
    );
    assert_eq!(world.rows("account").await, 2);
    assert_eq!(count(&world, "account.added").await, 2);
    // What was connected stays.
    assert_eq!(
        world.token(&token).await.json()["account"]["name"],
        "Corner Bakery"
    );
    let (_, other) =
        consent(json!({ "sub": "m-2", "name": "Kiosk", "org": { "stores": [] } })).await;
    assert_eq!(page(&other), (403, "error".into()));
    assert!(other.body.contains("no store"));
    assert_eq!(world.rows("account").await, 3);
}

#[tokio::test]
async fn what_the_id_token_lacks_is_asked_for() {
    let (provider, world, _, first) = begin().await;
    // A standard claim that nobody asks for may have another form, as `address`, which is an object.
    let org = json!({ "stores": ["s1"] });
    let more =
        json!({ "sub": "m-1", "name": "Not this one", "address": "1 Market Street", "org": org });
    provider.says_of_users(json!({ "sub": "m-2", "org": org }));
    let said = json!({ "name": "Corner Bakery" });
    let other = world.by_provider(&provider, &first, said.clone()).await;
    assert_eq!(page(&other), (200, "sign-in".into()), "of another account");
    provider.says_of_users(more);
    let consent = world.by_provider(&provider, &other, said).await;
    assert_eq!(page(&consent), (200, "consent".into()));
    assert!(consent.body.contains("Corner Bakery") && consent.body.contains("s1"));
    assert_eq!(provider.calls("userinfo"), 2);
}

#[tokio::test]
async fn another_merchant_signs_in_when_the_first_one_says_it_was_not_them() {
    let (provider, world, _, first) = begin().await;
    let consent = world.by_provider(&provider, &first, bakery()).await;
    let second = world.to_provider(&first).await;
    let mut rival = bakery();
    rival["sub"] = "m-2".into();
    let said = provider.approve(&second, world.now().0, rival.clone());
    let refused = world.come_back(&second.cookie, &said).await;
    assert_eq!(page(&refused), (403, "error".into()));
    let again = world.submit(&consent, &[("action", "not-you")]).await;
    assert_eq!(page(&again), (200, "sign-in".into()));
    let consent = world.by_provider(&provider, &again, rival).await;
    assert_eq!(page(&consent), (200, "consent".into()));
}

#[tokio::test]
async fn commands_know_the_account_by_its_id() {
    let (provider, world, _, first) = begin().await;
    let consent = world.by_provider(&provider, &first, bakery()).await;
    connect(&world, &consent).await;
    let accounts = world.service.store.accounts(Listing::ALL).await.unwrap();
    let (own, id) = (&accounts[0], accounts[1].id.clone());
    assert_eq!(
        (own.email.as_deref(), accounts[1].email.as_deref()),
        (Some(EMAIL), None)
    );
    let store = &world.service.store;
    let revoke = async |account: &str| {
        let scope = RevocationScope {
            account: Some(account.into()),
            ..RevocationScope::default()
        };
        let revoked = store.revoke_all(scope, None, world.operator()).await;
        revoked.unwrap().map(|done| done.count)
    };
    assert_eq!(
        revoke(EMAIL).await,
        Ok(0),
        "the other account has the email"
    );
    assert_eq!(revoke(&id).await, Ok(1));
    assert!(
        store
            .set_account_disabled(id.clone(), true, world.operator())
            .await
            .unwrap()
    );
    let first = world.open_connect(&world.create().await).await;
    let refused = world.by_provider(&provider, &first, bakery()).await;
    assert_eq!(page(&refused), (200, "sign-in".into()));
    assert_eq!(count(&world, "sign_in.account_disabled").await, 1);
    if !world.folder.is_on_a_server() {
        let listed = &printed(&world.folder, &["account", "list"])[1];
        assert_eq!(listed["issuer"], provider.url);
        assert_eq!(listed["subject"], "m-1");
        printed(&world.folder, &["account", "enable", &id]);
        let consent = world.by_provider(&provider, &refused, bakery()).await;
        assert_eq!(page(&consent), (200, "consent".into()));
    }
}

#[tokio::test]
async fn without_passwords_there_is_the_provider_alone() {
    let provider = Provider::start().await;
    let world = provider
        .world_with(|settings| settings.passwords = false)
        .await;
    let first = world.open_connect(&world.create().await).await;
    assert!(!first.body.contains("type=\"password\""));
    assert!(
        first.body.contains("value=\"provider-corner\"") && first.body.contains("value=\"cancel\"")
    );
    let refused = world.sign_in(&first, EMAIL, crate::world::PASSWORD).await;
    assert_eq!(page(&refused), (400, "error".into()));
    let list = world.send(Call::new("GET", "/connections")).await;
    assert!(!list.body.contains("type=\"password\""));
}

#[tokio::test]
async fn the_list_of_connections_is_reached_by_the_provider_too() {
    let (provider, world, _, first) = begin().await;
    let consent = world.by_provider(&provider, &first, bakery()).await;
    connect(&world, &consent).await;
    let pressed = Call::new("POST", "/connections")
        .header("Content-Type", "application/x-www-form-urlencoded")
        .body(query(&[("action", "provider-corner")]));
    let window = Window::of(&world.send(pressed).await);
    let said = provider.approve(&window, world.now().0, bakery());
    let list = world.come_back(&window.cookie, &said).await;
    assert_eq!(page(&list), (200, "connections".into()));
    assert!(list.body.contains("Market Street"));
}

/// In a frame, the button opens a window, and the frame says which number that shows.
#[tokio::test]
async fn a_frame_is_left_for_a_window() {
    let provider = Provider::start().await;
    let world = provider.world().await;
    let token = world.create().await;
    let call = Call::new("GET", world.connect_target(&token));
    let framed = world.send(call.header("Sec-Fetch-Dest", "iframe")).await;
    let code = pos_connect_service::integration::code(&token);
    assert!(framed.body.contains("data-leaves target=\"_blank\""));
    assert!(
        framed
            .body
            .contains(&format!("the other window shows <bdi>{code}</bdi>"))
    );
    assert!(framed.header("set-cookie").is_none());
    // The frame's page stays as it was: it can be pressed again, and cancels.
    for _ in 0..2 {
        world.to_provider(&framed).await;
    }
    let cancelled = world.submit(&framed, &[("action", "cancel")]).await;
    assert_eq!(page(&cancelled), (200, "cancelled".into()));
}

#[tokio::test]
async fn an_integration_that_is_over_meanwhile_stays_over() {
    let (provider, world, _, first) = begin().await;
    let window = world.to_provider(&first).await;
    let said = provider.approve(&window, world.now().0, bakery());
    world.submit(&first, &[("action", "cancel")]).await;
    let late = world.come_back(&window.cookie, &said).await;
    assert_eq!(page(&late), (200, "cancelled".into()));
    assert_eq!(
        provider.calls("token"),
        0,
        "nobody is signed in for nothing"
    );
    let token = world.create().await;
    let first = world.open_connect(&token).await;
    let window = world.to_provider(&first).await;
    world.pass(Duration::from_secs(16 * 60));
    let said = provider.approve(&window, world.now().0, bakery());
    let late = world.come_back(&window.cookie, &said).await;
    assert_eq!(page(&late), (403, "error".into()));
    assert_eq!(count(&world, "sign_in.unknown_state").await, 1);
}
