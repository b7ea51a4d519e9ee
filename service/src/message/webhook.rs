//! A receiver of the operator's: each message is POSTed to it, signed as Standard Webhooks 1.0 says
//! (<https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md>).

use super::Message;
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{HeaderMap, Method, Uri};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use pos_connect_foundation::client::{Call, Client, Patience, Trouble};
use pos_connect_foundation::clock::Timestamp;
use pos_connect_foundation::origin::is_loopback;
use serde::Serialize;
use sha2::Sha256;
use std::time::Duration;

/// Of a secret, before its base64.
const PREFIX: &str = "whsec_";
/// The specification's bounds for a key, in bytes.
const KEY_BYTES: std::ops::RangeInclusive<usize> = 24..=64;

/// Where messages are POSTed to. No `Debug`: it holds the secret.
pub struct Webhook {
    url: String,
    key: Vec<u8>,
    client: Client,
}

/// The body.
#[derive(Serialize)]
struct Event<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    timestamp: String,
    data: Data<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Data<'a> {
    to: &'a str,
    text: &'a str,
    locale: &'a str,
}

/// Checks the address: https, or http to this machine, because a number and a link go there.
pub fn check_url(text: &str) -> Result<(), String> {
    let wrong =
        || "webhook: needs https:// (http:// only to this machine), without a user name".to_owned();
    let uri: Uri = text.parse().map_err(|_| wrong())?;
    let authority = uri.authority().ok_or_else(wrong)?;
    let is_safe = match uri.scheme_str() {
        Some("https") => true,
        Some("http") => is_loopback(authority.host()),
        _ => false,
    };
    match is_safe && !authority.as_str().contains('@') && !text.contains('#') {
        true => Ok(()),
        false => Err(wrong()),
    }
}

impl Webhook {
    /// For a checked address. The error never holds the secret.
    pub fn new(url: String, secret: &str) -> Result<Self, String> {
        let wrong = "the secret for messages must be whsec_ and the base64 of 24 to 64 bytes";
        let encoded = secret.strip_prefix(PREFIX).ok_or(wrong)?;
        let key = BASE64_STANDARD.decode(encoded).map_err(|_| wrong)?;
        if !KEY_BYTES.contains(&key.len()) {
            return Err(wrong.into());
        }
        let patience = Patience {
            call: Duration::from_secs(15),
            ..Patience::default()
        };
        let client = Client::new(patience).map_err(|error| error.to_string())?;
        Ok(Self { url, key, client })
    }

    /// Resolves once the receiver has said 2xx; the error names no number.
    pub(super) async fn post(&self, message: &Message, now: Timestamp) -> Result<(), String> {
        let event = Event {
            kind: "receipt.message",
            timestamp: now.to_string(),
            data: Data {
                to: &message.phone,
                text: &message.text,
                locale: message.locale,
            },
        };
        let body = serde_json::to_vec(&event).map_err(|error| error.to_string())?;
        let call = Call {
            method: Method::POST,
            url: self.url.clone(),
            headers: self.headers(&message.id, now.0.div_euclid(1000), &body)?,
            body: body.into(),
        };
        // Whatever the body is: a receiver that has said 2xx has the message.
        match self.client.status(call).await {
            Ok(200..300) => Ok(()),
            Ok(status) => Err(format!("the receiver answered {status}")),
            Err(Trouble::TimedOut) => Err("the receiver did not answer in time".into()),
            Err(Trouble::Unreached(why)) => Err(format!("the receiver was not reached: {why}")),
            Err(Trouble::Cut(why)) => Err(format!("the connection broke: {why}")),
        }
    }

    fn headers(&self, id: &str, seconds: i64, body: &[u8]) -> Result<HeaderMap, String> {
        let signature = format!("v1,{}", signature(&self.key, id, seconds, body));
        let pairs = [
            (header::CONTENT_TYPE, "application/json".to_owned()),
            (HeaderName::from_static("webhook-id"), id.to_owned()),
            (
                HeaderName::from_static("webhook-timestamp"),
                seconds.to_string(),
            ),
            (HeaderName::from_static("webhook-signature"), signature),
        ];
        let value = |text: String| HeaderValue::try_from(text).map_err(|error| error.to_string());
        let pairs = pairs
            .into_iter()
            .map(|(name, text)| Ok((name, value(text)?)));
        pairs.collect()
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
        let url = || "https://hooks.example/receipts".to_owned();
        assert!(Webhook::new(url(), SECRET).is_ok());
        for wrong in [
            "",
            "hunter2",
            "whsec_",
            "whsec_hunter2",
            "whsec_aHVudGVyMg==",
        ] {
            let error = Webhook::new(url(), wrong).err().unwrap();
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
