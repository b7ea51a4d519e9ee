//! What the bench sends orders to: the service on a new database, with one store that is connected.
//!
//! Takes the database file; prints its URL and an access token.

use pos_connect_protocol::Mode;
use pos_connect_service::clock::Clock;
use pos_connect_service::message::Outlet;
use pos_connect_service::quota::StorageLimits;
use pos_connect_service::server::Server;
use pos_connect_service::store::{Act, Consent, MessageLimits, NewAccount};
use pos_connect_service::token::{Hash, Kind};
use pos_connect_service::token_set::{Lifetimes, Pair};
use pos_connect_service::{Service, Settings, router};
use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;
use tokio::sync::watch;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let file = PathBuf::from(std::env::args().nth(1).ok_or("which database file?")?);
    let settings = Settings {
        lifetimes: Lifetimes {
            access: DAY,
            ..Lifetimes::default()
        },
        operations_per_second: 100_000,
        message_limits: MessageLimits {
            per_number: 1_000_000,
            per_till: 1_000_000,
            per_store: 1_000_000,
        },
        // A bench sends more in minutes than a shop in a day.
        storage: StorageLimits {
            a_day: u64::MAX,
            in_all: u64::MAX,
        },
        ..Settings::default()
    };
    let database = format!("sqlite://{}", file.display());
    let service = Service::open(&database, settings, Clock::system()).await?;
    let access = connect(&service).await?;
    let server = Server::bind(([127, 0, 0, 1], 0).into()).await?;
    println!(
        "{}",
        serde_json::json!({ "baseUrl": server.url(), "accessToken": access })
    );
    let (_stop, stopped) = watch::channel(false);
    let outlet = Outlet::File(file.with_extension("messages"));
    let delivering = service
        .clone()
        .deliver(outlet, server.url(), stopped.clone());
    tokio::join!(server.run(router(service.clone()), stopped), delivering);
    Ok(())
}

/// A vendor, a merchant who has consented, and the tokens of it.
async fn connect(service: &Service) -> Result<String, Box<dyn Error>> {
    let (store, now) = (&service.store, service.clock.now());
    let secret = Hash::of(&Kind::ClientSecret.mint());
    store
        .add_vendor(
            "bench".into(),
            "Bench".into(),
            Mode::Live,
            secret,
            Vec::new(),
            Act::operator(now),
        )
        .await?;
    let vendor = store
        .lookup("bench", None)
        .await?
        .ok_or("no vendor")?
        .vendor
        .id;
    let account = NewAccount {
        email: "bench@shop.example".into(),
        name: "Bench".into(),
        mode: Mode::Live,
        // Nobody signs in.
        password_hash: String::new(),
        stores: vec!["Market Street".into()],
    };
    store.add_account(account, Act::operator(now)).await?;
    let account = store
        .account_by_email("bench@shop.example")
        .await?
        .ok_or("no account")?;
    let token = store
        .create_integration(vendor, now, now.after(DAY))
        .await?;
    let integration = Hash::of(&token.ok_or("no integration")?);
    let who = account.signed_in();
    store.own(integration, who).await?;
    let shop = store.stores(who.account).await?.remove(0).public_id;
    let consent = Consent {
        integration,
        who,
        store: shop,
        ereceipt: true,
    };
    let act = Act::operator(now);
    store.finish(consent, act, now.after(DAY)).await?;
    let pair = Pair::mint(service.settings.lifetimes, now);
    store.claim(integration, None, pair.stored, act).await?;
    Ok(pair.access_token)
}
