//! What a vendor's tills may store for a store.

use crate::both::orders::with_body;
use crate::http::{Answer, Call};
use crate::world::World;
use pos_connect_foundation::metrics;
use pos_connect_service::Settings;
use pos_connect_service::quota::StorageLimits;
use pos_connect_service::server::Server;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::sync::watch;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// The room of a store in bytes; an order of `order` takes a tenth of it.
const ROOM: u64 = 100_000;

async fn world(a_day: u64, in_all: u64) -> World {
    let storage = StorageLimits { a_day, in_all };
    World::with(Settings {
        storage,
        ..Settings::default()
    })
    .await
}

/// Some 10 KB.
fn order(number: usize) -> Value {
    let line = json!({"name": "x".repeat(150), "quantity": 1, "amount": 100});
    json!({
        "externalId": number.to_string(), "time": "2026-11-23T10:30:00+02:00", "currency": "ILS", "total": 100,
        "lines": vec![line; 50],
    })
}

/// Sends orders until one is refused; gives how many were not, and the refusal.
async fn fill(world: &World, access: &str, from: usize) -> (usize, Answer) {
    for number in 0..100 {
        let answer = world.send_order(access, &order(from + number)).await;
        if answer.status != 200 {
            return (number, answer);
        }
    }
    panic!("a hundred orders of 10 KB fit into {ROOM}");
}

async fn customers_of(world: &World, access: &str, list: &Value) -> Answer {
    world
        .send(with_body("POST", "/v1/customers", access, list))
        .await
}

fn is_over_quota(answer: &Answer) -> bool {
    (answer.status, &*answer.code()) == (429, "storage_quota")
}

/// What the metrics say of refusals. The tests of this program share them.
async fn refusals() -> u64 {
    let server = Server::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
    let url = server.url();
    let address = url.strip_prefix("http://").unwrap().parse().unwrap();
    let (_stop, stopped) = watch::channel(false);
    let served = server.run(metrics::router("", async || ()), stopped);
    let answer = Call::new("GET", "/metrics").elsewhere().send(address);
    let text = tokio::select! {
        answer = answer => answer.body,
        _ = served => unreachable!("nobody stops it"),
    };
    let counted = text
        .lines()
        .find_map(|line| line.strip_prefix("pos_connect_storage_refusals_total "));
    counted.unwrap().parse().unwrap()
}

/// As the running service does now and then, and when it stops.
pub async fn tended(world: &World) {
    let (stop, stopped) = watch::channel(false);
    let tending = tokio::spawn(world.service.clone().tend(stopped));
    stop.send(true).unwrap();
    tending.await.unwrap();
}

#[tokio::test]
async fn a_store_holds_so_much_a_day_and_another_store_its_own() {
    let world = world(ROOM, 100 * ROOM).await;
    let access = world.access().await;
    let counted = refusals().await;
    let (fitted, refused) = fill(&world, &access, 0).await;
    assert!((5..12).contains(&fitted), "{fitted}");
    assert!(is_over_quota(&refused), "{}", refused.body);
    assert!(refusals().await > counted, "the operator sees it");
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=24 * 3600).contains(&wait), "{wait}");
    let customers = json!({"customers": [{"externalId": "c", "name": "x".repeat(200)}]});
    let small = customers_of(&world, &access, &customers).await;
    assert_eq!(small.status, 200, "what still fits is taken");

    let elsewhere = world.access_of(1).await;
    let there = world.send_order(&elsewhere, &order(0)).await;
    assert_eq!(there.status, 200);

    world.pass(Duration::from_secs(wait));
    let access = world.access().await;
    let (again, refused) = fill(&world, &access, 100).await;
    assert!(again >= fitted && is_over_quota(&refused), "{again}");
}

#[tokio::test]
async fn a_store_holds_so_much_in_all_and_no_restart_forgets_it() {
    let world = world(100 * ROOM, ROOM).await;
    let access = world.access().await;
    let (fitted, refused) = fill(&world, &access, 0).await;
    assert!(is_over_quota(&refused), "{}", refused.body);
    assert!((5..12).contains(&fitted), "{fitted}");
    world.pass(2 * DAY);
    tended(&world).await;
    let world = world.restart().await;
    let access = world.access().await;
    assert!(is_over_quota(&world.send_order(&access, &order(100)).await));
}

/// A call that stores nothing new costs nothing: tills send an order again whose answer was lost.
#[tokio::test]
async fn what_comes_again_is_stored_once() {
    let world = world(ROOM, ROOM).await;
    let access = world.access().await;
    for _ in 0..100 {
        assert_eq!(world.send_order(&access, &order(0)).await.status, 200);
    }
    for number in 0..100 {
        let name = format!("{number}{}", "x".repeat(190));
        let customers = json!({"customers": vec![json!({"externalId": "c", "name": name}); 10]});
        let answer = customers_of(&world, &access, &customers).await;
        if answer.status != 200 {
            assert!(number > 5 && is_over_quota(&answer), "the day has an end");
            break;
        }
    }
    world.pass(DAY);
    let access = world.access().await;
    assert_eq!(world.send_order(&access, &order(1)).await.status, 200);
}

/// An order that comes again under another key stores that key's answer, and nothing else.
#[tokio::test]
async fn answers_that_are_kept_for_new_keys_have_an_end() {
    let world = world(ROOM, ROOM).await;
    let access = world.access().await;
    for number in 0..100 {
        let again = with_body("POST", "/v1/orders", &access, &order(0));
        let again = again.header("Idempotency-Key", number.to_string());
        let answer = world.send(again).await;
        if answer.status != 200 {
            assert!(number > 2 && is_over_quota(&answer), "{}", answer.body);
            return;
        }
    }
    panic!("a hundred answers of 10 KB fit into {ROOM}");
}
