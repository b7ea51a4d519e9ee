use super::*;
use crate::ProblemCode;
use serde_json::{Value, json};

/// Which member is not what it must be.
fn invalid(body: Value) -> String {
    let fault = read(body).unwrap_err();
    assert_eq!(fault.code, ProblemCode::InvalidMember);
    assert!(!fault.rule.is_empty());
    fault.pointer
}

fn read(body: Value) -> Result<Order, BodyFault> {
    Order::read(&serde_json::from_value(body).unwrap())
}

fn full() -> Value {
    json!({
        "externalId": "1041", "time": "2026-11-23T10:30:00+02:00", "currency": "ILS", "total": 1191, "tax": 173,
        "lines": [{"name": "Sourdough", "quantity": 1, "unitPrice": 1191, "amount": 1191}],
        "customer": {"externalId": "c-7"},
        "ereceipt": {
            "phone": "+972502345678",
            "consent": {"id": "ereceipt-1", "text": "Only for this.", "locale": "he", "at": "2026-11-23T08:30:00Z"},
        },
    })
}

#[test]
fn an_external_id_is_one_segment() {
    for id in ["1041", "a/b c", "ש%", "...", "?#"] {
        let path = path_of(id);
        assert_eq!(external_id_in(&path).as_deref(), Some(id), "{path}");
        assert!(path.is_ascii() && !path[11..].contains('/'), "{path}");
    }
    for path in [
        "",
        "/v1/orders",
        "/v1/orders/",
        "/v1/orders/a/b",
        "/v1/orders/100%",
        "/v1/orders/..",
        "/v1/orders/%2e%2E",
        "/v1/orders/.",
        "/v1/orders/%zz",
        "/v1/orders/%4",
        "/v1/orders/%ff",
    ] {
        assert_eq!(external_id_in(path), None, "{path}");
    }
}

#[test]
fn a_number_is_never_shown() {
    let shown = format!("{:?}", read(full()).unwrap());
    assert!(
        shown.contains("ereceipt-1") && !shown.contains("50234"),
        "{shown}"
    );
}

#[cfg(feature = "sealed")]
#[test]
fn a_sealed_number_stands_in_the_place_of_a_plain_one() {
    let sealed = json!({"keyId": "k", "enc": "BPE", "ciphertext": "c2U"});
    let mut body = full();
    body["ereceipt"]["sealed"] = sealed.clone();
    assert_eq!(invalid(body.clone()), "/ereceipt/phone");
    body["ereceipt"].as_object_mut().unwrap().remove("phone");
    let read_back = serde_json::to_value(read(body.clone()).unwrap()).unwrap();
    assert_eq!(read_back, body);
    for name in ["keyId", "enc", "ciphertext"] {
        let mut body = body.clone();
        body["ereceipt"]["sealed"][name] = json!("x".repeat(129));
        assert_eq!(invalid(body), format!("/ereceipt/sealed/{name}"));
    }
    body["ereceipt"]["sealed"]["phone"] = json!("+972502345678");
    assert_eq!(read(body).unwrap_err().pointer, "/ereceipt/sealed/phone");
}

#[test]
fn it_is_written_as_it_was_read() {
    let order = read(full()).unwrap();
    assert_eq!(serde_json::to_value(order).unwrap(), full());
    for edge in [i64::MIN, -1, 0, i64::MAX] {
        let mut body = full();
        body["total"] = edge.into();
        body["lines"][0]["amount"] = edge.into();
        let order = read(body).unwrap();
        assert_eq!((order.total, order.lines[0].amount), (edge, edge));
    }
}

#[test]
fn each_member_is_checked() {
    for (name, wrong) in [
        ("externalId", json!("x".repeat(201))),
        ("externalId", json!(1041)),
        ("externalId", json!("..")),
        ("displayNumber", json!("")),
        ("displayNumber", json!("1".repeat(41))),
        ("refundOf", json!("")),
        ("refundOf", json!(1041)),
        ("time", json!("2026-11-23")),
        ("time", json!(1_795_257_000)),
        ("currency", json!("ils")),
        ("currency", json!("שקל")),
        ("total", json!("1191")),
        ("total", json!(11.91)),
        ("total", json!(9_223_372_036_854_775_808_u64)),
        ("tax", json!("0")),
        ("payment", json!("")),
        ("payment", json!("p".repeat(41))),
        ("payment", json!("Visa 4242 4242 4242 4242")),
        ("payment", json!("ויזה ٤٢٤٢ ٤٢٤٢ ٤٢٤٢")),
        ("lines", json!([])),
        ("lines", json!({})),
        ("customer", json!("c-7")),
        ("ereceipt", json!(true)),
    ] {
        let mut body = full();
        body[name] = wrong.clone();
        assert_eq!(invalid(body), format!("/{name}"), "{name}: {wrong}");
    }
    for (name, wrong) in [
        ("name", json!("")),
        ("quantity", json!(0.3555)),
        ("unit", json!("")),
        ("unit", json!("k".repeat(21))),
        ("unitPrice", json!(true)),
        ("amount", json!([])),
    ] {
        let mut body = full();
        body["lines"][0][name] = wrong;
        assert_eq!(invalid(body), format!("/lines/0/{name}"), "{name}");
    }
}

