//! What the runs go against: the service, a relay before it, and one connected merchant at each.

use crate::events::Events;
use crate::http::{Line, Message, query};
use crate::merchant;
use crate::programs::{Account, Relay, Vendor, start_service};
use serde_json::Value;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use workbench::Result;
use workbench::service::{self, Demo};

const INTEGRATION: &str = "/v1/auth/integration";

/// Runs until dropped. No `Debug`: it holds tokens.
pub struct Stage {
    pub vendor: Vendor,
    pub events: Arc<Events>,
    pub connect_url: String,
    /// Of the till that all runs through the relay share.
    pub till_key: String,
    /// For the runs without a relay.
    pub access_token: String,
    pub relay: Relay,
    service: Mutex<Option<Demo>>,
}

impl Stage {
    /// `origin` is the page's.
    pub fn start(folder: &Path, origin: &str) -> Result<Self> {
        let program = service::program(service::RELAY)?;
        let demo = start_service(folder, origin, &[])?;
        let vendor = Vendor::of(&demo.hello)?;
        let account = Account::of(&demo.hello)?;
        let upstream = format!("http://{}", vendor.service);
        let relay = Relay::start(
            &program,
            folder.join("relay"),
            origin,
            &upstream,
            &vendor,
            &[],
        )?;
        let till_key = relay.till("bakery")?;
        connected(
            relay.address,
            &[],
            Some(&till_key),
            &account,
            &vendor.client_id,
        )?;
        let secret = [("client_secret", vendor.client_secret.as_str())];
        let tokens = connected(vendor.service, &secret, None, &account, &vendor.client_id)?;
        let access_token = tokens["accessToken"].as_str();
        let access_token = access_token
            .ok_or("the service gave no access token")?
            .to_owned();
        Ok(Self {
            events: Arc::default(),
            connect_url: demo.hello.connect_url.clone(),
            till_key,
            access_token,
            relay,
            service: Mutex::new(Some(demo)),
            vendor,
        })
    }

    /// Ends the programs.
    pub fn stop(&self) {
        self.relay.stop();
        let service = self.service.lock();
        drop(service.unwrap_or_else(PoisonError::into_inner).take());
    }

    pub fn has_accepted(answer: &Message) -> bool {
        matches!(answer.status(), 200 | 201)
    }

    /// The order that the service has under this id.
    pub fn order(&self, id: &str) -> Result<Option<Value>> {
        let request = Message::request("GET", &format!("/v1/orders/{id}"));
        let answer = Line::new(self.vendor.service)
            .ask(&request.bearer(&self.access_token), || {})
            .map_err(|error| format!("the order: {error}"))?;
        match answer.status() {
            200 => Ok(serde_json::from_slice(&answer.body).ok()),
            404 => Ok(None),
            status => Err(format!("the service answered {status} to an order's id")),
        }
    }
}

/// Connects the merchant: creates, consents, picks the tokens up.
fn connected(
    address: SocketAddr,
    secret: &[(&str, &str)],
    till_key: Option<&str>,
    account: &Account,
    client_id: &str,
) -> Result<Value> {
    let mut line = Line::new(address);
    let mut ask = |method: &str, path: &str, pairs: &[(&str, &str)]| -> Result<Value> {
        let pairs = [&[("client_id", client_id)], secret, pairs].concat();
        let request = Message::request(method, &format!("{path}?{}", query(&pairs)));
        let request = match till_key {
            Some(key) => request.bearer(key),
            None => request,
        };
        let answer = line
            .ask(&request, || {})
            .map_err(|error| error.to_string())?;
        match answer.status() {
            200 | 201 => Ok(serde_json::from_slice(&answer.body).unwrap_or_default()),
            status => Err(format!("{method} {path}: {status}")),
        }
    };
    let created = ask("POST", INTEGRATION, &[])?;
    let token = created["integrationToken"].as_str().unwrap_or_default();
    merchant::consent(account, client_id, token, true)?;
    ask(
        "GET",
        &format!("{INTEGRATION}/token"),
        &[("integration_token", token)],
    )
}
