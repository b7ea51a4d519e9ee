//! Passkeys: when one stands for a code.

use crate::authenticator::Authenticator;
use crate::both::second_factor::{events, shown};
use crate::both::sign_in::page;
use crate::device::{Device, options};
use crate::http::Call;
use crate::world::{EMAIL, PASSWORD, World};
use pos_connect_foundation::values;
use pos_connect_protocol::Mode;
use std::time::Duration;

/// One whose account has a passkey.
pub async fn with_passkey() -> (World, Authenticator, Device) {
    let (world, app) = World::at_a_site().await;
    let device = Device::new(7);
    let list = world.add_passkey(&app, &device).await;
    assert!(list.body.contains("The passkey is added."), "{}", list.body);
    (world, app, device)
}

pub async fn count(world: &World, event: &str) -> usize {
    let told = events(world).await;
    told.iter().filter(|(known, _)| known == event).count()
}

#[tokio::test]
async fn a_passkey_stands_for_the_code_in_the_frame_and_on_the_list() {
    let (world, app, mut device) = with_passkey().await;
    let asked = world.second_step().await;
    let said = options(&asked);
    assert_eq!(said["rpId"], "ads.example");
    assert_eq!(said["userVerification"], "required");
    let consent = world.answer(&asked, &device.get(&asked)).await;
    assert_eq!(shown(&consent), "consent");
    let asked = world.sign_in_to_list().await;
    let filled = [("action", "code"), ("credential", &*device.get(&asked))];
    let list = world.on_list(&asked, &filled).await;
    assert_eq!(shown(&list), "connections");
    // The code is good for the same page.
    let asked = world.second_step().await;
    let code = app.code(world.now(), 0);
    assert_eq!(shown(&world.enter(&asked, &code).await), "consent");
    let filled = [("action", "passkey-off"), ("id", "1")];
    let list = world.on_list(&list, &filled).await;
    assert!(list.body.contains("The passkey is removed."));
    assert!(!world.second_step().await.body.contains("data-passkey"));
    for (event, times) in [
        ("passkey.added", 1),
        ("passkey.removed", 1),
        ("sign_in.wrong_passkey", 0),
    ] {
        assert_eq!(count(&world, event).await, times, "{event}");
    }
}

#[tokio::test]
async fn what_is_not_signed_for_this_page_by_its_owner_here_does_not_count() {
    let (world, _, device) = with_passkey().await;
    let first = world.second_step().await;
    let replayed = device.clone().get(&first);
    assert_eq!(shown(&world.answer(&first, &replayed).await), "consent");
    let ahead = Device {
        counter: 9,
        ..device.clone()
    };
    let elsewhere = Device {
        origin: "https://ads.example.evil.example",
        ..ahead.clone()
    };
    let other_site = Device {
        site: "evil.example",
        ..ahead.clone()
    };
    // With the same number, and with another one.
    let [other_key, unknown] = [7, 8].map(Device::new);
    for (number, (why, device, given)) in [
        ("another origin", Some(elsewhere), ""),
        ("another site", Some(other_site), ""),
        ("another key", Some(other_key), ""),
        ("another passkey", Some(unknown), ""),
        ("nobody verified", Some(ahead.unverified()), ""),
        ("another page", None, &*replayed),
        ("no answer", None, "{}"),
    ]
    .into_iter()
    .enumerate()
    {
        world.pass(Duration::from_secs(60));
        let asked = world.second_step().await;
        let answer = device.map_or(given.into(), |mut device| device.get(&asked));
        let again = world.answer(&asked, &answer).await;
        assert_eq!(page(&again), (200, "second-step".into()), "{why}");
        assert!(again.body.contains("That passkey"), "{why}");
        assert_eq!(
            count(&world, "sign_in.wrong_passkey").await,
            number + 1,
            "{why}"
        );
    }
    assert_eq!(count(&world, "sign_in.passkey_counter_went_back").await, 0);
}

