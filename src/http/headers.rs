//! The headers that the page adds to each call: how a till proves itself to its relay.

use super::call::Body;
use super::config;
use crate::core::cancellation::{settled, timeout};
use crate::core::error::ErrorCode;
use crate::core::failure::Failure;
use crate::core::object;
use gloo_net::http::Response;
use js_sys::{Function, Object, Reflect};
use pos_connect_protocol::header;
use wasm_bindgen::prelude::*;
use web_sys::Headers;

/// Shorter than any call's, so that headers that do not come are not taken for a service that does not answer.
const LIMIT_MS: f64 = 8_000.0;
const AUTHORIZATION: &str = "authorization";

/// Where the headers come from.
pub enum HeaderSource {
    /// An object, which the page may change between two calls.
    Fixed(Object),
    /// A function of the page, called before each call.
    Ask(Function),
}

/// Names and values that were checked: `fetch` throws on a bad one, with a text that may hold it.
#[derive(Default)]
pub struct HeaderPairs(Vec<(String, String)>);

impl HeaderSource {
    /// Reads the `headers` option: a plain object of texts, which is checked now, or a function. `has_token`: an access
    /// token goes beside them.
    pub fn read(value: &JsValue, has_token: bool) -> Result<Self, Failure> {
        match value.dyn_ref::<Function>() {
            Some(ask) => Ok(Self::Ask(ask.clone())),
            None => {
                let pairs = HeaderPairs::read(value).map_err(unreadable)?;
                if has_token {
                    pairs.check_no_authorization()?;
                }
                Ok(Self::Fixed(value.unchecked_ref::<Object>().clone()))
            }
        }
    }

    /// The headers of the next call. During a pick-up it must stay known that no request left, whatever the page's
    /// function says.
    pub async fn pairs(&self, is_pick_up: bool) -> Result<HeaderPairs, Failure> {
        let ask = match self {
            Self::Fixed(object) => return HeaderPairs::read(object),
            Self::Ask(ask) => ask,
        };
        let failed = |thrown| match is_pick_up {
            true => Failure::caused(ErrorCode::HeadersFailed, thrown),
            false => Failure::of_callback(ErrorCode::HeadersFailed, thrown),
        };
        HeaderPairs::read(&called(ask).await.map_err(failed)?)
    }
}

/// What a function of the page gives. Timed apart: nothing was sent yet, so a pick-up must not count it as unanswered.
async fn called(function: &Function) -> Result<JsValue, JsValue> {
    let given = function.call0(&JsValue::UNDEFINED)?;
    let outcome = timeout(LIMIT_MS, settled(&given)).await;
    outcome.unwrap_or(Err(JsValue::UNDEFINED))
}

/// What the `accessToken` function gives, checked: `fetch` throws on a bad header, with a text that may hold it.
pub async fn access_token(function: &Function) -> Result<String, Failure> {
    let failed = |thrown| Failure::of_callback(ErrorCode::AccessTokenFailed, thrown);
    let given = called(function).await.map_err(failed)?;
    // RFC 6750 §2.1, `b64token`, or anything else of visible characters.
    let is_token =
        |text: &String| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
    let token = given.as_string().filter(is_token);
    token.ok_or_else(|| Failure::new(ErrorCode::AccessTokenFailed))
}

impl HeaderPairs {
    /// Reads a plain object of texts.
    fn read(object: &JsValue) -> Result<Self, Failure> {
        let invalid = |fault: &str| Failure::invalid(&["headers: ", fault].concat());
        let failed = |thrown| Failure::caused(ErrorCode::HeadersFailed, thrown);
        // A Headers, a Map or a promise has no entries to `Object.entries`: its headers would silently not be sent.
        let Some(object) = plain(object).map_err(failed)? else {
            return Err(invalid("is neither a plain object nor a function"));
        };
        let mut pairs = Vec::new();
        for name in object::names(object).map_err(failed)? {
            let value = Reflect::get(object, &name.as_str().into()).map_err(failed)?;
            let Some(value) = value.as_string() else {
                return Err(invalid("a value is not a text"));
            };
            if let Some(fault) = config::header_fault(&name, &value) {
                return Err(invalid(fault));
            }
            pairs.push((name, value));
        }
        Ok(Self(pairs))
    }

    /// Fails if one of them is what `accessToken` sets.
    fn check_no_authorization(&self) -> Result<(), Failure> {
        let is_own = |(name, _): &(String, String)| name.eq_ignore_ascii_case(AUTHORIZATION);
        let fault = "headers: has authorization, which accessToken sets";
        match self.0.iter().any(is_own) {
            true => Err(Failure::invalid(fault)),
            false => Ok(()),
        }
    }

    /// Adds an access token (RFC 6750 §2.1).
    pub fn authorize(&mut self, token: &str) -> Result<(), Failure> {
        self.check_no_authorization()?;
        self.0
            .push((AUTHORIZATION.into(), ["Bearer ", token].concat()));
        Ok(())
    }

    /// Adds what a body needs.
    pub fn describe(&mut self, body: Option<&Body>) {
        let Some(body) = body else {
            return;
        };
        self.0.push(("content-type".into(), body.kind.into()));
        if let Some(key) = &body.key {
            self.0.push((header::IDEMPOTENCY_KEY.into(), key.clone()));
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The headers as `fetch` takes them.
    pub fn to_js(&self) -> Result<Headers, JsValue> {
        // gloo-net's own `new` and `append` trap where these fail.
        let headers = Headers::new()?;
        for (name, value) in &self.0 {
            headers.append(name, value)?;
        }
        Ok(headers)
    }
}

/// The value of a response's header.
pub fn of(response: &Response, name: &str) -> Option<String> {
    // gloo-net's `get` traps on what is not the name of a header.
    response.headers().into_raw().get(name).ok()?
}

/// The object, if it is `{…}`, of whatever realm, or has no prototype at all.
fn plain(value: &JsValue) -> Result<Option<&Object>, JsValue> {
    if !value.is_object() {
        return Ok(None);
    }
    let prototype = Reflect::get_prototype_of(value)?;
    let is_plain = prototype.is_null() || Reflect::get_prototype_of(&prototype)?.is_null();
    Ok(is_plain.then(|| value.unchecked_ref()))
}

/// Names what is at fault: the option, if `create` reads it; later, the headers of a call.
fn unreadable(failure: Failure) -> Failure {
    match failure.cause {
        Some(thrown) => Failure::unreadable("headers", thrown),
        None => failure,
    }
}
