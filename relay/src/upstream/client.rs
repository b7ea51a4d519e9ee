//! One HTTP call: its time, its place, its size.

use super::reply::{Reply, Trouble};
use axum::http::header::{self, HeaderValue};
use axum::http::{HeaderMap, Method, Request};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use std::io;
use std::time::Duration;
use tokio::sync::Semaphore;

/// Longest answer that is read; the service's own are a thousandth of it.
const MAX_ANSWER: usize = 1024 * 1024;
/// Shorter than any server's idea of an idle connection, so that few calls meet one that is being closed.
const IDLE: Duration = Duration::from_secs(20);

/// What the operator can choose about the calls.
#[derive(Clone, Debug)]
pub struct Patience {
    /// For a connection to come about.
    pub connect: Duration,
    /// For a whole call.
    pub call: Duration,
    /// Calls at once; further ones wait their turn within their own time.
    pub concurrency: usize,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            call: Duration::from_secs(10),
            concurrency: 64,
        }
    }
}

/// A request on its way. No `Debug`: its URL may hold the secret.
pub(super) struct Call {
    pub(super) method: Method,
    pub(super) url: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

/// Follows no redirect: it does not know how.
pub(super) struct Client {
    pool: legacy::Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    patience: Patience,
    places: Semaphore,
}

impl Client {
    pub(super) fn new(patience: Patience) -> io::Result<Self> {
        let mut connector = HttpConnector::new();
        // The TLS layer hands it https addresses, too.
        connector.enforce_http(false);
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(patience.connect));
        let connector = HttpsConnectorBuilder::new()
            .with_native_roots()?
            .https_or_http()
            .enable_http1()
            .wrap_connector(connector);
        let pool = legacy::Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE)
            .build(connector);
        Ok(Self {
            pool,
            places: Semaphore::new(patience.concurrency),
            patience,
        })
    }

    pub(super) async fn send(&self, call: Call) -> Result<Reply, Trouble> {
        let answered = async {
            // Waiting for a place counts against the call's own time, so the line cannot grow for ever.
            let _place = self.places.acquire().await;
            self.exchange(call).await
        };
        match tokio::time::timeout(self.patience.call, answered).await {
            Ok(reply) => reply,
            Err(_) => Err(Trouble::TimedOut),
        }
    }

    async fn exchange(&self, call: Call) -> Result<Reply, Trouble> {
        let mut request = Request::new(Full::new(call.body));
        *request.method_mut() = call.method;
        // The error would name the URL.
        let url = call.url.parse();
        *request.uri_mut() = url.map_err(|_| Trouble::Unreached("no valid URL".into()))?;
        *request.headers_mut() = call.headers;
        let json = HeaderValue::from_static("application/json");
        request.headers_mut().insert(header::ACCEPT, json);
        let (head, body) = self.pool.request(request).await?.into_parts();
        let body = Limited::new(body, MAX_ANSWER).collect().await;
        let body = body.map_err(|_| Trouble::Cut("the answer's body is cut or too long".into()))?;
        Ok(Reply {
            status: head.status.as_u16(),
            headers: head.headers,
            body: body.to_bytes(),
        })
    }
}
