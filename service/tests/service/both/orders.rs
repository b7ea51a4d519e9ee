//! `POST /v1/orders` and `GET /v1/orders/{externalId}`: accepted once, whoever sends it how often.

use crate::both::receipts::with_ereceipt;
use crate::http::{Answer, Call};
use crate::tokens::Pair;
use crate::world::{EMAIL, TILL, World};
use pos_connect_service::Settings;
use serde_json::{Value, json};
use std::time::Duration;

pub const ORDERS: &str = "/v1/orders";

pub const JSON: &str = "application/json";

pub fn order(id: &str) -> Value {
    json!({
        "externalId": id, "time": "2026-11-23T10:30:00+02:00", "currency": "ILS", "total": 1191, "tax": 173,
        "lines": [
            {"name": "לחם", "quantity": 2, "unitPrice": 595, "amount": 1190},
            {"name": "Bag", "quantity": 1, "amount": 1},
        ],
        "customer": {"externalId": "+972502345678"},
    })
}

/// A call with an access token and a JSON body.
pub fn with_body(method: &str, path: &str, access: &str, body: &Value) -> Call {
    Call::new(method, path)
        .header("Authorization", format!("Bearer {access}"))
        .header("Content-Type", JSON)
        .body(body.to_string())
}

pub fn post(access: &str, body: &Value) -> Call {
    with_body("POST", ORDERS, access, body)
}

pub fn keyed(access: &str, key: &str, body: &Value) -> Call {
    post(access, body).header("Idempotency-Key", key)
}

impl World {
    /// With an access token of the merchant's first store.
    pub async fn connected() -> (Self, String) {
        let world = Self::new().await;
        let access = world.access().await;
        (world, access)
    }

    async fn order(&self, access: &str, id: &str) -> Answer {
        let call = Call::new("GET", format!("{ORDERS}/{id}"));
        self.send(call.header("Authorization", format!("Bearer {access}")))
            .await
    }

    /// The tokens of a till of this store.
    pub async fn access(&self) -> String {
        self.picked_up().await.2.access
    }

    /// The tokens of a till of one of the merchant's stores, without e-receipts.
    pub async fn access_of(&self, number: usize) -> String {
        let token = self.create().await;
        assert!(self.consent(EMAIL, number, false, &token).await);
        Pair::of(&self.token(&token).await).access
    }
}

pub fn replayed(answer: &Answer) -> bool {
    answer.header("idempotent-replayed") == Some("true")
}

#[tokio::test]
async fn an_order_is_accepted_and_given_back() {
    let (world, access) = World::connected().await;
    let accepted = world.send(keyed(&access, "k-1", &order("1041"))).await;
    assert_eq!(accepted.status, 200, "{}", accepted.body);
    assert!(!replayed(&accepted));
    let expected =
        json!({"success": true, "order": order("1041"), "receivedAt": world.now().to_string()});
    assert_eq!(accepted.json(), expected);
    assert_eq!(world.order(&access, "1041").await.body, accepted.body);
    let unknown = world.order(&access, "1042").await;
    assert_eq!(
        (unknown.status, unknown.code().as_str()),
        (404, "order_not_found")
    );
    let odd = json!("a/b ש%").as_str().unwrap().to_owned();
    assert_eq!(world.send(post(&access, &order(&odd))).await.status, 200);
    let found = world.order(&access, "a%2Fb%20%D7%A9%25").await;
    assert_eq!(found.json()["order"]["externalId"], odd);
    assert_eq!(
        world.order(&access, "a%2").await.code(),
        "malformed_request"
    );
}

