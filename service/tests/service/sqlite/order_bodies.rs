//! Bodies of `POST /v1/orders`: what is wrong with one is named, and it has a limit.

use crate::both::orders::{JSON, ORDERS, keyed, order, post};
use crate::http::Call;
use crate::world::World;
use serde_json::{Value, json};

#[tokio::test]
async fn what_is_wrong_is_named() {
    let world = World::new().await;
    let access = world.access().await;
    let with = |name: &str, value: Value| {
        let mut body = order("1041");
        body[name] = value;
        post(&access, &body)
    };
    let raw = |kind: &str, body: &str| {
        Call::new("POST", ORDERS)
            .header("Authorization", format!("Bearer {access}"))
            .header("Content-Type", kind)
            .body(body)
    };
    let good = order("1041").to_string();
    let twice = good.replacen("\"total\"", "\"total\":1,\"total\"", 1);
    for (call, status, code, pointer) in [
        (
            with("total", json!("11.91")),
            422,
            "invalid_member",
            Some("/total"),
        ),
        (with("totl", json!(1)), 422, "unknown_member", Some("/totl")),
        (
            with("lines", Value::Null),
            422,
            "missing_member",
            Some("/lines"),
        ),
        (
            with("currency", json!("XYZ")),
            422,
            "invalid_member",
            Some("/currency"),
        ),
        (raw(JSON, &twice), 422, "repeated_member", Some("/total")),
        (raw(JSON, "{"), 400, "malformed_request", None),
        (raw(JSON, ""), 400, "malformed_request", None),
        (raw(JSON, "[]"), 422, "invalid_member", Some("")),
        (
            raw("text/plain", &good),
            415,
            "unsupported_media_type",
            None,
        ),
        (
            post(&access, &order("1")).header("Idempotency-Key", "a b"),
            400,
            "invalid_idempotency_key",
            None,
        ),
        (
            keyed(&access, "", &order("1")),
            400,
            "invalid_idempotency_key",
            None,
        ),
        (
            keyed(&access, &"k".repeat(65), &order("1")),
            400,
            "invalid_idempotency_key",
            None,
        ),
        (
            keyed(&access, "a", &order("1")).header("Idempotency-Key", "b"),
            400,
            "invalid_idempotency_key",
            None,
        ),
    ] {
        let answer = world.send(call).await;
        let problem = answer.json();
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (status, code),
            "{}",
            answer.body
        );
        assert_eq!(problem["pointer"].as_str(), pointer, "{}", answer.body);
        assert_eq!(
            answer.header("content-type"),
            Some("application/problem+json")
        );
    }
    assert_eq!(world.rows("store_order").await, 0);
    assert_eq!(world.rows("repeatable_call").await, 0);
}

/// The same with each number as a double.
fn with_doubles(value: Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(items) => items.into_iter().map(with_doubles).collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(name, value)| (name, with_doubles(value)))
            .collect(),
        other => other,
    }
}

/// Many a back end has only doubles, and many a text begins with a byte-order mark.
#[tokio::test]
async fn bodies_are_read_as_other_programs_write_them() {
    let world = World::new().await;
    let access = world.access().await;
    let sent = async |method: &str, path: &str, body: &str| {
        let call = Call::new(method, path)
            .header("Authorization", format!("Bearer {access}"))
            .header("Content-Type", JSON)
            .header("Content-Encoding", "identity");
        world.send(call.body(format!("\u{feff}{body}"))).await
    };
    let doubles = with_doubles(order("1041")).to_string();
    assert!(
        doubles.contains("1191.0") && doubles.contains("2.0"),
        "{doubles}"
    );
    let accepted = sent("POST", ORDERS, &doubles).await;
    assert_eq!(accepted.status, 200, "{}", accepted.body);
    let again = sent("POST", ORDERS, &order("1041").to_string()).await;
    assert_eq!(
        again.json()["order"],
        accepted.json()["order"],
        "the same order"
    );
    for (method, path, body) in [
        (
            "POST",
            "/v1/customers",
            r#"{"customers":[{"externalId":"c"}]}"#,
        ),
        ("PATCH", "/v1/store", r#"{"name":"Corner Bakery"}"#),
    ] {
        assert_eq!(sent(method, path, body).await.status, 200, "{path}");
    }
}

/// A name as a merchant typed it: what is wrong with it is not only that it is wrong.
#[tokio::test]
async fn the_rule_that_a_member_breaks_is_named() {
    let world = World::new().await;
    let access = world.access().await;
    let sent = async |name: &str| {
        let mut order = order("1041");
        order["lines"][0]["name"] = json!(name);
        world.send(post(&access, &order)).await
    };
    for name in ["Coffee\nlarge", "Coffee\tlarge", &"x".repeat(201), ""] {
        let problem = sent(name).await.json();
        let rule = "a text of 1 to 200 characters, without control characters";
        assert_eq!(
            (&problem["pointer"], &problem["rule"]),
            (&json!("/lines/0/name"), &json!(rule))
        );
    }
    for name in ["☕️ Grande 👩‍👩‍👧", &"é".repeat(200)] {
        let accepted = sent(name).await;
        assert!(matches!(accepted.status, 200 | 409), "{}", accepted.body);
    }
}

#[tokio::test]
async fn a_body_in_a_coding_is_refused_with_those_that_are_read() {
    let world = World::new().await;
    let access = world.access().await;
    for (kind, coding, codings) in [
        (JSON, "gzip", Some("identity")),
        (JSON, "identity, br", Some("identity")),
        ("text/plain", "identity", None),
    ] {
        let call = Call::new("POST", ORDERS)
            .header("Authorization", format!("Bearer {access}"))
            .header("Content-Type", kind)
            .header("Content-Encoding", coding);
        let answer = world.send(call.body("not JSON")).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (415, "unsupported_media_type")
        );
        assert_eq!(answer.header("accept-encoding"), codings, "{coding}");
    }
}

#[tokio::test]
async fn a_body_has_a_limit() {
    const LIMIT: usize = 1024 * 1024;
    let world = World::new().await;
    let access = world.access().await;
    let padded = |length: usize| {
        let text = order("1041").to_string();
        format!("{text}{}", " ".repeat(length - text.len()))
    };
    let call = |body: String| {
        Call::new("POST", ORDERS)
            .header("Authorization", format!("Bearer {access}"))
            .header("Content-Type", JSON)
            .body(body)
    };
    assert_eq!(world.send(call(padded(LIMIT))).await.status, 200);
    let refused = world.send(call(padded(LIMIT + 1))).await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (413, "content_too_large")
    );
    let chunk = padded(LIMIT + 1);
    let chunked = Call::new("POST", ORDERS)
        .header("Authorization", format!("Bearer {access}"))
        .header("Content-Type", JSON)
        .header("Transfer-Encoding", "chunked")
        .chunked(chunk);
    assert_eq!(world.send(chunked).await.code(), "content_too_large");
}
