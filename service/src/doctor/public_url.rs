//! The way of a browser: DNS, TLS, the proxy, the service behind it.

use super::{Doctor, LIMIT, Report, unconnected};
use crate::http::ProbeAnswer;
use crate::store::{PROBE, Store};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};
use pos_connect_foundation::address::IpNet;
use pos_connect_foundation::client::Call;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

const VERSION: &str = env!("CARGO_PKG_VERSION");
const FORWARDED_FOR: &str = "x-forwarded-for";
/// An address that nobody has (RFC 5737), which `doctor` writes there as a stranger would.
const FORGED: &str = "192.0.2.1";
const BLOCK: &str = "let the proxy append the client's address, as the blocks in operating.md do";

impl Doctor<'_> {
    /// Goes the way, as far as it leads. Without a store there is no probe to know the service by.
    pub(super) async fn public_url(&self, store: Option<&Store>) -> Report {
        let mut report = Report::default();
        let is_running = match store {
            Some(store) => self.service(store, &mut report).await,
            None => false,
        };
        let listen = self.installation.listen;
        let Some(url) = &self.installation.settings.public_url else {
            match listen.ip().is_loopback() {
                true => report.warn(
                    "public-url",
                    "only this machine reaches the service",
                    "put a proxy with TLS before it, and set `--public-url`",
                ),
                false => report.fault(
                    "public-url",
                    format!("other machines reach {listen} without TLS, and merchants type passwords there"),
                    "let it listen on loopback, put a proxy with TLS before it, and set `--public-url`",
                ),
            }
            return report;
        };
        let is_reached =
            self.dns(url, &mut report).await && self.server("public-url", url, &mut report).await;
        if let Some(store) = store.filter(|_| is_reached && is_running) {
            self.proxy(url, store, &mut report).await;
        }
        report
    }

    /// Whether this program runs where it should listen.
    async fn service(&self, store: &Store, report: &mut Report) -> bool {
        let address = reachable(self.installation.listen);
        let answer = self.probe(&format!("http://{address}"), store).await;
        match answer {
            Ok(Some(answer)) if answer.version == VERSION => {
                report.ok("service", format!("it runs at {address}"));
            }
            Ok(Some(answer)) => report.warn(
                "service",
                format!(
                    "{} runs at {address}, and this is {VERSION}",
                    answer.version
                ),
                "restart it",
            ),
            Ok(None) => {
                report.fault(
                    "service",
                    format!("what answers at {address} is no service with this database"),
                    "correct `--listen` or `--database`, or restart the service with these settings",
                );
                return false;
            }
            Err(why) => {
                report.warn("service", format!("at {address}: {why}"), "start it");
                return false;
            }
        }
        true
    }

    async fn dns(&self, url: &str, report: &mut Report) -> bool {
        let uri: Uri = url.parse().unwrap_or_default();
        let host = uri
            .host()
            .unwrap_or_default()
            .trim_matches(['[', ']'])
            .to_owned();
        let found = tokio::time::timeout(LIMIT, tokio::net::lookup_host((&*host, 443))).await;
        let addresses: Vec<String> = match found {
            Ok(Ok(addresses)) => addresses.map(|address| address.ip().to_string()).collect(),
            _ => Vec::new(),
        };
        if addresses.is_empty() {
            report.fault(
                "dns",
                format!("{host} has no address"),
                "add it to your DNS, or correct `--public-url`",
            );
            return false;
        }
        report.ok("dns", format!("{host} is {}", addresses.join(", ")));
        true
    }

    /// Whether the public URL leads to this service, and tells it who calls.
    async fn proxy(&self, url: &str, store: &Store, report: &mut Report) {
        let listen = self.installation.listen;
        let found = match self.probe(url, store).await {
            Ok(Some(_)) if is_direct(url, listen) => {
                let found = "there is none: the public URL is the service's own address";
                return report.ok("proxy", found);
            }
            Ok(Some(answer)) => {
                return forwarded(&answer, &self.installation.settings.trusted_proxies, report);
            }
            Ok(None) => format!("{url} leads to another service"),
            Err(why) => format!("{url} does not lead here: {why}"),
        };
        let advice = format!("let the proxy pass it on to {listen}");
        report.fault("proxy", found, advice);
    }

    /// What the service behind an address hears; `None` from another one.
    async fn probe(&self, url: &str, store: &Store) -> Result<Option<ProbeAnswer>, String> {
        let value = |text: &str| HeaderValue::from_str(text).map_err(|error| error.to_string());
        let probe = value(&store.probe(self.clock.now()))?;
        let headers = [
            (PROBE, probe),
            (FORWARDED_FOR, HeaderValue::from_static(FORGED)),
        ];
        let call = Call {
            method: Method::GET,
            url: format!("{url}/healthz"),
            headers: HeaderMap::from_iter(
                headers.map(|(name, value)| (HeaderName::from_static(name), value)),
            ),
            body: Default::default(),
        };
        match self.client.send(call).await {
            Ok(answer) if answer.status == 200 => Ok(serde_json::from_slice(&answer.body).ok()),
            Ok(answer) => Err(format!("the answer is {}", answer.status)),
            Err(error) => Err(unconnected(&error).0),
        }
    }
}

