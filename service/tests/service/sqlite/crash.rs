//! `kill -9`: what was answered is on the disk.

use crate::folder::Folder;
use crate::http::{Call, Connection};
use crate::program::Program;
use crate::tokens::{Pair, account, pick_up, pickup_id, refresh, reissue};
use crate::world::{INTEGRATION, TOKEN, Vendor, act, target};
use pos_connect_service::clock::Clock;
use pos_connect_service::store::Consent;
use pos_connect_service::token::Hash;
use pos_connect_service::{Service, Settings};
use std::time::Duration;

const DEMO: [&str; 3] = ["--demo", "--till-listen", "127.0.0.1:0"];

/// Finishes integrations beside the running program, as the connect frame would.
struct Merchant(Service);

impl Merchant {
    async fn new(folder: &Folder) -> Self {
        Self(
            Service::open(&folder.database(), Settings::default(), Clock::system())
                .await
                .unwrap(),
        )
    }

    async fn finish(&self, token: &str) {
        let (store, now) = (&self.0.store, self.0.clock.now());
        let account = store
            .account_by_email("owner@demo.example")
            .await
            .unwrap()
            .unwrap();
        let integration = Hash::of(token);
        let who = account.signed_in();
        store.own(integration, who).await.unwrap();
        let account = who.account;
        let shop = store.stores(account).await.unwrap().remove(0).public_id;
        let consent = Consent {
            integration,
            who,
            store: shop,
            ereceipt: false,
        };
        assert!(
            store
                .finish(
                    consent,
                    act(account, now),
                    now.after(Duration::from_secs(3600))
                )
                .await
                .unwrap()
        );
    }
}

async fn finished(program: &Program, merchant: &Merchant) -> String {
    let created = program.call("POST", INTEGRATION, "").await.json();
    let token = created["integrationToken"].as_str().unwrap().to_owned();
    merchant.finish(&token).await;
    token
}

#[tokio::test]
async fn a_picked_up_token_set_stays_picked_up() {
    let folder = Folder::new();
    let mut program = Program::serve(&folder, &DEMO, None);
    let token = finished(&program, &Merchant::new(&folder).await).await;
    assert_eq!(program.call("GET", TOKEN, &token).await.status, 200);
    program.signal("-KILL");
    assert_eq!(program.wait(), None);
    let program = Program::serve(&folder, &DEMO, None);
    assert_eq!(program.call("GET", TOKEN, &token).await.status, 410);
}

/// Kills the service while pick-ups are in the air: whoever got tokens got them for good, and nobody gets them twice.
#[tokio::test(flavor = "multi_thread")]
async fn no_answer_is_ahead_of_the_disk() {
    let folder = Folder::new();
    let merchant = Merchant::new(&folder).await;
    for round in 0..4_u64 {
        let mut program = Program::serve(&folder, &DEMO, None);
        let mut tokens = Vec::new();
        for _ in 0..40 {
            tokens.push(finished(&program, &merchant).await);
        }
        let (vendor, address) = (program.vendor(), program.address("baseUrl"));
        let callers: Vec<_> = tokens
            .into_iter()
            .map(|token| tokio::spawn(pick_up_once(vendor.clone(), address, token)))
            .collect();
        tokio::time::sleep(Duration::from_millis(2 + 3 * round)).await;
        program.signal("-KILL");
        program.wait();
        let program = Program::serve(&folder, &DEMO, None);
        for caller in callers {
            let (token, got) = caller.await.unwrap();
            let after = program.call("GET", TOKEN, &token).await.status;
            match got {
                Some(200) => assert_eq!(after, 410, "an answered pick-up was forgotten"),
                Some(other) => panic!("answered {other}"),
                None => assert!(after == 200 || after == 410, "{after}"),
            }
            assert_eq!(program.call("GET", TOKEN, &token).await.status, 410);
        }
    }
}

async fn pick_up_once(
    vendor: Vendor,
    address: std::net::SocketAddr,
    token: String,
) -> (String, Option<u16>) {
    let url = target(TOKEN, &vendor, &token);
    let Ok(mut connection) = Connection::try_open(address).await else {
        return (token, None);
    };
    let answer = connection.try_send(Call::new("GET", url)).await;
    (token, answer.map(|answer| answer.status))
}

