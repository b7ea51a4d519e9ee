//! Counts violations of the till's Content-Security-Policy, for the end-to-end test: there must be none.

use super::till::Till;
use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// There are about thirty directives; anybody can send a report with others.
const MAX_DIRECTIVES: usize = 64;
const MAX_WORD: usize = 64;

/// What was reported since the start.
#[derive(Default)]
pub(super) struct Reports(Mutex<Summary>);

#[derive(Clone, Default, Serialize)]
pub(super) struct Summary {
    violations: u64,
    directives: BTreeSet<String>,
}

/// `GET /csp-report`.
pub(super) async fn show(State(till): State<Till>) -> Json<Summary> {
    Json(
        till.reports
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone(),
    )
}

/// `POST /csp-report`, as browsers send it to a `report-uri`.
pub(super) async fn receive(State(till): State<Till>, body: Bytes) -> StatusCode {
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
    let mut summary = till
        .reports
        .0
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
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
