//! A provider of OpenID Connect, and a browser that goes there and comes back.

use crate::http::{Answer, Call, query};
use crate::world::World;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use pos_connect_foundation::query::Parameters;
use pos_connect_service::Settings;
use pos_connect_service::oidc::{ClaimNames, ProviderSettings};
use pos_connect_service::server::Server;
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::sync::watch;

pub const CLIENT: &str = "ads-connect";
pub const SECRET: &str = "the client's / secret";

/// An ID token before it is signed.
pub struct Token {
    pub header: Value,
    pub claims: Value,
    pub signer: Signer,
}

/// What it is signed with.
pub enum Signer {
    /// The provider's current key.
    Own,
    /// A key of somebody else's.
    Stranger,
    /// A secret that both sides know (HS256).
    Shared(Vec<u8>),
    Nothing,
}

type Change = Box<dyn Fn(&mut Token) + Send>;

/// Who may redeem a code, and for whom.
struct Granted {
    challenge: String,
    redirect_uri: String,
    nonce: String,
    claims: Value,
}

#[derive(Default)]
struct Inner {
    codes: HashMap<String, Granted>,
    /// What is wrong with the next ID tokens.
    change: Option<Change>,
    /// What `/userinfo` says.
    user_info: Option<Value>,
    is_down: bool,
    /// Whether it names itself nowhere in its answers (RFC 9207 is not for it).
    is_unnamed: bool,
    /// Which key it has: one more each time that it is replaced.
    generation: u8,
    /// Paths that were called.
    calls: Vec<String>,
    now: i64,
}

#[derive(Clone)]
pub struct Provider {
    pub url: String,
    inner: Arc<Mutex<Inner>>,
}

/// A provider, a world whose merchants have accounts there, an integration, and its first page.
pub async fn begin() -> (Provider, World, String, Answer) {
    let provider = Provider::start().await;
    let world = provider.world().await;
    let token = world.create().await;
    let form = world.open_connect(&token).await;
    (provider, world, token, form)
}

impl Provider {
    pub async fn start() -> Self {
        let server = Server::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
        let provider = Self {
            url: server.url(),
            inner: Arc::default(),
        };
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(configuration))
            .route("/jwks", get(keys))
            .route("/token", post(token))
            .route("/userinfo", get(user_info))
            .with_state(provider.clone());
        let (stop, stopped) = watch::channel(false);
        tokio::spawn(async move {
            let _stop = stop;
            server.run(router, stopped).await;
        });
        provider
    }

    /// With a key of its own beside that of the first one.
    pub async fn second() -> Self {
        let provider = Self::start().await;
        provider.inner().generation = 100;
        provider
    }

    pub fn settings(&self) -> ProviderSettings {
        ProviderSettings {
            id: "corner".into(),
            issuer: self.url.clone(),
            client_id: CLIENT.into(),
            client_secret: Some(SECRET.into()),
            scopes: vec!["profile".into()],
            name: "Corner Ads".into(),
            logo: None,
            claims: ClaimNames {
                stores: Some("/org/stores".into()),
                ..ClaimNames::default()
            },
        }
    }

    pub async fn world(&self) -> World {
        self.world_with(|_| {}).await
    }

    pub async fn world_with(&self, change: impl FnOnce(&mut Settings)) -> World {
        let mut settings = Settings {
            providers: vec![self.settings()],
            ..Settings::default()
        };
        change(&mut settings);
        World::with(settings).await
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap()
    }

    pub fn change(&self, change: impl Fn(&mut Token) + Send + 'static) {
        self.inner().change = Some(Box::new(change));
    }

    pub fn is_honest_again(&self) {
        self.inner().change = None;
    }

    pub fn says_of_users(&self, claims: Value) {
        self.inner().user_info = Some(claims);
    }

    pub fn set_down(&self, is_down: bool) {
        self.inner().is_down = is_down;
    }

    pub fn does_not_name_itself(&self) {
        self.inner().is_unnamed = true;
    }

    pub fn replace_key(&self) {
        self.inner().generation += 1;
    }

    /// How often a path was called.
    pub fn calls(&self, path: &str) -> usize {
        let inner = self.inner();
        inner.calls.iter().filter(|called| *called == path).count()
    }

    fn heard(&self, path: &str) -> Result<MutexGuard<'_, Inner>, StatusCode> {
        let mut inner = self.inner();
        inner.calls.push(path.to_owned());
        match inner.is_down {
            true => Err(StatusCode::SERVICE_UNAVAILABLE),
            false => Ok(inner),
        }
    }

    pub fn public_key(&self) -> Vec<u8> {
        key(self.inner().generation).public_key().as_ref().to_vec()
    }

    /// The merchant signs in here: what the browser brings back.
    pub fn approve(&self, window: &Window, now: i64, claims: Value) -> Vec<(String, String)> {
        let code = format!("code-{}", self.inner().codes.len());
        let granted = Granted {
            challenge: window.asked("code_challenge"),
            redirect_uri: window.asked("redirect_uri"),
            nonce: window.asked("nonce"),
            claims,
        };
        self.inner().now = now / 1000;
        self.inner().codes.insert(code.clone(), granted);
        let mut said = vec![
            ("code".into(), code),
            ("state".into(), window.asked("state")),
        ];
        if !self.inner().is_unnamed {
            said.push(("iss".into(), self.url.clone()));
        }
        said
    }

    /// A token that says that a merchant has signed out here, with what is wrong with it.
    pub fn logout_token(&self, now: i64, change: impl Fn(&mut Token)) -> String {
        let (now, generation) = (now / 1000, self.inner().generation);
        let event = "http://schemas.openid.net/event/backchannel-logout";
        let mut token = Token {
            header: json!({ "alg": "EdDSA", "typ": "logout+jwt", "kid": format!("key-{generation}") }),
            claims: json!({
                "iss": self.url, "aud": CLIENT, "sub": "m-1", "jti": "once", "events": { event: {} },
                "iat": now, "exp": now + 120,
            }),
            signer: Signer::Own,
        };
        change(&mut token);
        signed(&token, generation)
    }
}

