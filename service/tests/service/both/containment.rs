//! What an operator does when something was stolen: token sets ended by vendor, account and store; accounts closed.

use crate::http::Call;
use crate::program::json;
use crate::tokens::Pair;
use crate::world::{EMAIL, INTEGRATION, PASSWORD, TILL, World};
use pos_connect_foundation::values;
use pos_connect_service::store::{Listing, Progress, RevocationScope};
use pos_connect_service::token::Hash;
use std::time::Duration;

const OTHER: &str = "owner@florist.example";

/// A world with a second account, and a second vendor that is connected to the first one.
struct Town {
    world: World,
    bakery: Pair,
    florist: Pair,
    second: Pair,
}

impl Town {
    async fn new() -> Self {
        let mut world = World::new().await;
        world.add_account(OTHER, "Florist", &["High Street"]).await;
        let first = world.vendor.clone();
        let bakery = Pair::of(&world.token(&world.finished().await).await);
        let token = world.create().await;
        assert!(world.finish_as(OTHER, &token).await);
        let florist = Pair::of(&world.token(&token).await);
        world.vendor = world.add_vendor("Second Till", &[TILL]).await;
        let second = Pair::of(&world.token(&world.finished().await).await);
        world.vendor = first;
        Self {
            world,
            bakery,
            florist,
            second,
        }
    }

    /// Ends a scope; says how many it were, and which of bakery, florist and the second vendor's still work.
    async fn revoke(&self, scope: RevocationScope) -> (usize, [bool; 3]) {
        let store = &self.world.service.store;
        let revoked = store
            .revoke_all(scope, None, self.world.operator())
            .await
            .unwrap();
        let mut works = [false; 3];
        for (place, pair) in [&self.bakery, &self.florist, &self.second]
            .into_iter()
            .enumerate()
        {
            works[place] = self.world.account(&pair.access).await.status == 200;
        }
        (revoked.unwrap().count, works)
    }
}

fn scope(vendor: Option<&str>, account: Option<&str>, store: Option<&str>) -> RevocationScope {
    let owned = |text: Option<&str>| text.map(str::to_owned);
    RevocationScope {
        vendor: owned(vendor),
        account: owned(account),
        store: owned(store),
    }
}

#[tokio::test]
async fn token_sets_end_by_vendor_account_and_store_and_no_others_do() {
    let town = Town::new().await;
    let vendor = town.world.vendor.id.clone();
    assert_eq!(
        town.revoke(scope(Some(&vendor), None, None)).await,
        (2, [false, false, true])
    );
    assert_eq!(
        town.revoke(scope(Some(&vendor), None, None)).await.0,
        0,
        "again"
    );
    let town = Town::new().await;
    let upper = EMAIL.to_uppercase();
    assert_eq!(
        town.revoke(scope(None, Some(&upper), None)).await,
        (2, [false, true, false])
    );
    let town = Town::new().await;
    let accounts = town
        .world
        .service
        .store
        .accounts(Listing::ALL)
        .await
        .unwrap();
    let high_street = &accounts[1].stores[0];
    assert_eq!(
        (accounts[1].email.as_deref().unwrap(), &*high_street.name),
        (OTHER, "High Street")
    );
    let store = scope(None, None, Some(&high_street.id));
    assert_eq!(town.revoke(store).await, (1, [true, false, true]));
    let both = scope(Some(&vendor), Some(EMAIL), None);
    assert_eq!(town.revoke(both).await, (1, [false, false, true]));
}

#[tokio::test]
async fn a_revoked_pair_is_neither_refreshed_nor_reissued_and_what_waits_is_not_handed_out() {
    let world = World::new().await;
    let (token, pickup, pair) = world.picked_up().await;
    let waiting = world.finished().await;
    let store = &world.service.store;
    let revoked = store.revoke_all(
        scope(Some(&world.vendor.id), None, None),
        None,
        world.operator(),
    );
    assert_eq!(revoked.await.unwrap().unwrap().count, 2);
    assert_eq!(world.refresh(&pair.refresh).await.code(), "invalid_grant");
    assert_eq!(world.reissue(&token, &pickup).await.status, 409);
    assert_eq!(world.token(&waiting).await.code(), "integration_expired");
}

/// A long table is read in steps, so that nobody waits: what ends at its two sides ends in two of them.
#[tokio::test]
async fn a_token_set_is_found_behind_all_that_have_ended() {
    let world = World::new().await;
    world.finished().await;
    let store = &world.service.store;
    let revoke = async |longest| {
        let revoked = store.revoke_all(RevocationScope::default(), longest, world.operator());
        let Progress { count, is_done } = revoked.await.unwrap().unwrap();
        (count, is_done)
    };
    assert_eq!(revoke(None).await, (1, true));
    let hash = match world.folder.is_on_a_server() {
        true => "sha256(CAST(CAST(n.i AS text) AS bytea))",
        false => "CAST(printf('%032d', n.i) AS blob)",
    };
    let copy = "INSERT INTO integration (hash, vendor_id, status, created_at, expires_at, owner_id, store_id,
           ereceipt, decided_at, pickup_until)
         SELECT {hash}, vendor_id, status, created_at, expires_at, owner_id, store_id, ereceipt, decided_at,
           pickup_until";
    let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)";
    let ended = format!(
        "{numbers} {} FROM integration, n",
        copy.replace("{hash}", hash)
    );
    let copied = store.write(move |transaction| transaction.execute(&ended, values![]));
    assert_eq!(copied.await.unwrap(), 20_000);
    let waiting = format!(
        "{} + 1 FROM integration LIMIT 1",
        copy.replace("{hash}", "?1")
    );
    for side in [0, 0xff] {
        let mut hash = [side; 32];
        hash[31] = 1;
        let (sql, values) = (waiting.clone(), values![Hash::from_bytes(hash)]);
        let copied = store.write(move |transaction| transaction.execute(&sql, values.clone()));
        assert_eq!(copied.await.unwrap(), 1);
    }
    assert_eq!(revoke(Some(Duration::ZERO)).await, (1, false));
    assert_eq!(revoke(Some(Duration::ZERO)).await, (1, true));
}

