//! Passkeys: how an account gets one.

use crate::both::passkey::{count, with_passkey};
use crate::both::second_factor::shown;
use crate::device::{Device, options};
use crate::world::World;
use pos_connect_foundation::values;
use std::time::Duration;

#[tokio::test]
async fn an_account_gets_what_its_owner_has_made_for_it_here_once() {
    let (world, app, device) = with_passkey().await;
    let elsewhere = Device {
        origin: "https://evil.example",
        ..Device::new(8)
    };
    let other_site = Device {
        site: "evil.example",
        ..Device::new(8)
    };
    let unverified = Device::new(8).unverified();
    // One that is registered is in what the browser is told, and refused whoever sends it.
    let page = world.asked_for_passkey(&app).await;
    let excluded = &options(&page)["excludeCredentials"];
    assert_eq!(excluded.as_array().map(Vec::len), Some(1));
    for (why, device) in [
        ("another origin", &elsewhere),
        ("another site", &other_site),
        ("nobody verified", &unverified),
        ("registered", &device),
    ] {
        let page = world.asked_for_passkey(&app).await;
        let refused = world.answer_new(&page, &device.create(&page)).await;
        assert_eq!(shown(&refused), "connections", "{why}");
        assert!(refused.body.contains("The passkey was not added."), "{why}");
        assert!(!refused.body.contains("aria-invalid=\"true\""), "{why}");
        // Sent again, it is another page's.
        let again = world.answer_new(&page, &device.create(&page)).await;
        assert_eq!(shown(&again), "sign-in", "{why}");
    }
    assert_eq!(count(&world, "passkey.refused").await, 4);
    // Another account's, too: the hash is the same.
    let stranger = "INSERT INTO account (public_id, name, email, password_hash, created_at)
         VALUES ('acc_x', 'Harbor', 'x@bakery.example', 'x', 7)";
    world.change(stranger, values![]).await;
    let moved =
        "UPDATE passkey SET account_id = (SELECT id FROM account WHERE public_id = 'acc_x')";
    assert_eq!(world.change(moved, values![]).await, 1);
    let page = world.asked_for_passkey(&app).await;
    world.answer_new(&page, &device.create(&page)).await;
    assert_eq!(world.rows("passkey").await, 1);
    assert_eq!(count(&world, "passkey.refused").await, 5);
    // And the other account's does not open this one.
    assert!(!world.second_step().await.body.contains("data-passkey"));
}

#[tokio::test]
async fn there_are_ten_at_most_and_no_code_is_used_up_for_another() {
    let (world, app, _) = with_passkey().await;
    for number in 0..8_u8 {
        let other = "INSERT INTO passkey (account_id, hash, sealed, counter, created_at)
             SELECT account_id, ?1, ?2, 0, 7 FROM passkey WHERE id = 1";
        let made = world.change(other, values![vec![number; 32], vec![number]]);
        assert_eq!(made.await, 1);
    }
    // Both pages were open before either was answered.
    let first = world.asked_for_passkey(&app).await;
    let second = world.asked_for_passkey(&app).await;
    let made = Device::new(8).create(&second);
    let list = world.answer_new(&second, &made).await;
    assert!(list.body.contains("The passkey is added."));
    let made = Device::new(9).create(&first);
    let list = world.answer_new(&first, &made).await;
    assert!(list.body.contains("The passkey was not added."));
    assert_eq!(world.rows("passkey").await, 10);
    assert!(list.body.contains("No more passkeys can be added."));
    assert!(!list.body.contains("id=\"add-passkey\""));
    let code = app.code(world.now(), 0);
    let filled = [("action", "passkey"), ("code", &*code)];
    let list = world.on_list(&list, &filled).await;
    assert_eq!(shown(&list), "connections");
    let filled = [("action", "recovery-codes"), ("code", &*code)];
    assert_eq!(
        shown(&world.on_list(&list, &filled).await),
        "recovery-codes"
    );
}

#[tokio::test]
async fn each_has_a_name_that_its_button_says() {
    let (world, app, _) = with_passkey().await;
    let list = world.add_passkey(&app, &Device::new(8)).await;
    for number in [1, 2] {
        let names = format!("aria-labelledby=\"remove-{number} passkey-{number}\"");
        assert!(list.body.contains(&names), "{number}");
        let name = format!("<strong>Passkey {number}</strong> <span>Added: <bdi><time");
        assert!(list.body.contains(&name), "{number}");
    }
}

#[tokio::test]
async fn adding_one_takes_a_code() {
    let (world, app) = World::at_a_site().await;
    let asked = world.sign_in_to_list().await;
    let code = app.code(world.now(), 0);
    let list = world
        .on_list(&asked, &[("action", "code"), ("code", &code)])
        .await;
    let refused = world
        .on_list(&list, &[("action", "passkey"), ("code", "000000")])
        .await;
    assert_eq!(shown(&refused), "connections");
    // A page that has asked for none has no answer, also where another page has.
    world.pass(Duration::from_secs(60));
    let other = world.asked_for_passkey(&app).await;
    let added = world
        .answer_new(&refused, &Device::new(7).create(&other))
        .await;
    assert_eq!(shown(&added), "connections");
    assert_eq!(world.rows("passkey").await, 0);
}
