//! A trace from a till's call to the gateway and the vendor, exported.

use crate::both::events::header;
use crate::both::orders::with_body;
use crate::both::receipts::with_ereceipt;
use crate::both::webhooks::{Receiver, SECRET};
use crate::program::Program;
use crate::world::{INTEGRATION, World, target, until};
use serde_json::Value;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const TILL: &str = "00f067aa0ba902b7";

/// A call as a till makes it that is traced.
fn traced(call: crate::http::Call) -> crate::http::Call {
    call.header("traceparent", format!("00-{TRACE}-{TILL}-01"))
        .header("tracestate", "stranger=1")
}

/// Every span that came to the collector.
fn spans(collector: &Receiver) -> Vec<Value> {
    let exported = collector.calls().into_iter().flat_map(|(_, body)| {
        let body: Value = serde_json::from_slice(&body).unwrap();
        body["resourceSpans"][0]["scopeSpans"][0]["spans"]
            .as_array()
            .unwrap()
            .clone()
    });
    exported.collect()
}

fn named<'a>(spans: &'a [Value], name: &str) -> Option<&'a Value> {
    spans.iter().find(|span| span["name"] == name)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_and_a_decision_are_traced_to_whoever_is_told() {
    let (world, vendor) = World::with_listener(&[]).await;
    world.set_system_time();
    let (access, integration) = (world.access().await, world.create().await);
    let gateway = Receiver::start(&[]).await;
    let collector = Receiver::start(&[]).await;
    let messages = format!("webhook:{}", gateway.url());
    let options = ["--messages", &messages, "--message-region", "any"];
    let traces = ["--otlp-endpoint", collector.url()];
    let program = Program::serve_with(
        &world.folder,
        &[&options[..], &traces].concat(),
        None,
        &[
            ("POS_CONNECT_MESSAGES_SECRET", SECRET),
            ("OTEL_BSP_SCHEDULE_DELAY", "50"),
        ],
    );
    let service = program.address("baseUrl");
    let order = with_body("POST", "/v1/orders", &access, &with_ereceipt("1041", "en"));
    assert_eq!(traced(order).send(service).await.status, 200);
    let cancel = crate::http::Call::new("DELETE", target(INTEGRATION, &world.vendor, &integration));
    assert_eq!(traced(cancel).send(service).await.status, 204);
    until(async || named(&spans(&collector), "message").is_some()).await;
    until(async || named(&spans(&collector), "integration.cancelled").is_some()).await;

    let spans = spans(&collector);
    for (root, delivery, told) in [
        ("POST /v1/orders", "message", &gateway),
        (
            "DELETE /v1/auth/integration",
            "integration.cancelled",
            &vendor,
        ),
    ] {
        let (root, delivery) = (
            named(&spans, root).unwrap(),
            named(&spans, delivery).unwrap(),
        );
        assert_eq!(root["parentSpanId"], TILL);
        assert_eq!(delivery["parentSpanId"], root["spanId"]);
        let calls = spans
            .iter()
            .filter(|span| span["parentSpanId"] == delivery["spanId"]);
        let call = calls.collect::<Vec<_>>()[0]["spanId"].as_str().unwrap();
        let (headers, _) = told.calls().pop().unwrap();
        assert_eq!(
            header(&headers, "traceparent"),
            format!("00-{TRACE}-{call}-01")
        );
        assert!(!headers.contains_key("tracestate"));
    }
    assert!(
        spans.iter().all(|span| span["traceId"] == TRACE),
        "{spans:?}"
    );
    let exported = format!("{spans:?}");
    for secret in [&*access, &*integration, &*world.vendor.secret, "50234"] {
        assert!(!exported.contains(secret), "a secret is exported");
    }
}
