//! The merchant's own list of connections.

use crate::both::orders::order;
use crate::both::receipts::with_ereceipt;
use crate::http::{Answer, Call, query};
use crate::tokens::Pair;
use crate::world::{EMAIL, PASSWORD, World, act};
use pos_connect_service::token::Hash;
use std::time::Duration;

const OTHER: &str = "owner@grocer.example";

async fn post(world: &World, pairs: &[(&str, &str)]) -> Answer {
    world.send(form(pairs)).await
}

fn form(pairs: &[(&str, &str)]) -> Call {
    Call::new("POST", "/connections")
        .header("Content-Type", "application/x-www-form-urlencoded")
        .body(query(pairs))
}

pub async fn sign_in(world: &World, email: &str, password: &str) -> Answer {
    let pairs = [
        ("action", "sign-in"),
        ("email", email),
        ("password", password),
    ];
    post(world, &pairs).await
}

fn page(answer: &Answer) -> (u16, String) {
    (answer.status, answer.data("page"))
}

/// What can be disconnected.
fn listed(answer: &Answer) -> Vec<String> {
    let fields = answer.body.split("name=\"connection\" value=\"");
    let value = |rest: &str| rest.split('"').next().unwrap().to_owned();
    fields.skip(1).map(value).collect()
}

/// The form of a connection, as the button of that action sends it.
fn pressed(list: &Answer, action: &str, connection: &str) -> Vec<(String, String)> {
    let mut hidden = list.hidden_fields();
    hidden.retain(|(name, _)| name != "connection");
    let more = [("action", action), ("connection", connection)];
    hidden.extend(more.map(|(name, value)| (name.to_owned(), value.to_owned())));
    hidden
}

fn borrowed(pairs: &[(String, String)]) -> Vec<(&str, &str)> {
    let pairs = pairs.iter();
    pairs.map(|(name, value)| (&**name, &**value)).collect()
}

async fn press(world: &World, list: &Answer, action: &str, connection: &str) -> Answer {
    post(world, &borrowed(&pressed(list, action, connection))).await
}

async fn disconnect(world: &World, list: &Answer, connection: &str) -> Answer {
    press(world, list, "disconnect", connection).await
}

#[tokio::test]
async fn a_merchant_sees_what_is_connected_and_ends_it() {
    let world = World::new().await;
    let (_, _, pair) = world.picked_up().await;
    let waiting = world.finished().await;
    world.create().await;
    let (_, _, revoked) = world.picked_up().await;
    world.revoke(&revoked.access).await;

    let first = world.send(Call::new("GET", "/connections")).await;
    assert_eq!(page(&first), (200, "sign-in".into()));
    assert_eq!(first.header("cache-control"), Some("no-store"));
    assert!(
        first
            .header("content-security-policy")
            .unwrap()
            .contains("frame-ancestors 'none'")
    );
    let list = sign_in(&world, EMAIL, PASSWORD).await;
    assert_eq!(page(&list), (200, "connections".into()));
    // A page that opened it has no hold of it. The connect page has to tell its opener.
    let opener = |answer: &Answer| {
        answer
            .header("cross-origin-opener-policy")
            .map(str::to_owned)
    };
    for connections in [&first, &list] {
        assert_eq!(opener(connections).as_deref(), Some("same-origin"));
    }
    let token = world.create().await;
    assert_eq!(opener(&world.open_connect(&token).await), None);
    let both = listed(&list);
    assert_eq!(both.len(), 2, "{}", list.body);
    assert!(list.body.contains("Corner Till") && list.body.contains("Market Street"));
    assert!(list.body.contains("January 15, 2027"), "{}", list.body);
    // Two connections of a vendor for a store: each has its ID, also for a screen reader. One was never picked up.
    let named = |list: &Answer, id: &str| list.body.matches(&format!("{id}\"")).count();
    for id in &both {
        assert_eq!(named(&list, id), 3, "{}", list.body);
        assert!(list.body.contains(&format!("ID: <bdi dir=\"ltr\">{id}<")));
    }

    let mut list = list;
    for (left, connection) in [(1, &both[0]), (0, &both[1])] {
        list = disconnect(&world, &list, connection).await;
        assert_eq!(page(&list), (200, "connections".into()));
        assert!(list.body.contains("Market Street</bdi> is disconnected"));
        assert_eq!(listed(&list).len(), left);
        assert!(!list.body.contains("ID: "));
    }
    assert_eq!(world.account(&pair.access).await.status, 401);
    assert_eq!(world.refresh(&pair.refresh).await.code(), "invalid_grant");
    assert_eq!(world.token(&waiting).await.status, 409);
    assert!(list.body.contains("No till is connected"));
}

