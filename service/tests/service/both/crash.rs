//! `kill -9` while tills sell: an order that was answered stays as it was answered, and each has one message.

use crate::both::orders::keyed;
use crate::both::receipts::with_ereceipt;
use crate::http::Connection;
use crate::program::Program;
use crate::world::{World, until};
use pos_connect_service::Settings;
use pos_connect_service::store::MessageLimits;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const ROUNDS: u64 = 4;
const TILLS: usize = 8;
const HOUR: Duration = Duration::from_secs(3600);

fn serve(world: &World) -> Program {
    let messages = world.folder.path().join("messages.jsonl");
    let messages = format!("file:{}", messages.display());
    let mut options = vec!["--messages", &messages, "--message-region", "any"];
    options.extend(["--messages-per-number", "1000000"]);
    options.extend(["--messages-per-till", "1000000"]);
    options.extend(["--messages-per-store", "1000000"]);
    Program::serve(&world.folder, &options, None)
}

/// Sells until the connection breaks, and counts what is answered. Gives every order that was sent, with its answer
/// where one came.
async fn sell(
    address: SocketAddr,
    access: String,
    till: String,
    answered: Arc<AtomicU64>,
) -> BTreeMap<String, Option<String>> {
    let mut sent = BTreeMap::new();
    let Ok(mut connection) = Connection::try_open(address).await else {
        return sent;
    };
    loop {
        let id = format!("{till}-{}", sent.len());
        let call = keyed(&access, &id, &with_ereceipt(&id, "en"));
        let Some(answer) = connection.try_send(call).await else {
            sent.insert(id, None);
            return sent;
        };
        assert_eq!(answer.status, 200, "{}", answer.body);
        sent.insert(id, Some(answer.body));
        answered.fetch_add(1, Ordering::Relaxed);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_that_was_answered_stays_and_has_one_message() {
    let message_limits = MessageLimits {
        per_number: 1_000_000,
        per_till: 1_000_000,
        per_store: 1_000_000,
    };
    let world = World::with(Settings {
        message_limits,
        ..Settings::default()
    })
    .await;
    world.set_system_time();
    let access = world.access().await;
    let mut all = BTreeMap::new();
    for round in 0..ROUNDS {
        let mut program = serve(&world);
        let address = program.address("baseUrl");
        let answered = Arc::new(AtomicU64::new(0));
        let tills: Vec<_> = (0..TILLS)
            .map(|till| {
                let till = format!("{round}-{till}");
                tokio::spawn(sell(address, access.clone(), till, answered.clone()))
            })
            .collect();
        until(async || answered.load(Ordering::Relaxed) > 5 * round).await;
        program.signal("-KILL");
        assert_eq!(program.wait(), None);
        for till in tills {
            all.extend(till.await.unwrap());
        }
    }
    for (id, before) in &all {
        let again = world
            .send(keyed(&access, id, &with_ereceipt(id, "en")))
            .await;
        assert_eq!(again.status, 200, "{id}: {}", again.body);
        if let Some(before) = before {
            assert_eq!(&again.body, before, "{id} was answered otherwise");
        }
    }
    // An attempt that a kill cut short is made again later.
    world.pass(HOUR);
    let texts = async || {
        world.deliver().await;
        let messages = world.messages();
        let ids: BTreeSet<_> = messages.iter().map(|one| one["id"].to_string()).collect();
        // Without the address of the service that handed it over.
        let link = |one: &Value| {
            one["text"]
                .as_str()
                .unwrap()
                .rsplit("/r/")
                .next()
                .map(str::to_owned)
        };
        let links: BTreeSet<_> = messages.iter().map(link).collect();
        (ids.len(), links.len())
    };
    until(async || texts().await.0 >= all.len()).await;
    assert_eq!(texts().await, (all.len(), all.len()));
}
