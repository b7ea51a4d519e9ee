//! A relay with a fleet key, and its calls.

use crate::http::{Answer, Call};
use crate::rig::Rig;
use pos_connect_foundation::database::Database;
use pos_connect_foundation::values;
use pos_connect_relay::fleet_key;
use pos_connect_relay::store::{Opening, SCHEMA};
use std::sync::Arc;

pub const TILLS: &str = "/tills";
pub const BODY: &str = r#"{"merchant":"bakery","name":"Counter 1"}"#;

/// A rig with a fleet key: its ID and itself.
pub async fn fleet() -> (Arc<Rig>, String, String) {
    let rig = Rig::new().await;
    let (id, key) = another(&rig).await;
    (Arc::new(rig), id, key)
}

pub async fn another(rig: &Rig) -> (String, String) {
    let now = rig.relay.clock.now();
    let added = fleet_key::add(&rig.relay.store, "a server", now).await;
    let (added, key) = added.unwrap();
    (added.label, key)
}

pub fn adding(rig: &Rig, key: &str, request: &str, body: impl Into<Vec<u8>>) -> Call {
    let call = rig.call(key, "POST", TILLS);
    call.header("Idempotency-Key", request).body(body)
}

pub async fn add(rig: &Rig, key: &str, request: &str) -> Answer {
    adding(rig, key, request, BODY).send(rig.address).await
}

pub async fn ask(rig: &Rig, key: &str, method: &str, target: &str) -> Answer {
    rig.call(key, method, target).send(rig.address).await
}

pub async fn revoke(rig: &Rig, key: &str, id: &str) -> u16 {
    ask(rig, key, "DELETE", &format!("{TILLS}/{id}"))
        .await
        .status
}

pub fn id(answer: &Answer) -> String {
    answer.json()["till"]["id"].as_str().unwrap().to_owned()
}

pub async fn count(rig: &Rig, table: &str) -> i64 {
    let database = Database::open(&rig.database, &SCHEMA, Opening::Existing).await;
    let sql = format!("SELECT count(*) FROM {table}");
    let database = database.unwrap();
    let counted = database.one(&sql, values![], |row| row.get(0));
    counted.await.unwrap()
}

pub fn refused(answer: &Answer) -> (u16, String) {
    (answer.status, answer.code())
}
