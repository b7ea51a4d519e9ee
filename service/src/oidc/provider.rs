//! One provider: what it says of itself, and the calls to it.

use super::attempt::Attempt;
use super::claims::Profile;
use super::client::{
    Caller, Metadata, OidcClient, TokenClaims, Tokens, Verifier, describe, unparsed,
};
use super::fault::SignInFault;
use super::settings::ProviderSettings;
use crate::clock::Timestamp;
use axum::http::header::AUTHORIZATION;
use axum::http::{Request, StatusCode};
use openidconnect::core::{
    CoreAuthPrompt, CoreClientAuthMethod, CoreJwsSigningAlgorithm, CoreResponseType,
};
use openidconnect::{
    AsyncHttpClient, AuthType, AuthenticationFlow, AuthorizationCode, ClaimsVerificationError,
    ClientId, ClientSecret, CsrfToken, IssuerUrl, LanguageTag, Nonce, OAuth2TokenResponse,
    PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, RequestTokenError, Scope,
    SignatureVerificationError, TokenResponse, UserInfoUrl,
};
use pos_connect_foundation::client::Client;
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};
use tokio::sync::Mutex;

/// How long what a provider says of itself is believed.
const FRESH: Duration = Duration::from_secs(60 * 60);
/// How long no other call for it follows one, whoever writes key IDs into tokens.
const PAUSE: Duration = Duration::from_secs(60);
/// How long none follows while nothing is known, so that a provider that is back is soon used.
const PAUSE_IN_IGNORANCE: Duration = Duration::from_secs(5);
/// How far the provider's clock may be behind, and how old a login may be when the merchant comes to it.
pub(super) const SKEW: Duration = Duration::from_secs(60);
/// Who has a public key can verify and not sign: `none` and the algorithms of a shared secret are never accepted.
const ALGORITHMS: [CoreJwsSigningAlgorithm; 8] = [
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha384,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha512,
    CoreJwsSigningAlgorithm::RsaSsaPssSha256,
    CoreJwsSigningAlgorithm::RsaSsaPssSha512,
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EcdsaP384Sha384,
    CoreJwsSigningAlgorithm::EdDsa,
];

/// What is known of a provider.
#[derive(Default)]
struct Known {
    metadata: Option<Arc<Metadata>>,
    fetched_at: Option<Timestamp>,
    tried_at: Option<Timestamp>,
}

/// A provider.
pub struct Provider {
    /// What the operator says of it.
    pub settings: ProviderSettings,
    caller: Caller,
    known: Mutex<Known>,
}

impl Provider {
    /// Calls nobody yet. `settings.issuer` is a checked one.
    pub fn new(settings: ProviderSettings, client: Arc<Client>) -> Self {
        Self {
            caller: Caller::new(client, &settings.issuer),
            settings,
            known: Mutex::default(),
        }
    }

    /// Where the browser goes to sign in.
    pub async fn sign_in_url(
        &self,
        attempt: &Attempt,
        state: &str,
        redirect_url: &str,
        now: Timestamp,
    ) -> Result<String, SignInFault> {
        let metadata = self.metadata(now).await?;
        let client = self.oidc(&metadata, redirect_url)?;
        let (state, nonce) = (state.to_owned(), attempt.nonce());
        let verifier = PkceCodeVerifier::new(attempt.verifier());
        let scopes = self.settings.scopes.iter().cloned().map(Scope::new);
        let (url, ..) = client
            .authorize_url(
                AuthenticationFlow::<CoreResponseType>::AuthorizationCode,
                move || CsrfToken::new(state),
                move || Nonce::new(nonce),
            )
            .add_scopes(scopes)
            // The window may be the till's: who signed in there before must not be the one that connects.
            .add_prompt(CoreAuthPrompt::Login)
            // Not 0: some providers ask for ever, as each login is older than that when they look.
            .set_max_age(SKEW)
            .add_ui_locale(LanguageTag::new(attempt.lang.clone()))
            .set_pkce_challenge(PkceCodeChallenge::from_code_verifier_sha256(&verifier))
            .url();
        Ok(url.into())
    }

    /// Whether an answer is this provider's: a mixed-up one would send the code of one provider to another (RFC 9207).
    pub async fn check_issuer(&self, iss: Option<&str>, now: Timestamp) -> Result<(), SignInFault> {
        let is_right = match iss {
            Some(iss) => iss == self.settings.issuer,
            None => !self.metadata(now).await?.additional_metadata().is_sent,
        };
        is_right.then_some(()).ok_or(SignInFault::OtherIssuer)
    }