/// Key 255 is a stranger's.
fn key(generation: u8) -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[generation; 32]).unwrap()
}

async fn configuration(State(provider): State<Provider>) -> Response {
    if let Err(status) = provider.heard("configuration") {
        return status.into_response();
    }
    let at = |path: &str| format!("{}/{path}", provider.url);
    let is_named = !provider.inner().is_unnamed;
    Json(json!({
        "issuer": provider.url,
        "authorization_endpoint": at("authorize"),
        "token_endpoint": at("token"),
        "userinfo_endpoint": at("userinfo"),
        "jwks_uri": at("jwks"),
        "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["EdDSA", "HS256", "none"],
        "authorization_response_iss_parameter_supported": is_named,
    }))
    .into_response()
}

async fn keys(State(provider): State<Provider>) -> Response {
    let generation = match provider.heard("jwks") {
        Ok(inner) => inner.generation,
        Err(status) => return status.into_response(),
    };
    let public = BASE64_URL_SAFE_NO_PAD.encode(key(generation).public_key().as_ref());
    let kid = format!("key-{generation}");
    let key = json!({ "kty": "OKP", "crv": "Ed25519", "use": "sig", "alg": "EdDSA", "kid": kid, "x": public });
    Json(json!({ "keys": [key] })).into_response()
}

async fn token(State(provider): State<Provider>, headers: HeaderMap, body: Bytes) -> Response {
    let mut inner = match provider.heard("token") {
        Ok(inner) => inner,
        Err(status) => return status.into_response(),
    };
    let body = std::str::from_utf8(&body).unwrap();
    let names = ["code", "code_verifier", "redirect_uri", "grant_type"];
    let [code, verifier, redirect_uri, grant] = Parameters::parse(body, names)
        .and_then(|parameters| parameters.required(4))
        .unwrap();
    assert_eq!(grant, "authorization_code");
    let mut pair = String::new();
    pos_connect_protocol::query::append(&mut pair, "", SECRET);
    let secret = pair.trim_start_matches("?=").replace("%20", "+");
    let basic = BASE64_STANDARD.encode(format!("{CLIENT}:{secret}"));
    assert_eq!(headers[header::AUTHORIZATION], format!("Basic {basic}"));
    let granted = inner.codes.remove(&*code).filter(|granted| {
        let challenge = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()));
        granted.challenge == challenge && granted.redirect_uri == redirect_uri
    });
    let Some(granted) = granted else {
        let error = Json(json!({ "error": "invalid_grant" }));
        return (StatusCode::BAD_REQUEST, error).into_response();
    };
    let mut claims = json!({
        "iss": provider.url, "aud": CLIENT, "sub": "m-1", "nonce": granted.nonce,
        "iat": inner.now, "exp": inner.now + 300, "auth_time": inner.now,
    });
    merge(&mut claims, granted.claims);
    let mut token = Token {
        header: json!({ "alg": "EdDSA", "kid": format!("key-{}", inner.generation) }),
        claims,
        signer: Signer::Own,
    };
    if let Some(change) = &inner.change {
        change(&mut token);
    }
    let id_token = signed(&token, inner.generation);
    let answer =
        json!({ "access_token": "user-access", "token_type": "Bearer", "id_token": id_token });
    Json(answer).into_response()
}

