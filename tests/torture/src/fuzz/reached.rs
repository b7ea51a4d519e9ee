//! What made-up calls came to: how each operation answered.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use workbench::{Result, files};

/// Answers by method, path and status.
#[derive(Default)]
pub struct Reached(BTreeMap<(String, String, u64), usize>);

/// One operation of a document.
pub struct Operation {
    pub id: String,
    statuses: BTreeMap<u64, usize>,
}

impl Reached {
    /// The calls of a HAR file (<http://www.softwareishard.com/blog/har-12-spec/>).
    pub fn read(file: &Path) -> Result<Self> {
        let text = files::read_text(file)?;
        let har: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        Ok(Self::of(&har))
    }

    fn of(har: &Value) -> Self {
        let mut reached = Self::default();
        for entry in har["log"]["entries"].as_array().into_iter().flatten() {
            let text = |pointer: &str| entry.pointer(pointer).and_then(Value::as_str);
            let method = text("/request/method").unwrap_or_default().to_lowercase();
            let url = text("/request/url").unwrap_or_default();
            let after = url.split_once("://").map_or(url, |(_, rest)| rest);
            let path = after.find('/').map_or("", |at| &after[at..]);
            let path = path.split(['?', '#']).next().unwrap_or_default();
            let status = entry["response"]["status"].as_u64().unwrap_or(0);
            reached.add(&method, path, status);
        }
        reached
    }

    /// One more answer.
    pub fn add(&mut self, method: &str, path: &str, status: u64) {
        let key = (method.to_owned(), path.to_owned(), status);
        *self.0.entry(key).or_default() += 1;
    }

    pub fn calls(&self) -> usize {
        self.0.values().sum()
    }

    pub fn by_operation(&self, document: &Value) -> Vec<Operation> {
        let paths = document["paths"].as_object().into_iter().flatten();
        let all = paths.flat_map(|(template, methods)| {
            let methods = methods.as_object().into_iter().flatten();
            methods.map(move |(method, operation)| (template, method, operation))
        });
        all.map(|(template, method, operation)| {
            let mut statuses = BTreeMap::new();
            for ((called, path, status), count) in &self.0 {
                if called == method && is_at(template, path) {
                    *statuses.entry(*status).or_default() += count;
                }
            }
            Operation {
                id: operation["operationId"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned(),
                statuses,
            }
        })
        .collect()
    }
}

impl Operation {
    pub fn succeeded(&self) -> bool {
        self.statuses
            .keys()
            .any(|status| (200..300).contains(status))
    }
}

impl fmt::Display for Operation {
    /// `getStore 200: 7, 401: 3`
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.id)?;
        for (at, (status, count)) in self.statuses.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(formatter, "{comma} {status}: {count}")?;
        }
        Ok(())
    }
}

/// A place at the end of a template stands for one part of a path.
fn is_at(template: &str, path: &str) -> bool {
    match template.split_once('{') {
        None => template == path,
        Some((before, _)) => path
            .strip_prefix(before)
            .is_some_and(|rest| !rest.is_empty() && !rest.contains('/') && !rest.ends_with(".css")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_operation_that_never_succeeds_is_noticed() {
        let entry = |method: &str, path: &str, status: u64| {
            let url = format!("http://127.0.0.1:1{path}");
            json!({ "request": { "method": method, "url": url }, "response": { "status": status } })
        };
        let entries = [
            entry("GET", "/a?b=c", 200),
            entry("GET", "/a", 404),
            entry("GET", "/a", 404),
            entry("POST", "/o/1", 400),
        ];
        let reached = Reached::of(&json!({ "log": { "entries": entries } }));
        let document = json!({ "paths": {
            "/a": { "get": { "operationId": "getA" } },
            "/o/{id}": { "post": { "operationId": "postO" } },
        } });
        let operations = reached.by_operation(&document);
        let lines: Vec<_> = operations.iter().map(ToString::to_string).collect();
        assert_eq!(lines, ["getA 200: 1, 404: 2", "postO 400: 1"]);
        assert!(operations[0].succeeded() && !operations[1].succeeded());
        assert_eq!(reached.calls(), 4);
    }
}
