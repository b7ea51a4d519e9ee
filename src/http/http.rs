//! One call to the service: its request, and its response as text or as a decided error.

use super::call::Call;
use super::config::Config;
use super::headers::{self, HeaderPairs, HeaderSource};
use crate::core::cancellation::{self, AbortOnDrop, Cancellation, race, timeout};
use crate::core::error::{self, Error, ErrorCode, Operation, Source};
use crate::core::failure::Failure;
use crate::core::{Boxed, global, object};
use gloo_net::http::Response;
use js_sys::{Date, Function, JSON, Reflect};
use pos_connect_protocol::decode::{self, Fault};
use pos_connect_protocol::{MemberProblem, Problem, parameter};
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::*;
use web_sys::{
    AbortController, ReferrerPolicy, RequestCache, RequestCredentials, RequestInit, RequestRedirect,
};

const CALL_TIMEOUT_MS: f64 = 10_000.0;
/// Longer, because giving this response up may cost it.
const TOKEN_CALL_TIMEOUT_MS: f64 = 30_000.0;

#[wasm_bindgen]
extern "C" {
    // Not gloo-net's `send`: it traps if a patched `fetch` throws, rejects with no `Error`, or gives no `Response`. Nor
    // its `Request`, whose headers the interceptors of fetch-intercept replace: they know a URL and its options alone.
    #[wasm_bindgen(catch)]
    fn fetch(url: &str, init: &RequestInit) -> Result<JsValue, JsValue>;
}

/// Makes the calls of one `PosConnect`.
pub struct Http {
    /// The checked options.
    pub config: Config,
    /// What the page adds to each call.
    pub headers: Option<HeaderSource>,
    /// Gives the access token, for a page that calls the service without a relay.
    pub access_token: Option<Function>,
    /// Cancelled when the object is destroyed that makes the calls.
    pub ended: Cancellation,
}

impl Http {
    /// Sends one call and gives the body of a 2xx response. `cancel`, or the time limit of the call, aborts the
    /// request.
    pub fn send<'a>(
        &'a self,
        call: Call,
        cancel: &'a Cancellation,
    ) -> Boxed<'a, Result<String, Failure>> {
        Box::pin(async move {
            // Ends a call whose wait is over, however it ended. After a response, that does nothing.
            let kill = AbortOnDrop(cancellation::controller()?);
            let limit_ms = match call.operation {
                Operation::FetchTokens => TOKEN_CALL_TIMEOUT_MS,
                _ => CALL_TIMEOUT_MS,
            };
            let exchange = timeout(limit_ms, self.exchange(&call, &kill.0));
            let body = race(exchange, cancel).await?;
            body.unwrap_or_else(|| Err(self.unanswered(ErrorCode::Timeout, call.operation).into()))
        })
    }

    async fn exchange(&self, call: &Call, kill: &AbortController) -> Result<String, Failure> {
        let operation = call.operation;
        let token = self.access_token.as_ref();
        let token = token.filter(|_| operation.is_for_merchant());
        // A till's proof may have run out; a function may know a fresh one.
        let mut may_retry = matches!(self.headers, Some(HeaderSource::Ask(_))) || token.is_some();
        loop {
            let mut headers = match &self.headers {
                Some(source) => source.pairs(operation == Operation::FetchTokens).await?,
                None => HeaderPairs::default(),
            };
            if let Some(token) = token {
                headers.authorize(&headers::access_token(token).await?)?;
            }
            headers.describe(call.body.as_ref());
            let fetched = fetched(call, &headers, kill).await;
            let (response, body) =
                fetched.map_err(|_| self.unanswered(ErrorCode::Network, operation))?;
            if response.status() == 401 && std::mem::take(&mut may_retry) {
                continue;
            }
            if response.ok() {
                return Ok(body);
            }
            return Err(self.refused(call, &response, &body).into());
        }
    }

    fn refused(&self, call: &Call, response: &Response, body: &str) -> Error {
        let operation = call.operation;
        let status = response.status();
        let problem: Option<Problem> = JSON::parse(body).ok().and_then(object::read);
        let is_other = problem.is_none() && !body.trim_ascii().is_empty();
        let said = decode::refusal(problem.unwrap_or_default());
        let source = match said.is_service {
            true => Source::Service,
            false if is_other => Source::Intermediary,
            false => Source::Unknown,
        };
        let code = match (
            error::refusal(operation, status, said.code.as_deref()),
            source,
        ) {
            (code @ (ErrorCode::RateLimited | ErrorCode::ServerError), _) => code,
            (_, Source::Intermediary) => ErrorCode::Network,
            (code, _) => code,
        };
        let header = |name| headers::of(response, name);
        let mut error = Error::new(code);
        error.status = Some(status);
        error.pickup_owner = said.pickup;
        error.service_code = said.code.filter(|_| said.is_service);
        error.pointer = said.pointer;
        error.source = Some(source);
        error.retry_after_ms = header("retry-after").and_then(|header| retry_after(&header));
        error.request_id = header("x-request-id")
            .or(said.request_id)
            .filter(|id| error::is_request_id(id));
        self.advised(error, call, said.parameter, said.rule.as_deref())
    }

    /// A refusal with what helps whoever has to mend its cause.
    fn advised(
        &self,
        error: Error,
        call: &Call,
        parameter: Option<&str>,
        rule: Option<&str>,
    ) -> Error {
        let peer = self.peer(call.operation);
        match (error.code, parameter, error.pointer.clone()) {
            (ErrorCode::OriginNotAllowed, ..) => {
                error.detail(&["Add ", &global::origin(), " to the origins of ", &peer, "."])
            }
            (ErrorCode::InvalidClient, ..) => {
                error.detail(&["Compare it with the one that ", &peer, " has."])
            }
            (ErrorCode::Unauthorized, ..) => {
                error.detail(&["Refused by ", &peer, ".", self.missing_credentials_hint()])
            }
            (_, Some(parameter::CLIENT_SECRET), _) if !self.config.has_secret() => error.detail(&[
                "It lacks client_secret, which your relay or back end adds. Is ",
                &*self.config.base_url,
                " one of them, or the service itself?",
            ]),
            (_, Some(name), _) => error.detail(&["It names the parameter ", name, "."]),
            (_, None, Some(pointer)) => error.names_member(&pointer, rule),
            (_, None, None) => {
                // Without the query, which holds secrets.
                let path = call.url.strip_prefix(&*self.config.base_url);
                let path = path.and_then(|path| path.split('?').next());
                let status = error.status.unwrap_or_default().to_string();
                let (method, path) = (call.method.as_str(), path.unwrap_or_default());
                let way = match error.source {
                    Some(Source::Intermediary) => "something on the way to ",
                    _ => "",
                };
                error.detail(&[
                    "Status ", &status, " to ", method, " ", path, ", from ", way, &peer, ".",
                ])
            }
        }
    }

    fn unanswered(&self, code: ErrorCode, operation: Operation) -> Error {
        let peer = self.peer(operation);
        Error::new(code).detail(&["Asked: ", &peer, "."])
    }

    /// Whether the page gave no proof at all, for people.
    fn missing_credentials_hint(&self) -> &'static str {
        let has_proof = self.headers.is_some() || self.access_token.is_some();
        match has_proof || self.config.has_secret() {
            true => "",
            false => " create() got no headers.",
        }
    }

    /// Who answers that call, for people.
    fn peer(&self, operation: Operation) -> String {
        // Only the service itself takes a secret or an access token.
        let has_token = self.access_token.is_some() && operation.is_for_merchant();
        let peer = match self.config.has_secret() || has_token {
            true => "the service at ",
            false => "the relay or back end at ",
        };
        [peer, &*self.config.base_url].concat()
    }
}

