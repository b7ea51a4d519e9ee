//! `orders.send`: what is wrong with an order is named before anything is kept.

use crate::orders::{no_options, options, order, outbox, receipt};
use crate::support::*;

/// As those of any other call do.
#[wasm_bindgen_test]
async fn the_errors_of_an_order_that_waits_say_who_when_and_why() {
    let busy = json!({"status": 429, "headers": {"retry-after": "7"}, "body": {"success": false}});
    let lost = json!({"status": 404, "headers": {"content-type": "application/json"}, "body": {}});
    for (answer, code, told) in [
        (json!({"fault": "network"}), "network", ""),
        (busy, "rate_limited", "Status 429 to POST /v1/orders, from "),
        (
            lost,
            "unexpected_status",
            "Status 404 to POST /v1/orders, from ",
        ),
    ] {
        let service = Service::ordered(json!({"order": vec![answer; 9]}));
        let client = service.merchant_in("memory");
        let sent = done(client.orders().send(to_js(&order("A-1")), no_options())).await;
        let listed: js_sys::Array = done(client.orders().list()).await.unchecked_into();
        let wait = if code == "rate_limited" {
            7e3.into()
        } else {
            JsValue::UNDEFINED
        };
        for result in [sent, listed.get(0)] {
            let error = get(&result, "error");
            assert_eq!(self::code(&error), code);
            let message = text(&error, "message");
            assert!(
                message.contains(told) && message.contains(&service.base_url()),
                "{message}"
            );
            assert_eq!(get(&error, "retryAfterMs"), wait);
        }
        client.destroy();
    }
}

#[wasm_bindgen_test]
async fn what_the_page_threw_before_an_order_left_is_its_cause() {
    let service = Service::as_specified();
    let throws = js_sys::Function::new_no_args("throw new Error('no session')");
    let client = service.till_with(&[("headers", &throws)]);
    let sent = done(client.orders().send(to_js(&order("A-1")), no_options())).await;
    let listed: js_sys::Array = done(client.orders().list()).await.unchecked_into();
    for result in [sent, listed.get(0)] {
        let error = get(&result, "error");
        assert_eq!(code(&error), "headers_failed");
        assert_eq!(text(&get(&error, "cause"), "message"), "no session");
    }
    client.destroy();
}

#[wasm_bindgen_test]
async fn what_is_wrong_is_named_and_nothing_is_kept() {
    let service = Service::as_specified();
    let client = service.merchant_in("indexeddb");
    let with = |name: &str, value: Value| {
        let mut wrong = order("A-1");
        wrong[name] = value;
        wrong
    };
    for (wrong, message) in [
        (json!("A-1"), "order: is not an object"),
        (json!({}), "order/externalId: is missing"),
        (
            with("total", json!(9_007_199_254_740_993_u64)),
            "order/total: must be a whole number in the currency's smallest unit, such as 1191 for 11.91",
        ),
        (
            with(
                "ereceipt",
                json!({"phone": "0502345678", "consent": {"id": "c"}}),
            ),
            "order/ereceipt/phone: must be a number in E.164, such as +972502345678",
        ),
        (
            with("note", json!("x")),
            "order/note: is not a member that the service knows",
        ),
    ] {
        let error = failed(client.orders().send(to_js(&wrong), no_options())).await;
        assert_eq!(
            (code(&error), text(&error, "message")),
            ("invalid_option".into(), message.into())
        );
    }
    for (wrong, message) in [
        (
            json!({"receipt": {}}),
            "receipt: must be a result of receiptFor",
        ),
        (
            json!({"receipt": receipt("print", "A-2")}),
            "receipt: is of another order",
        ),
        (
            json!({"reciept": 1}),
            "reciept: is not an option; receipt is one",
        ),
    ] {
        let error = failed(client.orders().send(to_js(&order("A-1")), options(&wrong))).await;
        assert_eq!(
            (code(&error), text(&error, "message")),
            ("invalid_option".into(), message.into())
        );
    }
    let getter =
        js_sys::Function::new_no_args("return { get total() { throw new Error('mine') } }");
    let error = failed(
        client
            .orders()
            .send(getter.call0(&JsValue::NULL).unwrap(), no_options()),
    )
    .await;
    assert_eq!(
        text(&error, "message"),
        "order/total: reading it threw an error"
    );
    assert_eq!(text(&get(&error, "cause"), "message"), "mine");
    let lone = js_sys::Function::new_no_args("return { externalId: '\\ud800' }");
    let error = failed(
        client
            .orders()
            .send(lone.call0(&JsValue::NULL).unwrap(), no_options()),
    )
    .await;
    assert_eq!(text(&error, "message"), "order: is not well-formed Unicode");
    assert!(outbox(&client).await.is_empty());
    assert_eq!(service.operations(), "");
}
