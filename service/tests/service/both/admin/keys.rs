//! Admin keys: who is let in, how often, and for how long.

use super::Office;
use crate::both::orders::order;
use crate::http::Call;
use crate::world::{INTEGRATION, World, target};
use pos_connect_protocol::admin::Scope;
use pos_connect_service::admin_key;
use pos_connect_service::store::{Act, Actor, Erasure, Kept, RevocationScope};
use pos_connect_service::token::Kind;
use serde_json::Value;
use std::time::Duration;

#[tokio::test]
async fn only_a_live_admin_key_is_let_in() {
    let office = Office::new().await;
    let world = &office.world;
    let mut changed = office.key.clone();
    changed.replace_range(10..11, if &changed[10..11] == "a" { "b" } else { "a" });
    let vendors = || Call::new("GET", "/admin/v1/vendors");
    let none = vendors().send(office.address).await;
    assert_eq!((none.status, none.code()), (401, "missing_token".into()));
    assert!(none.header("www-authenticate").is_some());
    for wrong in [
        world.access().await,
        world.vendor.secret.clone(),
        Kind::Admin.mint(),
        Kind::Fleet.mint(),
        changed,
    ] {
        let call = vendors().header("Authorization", format!("Bearer {wrong}"));
        let answer = call.send(office.address).await;
        assert_eq!(
            (answer.status, answer.code()),
            (401, "invalid_token".into())
        );
    }
    let in_query = format!("/admin/v1/vendors?access_token={}", office.key);
    let in_query = Call::new("GET", in_query).send(office.address).await;
    assert_eq!(in_query.status, 401);
    let revoked = world
        .service
        .store
        .revoke_admin_key(office.id.clone(), world.operator());
    assert!(revoked.await.unwrap());
    assert_eq!(
        office.refused("GET", "/vendors", Value::Null).await,
        (401, "invalid_token".into())
    );
}

/// The proxy before the public listener is none of this one's: anybody with a key could name an address.
#[tokio::test]
async fn the_audit_does_not_believe_a_back_office_where_it_calls_from() {
    let office = Office::of(World::behind_a_proxy().await, Scope::ALL).await;
    let path = format!("/vendors/{}/disable", office.world.vendor.id);
    let call = office
        .call("POST", &path)
        .header("X-Forwarded-For", "203.0.113.9");
    assert_eq!(call.send(office.address).await.status, 204);
    let audit = office.get("/audit?event=vendor.disabled").await;
    assert_eq!(audit["entries"][0]["address"], Value::Null);
}

#[tokio::test]
async fn no_page_calls_it_or_reads_an_answer() {
    let office = Office::new().await;
    for (name, value) in [
        ("Origin", "https://till.example"),
        ("Sec-Fetch-Site", "same-origin"),
    ] {
        let call = office.call("GET", "/vendors").header(name, value);
        let answer = call.send(office.address).await;
        assert_eq!(
            (answer.status, answer.code()),
            (403, "origin_not_allowed".into())
        );
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
    let preflight = Call::new("OPTIONS", "/admin/v1/vendors")
        .header("Origin", "https://till.example")
        .header("Access-Control-Request-Method", "GET");
    let answer = preflight.send(office.address).await;
    assert_eq!(answer.status, 405);
    assert_eq!(answer.header("access-control-allow-origin"), None);
}

#[tokio::test]
async fn neither_listener_has_the_paths_or_takes_the_keys_of_the_other() {
    let office = Office::new().await;
    let world = &office.world;
    let with_key = |path: &str| {
        let bearer = format!("Bearer {}", office.key);
        Call::new("GET", path).header("Authorization", bearer)
    };
    let account = world.send(with_key("/v1/account")).await;
    assert_eq!(account.code(), "invalid_token");
    let admin = world.send(with_key("/admin/v1/vendors")).await;
    assert_eq!(admin.code(), "not_found");
    for path in ["/v1/account", "/connect", "/metrics"] {
        let public = with_key(path).elsewhere().send(office.address).await;
        assert_eq!(public.code(), "not_found", "{path}");
    }
    let create = Call::new("POST", target(INTEGRATION, &world.vendor, ""));
    let public = create.elsewhere().send(office.address).await;
    assert_eq!(public.code(), "not_found");
}

/// What a call has begun does not go on, and nothing of it is kept.
#[tokio::test]
async fn a_key_that_is_revoked_in_the_middle_of_a_call_changes_nothing() {
    let office = Office::new().await;
    let (world, store) = (&office.world, &office.world.service.store);
    let access = world.access().await;
    assert_eq!(world.send_order(&access, &order("1")).await.status, 200);
    let id = store.admin_key(&office.id).await.unwrap().unwrap().id;
    let act = Act {
        actor: Actor::AdminKey(id),
        ..world.operator()
    };
    let revoked = store.revoke_admin_key(office.id.clone(), world.operator());
    assert!(revoked.await.unwrap());
    let vendor = world.vendor.id.clone();
    let disabled = store.set_vendor_disabled(vendor.clone(), true, act);
    assert!(disabled.await.is_err());
    let erasure = Erasure {
        vendor: Some(vendor.clone()),
        ..Erasure::default()
    };
    assert!(store.erase(Kept::Orders, erasure, None, act).await.is_err());
    let scope = RevocationScope {
        vendor: Some(vendor),
        ..RevocationScope::default()
    };
    assert!(store.revoke_all(scope, None, act).await.is_err());
    let disabled = "SELECT count(*) FROM vendor WHERE disabled_at IS NOT NULL";
    assert_eq!(world.value::<i64>(disabled).await, 0);
    assert_eq!(world.rows("store_order").await, 1);
    assert_eq!(world.account(&access).await.status, 200);
}

#[tokio::test]
async fn an_admin_key_has_so_many_calls_and_takes_nothing_from_another() {
    let office = Office::with(&[Scope::VendorsRead]).await;
    let ask = async |key: &str| {
        let call = Call::new("GET", "/admin/v1/vendors");
        let call = call.header("Authorization", format!("Bearer {key}"));
        call.send(office.address).await
    };
    for _ in 0..1000 {
        assert_eq!(ask(&office.key).await.status, 200);
    }
    let refused = ask(&office.key).await;
    assert_eq!(
        (refused.status, refused.header("retry-after")),
        (429, Some("1"))
    );
    let (store, act) = (&office.world.service.store, office.world.operator());
    let (_, other) = admin_key::add(store, "other", &[Scope::VendorsRead], act)
        .await
        .unwrap();
    assert_eq!(ask(&other).await.status, 200);
    office.world.pass(Duration::from_secs(1));
    assert_eq!(ask(&office.key).await.status, 200);
}
