//! `serve --demo`: a vendor and an account to try everything with, and the demo till on an origin of its own.

mod back_end;
mod config;
mod csp_report;
mod messages;
mod till;

pub use config::{DemoAccount, DemoConfig};
pub use till::router as till_router;

use crate::brand::{Brand, Color};
use crate::logo::Logo;
use crate::origin::Origin;
use crate::password;
use crate::service::Service;
use crate::store::{Act, Listing, NewAccount, Rotation, StoreError};
use crate::token::{Hash, Kind, random_text};
use pos_connect_protocol::Mode;

const CLIENT_ID: &str = "demo-till";
const EMAIL: &str = "owner@demo.example";

/// The advertiser that the demo's connect page is of, unless the operator has named another.
pub fn brand() -> Brand {
    Brand {
        name: Some("Northwind Ads".into()),
        logo: Logo::of(include_bytes!("northwind.svg")).ok(),
        color: Some(Color([0x43, 0x38, 0xca])),
        ..Brand::default()
    }
}

/// Makes the demo vendor and account, or gives the ones from the last start new secrets. Not in somebody's database:
/// the demo prints its secrets, and has a till for everybody.
pub async fn prepare(
    service: &Service,
    base_url: &str,
    origins: Vec<Origin>,
) -> Result<DemoConfig, StoreError> {
    let vendors = service
        .store
        .vendors(service.clock.now(), Listing::ALL)
        .await?;
    let is_in_use = !vendors.is_empty() || !service.store.accounts(Listing::ALL).await?.is_empty();
    if is_in_use && !vendors.iter().any(|vendor| vendor.client_id == CLIENT_ID) {
        return Err(StoreError::Unsupported(
            "--demo is for a database of its own: this one has other vendors or accounts".into(),
        ));
    }
    Ok(DemoConfig {
        base_url: base_url.to_owned(),
        connect_url: format!("{base_url}{}", pos_connect_protocol::path::CONNECT),
        client_id: CLIENT_ID.into(),
        client_secret: Some(prepare_vendor(service, origins).await?),
        till_key: None,
        account: DemoAccount {
            email: EMAIL.into(),
            password: prepare_account(service).await?,
        },
    })
}

async fn prepare_vendor(service: &Service, origins: Vec<Origin>) -> Result<String, StoreError> {
    let (store, now) = (&service.store, service.clock.now());
    let act = Act::operator(now);
    let client_secret = Kind::ClientSecret.mint();
    let secret = Hash::of(&client_secret);
    let (id, name) = (CLIENT_ID.to_owned(), "Demo Till".to_owned());
    match store
        .add_vendor(id.clone(), name, Mode::Live, secret, origins.clone(), act)
        .await
    {
        Err(StoreError::Exists) => {
            let rotation = Rotation {
                secret,
                previous_until: now,
                ends_older: true,
            };
            store.rotate_secret(id.clone(), rotation, act).await?;
            store.set_origins(id, origins, act).await?;
        }
        added => added?,
    }
    let logo = Logo::of(include_bytes!("till.svg")).ok();
    store.set_vendor_logo(CLIENT_ID.into(), logo, act).await?;
    Ok(client_secret)
}

async fn prepare_account(service: &Service) -> Result<String, StoreError> {
    let password = typeable_password();
    let password_hash = password::hash(&password);
    let account = NewAccount {
        email: EMAIL.into(),
        name: "Demo Bakery".into(),
        mode: Mode::Live,
        password_hash: password_hash.clone(),
        stores: ["Market Street", "Old Harbor"]
            .map(|street| format!("Demo Bakery, {street}"))
            .into(),
    };
    let (store, act) = (&service.store, Act::operator(service.clock.now()));
    match store.add_account(account, act).await {
        Err(StoreError::Exists) => {
            store.set_password(EMAIL.into(), password_hash, act).await?;
        }
        added => drop(added?),
    }
    let logo = Logo::of(include_bytes!("bakery.svg")).ok();
    store.set_account_logo(EMAIL.into(), logo, act).await?;
    Ok(password)
}

/// A visitor reads it beside the frame and types it: three groups of four, without look-alikes; more than 55 random
/// bits for one start of a demo.
fn typeable_password() -> String {
    let mut letters = String::new();
    while letters.len() < 12 {
        let random = random_text(64).to_ascii_lowercase();
        letters.extend(random.chars().filter(|letter| !"0o1il".contains(*letter)));
    }
    [&letters[..4], &letters[4..8], &letters[8..12]].join("-")
}
