//! Nothing that a till sends is in plain in the database, and only the right key opens it.

use crate::both::orders::{keyed, order, with_body};
use crate::world::World;
use pos_connect_service::Service;
use pos_connect_service::token::Kind;
use rusqlite::Connection;
use serde_json::json;

/// A till's customer id may be a phone number: nothing of an order, a customer or an answer is in plain.
#[tokio::test]
async fn what_a_till_sends_is_sealed_at_rest() {
    let world = World::on_sqlite().await;
    let access = world.access().await;
    let sent = world
        .send(keyed(&access, "key-in-plain", &order("order-in-plain")))
        .await;
    assert_eq!(sent.status, 200);
    let customer = json!({"customers": [{"externalId": "id-in-plain", "name": "Dana", "phone": "+972502345678"}]});
    let sent = world
        .send(with_body("POST", "/v1/customers", &access, &customer))
        .await;
    assert_eq!(sent.status, 200);
    let folder = world.folder.clone();
    let database = Connection::open(folder.path().join("test.db")).unwrap();
    database
        .execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")
        .unwrap();
    let mut bytes = Vec::new();
    for file in std::fs::read_dir(folder.path()).unwrap() {
        bytes.extend(std::fs::read(file.unwrap().path()).unwrap());
    }
    let holds = |text: &str| {
        bytes
            .windows(text.len())
            .any(|window| window == text.as_bytes())
    };
    assert!(holds("Market Street"), "the search finds what is there");
    for text in [
        "order-in-plain",
        "key-in-plain",
        "id-in-plain",
        "972502345678",
        "Dana",
        "לחם",
    ] {
        assert!(!holds(text), "{text} is in the database");
    }
}

#[tokio::test]
async fn another_key_is_noticed_at_the_start() {
    let world = World::new().await;
    let file = world.folder.path().join("test.db.key");
    let made = std::fs::metadata(&file).unwrap();
    #[cfg(unix)]
    assert_eq!(
        std::os::unix::fs::PermissionsExt::mode(&made.permissions()) & 0o777,
        0o600
    );
    assert_eq!(made.len(), 54);
    std::fs::write(&file, Kind::Storage.mint()).unwrap();
    let clock = world.service.clock.clone();
    let settings = world.service.settings.clone();
    let opened = Service::open(&world.folder.database(), settings, clock).await;
    let error = opened.err().unwrap().to_string();
    assert!(error.contains("another storage key"), "{error}");
}
