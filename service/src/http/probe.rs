//! How the service hears `doctor`, which calls `/healthz` with a probe: whether they are of one database, and what the
//! proxy between them says of the caller. Nobody else is answered so.

use crate::service::Service;
use crate::store::PROBE;
use axum::extract::Request;
use pos_connect_foundation::address::Peer;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// What the service has seen of a call with a probe.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProbeAnswer {
    /// The version of the running program.
    pub version: String,
    /// Who opened the connection.
    pub peer: Option<IpAddr>,
    /// Each `X-Forwarded-For` that came, as it stands.
    pub forwarded_for: Vec<String>,
}

/// What the service answers a call; `None` without a valid probe.
pub(super) fn answer(service: &Service, request: &Request) -> Option<ProbeAnswer> {
    let probe = request.headers().get(PROBE)?.to_str().ok()?;
    if !service.store.is_probe(probe, service.clock.now()) {
        return None;
    }
    let lists = request.headers().get_all("x-forwarded-for").iter();
    Some(ProbeAnswer {
        version: env!("CARGO_PKG_VERSION").into(),
        peer: request.extensions().get().map(|&Peer(peer)| peer),
        forwarded_for: lists
            .map(|list| String::from_utf8_lossy(list.as_bytes()).into())
            .collect(),
    })
}
