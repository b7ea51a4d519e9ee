//! One call to the service: the request as DESIGN §5 wants it, and its answer as JSON or as a decided error.

use super::failure::Failure;
use super::old::js;
use super::old::promise::settled;
use super::old::stop::{self, Stops};
use crate::config::{self, Config};
use crate::decode::{self, Fault};
use crate::error::{self, Error, ErrorCode, Operation};
use crate::loose::{Loose, Members};
use std::cell::Cell;
use std::pin::Pin;
use wasm_bindgen::prelude::*;

const CALL_TIMEOUT_MS: f64 = 10_000.0;
/// Shorter than any call's, so that headers that do not come are not taken for a service that does not answer.
const HEADERS_TIMEOUT_MS: f64 = 8_000.0;
/// Longer, because giving this answer up may cost it.
const TOKEN_CALL_TIMEOUT_MS: f64 = 30_000.0;
#[wasm_bindgen(module = "/src/js/page.js")]
extern "C" {
    /// The promise of an answer: `status`, `text`, `retryAfter` and `requestId`. A secret one is kept in no cache, whoever answers.
    fn exchange(
        method: &str,
        url: &str,
        headers: &JsValue,
        signal: &JsValue,
        is_secret: bool,
    ) -> JsValue;
}

/// Makes the calls of one `PosConnect`.
pub struct Http {
    /// The checked options.
    pub config: Config,
    /// What the page adds to each call: `undefined`, a checked object, or a function that is asked before each call.
    pub headers: JsValue,
    /// Whether the object that makes the calls was destroyed.
    pub is_destroyed: Cell<bool>,
}

/// What to ask.
pub struct Call {
    /// Named in errors.
    pub operation: Operation,
    /// `POST`, `GET` or `DELETE`.
    pub method: &'static str,
    /// With the query: it holds secrets, so it goes nowhere but into the request.
    pub url: String,
}

/// A body on its way. Boxed, because each caller would bring its own copy of the wait.
pub type Sent<'a> = Pin<Box<dyn Future<Output = Result<JsValue, Failure>> + 'a>>;

impl Http {
    /// Sends one call and gives the body of a 2xx answer, as text. Stopping or running out of time aborts the request.
    pub fn send<'a>(&'a self, call: Call, stops: &'a Stops) -> Sent<'a> {
        Box::pin(async move {
            let kill = stop::controller();
            let limit = if call.operation == Operation::FetchTokens {
                TOKEN_CALL_TIMEOUT_MS
            } else {
                CALL_TIMEOUT_MS
            };
            let mut answer = None;
            let work = Box::pin(async { answer = Some(self.exchange(&call, &kill).await) });
            let guarded = stops.guard(call.operation, Some(limit), work).await;
            // After an answer, this does nothing.
            stop::abort(&kill);
            guarded?;
            answer.unwrap_or_else(|| Err(Failure::new(ErrorCode::Timeout, call.operation)))
        })
    }

    async fn exchange(&self, call: &Call, kill: &JsValue) -> Result<JsValue, Failure> {
        let operation = call.operation;
        // A till's proof may have run out; a function may know a fresh one.
        let mut may_ask_again = self.headers.is_function();
        loop {
            let headers = self.headers(operation).await?;
            let url = &call.url;
            let is_secret = operation == Operation::FetchTokens;
            let signal = stop::signal_of(kill);
            let fetching = exchange(call.method, url, &headers, &signal, is_secret);
            let answer = settled(&fetching).await;
            let answer = answer.map_err(|_| Failure::new(ErrorCode::Network, operation))?;
            let status = js::number(&answer, "status");
            if status == 401.0 && std::mem::take(&mut may_ask_again) {
                continue;
            }
            if (200.0..300.0).contains(&status) {
                return Ok(js::get(&answer, "text"));
            }
            return Err(refused(operation, status as u16, &answer).into());
        }
    }

    async fn headers(&self, operation: Operation) -> Result<JsValue, Failure> {
        if self.headers.is_undefined() {
            return Ok(JsValue::UNDEFINED);
        }
        if !self.headers.is_function() {
            return header_pairs(&self.headers, operation);
        }
        let failed = |thrown| Failure::caused(ErrorCode::HeadersFailed, operation, thrown);
        let asked = js::ask(&self.headers, js::NONE).map_err(failed)?;
        // Timed apart: nothing was sent yet, so a pick-up must not count it as unanswered.
        let stops = Stops::default();
        let outcome = stops.outcome(operation, Some(HEADERS_TIMEOUT_MS), asked);
        let given = outcome.await?.unwrap_or(Err(JsValue::UNDEFINED));
        header_pairs(&given.map_err(failed)?, operation)
    }
}