/// By the minute, so that not each order costs a write more. A relay looks while the shop is closed: that is no use.
#[tokio::test]
async fn a_connection_was_used_last_when_an_order_came() {
    let world = World::new().await;
    let (_, _, pair) = world.picked_up().await;
    let shown = async || {
        let list = sign_in(&world, EMAIL, PASSWORD).await;
        let (_, rest) = list.body.split_once("Last used: <bdi><time datetime=\"")?;
        Some(rest.split('"').next().unwrap().to_owned())
    };
    let sells = async |id: &str| world.send_order(&pair.access, &order(id)).await.status;
    assert_eq!(shown().await, None);
    let first = Some(world.now().to_string());
    assert_eq!(sells("1").await, 200);
    assert_eq!(shown().await, first);
    world.pass(Duration::from_secs(59));
    assert_eq!(sells("2").await, 200);
    world.pass(Duration::from_secs(1));
    assert_eq!(world.account(&pair.access).await.status, 200);
    assert_eq!(shown().await, first);
    assert_eq!(sells("3").await, 200);
    let last = Some(world.now().to_string());
    world.pass(Duration::from_secs(3600));
    let pair = Pair::of(&world.refresh(&pair.refresh).await);
    assert_eq!(world.account(&pair.access).await.status, 200);
    assert_eq!(shown().await, last);
}

#[tokio::test]
async fn nobody_ends_what_is_not_theirs() {
    let world = World::new().await;
    world.add_account(OTHER, "Grocer", &["Harbor"]).await;
    let (_, _, pair) = world.picked_up().await;
    let own = sign_in(&world, EMAIL, PASSWORD).await;
    let connection = listed(&own).remove(0);
    let other = sign_in(&world, OTHER, PASSWORD).await;
    assert!(listed(&other).is_empty());
    let tried = disconnect(&world, &other, &connection).await;
    assert_eq!(page(&tried), (200, "connections".into()));
    assert!(!tried.body.contains("is disconnected"));
    assert_eq!(world.account(&pair.access).await.status, 200);

    // Sent by another site, twice, too late, or without a sign-in: nothing happens.
    let hidden = pressed(&own, "disconnect", &connection);
    let pairs = borrowed(&hidden);
    let foreign = form(&pairs).header("Sec-Fetch-Site", "cross-site");
    assert_eq!(world.send(foreign).await.status, 403);
    let without: Vec<_> = pairs
        .iter()
        .filter(|(name, _)| *name != "form")
        .copied()
        .collect();
    assert_eq!(page(&post(&world, &without).await), (200, "sign-in".into()));
    world.pass(Duration::from_secs(15 * 60));
    assert_eq!(page(&post(&world, &pairs).await), (200, "sign-in".into()));
    assert_eq!(world.refresh(&pair.refresh).await.status, 200);
    let list = sign_in(&world, EMAIL, PASSWORD).await;
    let fresh = disconnect(&world, &list, "nothing").await;
    assert_eq!(listed(&fresh).len(), 1);
    assert_eq!(
        page(&disconnect(&world, &list, &connection).await),
        (200, "sign-in".into())
    );
}

