//! `sendOrder`: what is wrong with an order is named before anything is kept.

use crate::orders::{no_options, options, order, outbox, receipt};
use crate::support::*;
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

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
            with("externalId", json!("..")),
            "order/externalId: must be another text than . and ..",
        ),
        (
            with("total", json!(11.91)),
            "order/total: must be a whole number in the currency's smallest unit, such as 1191 for 11.91",
        ),
        (
            with("total", json!(9_007_199_254_740_993_u64)),
            "order/total: must be a whole number in the currency's smallest unit, such as 1191 for 11.91",
        ),
        (
            with("lines", json!([])),
            "order/lines: must be a list of 1 to 500 items",
        ),
        (
            with("currency", json!("₪")),
            "order/currency: must be three capital letters, such as ILS (ISO 4217)",
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
        let error = failed(client.send_order(to_js(&wrong), no_options())).await;
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
        (json!({"reciept": 1}), "reciept: is not an option"),
        (
            json!({"printIfQueued": 1}),
            "printIfQueued: is not a boolean",
        ),
    ] {
        let error = failed(client.send_order(to_js(&order("A-1")), options(&wrong))).await;
        assert_eq!(
            (code(&error), text(&error, "message")),
            ("invalid_option".into(), message.into())
        );
    }
    let getter =
        js_sys::Function::new_no_args("return { get total() { throw new Error('mine') } }");
    let error =
        failed(client.send_order(getter.call0(&JsValue::NULL).unwrap(), no_options())).await;
    assert_eq!(
        text(&error, "message"),
        "order/total: reading it threw an error"
    );
    assert_eq!(text(&get(&error, "cause"), "message"), "mine");
    let lone = js_sys::Function::new_no_args("return { externalId: '\\ud800' }");
    let error = failed(client.send_order(lone.call0(&JsValue::NULL).unwrap(), no_options())).await;
    assert_eq!(text(&error, "message"), "order: is not well-formed Unicode");
    assert!(outbox(&client).await.is_empty());
    assert_eq!(service.operations(), "");
}
