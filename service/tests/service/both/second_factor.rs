//! How two-step sign-in is turned on and off: by the merchant, and by the operator.

use crate::authenticator::{Authenticator, recovery_codes};
use crate::both::rush;
use crate::both::sign_in::page;
use crate::http::Answer;
use crate::program::{failure, json};
use crate::world::{EMAIL, PASSWORD, World, act};
use pos_connect_foundation::values;
use pos_connect_service::store::{AuditEntry, AuditQuery, CodeRefused, RevocationScope};
use pos_connect_service::token::{Hash, Kind};
use std::collections::HashSet;
use std::time::Duration;

/// For how long a code is the current one.
pub const STEP: Duration = Duration::from_secs(30);

/// Which page it is.
pub fn shown(answer: &Answer) -> String {
    answer.data("page")
}

/// One whose account asks for codes, at the next code.
pub async fn guarded() -> (World, Authenticator, Vec<String>) {
    let world = World::behind_a_proxy().await;
    let (app, codes) = world.turn_on_second_factor().await;
    world.pass(STEP);
    (world, app, codes)
}

/// The audit: each event, and who.
pub async fn events(world: &World) -> Vec<(String, String)> {
    let query = AuditQuery {
        limit: 1000,
        ..AuditQuery::default()
    };
    let found = world.service.store.audit(query).await.unwrap();
    let entries: Vec<AuditEntry> = found.entries;
    let row = |entry: AuditEntry| {
        let actor = entry.actor.split(' ').next().unwrap().to_owned();
        (entry.event, actor)
    };
    entries.into_iter().map(row).collect()
}

#[tokio::test]
async fn turning_it_on_takes_a_code_and_ends_what_was_signed_in_to_with_the_password() {
    let world = World::new().await;
    let token = world.create().await;
    let consent = world.asked_for_code(&token).await;
    let other_list = world.sign_in_to_list().await;
    let list = world.sign_in_to_list().await;
    assert!(list.body.contains("a stolen password is not enough"));
    let set_up = world.set_up(&list).await;
    let app = Authenticator::of(&set_up);
    let wrong = [("action", "second-factor-on"), ("code", "12345")];
    let again = world.on_list(&set_up, &wrong).await;
    assert_eq!(page(&again), (200, "second-factor".into()));
    let code = app.code(world.now(), 0);
    assert_eq!(
        Authenticator::of(&again).code(world.now(), 0),
        code,
        "the same secret"
    );
    // Until then nobody is asked for one.
    assert_eq!(
        shown(&world.asked_for_code(&world.create().await).await),
        "consent"
    );
    let filled = [("action", "second-factor-on"), ("code", &*code)];
    let on = world.on_list(&again, &filled).await;
    assert_eq!(shown(&on), "recovery-codes");
    let codes: HashSet<_> = recovery_codes(&on).into_iter().collect();
    assert_eq!(codes.len(), 10);
    assert!(codes.iter().all(|code| code.len() == 14));
    let store = consent.stores().remove(0);
    let chosen = [("action", "connect"), ("store", &*store)];
    assert_eq!(shown(&world.submit(&consent, &chosen).await), "sign-in");
    let filled = [("action", "list")];
    assert_eq!(shown(&world.on_list(&other_list, &filled).await), "sign-in");
    let list = world.on_list(&on, &filled).await;
    assert_eq!(shown(&list), "connections");
    // There is one, and it stays.
    let again = world.set_up(&list).await;
    assert_eq!(shown(&again), "connections");
}

#[tokio::test]
async fn a_recovery_code_works_once_and_new_ones_end_the_old_ones() {
    let (world, app, codes) = guarded().await;
    let asked = world.asked_for_code(&world.create().await).await;
    assert_eq!(shown(&world.enter(&asked, &codes[0]).await), "consent");
    let asked = world.asked_for_code(&world.create().await).await;
    assert_eq!(shown(&world.enter(&asked, &codes[0]).await), "second-step");
    let asked = world.sign_in_to_list().await;
    let filled = [("action", "code"), ("code", &*codes[1])];
    let list = world.on_list(&asked, &filled).await;
    assert!(list.body.contains("Recovery codes left: <bdi>8</bdi>"));
    // Enter presses a form's first button: no code is used up, and no recovery codes end, by that.
    let field = list.body.split("id=\"one-time-code\"").nth(1).unwrap();
    let first = field.split("<button").nth(1).unwrap();
    assert!(first.starts_with(" disabled hidden>"), "{first}");
    let wrong = world
        .on_list(&list, &[("action", "recovery-codes"), ("code", "000000")])
        .await;
    assert_eq!(page(&wrong), (200, "connections".into()));
    assert!(wrong.body.contains("id=\"code-error\""));
    let code = app.code(world.now(), 0);
    let renewed = world
        .on_list(&wrong, &[("action", "recovery-codes"), ("code", &code)])
        .await;
    let new = recovery_codes(&renewed);
    assert_eq!(new.len(), 10);
    for (code, next) in [(&codes[2], "second-step"), (&new[0], "consent")] {
        let asked = world.asked_for_code(&world.create().await).await;
        assert_eq!(shown(&world.enter(&asked, code).await), next);
    }
    let used = events(&world).await;
    let used = used
        .iter()
        .filter(|(event, _)| event == "sign_in.recovery_code_used");
    assert_eq!(used.count(), 3);
}

