//! HTTP calls of ours: their name, their time, their place, their size. Follows no redirect.

mod certificate;
mod date;
mod proxy;

pub use date::{date, retry_after};

use crate::{trace, trust};
use axum::http::header::{self, HeaderValue};
use axum::http::{HeaderMap, Method, Request, Response, Uri};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use proxy::Way;
use rustls::{ClientConfig, RootCertStore};
use std::io;
use std::sync::Arc;
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
    /// What the caller adds; `Accept` and `User-Agent` are set here.
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
pub enum CallError {
    /// There was no connection, so nobody saw the call.
    Unreached(String),
    /// The server has no certificate that is trusted, so nothing was sent to it.
    Untrusted(String),
    /// Not in time; what was asked may have been done.
    TimedOut,
    /// The connection broke; what was asked may have been done.
    Cut(String),
}

impl CallError {
    /// The kind in a word, as it stands in a trace.
    const fn kind(&self) -> &'static str {
        match self {
            Self::Unreached(_) => "unreached",
            Self::Untrusted(_) => "untrusted",
            Self::TimedOut => "timed_out",
            Self::Cut(_) => "cut",
        }
    }
}

impl From<legacy::Error> for CallError {
    fn from(error: legacy::Error) -> Self {
        // The client's own text names no URL; below it are the system's and the TLS library's.
        match error.is_connect() {
            true => unconnected(&error),
            false => Self::Cut(describe(&error)),
        }
    }
}

/// Why there is no connection.
fn unconnected(error: AnyError<'_>) -> CallError {
    match causes(error).any(is_about_a_certificate) {
        true => CallError::Untrusted(describe(error)),
        false => CallError::Unreached(describe(error)),
    }
}

type AnyError<'e> = &'e (dyn std::error::Error + 'static);

/// An error, and what is below it.
fn causes(error: AnyError<'_>) -> impl Iterator<Item = AnyError<'_>> {
    std::iter::successors(Some(error), |error| error.source())
}

fn describe(error: AnyError<'_>) -> String {
    let texts: Vec<String> = causes(error).map(ToString::to_string).collect();
    texts.join(": ")
}

/// The TLS library's errors come in those of sockets, one in the other, which do not name them as their source.
fn is_about_a_certificate(error: AnyError<'_>) -> bool {
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
    pool: legacy::Client<HttpsConnector<Way>, Full<Bytes>>,
    connector: HttpsConnector<Way>,
    agent: HeaderValue,
    /// Why no server can be trusted, on a machine without certificates.
    untrusting: Option<String>,
    patience: Patience,
    places: Semaphore,
}

impl Client {
    /// With the system's certificates and the environment's proxies. `agent` says in each call who makes it, as
    /// `name/1.0`: there are firewalls that let nobody else through.
    pub fn new(agent: &'static str, patience: Patience) -> Self {
        Self::with(agent, patience, trust::system(), proxy::of_environment())
    }

    fn with(
        agent: &'static str,
        patience: Patience,
        trusted: Result<RootCertStore, String>,
        proxies: Matcher,
    ) -> Self {
        let agent = HeaderValue::from_static(agent);
        let (roots, untrusting) = match trusted {
            Ok(roots) => (roots, None),
            Err(why) => (RootCertStore::empty(), Some(why)),
        };
        let tls = ClientConfig::builder().with_root_certificates(roots);
        let mut connector = HttpConnector::new();
        // The TLS layer hands it https addresses, too.
        connector.enforce_http(false);
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(patience.connect));
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(tls.with_no_client_auth())
            .https_or_http()
            .enable_http1()
            .wrap_connector(Way::new(connector, Arc::new(proxies), agent.clone()));
        let pool = legacy::Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE)
            .build(connector.clone());
        Self {
            pool,
            connector,
            agent,
            untrusting,
            places: Semaphore::new(patience.concurrency),
            patience,
        }
    }

    /// Makes one call. An answer of whatever status is an answer.
    pub async fn send(&self, call: Call) -> Result<Answer, CallError> {
        self.make(call, whole).await
    }

    /// Makes one call, and does not read the answer's body: gives status and headers.
    pub async fn head(&self, call: Call) -> Result<(u16, HeaderMap), CallError> {
        self.make(call, async |response| {
            let (head, _) = response.into_parts();
            Ok((head.status.as_u16(), head.headers))
        })
        .await
    }

    /// Makes one call and reads its answer, both within the call's time.
    async fn make<T, F>(
        &self,
        mut call: Call,
        read: impl FnOnce(Response<Incoming>) -> F,
    ) -> Result<T, CallError>
    where
        F: Future<Output = Result<T, CallError>>,
    {
        let span = trace::outgoing(&call.method, &call.url, &mut call.headers);
        let answered = async {
            // Waiting for a place counts against the call's own time, so the line cannot grow for ever.
            let _place = self.places.acquire().await;
            let response = self.answered(call).await?;
            trace::answered(&span, response.status());
            read(response).await
        };
        let outcome = tokio::time::timeout(self.patience.call, answered).await;
        let outcome = outcome.unwrap_or(Err(CallError::TimedOut));
        if let Err(trouble) = &outcome {
            trace::failed(&span, trouble.kind());
        }
        outcome
    }

    fn expect_trust(&self, to: &Uri) -> Result<(), CallError> {
        match &self.untrusting {
            Some(why) if to.scheme_str() == Some("https") => Err(CallError::Untrusted(why.clone())),
            _ => Ok(()),
        }
    }

    async fn answered(&self, call: Call) -> Result<Response<Incoming>, CallError> {
        let mut request = Request::new(Full::new(call.body));
        *request.method_mut() = call.method;
        // The error would name the URL.
        let url = call.url.parse();
        *request.uri_mut() = url.map_err(|_| CallError::Unreached("no valid URL".into()))?;
        *request.headers_mut() = call.headers;
        self.expect_trust(request.uri())?;
        let json = HeaderValue::from_static("application/json");
        request.headers_mut().insert(header::ACCEPT, json);
        let agent = self.agent.clone();
        request.headers_mut().insert(header::USER_AGENT, agent);
        Ok(self.pool.request(request).await?)
    }
}

async fn whole(response: Response<Incoming>) -> Result<Answer, CallError> {
    let (head, body) = response.into_parts();
    let body = Limited::new(body, MAX_ANSWER).collect().await;
    let body = body.map_err(|_| CallError::Cut("the answer's body is cut or too long".into()))?;
    Ok(Answer {
        status: head.status.as_u16(),
        headers: head.headers,
        body: body.to_bytes(),
    })
}

#[cfg(test)]
mod tests;