/// E-receipts need no new connection: the next order counts.
#[tokio::test]
async fn a_merchant_switches_e_receipts() {
    let world = World::new().await;
    let (_, _, pair) = world.picked_up().await;
    let mut list = sign_in(&world, EMAIL, PASSWORD).await;
    assert!(
        list.body
            .contains("aria-label=\"Disconnect Market Street\"")
    );
    let order = with_ereceipt("1", "en");
    assert_eq!(world.send_order(&pair.access, &order).await.status, 200);
    let connection = listed(&list).remove(0);
    for (id, action, is_on) in [
        ("2", "ereceipts-off", false),
        ("3", "ereceipts-on", true),
        ("4", "ereceipts-off", false),
    ] {
        list = press(&world, &list, action, &connection).await;
        assert_eq!(page(&list), (200, "connections".into()));
        assert!(
            list.body.contains(&format!("aria-checked=\"{is_on}\"")),
            "{}",
            list.body
        );
        assert_eq!(world.account(&pair.access).await.json()["ereceipt"], is_on);
        let order = with_ereceipt(id, "en");
        let sent = world.send_order(&pair.access, &order).await;
        assert_eq!(sent.status == 200, is_on, "{}", sent.body);
    }
    let changes = "SELECT count(*) FROM audit WHERE event LIKE 'connection.ereceipts%'";
    assert_eq!(world.value::<i64>(changes).await, 3);
    // Nobody switches another account's.
    world.add_account(OTHER, "Grocer", &["Harbor"]).await;
    let other = sign_in(&world, OTHER, PASSWORD).await;
    press(&world, &other, "ereceipts-on", &connection).await;
    assert_eq!(world.account(&pair.access).await.json()["ereceipt"], false);
}

/// Each change is a row of the audit, which nobody can erase for 30 days.
#[tokio::test]
async fn who_switches_without_end_has_to_wait() {
    let world = World::new().await;
    let (_, _, pair) = world.picked_up().await;
    let mut list = sign_in(&world, EMAIL, PASSWORD).await;
    let connection = listed(&list).remove(0);
    for number in 0..60 {
        let action = ["ereceipts-off", "ereceipts-on"][number % 2];
        list = press(&world, &list, action, &connection).await;
        assert_eq!(page(&list), (200, "connections".into()));
    }
    let refused = press(&world, &list, "ereceipts-off", &connection).await;
    assert_eq!(page(&refused), (429, "sign-in".into()));
    assert!(refused.header("retry-after").is_some());
    assert_eq!(world.account(&pair.access).await.json()["ereceipt"], true);
    let changes = "SELECT count(*) FROM audit WHERE event LIKE 'connection.ereceipts%'";
    assert_eq!(world.value::<i64>(changes).await, 60);
    world.pass(Duration::from_secs(60));
    let list = sign_in(&world, EMAIL, PASSWORD).await;
    let again = press(&world, &list, "ereceipts-off", &connection).await;
    assert_eq!(page(&again), (200, "connections".into()));
}

/// A request may be past its form when the account is disabled.
#[tokio::test]
async fn whoever_is_signed_in_no_more_changes_no_connection() {
    let world = World::new().await;
    let connection = Hash::of(&world.finished().await);
    let (store, who) = (&world.service.store, world.signed_in(EMAIL).await);
    let act = act(who.account, world.now());
    for (is_disabled, is_changed) in [(true, false), (false, true)] {
        let set = store.set_account_disabled(EMAIL.into(), is_disabled, world.operator());
        assert!(set.await.unwrap());
        let switched = store.switch_ereceipts(who, connection, false, act).await;
        assert_eq!(switched.unwrap().unwrap().is_some(), is_changed);
        let ended = store.disconnect(who, connection, act).await;
        assert_eq!(ended.unwrap().is_some(), is_changed);
    }
}

#[tokio::test]
async fn a_list_that_was_signed_out_of_is_over() {
    let world = World::new().await;
    let (_, _, pair) = world.picked_up().await;
    let list = sign_in(&world, EMAIL, PASSWORD).await;
    let connection = listed(&list).remove(0);
    let out = press(&world, &list, "sign-out", &connection).await;
    assert_eq!(page(&out), (200, "sign-in".into()));
    let late = disconnect(&world, &list, &connection).await;
    assert_eq!(page(&late), (200, "sign-in".into()));
    assert_eq!(world.account(&pair.access).await.status, 200);
}

