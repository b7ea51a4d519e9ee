//! The merchant's way through the connect frame, without script.

use crate::http::{Answer, Call};
use crate::world::{EMAIL, INTEGRATION, PASSWORD, World};
use pos_connect_service::Settings;
use std::time::Duration;

pub fn page(answer: &Answer) -> (u16, String) {
    (answer.status, answer.data("page"))
}

pub async fn consent_page(world: &World, token: &str) -> Answer {
    let first = world.open_connect(token).await;
    assert_eq!(page(&first), (200, "sign-in".into()));
    let consent = world.sign_in(&first, EMAIL, PASSWORD).await;
    assert_eq!(page(&consent), (200, "consent".into()));
    consent
}

#[tokio::test]
async fn sign_in_choose_connect() {
    for (ereceipts, expected) in [(Some("yes"), true), (Some("no"), false), (None, false)] {
        let world = World::new().await;
        let token = world.create().await;
        let consent = consent_page(&world, &token).await;
        for text in [
            "Corner Till",
            "Corner Bakery",
            "Market Street",
            "Old Harbor",
            "Offer receipts by text message?",
            "Not you?",
            "Connect",
            "Cancel",
        ] {
            assert!(consent.body.contains(text), "{text}");
        }
        assert_eq!(world.status(&token).await.json()["status"], "pending");
        let store = consent.stores().remove(1);
        let mut filled = vec![("action", "connect"), ("store", &*store)];
        filled.extend(ereceipts.map(|answer| ("ereceipts", answer)));
        let done = world.submit(&consent, &filled).await;
        assert_eq!(page(&done), (200, "finished".into()));
        assert_eq!(done.data("hint"), "finished");
        // Whoever else has the link is not told what was connected.
        let later = world.open_connect(&token).await;
        for fact in ["Old Harbor", "Corner Bakery", "E-receipts o"] {
            assert!(done.body.contains(fact), "{fact}: {}", done.body);
            assert!(!later.body.contains(fact), "{fact}: {}", later.body);
        }
        assert_eq!(world.status(&token).await.json()["status"], "finished");
        assert_eq!(world.token(&token).await.json()["ereceipt"], expected);
    }
}

#[tokio::test]
async fn a_service_that_sends_no_messages_offers_no_e_receipts() {
    let world = World::with(Settings {
        offers_ereceipts: false,
        ..Settings::default()
    })
    .await;
    let token = world.create().await;
    let consent = consent_page(&world, &token).await;
    for absent in ["ereceipts", "text message"] {
        assert!(!consent.body.contains(absent), "{absent}: {}", consent.body);
    }
    let store = consent.stores().remove(0);
    // A form of before is worth no more.
    let filled = [
        ("action", "connect"),
        ("store", &*store),
        ("ereceipts", "yes"),
    ];
    let done = world.submit(&consent, &filled).await;
    assert_eq!(page(&done), (200, "finished".into()));
    assert_eq!(world.token(&token).await.json()["ereceipt"], false);
}

#[tokio::test]
async fn the_chosen_store_is_the_connected_one() {
    let (world, token) = World::with_integration().await;
    let consent = consent_page(&world, &token).await;
    let store = consent.stores().remove(1);
    world
        .submit(&consent, &[("action", "connect"), ("store", &store)])
        .await;
    let sql = "SELECT store.name FROM integration JOIN store ON store.id = store_id";
    let name: String = world.value(sql).await;
    assert_eq!(name, "Old Harbor");
}

#[tokio::test]
async fn cancel_works_on_both_screens_and_says_who() {
    let world = World::new().await;
    for signed_in in [false, true] {
        let token = world.create().await;
        let form = match signed_in {
            false => world.open_connect(&token).await,
            true => consent_page(&world, &token).await,
        };
        let cancelled = world.submit(&form, &[("action", "cancel")]).await;
        assert_eq!(page(&cancelled), (200, "cancelled".into()));
        assert_eq!(cancelled.data("hint"), "cancelled");
        let body = world.status(&token).await.body;
        assert_eq!(
            body,
            r#"{"success":true,"status":"cancelled","reason":"merchant"}"#
        );
        assert_eq!(
            page(&world.open_connect(&token).await),
            (200, "cancelled".into())
        );
    }
}

#[tokio::test]
async fn a_stranger_who_reloads_does_not_push_out_the_owners_page() {
    let (world, token) = World::with_integration().await;
    let consent = consent_page(&world, &token).await;
    for _ in 0..20 {
        world.pass(Duration::from_millis(1));
        world.open_connect(&token).await;
    }
    let open = world.rows("form WHERE account_id IS NULL").await;
    assert_eq!(open, 16);
    let store = consent.stores().remove(0);
    let done = world
        .submit(&consent, &[("action", "connect"), ("store", &store)])
        .await;
    assert_eq!(page(&done), (200, "finished".into()));
}

