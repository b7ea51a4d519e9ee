//! Bodies that nobody would send: never a 500, and always the member's name.

use crate::both::orders::{order, with_body};
use crate::world::World;
use pos_connect_service::Settings;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Map, Value, json};

/// Anything that JSON can say, and numbers at the edges of what an amount may be.
fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        prop_oneof![Just(i64::MIN), Just(i64::MAX), Just(0), Just(-1)].prop_map(Value::from),
        Just(json!(9_223_372_036_854_775_808_u64)),
        any::<f64>().prop_map(Value::from),
        ".{0,40}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((".{0,8}", inner), 0..4)
                .prop_map(|members| Value::from(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// A good body with one member, anywhere in it, in whose place something else stands.
fn spoiled(good: &Value, path: &[&str], value: Value) -> Value {
    let mut body = good.clone();
    let mut place = &mut body;
    for name in path {
        place = match name.parse::<usize>() {
            Ok(at) => &mut place[at],
            Err(_) => &mut place[*name],
        };
    }
    *place = value;
    body
}

#[tokio::test]
async fn no_body_is_a_fault_of_the_service() {
    // More calls than a till would send.
    let settings = Settings {
        operations_per_second: 100_000,
        ..Settings::default()
    };
    let world = World::with(settings).await;
    let access = world.access().await;
    let mut good_order = order("1");
    good_order["ereceipt"] =
        json!({"phone": "+972502345678", "consent": {"id": "c", "locale": "en"}});
    let customers = json!({"customers": [{"externalId": "c", "name": "n", "phone": "+972502345678", "email": "a@b"}]});
    let profile = json!({
        "name": "n", "address": {"street": "s", "city": "c", "country": "IL"}, "phone": "123",
        "website": "https://x.example",
        "openingHours": [{"days": ["monday"], "opens": "07:00", "closes": "15:00"}],
    });
    let places: [(&str, &str, Value, &[&[&str]]); 3] = [
        (
            "POST",
            "/v1/orders",
            good_order,
            &[
                &[],
                &["externalId"],
                &["time"],
                &["currency"],
                &["total"],
                &["tax"],
                &["lines"],
                &["lines", "0"],
                &["lines", "0", "name"],
                &["lines", "0", "unitPrice"],
                &["lines", "0", "amount"],
                &["lines", "1", "quantity"],
                &["customer"],
                &["customer", "externalId"],
                &["ereceipt"],
                &["ereceipt", "phone"],
                &["ereceipt", "consent"],
                &["ereceipt", "consent", "id"],
                &["ereceipt", "consent", "locale"],
            ],
        ),
        (
            "POST",
            "/v1/customers",
            customers,
            &[
                &[],
                &["customers"],
                &["customers", "0"],
                &["customers", "0", "externalId"],
                &["customers", "0", "name"],
                &["customers", "0", "email"],
                &["customers", "0", "phone"],
            ],
        ),
        (
            "PATCH",
            "/v1/store",
            profile,
            &[
                &[],
                &["name"],
                &["address"],
                &["address", "street"],
                &["address", "city"],
                &["address", "country"],
                &["phone"],
                &["website"],
                &["openingHours"],
                &["openingHours", "0", "days"],
                &["openingHours", "0", "opens"],
                &["openingHours", "0", "closes"],
            ],
        ),
    ];
    let mut runner = TestRunner::deterministic();
    let mut refused = 0;
    for (method, path, good, members) in places {
        for member in members {
            for _ in 0..40 {
                let value = anything().new_tree(&mut runner).unwrap().current();
                let body = spoiled(&good, member, value);
                let answer = world.send(with_body(method, path, &access, &body)).await;
                let status = answer.status;
                assert!(
                    matches!(status, 200 | 409 | 422),
                    "{status} to {body}: {}",
                    answer.body
                );
                if status == 422 {
                    refused += 1;
                    let pointer = answer.json()["pointer"].as_str().map(str::to_owned);
                    let expected = member
                        .iter()
                        .map(|name| format!("/{name}"))
                        .collect::<String>();
                    let names = pointer
                        .as_deref()
                        .is_some_and(|pointer| pointer.starts_with(&expected));
                    assert!(names, "{body}: {}", answer.body);
                }
            }
        }
    }
    assert!(refused > 500, "only {refused} were refused");
}
