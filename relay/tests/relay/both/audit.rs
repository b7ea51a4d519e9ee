//! The audit: who did what, and when; and nothing that is secret.

use crate::folder::Folder;
use crate::program::{command, json};
use crate::proxy::Fault;
use crate::rig::{BAKERY, Rig};
use crate::world::TOKEN;
use pos_connect_foundation::token::Hash;
use pos_connect_relay::store::{Actor, AuditEntry, AuditQuery, Revocation};
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

async fn entries(rig: &Rig) -> Vec<AuditEntry> {
    let query = AuditQuery {
        limit: 1000,
        ..AuditQuery::default()
    };
    rig.relay.store.audit(query).await.unwrap().entries
}

async fn events(rig: &Rig) -> Vec<(String, String)> {
    let entries = entries(rig).await;
    let pair = |entry: AuditEntry| {
        let actor = entry.actor.split(' ').next().unwrap_or_default().to_owned();
        (entry.event, actor)
    };
    entries.into_iter().map(pair).collect()
}

fn told(events: &[(String, String)], from: usize) -> Vec<(&str, &str)> {
    let told = events.iter().map(|(event, actor)| (&**event, &**actor));
    told.skip(from).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn it_tells_a_whole_story() {
    let rig = Rig::new().await;
    let before = events(&rig).await;
    assert_eq!(told(&before, 0), [("till.added", "operator"); 2]);
    let token = rig.connected().await;
    let (store, now) = (&rig.relay.store, rig.relay.clock.now());
    rig.service
        .add_account("other@x.example", "Other", &["Elsewhere"])
        .await;
    let stolen = rig.create().await;
    assert!(rig.service.finish_as("other@x.example", &stolen).await);
    assert_eq!(rig.tokens(&stolen).await.status, 409);
    store.allow_change(BAKERY, now).await.unwrap();
    rig.proxy.plan(|seen| match seen.path() {
        "/v1/orders" => Fault::Instead(401, "", String::new()),
        "/v1/auth/token" => Fault::Instead(400, "", r#"{"error":"invalid_grant"}"#.into()),
        _ => Fault::None,
    });
    assert_eq!(rig.order().await.code(), "connection_ended");
    rig.proxy.plan(|_| Fault::None);
    assert!(store.take_back(BAKERY, now).await.unwrap());
    let call = rig.call(&rig.till, "DELETE", "/connection");
    assert!(call.send(rig.address).await.status < 300);
    let label = Hash::of(&rig.neighbor).label();
    assert_eq!(
        store
            .revoke_till(&label, &Actor::Operator, now)
            .await
            .unwrap(),
        Revocation::Done
    );
    let all = events(&rig).await;
    assert_eq!(
        told(&all, 2),
        [
            ("token_set.picked_up", "till"),
            ("token_set.other_account", "till"),
            ("merchant.change_allowed", "operator"),
            ("token_set.ended", "service"),
            ("merchant.taken_back", "operator"),
            ("merchant.disconnected", "till"),
            ("till.revoked", "operator"),
        ]
    );
    let entries = entries(&rig).await;
    let picked_up = &entries[2];
    assert_eq!(
        picked_up.actor,
        format!("till {}", Hash::of(&rig.till).label())
    );
    assert_eq!(picked_up.subject, Some(Hash::of(&token).label()));
    assert_eq!(picked_up.merchant.as_deref(), Some(BAKERY));
    let ended = &entries[5];
    assert_eq!(ended.event, "token_set.ended");
    assert_eq!(ended.merchant.as_deref(), Some(BAKERY));
    let written = serde_json::to_string(&entries).unwrap();
    assert!(!written.contains(&token) && !written.contains(&rig.till));
}

/// A row stays for a month at least: who holds a till's key must not fill the disk with them.
#[tokio::test(flavor = "multi_thread")]
async fn a_connection_ends_once_however_often_it_is_ended() {
    let rig = Rig::with_connection().await;
    let before = events(&rig).await.len();
    for _ in 0..5 {
        let call = rig.call(&rig.till, "DELETE", "/connection");
        assert_eq!(call.send(rig.address).await.status, 204);
    }
    let all = events(&rig).await;
    assert_eq!(told(&all, before), [("merchant.disconnected", "till")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_did_not_happen_is_not_in_it_and_old_rows_go() {
    let rig = Rig::new().await;
    let (store, now) = (&rig.relay.store, rig.relay.clock.now());
    assert_eq!(
        store
            .revoke_till("nobody", &Actor::Operator, now)
            .await
            .unwrap(),
        Revocation::Unknown
    );
    assert!(!store.take_back(BAKERY, now).await.unwrap());
    store
        .disconnect("nobody", Actor::Operator, now)
        .await
        .unwrap();
    let token = rig.create().await;
    assert_eq!(rig.ask(&rig.till, "GET", TOKEN, &token).await.status, 409);
    assert_eq!(events(&rig).await.len(), 2);
    // What is old is so by the machine's clock, too.
    rig.service.set_back(2000 * DAY);
    rig.add_till(BAKERY).await;
    rig.service.pass(40 * DAY);
    rig.add_till(BAKERY).await;
    assert_eq!(events(&rig).await.len(), 4);
    let soon = rig.relay.clock.now().before(20 * DAY);
    assert!(!store.purge_audit(soon).await.unwrap());
    assert_eq!(
        events(&rig).await.len(),
        3,
        "the one of 40 days ago is gone"
    );
    // Nor does a row of the future make others old.
    rig.service.pass(2400 * DAY);
    rig.add_till(BAKERY).await;
    let young = store.purge_audit(now.after(DAY)).await;
    assert!(
        young.is_err(),
        "the database keeps what is younger than 30 days"
    );
}

#[test]
fn the_command_shows_the_newest_rows() {
    let folder = Folder::new();
    json(&folder, &["migrate"]);
    for merchant in ["bakery", "butcher", "bakery"] {
        json(&folder, &["till", "add", "--merchant", merchant]);
    }
    let shown = json(
        &folder,
        &["audit", "--merchant", "bakery", "--event", "till"],
    );
    assert_eq!(shown.as_array().unwrap().len(), 2);
    assert_eq!(shown[0]["event"], "till.added");
    assert!(shown[0]["actor"].as_str().unwrap().starts_with("operator"));
    for (limit, has_older) in [("2", true), ("3", false)] {
        let options = ["audit", "--event", "till", "--limit", limit];
        let output = command(&folder, &options).output().unwrap();
        let (rows, hint) = (output.stdout, String::from_utf8(output.stderr).unwrap());
        assert_eq!(
            String::from_utf8(rows).unwrap().lines().count().to_string(),
            limit
        );
        assert_eq!(hint.contains("older rows"), has_older, "{hint}");
    }
    assert_eq!(
        json(&folder, &["audit", "--event", "merchant"]),
        serde_json::json!([])
    );
}
