//! A request on its way in.

use axum::body::Body;
use axum::http::request::Parts;

/// A request, taken apart: its head is looked at while others wait, which its body does not allow.
pub(super) struct Incoming {
    pub(super) head: Head,
    pub(super) body: Body,
}

/// All of a request but its body.
pub(super) struct Head {
    pub(super) parts: Parts,
    pub(super) has_body: bool,
    /// The id that the answer will have.
    pub(super) id: String,
}