/// An address to call, of one to listen at.
fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}

/// Whether the public URL is the service's own address, as where things are tried out.
fn is_direct(url: &str, listen: SocketAddr) -> bool {
    let uri: Uri = url.parse().unwrap_or_default();
    uri.scheme_str() == Some("http") && uri.port_u16() == Some(listen.port())
}

/// Whether the proxy says who calls, and counts.
fn forwarded(answer: &ProbeAnswer, trusted: &[IpNet], report: &mut Report) {
    let lists = answer.forwarded_for.iter().flat_map(|list| list.split(','));
    let is_trusted = |peer: &IpAddr| {
        trusted
            .iter()
            .any(|network| network.contains(&peer.to_canonical()))
    };
    match (lists.map(str::trim).next_back(), answer.peer) {
        (None, _) => report.fault(
            "proxy",
            "it sends no X-Forwarded-For: all callers look like one",
            BLOCK,
        ),
        (Some(FORGED), _) => report.fault(
            "proxy",
            "it passes on the X-Forwarded-For that a caller writes: everybody can take any address",
            BLOCK,
        ),
        (Some(_), Some(peer)) if !is_trusted(&peer) => report.warn(
            "proxy",
            format!(
                "it calls from {peer}, which is not trusted: sign-ins are not told apart by address"
            ),
            format!("set `--trusted-proxy {peer}`"),
        ),
        _ => report.ok("proxy", "it leads here, and says who calls"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Outcome;

    #[test]
    fn the_last_hop_is_the_proxys_own_word() {
        let trusted = ["127.0.0.1/32".parse().unwrap()];
        for (peer, lists, outcome, found) in [
            (
                "127.0.0.1",
                &["192.0.2.1, 198.51.100.7"][..],
                Outcome::Ok,
                "leads here",
            ),
            (
                "127.0.0.1",
                &["192.0.2.1", "127.0.0.1"],
                Outcome::Ok,
                "leads here",
            ),
            (
                "::ffff:127.0.0.1",
                &["198.51.100.7"],
                Outcome::Ok,
                "leads here",
            ),
            (
                "10.0.0.5",
                &["198.51.100.7"],
                Outcome::Warning,
                "from 10.0.0.5",
            ),
            (
                "127.0.0.1",
                &["192.0.2.1"],
                Outcome::Fault,
                "everybody can take",
            ),
            (
                "10.0.0.5",
                &["192.0.2.1"],
                Outcome::Fault,
                "everybody can take",
            ),
            ("127.0.0.1", &[], Outcome::Fault, "sends no X-Forwarded-For"),
        ] {
            let answer = ProbeAnswer {
                version: VERSION.into(),
                peer: Some(peer.parse().unwrap()),
                forwarded_for: lists.iter().map(ToString::to_string).collect(),
            };
            let mut report = Report::default();
            forwarded(&answer, &trusted, &mut report);
            let finding = &report.findings[0];
            assert_eq!(finding.outcome, outcome, "{finding}");
            assert!(finding.found.contains(found), "{finding}");
        }
    }

    #[test]
    fn a_service_that_listens_everywhere_is_called_on_this_machine() {
        for (listen, called) in [
            ("0.0.0.0:8080", "127.0.0.1:8080"),
            ("[::]:8080", "[::1]:8080"),
            ("10.0.0.5:80", "10.0.0.5:80"),
        ] {
            assert_eq!(reachable(listen.parse().unwrap()).to_string(), called);
        }
    }
}