#[tokio::test]
async fn a_refund_of_weighed_goods_and_pieces_is_kept_and_shown() {
    let (world, access) = World::connected().await;
    let mut sale = order("0d9e");
    sale["displayNumber"] = "1041".into();
    assert_eq!(world.send_order(&access, &sale).await.status, 200);
    let mut refund = with_ereceipt("6a3f", "en");
    refund["displayNumber"] = "1042".into();
    refund["refundOf"] = "0d9e".into();
    refund["total"] = (-1448).into();
    refund["payment"] = "Visa <4242>".into();
    refund["lines"] = json!([
        {"name": "Olives", "quantity": -0.355, "unit": "kg", "unitPrice": 390, "amount": -138},
        {"name": "Bread", "quantity": -2, "unitPrice": 655, "amount": -1310},
        {"name": "Bag", "quantity": 3, "amount": 0},
    ]);
    let answer = world.send_order(&access, &refund).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let kept = world.order(&access, "6a3f").await.json();
    for name in ["displayNumber", "refundOf", "total", "payment", "lines"] {
        assert_eq!(kept["order"][name], refund[name]);
    }
    world.deliver().await;
    let page = world.open(&world.messages()[0]).await.body;
    for shown in [
        "<p>Order <bdi>1042</bdi></p>",
        "<p>Refund of order <bdi>1041</bdi></p>",
        "-0.355 × 3.90 / <bdi>kg</bdi>",
        "-1.38<",
        "-2 × 6.55<",
        "Quantity: <bdi dir=\"ltr\">3<",
        ">-₪14.48</bdi></p>",
        "<bdi>Visa &#60;4242&#62;</bdi></td>",
    ] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
}

#[tokio::test]
async fn the_same_call_again_is_the_same_call() {
    let (world, access) = World::connected().await;
    let first = world.send(keyed(&access, "k-1", &order("1041"))).await;
    world.pass(Duration::from_secs(60));
    // Another way of writing it is the same body.
    let spaced = serde_json::to_string_pretty(&order("1041")).unwrap();
    let again = Call::new("POST", ORDERS)
        .header("Authorization", format!("Bearer {access}"))
        .header("Content-Type", "application/json; charset=utf-8")
        .header("Idempotency-Key", "k-1")
        .body(spaced);
    for call in [
        keyed(&access, "k-1", &order("1041")),
        again,
        keyed(&access, "k-2", &order("1041")),
        post(&access, &order("1041")),
    ] {
        let answer = world.send(call).await;
        assert_eq!((answer.status, &answer.body), (200, &first.body));
        assert!(replayed(&answer));
    }
    let other = world.send(keyed(&access, "k-1", &order("1042"))).await;
    assert_eq!(
        (other.status, other.code().as_str()),
        (422, "idempotency_key_reused")
    );
    let mut changed = order("1041");
    changed["total"] = 1192.into();
    let exists = world.send(keyed(&access, "k-3", &changed)).await;
    assert_eq!(
        (exists.status, exists.code().as_str()),
        (409, "order_exists")
    );
    assert_eq!(exists.json()["pointer"], "/externalId");
    // What was refused is not kept: the key still serves.
    assert_eq!(
        world
            .send(keyed(&access, "k-3", &order("1043")))
            .await
            .status,
        200
    );
    assert_eq!(world.rows("store_order").await, 2);
}