#[tokio::test]
async fn an_integration_that_ends_meanwhile_shows_its_end() {
    let (world, token) = World::with_integration().await;
    let consent = consent_page(&world, &token).await;
    assert_eq!(world.call("DELETE", INTEGRATION, &token).await.status, 204);
    let store = consent.stores().remove(0);
    let yes = [("action", "connect"), ("store", &*store)];
    assert_eq!(
        page(&world.submit(&consent, &yes).await),
        (200, "cancelled".into())
    );

    let token = world.create().await;
    let first = world.open_connect(&token).await;
    world.pass(Duration::from_secs(1800));
    let expired = world.sign_in(&first, EMAIL, PASSWORD).await;
    assert_eq!(page(&expired), (403, "error".into()));
    assert_eq!(expired.data("hint"), "cancelled", "worth a status call");
    assert!(expired.body.contains("Time is up"));
}

#[tokio::test]
async fn saying_no_needs_no_fresh_page_but_nobody_cancels_what_another_owns() {
    let world = World::new().await;
    // Open for too long: "no" still counts.
    let token = world.create().await;
    let first = world.open_connect(&token).await;
    world.pass(Duration::from_secs(20 * 60));
    let cancelled = world.submit(&first, &[("action", "cancel")]).await;
    assert_eq!(page(&cancelled), (200, "cancelled".into()));
    // Somebody signed in: whoever else holds the link cannot end it for them.
    let token = world.create().await;
    let stranger = world.open_connect(&token).await;
    let consent = consent_page(&world, &token).await;
    let refused = world.submit(&stranger, &[("action", "cancel")]).await;
    assert_eq!(refused.data("page"), "sign-in");
    assert_eq!(world.status(&token).await.json()["status"], "pending");
    let cancelled = world.submit(&consent, &[("action", "cancel")]).await;
    assert_eq!(page(&cancelled), (200, "cancelled".into()));
}

/// The wrong account leaves, and another one signs in.
#[tokio::test]
async fn somebody_else_can_sign_in_instead() {
    let world = World::new().await;
    let other = "owner@one.example";
    world.add_account(other, "One Shop", &["Only Street"]).await;
    let token = world.create().await;
    let consent = consent_page(&world, &token).await;
    let stale = world
        .sign_in(&world.open_connect(&token).await, EMAIL, PASSWORD)
        .await;
    let first = world.submit(&consent, &[("action", "not-you")]).await;
    assert_eq!(page(&first), (200, "sign-in".into()));
    let own = world.sign_in(&first, other, PASSWORD).await;
    assert_eq!(page(&own), (200, "consent".into()));
    // What the wrong account has open does nothing any more.
    for action in ["not-you", "connect"] {
        let page = world
            .submit(&stale, &[("action", action)])
            .await
            .data("page");
        assert_ne!(page, "finished");
    }
    let store = own.stores().remove(0);
    let done = world
        .submit(&own, &[("action", "connect"), ("store", &store)])
        .await;
    assert_eq!(page(&done), (200, "finished".into()));
    assert!(done.body.contains("One Shop"));
}

/// Whoever has several stores says which one; the wrong one would get the orders.
#[tokio::test]
async fn no_store_of_several_is_chosen_for_the_merchant() {
    let (world, token) = World::with_integration().await;
    let consent = consent_page(&world, &token).await;
    assert!(
        !consent.body.contains("required checked"),
        "{}",
        consent.body
    );
    let before = |text: &str| consent.body.find(text).unwrap();
    assert!(before("id=\"asks\"") < before("name=\"store\""));
    let again = world.submit(&consent, &[("action", "connect")]).await;
    assert_eq!(page(&again), (200, "consent".into()));
    assert!(again.body.contains("id=\"store-error\""));

    let other = "owner@one.example";
    world.add_account(other, "One Shop", &["Only Street"]).await;
    let token = world.create().await;
    let first = world.open_connect(&token).await;
    let consent = world.sign_in(&first, other, PASSWORD).await;
    assert!(consent.body.contains("required checked>"));
}

/// Before a form was sent, the focus is the till's.
#[tokio::test]
async fn a_page_takes_the_focus_only_after_a_form() {
    let (world, token) = World::with_integration().await;
    let first = world.open_connect(&token).await;
    assert!(!first.body.contains("data-sent"));
    let wrong = world.sign_in(&first, EMAIL, "wrong").await;
    assert!(wrong.body.contains("data-sent") && wrong.body.contains("autofocus data-focus"));
    let consent = world.sign_in(&wrong, EMAIL, PASSWORD).await;
    assert!(
        consent.body.contains("data-sent")
            && consent
                .body
                .contains("aria-labelledby=\"heading\" tabindex=\"-1\" data-focus>")
    );
}

/// A card in the till's frame would be a card in a card.
#[tokio::test]
async fn a_framed_page_says_so() {
    let (world, token) = World::with_integration().await;
    for (destination, framed) in [("iframe", true), ("document", false)] {
        let call = Call::new("GET", world.connect_target(&token));
        let answer = world.send(call.header("Sec-Fetch-Dest", destination)).await;
        assert_eq!(answer.body.contains(" data-framed"), framed);
    }
}
