//! Vendors by the admin API.

use super::Office;
use crate::http::Call;
use crate::world::{INTEGRATION, Vendor, target};
use serde_json::{Value, json};

/// Whether the service knows a vendor by the secret of an answer.
async fn knows(office: &Office, answer: &Value) -> bool {
    let text = |name: &str| answer[name].as_str().unwrap().to_owned();
    let vendor = Vendor {
        id: text("clientId"),
        secret: text("clientSecret"),
    };
    let create = Call::new("POST", target(INTEGRATION, &vendor, ""));
    let answer = office.world.send(create).await;
    match (answer.status, &*answer.code()) {
        (200, _) => true,
        (_, "invalid_client" | "invalid_secret") => false,
        _ => panic!("{}", answer.body),
    }
}

#[tokio::test]
async fn vendors_are_added_listed_changed_and_disabled() {
    let office = Office::new().await;
    let new = json!({"name": "Till Co", "origins": ["https://Till.example:443"]});
    let added = office.done("POST", "/vendors", new).await;
    office.tells("vendor.added").await;
    assert_eq!(added["origins"], json!(["https://till.example"]));
    assert!(knows(&office, &added).await);
    let id = added["clientId"].as_str().unwrap();
    let shown = async |member: &str| office.get("/vendors").await["vendors"][1][member].take();
    assert_eq!(shown("clientId").await, id);
    assert_eq!(shown("name").await, "Till Co");
    let origins = json!(["https://a.example", "https://b.example"]);
    let changes = [
        (
            "PUT",
            "origins",
            json!({"origins": origins}),
            "vendor.origins_set",
        ),
        ("POST", "disable", Value::Null, "vendor.disabled"),
    ];
    office.change("vendor", id, &changes).await;
    assert_eq!(shown("origins").await, origins);
    assert_eq!(shown("disabled").await, true);
    assert!(!knows(&office, &added).await);
    let enable = ("POST", "enable", Value::Null, "vendor.enabled");
    office.change("vendor", id, &[enable]).await;
    assert_eq!(shown("disabled").await, false);
}

#[tokio::test]
async fn a_secret_is_rotated_and_the_one_before_it_works_on_for_a_while() {
    let office = Office::new().await;
    let new = json!({"name": "Till Co", "clientId": "till-co"});
    let added = office.done("POST", "/vendors", new).await;
    let rotate = "/vendors/till-co/rotate-secret";
    let rotated = office
        .done("POST", rotate, json!({"overlapHours": 1}))
        .await;
    office.tells("vendor.secret_rotated").await;
    assert!(knows(&office, &added).await);
    assert!(knows(&office, &rotated).await);
    assert_eq!(
        office.refused("POST", rotate, json!({})).await,
        (409, "rotation_underway".into())
    );
    let ended = office.done("POST", rotate, json!({"endOlder": true})).await;
    assert!(!knows(&office, &added).await);
    assert!(knows(&office, &rotated).await);
    assert!(knows(&office, &ended).await);
    assert_eq!(
        office
            .refused("POST", "/vendors/nobody/rotate-secret", json!({}))
            .await,
        (404, "vendor_not_found".into())
    );
}

/// The answer was lost, and the secret with it: the call is sent again, and another secret made.
#[tokio::test]
async fn a_call_that_is_sent_again_adds_no_second_vendor() {
    let office = Office::new().await;
    let new = json!({"name": "Till Co", "clientId": "till-co"});
    let lost = office.done("POST", "/vendors", new.clone()).await;
    assert_eq!(
        office.refused("POST", "/vendors", new).await,
        (409, "vendor_exists".into())
    );
    assert_eq!(office.world.rows("vendor").await, 2);
    let rotate = "/vendors/till-co/rotate-secret";
    let rotated = office
        .done("POST", rotate, json!({"overlapHours": 0}))
        .await;
    assert!(knows(&office, &rotated).await);
    assert!(!knows(&office, &lost).await);
}

#[tokio::test]
async fn a_vendor_and_an_account_of_test_mode_are_asked_for_by_that_word() {
    let office = Office::new().await;
    for (mode, new) in [
        ("live", json!({"name": "Till Co"})),
        ("live", json!({"name": "Till Co", "mode": "live"})),
        ("test", json!({"name": "Till Co", "mode": "test"})),
        (
            "test",
            json!({"name": "Till Co", "mode": "test", "clientId": "test_till-co"}),
        ),
    ] {
        let added = office.done("POST", "/vendors", new).await;
        assert_eq!(added["mode"], mode);
        let id = added["clientId"].as_str().unwrap();
        assert_eq!(id.starts_with("test_"), mode == "test");
        let listed = office.get("/vendors").await;
        let listed = listed["vendors"].as_array().unwrap().last().unwrap();
        assert_eq!(listed["mode"], mode);
    }
    let new = json!({"name": "Shop", "email": "owner@test.example", "mode": "test"});
    let added = office.done("POST", "/accounts", new).await;
    assert_eq!(added["mode"], "test");
    assert!(added["id"].as_str().unwrap().starts_with("test_acc_"));
    assert_eq!(office.get("/accounts").await["accounts"][1]["mode"], "test");
}