/// A consent may be past its form when the session ends.
#[tokio::test]
async fn whoever_is_signed_in_no_more_connects_nothing() {
    let (world, token) = World::with_integration().await;
    let (store, before) = (&world.service.store, world.signed_in(EMAIL).await);
    let ended = store.revoke_all(scope(None, Some(EMAIL), None), None, world.operator());
    assert!(ended.await.unwrap().is_ok());
    let now = world.signed_in(EMAIL).await;
    let owner = store.own(Hash::of(&token), now).await.unwrap();
    assert_eq!(owner, Some(now.account));
    assert!(!world.consent_as(before, 0, true, &token).await);
    assert!(world.consent_as(now, 0, true, &token).await);
}

#[tokio::test]
async fn what_is_not_there_is_named_and_nothing_is_revoked() {
    let world = World::new().await;
    let (_, _, pair) = world.picked_up().await;
    let store = &world.service.store;
    for (noun, scope) in [
        ("vendor", scope(Some("nobody"), None, None)),
        (
            "account",
            scope(Some(&world.vendor.id), Some("nobody@x.example"), None),
        ),
        ("store", scope(None, Some(EMAIL), Some("sto_nowhere"))),
    ] {
        let revoked = store.revoke_all(scope, None, world.operator()).await;
        assert_eq!(revoked.unwrap(), Err(noun));
    }
    assert_eq!(world.account(&pair.access).await.status, 200);
}

#[tokio::test]
async fn nobody_signs_in_with_a_disabled_account_until_it_is_enabled() {
    let world = World::new().await;
    let (_, _, pair) = world.picked_up().await;
    let token = world.create().await;
    let consent = world
        .sign_in(&world.open_connect(&token).await, EMAIL, PASSWORD)
        .await;
    assert_eq!(consent.data("page"), "consent");
    let store = &world.service.store;
    let disable = |disabled| store.set_account_disabled(EMAIL.into(), disabled, world.operator());
    assert!(disable(true).await.unwrap());
    let sent = world
        .submit(&consent, &[("action", "connect"), ("store", "")])
        .await;
    assert_eq!(
        sent.status, 403,
        "who had signed in before does not connect"
    );
    let other = world.create().await;
    let page = world.open_connect(&other).await;
    let refused = world.sign_in(&page, EMAIL, PASSWORD).await;
    assert_eq!(refused.data("page"), "sign-in");
    assert_eq!(
        world.account(&pair.access).await.status,
        200,
        "what is connected stays"
    );
    assert!(disable(false).await.unwrap());
    let page = world.sign_in(&refused, EMAIL, PASSWORD).await;
    assert_eq!(page.data("page"), "consent");
    assert!(
        !store
            .set_account_disabled("nobody@x.example".into(), true, world.operator())
            .await
            .unwrap()
    );
}

/// The commands run beside a service that has answered the lost domain before.
#[tokio::test]
async fn a_lost_domain_leaves_cors_and_frame_ancestors_of_a_running_service_at_once() {
    const NEW: &str = "https://new-till.example";
    let (world, token) = World::with_integration().await;
    let framed_by = async |origin: &str| {
        let page = world
            .send(Call::new("GET", world.connect_target(&token)))
            .await;
        assert_eq!(page.status, 200);
        let policy = page.header("content-security-policy").unwrap();
        let ancestors = policy
            .split(';')
            .find(|part| part.contains("frame-ancestors"));
        ancestors.unwrap().split(' ').any(|named| named == origin)
    };
    let read_by = async |origin: &str| {
        let call = world
            .prepared("GET", INTEGRATION, &token)
            .header("Origin", origin);
        let answer = world.send(call).await;
        let reader = answer
            .header("access-control-allow-origin")
            .map(str::to_owned);
        (answer.code(), reader)
    };
    assert!(framed_by(TILL).await && !framed_by(NEW).await);
    assert_eq!(read_by(TILL).await, (String::new(), Some(TILL.into())));
    let change = ["vendor", "set-origins", &world.vendor.id, "--origin", NEW];
    json(&world.folder, &change);
    assert!(!framed_by(TILL).await && framed_by(NEW).await);
    let refused = ("origin_not_allowed".to_owned(), Some("*".to_owned()));
    assert_eq!(read_by(TILL).await, refused);
    world.pass(Duration::from_secs(6));
    assert_eq!(read_by(NEW).await, (String::new(), Some(NEW.into())));
}

#[tokio::test]
async fn a_vendor_that_is_enabled_again_goes_on_where_it_was() {
    let world = World::new().await;
    let (_, _, pair) = world.picked_up().await;
    let pending = world.create().await;
    json(&world.folder, &["vendor", "disable", &world.vendor.id]);
    assert_eq!(
        world.call("POST", INTEGRATION, "").await.code(),
        "invalid_client"
    );
    assert_eq!(world.account(&pair.access).await.status, 401);
    assert_eq!(world.refresh(&pair.refresh).await.code(), "invalid_client");
    json(&world.folder, &["vendor", "enable", &world.vendor.id]);
    assert_eq!(world.account(&pair.access).await.status, 200);
    assert_eq!(world.status(&pending).await.json()["status"], "pending");
    assert_eq!(world.refresh(&pair.refresh).await.status, 200);
    assert_eq!(world.call("POST", INTEGRATION, "").await.status, 200);
}
