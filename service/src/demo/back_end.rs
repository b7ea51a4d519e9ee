//! Stands for the back end of a vendor without a relay: gets the tokens from the demo till, refreshes them, and gives
//! the till the access token. One for all tills of the demo, in memory.

use super::config::DemoConfig;
use crate::router;
use crate::service::Service;
use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::http::{Request, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, put};
use axum::{Json, Router};
use pos_connect_protocol::{parameter, path, query};
use serde::Deserialize;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;
use tower::ServiceExt;

/// Before an access token expires, there is another one.
const EARLY: Duration = Duration::from_secs(5 * 60);
const LONGEST_ANSWER: usize = 64 << 10;

/// What a till hands over. No `Debug`: it holds the tokens.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tokens {
    access_token: String,
    refresh_token: String,
}

struct Held {
    tokens: Tokens,
    until: Instant,
}

/// The back end.
pub(super) struct BackEnd {
    service: Service,
    client_id: String,
    client_secret: String,
    held: Mutex<Option<Held>>,
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
            .route("/back-end/tokens", put(take))
            .route("/back-end/access-token", get(give))
            .with_state(Arc::new(self))
    }

    fn hold(&self, tokens: Tokens) -> Held {
        let lifetime = self.service.settings.lifetimes.access.saturating_sub(EARLY);
        Held {
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

/// `PUT /back-end/tokens`: the till hands them over.
async fn take(State(back_end): State<Arc<BackEnd>>, Json(tokens): Json<Tokens>) -> StatusCode {
    let held = back_end.hold(tokens);
    *back_end.held.lock().await = Some(held);
    StatusCode::NO_CONTENT
}

/// `GET /back-end/access-token`: one that is valid, as text; 404 without any.
async fn give(State(back_end): State<Arc<BackEnd>>) -> Response {
    let mut held = back_end.held.lock().await;
    if let Some(old) = held.take_if(|held| held.until <= Instant::now()) {
        let fresh = back_end.refreshed(&old.tokens.refresh_token).await;
        *held = fresh.map(|tokens| back_end.hold(tokens));
    }
    match &*held {
        Some(held) => held.tokens.access_token.clone().into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