#[tokio::test]
async fn a_key_is_kept_for_48_hours_and_an_order_for_good() {
    let world = World::new().await;
    let (_, _, pair) = world.picked_up().await;
    let first = world.send(keyed(&pair.access, "k-1", &order("1041"))).await;
    world.pass(Duration::from_secs(48 * 3600));
    let next = Pair::of(&world.refresh(&pair.refresh).await).access;
    let reused = world.send(keyed(&next, "k-1", &order("1042"))).await;
    assert_eq!(reused.status, 200, "its time is over: {}", reused.body);
    let again = world.send(keyed(&next, "k-9", &order("1041"))).await;
    assert_eq!(
        (again.body, world.rows("store_order").await),
        (first.body, 2)
    );
    assert_eq!(
        world.rows("repeatable_call").await,
        2,
        "in the place of what is over"
    );
    world.pass(Duration::from_secs(48 * 3600));
    world.service.purge(Duration::ZERO).await.unwrap();
    assert_eq!(world.rows("repeatable_call").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_clients_at_once_make_one_order() {
    let (world, access) = World::connected().await;
    for round in 0..10 {
        let id = format!("round-{round}");
        let calls = (0..50).map(|client| {
            let call = match client % 3 {
                0 => post(&access, &order(&id)),
                1 => keyed(&access, &id, &order(&id)),
                _ => keyed(&access, &format!("{id}-{client}"), &order(&id)),
            };
            tokio::spawn(call.send(world.address))
        });
        let calls: Vec<_> = calls.collect();
        let mut first = 0;
        let mut bodies = std::collections::HashSet::new();
        for call in calls {
            let answer = call.await.unwrap();
            assert_eq!(answer.status, 200, "{}", answer.body);
            first += usize::from(!replayed(&answer));
            bodies.insert(answer.body);
        }
        assert_eq!((first, bodies.len()), (1, 1));
    }
    assert_eq!(world.rows("store_order").await, 10);
}

#[tokio::test]
async fn an_order_outlives_the_process() {
    let (world, access) = World::connected().await;
    let first = world.send(keyed(&access, "k-1", &order("1041"))).await;
    let world = world.restart().await;
    let again = world.send(keyed(&access, "k-1", &order("1041"))).await;
    assert_eq!((&again.body, replayed(&again)), (&first.body, true));
    assert_eq!(world.order(&access, "1041").await.body, first.body);
}

#[tokio::test]
async fn only_a_live_token_of_the_right_page_counts() {
    let world = World::new().await;
    let (_, _, pair) = world.picked_up().await;
    for path in [ORDERS, "/v1/customers", "/v1/store"] {
        let method = if path == "/v1/store" { "PATCH" } else { "POST" };
        let call = |access: &str| with_body(method, path, access, &json!({}));
        let bare = Call::new(method, path)
            .header("Content-Type", JSON)
            .body("{}");
        assert_eq!(world.send(bare).await.code(), "missing_token");
        assert_eq!(world.send(call("pca_x")).await.code(), "invalid_token");
        let foreign = call(&pair.access).header("Origin", "https://other.example");
        assert_eq!(world.send(foreign).await.code(), "origin_not_allowed");
        let preflight = Call::new("OPTIONS", path).header("Origin", TILL);
        let preflight = world.send(preflight).await;
        assert_eq!(preflight.status, 204);
        assert_eq!(
            preflight.header("access-control-allow-headers"),
            Some("*, Authorization")
        );
        assert!(
            preflight
                .header("access-control-allow-methods")
                .unwrap()
                .contains(method)
        );
        assert_eq!(world.send(Call::new("PUT", path)).await.status, 405);
    }
    let page = post(&pair.access, &order("1")).header("Origin", TILL);
    let answer = world.send(page).await;
    assert_eq!(answer.status, 200);
    assert!(
        answer
            .header("access-control-expose-headers")
            .unwrap()
            .contains("Idempotent-Replayed")
    );
    assert_eq!(world.revoke(&pair.access).await.status, 200);
    assert_eq!(
        world.send(post(&pair.access, &order("2"))).await.code(),
        "invalid_token"
    );
}

#[tokio::test]
async fn a_store_that_sends_without_end_is_slowed_down_and_no_other() {
    let settings = Settings {
        operations_per_second: 2,
        ..Settings::default()
    };
    let world = World::with(settings).await;
    let access = world.access().await;
    for number in 0..20 {
        let answer = world.send(post(&access, &order(&number.to_string()))).await;
        assert_eq!(answer.status, 200, "{number}: {}", answer.body);
    }
    let customers = json!({"customers": [{"externalId": "c-1"}]});
    for late in [
        keyed(&access, "k", &order("20")),
        with_body("POST", "/v1/customers", &access, &customers),
    ] {
        let late = world.send(late).await;
        assert_eq!((late.status, late.code().as_str()), (429, "slow_down"));
        assert_eq!(late.header("retry-after"), Some("1"));
    }
    // Looking has its own measure, and so has the other store.
    for number in 0..20 {
        let looked = world.order(&access, &number.to_string()).await;
        assert_eq!(looked.status, 200, "{number}: {}", looked.body);
    }
    for late in [world.order(&access, "19").await, world.keys(&access).await] {
        assert_eq!((late.status, late.code().as_str()), (429, "slow_down"));
    }
    let harbor = world.access_of(1).await;
    assert_eq!(world.send(post(&harbor, &order("1"))).await.status, 200);
    world.pass(Duration::from_secs(1));
    assert_eq!(
        world.send(keyed(&access, "k", &order("20"))).await.status,
        200
    );
    assert_eq!(world.rows("store_order").await, 22);
}