#[tokio::test]
async fn turning_it_off_takes_a_code_and_guesses_are_counted_there_too() {
    let (world, app, codes) = guarded().await;
    let asked = world.sign_in_to_list().await;
    let filled = [("action", "code"), ("code", &*codes[0])];
    let mut list = world.on_list(&asked, &filled).await;
    for _ in 0..5 {
        let filled = [("action", "second-factor-off"), ("code", "000000")];
        list = world.on_list(&list, &filled).await;
        assert_eq!(page(&list), (200, "connections".into()));
    }
    let code = app.code(world.now(), 0);
    let filled = [("action", "second-factor-off"), ("code", &*code)];
    let refused = world.on_list(&list, &filled).await;
    assert_eq!(page(&refused), (429, "connections".into()));
    world.pass(Duration::from_secs(60));
    let code = app.code(world.now(), 0);
    let filled = [("action", "second-factor-off"), ("code", &*code)];
    let off = world.on_list(&refused, &filled).await;
    assert!(off.body.contains("Two-step sign-in is off."));
    assert_eq!(
        shown(&world.asked_for_code(&world.create().await).await),
        "consent"
    );
    for table in ["second_factor", "recovery_code", "second_step"] {
        assert_eq!(world.rows(table).await, 0, "{table}");
    }
    let last = events(&world).await;
    let off = ("second_factor.turned_off".into(), "account".into());
    assert!(last.contains(&off));
}

#[tokio::test]
async fn whoever_finds_the_list_open_turns_nothing_on_without_the_password() {
    let world = World::new().await;
    let mut list = world.sign_in_to_list().await;
    for password in ["", "wrong"] {
        let filled = [("action", "second-factor"), ("password", password)];
        list = world.on_list(&list, &filled).await;
        assert_eq!(page(&list), (200, "connections".into()));
        assert!(
            list.body
                .contains("Enter the password that you signed in with.")
        );
        assert_eq!(world.rows("second_factor").await, 0);
    }
    // Guesses count as those of a sign-in do.
    for _ in 0..4 {
        let filled = [("action", "second-factor"), ("password", "wrong")];
        list = world.on_list(&list, &filled).await;
    }
    assert_eq!(page(&list), (200, "connections".into()));
    assert_eq!(
        page(&world.set_up(&list).await),
        (429, "connections".into())
    );
}

/// A thief of the password may have a list open, and an address that is familiar.
#[tokio::test]
async fn no_other_page_sees_the_secret_or_changes_it_and_other_addresses_become_strange() {
    let world = World::behind_a_proxy().await;
    for address in ["203.0.113.9", "198.51.100.7"] {
        let list = rush::sign_in(&world, address, EMAIL, PASSWORD).await;
        assert_eq!(shown(&list), "connections");
    }
    let (thief, list) = (world.sign_in_to_list().await, world.sign_in_to_list().await);
    let set_up = world.set_up(&list).await;
    let app = Authenticator::of(&set_up);
    let code = app.code(world.now(), 0);
    for set_up in ["", "another"] {
        let wrong = [
            ("action", "second-factor-on"),
            ("set-up", set_up),
            ("code", &*code),
        ];
        let seen = world.on_list(&thief, &wrong).await;
        assert_ne!(shown(&seen), "second-factor");
    }
    let filled = [("action", "second-factor-on"), ("code", &*code)];
    assert_eq!(
        shown(&world.on_list(&set_up, &filled).await),
        "recovery-codes"
    );
    assert!(world.rows("familiar_address").await <= 1);
}

