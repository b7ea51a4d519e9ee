//! Who signs in, and whose integration it is then.

use crate::http::Answer;
use crate::world::{EMAIL, PASSWORD, World};
use pos_connect_protocol::Mode;
use pos_connect_service::sign_in::Tried;
use pos_connect_service::store::{FormPage, RevocationScope, SecondStep};
use pos_connect_service::token::Hash;

pub fn page(answer: &Answer) -> (u16, String) {
    (answer.status, answer.data("page"))
}

#[tokio::test]
async fn a_wrong_password_says_so_and_keeps_the_email() {
    let (world, token) = World::with_integration().await;
    let first = world.open_connect(&token).await;
    let wrong = world.sign_in(&first, EMAIL, "Correct horse battery").await;
    assert_eq!(page(&wrong), (200, "sign-in".into()));
    assert!(wrong.body.contains(r#"id="sign-in-error" role="alert""#));
    assert!(wrong.body.contains(r#"aria-describedby="sign-in-error""#));
    assert!(wrong.body.contains(&format!(r#"value="{EMAIL}""#)));
    let unknown = world
        .sign_in(&wrong, "nobody@bakery.example", PASSWORD)
        .await;
    assert_eq!(page(&unknown), (200, "sign-in".into()));
    let same = |answer: &Answer| {
        answer
            .body
            .split("role=\"alert\">")
            .nth(1)
            .unwrap()
            .split('<')
            .next()
            .unwrap()
            .to_owned()
    };
    assert_eq!(
        same(&wrong),
        same(&unknown),
        "nobody learns which emails have accounts"
    );
    let empty = world.sign_in(&unknown, "", "").await;
    assert!(empty.body.contains("Enter your email and your password."));
    let right = world
        .sign_in(&empty, " OWNER@bakery.example ", PASSWORD)
        .await;
    assert_eq!(
        page(&right),
        (200, "consent".into()),
        "letter case does not count"
    );
}

#[tokio::test]
async fn the_first_to_sign_in_owns_the_integration() {
    let world = World::new().await;
    world
        .add_account("rival@cafe.example", "Rival Cafe", &["Rival"])
        .await;
    let token = world.create().await;
    let (mine, theirs) = (
        world.open_connect(&token).await,
        world.open_connect(&token).await,
    );
    let consent = world.sign_in(&mine, EMAIL, PASSWORD).await;
    let refused = world.sign_in(&theirs, "rival@cafe.example", PASSWORD).await;
    assert_eq!(page(&refused), (403, "error".into()));
    assert!(
        !refused.body.contains("Corner Bakery"),
        "nobody learns whose it is"
    );
    assert!(!refused.body.contains("name=\"form\""));
    let store = consent.stores().remove(0);
    let done = world
        .submit(&consent, &[("action", "connect"), ("store", &store)])
        .await;
    assert_eq!(page(&done), (200, "finished".into()));
    assert_eq!(
        world.token(&token).await.json()["account"]["name"],
        "Corner Bakery"
    );
}

#[tokio::test]
async fn one_merchant_cannot_connect_anothers_store() {
    let world = World::new().await;
    world
        .add_account("rival@cafe.example", "Rival Cafe", &["Rival"])
        .await;
    let other = world
        .sign_in(
            &world.open_connect(&world.create().await).await,
            "rival@cafe.example",
            PASSWORD,
        )
        .await;
    let foreign = other.stores().remove(0);
    let token = world.create().await;
    let consent = world
        .sign_in(&world.open_connect(&token).await, EMAIL, PASSWORD)
        .await;
    let refused = world
        .submit(&consent, &[("action", "connect"), ("store", &foreign)])
        .await;
    assert_eq!(page(&refused), (200, "consent".into()));
    assert!(refused.body.contains("Choose the store to connect."));
    assert_eq!(world.status(&token).await.json()["status"], "pending");
}

/// A thief who keeps sending pages has, at each moment, one that was sent and whose next one is not there yet.
#[tokio::test]
async fn a_new_password_ends_a_page_that_is_sent_at_that_moment() {
    let (world, token) = World::with_integration().await;
    let (store, integration) = (&world.service.store, Hash::of(&token));
    let account = store.account_by_email(EMAIL).await.unwrap().unwrap();
    let signed_in = account.signed_in();
    let list = |text| FormPage {
        hash: Hash::of(text),
        integration: None,
        account: Some(signed_in),
    };
    let open = |text| store.open_form(list(text), world.now());
    assert!(open("first").await.unwrap());
    let taken = store.take_form(Hash::of("first"), None, world.now()).await;
    assert_eq!(taken.unwrap().unwrap().account, Some(signed_in));
    let hash = pos_connect_service::password::hash("another");
    let set = store.set_password(EMAIL.into(), hash, world.operator());
    assert!(set.await.unwrap());
    assert!(!open("second").await.unwrap());
    let step = SecondStep {
        hash: Hash::of("code"),
        integration: None,
    };
    let asked = store.open_second_step(step, signed_in, None, world.now());
    assert!(asked.await.unwrap().is_none());
    assert_eq!(store.own(integration, signed_in).await.unwrap(), None);
    assert!(store.account(signed_in).await.unwrap().is_none());
    let tried = Tried {
        owner: Some((signed_in, Some(Hash::of("address")))),
        address: None,
        is_right: true,
        mode: Some(Mode::Live),
    };
    let kept = store.keep_budgets(Vec::new(), tried, world.now());
    kept.await.unwrap();
    for table in ["form", "second_step", "familiar_address"] {
        assert_eq!(world.rows(table).await, 0, "{table}");
    }
}

/// Whoever had the old password and signed in with it must not connect with it afterwards.
#[tokio::test]
async fn a_new_password_ends_what_was_signed_in_to() {
    for by_password in [true, false] {
        let world = World::new().await;
        let token = world.create().await;
        let first = world.open_connect(&token).await;
        let consent = world.sign_in(&first, EMAIL, PASSWORD).await;
        let store = &world.service.store;
        if by_password {
            let hash = pos_connect_service::password::hash("another");
            assert!(
                store
                    .set_password(EMAIL.into(), hash, world.operator())
                    .await
                    .unwrap()
            );
        } else {
            let scope = RevocationScope {
                account: Some(EMAIL.into()),
                ..RevocationScope::default()
            };
            store
                .revoke_all(scope, None, world.operator())
                .await
                .unwrap()
                .unwrap();
        }
        let chosen = consent.stores().remove(0);
        let after = [("action", "connect"), ("store", &*chosen)];
        let again = world.submit(&consent, &after).await;
        assert_eq!(page(&again), (200, "sign-in".into()));
        assert_eq!(world.status(&token).await.json()["status"], "pending");
    }
}