/// Checks a plain object of texts, and gives its entries: `fetch` throws on a bad one, with a text that may hold it.
pub fn header_pairs(object: &JsValue, operation: Operation) -> Result<JsValue, Failure> {
    let wrong = |fault| Err(Failure::invalid(operation, fault));
    // A Headers, a Map or a promise has no entries to `Object.entries`: its headers would silently not be sent.
    if !is_plain(object) {
        return wrong("headers: is neither a plain object nor a function");
    }
    let entries = js::on("Object", "entries", object)
        .map_err(|thrown| Failure::caused(ErrorCode::HeadersFailed, operation, thrown))?;
    let rest = js::act(&entries, "slice", js::NONE, js::NONE);
    loop {
        let entry = js::act(&rest, "shift", js::NONE, js::NONE);
        if entry.is_undefined() {
            return Ok(entries);
        }
        let Some(value) = js::get(&entry, "1").as_string() else {
            return wrong("headers: a value is not a text");
        };
        if let Some(fault) = config::header_fault(&js::text(&entry, "0"), &value) {
            return wrong(fault);
        }
    }
}

/// Whether it is `{…}`, of whatever realm, or has no prototype at all.
fn is_plain(value: &JsValue) -> bool {
    if !value.is_object() {
        return false;
    }
    let parent = |value| js::on("Object", "getPrototypeOf", value).unwrap_or(JsValue::NULL);
    let prototype = parent(value);
    prototype.is_null() || parent(&prototype).is_null()
}

/// Reads a body with one of `decode`'s readers.
pub fn read<T>(
    text: &JsValue,
    operation: Operation,
    reader: fn(&dyn Members) -> Result<T, Fault>,
) -> Result<T, Failure> {
    let body = parsed(text).map_err(|_| protocol(operation, &[error::NOT_JSON]))?;
    reader(&object(body, operation)?).map_err(|fault| faulty(fault, operation))
}

fn object(body: JsValue, operation: Operation) -> Result<Parsed, Failure> {
    if body.is_object() && !js::is_a(&body, "Array") {
        return Ok(Parsed(body));
    }
    Err(protocol(operation, &["The body is not an object."]))
}

fn faulty((member, problem): Fault, operation: Operation) -> Failure {
    protocol(operation, &[member, ": ", problem.as_str()])
}

/// A parsed body, an object in it, or one of the vault's.
pub struct Parsed(pub JsValue);

impl Members for Parsed {
    fn get(&self, name: &str) -> Loose {
        loose(js::get(&self.0, name))
    }
}

/// Whatever the page or the service gave.
pub fn loose(value: JsValue) -> Loose {
    if js::is_absent(&value) {
        return Loose::Missing;
    }
    if let Some(value) = value.as_bool() {
        return Loose::Bool(value);
    }
    if let Some(number) = value.as_f64() {
        return Loose::Number(number);
    }
    if let Some(text) = value.as_string() {
        return Loose::Text(text);
    }
    if js::is_a(&value, "Array") {
        return Loose::Other;
    }
    Loose::Members(Box::new(Parsed(value)))
}

fn protocol(operation: Operation, detail: &[&str]) -> Failure {
    Error::new(ErrorCode::Protocol, operation)
        .detail(detail)
        .into()
}

fn parsed(text: &JsValue) -> Result<JsValue, JsValue> {
    js::on("JSON", "parse", text)
}

fn refused(operation: Operation, status: u16, answer: &JsValue) -> Error {
    // What is no object has no members, and says nothing.
    let text = js::get(answer, "text");
    let said = decode::refusal(&Parsed(parsed(&text).unwrap_or(JsValue::NULL)));
    let mut error = Error::new(
        error::refusal(operation, status, said.code.as_deref()),
        operation,
    );
    error.status = Some(status);
    error.pickup = said.pickup;
    error.retry_after_ms = retry_after(&js::get(answer, "retryAfter"));
    error.request_id = js::get(answer, "requestId")
        .as_string()
        .or(said.request_id)
        .filter(|id| error::is_request_id(id));
    match said.parameter {
        Some(name) => error.detail(&["It names the parameter ", name, "."]),
        None => error,
    }
}

fn retry_after(header: &JsValue) -> Option<f64> {
    error::retry_after_seconds(&header.as_string()?).or_else(|| {
        let number = |method, argument| js::on("Date", method, argument).ok()?.as_f64();
        // The date form; an unreadable one is NaN, which no comparison lets through.
        let wait = number("parse", header)? - number("now", js::NONE)?;
        (wait > 0.0).then_some(wait)
    })
}
