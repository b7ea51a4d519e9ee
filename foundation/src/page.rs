//! The page that makes a call: whether it may, and what it can read of the answer.

use crate::refusal::{Reason, Refusal};
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use pos_connect_protocol::ProblemCode;
use serde::Serialize;

/// The page that calls, by its origin; none outside a browser.
pub struct Page(Option<HeaderValue>);

impl Page {
    /// Refuses a page that hides its origin. The program says whether it lets in the others.
    pub fn of<C: Reason>(headers: &HeaderMap) -> Result<Self, Refusal<C>> {
        let origin = headers.get(header::ORIGIN);
        let is_told = origin.map_or(!is_anonymous(headers), |origin| origin.to_str().is_ok());
        match is_told {
            true => Ok(Self(origin.cloned())),
            false => Err(ProblemCode::OriginNotAllowed.into()),
        }
    }

    /// Its origin, as the browser has sent it.
    pub fn origin(&self) -> Option<&str> {
        self.0.as_ref()?.to_str().ok()
    }

    /// An answer that the page may read.
    pub fn answer(&self, content: impl IntoResponse) -> Response {
        let mut response = content.into_response();
        if let Some(origin) = &self.0 {
            let headers = response.headers_mut();
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        }
        response
    }

    /// A JSON answer with status 200.
    pub fn json<C: Reason>(&self, body: &impl Serialize) -> Result<Response, Refusal<C>> {
        let body = serde_json::to_vec(body).map_err(Refusal::fault)?;
        Ok(self.json_text(body))
    }

    /// An answer with status 200, of a text that is JSON already.
    pub fn json_text(&self, body: Vec<u8>) -> Response {
        let json = HeaderValue::from_static("application/json");
        self.answer(([(header::CONTENT_TYPE, json)], body))
    }
}

/// Whether it is what a page can cause without saying who it is: an image, say, or a navigation.
fn is_anonymous(headers: &HeaderMap) -> bool {
    let anonymous = |mode: &HeaderValue| mode == "no-cors" || mode == "navigate";
    headers.get("sec-fetch-mode").is_some_and(anonymous)
}