#[tokio::test]
async fn a_passkey_that_counts_back_has_a_copy() {
    let (world, _, mut device) = with_passkey().await;
    let mut copy = device.clone();
    // Both pages were open before either was answered.
    let (first, second) = (world.second_step().await, world.second_step().await);
    assert_eq!(
        shown(&world.answer(&first, &device.get(&first)).await),
        "consent"
    );
    let refused = world.answer(&second, &copy.get(&second)).await;
    assert_eq!(shown(&refused), "second-step");
    let mut older = Device {
        counter: 0,
        ..copy.clone()
    };
    let refused = world.answer(&refused, &older.get(&refused)).await;
    assert_eq!(shown(&refused), "second-step");
    assert_eq!(count(&world, "sign_in.passkey_counter_went_back").await, 2);
    // The page that refused asks anew; and the owner's goes on.
    assert_eq!(
        shown(&world.answer(&refused, &device.get(&refused)).await),
        "consent"
    );
}

#[tokio::test]
async fn a_device_that_does_not_count_is_taken() {
    let (world, app) = World::at_a_site().await;
    let mut device = Device {
        counter: 0,
        ..Device::new(7)
    };
    world.add_passkey(&app, &device).await;
    for _ in 0..2 {
        let asked = world.second_step().await;
        let answered = world.answer(&asked, &device.get(&asked)).await;
        assert_eq!(shown(&answered), "consent");
    }
}

#[tokio::test]
async fn what_was_asked_for_ends_with_its_page() {
    let (world, app, _) = with_passkey().await;
    let asked = world.second_step().await;
    let asked = world.enter(&asked, "000000").await;
    assert_eq!(world.rows("passkey_challenge").await, 1);
    let code = app.code(world.now(), 0);
    assert_eq!(shown(&world.enter(&asked, &code).await), "consent");
    assert_eq!(world.rows("passkey_challenge").await, 0);
    for _ in 0..18 {
        world.second_step().await;
    }
    assert_eq!(world.rows("second_step").await, 16);
    assert_eq!(world.rows("passkey_challenge").await, 16);
    let store = &world.service.store;
    let set = store.set_password(EMAIL.into(), "x".into(), world.operator());
    assert!(set.await.unwrap());
    assert_eq!(world.rows("passkey_challenge").await, 0);
}

#[tokio::test]
async fn wrong_passkeys_are_as_few_as_wrong_codes() {
    let (world, _, mut device) = with_passkey().await;
    let mut asked = world.second_step().await;
    for number in 0..5 {
        asked = match number % 2 {
            0 => world.answer(&asked, "{}").await,
            _ => world.enter(&asked, "000000").await,
        };
        assert_eq!(page(&asked), (200, "second-step".into()));
    }
    let refused = world.answer(&asked, &device.get(&asked)).await;
    assert_eq!(page(&refused), (429, "second-step".into()));
    world.pass(Duration::from_secs(60));
    assert_eq!(
        shown(&world.answer(&refused, &device.get(&refused)).await),
        "consent"
    );
}

#[tokio::test]
async fn a_passkey_ends_with_the_page_the_account_and_the_second_factor() {
    let (world, app, mut device) = with_passkey().await;
    let late = world.second_step().await;
    world.pass(Duration::from_secs(600));
    assert_eq!(
        shown(&world.answer(&late, &device.get(&late)).await),
        "sign-in"
    );
    world
        .service
        .store
        .purge_sign_ins(world.now())
        .await
        .unwrap();
    assert_eq!(world.rows("passkey_challenge").await, 0);
    // Removed while a page is open that asks for it.
    let asked = world.second_step().await;
    let kept = "DELETE FROM passkey";
    assert_eq!(world.change(kept, values![]).await, 1);
    let refused = world.answer(&asked, &device.get(&asked)).await;
    assert_eq!(shown(&refused), "second-step");
    world.add_passkey(&app, &device).await;
    let asked = world.second_step().await;
    let store = &world.service.store;
    let disabled = store
        .set_account_disabled(EMAIL.into(), true, world.operator())
        .await;
    assert!(disabled.is_ok());
    assert_eq!(
        shown(&world.answer(&asked, &device.get(&asked)).await),
        "sign-in"
    );
    store
        .set_account_disabled(EMAIL.into(), false, world.operator())
        .await
        .unwrap();
    let removed = store
        .remove_second_factor(EMAIL.into(), world.operator())
        .await;
    assert!(removed.unwrap());
    assert_eq!(world.rows("passkey").await, 0);
    assert_eq!(world.rows("passkey_challenge").await, 0);
}

