//! The service restored from an older copy, beside a relay that knows more than it: who has to connect again is listed,
//! nothing is erased, and the others go on.

use crate::folder::Folder;
use crate::http::{Answer, Call};
use crate::program::{Program, add_till, json};
use crate::world::{TOKEN, World};
use pos_connect_foundation::sqlite;
use serde_json::{Value, json as value};
use std::time::Duration;

const HALF_AN_HOUR: Duration = Duration::from_secs(30 * 60);

/// A merchant's till.
struct Till(String);

impl Till {
    async fn connect(&self, world: &World, relay: &Program) {
        let Self(key) = self;
        let token = relay.create(key).await;
        assert!(world.finish(&token).await);
        let answer = relay.ask(key, "GET", TOKEN, &token).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
    }

    async fn store(&self, relay: &Program) -> Answer {
        let call = Call::new("GET", "/v1/store");
        let call = call.header("Authorization", format!("Bearer {}", self.0));
        call.send(relay.address).await
    }
}

fn serve(folder: &Folder, world: &World) -> Program {
    let url = format!("http://{}", world.address);
    Program::serve(folder, &url, &world.vendor, &[])
}

/// Names and whether they can be taken back, sorted.
fn ended(folder: &Folder) -> Vec<Value> {
    let listed = json(folder, &["merchant", "list", "--ended"]);
    let all = listed.as_array().unwrap().iter();
    let mut all: Vec<_> = all
        .map(|one| value!([one["merchant"], one["state"], one["canBeTakenBack"]]))
        .collect();
    all.sort_by_key(Value::to_string);
    all
}

#[tokio::test]
async fn an_older_copy_of_the_service_costs_what_was_refreshed_or_connected_since() {
    let (world, folder) = (World::on_sqlite().await, Folder::new());
    let relay = serve(&folder, &world);
    let [steady, refreshed, newcomer] =
        ["steady", "refreshed", "newcomer"].map(|name| Till(add_till(&folder, name)));
    refreshed.connect(&world, &relay).await;
    world.pass(HALF_AN_HOUR);
    steady.connect(&world, &relay).await;
    let [older, newest] = ["older.db", "newest.db"].map(|name| folder.path().join(name));
    sqlite::copy(&world.folder.database(), &older).unwrap();
    // One of the access tokens is over, so this call refreshes: the copy knows the refresh token before.
    world.pass(HALF_AN_HOUR);
    assert_eq!(refreshed.store(&relay).await.status, 200);
    newcomer.connect(&world, &relay).await;
    sqlite::copy(&world.folder.database(), &newest).unwrap();
    drop(relay);

    let world = world.restored(&older).await;
    let relay = serve(&folder, &world);
    assert_eq!(steady.store(&relay).await.status, 200);
    for till in [&refreshed, &newcomer] {
        let answer = till.store(&relay).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (409, "connection_ended")
        );
    }
    let both = [
        value!(["newcomer", "ended", true]),
        value!(["refreshed", "ended", true]),
    ];
    assert_eq!(ended(&folder), both);
    // To connect again is all that it takes.
    newcomer.connect(&world, &relay).await;
    assert_eq!(newcomer.store(&relay).await.status, 200);
    assert_eq!(ended(&folder), both[1..]);
    drop(relay);

    // The right copy is found: the relay still has the tokens that it knows.
    let world = world.restored(&newest).await;
    let relay = serve(&folder, &world);
    json(&folder, &["merchant", "take-back", "refreshed"]);
    for till in [&steady, &refreshed] {
        assert_eq!(till.store(&relay).await.status, 200);
    }
    assert_eq!(newcomer.store(&relay).await.code(), "connection_ended");
    assert_eq!(ended(&folder), both[..1]);
}
