//! `kill -9`: what was answered is on the disk.

use crate::http::{Call, Connection};
use crate::program::Program;
use crate::world::{Folder, INTEGRATION, TOKEN, Vendor, target};
use pos_connect_service::clock::Clock;
use pos_connect_service::store::Consent;
use pos_connect_service::token::Hash;
use pos_connect_service::{Service, Settings};
use std::time::Duration;

const DEMO: [&str; 3] = ["--demo", "--till-listen", "127.0.0.1:0"];

/// Finishes integrations beside the running program, as the connect frame would.
struct Merchant(Service);

impl Merchant {
    fn new(folder: &Folder) -> Self {
        Self(Service::open(&folder.database(), Settings::default(), Clock::system()).unwrap())
    }

    async fn finish(&self, token: &str) {
        let (store, now) = (&self.0.store, self.0.clock.now());
        let account = store
            .account_by_email("owner@demo.example")
            .unwrap()
            .unwrap()
            .id;
        let integration = Hash::of(token);
        store.own(integration, account).await.unwrap();
        let shop = store.stores(account).unwrap().remove(0).public_id;
        let consent = Consent {
            integration,
            account,
            store: shop,
            ereceipt: false,
        };
        assert!(
            store
                .finish(consent, now, now.after(Duration::from_secs(3600)))
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
    let token = finished(&program, &Merchant::new(&folder)).await;
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
    let merchant = Merchant::new(&folder);
    for round in 0..4_u64 {
        let mut program = Program::serve(&folder, &DEMO, None);
        let mut tokens = Vec::new();
        for _ in 0..40 {
            tokens.push(finished(&program, &merchant).await);
        }
        let (vendor, address) = (program.vendor(), program.address("baseUrl"));
        let callers: Vec<_> = tokens
            .into_iter()
            .map(|token| tokio::spawn(pick_up(vendor.clone(), address, token)))
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

async fn pick_up(
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
