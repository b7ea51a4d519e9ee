//! Shows the demo till what the phones of its shoppers would: the newest messages of the file outlet, without their
//! numbers.

use crate::message::masked;
use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

const NEWEST: usize = 20;

/// A line of the outlet's file.
#[derive(Deserialize)]
struct Line {
    id: String,
    phone: String,
    text: String,
    locale: String,
}

/// What the till is told of it.
#[derive(Debug, PartialEq, Serialize)]
struct Shown {
    id: String,
    to: String,
    text: String,
    locale: String,
}

/// `file` is what the messages are written to, if they are.
pub(super) fn router(file: Option<PathBuf>) -> Router {
    Router::new()
        .route("/messages.json", get(show))
        .with_state(file)
}

/// `GET /messages.json`: the oldest first.
async fn show(State(file): State<Option<PathBuf>>) -> Json<Vec<Shown>> {
    let shown = match &file {
        Some(path) => newest(path).await,
        None => Vec::new(),
    };
    Json(shown)
}

async fn newest(path: &Path) -> Vec<Shown> {
    // No file: no message yet.
    let text = tokio::fs::read_to_string(path).await.unwrap_or_default();
    let lines = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    let mut shown: Vec<Shown> = lines
        .map(|line: Line| Shown {
            id: line.id,
            to: masked(&line.phone),
            text: line.text,
            locale: line.locale,
        })
        .collect();
    shown.drain(..shown.len().saturating_sub(NEWEST));
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn numbers_are_masked() {
        let path = std::env::temp_dir().join(format!("messages-{}", std::process::id()));
        let line = r#"{"id":"m","phone":"+972502345678","text":"Hello","locale":"en"}"#;
        std::fs::write(&path, format!("{line}\nhalf a li")).unwrap();
        let shown = newest(&path).await;
        std::fs::remove_file(&path).unwrap();
        assert_eq!(shown.len(), 1);
        assert_eq!(shown[0].to, "•••• 5678");
        assert_eq!(newest(&path).await, []);
    }
}
