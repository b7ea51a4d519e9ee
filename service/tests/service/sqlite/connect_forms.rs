//! Forms of the connect frame that are old, of another page, or none.

use crate::http::{Answer, Call};
use crate::sqlite::connect_flow::{consent_page, page};
use crate::world::{EMAIL, PASSWORD, TILL, World};
use pos_connect_service::token::Kind;
use std::time::Duration;

#[tokio::test]
async fn a_form_sent_twice_changes_nothing_and_shows_where_things_stand() {
    let (world, token) = World::with_integration().await;
    let first = world.open_connect(&token).await;
    let consent = world.sign_in(&first, EMAIL, PASSWORD).await;
    let again = world.sign_in(&first, EMAIL, PASSWORD).await;
    assert_eq!(page(&again), (200, "sign-in".into()));
    assert!(again.body.contains("already sent"), "it says why");
    assert!(again.body.contains(&format!(r#"value="{EMAIL}""#)));

    let store = consent.stores().remove(0);
    let yes = [
        ("action", "connect"),
        ("store", &*store),
        ("ereceipts", "yes"),
    ];
    assert_eq!(
        page(&world.submit(&consent, &yes).await),
        (200, "finished".into())
    );
    assert_eq!(
        page(&world.submit(&consent, &yes).await),
        (200, "finished".into())
    );
    assert_eq!(
        page(&world.submit(&consent, &[("action", "cancel")]).await),
        (200, "finished".into())
    );
    assert_eq!(
        page(&world.submit(&again, &[("action", "cancel")]).await),
        (200, "finished".into())
    );
    assert_eq!(world.status(&token).await.json()["status"], "finished");
    assert_eq!(world.token(&token).await.json()["ereceipt"], true);
}

#[tokio::test]
async fn a_form_left_open_too_long_asks_to_sign_in_again() {
    let (world, token) = World::with_integration().await;
    let consent = consent_page(&world, &token).await;
    world.pass(Duration::from_secs(15 * 60));
    let store = consent.stores().remove(0);
    let late = world
        .submit(&consent, &[("action", "connect"), ("store", &store)])
        .await;
    assert_eq!(page(&late), (200, "sign-in".into()));
    assert_eq!(world.status(&token).await.json()["status"], "pending");
    assert_eq!(
        page(&world.sign_in(&late, EMAIL, PASSWORD).await),
        (200, "consent".into())
    );
}

#[tokio::test]
async fn values_of_other_pages_and_integrations_do_not_fit() {
    let world = World::new().await;
    let (one, two) = (world.create().await, world.create().await);
    let consent = consent_page(&world, &one).await;
    let store = consent.stores().remove(0);
    let sign_in = world.open_connect(&two).await;
    let swap = |page: &Answer, form: &str| {
        let mut page = page.clone();
        let own = page
            .hidden_fields()
            .into_iter()
            .find(|(name, _)| name == "form")
            .unwrap()
            .1;
        page.body = page.body.replace(&own, form);
        page
    };
    let value = |page: &Answer| {
        page.hidden_fields()
            .into_iter()
            .find(|(name, _)| name == "form")
            .unwrap()
            .1
    };
    let yes = [("action", "connect"), ("store", &*store)];
    let stolen = swap(&sign_in, &value(&consent));
    assert_eq!(
        page(&world.submit(&stolen, &yes).await),
        (200, "sign-in".into())
    );
    let made_up = swap(&sign_in, &Kind::Form.mint());
    assert_eq!(
        page(&world.submit(&made_up, &yes).await),
        (200, "sign-in".into())
    );
    assert_eq!(
        page(&world.submit(&sign_in, &yes).await),
        (400, "error".into()),
        "nobody signed in there"
    );
    for token in [&one, &two] {
        assert_eq!(world.status(token).await.json()["status"], "pending");
    }
}

#[tokio::test]
async fn forms_from_elsewhere_are_refused() {
    let (world, token) = World::with_integration().await;
    let own = format!("http://{}", world.address);
    for (headers, allowed) in [
        (
            &[("Origin", &*own), ("Sec-Fetch-Site", "same-origin")][..],
            true,
        ),
        (&[("Origin", &*own)], true),
        // A proxy that ends TLS and a browser that reloads.
        (
            &[
                ("Origin", "https://auth.example"),
                ("Sec-Fetch-Site", "same-origin"),
            ],
            true,
        ),
        (&[("Sec-Fetch-Site", "none")], true),
        (&[("Origin", TILL)], false),
        (&[("Origin", "null")], false),
        (
            &[("Origin", &*own), ("Sec-Fetch-Site", "cross-site")],
            false,
        ),
        (&[("Sec-Fetch-Site", "same-site")], false),
    ] {
        let first = world.open_connect(&token).await;
        let fields = [("action", "sign-in"), ("email", EMAIL), ("password", "")];
        let call = headers
            .iter()
            .fold(world.form(&first, &fields), |call, (name, value)| {
                call.header(name, *value)
            });
        let answer = world.send(call).await;
        let expected = if allowed {
            (200, "sign-in".to_owned())
        } else {
            (403, "error".to_owned())
        };
        assert_eq!(page(&answer), expected, "{headers:?}");
    }
}

#[tokio::test]
async fn what_is_not_a_form_is_malformed() {
    let world = World::new().await;
    let first = world.open_connect(&world.create().await).await;
    let form = "application/x-www-form-urlencoded";
    for (kind, body, code) in [
        ("text/plain", "a=b".to_owned(), "unsupported_media_type"),
        (form, "x".repeat(17_000), "content_too_large"),
        ("application/json", "{}".into(), "unsupported_media_type"),
    ] {
        let call = Call::new("POST", "/connect")
            .header("Content-Type", kind)
            .body(body);
        assert_eq!(world.send(call).await.code(), code);
    }
    for body in ["", "client_id=%zz", "client_id=a&client_id=b"] {
        let call = Call::new("POST", "/connect")
            .header("Content-Type", form)
            .body(body);
        assert_eq!(
            page(&world.send(call).await),
            (400, "error".into()),
            "{body}"
        );
    }
    assert_eq!(
        page(&world.submit(&first, &[("action", "dance")]).await),
        (400, "error".into())
    );
}
