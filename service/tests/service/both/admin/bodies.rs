//! Bodies of the admin API: what is not said right changes nothing.

use super::Office;
use serde_json::{Value, json};

/// The answer names the member, and not what it said.
#[tokio::test]
async fn a_member_that_is_wrong_is_named() {
    let office = Office::new().await;
    let long = "x".repeat(201);
    let many = vec!["https://x.example"; 201];
    let rotate = "/vendors/x/rotate-secret";
    for (path, body, pointer) in [
        ("/vendors", json!({}), "/name"),
        ("/vendors", json!({"name": " x"}), "/name"),
        ("/vendors", json!({"name": long}), "/name"),
        ("/vendors", json!({"name": 1}), "/name"),
        (
            "/vendors",
            json!({"name": "x", "origins": ["https://x.example/y"]}),
            "/origins",
        ),
        (
            "/vendors",
            json!({"name": "x", "origins": many}),
            "/origins",
        ),
        (
            "/vendors",
            json!({"name": "x", "clientId": "a:b"}),
            "/clientId",
        ),
        (
            "/vendors",
            json!({"name": "x", "clientId": "test_x"}),
            "/clientId",
        ),
        (
            "/vendors",
            json!({"name": "x", "clientId": "x", "mode": "test"}),
            "/clientId",
        ),
        ("/vendors", json!({"name": "x", "mode": "Test"}), "/mode"),
        ("/vendors", json!({"name": "x", "mode": null}), "/mode"),
        (
            "/accounts",
            json!({"email": "a@b.example", "name": "x", "mode": "demo"}),
            "/mode",
        ),
        ("/vendors", json!({"name": "x", "scope": "y"}), "/scope"),
        ("/vendors", json!([]), ""),
        (
            "/accounts",
            json!({"email": "nobody", "name": "x"}),
            "/email",
        ),
        (
            "/accounts",
            json!({"email": "a@b.example", "name": "x", "password": "short"}),
            "/password",
        ),
        (
            "/orders/erase",
            json!({"vendor": "x", "since": "yesterday"}),
            "/since",
        ),
        // What a script writes for a date that it could not read: without `since`, all would be erased.
        (
            "/orders/erase",
            json!({"vendor": "x", "since": null}),
            "/since",
        ),
        (rotate, json!({"overlapHours": 169}), "/overlapHours"),
        (rotate, json!({"endOlder": "yes"}), "/endOlder"),
    ] {
        let answer = office.ask("POST", path, body.clone()).await;
        assert_eq!(answer.status, 422, "{body}: {}", answer.body);
        assert!(!answer.body.contains(&long), "{}", answer.body);
        let problem = answer.json();
        assert_eq!(
            problem["pointer"].as_str().unwrap_or_default(),
            pointer,
            "{body}"
        );
    }
    assert_eq!(office.world.rows("vendor").await, 1);
    assert_eq!(office.world.rows("account").await, 1);
}

#[tokio::test]
async fn a_body_of_another_kind_length_or_place_is_refused() {
    let office = Office::new().await;
    let vendor = json!({"name": "x"});
    let sent = async |kind: &str, body: String| {
        let call = office.call("POST", "/vendors").header("Content-Type", kind);
        let answer = call.body(body).send(office.address).await;
        (answer.status, answer.code())
    };
    for (kind, body, status, code) in [
        (
            "text/plain",
            vendor.to_string(),
            415,
            "unsupported_media_type",
        ),
        ("application/json", "{".into(), 400, "malformed_request"),
        (
            "application/json",
            " ".repeat(1 << 21),
            413,
            "content_too_large",
        ),
    ] {
        assert_eq!(sent(kind, body).await, (status, code.to_owned()));
    }
    let repeated = r#"{"name": "x", "name": "y"}"#.to_owned();
    let repeated = sent("application/json", repeated).await;
    assert_eq!(repeated, (422, "repeated_member".into()));
    for (method, path, body) in [
        ("POST", "/vendors?name=x", vendor.clone()),
        ("POST", "/vendors/x/disable", json!({})),
        ("GET", "/vendors", vendor),
    ] {
        let refused = office.refused(method, path, body).await;
        assert_eq!(refused, (400, "malformed_request".into()), "{path}");
    }
    let nothing = office.refused("POST", "/vendors", Value::Null).await;
    assert_eq!(nothing, (415, "unsupported_media_type".into()));
    assert_eq!(office.world.rows("vendor").await, 1);
}
