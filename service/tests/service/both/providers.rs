//! Two providers of the operator's: each for itself, and none for the other.

use crate::both::sign_in::page;
use crate::http::Answer;
use crate::provider::{Provider, Window};
use crate::world::{EMAIL, PASSWORD, World};
use pos_connect_service::Settings;
use pos_connect_service::logo::Logo;
use pos_connect_service::oidc::ProviderSettings;
use pos_connect_service::store::Listing;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;

fn bakery() -> Value {
    json!({ "name": "Corner Bakery", "email": EMAIL, "org": { "stores": ["s1"] } })
}

/// The second one, and what a service is told of it.
async fn harbor() -> (Provider, ProviderSettings) {
    let provider = Provider::second().await;
    let settings = ProviderSettings {
        id: "harbor".into(),
        name: "Harbor Ads".into(),
        logo: Some(Logo::of(b"<svg xmlns='http://www.w3.org/2000/svg'/>").unwrap()),
        ..provider.settings()
    };
    (provider, settings)
}

async fn both() -> (Provider, Provider, World) {
    let (corner, (harbor, settings)) = (Provider::start().await, harbor().await);
    let world = corner.world_with(|all| all.providers.push(settings)).await;
    (corner, harbor, world)
}

async fn press(world: &World, form: &Answer, id: &str) -> Answer {
    let action = format!("provider-{id}");
    world.submit(form, &[("action", &action)]).await
}

async fn first_page(world: &World) -> Answer {
    world.open_connect(&world.create().await).await
}

#[tokio::test]
async fn each_has_a_button_and_accounts_of_its_own() {
    let (corner, harbor, world) = both().await;
    let mut form = first_page(&world).await;
    for (id, name) in [("corner", "Corner Ads"), ("harbor", "Harbor Ads")] {
        assert!(form.body.contains(&format!("value=\"provider-{id}\"")));
        assert!(
            form.body
                .contains(&format!("Sign in with <bdi>{name}</bdi>"))
        );
    }
    assert_eq!(form.body.matches("<img src=\"data:image/svg").count(), 1);
    // The same ID and the same email at both, and an account of the service's own with that email.
    for (provider, id) in [
        (&corner, "corner"),
        (&harbor, "harbor"),
        (&corner, "corner"),
    ] {
        let window = Window::of(&press(&world, &form, id).await);
        let back = format!("http://{}/callback-{id}", world.address);
        assert_eq!(window.asked("redirect_uri"), back);
        let said = provider.approve(&window, world.now().0, bakery());
        let consent = world.come_back_to(id, &window.cookie, &said).await;
        assert_eq!(page(&consent), (200, "consent".into()));
        form = first_page(&world).await;
    }
    let accounts = world.service.store.accounts(Listing::ALL).await.unwrap();
    let issuers = accounts.iter().map(|account| account.provider.as_ref());
    let issuers: Vec<_> = issuers.map(|one| one.map(|one| &*one.issuer)).collect();
    assert_eq!(issuers, [None, Some(&*corner.url), Some(&*harbor.url)]);
}

/// RFC 9700 §4.4: whatever a mixed-up answer says, no code goes to another provider than the one that was asked.
#[tokio::test]
async fn a_mixed_up_answer_is_refused_and_in_the_audit() {
    let (corner, harbor, world) = both().await;
    harbor.does_not_name_itself();
    let mut form = first_page(&world).await;
    let events = "SELECT count(*) FROM audit WHERE event = 'sign_in.other_issuer'";
    let named = |said: &[(String, String)], iss: &str| {
        let mut said = said.to_vec();
        said.retain(|(name, _)| name != "iss");
        said.push(("iss".into(), iss.into()));
        said
    };
    let mut refused = 0;
    for (asked, answers, id, other) in [
        ("corner", &corner, "harbor", &harbor),
        ("harbor", &harbor, "corner", &corner),
    ] {
        for is_at_home in [true, false] {
            let window = Window::of(&press(&world, &form, asked).await);
            form = match is_at_home {
                // The other one's name, at the right address.
                true => {
                    let said = named(
                        &answers.approve(&window, world.now().0, bakery()),
                        &other.url,
                    );
                    world.come_back_to(asked, &window.cookie, &said).await
                }
                // Sent on to the other one, which answers at its own address, with its name or without one.
                false => {
                    let said = other.approve(&window, world.now().0, bakery());
                    world.come_back_to(id, &window.cookie, &said).await
                }
            };
            refused += 1;
            assert_eq!(page(&form), (200, "sign-in".into()));
            assert!(form.body.contains("You were not signed in"));
            assert_eq!(world.value::<i64>(events).await, refused);
        }
    }
    assert_eq!((corner.calls("token"), harbor.calls("token")), (0, 0));
    assert_eq!(world.rows("account").await, 1);
    // A token of the one where the other was asked.
    let issuer = corner.url.clone();
    harbor.change(move |token| token.claims["iss"] = issuer.clone().into());
    let window = Window::of(&press(&world, &form, "harbor").await);
    let said = harbor.approve(&window, world.now().0, bakery());
    let answer = world.come_back_to("harbor", &window.cookie, &said).await;
    assert_eq!(page(&answer), (200, "sign-in".into()));
    let wrong = "SELECT count(*) FROM audit WHERE event = 'sign_in.wrong_issuer'";
    assert_eq!(world.value::<i64>(wrong).await, 1);
    harbor.is_honest_again();
    let unknown = world.come_back_to("nobody", &window.cookie, &said).await;
    assert_eq!(page(&unknown), (403, "error".into()));
}

/// One takes connections and says nothing; nobody but its own merchants waits for it.
#[tokio::test]
async fn a_provider_that_hangs_holds_up_nobody_else() {
    let corner = Provider::start().await;
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let hanging = ProviderSettings {
        id: "hanging".into(),
        issuer: format!("http://{}", silent.local_addr().unwrap()),
        ..corner.settings()
    };
    let change = |all: &mut Settings| all.providers.insert(0, hanging);
    let world = Arc::new(corner.world_with(change).await);
    let form = first_page(&world).await;
    let waiting = {
        let (world, form) = (world.clone(), first_page(&world).await);
        tokio::spawn(async move { press(&world, &form, "hanging").await })
    };
    let called = silent.accept().await.unwrap();
    assert!(form.body.contains("provider-hanging") && form.body.contains("type=\"password\""));
    let others = async {
        let consent = world.sign_in(&form, EMAIL, PASSWORD).await;
        assert_eq!(page(&consent), (200, "consent".into()));
        let form = first_page(&world).await;
        let consent = world.by_provider(&corner, &form, bakery()).await;
        assert_eq!(page(&consent), (200, "consent".into()));
        assert!(!waiting.is_finished(), "it hangs");
    };
    // As long as a call may take, so that it is not the end of the hanging one that lets them through.
    tokio::time::timeout(Duration::from_secs(8), others)
        .await
        .unwrap();
    waiting.abort();
    drop(called);
}
