//! The code that an account asks for beside its password.

use crate::both::second_factor::{STEP, events, guarded, shown};
use crate::both::sign_in::page;
use crate::http::Answer;
use crate::world::{EMAIL, PASSWORD, World};
use pos_connect_service::token::Kind;
use std::time::Duration;

#[tokio::test]
async fn the_password_leads_to_the_code_and_the_code_to_the_consent_and_to_the_list() {
    let (world, app, _) = guarded().await;
    let token = world.create().await;
    let asked = world.asked_for_code(&token).await;
    assert_eq!(page(&asked), (200, "second-step".into()));
    assert!(!asked.body.contains("Corner Bakery"));
    let code = app.code(world.now(), 0);
    // As people paste it.
    let typed = format!(" {} {}\u{a0}", &code[..3], &code[3..]);
    let consent = world.enter(&asked, &typed).await;
    assert_eq!(shown(&consent), "consent");
    let store = consent.stores().remove(0);
    let chosen = [("action", "connect"), ("store", &*store)];
    assert_eq!(shown(&world.submit(&consent, &chosen).await), "finished");
    world.pass(STEP);
    let asked = world.sign_in_to_list().await;
    assert_eq!(page(&asked), (200, "second-step".into()));
    let code = app.code(world.now(), 0);
    let filled = [("action", "code"), ("code", &*code)];
    let list = world.on_list(&asked, &filled).await;
    assert_eq!(shown(&list), "connections");
    assert!(list.body.contains("Recovery codes left: <bdi>10</bdi>"));
    let told: Vec<_> = events(&world).await.split_off(2);
    let told: Vec<_> = told
        .iter()
        .map(|(event, actor)| (&**event, &**actor))
        .collect();
    assert_eq!(
        told,
        [
            ("sign_in.succeeded", "account"),
            // The password again.
            ("sign_in.succeeded", "account"),
            ("second_factor.turned_on", "account"),
            ("sign_in.code_asked", "visitor"),
            ("sign_in.succeeded", "account"),
            ("integration.consented", "account"),
            ("sign_in.code_asked", "visitor"),
            ("sign_in.succeeded", "account"),
        ]
    );
}