async fn user_info(State(provider): State<Provider>, headers: HeaderMap) -> Response {
    match provider.heard("userinfo") {
        Ok(inner) => {
            assert_eq!(headers[header::AUTHORIZATION], "Bearer user-access");
            Json(inner.user_info.clone().unwrap_or(json!({ "sub": "m-1" }))).into_response()
        }
        Err(status) => status.into_response(),
    }
}

fn merge(claims: &mut Value, more: Value) {
    for (name, value) in more.as_object().unwrap() {
        claims[name] = value.clone();
    }
}

fn signed(token: &Token, generation: u8) -> String {
    let part = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
    let text = format!("{}.{}", part(&token.header), part(&token.claims));
    let signature = match &token.signer {
        Signer::Own => key(generation).sign(text.as_bytes()).as_ref().to_vec(),
        Signer::Stranger => key(255).sign(text.as_bytes()).as_ref().to_vec(),
        Signer::Shared(secret) => {
            let mut mac = Hmac::<Sha256>::new_from_slice(secret).unwrap();
            mac.update(text.as_bytes());
            mac.finalize().into_bytes().to_vec()
        }
        Signer::Nothing => Vec::new(),
    };
    format!("{text}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature))
}

/// A window on its way to the provider.
pub struct Window {
    /// Where it goes.
    pub url: String,
    /// What it has been given to keep, as it sends it back.
    pub cookie: String,
    /// With all that the service said of it.
    pub set_cookie: String,
}

impl Window {
    /// What the page says that answers the provider's button.
    pub fn of(answer: &Answer) -> Self {
        assert_eq!((answer.status, answer.data("page")), (200, "leave".into()));
        let url = answer.body.split("content=\"0; url=").nth(1).unwrap();
        let url = url.split('"').next().unwrap();
        let set_cookie = answer.header("set-cookie").unwrap().to_owned();
        Self {
            url: url.replace("&#38;", "&").replace("&amp;", "&"),
            cookie: set_cookie.split(';').next().unwrap().into(),
            set_cookie,
        }
    }

    /// A parameter of the request.
    pub fn asked(&self, name: &'static str) -> String {
        let (_, query) = self.url.split_once('?').unwrap();
        let values = Parameters::parse(query, [name]).and_then(|found| found.required(1));
        values.unwrap()[0].to_string()
    }
}

impl World {
    /// Presses the provider's button on a page.
    pub async fn to_provider(&self, page: &Answer) -> Window {
        Window::of(&self.submit(page, &[("action", "provider-corner")]).await)
    }

    /// Comes back with what the provider has said, in a browser with this cookie.
    pub async fn come_back(&self, cookie: &str, said: &[(String, String)]) -> Answer {
        self.come_back_to("corner", cookie, said).await
    }

    /// The same to the address of the provider with this ID.
    pub async fn come_back_to(&self, id: &str, cookie: &str, said: &[(String, String)]) -> Answer {
        let pairs: Vec<_> = said
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect();
        let call = Call::new("GET", format!("/callback-{id}?{}", query(&pairs)));
        self.send(call.header("Cookie", cookie)).await
    }

    /// There and back, as a merchant of whom the provider says this.
    pub async fn by_provider(&self, provider: &Provider, page: &Answer, claims: Value) -> Answer {
        let window = self.to_provider(page).await;
        let said = provider.approve(&window, self.now().0, claims);
        self.come_back(&window.cookie, &said).await
    }
}