    /// Takes the code to the provider, and reads who has signed in.
    pub async fn redeem(
        &self,
        attempt: &Attempt,
        code: &str,
        redirect_url: &str,
        (began_at, now): (Timestamp, Timestamp),
    ) -> Result<Profile, SignInFault> {
        let metadata = self.metadata(now).await?;
        let client = self.oidc(&metadata, redirect_url)?;
        let tokens = self.exchange(&client, attempt, code).await?;
        let token = tokens.id_token().ok_or(SignInFault::Code)?;
        let nonce = Nonce::new(attempt.nonce());
        let oldest = began_at.before(SKEW).0;
        let claims = self.verified(&metadata, now, |verifier| {
            let verifier = verifier.set_auth_time_verifier_fn(move |time| match time {
                Some(time) if time.timestamp_millis() < oldest => Err(String::new()),
                _ => Ok(()),
            });
            token.claims(&verifier, &nonce)
        });
        let mut claims = claims.await?;
        if !self.settings.claims.are_in(&claims)
            && let Some(url) = client.user_info_url()
        {
            let more = self.user_info(url, &tokens, &claims).await?;
            if let (Value::Object(claims), Value::Object(more)) = (&mut claims, more) {
                for (name, value) in more {
                    claims.entry(name).or_insert(value);
                }
            }
        }
        self.settings.claims.read(&claims).map_err(|claim| {
            tracing::warn!(
                issuer = self.settings.issuer,
                claim,
                "a claim of the provider's is missing, or cannot be read"
            );
            SignInFault::Claims
        })
    }

    /// The tokens for a code.
    async fn exchange(
        &self,
        client: &OidcClient,
        attempt: &Attempt,
        code: &str,
    ) -> Result<Tokens, SignInFault> {
        let request = client
            .exchange_code(AuthorizationCode::new(code.to_owned()))
            .map_err(|_| SignInFault::Unreached)?
            .set_pkce_verifier(PkceCodeVerifier::new(attempt.verifier()));
        let unread = |why: &str| self.unread("token", why);
        let tokens = request.request_async(&self.caller).await;
        tokens.map_err(|error| match error {
            RequestTokenError::ServerResponse(answer) => {
                self.refused(answer.error().as_ref());
                SignInFault::Code
            }
            RequestTokenError::Request(why) => unread(&why.to_string()),
            RequestTokenError::Parse(error, _) => unread(&unparsed(&error.path().to_string())),
            RequestTokenError::Other(why) => unread(&why),
        })
    }

    /// The claims of a token that `check` finds right. A key that may be new is asked for once.
    pub(super) async fn verified<'t>(
        &self,
        metadata: &Arc<Metadata>,
        now: Timestamp,
        check: impl Fn(Verifier<'_>) -> Result<&'t TokenClaims, ClaimsVerificationError>,
    ) -> Result<Value, SignInFault> {
        let verify = |metadata: &Metadata| {
            let time = UNIX_EPOCH + Duration::from_millis(now.0.unsigned_abs());
            let client = self.oidc(metadata, "https://unused.invalid").ok();
            let verifier = client.as_ref().map(OidcClient::id_token_verifier);
            let verifier = verifier
                .ok_or(ClaimsVerificationError::Other(String::new()))?
                .set_allowed_algs(ALGORITHMS)
                .set_time_fn(move || time.into());
            Ok(serde_json::to_value(check(verifier)?).unwrap_or_default())
        };
        let verified = match verify(metadata) {
            // A key that has no ID, and is replaced by another one, makes the signature wrong.
            Err(ClaimsVerificationError::SignatureVerification(
                SignatureVerificationError::NoMatchingKey
                | SignatureVerificationError::CryptoError(_),
            )) => verify(&*self.renewed(metadata, now).await?),
            verified => verified,
        };
        verified.map_err(|error| SignInFault::from(&error))
    }

    /// What the provider says beside the ID token, of the same subject. The library would refuse all of it for a
    /// standard claim in another form, as an address that is one text, which nobody here asks for.
    async fn user_info(
        &self,
        url: &UserInfoUrl,
        tokens: &Tokens,
        claims: &Value,
    ) -> Result<Value, SignInFault> {
        let unread = |why: &str| self.unread("userinfo", why);
        let access = format!("Bearer {}", tokens.access_token().secret());
        let request = Request::get(url.as_str()).header(AUTHORIZATION, access);
        let request = request.body(Vec::new());
        let request = request.map_err(|_| unread("a token that fits in no header"))?;
        let answer = self.caller.call(request).await;
        let answer = answer.map_err(|why| unread(&why.to_string()))?;
        if answer.status() != StatusCode::OK {
            return Err(unread(&format!("it answered {}", answer.status().as_u16())));
        }
        let more: Value =
            serde_json::from_slice(answer.body()).map_err(|_| unread("this is no JSON"))?;
        let is_of_the_same = more["sub"].is_string() && more["sub"] == claims["sub"];
        is_of_the_same.then_some(more).ok_or(SignInFault::Claims)
    }

