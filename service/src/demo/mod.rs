//! `serve --demo`: a vendor and an account to try everything with, and the demo till on an origin of its own.

mod csp_report;
mod till;

pub use till::router as till_router;

use crate::origin::Origin;
use crate::password;
use crate::service::Service;
use crate::store::{NewAccount, StoreError};
use crate::token::{Hash, Kind, random_text};
use serde::Serialize;

const CLIENT_ID: &str = "demo-till";
const EMAIL: &str = "owner@demo-bakery.example";

/// What the demo till and the tests start from. The secrets are new at every start.
#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DemoConfig {
    /// The service.
    pub base_url: String,
    /// The connect page.
    pub connect_url: String,
    /// The demo vendor.
    pub client_id: String,
    /// Its secret.
    pub client_secret: String,
    /// The demo account.
    pub account: DemoAccount,
}

/// Who signs in on the connect page.
#[derive(Clone, Serialize)]
pub struct DemoAccount {
    /// For "Email".
    pub email: String,
    /// For "Password".
    pub password: String,
}

/// Makes the demo vendor and account, or gives the ones from the last start new secrets.
pub async fn prepare(
    service: &Service,
    base_url: &str,
    origins: Vec<Origin>,
) -> Result<DemoConfig, StoreError> {
    let (store, now) = (&service.store, service.clock.now());
    let client_secret = Kind::ClientSecret.mint();
    let secret = Hash::of(&client_secret);
    let added = store
        .add_vendor(
            CLIENT_ID.into(),
            "Demo Till".into(),
            secret,
            origins.clone(),
            now,
        )
        .await;
    if let Err(StoreError::Exists) = added {
        store.rotate_secret(CLIENT_ID.into(), secret, now).await?;
        store.set_origins(CLIENT_ID.into(), origins).await?;
    } else {
        added?;
    }
    let password = random_text(20);
    let password_hash = password::hash(&password);
    let account = NewAccount {
        email: EMAIL.into(),
        name: "Demo Bakery".into(),
        password_hash: password_hash.clone(),
        stores: vec![
            "Demo Bakery, Market Street".into(),
            "Demo Bakery, Old Harbor".into(),
        ],
    };
    match store.add_account(account, now).await {
        Err(StoreError::Exists) => store
            .set_password(EMAIL.into(), password_hash)
            .await
            .map(|_| ())?,
        added => added.map(|_| ())?,
    }
    Ok(DemoConfig {
        base_url: base_url.to_owned(),
        connect_url: format!("{base_url}{}", pos_connect_protocol::path::CONNECT),
        client_id: CLIENT_ID.into(),
        client_secret,
        account: DemoAccount {
            email: EMAIL.into(),
            password,
        },
    })
}
