//! Texts that the service would refuse are cleaned at the till, and the result says which. Numbers arrive as they are.

use crate::orders::{no_options, order};
use crate::support::*;
use js_sys::{Function, JSON};

/// A refund of weighed goods, with names as people type and import them.
fn refund() -> (Value, Value) {
    let line = |name: &str| json!({"name": name, "quantity": -0.355, "unit": "kg", "unitPrice": 390, "amount": -138});
    let mut given = order("A-1");
    given["refundOf"] = "A-0".into();
    given["total"] = (-414).into();
    let mut sent = given.clone();
    given["displayNumber"] = "".into();
    given["payment"] = "Visa\n4242".into();
    sent["payment"] = "Visa 4242".into();
    given["lines"] = json!([
        line("Coffee\r\nlarge"),
        line("☕ Grande"),
        line(&"x".repeat(201)),
        line("\n"),
        json!({"name": "", "unit": "", "quantity": 0, "amount": 0}),
    ]);
    sent["lines"] = json!([
        line("Coffee large"),
        line("☕ Grande"),
        line(&"x".repeat(200)),
        line("-"),
        json!({"name": "-", "quantity": 0, "amount": 0}),
    ]);
    (given, sent)
}

fn body(service: &Service) -> Value {
    let requests = service.requests();
    serde_json::from_str(requests.last().unwrap()["body"].as_str().unwrap()).unwrap()
}

#[wasm_bindgen_test]
async fn a_name_costs_no_order_and_numbers_arrive_exactly() {
    let service = Service::as_specified();
    let client = service.merchant_in("memory");
    let (given, expected) = refund();
    let cleaned = json!([
        "/lines/0/name",
        "/lines/2/name",
        "/lines/3/name",
        "/lines/4/name",
        "/lines/4/unit",
        "/displayNumber",
        "/payment"
    ]);
    let sent = to_value(&done(client.orders().send(to_js(&given), no_options())).await);
    assert_eq!(
        (&sent["state"], &sent["cleaned"]),
        (&json!("accepted"), &cleaned)
    );
    assert_eq!(body(&service), expected);
    // The page's own object is the page's.
    assert_eq!(given["lines"][0]["name"], "Coffee\r\nlarge");

    let options = with(
        &json!({"region": "IL", "ereceipt": false}),
        &[("print", &Function::new_no_args(""))],
    );
    let sold = to_value(&done(client.charge(to_js(&given), options)).await);
    assert_eq!(
        (&sold["state"], &sold["cleaned"]),
        (&json!("accepted"), &cleaned)
    );
    assert_eq!(body(&service), expected);

    let sent = to_value(&done(client.orders().send(to_js(&expected), no_options())).await);
    assert_eq!(sent.get("cleaned"), None);
}

/// As a till leaves it that cuts names by code units.
#[wasm_bindgen_test]
async fn half_of_an_emoji_costs_no_order() {
    let service = Service::as_specified();
    let client = service.merchant_in("memory");
    let half = order("A-1").to_string().replace("Bread", r"Bread \ud83e");
    let sent = client
        .orders()
        .send(JSON::parse(&half).unwrap(), no_options());
    assert_eq!(
        to_value(&done(sent).await)["cleaned"],
        json!(["/lines/0/name"])
    );
    assert_eq!(body(&service)["lines"][0]["name"], "Bread \u{fffd}");
}

#[wasm_bindgen_test]
async fn a_name_costs_no_customer_and_no_profile() {
    let service = Service::as_specified();
    let client = service.merchant_in("memory");
    let list = json!([
        {"externalId": "c-1", "name": "Dana"},
        {"externalId": "c-2", "name": "Avi\tCohen", "email": "avi@example.com\r"},
        {"externalId": "c-3", "deleted": true},
    ]);
    let results = to_value(&done(client.customers().send(to_js(&list), no_options())).await);
    let cleaned: Vec<Option<&Value>> = (0..3).map(|at| results[at].get("cleaned")).collect();
    assert_eq!(cleaned, [None, Some(&json!(["/name", "/email"])), None]);
    let expected = json!({"externalId": "c-2", "name": "Avi Cohen", "email": "avi@example.com"});
    assert_eq!(body(&service)["customers"][1], expected);

    let patch = json!({"name": "Corner\nBakery", "phone": null, "address": {"street": "1 Market St\nFloor 2"}});
    let result = to_value(&done(client.store().update(to_js(&patch), no_options())).await);
    assert_eq!(result["cleaned"], json!(["/name", "/address/street"]));
    assert_eq!(result["profile"]["name"], "Corner Bakery");
    assert_eq!(body(&service)["address"]["street"], "1 Market St Floor 2");
}
