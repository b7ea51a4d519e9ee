//! Lists of the admin API, and what narrows them.

use super::Office;
use pos_connect_foundation::values;
use pos_connect_service::store::{AuditPage, Listing};
use serde_json::Value;
use std::collections::BTreeSet;
use std::time::Duration;

#[tokio::test]
async fn lists_come_in_pages() {
    let office = Office::new().await;
    let more = "INSERT INTO vendor (client_id, name, secret_hash, created_at)
         WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 1000)
         SELECT client_id || '-' || n, name, secret_hash, created_at FROM vendor, n";
    assert_eq!(office.world.change(more, values![]).await, 1000);
    let (mut after, mut sizes, mut ids) = (String::new(), Vec::new(), BTreeSet::new());
    loop {
        let page = office.get(&format!("/vendors{after}")).await;
        let vendors = page["vendors"].as_array().unwrap();
        sizes.push(vendors.len());
        ids.extend(vendors.iter().map(|vendor| vendor["clientId"].to_string()));
        let Some(next) = page["next"].as_str() else {
            break;
        };
        after = format!("?after={next}");
    }
    assert_eq!((sizes, ids.len()), (vec![500, 500, 1], 1001));
}

/// A list of all would be taken for the part that was asked for.
#[tokio::test]
async fn a_query_that_is_not_understood_is_refused() {
    let office = Office::new().await;
    for query in [
        "after=",
        "after=x",
        "after=-1",
        "before=1",
        "after=1&after=2",
        "key=pcm_x",
        "vendor=x",
    ] {
        let path = format!("/vendors?{query}");
        let refused = office.refused("GET", &path, Value::Null).await;
        assert_eq!(refused.0, 400, "{query}");
    }
}

/// The next page tells of what nobody has looked at yet.
#[tokio::test]
async fn a_long_audit_is_read_in_steps() {
    let office = Office::new().await;
    let more = "INSERT INTO audit (at, event, actor)
         WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 50000)
         SELECT 0, 'form.refused', 'visitor' FROM n";
    assert_eq!(office.world.change(more, values![]).await, 50_000);
    let id = &office.world.vendor.id;
    let path = format!("/vendors/{id}/disable");
    office.done("POST", &path, Value::Null).await;
    let (mut after, mut sizes) = (0, Vec::new());
    loop {
        let page = AuditPage {
            since: None,
            event: Some("vendor.disabled".into()),
            subject: None,
            rows: Listing { after, limit: 10 },
        };
        let page = office.world.service.store.audit_page(page, Duration::ZERO);
        let (entries, seen) = page.await.unwrap();
        sizes.push(entries.len());
        let Some(seen) = seen else { break };
        after = seen;
    }
    assert_eq!(sizes, [0, 0, 1]);
    let page = office.get("/audit?event=vendor.disabled").await;
    assert_eq!(page["entries"].as_array().unwrap().len(), 1);
    assert!(page["next"].is_null());
}

#[tokio::test]
async fn the_audit_is_narrowed_by_time_event_and_subject() {
    let office = Office::new().await;
    let id = office.world.vendor.id.clone();
    let path = format!("/vendors/{id}/disable");
    office.done("POST", &path, Value::Null).await;
    let events = async |query: &str| {
        let audit = office.get(&format!("/audit?{query}")).await;
        let entries = audit["entries"].as_array().unwrap().iter();
        let events = entries.map(|entry| entry["event"].as_str().unwrap().to_owned());
        events.collect::<Vec<_>>().join(" ")
    };
    let of_vendor = format!("subject={id}");
    assert_eq!(events(&of_vendor).await, "vendor.added vendor.disabled");
    assert_eq!(events("event=vendor.dis").await, "vendor.disabled");
    assert_eq!(events("event=%25").await, "", "no pattern");
    assert_eq!(events("since=2100-01-01T00:00:00Z").await, "");
}
