//! Counts violations of the till's Content-Security-Policy, for the end-to-end test: there must be none.

use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use axum::{Json, Router};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// There are about thirty directives; anybody can send a report with others.
const MAX_DIRECTIVES: usize = 64;
const MAX_WORD: usize = 64;

/// What was reported since the start.
type Reports = Arc<Mutex<Summary>>;

#[derive(Clone, Default, Serialize)]
struct Summary {
    violations: u64,
    directives: BTreeSet<String>,
}

pub(super) fn router() -> Router {
    Router::new()
        .route("/csp-report", get(show).post(receive))
        .with_state(Reports::default())
}

/// `GET /csp-report`.
async fn show(State(reports): State<Reports>) -> Json<Summary> {
    let summary = reports.lock().unwrap_or_else(PoisonError::into_inner);
    Json(summary.clone())
}

/// `POST /csp-report`, as browsers send it to a `report-uri`.
async fn receive(State(reports): State<Reports>, body: Bytes) -> StatusCode {
    let Ok(report) = serde_json::from_slice::<Value>(&body) else {
        return StatusCode::BAD_REQUEST;
    };
    let report = &report["csp-report"];
    let word = |name: &str| {
        report[name]
            .as_str()
            .and_then(|text| text.split(' ').next())
            .unwrap_or_default()
    };
    let directive = match word("effective-directive") {
        "" => word("violated-directive"),
        directive => directive,
    };
    let directive: String = directive
        .chars()
        .filter(|c| c.is_ascii_lowercase() || *c == '-')
        .take(MAX_WORD)
        .collect();
    let blocked = blocked_origin(word("blocked-uri"));
    tracing::warn!(
        directive,
        blocked,
        "the till's content security policy was violated"
    );
    let mut summary = reports.lock().unwrap_or_else(PoisonError::into_inner);
    summary.violations += 1;
    if summary.directives.len() < MAX_DIRECTIVES {
        summary.directives.insert(directive);
    }
    StatusCode::NO_CONTENT
}

/// A blocked URL may carry a secret in its query: only scheme, host and port are logged.
fn blocked_origin(uri: &str) -> String {
    let end = uri
        .match_indices('/')
        .nth(2)
        .map_or(uri.len(), |(slash, _)| slash);
    uri[..end]
        .split(['?', '#'])
        .next()
        .unwrap_or_default()
        .chars()
        .filter(char::is_ascii_graphic)
        .take(MAX_WORD)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_origin_of_what_was_blocked_is_kept() {
        assert_eq!(
            blocked_origin("https://a.example/x?client_secret=1"),
            "https://a.example"
        );
        assert_eq!(
            blocked_origin("https://a.example?client_secret=1"),
            "https://a.example"
        );
        assert_eq!(blocked_origin("inline"), "inline");
        assert_eq!(blocked_origin("trusted-types-sink"), "trusted-types-sink");
    }
}
