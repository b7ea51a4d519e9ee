//! A call: what is requested, and what is sent with it.

use super::config::Config;
use super::endpoint::{self, Method};
use crate::core::error::Operation;

/// What to request.
pub struct Call {
    /// What is called: a status means something else for another one (§7).
    pub operation: Operation,
    /// The method of the endpoint.
    pub method: Method,
    /// With the query: it holds secrets, so it goes nowhere but into the request.
    pub url: String,
    /// What is sent, if anything.
    pub body: Option<Body>,
}

impl Call {
    /// A call without a body, as all calls of the flow are (§4).
    pub const fn bare(operation: Operation, method: Method, url: String) -> Self {
        Self {
            operation,
            method,
            url,
            body: None,
        }
    }

    /// A call for a connected merchant. `external_id`: of the order, where one is looked at.
    pub fn of_merchant(
        config: &Config,
        operation: Operation,
        external_id: &str,
        body: Option<Body>,
    ) -> Self {
        let (method, path) = endpoint::of(operation, external_id);
        Self {
            operation,
            method,
            url: config.operation_url(&path),
            body,
        }
    }
}

/// The body of a call.
pub struct Body {
    /// What is sent.
    pub text: String,
    /// Its media type.
    pub kind: &'static str,
    /// Makes a repeated call the same call.
    pub key: Option<String>,
}

impl Body {
    /// JSON, under a key if it is to be one call however often it is made.
    pub const fn json(text: String, key: Option<String>) -> Self {
        Self {
            text,
            kind: "application/json",
            key,
        }
    }
}
