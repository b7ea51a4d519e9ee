//! What a program answers is what its document says.

use crate::http::Answer;
use jsonschema::Validator;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};

/// The document of a program.
pub struct Contract {
    pub document: Value,
    /// By JSON pointer: each is compiled once.
    validators: Mutex<HashMap<String, Validator>>,
}

impl Contract {
    pub fn new(document: Value) -> Self {
        Self {
            document,
            validators: Mutex::default(),
        }
    }

    /// Fails if an answer is not in the document.
    pub fn hold(&self, method: &str, target: &str, answer: &Answer) {
        if let Err(why) = self.held(method, target, answer) {
            let (path, status) = (path(target), answer.status);
            panic!("{why}: {method} {path} → {status} {}", answer.body);
        }
    }

    pub fn held(&self, method: &str, target: &str, answer: &Answer) -> Result<(), String> {
        if answer.header("x-request-id").is_none() {
            return check(is_early(answer), "no X-Request-Id");
        }
        let Some(template) = self.template(path(target)) else {
            let is_refused = is_problem(answer, method, 404, "not_found");
            return check(is_refused, "a path that is not in the document");
        };
        let operations = &self.document["paths"][template];
        let operation = &operations[method.to_lowercase()];
        if operation.is_null() {
            let is_refused = is_problem(answer, method, 405, "method_not_allowed")
                && answer.header("allow").is_some();
            let allowed = match method {
                "OPTIONS" => {
                    answer.status == 204 && answer.header("access-control-allow-methods").is_some()
                }
                // As a GET, without its body.
                "HEAD" => {
                    let responses = &operations["get"]["responses"];
                    answer.body.is_empty() && !responses[answer.status.to_string()].is_null()
                }
                _ => is_problem(answer, method, 503, "unavailable"),
            };
            return check(
                is_refused || allowed,
                "a method that is not in the document",
            );
        }
        let status = answer.status.to_string();
        let response = &operation["responses"][&status];
        check(!response.is_null(), "a status that is not in the document")?;
        for (name, header) in response["headers"].as_object().into_iter().flatten() {
            let is_there = answer.header(&name.to_lowercase()).is_some();
            check(
                is_there || header["required"] != true,
                &format!("no {name}"),
            )?;
        }
        let promised = response["headers"].as_object();
        let is_promised = |name: &str| {
            let names = promised.into_iter().flatten();
            names
                .map(|(name, _)| name)
                .any(|promised| promised.eq_ignore_ascii_case(name))
        };
        // What else browsers read of a page is no caller's affair.
        let is_page = answer
            .header("content-type")
            .is_some_and(|media| media.starts_with("text/html"));
        let is_read = |name: &str| !is_page || name == "test-mode";
        for (name, _) in answer.headers.iter().filter(|(name, _)| is_read(name)) {
            let is_known = is_of_all_answers(name) || is_promised(name);
            check(is_known, &format!("{name} is not in the document"))?;
        }
        let Some(content) = response["content"].as_object() else {
            return check(answer.body.is_empty(), "a body that is not in the document");
        };
        let media = answer.header("content-type").unwrap_or_default();
        check(
            content.contains_key(media),
            "a media type that is not in the document",
        )?;
        if !media.ends_with("json") {
            return Ok(());
        }
        let escaped = |part: &str| part.replace('~', "~0").replace('/', "~1");
        let pointer = format!(
            "/paths/{}/{}/responses/{status}/content/{}/schema",
            escaped(template),
            method.to_lowercase(),
            escaped(media)
        );
        let mut validators = self
            .validators
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let validator = validators
            .entry(pointer)
            .or_insert_with_key(|pointer| self.validator(pointer));
        let error = validator
            .iter_errors(&answer.json())
            .map(|error| error.to_string())
            .next();
        error.map_or(Ok(()), Err)
    }

    /// The codes that the document has for an operation.
    pub fn promised(&self, method: &str, path: &str) -> BTreeSet<String> {
        let responses = &self.document["paths"][path][method.to_lowercase()]["responses"];
        let codes = |response: &Value| {
            let schema = &response["content"]["application/problem+json"]["schema"];
            let codes = schema["properties"]["code"]["enum"].as_array().cloned();
            codes.unwrap_or_default()
        };
        let all = responses.as_object().unwrap().values().flat_map(codes);
        all.map(|code| code.as_str().unwrap().to_owned()).collect()
    }

    /// The document's path that a path is one of.
    fn template(&self, path: &str) -> Option<&str> {
        let paths = self.document["paths"].as_object().unwrap();
        let is_one = |template: &str| {
            let (parts, asked) = (template.split('/'), path.split('/'));
            let fits = |(part, asked): (&str, &str)| match part.split_once('{') {
                Some((before, _)) => asked.len() > before.len() && asked.starts_with(before),
                None => part == asked,
            };
            parts.clone().count() == asked.clone().count() && parts.zip(asked).all(fits)
        };
        // A path without a place comes before one with a place.
        let mut templates: Vec<_> = paths.keys().filter(|template| is_one(template)).collect();
        templates.sort_by_key(|template| template.contains('{'));
        templates.first().map(|template| template.as_str())
    }

    fn validator(&self, pointer: &str) -> Validator {
        let mut schema = self.document.pointer(pointer).unwrap().clone();
        schema["components"] = self.document["components"].clone();
        jsonschema::draft202012::new(&schema).unwrap()
    }
}

/// What HTTP itself, browsers and caches read, and no caller.
fn is_of_all_answers(name: &str) -> bool {
    const NAMES: [&str; 12] = [
        "cache-control",
        "connection",
        "content-length",
        "content-security-policy",
        "content-type",
        "content-language",
        "date",
        "referrer-policy",
        "transfer-encoding",
        "vary",
        "x-content-type-options",
        "x-robots-tag",
    ];
    let prefixes = ["access-control-", "cross-origin-"];
    NAMES.contains(&name) || prefixes.iter().any(|prefix| name.starts_with(prefix))
}

/// Given before there was a request: to a head that is too long, or to what is no HTTP.
fn is_early(answer: &Answer) -> bool {
    [400, 414, 431].contains(&answer.status) && answer.body.is_empty()
}

/// A problem with this status and code; an answer to `HEAD` has no body that could say the code.
fn is_problem(answer: &Answer, method: &str, status: u16, code: &str) -> bool {
    answer.status == status
        && answer.header("content-type") == Some("application/problem+json")
        && match method {
            "HEAD" => answer.body.is_empty(),
            _ => answer.code() == code,
        }
}

fn check(holds: bool, why: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(why.to_owned()) }
}

fn path(target: &str) -> &str {
    target.split(['?', '#']).next().unwrap_or_default()
}
