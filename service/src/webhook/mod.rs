//! A receiver: of the operator's, who sends text messages, or of a vendor's, who wants to know what happens. Each event
//! is POSTed to it, signed as Standard Webhooks 1.0 says
//! (<https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md>).

mod attempt;
mod sender;

pub(crate) use attempt::joined;
pub use sender::WebhookSender;

use crate::retry::{LONGEST_CALL, LONGEST_WAIT};
use crate::token::random_text;
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{HeaderMap, Method};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use pos_connect_foundation::client::{Call, CallError, Client, Patience, retry_after};
use pos_connect_foundation::clock::Timestamp;
use pos_connect_foundation::origin::is_private;
use serde::Serialize;
use sha2::Sha256;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// What stands before the base64 of a secret.
const PREFIX: &str = "whsec_";
/// The specification's bounds for a key, in bytes.
const KEY_BYTES: std::ops::RangeInclusive<usize> = 24..=64;

/// Calls at once: as many as vendors are told at once, with several events each.
const MOST_CALLS: usize = 128;

/// Where events are POSTed to. No `Debug`: it holds secrets.
pub struct Webhook {
    url: String,
    keys: Vec<Vec<u8>>,
    client: Arc<Client>,
}

/// What a receiver is told.
pub(crate) struct Event<'a, D> {
    /// The same at every attempt.
    pub id: &'a str,
    /// As `integration.finished`.
    pub kind: &'a str,
    /// When it happened.
    pub at: Timestamp,
    /// What else there is to know.
    pub data: D,
}

/// The body.
#[derive(Serialize)]
struct Body<'a, D> {
    #[serde(rename = "type")]
    kind: &'a str,
    timestamp: String,
    data: &'a D,
}

/// Why a receiver does not have an event. Names no URL and no value.
#[derive(Debug)]
pub(crate) enum Undelivered {
    /// It answered, and not with 2xx.
    Answered {
        /// The HTTP status.
        status: u16,
        /// How long it wants to be left alone.
        wait: Option<Duration>,
    },
    /// There was no answer: it is not there now.
    Silent(String),
    /// The call could not be written.
    Unwritten(String),
}

impl fmt::Display for Undelivered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answered { status, wait: None } => write!(f, "the receiver answered {status}"),
            Self::Answered {
                status,
                wait: Some(wait),
            } => {
                let seconds = wait.as_secs();
                write!(
                    f,
                    "the receiver answered {status}, and asks to wait for {seconds} s"
                )
            }
            Self::Silent(why) | Self::Unwritten(why) => f.write_str(why),
        }
    }
}

impl Undelivered {
    /// When it is tried again, as far as that is the receiver's wish.
    pub(crate) fn not_before(&self, now: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Answered { wait, .. } => wait.map(|wait| now.after(wait)),
            Self::Silent(_) | Self::Unwritten(_) => None,
        }
    }

    /// Whether the receiver wants to hear nothing any more.
    pub(crate) const fn is_for_good(&self) -> bool {
        matches!(self, Self::Answered { status: 410, .. })
    }
}

impl From<CallError> for Undelivered {
    fn from(trouble: CallError) -> Self {
        Self::Silent(match trouble {
            CallError::TimedOut => "the receiver did not answer in time".into(),
            CallError::Unreached(why) => format!("the receiver was not reached: {why}"),
            CallError::Untrusted(why) => {
                format!("the receiver's certificate is not trusted: {why}")
            }
            CallError::Cut(why) => format!("the connection broke: {why}"),
        })
    }
}

/// The pool of connections to receivers.
pub(crate) fn client() -> Arc<Client> {
    let agent = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));
    let patience = Patience {
        call: LONGEST_CALL,
        concurrency: MOST_CALLS,
        ..Patience::default()
    };
    Arc::new(Client::new(agent, patience))
}

/// A new secret.
pub(crate) fn new_secret() -> String {
    // 32 characters of 62 hold 190 random bits.
    format!("{PREFIX}{}", BASE64_STANDARD.encode(random_text(32)))
}

/// Checks the address: https, or http to this machine, because a number and a link go there.
pub fn check_url(text: &str) -> Result<(), String> {
    let wrong = "webhook: needs https:// (http:// only to this machine), without a user name";
    match is_private(text) && !text.contains('#') {
        true => Ok(()),
        false => Err(wrong.into()),
    }
}

