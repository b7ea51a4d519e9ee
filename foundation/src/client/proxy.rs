//! The way to a server: straight, or through the proxy that `HTTPS_PROXY` names (`ALL_PROXY`, `NO_PROXY`).
//!
//! Only calls by TLS leave this machine, so a proxy is asked for a tunnel, and sees nothing of them.

use crate::origin::is_loopback;
use axum::http::{HeaderMap, HeaderValue, Uri, header};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use hyper_util::rt::TokioIo;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::net::TcpStream;
use tower_service::Service;

/// Connects to servers, and to what is between.
#[derive(Clone)]
pub(super) struct Way {
    straight: HttpConnector,
    proxies: Arc<Matcher>,
    agent: HeaderValue,
}

impl Way {
    pub(super) const fn new(
        straight: HttpConnector,
        proxies: Arc<Matcher>,
        agent: HeaderValue,
    ) -> Self {
        Self {
            straight,
            proxies,
            agent,
        }
    }

    /// The proxy to this server. None reaches a server of this machine.
    fn proxy(&self, to: &Uri) -> Option<Intercept> {
        let crosses = to.scheme_str() == Some("https") && !is_loopback(to.host()?);
        self.proxies.intercept(to).filter(|_| crosses)
    }
}

impl Service<Uri> for Way {
    type Response = TokioIo<TcpStream>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Self::Response>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.straight.poll_ready(context).map_err(io::Error::other)
    }

    fn call(&mut self, to: Uri) -> Self::Future {
        let Some(proxy) = self.proxy(&to) else {
            let connecting = self.straight.call(to);
            return Box::pin(async { connecting.await.map_err(io::Error::other) });
        };
        if proxy.uri().scheme_str() != Some("http") {
            let why = "the proxy of HTTPS_PROXY must be http://HOST:PORT";
            return Box::pin(async move { Err(io::Error::other(why)) });
        }
        let mut headers = HeaderMap::from_iter([(header::USER_AGENT, self.agent.clone())]);
        let password = proxy.basic_auth().cloned();
        headers.extend(password.map(|password| (header::PROXY_AUTHORIZATION, password)));
        let tunnel = Tunnel::new(proxy.uri().clone(), self.straight.clone());
        let tunneling = tunnel.with_headers(headers).call(to);
        let name = proxy.uri().authority().map(ToString::to_string);
        Box::pin(async move {
            tunneling.await.map_err(|error| {
                let name = name.unwrap_or_default();
                io::Error::other(format!(
                    "the proxy {name} of HTTPS_PROXY gave no way: {}",
                    super::describe(&error)
                ))
            })
        })
    }
}

/// The proxies of the environment. What is written there and cannot be read is told of, and not used.
pub(super) fn of_environment() -> Matcher {
    for name in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        let Some(value) = std::env::var(name).ok().filter(|value| !value.is_empty()) else {
            continue;
        };
        // It may hold a password.
        if !is_readable(&value) {
            tracing::warn!("{name} is not used: write http://HOST:PORT");
        }
    }
    Matcher::from_env()
}

fn is_readable(value: &str) -> bool {
    let somewhere = Uri::from_static("https://server.example");
    let proxies = Matcher::builder().https(value).build();
    proxies.intercept(&somewhere).is_some()
}