#[tokio::test]
async fn a_page_of_test_mode_takes_no_passkey_of_a_live_account() {
    let (mut world, _, mut device) = with_passkey().await;
    let asked = world.second_step().await;
    let test = world.add_vendor_of(Mode::Test, "Test Till", &[]).await;
    world.vendor = test;
    let first = world.open_connect(&world.create().await).await;
    let refused = world.sign_in(&first, EMAIL, PASSWORD).await;
    assert_eq!(shown(&refused), "sign-in");
    let value = |page: &crate::http::Answer| {
        let mut fields = page.hidden_fields().into_iter();
        fields.find(|(name, _)| name == "form").unwrap().1
    };
    let (credential, form) = (device.get(&asked), value(&asked));
    let filled = [
        ("action", "code"),
        ("form", &*form),
        ("credential", &*credential),
    ];
    assert_eq!(shown(&world.submit(&first, &filled).await), "sign-in");
}

#[tokio::test]
async fn there_are_none_at_an_address_that_is_an_ip_or_that_only_the_request_names() {
    let world = World::new().await;
    let (app, _) = world.turn_on_second_factor().await;
    world.pass(crate::both::second_factor::STEP);
    for (host, is_offered) in [
        ("localhost:8080", true),
        ("localhost", true),
        ("127.0.0.1:8080", false),
        ("[::1]:8080", false),
        ("ads.example", false),
        ("localhost.evil.example", false),
        ("localhost:8080@evil.example", false),
    ] {
        let asked = world.sign_in_to_list().await;
        let code = app.code(world.now(), 0);
        let hidden = asked.hidden_fields();
        let mut pairs: Vec<(&str, &str)> = hidden.iter().map(|(n, v)| (&**n, &**v)).collect();
        pairs.extend([("action", "code"), ("code", &code)]);
        let call = Call::new("POST", "/connections")
            .header("Host", host)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .body(crate::http::query(&pairs));
        let list = world.send(call).await;
        assert_eq!(shown(&list), "connections");
        assert_eq!(list.body.contains("add-passkey"), is_offered, "{host}");
        world.pass(crate::both::second_factor::STEP);
    }
    // What is sent there is a wrong passkey, and no code.
    let refused = world.answer(&world.second_step().await, "{}").await;
    assert!(refused.body.contains("That passkey"), "{}", refused.body);
    assert_eq!(count(&world, "sign_in.wrong_passkey").await, 1);
    assert_eq!(count(&world, "sign_in.wrong_code").await, 0);
}

#[tokio::test]
async fn neither_it_nor_what_was_asked_is_in_the_database_and_another_key_opens_both() {
    let (world, _, mut device) = with_passkey().await;
    let asked = world.second_step().await;
    for table in ["passkey", "passkey_challenge"] {
        let sealed: Vec<u8> = world.value(&format!("SELECT sealed FROM {table}")).await;
        assert!(sealed.starts_with(b"pc1"), "{table}");
    }
    world.folder.add_key();
    let world = world.restart().await;
    // The secret of the codes is one, too.
    assert_eq!(world.rotate_key().await, 3);
    let consent = world.answer(&asked, &device.get(&asked)).await;
    assert_eq!(shown(&consent), "consent");
}

#[tokio::test]
async fn one_that_cannot_be_read_holds_up_no_code() {
    let (world, app, _) = with_passkey().await;
    let damage = "UPDATE passkey SET sealed = ?1";
    assert_eq!(world.change(damage, values![vec![0_u8]]).await, 1);
    let asked = world.second_step().await;
    assert!(!asked.body.contains("data-passkey"));
    let code = app.code(world.now(), 0);
    assert_eq!(shown(&world.enter(&asked, &code).await), "consent");
}