#[tokio::test]
async fn a_code_counts_once_and_so_does_the_time_before_it() {
    let world = World::new().await;
    let (app, _) = world.turn_on_second_factor().await;
    let token = world.create().await;
    // The one that turned it on has counted.
    let mut asked = world.asked_for_code(&token).await;
    for steps in [0, -1] {
        asked = world.enter(&asked, &app.code(world.now(), steps)).await;
        assert_eq!(page(&asked), (200, "second-step".into()));
        assert!(asked.body.contains("was used before"));
    }
    // A phone that is half a minute ahead.
    let ahead = app.code(world.now(), 1);
    assert_eq!(shown(&world.enter(&asked, &ahead).await), "consent");
    world.pass(STEP);
    let asked = world.asked_for_code(&world.create().await).await;
    assert_eq!(shown(&world.enter(&asked, &ahead).await), "second-step");
    world.pass(3 * STEP);
    // One that is behind, and one that is too far behind.
    for (steps, next) in [(-2, "second-step"), (2, "second-step"), (-1, "consent")] {
        let asked = world.asked_for_code(&world.create().await).await;
        let entered = world.enter(&asked, &app.code(world.now(), steps)).await;
        assert_eq!(shown(&entered), next, "{steps}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_who_send_one_code_at_once_one_gets_in() {
    let (world, app, recovery) = guarded().await;
    let replica = world.replica().await;
    for code in [app.code(world.now(), 0), recovery[0].clone()] {
        let mut sent = Vec::new();
        for number in 0..4 {
            let asked = world.asked_for_code(&world.create().await).await;
            let call = world.form(&asked, &[("action", "code"), ("code", &code)]);
            let address = [world.address, replica.address][number % 2];
            sent.push(tokio::spawn(call.send(address)));
        }
        let mut pages = Vec::new();
        for answer in sent {
            pages.push(shown(&answer.await.unwrap()));
        }
        pages.sort();
        let expected = ["consent", "second-step", "second-step", "second-step"];
        assert_eq!(pages, expected);
        world.pass(Duration::from_secs(600));
    }
}

#[tokio::test]
async fn wrong_codes_are_few_over_all_services_and_a_right_one_is_none_of_them() {
    let (world, app, _) = guarded().await;
    let replica = world.replica().await;
    let mut asked = world.asked_for_code(&world.create().await).await;
    for number in 0..5 {
        let there = [&world, &replica][number % 2];
        asked = there.enter(&asked, "000000").await;
        assert_eq!(page(&asked), (200, "second-step".into()));
    }
    let refused = world.enter(&asked, &app.code(world.now(), 0)).await;
    assert_eq!(page(&refused), (429, "second-step".into()));
    assert_eq!(refused.header("retry-after"), Some("60"));
    let elsewhere = replica.asked_for_code(&world.create().await).await;
    let code = app.code(world.now(), 0);
    assert_eq!(replica.enter(&elsewhere, &code).await.status, 429);
    world.pass(Duration::from_secs(60));
    let entered = world.enter(&refused, &app.code(world.now(), 0)).await;
    assert_eq!(shown(&entered), "consent");
    // It has filled the row again.
    world.pass(STEP);
    let mut asked = world.asked_for_code(&world.create().await).await;
    for _ in 0..5 {
        asked = world.enter(&asked, "000000").await;
        assert_eq!(asked.status, 200);
    }
}

/// From an address each, in a new sign-in each.
async fn guessed(world: &World, addresses: &str) -> usize {
    for number in 0..200 {
        let asked = world.asked_for_code(&world.create().await).await;
        let call = world.form(&asked, &[("action", "code"), ("code", "000000")]);
        let from = format!("{addresses}{number}");
        let answer = world.send(call.header("X-Forwarded-For", from)).await;
        if answer.status == 429 {
            return number;
        }
    }
    panic!("without end");
}

#[tokio::test]
async fn in_the_long_run_who_has_the_password_has_few_guesses_until_it_is_another() {
    let (world, app, _) = guarded().await;
    // The merchant has signed in from there.
    let owner = "198.51.100.7";
    let asked = world.asked_for_code(&world.create().await).await;
    let code = app.code(world.now(), 0);
    let call = world.form(&asked, &[("action", "code"), ("code", &code)]);
    let from_owner = |call: crate::http::Call| call.header("X-Forwarded-For", owner);
    assert_eq!(shown(&world.send(from_owner(call)).await), "consent");
    assert_eq!(guessed(&world, "203.0.113.").await, 30);
    world.pass(STEP);
    let asked = world.asked_for_code(&world.create().await).await;
    let code = app.code(world.now(), 0);
    let call = world.form(&asked, &[("action", "code"), ("code", &code)]);
    assert_eq!(shown(&world.send(from_owner(call)).await), "consent");
    let hash = pos_connect_service::password::hash(PASSWORD);
    let store = &world.service.store;
    assert!(
        store
            .set_password(EMAIL.into(), hash, world.operator())
            .await
            .unwrap()
    );
    assert_eq!(guessed(&world, "192.0.2.").await, 30);
}

/// A password alone makes no address one of the merchant's.
#[tokio::test]
async fn an_address_is_known_after_the_code() {
    let (world, app, _) = guarded().await;
    let familiar = world.rows("familiar_address").await;
    let first = world.open_connect(&world.create().await).await;
    let filled = [
        ("action", "sign-in"),
        ("email", EMAIL),
        ("password", PASSWORD),
    ];
    let call = world
        .form(&first, &filled)
        .header("X-Forwarded-For", "192.0.2.1");
    let asked = world.send(call).await;
    assert_eq!(shown(&asked), "second-step");
    assert_eq!(world.rows("familiar_address").await, familiar);
    let code = app.code(world.now(), 0);
    let call = world.form(&asked, &[("action", "code"), ("code", &code)]);
    let call = call.header("X-Forwarded-For", "192.0.2.1");
    assert_eq!(shown(&world.send(call).await), "consent");
    assert_eq!(world.rows("familiar_address").await, familiar + 1);
}

#[tokio::test]
async fn no_form_leads_past_the_code() {
    let (world, app, _) = guarded().await;
    let token = world.create().await;
    let asked = world.asked_for_code(&token).await;
    let store: String = world.value("SELECT public_id FROM store ORDER BY id").await;
    for action in ["connect", "not-you", "sign-in"] {
        let answer = world
            .submit(&asked, &[("action", action), ("store", &store)])
            .await;
        assert_eq!(shown(&answer), "sign-in", "{action}");
    }
    for action in [
        "disconnect",
        "ereceipts-on",
        "list",
        "second-factor",
        "second-factor-off",
    ] {
        let filled = [("action", action), ("connection", "x"), ("code", "000000")];
        assert_eq!(
            shown(&world.on_list(&asked, &filled).await),
            "sign-in",
            "{action}"
        );
    }
    // The value of one way and of one integration is none of another's, and a made-up one is none.
    let code = app.code(world.now(), 0);
    let filled = [("action", "code"), ("code", &*code)];
    assert_eq!(shown(&world.on_list(&asked, &filled).await), "sign-in");
    let other = world.open_connect(&world.create().await).await;
    assert_eq!(shown(&world.enter(&other, &code).await), "sign-in");
    let mut moved = asked.clone();
    let other_token = world.create().await;
    moved.body = moved.body.replace(&token, &other_token);
    assert_eq!(shown(&world.enter(&moved, &code).await), "sign-in");
    let mut made_up = asked.clone();
    let value = |page: &Answer| {
        page.hidden_fields()
            .into_iter()
            .find(|(name, _)| name == "form")
    };
    made_up.body = made_up
        .body
        .replace(&value(&asked).unwrap().1, &Kind::Form.mint());
    assert_eq!(shown(&world.enter(&made_up, &code).await), "sign-in");
    // It was not used up by all that; and it is good for once.
    assert_eq!(shown(&world.enter(&asked, &code).await), "consent");
    world.pass(STEP);
    let code = app.code(world.now(), 0);
    assert_eq!(shown(&world.enter(&asked, &code).await), "sign-in");
}

#[tokio::test]
async fn a_code_may_take_ten_minutes_after_the_password_whatever_was_tried() {
    let (world, app, _) = guarded().await;
    let asked = world.asked_for_code(&world.create().await).await;
    world.pass(Duration::from_secs(9 * 60));
    let again = world.enter(&asked, "000000").await;
    assert_eq!(shown(&again), "second-step");
    world.pass(Duration::from_secs(60));
    let late = world.enter(&again, &app.code(world.now(), 0)).await;
    assert_eq!(shown(&late), "sign-in");
    assert!(late.body.contains("open too long"));
    world.asked_for_code(&world.create().await).await;
    world.pass(Duration::from_secs(600));
    world
        .service
        .store
        .purge_sign_ins(world.now())
        .await
        .unwrap();
    assert_eq!(world.rows("second_step").await, 0);
    for _ in 0..20 {
        world.sign_in_to_list().await;
    }
    assert_eq!(world.rows("second_step").await, 16);
}