/// A request may be past its form when the session ends.
#[tokio::test]
async fn whoever_is_signed_in_no_more_changes_nothing() {
    let world = World::new().await;
    let store = &world.service.store;
    let list = world.sign_in_to_list().await;
    let set_up = world.set_up(&list).await;
    let app = Authenticator::of(&set_up);
    let mut hidden = set_up.hidden_fields().into_iter();
    let (_, begun) = hidden.find(|(name, _)| name == "set-up").unwrap();
    let code = |steps| app.code(world.now(), steps);
    let before = world.signed_in(EMAIL).await;
    let scope = || RevocationScope {
        account: Some(EMAIL.into()),
        ..RevocationScope::default()
    };
    let ended = store.revoke_all(scope(), None, world.operator()).await;
    assert!(ended.unwrap().is_ok());
    let now = world.signed_in(EMAIL).await;
    let made = store.begin_second_factor(before, world.now()).await;
    assert!(made.unwrap().is_none());
    let act = act(now.account, world.now());
    for (who, is_on) in [(before, false), (now, true)] {
        let on = store.confirm_second_factor(who, &begun, code(0), act).await;
        assert_eq!(on.unwrap().err(), (!is_on).then_some(CodeRefused::NotAsked));
        let found = store.second_factor(now.account).await.unwrap();
        assert_eq!(found.is_some(), is_on);
    }
    // What turned it on ended all other sessions, that one included.
    let refused = Some(CodeRefused::NotAsked);
    let renewed = store.renew_recovery_codes(now, code(1), act).await;
    assert_eq!(renewed.unwrap().err(), refused);
    let off = store.turn_off_second_factor(now, code(1), act).await;
    assert_eq!(off.unwrap().err(), refused);
    let who = world.signed_in(EMAIL).await;
    let off = store.turn_off_second_factor(who, code(1), act).await;
    assert_eq!(off.unwrap(), Ok(()));
}

#[tokio::test]
async fn the_operator_takes_it_away_where_the_phone_is_lost() {
    let (world, ..) = guarded().await;
    let asked = world.asked_for_code(&world.create().await).await;
    let folder = &world.folder;
    let said = json(folder, &["account", "remove-second-factor", EMAIL]);
    assert_eq!(said["secondFactor"], false);
    assert_eq!(shown(&world.enter(&asked, "000000").await), "sign-in");
    assert_eq!(
        shown(&world.asked_for_code(&world.create().await).await),
        "consent"
    );
    let again = failure(folder, &["account", "remove-second-factor", EMAIL]);
    assert!(again.contains("no account"), "{again}");
    let removed = ("account.second_factor_removed".into(), "operator".into());
    assert!(events(&world).await.contains(&removed));
}

#[tokio::test]
async fn neither_the_secret_nor_a_code_is_in_the_database_and_another_key_opens_it() {
    let world = World::new().await;
    let (app, codes) = world.turn_on_second_factor().await;
    world.pass(STEP);
    let sealed: Vec<u8> = world.value("SELECT sealed FROM second_factor").await;
    assert!(sealed.starts_with(b"pc1") && sealed.len() > 60);
    let plain = Hash::of(&codes[0].replace(' ', ""));
    let sql = "DELETE FROM recovery_code WHERE hash = ?1";
    assert_eq!(world.change(sql, values![plain]).await, 0, "a keyed hash");
    world.folder.add_key();
    let world = world.restart().await;
    assert_eq!(world.rotate_key().await, 1);
    let after: Vec<u8> = world.value("SELECT sealed FROM second_factor").await;
    assert_ne!(after, sealed);
    for code in [app.code(world.now(), 0), codes[0].clone()] {
        let asked = world.sign_in_to_list().await;
        let filled = [("action", "code"), ("code", &*code)];
        assert_eq!(shown(&world.on_list(&asked, &filled).await), "connections");
    }
}

#[tokio::test]
async fn a_merchant_of_a_provider_is_asked_there() {
    let world = World::new().await;
    let sql = "INSERT INTO account (public_id, name, created_at, issuer, subject, login)
         VALUES ('acc_x', 'Harbor', 7, 'https://login.example', 's', 'ada')";
    assert_eq!(world.change(sql, values![]).await, 1);
    let value = Kind::Form.mint();
    let sql = "INSERT INTO form (hash, account_id, created_at)
         SELECT ?1, id, ?2 FROM account WHERE public_id = 'acc_x'";
    assert_eq!(
        world
            .change(sql, values![Hash::of(&value), world.now()])
            .await,
        1
    );
    let first = world
        .send(crate::http::Call::new("GET", "/connections"))
        .await;
    let filled = [("form", &*value), ("action", "second-factor")];
    let list = world.on_list(&first, &filled).await;
    assert_eq!(shown(&list), "connections");
    assert!(!list.body.contains("second-factor"));
    assert_eq!(world.rows("second_factor").await, 0);
}

#[tokio::test]
async fn a_secret_that_no_code_has_confirmed_is_forgotten() {
    let world = World::new().await;
    let list = world.sign_in_to_list().await;
    world.set_up(&list).await;
    assert_eq!(world.rows("second_factor").await, 1);
    world.pass(Duration::from_secs(3600));
    world
        .service
        .store
        .purge_sign_ins(world.now())
        .await
        .unwrap();
    assert_eq!(world.rows("second_factor").await, 0);
}