#[test]
fn what_must_be_there_and_what_must_not() {
    for name in ["externalId", "time", "currency", "total", "lines"] {
        let mut body = full();
        body.as_object_mut().unwrap().remove(name);
        let fault = read(body).unwrap_err();
        assert_eq!(
            (fault.code, fault.pointer),
            (ProblemCode::MissingMember, format!("/{name}"))
        );
    }
    for (name, wrong) in [
        ("id", json!("")),
        ("at", json!("today")),
        ("locale", json!(1)),
        ("text", json!("")),
    ] {
        let mut body = full();
        body["ereceipt"]["consent"][name] = wrong;
        assert_eq!(invalid(body), format!("/ereceipt/consent/{name}"), "{name}");
    }
    for name in ["phone", "consent"] {
        let mut body = full();
        body["ereceipt"].as_object_mut().unwrap().remove(name);
        assert_eq!(read(body).unwrap_err().pointer, format!("/ereceipt/{name}"));
    }
    for name in ["tax", "customer", "ereceipt"] {
        let mut body = full();
        body.as_object_mut().unwrap().remove(name);
        assert!(read(body).is_ok(), "{name}");
    }
    let mut body = full();
    body["lines"][0]["ammount"] = 1.into();
    let fault = read(body).unwrap_err();
    assert_eq!(
        (fault.code, &*fault.pointer),
        (ProblemCode::UnknownMember, "/lines/0/ammount")
    );
}

#[test]
fn a_link_of_the_till_stands_in_the_place_of_a_number() {
    let mut body = full();
    body["ereceipt"] = json!({"linkHash": "A".repeat(43), "locale": "he-IL"});
    let order = read(body.clone()).unwrap();
    assert_eq!(order.ereceipt.as_ref().unwrap().locale(), Some("he-IL"));
    assert_eq!(
        serde_json::to_value(&order).unwrap()["ereceipt"],
        body["ereceipt"]
    );
    for beside in ["phone", "consent"] {
        let mut body = body.clone();
        body["ereceipt"][beside] = full()["ereceipt"][beside].clone();
        let fault = read(body).unwrap_err();
        assert_eq!(
            (fault.code, fault.pointer),
            (ProblemCode::UnknownMember, format!("/ereceipt/{beside}"))
        );
    }
    body["ereceipt"]["linkHash"] = "A".repeat(44).into();
    assert_eq!(invalid(body), "/ereceipt/linkHash");
}

#[test]
fn the_longest_order_is_read() {
    let mut body = full();
    body["externalId"] = "é".repeat(LONGEST_ID).into();
    let line = body["lines"][0].clone();
    body["lines"] = vec![line.clone(); MAX_LINES].into();
    assert!(read(body.clone()).is_ok());
    body["lines"].as_array_mut().unwrap().push(line);
    assert_eq!(invalid(body), "/lines");
}

/// The page that tells a vendor's developer what to send.
const PAGE: &str = include_str!("../../../docs/orders.md");

/// The JSON examples of the page, in their order: a sale, a refund, customers, a profile.
fn examples() -> Vec<Json> {
    let blocks = PAGE.split("```json\n").skip(1);
    let texts = blocks.map(|block| block.split("```").next().unwrap());
    texts
        .map(|text| serde_json::from_str(text).unwrap())
        .collect()
}

#[test]
fn the_examples_of_the_page_are_read() {
    let [sale, refund, customers, profile] = &examples()[..] else {
        panic!("four examples");
    };
    assert!(Order::read(sale).is_ok());
    assert!(Order::read(refund).is_ok());
    let changes = crate::customer::read(customers).unwrap();
    assert!(changes.iter().all(Result::is_ok));
    assert!(crate::store::StoreProfile::read(profile).is_ok());
}

#[test]
fn the_page_has_every_member_of_an_order() {
    let orders: Vec<Value> = examples()[..2]
        .iter()
        .map(|order| serde_json::to_value(order).unwrap())
        .collect();
    let lines = orders
        .iter()
        .flat_map(|order| order["lines"].as_array().unwrap());
    let names = |value| Value::as_object(value).unwrap().keys();
    let of_orders: Vec<&String> = orders.iter().flat_map(names).collect();
    let of_lines: Vec<&String> = lines.flat_map(names).collect();
    let rows = PAGE
        .lines()
        .skip_while(|line| *line != "| member | meaning |")
        .skip(2);
    let rows = rows.take_while(|line| line.starts_with('|'));
    let cells = rows.map(|row| row.split('|').nth(1).unwrap());
    let told: Vec<String> = cells
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .map(str::to_owned)
        .collect();
    for name in &of_orders {
        assert!(told.contains(name), "no row for {name}");
    }
    for name in &told {
        assert!(
            of_orders.contains(&name) || of_lines.contains(&name),
            "there is no {name}"
        );
    }
}

#[test]
fn the_page_has_the_codes_with_their_statuses() {
    use ProblemCode as Code;
    for code in [
        Code::MalformedRequest,
        Code::InvalidIdempotencyKey,
        Code::MissingToken,
        Code::InvalidToken,
        Code::EreceiptNotEnabled,
        Code::OrderNotFound,
        Code::OrderExists,
        Code::ContentTooLarge,
        Code::TooManyItems,
        Code::UnsupportedMediaType,
        Code::MissingMember,
        Code::UnknownMember,
        Code::RepeatedMember,
        Code::InvalidMember,
        Code::UnknownSealingKey,
        Code::TooManyMessages,
        Code::IdempotencyKeyReused,
        Code::SlowDown,
        Code::StorageQuota,
    ] {
        let row = PAGE.lines().find(|line| {
            line.starts_with(&format!("| {} |", code.status())) && line.contains(code.as_str())
        });
        assert!(row.is_some(), "{code:?}");
    }
}
