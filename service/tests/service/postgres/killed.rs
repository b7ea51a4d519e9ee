//! Two services over one database, as an operator runs them, and one of them is killed in the middle of a race.

use crate::http::{Answer, Call, Connection};
use crate::on_server::named;
use crate::program::Program;
use crate::tokens::{pick_up, pickup_id, reissue};
use crate::world::{Vendor, World};
use pos_connect_service::Settings;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use tokio::sync::Semaphore;

const INTEGRATIONS: usize = 200;
const CALLERS: usize = 50;

/// What all callers share.
struct Race {
    vendor: Vendor,
    services: [SocketAddr; 2],
    places: Semaphore,
    /// Calls that were not answered, or with 503: each is sent again, to the other service.
    again: AtomicU32,
    done: AtomicU32,
}

impl Race {
    async fn answered(&self, first: usize, call: impl Fn() -> Call) -> Answer {
        for attempt in first.. {
            if let Ok(mut connection) = Connection::try_open(self.services[attempt % 2]).await
                && let Some(answer) = connection.try_send(call()).await
                && answer.status != 503
            {
                return answer;
            }
            self.again.fetch_add(1, Ordering::Relaxed);
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        unreachable!("attempts without end")
    }

    /// Whether this caller has got the token set. A caller whose answer was lost proves itself, and gets another pair.
    async fn wins(&self, token: &str, number: usize) -> bool {
        let _place = self.places.acquire().await.unwrap();
        let pickup = pickup_id();
        let answer = self
            .answered(number, || pick_up(&self.vendor, token, &pickup))
            .await;
        let won = match (answer.status, answer.json()["pickup"].as_str()) {
            (200, _) => true,
            (410, Some("yours")) => {
                let again = self
                    .answered(number, || reissue(&self.vendor, token, &pickup))
                    .await;
                assert_eq!(again.status, 200, "{}", again.body);
                true
            }
            (410, Some("other")) => false,
            _ => panic!("{}: {}", answer.status, answer.body),
        };
        self.done.fetch_add(1, Ordering::Relaxed);
        won
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn of_ten_thousand_pick_ups_two_hundred_succeed_although_a_service_is_killed() {
    named();
    let settings = Settings {
        creates_per_second: 100_000,
        ..Settings::default()
    };
    let world = World::with(settings).await;
    let mut tokens = Vec::new();
    for _ in 0..INTEGRATIONS {
        tokens.push(Arc::<str>::from(world.finished().await));
    }
    let programs = [0, 1].map(|_| Program::serve(&world.folder, &[], None));
    let race = Arc::new(Race {
        vendor: world.vendor.clone(),
        services: [0, 1].map(|number| programs[number].address("baseUrl")),
        places: Semaphore::new(64),
        again: AtomicU32::new(0),
        done: AtomicU32::new(0),
    });
    let mut callers = Vec::new();
    for caller in 0..CALLERS {
        for token in &tokens {
            let (race, token) = (race.clone(), token.clone());
            callers.push(tokio::spawn(async move {
                (race.wins(&token, caller).await, token)
            }));
        }
    }
    // In the first round nearly every call claims: there a kill hurts most.
    while race.done.load(Ordering::Relaxed) < 60 {
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
    programs[1].signal("-KILL");
    let (mut winners, mut losers) = (Vec::new(), 0);
    for caller in callers {
        match caller.await.unwrap() {
            (true, token) => winners.push(token),
            (false, _) => losers += 1,
        }
    }
    assert_eq!(
        (winners.len(), losers),
        (INTEGRATIONS, INTEGRATIONS * (CALLERS - 1))
    );
    winners.sort();
    winners.dedup();
    assert_eq!(winners.len(), INTEGRATIONS, "one for each");
    assert!(
        race.again.load(Ordering::Relaxed) > 0,
        "nobody has noticed the kill"
    );
}
