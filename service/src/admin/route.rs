//! The table of routes.

use super::field::Field;
use super::{Asked, Code, Refusal, account, audit, erasure, message, token_set, vendor};
use pos_connect_foundation::openapi::Schemas;
use pos_connect_protocol::admin::Scope;
use serde_json::Value;
use std::collections::BTreeSet;
use std::pin::Pin;

/// What a route answers: an object, or nothing (204).
pub(super) type Answering = Pin<Box<dyn Future<Output = Result<Option<Value>, Refusal>> + Send>>;

/// One method at one path.
pub(super) struct Route {
    /// In lower case.
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    /// `operationId`.
    pub(super) id: &'static str,
    /// One sentence.
    pub(super) summary: &'static str,
    /// What the key needs.
    pub(super) scope: Scope,
    /// Whether it contains an incident: a full disk does not stop it.
    pub(super) contains: bool,
    /// In the query of a `GET`, else in the body.
    pub(super) takes: &'static [Field],
    /// For reasons of its own.
    pub(super) refuses: &'static [Code],
    /// The members of its answer; `None`: nothing (204).
    pub(super) answers: Option<fn(&mut Schemas) -> Value>,
    pub(super) run: fn(Asked) -> Answering,
}

impl Route {
    /// A route that takes and answers nothing yet.
    pub(super) const fn new(
        method: &'static str,
        path: &'static str,
        id: &'static str,
        scope: Scope,
        run: fn(Asked) -> Answering,
    ) -> Self {
        Self {
            method,
            path,
            id,
            summary: "",
            scope,
            contains: false,
            takes: &[],
            refuses: &[],
            answers: None,
            run,
        }
    }

    pub(super) const fn says(mut self, summary: &'static str) -> Self {
        self.summary = summary;
        self
    }

    pub(super) const fn contains(mut self) -> Self {
        self.contains = true;
        self
    }

    pub(super) const fn takes(mut self, fields: &'static [Field]) -> Self {
        self.takes = fields;
        self
    }

    pub(super) const fn refuses(mut self, codes: &'static [Code]) -> Self {
        self.refuses = codes;
        self
    }

    pub(super) const fn answers(mut self, schema: fn(&mut Schemas) -> Value) -> Self {
        self.answers = Some(schema);
        self
    }

    /// Every route.
    pub(super) fn all() -> impl Iterator<Item = &'static Self> {
        let all = [
            vendor::ROUTES,
            account::ROUTES,
            token_set::ROUTES,
            erasure::ROUTES,
            message::ROUTES,
            audit::ROUTES,
        ];
        all.into_iter().flatten()
    }

    pub(super) fn is(&self, method: &str) -> bool {
        self.method.to_ascii_uppercase() == method
    }

    pub(super) fn takes_body(&self) -> bool {
        self.method != "get" && !self.takes.is_empty()
    }

    /// The name of the place in its path.
    pub(super) fn place(&self) -> Option<&'static str> {
        let (_, rest) = self.path.split_once('{')?;
        rest.split_once('}').map(|(name, _)| name)
    }

    /// The ID in a request's path, byte for byte.
    pub(super) fn id_in<'p>(&self, path: &'p str) -> &'p str {
        let before = self
            .path
            .split_once('{')
            .map_or(self.path, |(before, _)| before);
        let rest = path.strip_prefix(before).unwrap_or_default();
        rest.split('/').next().unwrap_or_default()
    }
}

pub(super) fn paths() -> BTreeSet<&'static str> {
    Route::all().map(|route| route.path).collect()
}

/// The methods of a path, for `Allow`.
pub(super) fn allowed(path: &str) -> &'static str {
    let methods = Route::all().filter(|route| route.path == path);
    match methods.map(|route| route.method).collect::<Vec<_>>()[..] {
        ["get"] => "GET",
        ["put"] => "PUT",
        ["get", "post"] => "GET, POST",
        _ => "POST",
    }
}

#[cfg(test)]
mod tests {
    use super::super::field::PARAMETERS;
    use super::*;

    #[test]
    fn each_route_is_allowed_and_all_that_it_takes_is_read() {
        for route in Route::all() {
            let of_path = Route::all().filter(|other| other.path == route.path);
            let methods: Vec<_> = of_path.map(|other| other.method.to_uppercase()).collect();
            assert_eq!(allowed(route.path), methods.join(", "), "{}", route.path);
            let is_read = |field: &Field| route.takes_body() || PARAMETERS.contains(&field.name);
            assert!(route.takes.iter().all(is_read), "{}", route.id);
        }
    }
}
