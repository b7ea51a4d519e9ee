//! Numbers that a till has sealed for the service (HPKE, RFC 9180): opened here alone, for one order.

use crate::both::orders::with_body;
use crate::both::receipts::{PHONE, with_ereceipt};
use crate::http::{Answer, Call};
use crate::sealing::sealed;
use crate::world::World;
use pos_connect_service::Settings;
use serde_json::{Value, json};
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 3600);

/// An order with this sealed number.
pub fn with_sealed(id: &str, sealed: Value) -> Value {
    let mut body = with_ereceipt(id, "en");
    body["ereceipt"] = json!({"sealed": sealed, "consent": body["ereceipt"]["consent"]});
    body
}

impl World {
    pub async fn key(&self, access: &str) -> Value {
        let answer = self.keys(access).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        let key = answer.json()["keys"][0].clone();
        assert_eq!(
            (&key["kem"], &key["kdf"], &key["aead"]),
            (&json!(16), &json!(1), &json!(1))
        );
        key
    }

    pub async fn keys(&self, access: &str) -> Answer {
        let call = Call::new("GET", "/v1/keys");
        self.send(call.header("Authorization", format!("Bearer {access}")))
            .await
    }

    /// The numbers that messages went to.
    async fn numbers(&self) -> Vec<Value> {
        self.deliver().await;
        self.messages()
            .iter()
            .map(|message| message["phone"].clone())
            .collect()
    }
}

