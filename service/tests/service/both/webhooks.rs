//! Text messages to a receiver of the operator's: signed, at least once, and a dead letter at last.

use crate::both::orders::with_body;
use crate::both::receipts::{PHONE, with_ereceipt};
use crate::world::World;
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use pos_connect_foundation::values;
use pos_connect_service::message::{Destination, Outlet};
use pos_connect_service::server::Server;
use pos_connect_service::store::Act;
use serde_json::{Value, json};
use sha2::Sha256;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;

pub const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const BASE: &str = "https://auth.example";

/// What was received, and how the next calls are answered; then with 204.
#[derive(Default)]
struct Seen {
    calls: Vec<(HeaderMap, Vec<u8>)>,
    statuses: Vec<u16>,
    /// For `Retry-After` of all others than 2xx.
    wait: Option<&'static str>,
}

#[derive(Clone, Default)]
pub struct Receiver {
    seen: Arc<Mutex<Seen>>,
    url: String,
}

impl Receiver {
    pub async fn start(statuses: &[u16]) -> Self {
        let server = Server::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
        let receiver = Self {
            url: format!("{}/messages", server.url()),
            ..Self::default()
        };
        receiver.seen.lock().unwrap().statuses = statuses.to_vec();
        let router = Router::new()
            .route("/{*rest}", post(receive))
            .with_state(receiver.clone());
        let (stop, stopped) = watch::channel(false);
        tokio::spawn(async move {
            let _stop = stop;
            server.run(router, stopped).await;
        });
        receiver
    }

    pub fn outlet(&self) -> Outlet {
        let destination = Destination::parse(&format!("webhook:{}", self.url)).unwrap();
        Outlet::open(&destination, Some(SECRET)).ok().unwrap()
    }

