//! One call to the service: the request as DESIGN §5 wants it, and its answer as JSON or as a decided error.

use super::failure::Failure;
use super::stop::Stops;
use super::timer;
use crate::config::{self, Config};
use crate::decode::{self, Fault, Refusal};
use crate::error::{self, Error, ErrorCode, Operation};
use crate::loose::{Loose, Members};
use gloo_net::http::{Method, Request, RequestBuilder};
use js_sys::{Array, Date, Function, JSON, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, AbortSignal, ReferrerPolicy, RequestCache, RequestCredentials,
    RequestRedirect, Response,
};

const CALL_TIMEOUT_MS: f64 = 10_000.0;
/// Shorter than any call's, so that headers that do not come are not taken for a service that does not answer.
const HEADERS_TIMEOUT_MS: f64 = 8_000.0;
/// Longer, because giving this answer up may cost it.
const TOKEN_CALL_TIMEOUT_MS: f64 = 30_000.0;

/// Where a call's headers come from.
pub enum Headers {
    /// Checked by the bindings.
    Fixed(JsValue),
    /// Asked before each call.
    Ask(Function),
}

/// Makes the calls of one `PosConnect`.
pub struct Http {
    /// The checked options.
    pub config: Config,
    /// What the page adds to each call.
    pub headers: Option<Headers>,
}

/// What to ask.
pub struct Call {
    /// Named in errors.
    pub operation: Operation,
    /// `POST`, `GET` or `DELETE`.
    pub method: Method,
    /// With the query: it holds secrets, so it goes nowhere but into the request.
    pub url: String,
}

impl Http {
    /// Sends one call and gives the parsed body of a 2xx answer. Stopping or running out of time aborts the request.
    pub async fn send(&self, call: &Call, stops: &Stops) -> Result<JsValue, Failure> {
        let kill = AbortController::new()
            .map_err(|_| Failure::new(ErrorCode::UnsupportedBrowser, call.operation))?;
        let limit = if call.operation == Operation::FetchTokens {
            TOKEN_CALL_TIMEOUT_MS
        } else {
            CALL_TIMEOUT_MS
        };
        let exchange = timer::within(limit, self.exchange(call, kill.signal()));
        let result = stops.unless_stopped(call.operation, exchange).await;
        match result {
            Ok(Some(answer)) => answer,
            Ok(None) => {
                kill.abort();
                Err(Failure::new(ErrorCode::Timeout, call.operation))
            }
            Err(stopped) => {
                kill.abort();
                Err(stopped)
            }
        }
    }

    async fn exchange(&self, call: &Call, signal: AbortSignal) -> Result<JsValue, Failure> {
        let mut response = self.request(call, &signal).await?;
        // A till's proof may have run out; a function may know a fresh one.
        if response.status() == 401 && matches!(self.headers, Some(Headers::Ask(_))) {
            response = self.request(call, &signal).await?;
        }
        let status = response.status();
        let text = body_text(&response, call.operation).await?;
        if !(200..300).contains(&status) {
            return Err(refused(call.operation, status, &response.headers(), &text).into());
        }
        if status == 204 {
            return Ok(JsValue::NULL);
        }
        JSON::parse(&text).map_err(|_| protocol(call.operation, error::NOT_JSON).into())
    }

    async fn request(&self, call: &Call, signal: &AbortSignal) -> Result<Response, Failure> {
        let operation = call.operation;
        let mut request = RequestBuilder::new(&call.url)
            .method(call.method.clone())
            .redirect(RequestRedirect::Error)
            .credentials(RequestCredentials::Omit)
            .cache(RequestCache::NoStore)
            .referrer_policy(ReferrerPolicy::NoReferrer)
            .abort_signal(Some(signal));
        for (name, value) in self.header_pairs(operation).await? {
            request = request.header(&name, &value);
        }
        let failed = |_| Failure::new(ErrorCode::Network, operation);
        let request: Request = request.build().map_err(|_| failed(JsValue::UNDEFINED))?;
        // Not gloo-net's `send`: it panics on whatever a patched `fetch` throws that is no Error, or gives that is no Response.
        let promise = fetch(&request.into()).map_err(failed)?;
        let answer = JsFuture::from(Promise::resolve(&promise)).await;
        answer.map_err(failed)?.dyn_into().map_err(failed)
    }

