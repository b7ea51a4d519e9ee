//! Many sign-ins at once: whoever makes them, a merchant gets in.

use crate::both::sign_in::page;
use crate::http::{Answer, Call, query};
use crate::world::{EMAIL, PASSWORD, World};
use pos_connect_protocol::Mode;
use pos_connect_service::password;
use pos_connect_service::store::{Act, NewAccount};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::task::JoinSet;

const HOME: &str = "198.51.100.7";
const ROBBED: &str = "robbed@florist.example";

/// On the merchant's own page, from an address.
pub async fn sign_in(world: &World, address: &str, email: &str, password: &str) -> Answer {
    let pairs = [
        ("action", "sign-in"),
        ("email", email),
        ("password", password),
    ];
    let call = Call::new("POST", "/connections")
        .header("Content-Type", "application/x-www-form-urlencoded")
        .header("X-Forwarded-For", address)
        .body(query(&pairs));
    world.send(call).await
}

/// Some that sign in again and again, until it is dropped.
struct Rush {
    over: Arc<AtomicBool>,
    callers: JoinSet<BTreeMap<u16, u32>>,
}

impl Rush {
    fn begin(
        world: &Arc<World>,
        count: usize,
        address: impl Fn(usize) -> String,
        (email, password): (&'static str, &'static str),
    ) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let mut callers = JoinSet::new();
        for number in 0..count {
            let (world, over, address) = (world.clone(), over.clone(), address(number));
            callers.spawn(async move {
                let mut statuses = BTreeMap::new();
                while !over.load(Ordering::SeqCst) {
                    let status = sign_in(&world, &address, email, password).await.status;
                    *statuses.entry(status).or_default() += 1;
                }
                statuses
            });
        }
        Self { over, callers }
    }

    async fn end(self) -> BTreeMap<u16, u32> {
        self.over.store(true, Ordering::SeqCst);
        let mut all = BTreeMap::new();
        for statuses in self.callers.join_all().await {
            for (status, count) in statuses {
                *all.entry(status).or_default() += count;
            }
        }
        all
    }
}

/// How the merchant fares meanwhile, from the familiar address.
async fn merchant(world: &World) -> BTreeMap<u16, u32> {
    let mut statuses = BTreeMap::new();
    for _ in 0..10 {
        let status = sign_in(world, HOME, EMAIL, PASSWORD).await.status;
        *statuses.entry(status).or_default() += 1;
    }
    statuses
}

async fn world() -> Arc<World> {
    let world = World::behind_a_proxy().await;
    let robbed = NewAccount {
        email: ROBBED.into(),
        name: "Florist".into(),
        mode: Mode::Live,
        // The real cost: places are what runs out.
        password_hash: password::hash(PASSWORD),
        stores: vec!["Station".into()],
    };
    let now = world.now();
    world
        .service
        .store
        .add_account(robbed, Act::operator(now))
        .await
        .unwrap();
    let first = sign_in(&world, HOME, EMAIL, PASSWORD).await;
    assert_eq!(page(&first), (200, "connections".into()));
    Arc::new(world)
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_guesses_from_one_address_keep_nobody_out() {
    let world = world().await;
    let invented = ("nobody@bakery.example", "wrong");
    let rush = Rush::begin(&world, 120, |_| "203.0.113.9".into(), invented);
    let fared = merchant(&world).await;
    let refused = rush.end().await;
    assert_eq!(fared, BTreeMap::from([(200, 10)]), "beside {refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_has_one_right_password_keeps_nobody_else_out() {
    let world = world().await;
    let network = |number: usize| format!("2001:db8:0:{:x}::1", number % 24);
    let rush = Rush::begin(&world, 96, network, (ROBBED, PASSWORD));
    let fared = merchant(&world).await;
    let others = rush.end().await;
    assert_eq!(fared, BTreeMap::from([(200, 10)]), "beside {others:?}");
}
