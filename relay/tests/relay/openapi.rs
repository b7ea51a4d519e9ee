//! What the relay answers is what its document says: every answer that a test gets is held to it.

use crate::contract::Contract;
use crate::http::Answer;
use pos_connect_relay::http::openapi;
use pos_connect_relay::upstream::Operation;
use pos_connect_service::http::openapi as service;
use std::collections::{BTreeSet, HashSet};
use std::net::SocketAddr;
use std::sync::{LazyLock, Mutex, PoisonError};

static RELAY: LazyLock<Contract> = LazyLock::new(|| Contract::new(openapi::value()));
static SERVICE: LazyLock<Contract> = LazyLock::new(|| Contract::new(service::value()));
/// Where services listen; all else is a relay.
static SERVICES: Mutex<Option<HashSet<SocketAddr>>> = Mutex::new(None);

/// What proxies said in the service's place.
static STRANGE: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// A body is not the service's, or not with this status: a relay may pass it back.
pub fn is_strange(body: &str) {
    let mut strange = STRANGE.lock().unwrap_or_else(PoisonError::into_inner);
    strange.insert(body.to_owned());
}

/// A service listens there, until this is dropped: then a relay may be given the same port.
pub struct Listening(SocketAddr);

pub fn is_service(address: SocketAddr) -> Listening {
    let mut services = SERVICES.lock().unwrap_or_else(PoisonError::into_inner);
    services.get_or_insert_default().insert(address);
    Listening(address)
}

impl Drop for Listening {
    fn drop(&mut self) {
        let mut services = SERVICES.lock().unwrap_or_else(PoisonError::into_inner);
        services.get_or_insert_default().remove(&self.0);
    }
}

/// Fails if an answer is not in the document of who gave it.
pub fn hold(address: SocketAddr, method: &str, target: &str, answer: &Answer) {
    let services = SERVICES.lock().unwrap_or_else(PoisonError::into_inner);
    let by_service = services.as_ref().is_some_and(|all| all.contains(&address));
    drop(services);
    let contract = if by_service { &SERVICE } else { &RELAY };
    let strange = STRANGE.lock().unwrap_or_else(PoisonError::into_inner);
    // What is passed back is what the service said, unless a proxy said strange things in its place.
    let is_passed_on = Operation::PATHS
        .iter()
        .any(|(path, _)| target.starts_with(path));
    if !by_service && is_passed_on && strange.contains(&answer.body) {
        return;
    }
    drop(strange);
    contract.hold(method, target, answer);
}