fn refused(answer: &Answer) -> (u16, String, String) {
    let pointer = answer.json()["pointer"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    (answer.status, answer.code(), pointer)
}

fn invalid(pointer: &str) -> (u16, String, String) {
    (422, "invalid_member".into(), pointer.into())
}

#[tokio::test]
async fn a_sealed_number_gets_the_message_and_is_given_back_to_nobody() {
    let (world, access) = World::connected().await;
    let key = world.key(&access).await;
    let seal = || with_sealed("1041", sealed(&key, "1041", PHONE));
    let call = |body: &Value| {
        with_body("POST", "/v1/orders", &access, body).header("Idempotency-Key", "k")
    };
    let first = world.send(call(&seal())).await;
    assert_eq!(first.status, 200, "{}", first.body);
    let consent = json!({"id": "ereceipt-1", "locale": "en"});
    assert_eq!(
        first.json()["order"]["ereceipt"],
        json!({"consent": consent})
    );
    // No two seals are alike, and the order is the same; also with the plain number.
    for again in [
        world.send(call(&seal())).await,
        world.send_order(&access, &seal()).await,
        world
            .send_order(&access, &with_ereceipt("1041", "en"))
            .await,
    ] {
        assert_eq!((again.status, &again.body), (200, &first.body));
        assert_eq!(again.header("idempotent-replayed"), Some("true"));
    }
    assert_eq!(world.numbers().await, [json!(PHONE)]);
}

#[tokio::test]
async fn a_sealed_number_opens_for_no_other_order_store_or_vendor() {
    let (world, access) = World::connected().await;
    let key = world.key(&access).await;
    let number = || sealed(&key, "1041", PHONE);
    let moved = world
        .send_order(&access, &with_sealed("1042", number()))
        .await;
    assert_eq!(refused(&moved), invalid("/ereceipt/sealed"));
    let harbor = world.access_of(1).await;
    let vendor = world.add_vendor("Other Till", &[]).await;
    let other = world.replica_for(&vendor).await;
    let foreign = other.access().await;
    for (world, access) in [(&world, &harbor), (&other, &foreign)] {
        let consented = world.send_order(access, &with_ereceipt("7", "en")).await;
        // Nothing is opened for a store without e-receipts.
        let expected = match consented.status {
            200 => invalid("/ereceipt/sealed"),
            _ => (403, "ereceipt_not_enabled".into(), "/ereceipt".into()),
        };
        let answer = world
            .send_order(access, &with_sealed("1041", number()))
            .await;
        assert_eq!(refused(&answer), expected);
    }
    for name in ["enc", "ciphertext"] {
        let mut damaged = number();
        damaged[name] = json!("AAAA");
        let answer = world
            .send_order(&access, &with_sealed("1041", damaged))
            .await;
        assert_eq!(refused(&answer), invalid("/ereceipt/sealed"), "{name}");
    }
}

/// Its till cannot seal it anew.
#[tokio::test]
async fn an_order_that_got_another_id_keeps_its_number_and_the_number_is_good_for_one_order() {
    let (world, access) = World::connected().await;
    let key = world.key(&access).await;
    let mut number = sealed(&key, "1041", PHONE);
    number["externalId"] = json!("1041");
    let corrected = with_sealed("1041-b", number.clone());
    for _ in 0..2 {
        let answer = world.send_order(&access, &corrected).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
    let again = world
        .send_order(&access, &with_sealed("1041-c", number.clone()))
        .await;
    assert_eq!(refused(&again), invalid("/ereceipt/sealed"));
    number.as_object_mut().unwrap().remove("externalId");
    let again = world
        .send_order(&access, &with_sealed("1041", number))
        .await;
    assert_eq!(refused(&again), invalid("/ereceipt/sealed"));
    assert_eq!(world.numbers().await, [json!(PHONE)]);
}

#[tokio::test]
async fn what_is_wrong_with_a_number_is_the_same_sealed_or_plain() {
    let (world, access) = World::connected().await;
    let key = world.key(&access).await;
    for wrong in ["+97236123456", "0502345678", "x"] {
        let mut plain = with_ereceipt("1041", "en");
        plain["ereceipt"]["phone"] = json!(wrong);
        let plain = world.send_order(&access, &plain).await;
        assert_eq!(refused(&plain), invalid("/ereceipt/phone"), "{wrong}");
        let body = with_sealed("1041", sealed(&key, "1041", wrong));
        let answer = world.send_order(&access, &body).await;
        assert_eq!(refused(&answer), refused(&plain), "{wrong}");
    }
}

#[tokio::test]
async fn a_replaced_key_opens_what_waits_for_ninety_days() {
    let world = World::new().await;
    let (_, _, pair) = world.picked_up().await;
    let old = world.key(&pair.access).await;
    let waiting = |id: &str| with_sealed(id, sealed(&old, id, PHONE));
    let accepted = waiting("1041");
    assert_eq!(world.send_order(&pair.access, &accepted).await.status, 200);
    let rotated = world
        .service
        .store
        .rotate_sealing_key(false, world.now())
        .await
        .unwrap();
    assert_eq!(world.key(&pair.access).await["keyId"], rotated);
    assert_ne!(old["keyId"], rotated);
    world.pass(89 * DAY);
    assert_eq!(world.service.purge_sealing_keys().await.unwrap(), 0);
    let access = crate::tokens::Pair::of(&world.refresh(&pair.refresh).await).access;
    assert_eq!(
        world.send_order(&access, &waiting("1042")).await.status,
        200
    );
    world.pass(DAY + Duration::from_secs(1));
    assert_eq!(world.service.purge_sealing_keys().await.unwrap(), 1);
    let access = world.access().await;
    let late = world.send_order(&access, &waiting("1043")).await;
    let unknown = (
        422,
        "unknown_sealing_key".into(),
        "/ereceipt/sealed/keyId".into(),
    );
    assert_eq!(refused(&late), unknown);
    // What was accepted before is answered as then, and the current key stays.
    assert_eq!(world.send_order(&access, &accepted).await.status, 200);
    assert_eq!(world.key(&access).await["keyId"], rotated);
    world
        .service
        .store
        .rotate_sealing_key(true, world.now())
        .await
        .unwrap();
    assert_eq!(world.service.store.sealing_keys().await.unwrap().len(), 1);
}

#[tokio::test]
async fn services_of_one_database_and_later_starts_have_the_same_keys() {
    let world = World::with(Settings::default()).await;
    let access = world.access().await;
    let other = world.replica().await;
    let (one, two) = tokio::join!(world.key(&access), other.key(&access));
    assert_eq!(one, two);
    assert_eq!(world.rows("sealing_key").await, 1);
    let body = with_sealed("1041", sealed(&one, "1041", PHONE));
    other.leave().await;
    let world = world.restart().await;
    assert_eq!(world.key(&access).await, one);
    assert_eq!(world.send_order(&access, &body).await.status, 200);
}