    /// Tells the operator why the provider says no, if that is a word as RFC 6749 has them.
    pub fn refused(&self, error: &str) {
        let is_word = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
        let is_one = error.len() <= 40 && error.bytes().all(is_word);
        let error = if is_one { error } else { "another word" };
        let issuer = &self.settings.issuer;
        tracing::warn!(issuer, error, "the provider refuses a sign-in");
    }

    /// Tells the operator which answer is none of a provider, and why.
    fn unread(&self, endpoint: &str, cause: &str) -> SignInFault {
        let issuer = &self.settings.issuer;
        tracing::error!(
            issuer,
            endpoint,
            cause,
            "the provider's answer cannot be read"
        );
        SignInFault::Unreached
    }

    fn oidc(&self, metadata: &Metadata, redirect_url: &str) -> Result<OidcClient, SignInFault> {
        let ProviderSettings {
            client_id,
            client_secret,
            ..
        } = &self.settings;
        let redirect_url = RedirectUrl::new(redirect_url.to_owned());
        let redirect_url = redirect_url.map_err(|_| SignInFault::Unreached)?;
        let methods = metadata.token_endpoint_auth_methods_supported();
        // Basic is what a provider that says nothing takes (Discovery §3).
        let is_basic = methods
            .is_none_or(|methods| methods.contains(&CoreClientAuthMethod::ClientSecretBasic));
        let client = OidcClient::from_provider_metadata(
            metadata.clone(),
            ClientId::new(client_id.clone()),
            client_secret.clone().map(ClientSecret::new),
        );
        Ok(client
            .set_redirect_uri(redirect_url)
            .set_auth_type(match is_basic {
                true => AuthType::BasicAuth,
                false => AuthType::RequestBody,
            }))
    }

    /// What the provider says of itself: as it was read, for a while, or while the provider is away.
    pub(super) async fn metadata(&self, now: Timestamp) -> Result<Arc<Metadata>, SignInFault> {
        let mut known = self.known.lock().await;
        let is_fresh = known.fetched_at.is_some_and(|at| is_within(FRESH, at, now));
        match &known.metadata {
            Some(metadata) if is_fresh => Ok(metadata.clone()),
            _ => self.fetch(&mut known, now).await,
        }
    }

    /// What the provider says of itself, read again, unless it was just now, or by somebody else meanwhile.
    async fn renewed(
        &self,
        used: &Arc<Metadata>,
        now: Timestamp,
    ) -> Result<Arc<Metadata>, SignInFault> {
        let mut known = self.known.lock().await;
        match &known.metadata {
            Some(metadata) if !Arc::ptr_eq(metadata, used) => Ok(metadata.clone()),
            _ => self.fetch(&mut known, now).await,
        }
    }

    /// Asks it what it says of itself; the error says what is wrong with that.
    async fn discovered(&self) -> Result<Metadata, String> {
        let issuer = IssuerUrl::new(self.settings.issuer.clone());
        let issuer = issuer.map_err(|_| "the issuer is no URL")?;
        let found = Metadata::discover_async(issuer, &self.caller).await;
        found.map_err(|error| describe(&error))
    }

    /// Whether merchants could sign in now, as far as the provider's configuration says it: how many keys it signs
    /// with, or what is wrong.
    pub async fn examine(&self) -> Result<usize, String> {
        let metadata = self.discovered().await?;
        let algorithms = metadata.id_token_signing_alg_values_supported();
        if !algorithms
            .iter()
            .any(|algorithm| ALGORITHMS.contains(algorithm))
        {
            return Err("it signs ID tokens with none of the accepted algorithms".into());
        }
        match metadata.jwks().keys().len() {
            0 => Err("it has no keys".into()),
            count => Ok(count),
        }
    }

    async fn fetch(&self, known: &mut Known, now: Timestamp) -> Result<Arc<Metadata>, SignInFault> {
        let pause = match known.metadata {
            Some(_) => PAUSE,
            None => PAUSE_IN_IGNORANCE,
        };
        let is_too_soon = known.tried_at.is_some_and(|at| is_within(pause, at, now));
        if !is_too_soon {
            known.tried_at = Some(now);
            match self.discovered().await {
                Ok(metadata) => {
                    known.metadata = Some(Arc::new(metadata));
                    known.fetched_at = Some(now);
                }
                Err(cause) => {
                    let issuer = &self.settings.issuer;
                    tracing::error!(
                        issuer,
                        cause,
                        "the configuration of the provider cannot be read"
                    );
                }
            }
        }
        known.metadata.clone().ok_or(SignInFault::Unreached)
    }
}

/// A clock that was set back makes it old, too.
fn is_within(span: Duration, at: Timestamp, now: Timestamp) -> bool {
    at <= now && now < at.after(span)
}
