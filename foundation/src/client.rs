//! HTTP calls of ours: their time, their place, their size. Follows no redirect.

use axum::http::header::{self, HeaderValue};
use axum::http::{HeaderMap, Method, Request, Response};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use std::io;
use std::time::Duration;
use tokio::sync::Semaphore;

/// Longest answer that is read; those of the service are a thousandth of it.
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

/// A request on its way. No `Debug`: its URL may hold a secret.
pub struct Call {
    /// The method.
    pub method: Method,
    /// An absolute URL.
    pub url: String,
    /// What the caller adds; `Accept` is set here.
    pub headers: HeaderMap,
    /// The whole body.
    pub body: Bytes,
}

/// A whole answer. No `Debug`: its body may hold tokens.
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its whole body.
    pub body: Bytes,
}

/// Why there is no whole answer. Its text names no URL and no value.
#[derive(Debug)]
pub enum Trouble {
    /// There was no connection, so nobody saw the call.
    Unreached(String),
    /// The server has no certificate that is trusted, so nothing was sent to it.
    Untrusted(String),
    /// Not in time; what was asked may have been done.
    TimedOut,
    /// The connection broke; what was asked may have been done.
    Cut(String),
}

impl From<legacy::Error> for Trouble {
    fn from(error: legacy::Error) -> Self {
        // The client's own text names no URL; below it are the system's and the TLS library's.
        let mut text = error.to_string();
        let mut source = std::error::Error::source(&error);
        let mut is_trusted = true;
        while let Some(deeper) = source {
            text = format!("{text}: {deeper}");
            is_trusted &= !is_about_a_certificate(deeper);
            source = deeper.source();
        }
        match error.is_connect() {
            true if is_trusted => Self::Unreached(text),
            true => Self::Untrusted(text),
            false => Self::Cut(text),
        }
    }
}

/// The TLS library's errors come in those of sockets, one in the other, which do not name them as their source.
fn is_about_a_certificate(error: &(dyn std::error::Error + 'static)) -> bool {
    if let Some(within) = error
        .downcast_ref::<io::Error>()
        .and_then(io::Error::get_ref)
    {
        return is_about_a_certificate(within);
    }
    let tls = error.downcast_ref::<rustls::Error>();
    matches!(tls, Some(rustls::Error::InvalidCertificate(_)))
}

/// A pool of connections. Follows no redirect: it does not know how.
pub struct Client {
    pool: legacy::Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    patience: Patience,
    places: Semaphore,
}

impl Client {
    /// With the system's certificates; fails if there are none.
    pub fn new(patience: Patience) -> io::Result<Self> {
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

    /// Makes one call. An answer of whatever status is an answer.
    pub async fn send(&self, call: Call) -> Result<Answer, Trouble> {
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

    /// Makes one call, and does not read the answer's body: gives the status.
    pub async fn status(&self, call: Call) -> Result<u16, Trouble> {
        let answered = async {
            let _place = self.places.acquire().await;
            self.answered(call).await
        };
        match tokio::time::timeout(self.patience.call, answered).await {
            Ok(answer) => Ok(answer?.status().as_u16()),
            Err(_) => Err(Trouble::TimedOut),
        }
    }

    async fn exchange(&self, call: Call) -> Result<Answer, Trouble> {
        let (head, body) = self.answered(call).await?.into_parts();
        let body = Limited::new(body, MAX_ANSWER).collect().await;
        let body = body.map_err(|_| Trouble::Cut("the answer's body is cut or too long".into()))?;
        Ok(Answer {
            status: head.status.as_u16(),
            headers: head.headers,
            body: body.to_bytes(),
        })
    }

    async fn answered(&self, call: Call) -> Result<Response<Incoming>, Trouble> {
        let mut request = Request::new(Full::new(call.body));
        *request.method_mut() = call.method;
        // The error would name the URL.
        let url = call.url.parse();
        *request.uri_mut() = url.map_err(|_| Trouble::Unreached("no valid URL".into()))?;
        *request.headers_mut() = call.headers;
        let json = HeaderValue::from_static("application/json");
        request.headers_mut().insert(header::ACCEPT, json);
        Ok(self.pool.request(request).await?)
    }
}
