//! Stands for the back end of a vendor without a relay: gets the tokens from the demo till, refreshes them, and gives
//! the till the access token. It knows the browser that has connected by a cookie, as a vendor's knows its till by its
//! login, and keeps all in memory.

use super::config::DemoConfig;
use crate::router;
use crate::service::Service;
use crate::token::{Hash, Kind};
use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Request, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, put};
use axum::{Json, Router};
use pos_connect_protocol::{parameter, path, query};
use serde::Deserialize;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;
use tower::ServiceExt;

/// How long before an access token expires there is another one.
const EARLY: Duration = Duration::from_secs(5 * 60);
const LONGEST_ANSWER: usize = 64 << 10;
const MOST_BROWSERS: usize = 100;
const COOKIE: &str = "demo-till";

/// What a till hands over. No `Debug`: it holds the tokens.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tokens {
    access_token: String,
    refresh_token: String,
}

struct Held {
    browser: Hash,
    tokens: Tokens,
    until: Instant,
}

/// The back end.
pub(super) struct BackEnd {
    service: Service,
    client_id: String,
    client_secret: String,
    held: Mutex<VecDeque<Held>>,
}

impl BackEnd {
    /// The back end of a demo whose till has no relay.
    pub(super) fn new(service: Service, config: &DemoConfig) -> Self {
        Self {
            service,
            client_id: config.client_id.clone(),
            client_secret: config.client_secret.clone().unwrap_or_default(),
            held: Mutex::default(),
        }
    }

    pub(super) fn router(self) -> Router {
        Router::new()
            .route("/back-end/tokens", put(take).delete(forget))
            .route("/back-end/access-token", get(give))
            .with_state(Arc::new(self))
    }

    fn hold(&self, browser: Hash, tokens: Tokens) -> Held {
        let lifetime = self.service.settings.lifetimes.access.saturating_sub(EARLY);
        Held {
            browser,
            tokens,
            until: Instant::now() + lifetime,
        }
    }

    /// Another pair for this refresh token; `None` if the service has none.
    async fn refreshed(&self, refresh_token: &str) -> Option<Tokens> {
        let mut form = String::new();
        for (name, value) in [
            (parameter::CLIENT_ID, &*self.client_id),
            (parameter::CLIENT_SECRET, &*self.client_secret),
            (parameter::GRANT_TYPE, parameter::GRANT_REFRESH),
            (parameter::REFRESH_TOKEN, refresh_token),
        ] {
            query::append(&mut form, name, value);
        }
        let form = form.trim_start_matches('?').to_owned();
        let request = Request::post(path::TOKEN)
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(Body::from(form))
            .ok()?;
        let service = router(self.service.clone());
        let answer = service.oneshot(request).await.ok()?;
        let body = to_bytes(answer.into_body(), LONGEST_ANSWER).await.ok()?;
        serde_json::from_slice(&body).ok()
    }
}

/// The browser that sends this, if it has a cookie of ours.
fn browser(headers: &HeaderMap) -> Option<Hash> {
    let cookies = headers.get_all(header::COOKIE).into_iter();
    let mut pairs = cookies
        .filter_map(|cookies| cookies.to_str().ok())
        .flat_map(|text| text.split(';'));
    let value = pairs.find_map(|pair| pair.trim().strip_prefix(COOKIE)?.strip_prefix('='))?;
    Kind::Login.digest(value)
}

/// `PUT /back-end/tokens`: the till hands them over. Its browser gets a new cookie: the one that it came with may be
/// somebody else's idea.
async fn take(
    State(back_end): State<Arc<BackEnd>>,
    headers: HeaderMap,
    Json(tokens): Json<Tokens>,
) -> Response {
    let value = Kind::Login.mint();
    let mut held = back_end.held.lock().await;
    held.retain(|one| Some(one.browser) != browser(&headers));
    held.truncate(MOST_BROWSERS - 1);
    held.push_front(back_end.hold(Hash::of(&value), tokens));
    // Not `Secure`: the demo's till is on plain http, on a loopback address as a rule.
    let cookie = format!("{COOKIE}={value}; Path=/back-end; HttpOnly; SameSite=Strict");
    (StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]).into_response()
}

/// `DELETE /back-end/tokens`: the connection of this browser is over.
async fn forget(State(back_end): State<Arc<BackEnd>>, headers: HeaderMap) -> StatusCode {
    let mut held = back_end.held.lock().await;
    held.retain(|one| Some(one.browser) != browser(&headers));
    StatusCode::NO_CONTENT
}

/// `GET /back-end/access-token`: one that is valid, as text; 204 for a browser that has not connected.
async fn give(State(back_end): State<Arc<BackEnd>>, headers: HeaderMap) -> Response {
    let none = StatusCode::NO_CONTENT.into_response();
    let Some(browser) = browser(&headers) else {
        return none;
    };
    let mut held = back_end.held.lock().await;
    let Some(place) = held.iter().position(|one| one.browser == browser) else {
        return none;
    };
    if held[place].until <= Instant::now() {
        match back_end.refreshed(&held[place].tokens.refresh_token).await {
            Some(fresh) => held[place] = back_end.hold(browser, fresh),
            None => drop(held.remove(place)),
        }
    }
    match held.get(place).filter(|one| one.browser == browser) {
        Some(one) => one.tokens.access_token.clone().into_response(),
        None => none,
    }
}
