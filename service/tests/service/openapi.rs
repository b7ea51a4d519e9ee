//! What the service answers is what its document says: every answer that a test gets is held to it.

use crate::contract::Contract;
use crate::http::Answer;
use pos_connect_service::admin::openapi as admin;
use pos_connect_service::http::openapi;
use std::net::SocketAddr;
use std::sync::{LazyLock, Mutex, PoisonError};

pub static SERVICE: LazyLock<Contract> = LazyLock::new(|| Contract::new(openapi::value()));
pub static ADMIN: LazyLock<Contract> = LazyLock::new(|| Contract::new(admin::value()));
/// Where admin APIs listen; all else is a service.
static ADMINS: Mutex<Vec<SocketAddr>> = Mutex::new(Vec::new());

/// Something listens there, until this is dropped: then a service may be given the port of an admin API.
pub struct Listening(SocketAddr);

pub fn is_service(address: SocketAddr) -> Listening {
    Listening(address)
}

pub fn is_admin(address: SocketAddr) -> Listening {
    let mut admins = ADMINS.lock().unwrap_or_else(PoisonError::into_inner);
    admins.push(address);
    Listening(address)
}

impl Drop for Listening {
    fn drop(&mut self) {
        let mut admins = ADMINS.lock().unwrap_or_else(PoisonError::into_inner);
        admins.retain(|admin| *admin != self.0);
    }
}

/// Fails if an answer is not in the document.
pub fn hold(address: SocketAddr, method: &str, target: &str, answer: &Answer) {
    let admins = ADMINS.lock().unwrap_or_else(PoisonError::into_inner);
    let by_admin = admins.contains(&address);
    drop(admins);
    let contract = if by_admin { &ADMIN } else { &SERVICE };
    contract.hold(method, target, answer);
}