    /// From now on it asks to wait.
    pub fn ask_to_wait(&self, wait: &'static str) {
        self.seen.lock().unwrap().wait = Some(wait);
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn calls(&self) -> Vec<(HeaderMap, Vec<u8>)> {
        self.seen.lock().unwrap().calls.clone()
    }
}

async fn receive(State(receiver): State<Receiver>, headers: HeaderMap, body: Bytes) -> Response {
    let mut seen = receiver.seen.lock().unwrap();
    seen.calls.push((headers, body.to_vec()));
    if seen.statuses.is_empty() {
        return StatusCode::NO_CONTENT.into_response();
    }
    let status = StatusCode::from_u16(seen.statuses.remove(0)).unwrap();
    if status == StatusCode::OK {
        return "x".repeat(4 << 20).into_response();
    }
    // Whoever followed it would be seen.
    let mut response = (status, [(header::LOCATION, "/messages/elsewhere")]).into_response();
    let wait = seen.wait.map(HeaderValue::from_static);
    let wait = wait.map(|wait| (header::RETRY_AFTER, wait));
    response.headers_mut().extend(wait);
    response
}

/// A world with one message that waits.
async fn waiting() -> (World, String) {
    let (world, access) = World::connected().await;
    let order = with_body("POST", "/v1/orders", &access, &with_ereceipt("1041", "en"));
    assert_eq!(world.send(order).await.status, 200);
    (world, access)
}

pub async fn deliver(world: &World, outlet: &Outlet) {
    world.service.deliver_due(outlet, BASE).await.unwrap();
}

#[tokio::test]
async fn a_message_is_signed_and_says_whom_to_send_what() {
    let (world, _) = waiting().await;
    let receiver = Receiver::start(&[]).await;
    deliver(&world, &receiver.outlet()).await;
    deliver(&world, &receiver.outlet()).await;
    let (headers, body) = receiver.calls().remove(0);
    assert_eq!(receiver.calls().len(), 1);
    let event: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(event["type"], "receipt.message");
    assert_eq!(
        (&event["data"]["to"], &event["data"]["locale"]),
        (&json!(PHONE), &json!("en"))
    );
    let text = event["data"]["text"].as_str().unwrap();
    assert!(text.contains("https://auth.example/r/"), "{text}");
    let header = |name: &str| headers[name].to_str().unwrap().to_owned();
    assert_eq!(header("content-type"), "application/json");
    let (id, time) = (header("webhook-id"), header("webhook-timestamp"));
    let signed = signature(SECRET, &id, &time, &body);
    assert_eq!(header("webhook-signature"), signed);
}

/// As a receiver checks it.
pub fn signature(secret: &str, id: &str, time: &str, body: &[u8]) -> String {
    let key = BASE64_STANDARD.decode(&secret["whsec_".len()..]).unwrap();
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
    mac.update(format!("{id}.{time}.").as_bytes());
    mac.update(body);
    format!("v1,{}", BASE64_STANDARD.encode(mac.finalize().into_bytes()))
}

#[tokio::test]
async fn a_receiver_that_fails_gets_the_same_message_again() {
    let (world, _) = waiting().await;
    let receiver = Receiver::start(&[500, 410, 302, 429]).await;
    let outlet = receiver.outlet();
    for calls in 1..=5 {
        deliver(&world, &outlet).await;
        // Not at once.
        deliver(&world, &outlet).await;
        assert_eq!(receiver.calls().len(), calls);
        world.pass(Duration::from_secs(3600));
    }
    deliver(&world, &outlet).await;
    let calls = receiver.calls();
    assert_eq!(calls.len(), 5, "a redirect is not followed");
    assert!(
        calls
            .iter()
            .all(|(headers, _)| headers["webhook-id"] == calls[0].0["webhook-id"])
    );
    assert!(world.service.store.undelivered().await.unwrap().is_empty());
}

/// Not for a message that comes meanwhile, either.
#[tokio::test]
async fn a_receiver_that_asks_to_wait_is_left_alone() {
    let (world, access) = waiting().await;
    let receiver = Receiver::start(&[429]).await;
    receiver.ask_to_wait("3600");
    let outlet = receiver.outlet();
    deliver(&world, &outlet).await;
    let order = with_body("POST", "/v1/orders", &access, &with_ereceipt("1042", "en"));
    assert_eq!(world.send(order).await.status, 200);
    for pause in [0, 60, 3539] {
        world.pass(Duration::from_secs(pause));
        deliver(&world, &outlet).await;
        assert_eq!(receiver.calls().len(), 1);
    }
    let left = world.service.store.undelivered().await.unwrap();
    let why = "the receiver answered 429, and asks to wait for 3600 s";
    assert!(
        left.iter().any(|left| left.failure.as_deref() == Some(why)),
        "{left:?}"
    );
    // One that did not hear it does not ask again for the message that was refused.
    deliver(&world, &receiver.outlet()).await;
    assert_eq!(receiver.calls().len(), 2);
    world.pass(Duration::from_secs(1));
    deliver(&world, &outlet).await;
    assert_eq!(receiver.calls().len(), 3);
}

#[tokio::test]
async fn after_three_days_it_is_a_dead_letter_that_can_be_sent_again_or_dropped() {
    let (world, access) = waiting().await;
    let receiver = Receiver::start(&[503; 160]).await;
    let outlet = receiver.outlet();
    let exhaust = async || {
        for _ in 0..90 {
            deliver(&world, &outlet).await;
            world.pass(Duration::from_secs(3601));
        }
    };
    exhaust().await;
    assert_eq!(receiver.calls().len(), 80);
    let state = async |access: &str| {
        let call = crate::http::Call::new("GET", "/v1/orders/1041");
        let call = call.header("Authorization", format!("Bearer {access}"));
        world.send(call).await.json()["ereceipt"].clone()
    };
    let fresh = world.access().await;
    drop(access);
    assert_eq!(state(&fresh).await, "failed");
    let store = &world.service.store;
    let listed = store.undelivered().await.unwrap();
    assert_eq!(
        (listed.len(), listed[0].attempts, &*listed[0].state),
        (1, 80, "failed")
    );
    assert_eq!(
        listed[0].failure.as_deref(),
        Some("the receiver answered 503")
    );
    assert!(
        !serde_json::to_string(&listed)
            .unwrap()
            .contains("502345678")
    );
    let (id, now) = (listed[0].id.clone(), world.service.clock.now());
    assert!(
        store
            .retry_message(id.clone(), Act::operator(now))
            .await
            .unwrap()
    );
    exhaust().await;
    assert_eq!(receiver.calls().len(), 160);
    assert!(
        store
            .retry_message(id.clone(), world.operator())
            .await
            .unwrap()
    );
    deliver(&world, &outlet).await;
    assert_eq!(receiver.calls().len(), 161);
    assert!(store.undelivered().await.unwrap().is_empty());
    assert!(
        !store
            .retry_message(id.clone(), Act::operator(now))
            .await
            .unwrap(),
        "it is delivered"
    );
    assert!(!store.drop_message(id, world.operator()).await.unwrap());
}

#[tokio::test]
async fn what_is_dropped_is_erased() {
    let (world, access) = waiting().await;
    let receiver = Receiver::start(&[503]).await;
    let outlet = receiver.outlet();
    deliver(&world, &outlet).await;
    let store = &world.service.store;
    let id = store.undelivered().await.unwrap()[0].id.clone();
    assert!(
        store
            .drop_message(id.clone(), world.operator())
            .await
            .unwrap()
    );
    assert!(store.undelivered().await.unwrap().is_empty());
    world.pass(Duration::from_secs(3600));
    deliver(&world, &outlet).await;
    assert_eq!(receiver.calls().len(), 1);
    assert!(!store.retry_message(id, world.operator()).await.unwrap());
    let _ = access;
}

#[tokio::test]
async fn nobody_there_is_a_reason_without_an_address() {
    let (world, _) = waiting().await;
    let receiver = Receiver {
        url: "http://127.0.0.1:9/messages?key=hunter2".into(),
        ..Receiver::default()
    };
    deliver(&world, &receiver.outlet()).await;
    let failure = world.service.store.undelivered().await.unwrap()[0]
        .failure
        .clone()
        .unwrap();
    assert!(
        failure.starts_with("the receiver was not reached"),
        "{failure}"
    );
    assert!(
        !failure.contains("hunter2") && !failure.contains("502345678"),
        "{failure}"
    );
}

/// It has said that it has the message.
#[tokio::test]
async fn the_body_of_a_receivers_2xx_does_not_matter() {
    let (world, _) = waiting().await;
    let receiver = Receiver::start(&[200]).await;
    deliver(&world, &receiver.outlet()).await;
    assert!(world.service.store.undelivered().await.unwrap().is_empty());
}

/// Or a shopper gets it again and again, while a full disk lets nobody note that it was sent.
#[tokio::test]
async fn an_attempt_is_counted_before_it_is_made_and_ends_with_the_service() {
    let (world, _) = waiting().await;
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("webhook:http://{}/", silent.local_addr().unwrap());
    let destination = Destination::parse(&url).unwrap();
    let outlet = Outlet::open(&destination, Some(SECRET)).ok().unwrap();
    let (stop, stopped) = watch::channel(false);
    let delivering = tokio::spawn(world.service.clone().deliver(outlet, BASE.into(), stopped));
    let _connection = silent.accept().await.unwrap();
    let left = world.service.store.undelivered().await.unwrap();
    assert_eq!((left.len(), left[0].attempts), (1, 1));
    assert!(left[0].due_at.as_deref() > Some(&*world.now().to_string()));
    stop.send(true).unwrap();
    delivering.await.unwrap();
    let left = world.service.store.undelivered().await.unwrap();
    assert_eq!(left[0].failure, None, "it ends in the middle of an attempt");
}

#[tokio::test]
async fn one_that_cannot_be_read_holds_up_no_other() {
    let (world, access) = waiting().await;
    assert_eq!(world.damage_messages().await, 1);
    let order = with_body("POST", "/v1/orders", &access, &with_ereceipt("1042", "en"));
    assert_eq!(world.send(order).await.status, 200);
    let receiver = Receiver::start(&[]).await;
    deliver(&world, &receiver.outlet()).await;
    assert_eq!(receiver.calls().len(), 1);
    let left = world.service.store.undelivered().await.unwrap();
    assert_eq!((left.len(), &*left[0].state), (1, "failed"));
}

#[tokio::test]
async fn a_clock_that_was_set_back_delays_no_message() {
    let (world, _) = waiting().await;
    let later = "UPDATE message SET due_at = due_at + 2592000000";
    assert_eq!(world.change(later, values![]).await, 1);
    let receiver = Receiver::start(&[]).await;
    deliver(&world, &receiver.outlet()).await;
    assert_eq!(receiver.calls().len(), 1);
}

/// The till repeats what was accepted and not answered; the merchant has switched e-receipts off meanwhile.
#[tokio::test]
async fn an_accepted_order_stays_accepted_whatever_the_merchant_allows_later() {
    let (world, _) = waiting().await;
    let access = world.access_of(0).await;
    let order = with_body("POST", "/v1/orders", &access, &with_ereceipt("1041", "en"));
    let again = world.send(order).await;
    assert_eq!(
        (again.status, again.header("idempotent-replayed")),
        (200, Some("true"))
    );
    let other = with_body("POST", "/v1/orders", &access, &with_ereceipt("1042", "en"));
    assert_eq!(world.send(other).await.code(), "ereceipt_not_enabled");
}
