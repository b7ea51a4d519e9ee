//! What the soak loads: the service on a new file, whose clock jumps ahead once a second, so that months pass in
//! minutes.
//!
//! Takes the database file and the length of a jump in seconds; prints where it is, and the keys of a vendor and an
//! account.

use pos_connect_protocol::Mode;
use pos_connect_service::clock::Clock;
use pos_connect_service::password;
use pos_connect_service::server::Server;
use pos_connect_service::store::{Act, NewAccount};
use pos_connect_service::token::{Hash, Kind};
use pos_connect_service::token_set::Lifetimes;
use pos_connect_service::{Service, Settings, router};
use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use tokio::sync::watch;

const SECOND: Duration = Duration::from_secs(1);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const EMAIL: &str = "soak@shop.example";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [file, jump] = words.as_slice() else {
        return Err("soak FILE SECONDS".into());
    };
    let database = format!("sqlite://{}", PathBuf::from(file).display());
    let jump: i64 = jump.parse()?;
    let service = Service::open(&database, settings(), jumping(1000 * jump)).await?;
    let (secret, password) = (Kind::ClientSecret.mint(), Kind::Form.mint());
    let now = service.clock.now();
    let hash = Hash::of(&secret);
    let store = &service.store;
    store
        .add_vendor(
            "soak".into(),
            "Soak".into(),
            Mode::Live,
            hash,
            Vec::new(),
            Act::operator(now),
        )
        .await?;
    let account = NewAccount {
        email: EMAIL.into(),
        name: "Soak".into(),
        mode: Mode::Live,
        password_hash: password::hash(&password),
        stores: vec!["Market Street".into()],
    };
    store.add_account(account, Act::operator(now)).await?;
    let server = Server::bind(([127, 0, 0, 1], 0).into()).await?;
    println!(
        "{}",
        serde_json::json!({
            "baseUrl": server.url(), "clientId": "soak", "clientSecret": secret, "email": EMAIL, "password": password,
        })
    );
    let (_stop, stopped) = watch::channel(false);
    let tending = service.clone().tend(stopped.clone());
    tokio::join!(server.run(router(service.clone()), stopped), tending);
    Ok(())
}

/// Nothing is kept for longer than it has to be, and nobody is told to slow down.
fn settings() -> Settings {
    Settings {
        interval: Duration::ZERO,
        creates_per_second: 100_000,
        creates_per_address: 100_000,
        pending_per_vendor: 8_000,
        pickup_window: DAY,
        lifetimes: Lifetimes {
            refresh: DAY,
            ..Lifetimes::default()
        },
        ended_ttl: DAY,
        // The database keeps it for 30 days, whatever is set.
        audit_ttl: 31 * DAY,
        purge_every: SECOND,
        ..Settings::default()
    }
}

/// The system's clock, and so much more each second.
fn jumping(milliseconds: i64) -> Clock {
    let ahead = Arc::new(AtomicI64::new(0));
    let moved = ahead.clone();
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(SECOND).await;
            moved.fetch_add(milliseconds, Ordering::Relaxed);
        }
    });
    let system = Clock::system();
    Clock::from_fn(move || {
        let mut now = system.now();
        now.0 += ahead.load(Ordering::Relaxed);
        now
    })
}
