//! What the service answers is what its document says: every answer that a test gets is held to it.

use crate::contract::Contract;
use crate::http::Answer;
use pos_connect_service::http::openapi;
use std::net::SocketAddr;
use std::sync::LazyLock;

pub static SERVICE: LazyLock<Contract> = LazyLock::new(|| Contract::new(openapi::value()));

/// A service listens, until this is dropped. Here all that listen are services.
pub struct Listening;

pub fn is_service(_: SocketAddr) -> Listening {
    Listening
}

/// Fails if an answer is not in the document.
pub fn hold(_: SocketAddr, method: &str, target: &str, answer: &Answer) {
    SERVICE.hold(method, target, answer);
}