/// Kills the service while token sets are picked up and reissued: what was answered last is the one that lives, unless
/// a later answer was lost, and then the next reissue brings it back.
#[tokio::test(flavor = "multi_thread")]
async fn never_two_pairs_and_never_none() {
    let folder = Folder::new();
    let merchant = Merchant::new(&folder).await;
    for round in 0..4_u64 {
        let mut program = Program::serve(&folder, &DEMO, None);
        let mut callers = Vec::new();
        let (vendor, address) = (program.vendor(), program.address("baseUrl"));
        for _ in 0..20 {
            let token = finished(&program, &merchant).await;
            callers.push(tokio::spawn(lose_two_answers(
                vendor.clone(),
                address,
                token,
            )));
        }
        tokio::time::sleep(Duration::from_millis(1 + 4 * round)).await;
        program.signal("-KILL");
        program.wait();
        let program = Program::serve(&folder, &DEMO, None);
        for caller in callers {
            let (token, pickup, pairs) = caller.await.unwrap();
            assert_cured(&program, &token, &pickup, pairs).await;
        }
    }
}

async fn lose_two_answers(
    vendor: Vendor,
    address: std::net::SocketAddr,
    token: String,
) -> (String, String, Vec<Pair>) {
    let (pickup, mut pairs) = (pickup_id(), Vec::new());
    let calls = [
        pick_up(&vendor, &token, &pickup),
        reissue(&vendor, &token, &pickup),
        reissue(&vendor, &token, &pickup),
    ];
    if let Ok(mut connection) = Connection::try_open(address).await {
        for call in calls {
            let Some(answer) = connection.try_send(call).await else {
                break;
            };
            pairs.push(Pair::of(&answer));
        }
    }
    (token, pickup, pairs)
}

async fn assert_cured(program: &Program, token: &str, pickup: &str, mut pairs: Vec<Pair>) {
    let (vendor, address) = (program.vendor(), program.address("baseUrl"));
    let again = pick_up(&vendor, token, pickup).send(address).await;
    match again.status {
        200 => assert!(pairs.is_empty(), "an answered pick-up was forgotten"),
        _ => assert_eq!(
            (again.status, &again.json()["pickup"]),
            (410, &"yours".into())
        ),
    }
    let cure = reissue(&vendor, token, pickup).send(address).await;
    pairs.push(Pair::of(&cure));
    let (last, before) = pairs.split_last().unwrap();
    assert_eq!(account(&last.access).send(address).await.status, 200);
    for pair in before {
        assert_eq!(account(&pair.access).send(address).await.status, 401);
    }
    let gone = pick_up(&vendor, token, pickup).send(address).await;
    assert_eq!(gone.status, 410);
    let used = reissue(&vendor, token, pickup).send(address).await;
    assert_eq!(used.code(), "reissue_used");
}

/// Kills the service while token sets are refreshed: the token that was kept last is good for another pair, and only
/// that one lives.
#[tokio::test(flavor = "multi_thread")]
async fn a_refresh_that_was_cut_short_is_repeated() {
    let folder = Folder::new();
    let merchant = Merchant::new(&folder).await;
    for round in 0..4_u64 {
        let mut program = Program::serve(&folder, &DEMO, None);
        let (vendor, address) = (program.vendor(), program.address("baseUrl"));
        let mut picked_up = Vec::new();
        for _ in 0..20 {
            let token = finished(&program, &merchant).await;
            let answer = pick_up(&vendor, &token, &pickup_id()).send(address).await;
            picked_up.push(Pair::of(&answer));
        }
        let refreshing = |pair| tokio::spawn(refresh_on_and_on(vendor.clone(), address, pair));
        let callers: Vec<_> = picked_up.into_iter().map(refreshing).collect();
        tokio::time::sleep(Duration::from_millis(1 + 4 * round)).await;
        program.signal("-KILL");
        program.wait();
        let program = Program::serve(&folder, &DEMO, None);
        let (vendor, address) = (program.vendor(), program.address("baseUrl"));
        for caller in callers {
            let mut pairs = caller.await.unwrap();
            let kept = &pairs.last().unwrap().refresh;
            let cured = Pair::of(&refresh(&vendor, kept).send(address).await);
            let last = account(&cured.access).send(address).await;
            assert_eq!(last.status, 200);
            for dead in pairs.drain(..) {
                let answer = account(&dead.access).send(address).await;
                assert_eq!(answer.status, 401);
            }
        }
    }
}

/// Until the connection breaks, or nearly as often as a token set may be refreshed at once; gives what was answered.
async fn refresh_on_and_on(
    vendor: Vendor,
    address: std::net::SocketAddr,
    first: Pair,
) -> Vec<Pair> {
    let mut pairs = vec![first];
    let Ok(mut connection) = Connection::try_open(address).await else {
        return pairs;
    };
    while pairs.len() < 90 {
        let kept = &pairs.last().unwrap().refresh;
        let Some(answer) = connection.try_send(refresh(&vendor, kept)).await else {
            break;
        };
        pairs.push(Pair::of(&answer));
    }
    pairs
}
