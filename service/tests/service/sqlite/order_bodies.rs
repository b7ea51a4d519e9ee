//! Bodies of `POST /v1/orders`: what is wrong with one is named, and it has a limit.

use crate::both::orders::{JSON, ORDERS, keyed, order, post};
use crate::http::Call;
use crate::world::World;
use serde_json::{Value, json};

#[tokio::test]
async fn what_is_wrong_is_named() {
    let (world, access) = World::connected().await;
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
    let refused = async |call: Call, status: u16, code: &str| {
        let answer = world.send(call).await;
        assert_eq!((answer.status, &*answer.code()), (status, code));
        let kind = answer.header("content-type");
        assert_eq!(kind, Some("application/problem+json"));
        answer.json()["pointer"].as_str().map(str::to_owned)
    };
    let good = order("1041").to_string();
    let twice = good.replacen("\"total\"", "\"total\":1,\"total\"", 1);
    for (call, code, pointer) in [
        (with("total", json!("1")), "invalid_member", "/total"),
        (with("totl", json!(1)), "unknown_member", "/totl"),
        (with("lines", Value::Null), "missing_member", "/lines"),
        (
            with("currency", json!("XYZ")),
            "invalid_member",
            "/currency",
        ),
        (raw(JSON, &twice), "repeated_member", "/total"),
        (raw(JSON, "[]"), "invalid_member", ""),
    ] {
        assert_eq!(refused(call, 422, code).await.as_deref(), Some(pointer));
    }
    for body in ["{", ""] {
        refused(raw(JSON, body), 400, "malformed_request").await;
    }
    refused(raw("text/plain", &good), 415, "unsupported_media_type").await;
    for call in [
        post(&access, &order("1")).header("Idempotency-Key", "a b"),
        keyed(&access, "", &order("1")),
        keyed(&access, &"k".repeat(65), &order("1")),
        keyed(&access, "a", &order("1")).header("Idempotency-Key", "b"),
    ] {
        refused(call, 400, "invalid_idempotency_key").await;
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
    let (world, access) = World::connected().await;
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
    let (world, access) = World::connected().await;
    let sent = async |name: &str| {
        let mut order = order("1041");
        order["lines"][0]["name"] = json!(name);
        world.send(post(&access, &order)).await
    };
    let texts = ["Coffee\nlarge", "Coffee\tlarge", "Coffee\u{202e}large"];
    for name in [&texts[..], &[&"x".repeat(201), ""]].concat() {
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
    let (world, access) = World::connected().await;
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
    let (world, access) = World::connected().await;
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