/// The response and its body. What the browser throws is dropped: its text may hold the URL.
async fn fetched(
    call: &Call,
    headers: &HeaderPairs,
    kill: &AbortController,
) -> Result<(Response, String), JsValue> {
    let is_secret = call.operation == Operation::FetchTokens;
    // Our own headers bring preflights, and under "no-store" Chromium sends one before each call.
    let cache = match headers.is_empty() || is_secret {
        true => RequestCache::NoStore,
        false => RequestCache::Default,
    };
    let init = object::null_prototype::<RequestInit>();
    init.set_method(call.method.as_str());
    if let Some(body) = &call.body {
        init.set_body(&body.text.as_str().into());
    }
    if !headers.is_empty() {
        init.set_headers(&headers.to_js()?.into());
    }
    init.set_redirect(RequestRedirect::Error);
    init.set_credentials(RequestCredentials::Omit);
    init.set_cache(cache);
    init.set_referrer_policy(ReferrerPolicy::NoReferrer);
    // The page's own signal is never handed to `fetch`, which may be patched to ignore it.
    init.set_signal(Some(&kill.signal()));
    let response = cancellation::settled(&fetch(&call.url, &init)?).await?;
    let response: web_sys::Response = response.dyn_into()?;
    // Throws for a Proxy around one, as some wrappers give; for what is left, the getters do not.
    Reflect::get(&response, &"status".into())?;
    // Not gloo-net's `text`: it traps if the page's own `Response` throws here.
    let body = cancellation::settled(&response.text()?.into()).await?;
    let body = body.as_string().ok_or(JsValue::UNDEFINED)?;
    Ok((Response::from(response), body))
}

/// Reads the body of a 2xx response with one of `decode`'s readers.
pub fn read<B: DeserializeOwned, T>(
    body: &str,
    reader: fn(B) -> Result<T, Fault>,
) -> Result<T, Failure> {
    let unreadable = |source, detail: &[&str]| {
        let mut error = Error::new(ErrorCode::Protocol).detail(detail);
        error.source = Some(source);
        Failure::from(error)
    };
    let other = Source::Intermediary;
    let body = JSON::parse(body).map_err(|_| unreadable(other, &[error::NOT_JSON]))?;
    let body =
        object::read(body).ok_or_else(|| unreadable(other, &["The body is not an object."]))?;
    reader(body).map_err(|Fault { member, problem }| {
        // Every body of the service has `success` (§4).
        let is_other = member == "success" && problem == MemberProblem::Missing;
        let source = if is_other { other } else { Source::Service };
        unreadable(source, &[member, ": ", problem.as_str()])
    })
}

/// Milliseconds that `Retry-After` asks for, in either form (RFC 9110 §10.2.3).
fn retry_after(header: &str) -> Option<f64> {
    error::retry_after_seconds(header).or_else(|| {
        // A date that cannot be read is NaN, which no comparison lets through.
        let wait = Date::parse(header) - Date::now();
        (wait > 0.0).then_some(wait)
    })
}