    async fn header_pairs(&self, operation: Operation) -> Result<Vec<(String, String)>, Failure> {
        match &self.headers {
            None => Ok(Vec::new()),
            Some(Headers::Fixed(object)) => header_pairs(object, operation),
            Some(Headers::Ask(function)) => {
                let failed =
                    |thrown| Failure::new(ErrorCode::HeadersFailed, operation).caused_by(thrown);
                let asked = function.call0(&JsValue::UNDEFINED).map_err(failed)?;
                // Timed apart: nothing was sent yet, so a pick-up must not count it as unanswered.
                let given =
                    timer::within(HEADERS_TIMEOUT_MS, JsFuture::from(Promise::resolve(&asked)));
                let given = given
                    .await
                    .unwrap_or(Err(JsValue::UNDEFINED))
                    .map_err(failed)?;
                header_pairs(&given, operation)
            }
        }
    }
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch)]
    fn fetch(request: &web_sys::Request) -> Result<JsValue, JsValue>;
    // js-sys's own does not catch what a getter of the page's throws.
    #[wasm_bindgen(catch, js_namespace = Object)]
    fn entries(object: &JsValue) -> Result<Array, JsValue>;
}

/// Reads a plain object of texts, each checked: `fetch` throws on a bad one, and gloo-net turns that into a panic.
pub fn header_pairs(
    object: &JsValue,
    operation: Operation,
) -> Result<Vec<(String, String)>, Failure> {
    let wrong = |detail: &'static str| {
        Failure::from(Error {
            operation,
            ..config::invalid(detail)
        })
    };
    // A Headers, a Map or a promise has no entries to `Object.entries`: its headers would silently not be sent.
    if !is_plain(object) {
        return Err(wrong("headers: is neither a plain object nor a function"));
    }
    let entries = entries(object)
        .map_err(|thrown| Failure::new(ErrorCode::HeadersFailed, operation).caused_by(thrown))?;
    let mut pairs = Vec::new();
    for entry in entries.iter() {
        let entry = Array::from(&entry);
        let (Some(name), Some(value)) = (entry.get(0).as_string(), entry.get(1).as_string()) else {
            return Err(wrong("headers: a value is not a text"));
        };
        if let Some(fault) = config::header_fault(&name, &value) {
            return Err(wrong(fault));
        }
        pairs.push((name, value));
    }
    Ok(pairs)
}

/// Whether it is `{…}`, of whatever realm, or has no prototype at all.
fn is_plain(value: &JsValue) -> bool {
    let parent =
        |value: &JsValue| Reflect::get_prototype_of(value).map_or(JsValue::NULL, Into::into);
    value.is_object() && (parent(value).is_null() || parent(&parent(value)).is_null())
}

/// Reads a body with one of `decode`'s readers.
pub fn read<T>(
    body: JsValue,
    operation: Operation,
    reader: impl FnOnce(Members) -> Result<T, Fault>,
) -> Result<T, Failure> {
    let Loose::Members(body) = loose(body) else {
        return Err(protocol(operation, "The body is not an object.").into());
    };
    reader(body).map_err(|(member, problem)| {
        protocol(operation, [member, ": ", problem.as_str()].concat()).into()
    })
}

/// Any value of the page's or the wire's; what is no JSON is `Other`.
pub fn loose(value: JsValue) -> Loose {
    serde_wasm_bindgen::from_value(value).unwrap_or(Loose::Other)
}

fn protocol(operation: Operation, detail: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::new(ErrorCode::Protocol, operation).detail(detail)
}

/// The body; a cut one is a network failure.
async fn body_text(response: &Response, operation: Operation) -> Result<String, Failure> {
    let failed = |_| Failure::new(ErrorCode::Network, operation);
    let promise = response.text().map_err(failed)?;
    let text = JsFuture::from(promise).await.map_err(failed)?;
    Ok(text.as_string().unwrap_or_default())
}

fn refused(operation: Operation, status: u16, headers: &web_sys::Headers, text: &str) -> Error {
    let said = match JSON::parse(text).map(loose) {
        Ok(Loose::Members(body)) => decode::refusal(body),
        _ => Refusal::default(),
    };
    let code = error::refusal(operation, status, said.code.as_deref());
    let header = |name| headers.get(name).ok().flatten();
    let request_id = header("x-request-id")
        .or(said.request_id)
        .filter(|id| error::is_request_id(id));
    let detail = said
        .parameter
        .map(|name| ["It names the parameter ", name, "."].concat().into());
    Error {
        detail,
        status: Some(status),
        retry_after_ms: header("retry-after").and_then(|header| retry_after(&header)),
        request_id,
        ..Error::new(code, operation)
    }
}

fn retry_after(header: &str) -> Option<f64> {
    error::retry_after_seconds(header).or_else(|| {
        // The date form; an unreadable one is NaN, which no comparison lets through.
        let wait = Date::parse(header) - Date::now();
        (wait > 0.0).then_some(wait)
    })
}