impl Webhook {
    /// Where it is.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// A webhook at a checked address; every secret signs. The error never holds a secret.
    pub(crate) fn new(url: String, secrets: &[&str], client: Arc<Client>) -> Result<Self, String> {
        let keys: Result<_, _> = secrets.iter().map(|secret| key(secret)).collect();
        Ok(Self {
            url,
            keys: keys?,
            client,
        })
    }

    /// Resolves once the receiver has said 2xx.
    pub(crate) async fn post<D: Serialize>(
        &self,
        event: &Event<'_, D>,
        now: Timestamp,
    ) -> Result<(), Undelivered> {
        let body = Body {
            kind: event.kind,
            timestamp: event.at.to_string(),
            data: &event.data,
        };
        let body = serde_json::to_vec(&body);
        let body = body.map_err(|error| Undelivered::Unwritten(error.to_string()))?;
        let headers = self.headers(event.id, now.0.div_euclid(1000), &body);
        let call = Call {
            method: Method::POST,
            url: self.url.clone(),
            headers: headers.map_err(Undelivered::Unwritten)?,
            body: body.into(),
        };
        // Whatever the body is: a receiver that has said 2xx has the event.
        match self.client.head(call).await? {
            (200..300, _) => Ok(()),
            (status, headers) => {
                let wait = retry_after(&headers).map(|wait| wait.min(LONGEST_WAIT));
                Err(Undelivered::Answered { status, wait })
            }
        }
    }

    fn headers(&self, id: &str, seconds: i64, body: &[u8]) -> Result<HeaderMap, String> {
        let signed = |key: &Vec<u8>| format!("v1,{}", signature(key, id, seconds, body));
        let signatures: Vec<_> = self.keys.iter().map(signed).collect();
        let pairs = [
            (header::CONTENT_TYPE, "application/json".to_owned()),
            (HeaderName::from_static("webhook-id"), id.to_owned()),
            (
                HeaderName::from_static("webhook-timestamp"),
                seconds.to_string(),
            ),
            (
                HeaderName::from_static("webhook-signature"),
                signatures.join(" "),
            ),
        ];
        let value = |text: String| HeaderValue::try_from(text).map_err(|error| error.to_string());
        let pairs = pairs
            .into_iter()
            .map(|(name, text)| Ok((name, value(text)?)));
        pairs.collect()
    }
}

/// The error never holds the secret.
fn key(secret: &str) -> Result<Vec<u8>, String> {
    let wrong = "a webhook's secret must be whsec_ and the base64 of 24 to 64 bytes";
    let encoded = secret.strip_prefix(PREFIX).ok_or(wrong)?;
    let key = BASE64_STANDARD.decode(encoded).map_err(|_| wrong)?;
    match KEY_BYTES.contains(&key.len()) {
        true => Ok(key),
        false => Err(wrong.into()),
    }
}

/// HMAC-SHA256 of the id, the time and the body, with a period between them.
fn signature(key: &[u8], id: &str, seconds: i64, body: &[u8]) -> String {
    // It takes a key of any length.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else {
        return String::new();
    };
    mac.update(format!("{id}.{seconds}.").as_bytes());
    mac.update(body);
    BASE64_STANDARD.encode(mac.finalize().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    /// The example of the specification's reference libraries.
    #[test]
    fn a_signature_is_as_the_reference_makes_it() {
        let key = BASE64_STANDARD.decode(&SECRET[PREFIX.len()..]).unwrap();
        let body = br#"{"test": 2432232314}"#;
        let signed = signature(&key, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, body);
        assert_eq!(signed, "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn a_secret_that_is_none_is_refused_and_not_repeated() {
        assert!(key(SECRET).is_ok() && key(&new_secret()).is_ok());
        for wrong in [
            "",
            "hunter2",
            "whsec_",
            "whsec_hunter2",
            "whsec_aHVudGVyMg==",
        ] {
            let error = key(wrong).unwrap_err();
            assert!(
                error.contains("whsec_ and the base64") && !error.contains("hunter2"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_number_goes_to_nobody_in_the_open() {
        for good in [
            "https://hooks.example/a?b=c",
            "http://127.0.0.1:9000/",
            "http://[::1]:9000",
            "http://localhost/x",
        ] {
            assert!(check_url(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "hooks.example",
            "http://hooks.example",
            "http://127.0.0.1.example",
            "ftp://localhost",
            "https://user:hunter2@hooks.example",
        ] {
            assert!(!check_url(bad).unwrap_err().contains("hunter2"), "{bad}");
        }
    }
}
