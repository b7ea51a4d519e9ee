//! What a provider says when a merchant has signed out there (OpenID Connect Back-Channel Logout 1.0).

use super::client::SignedToken;
use super::fault::SignInFault;
use super::provider::{Provider, SKEW};
use crate::clock::Timestamp;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use openidconnect::{JsonWebTokenType, Nonce};
use serde_json::Value;
use std::time::Duration;

/// The member of `events` that makes a token one of this kind, as a JSON Pointer.
const EVENT: &str = "/events/http:~1~1schemas.openid.net~1event~1backchannel-logout";
/// The `typ` of such tokens; older providers give them that of any token.
const TYPES: [&str; 2] = ["logout+jwt", "JWT"];
/// How old a token may be: providers send them at once, and repeat only what was not heard.
const OLDEST: Duration = Duration::from_secs(5 * 60);

/// Who a token says that it is from. Nothing is checked yet.
pub fn issuer_of(token: &str) -> Option<String> {
    let claims = BASE64_URL_SAFE_NO_PAD.decode(token.split('.').nth(1)?);
    let claims: Value = serde_json::from_slice(&claims.ok()?).ok()?;
    Some(claims.get("iss")?.as_str()?.to_owned())
}

impl Provider {
    /// Checks a logout token, and says whose account it is about.
    pub async fn signed_out(&self, token: &str, now: Timestamp) -> Result<String, SignInFault> {
        let token: SignedToken = token.parse().map_err(|_| SignInFault::Claims)?;
        let types = TYPES.map(|name| JsonWebTokenType::new(name.into()).normalize());
        let types: Vec<_> = types.into_iter().flatten().collect();
        let (oldest, newest) = (now.before(OLDEST).0, now.after(SKEW).0);
        let metadata = self.metadata(now).await?;
        let claims = self.verified(&metadata, now, |verifier| {
            let verifier = verifier
                .set_allowed_jose_types(types.clone())
                .set_issue_time_verifier_fn(move |time| {
                    let is_recent = (oldest..=newest).contains(&time.timestamp_millis());
                    is_recent.then_some(()).ok_or_else(String::new)
                });
            // An ID token, which has one, must not pass for a logout token.
            let without = |nonce: Option<&Nonce>| nonce.map_or(Ok(()), |_| Err(String::new()));
            token.claims(&verifier, without)
        });
        let claims = claims.await?;
        let is_one = claims.pointer(EVENT).is_some_and(Value::is_object);
        let subject = self.settings.claims.subject(&claims);
        subject.filter(|_| is_one).ok_or(SignInFault::Claims)
    }
}
