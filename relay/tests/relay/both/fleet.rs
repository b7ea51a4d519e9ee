//! Tills of a fleet: a vendor's server adds, lists and revokes them with a fleet key.

use crate::fleet::{BODY, TILLS, add, adding, another, ask, count, fleet, id, refused, revoke};
use crate::http::Connection;
use crate::rig::{BAKERY, Rig, settings, text};
use pos_connect_foundation::database::{Database, Transaction};
use pos_connect_foundation::token::Hash;
use pos_connect_foundation::values;
use pos_connect_relay::store::{Actor, AuditQuery, Opening, Revocation, SCHEMA};
use pos_connect_relay::till;
use serde_json::json;
use std::collections::HashSet;
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(60 * 60);

/// What was done by a fleet key: events and their subjects.
async fn told(rig: &Rig, actor: &str) -> Vec<(String, String)> {
    let query = AuditQuery {
        limit: 10_000,
        ..AuditQuery::default()
    };
    let entries = rig.relay.store.audit(query).await.unwrap().entries;
    let entries = entries.into_iter().filter(|entry| entry.actor == actor);
    let pair = |entry: pos_connect_relay::store::AuditEntry| {
        (entry.event, entry.subject.unwrap_or_default())
    };
    entries.map(pair).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_adds_lists_and_revokes_tills() {
    let (rig, fleet, key) = fleet().await;
    let added = add(&rig, &key, "1").await;
    assert_eq!(added.status, 200, "{}", added.body);
    assert_eq!(added.header("idempotent-replayed"), None);
    let (till, id) = (text(&added, "key"), id(&added));
    assert_eq!(rig.connection(&till).await.status, 200);

    let listed = ask(&rig, &key, "GET", TILLS).await;
    let tills = listed.json()["tills"].as_array().unwrap().clone();
    assert_eq!(tills.len(), 3, "the operator's, too");
    let last = json!({ "id": id, "merchant": BAKERY, "name": "Counter 1", "revoked": false,
        "createdAt": rig.relay.clock.now().to_string() });
    assert!(tills.contains(&last), "{tills:?}");
    assert!(!listed.body.contains(&till), "no key is listed");

    for _ in 0..3 {
        assert_eq!(revoke(&rig, &key, &id).await, 204);
    }
    assert_eq!(rig.connection(&till).await.status, 401);
    assert_eq!(rig.connection(&rig.till).await.status, 200);
    let events = [("till.added", &id), ("till.revoked", &id)];
    let events = events.map(|(event, id)| (event.to_owned(), id.clone()));
    let by = format!("fleet key {fleet}");
    assert_eq!(told(&rig, &by).await, events, "a row for each change");
    let query = AuditQuery {
        limit: 10_000,
        ..AuditQuery::default()
    };
    let mut entries = rig.relay.store.audit(query).await.unwrap().entries;
    entries.retain(|entry| entry.event == "till.revoked");
    assert_eq!(entries[0].merchant.as_deref(), Some(BAKERY));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_till_of_another_merchant_is_in_another_list() {
    let (rig, _, key) = fleet().await;
    rig.add_till("butcher").await;
    let merchants = async |target: &str| {
        let listed = ask(&rig, &key, "GET", target).await.json();
        let tills = listed["tills"].as_array().unwrap().clone();
        tills
            .iter()
            .map(|till| till["merchant"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(merchants("/tills?merchant=butcher").await, ["butcher"]);
    assert_eq!(merchants("/tills?merchant=bakery").await, [BAKERY; 2]);
    assert!(merchants("/tills?merchant=butche").await.is_empty());
}

/// The answer may be lost: who calls again gets the key, and nobody else does.
#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_call_gets_the_same_key_for_two_days() {
    let (rig, _, key) = fleet().await;
    let first = add(&rig, &key, "1").await;
    // Another page of the list, another relay, a till in use: nothing changes the answer.
    let replica = rig.replica().await;
    let again = adding(&rig, &key, "1", BODY).send(replica).await;
    assert_eq!((again.status, &again.body), (200, &first.body));
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    let other = adding(&rig, &key, "1", r#"{"merchant":"butcher"}"#);
    let other = other.send(rig.address).await;
    assert_eq!(refused(&other), (422, "idempotency_key_reused".into()));

    let (_, stranger) = another(&rig).await;
    let theirs = add(&rig, &stranger, "1").await;
    assert_ne!(text(&theirs, "key"), text(&first, "key"));
    assert_eq!(count(&rig, "till_request").await, 2);

    let with_key = "till_request WHERE length(sealed_key) > 0";
    assert_eq!(count(&rig, with_key).await, 2);
    assert_eq!(revoke(&rig, &key, &id(&first)).await, 204);
    assert_eq!(count(&rig, with_key).await, 1, "a dead key is erased");
    let revoked = add(&rig, &key, "1").await.json();
    assert_eq!(
        (&revoked["till"]["revoked"], &revoked["key"]),
        (&json!(true), &json!(null))
    );
    rig.service.pass(48 * HOUR);
    assert_eq!(id(&add(&rig, &key, "1").await), id(&first));
    rig.service.pass(Duration::from_secs(1));
    let anew = add(&rig, &key, "1").await;
    assert_ne!(id(&anew), id(&first));
    let now = rig.relay.clock.now();
    let forgotten = rig.relay.store.forget_till_requests(now).await.unwrap();
    assert_eq!((forgotten, count(&rig, "till_request").await), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_request_at_once_adds_one_till_and_many_add_many() {
    let (rig, fleet, key) = fleet().await;
    let at_once = async |name: fn(usize) -> String| {
        let calls = (0..8).map(|at| {
            let (rig, key) = (rig.clone(), key.clone());
            tokio::spawn(async move {
                let mut answer = add(&rig, &key, &name(at)).await;
                // So many at one table: a database may say so, and a server calls again.
                for _ in 0..100 {
                    if answer.status != 503 {
                        break;
                    }
                    answer = add(&rig, &key, &name(at)).await;
                }
                answer
            })
        });
        let mut keys = HashSet::new();
        for call in calls.collect::<Vec<_>>() {
            let answer = call.await.unwrap();
            assert_eq!(answer.status, 200, "{}", answer.body);
            keys.insert(text(&answer, "key"));
        }
        keys.len()
    };
    assert_eq!(at_once(|_| "same".into()).await, 1);
    assert_eq!(at_once(|at| at.to_string()).await, 8);
    assert_eq!(count(&rig, "till").await, 2 + 9);
    let by = format!("fleet key {fleet}");
    assert_eq!(told(&rig, &by).await.len(), 9);
}

/// Whoever stole it has begun a call, and holds its body back.
#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_is_revoked_in_the_middle_of_a_call_adds_nothing() {
    let (rig, fleet, key) = fleet().await;
    let first = add(&rig, &key, "1").await;
    let mut connection = Connection::open(rig.address).await;
    let length = BODY.len();
    let head = format!(
        "POST {TILLS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\nIdempotency-Key: 2\r\n\
         Expect: 100-continue\r\nContent-Length: {length}\r\n\r\n"
    );
    connection.write(head.as_bytes()).await;
    // It is let in: its body is asked for.
    assert_eq!(connection.read(true).await.unwrap().status, 100);
    let (store, now) = (&rig.relay.store, rig.relay.clock.now());
    let revoke_key = async |with_tills| {
        store
            .revoke_fleet_key(&fleet, with_tills, now)
            .await
            .unwrap()
    };
    assert_eq!(revoke_key(false).await, Some(0));
    connection.write(BODY.as_bytes()).await;
    let late = connection.read(false).await.unwrap();
    assert_eq!(refused(&late), (401, "unauthorized".into()));
    assert_eq!(count(&rig, "till").await, 2 + 1);
    // Nor does it see what it added, or take it away.
    for request in ["1", "2"] {
        assert_eq!(add(&rig, &key, request).await.status, 401);
    }
    assert_eq!(ask(&rig, &key, "GET", TILLS).await.status, 401);
    assert_eq!(revoke(&rig, &key, &id(&first)).await, 401);
    // Nor with a call that was let in before.
    let by = Actor::FleetKey(fleet.clone());
    let late = store.revoke_till(&id(&first), &by, now).await.unwrap();
    assert_eq!(late, Revocation::Refused);
    // What it added goes on, until somebody revokes that.
    assert_eq!(count(&rig, "till_request").await, 0);
    assert_eq!(rig.connection(&text(&first, "key")).await.status, 200);
    assert_eq!(
        [revoke_key(true).await, revoke_key(true).await],
        [Some(1), Some(0)]
    );
    assert_eq!(rig.connection(&text(&first, "key")).await.status, 401);
    assert_eq!(rig.connection(&rig.till).await.status, 200);
    let unknown = store.revoke_fleet_key("nobody", true, now).await;
    assert_eq!(unknown.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_tills_come_in_pages() {
    let (rig, _, key) = fleet().await;
    let database = Database::open(&rig.database, &SCHEMA, Opening::Existing).await;
    let database = database.unwrap();
    // All are of one moment: a page may end between them.
    for part in 0..2_i64 {
        let insert = move |transaction: &Transaction<'_>| {
            for at in 0..500 {
                let hash = Hash::of(&format!("{part} {at}"));
                let sql = "INSERT INTO till (label, key_hash, merchant, name, created_at)
                           VALUES (?1, ?2, 'chain', '', 0)";
                transaction.execute(sql, values![hash.label(), hash])?;
            }
            Ok(())
        };
        database.write(insert).await.unwrap();
    }
    for (filter, wanted) in [("", (1_002, 3)), ("&merchant=chain", (1_000, 2))] {
        let (mut seen, mut after, mut pages) = (HashSet::new(), String::new(), 0);
        loop {
            let target = format!("{TILLS}?after={after}{filter}");
            let listed = ask(&rig, &key, "GET", &target).await.json();
            let tills = listed["tills"].as_array().unwrap();
            assert!(tills.len() <= 500);
            seen.extend(tills.iter().map(|till| till["id"].to_string()));
            pages += 1;
            match listed["next"].as_str() {
                Some(next) => after = next.to_owned(),
                None => break,
            }
        }
        assert_eq!((seen.len(), pages), wanted, "{filter}");
    }
    assert_eq!(add(&rig, &key, "1").await.status, 200);
}

/// What the operator adds has no request, and so no key that is kept.
#[tokio::test(flavor = "multi_thread")]
async fn no_key_is_stored_but_sealed() {
    let rig = Rig::new().await.restart(settings()).await;
    assert_eq!(count(&rig, "till_request").await, 0);
    let (_, key) = another(&rig).await;
    let till = text(&add(&rig, &key, "1").await, "key");
    let database = Database::open(&rig.database, &SCHEMA, Opening::Existing).await;
    let sql = "SELECT sealed_key, fleet_key.key_hash FROM till_request, fleet_key";
    let database = database.unwrap();
    let stored = database.one(sql, values![], |row| {
        Ok((row.get::<Vec<u8>>(0)?, row.get::<Hash>(1)?))
    });
    let (sealed, hash) = stored.await.unwrap();
    assert_eq!(hash, Hash::of(&key));
    let holds = |text: &str| {
        sealed
            .windows(text.len())
            .any(|part| part == text.as_bytes())
    };
    assert!(!holds(&till) && !holds(&till[4..20]));
    // Also after another start.
    let rig = rig.restart(settings()).await;
    assert_eq!(text(&add(&rig, &key, "1").await, "key"), till);
    assert!(
        till::recognize(&rig.relay.store, &till)
            .await
            .unwrap()
            .is_some()
    );
}