/// Its one-time values and those of the connect frame do not pass for each other.
#[tokio::test]
async fn a_page_of_one_kind_is_none_of_the_other() {
    let (world, token) = World::with_integration().await;
    let list = sign_in(&world, EMAIL, PASSWORD).await;
    let fields = list.hidden_fields();
    let value = &fields.iter().find(|(name, _)| name == "form").unwrap().1;
    let sent = [
        ("client_id", &*world.vendor.id),
        ("integration_token", &token),
        ("form", value),
        ("action", "connect"),
    ];
    let call = Call::new("POST", "/connect")
        .header("Content-Type", "application/x-www-form-urlencoded")
        .body(query(&sent));
    assert_eq!(page(&world.send(call).await), (200, "sign-in".into()));
    let first = world.open_connect(&token).await;
    let consent = world.sign_in(&first, EMAIL, PASSWORD).await;
    let fields = consent.hidden_fields();
    let value = &fields.iter().find(|(name, _)| name == "form").unwrap().1;
    let sent = [
        ("form", &**value),
        ("action", "disconnect"),
        ("connection", "x"),
    ];
    assert_eq!(page(&post(&world, &sent).await), (200, "sign-in".into()));
}

#[tokio::test]
async fn guesses_are_counted_and_disabled_accounts_see_nothing() {
    let world = World::new().await;
    let list = sign_in(&world, EMAIL, PASSWORD).await;
    for _ in 0..5 {
        assert_eq!(
            page(&sign_in(&world, EMAIL, "wrong").await),
            (200, "sign-in".into())
        );
    }
    let refused = sign_in(&world, EMAIL, PASSWORD).await;
    assert_eq!(page(&refused), (429, "sign-in".into()));
    assert!(refused.header("retry-after").is_some());
    let store = &world.service.store;
    let disabled = store.set_account_disabled(EMAIL.into(), true, world.operator());
    assert!(disabled.await.unwrap());
    assert_eq!(
        page(&disconnect(&world, &list, "x").await),
        (200, "sign-in".into())
    );
}

#[tokio::test]
async fn it_speaks_the_three_languages_and_keeps_few_pages() {
    let world = World::new().await;
    for (lang, dir) in [("en", "ltr"), ("he", "rtl"), ("ar", "rtl"), ("es", "ltr")] {
        let call = Call::new("GET", format!("/connections?lang={lang}"));
        let body = world.send(call).await.body;
        assert!(body.contains(&format!("<html lang=\"{lang}\" dir=\"{dir}\">")));
    }
    for _ in 0..30 {
        sign_in(&world, EMAIL, PASSWORD).await;
    }
    assert_eq!(world.rows("form").await, 16);
    for method in ["PUT", "DELETE"] {
        let answer = world.send(Call::new(method, "/connections")).await;
        assert_eq!(answer.status, 405);
    }
}

#[tokio::test]
async fn an_account_without_a_store_is_told_so_and_many_stores_are_a_list() {
    let world = World::new().await;
    world.add_account(OTHER, "Grocer", &[]).await;
    let many: Vec<String> = (1..=200).map(|number| format!("Store {number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    world
        .add_account("owner@chain.example", "Chain", &many)
        .await;
    let first = world.open_connect(&world.create().await).await;
    let none = world.sign_in(&first, OTHER, PASSWORD).await;
    assert_eq!(page(&none), (403, "error".into()));
    assert!(none.body.contains("no store yet"));
    let token = world.create().await;
    let first = world.open_connect(&token).await;
    let consent = world.sign_in(&first, "owner@chain.example", PASSWORD).await;
    assert_eq!(page(&consent), (200, "consent".into()));
    assert_eq!(consent.body.matches("<option value=\"sto_").count(), 200);
    let last = consent.body.rsplit("<option value=\"").next().unwrap();
    let last = last.split('"').next().unwrap();
    let unchosen = [("action", "connect"), ("store", "")];
    let again = world.submit(&consent, &unchosen).await;
    assert_eq!(page(&again), (200, "consent".into()));
    let done = world
        .submit(&again, &[("action", "connect"), ("store", last)])
        .await;
    assert_eq!(page(&done), (200, "finished".into()));
    let name: String = world
        .value("SELECT store.name FROM integration JOIN store ON store.id = store_id")
        .await;
    assert_eq!(name, "Store 200");
}
