//! One method at one path: what it takes, answers and refuses.

use crate::refusal::{Code, OwnReason};
use pos_connect_protocol::ProblemCode;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// One method at one path.
pub struct Operation {
    /// In lower case.
    pub method: &'static str,
    /// As it is routed: `/v1/orders/{externalId}`.
    pub path: &'static str,
    /// `operationId`: unique, stable.
    pub id: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// Names in the `security` of [`About`](super::About), all needed; none for a public one.
    pub security: &'static [&'static str],
    /// In the query, the path or the headers, beside those of the security.
    pub parameters: Vec<Parameter>,
    /// What it takes.
    pub body: Option<Body>,
    /// What it answers if all is well.
    pub answers: Vec<Answer>,
    /// Why it refuses, in the order of precedence.
    pub refusals: Vec<Refusal>,
    /// Whether its answers in test mode say so.
    pub is_marked: bool,
}

/// A parameter.
#[derive(Clone)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// `query`, `path` or `header`.
    pub place: &'static str,
    /// Whether it must be there.
    pub required: bool,
    /// What it is.
    pub about: &'static str,
    /// A JSON Schema.
    pub schema: Value,
}

/// What an operation takes.
pub struct Body {
    /// Its media types.
    pub media: &'static [&'static str],
    /// A JSON Schema.
    pub schema: Value,
}

/// An answer that is no refusal.
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// What it means.
    pub about: &'static str,
    /// The media type and the JSON Schema of its body, if it has one.
    pub body: Option<(&'static str, Value)>,
}

/// One reason for which an operation refuses.
#[derive(Clone, Copy)]
pub struct Refusal {
    /// The word for programs.
    pub code: &'static str,
    /// The HTTP status.
    pub status: u16,
    /// One sentence for people.
    pub title: &'static str,
}

impl Operation {
    /// An operation that is public, takes nothing and answers nothing yet.
    pub const fn new(method: &'static str, path: &'static str, id: &'static str) -> Self {
        Self {
            method,
            path,
            id,
            summary: "",
            security: &[],
            parameters: Vec::new(),
            body: None,
            answers: Vec::new(),
            refusals: Vec::new(),
            is_marked: false,
        }
    }

    /// Says of its answers in test mode that they are.
    #[must_use]
    pub const fn marked(mut self) -> Self {
        self.is_marked = true;
        self
    }

    /// What it does, in one sentence.
    #[must_use]
    pub const fn summary(mut self, summary: &'static str) -> Self {
        self.summary = summary;
        self
    }

    /// Needs proof.
    #[must_use]
    pub const fn secured(mut self, schemes: &'static [&'static str]) -> Self {
        self.security = schemes;
        self
    }

    /// Takes parameters.
    #[must_use]
    pub fn takes(mut self, parameters: &[Parameter]) -> Self {
        self.parameters.extend_from_slice(parameters);
        self
    }

    /// Takes a body.
    #[must_use]
    pub fn body(mut self, media: &'static [&'static str], schema: Value) -> Self {
        self.body = Some(Body { media, schema });
        self
    }

    /// Answers without a body, or with one of a media type and a JSON Schema.
    #[must_use]
    pub fn answers(
        mut self,
        status: u16,
        about: &'static str,
        body: Option<(&'static str, Value)>,
    ) -> Self {
        self.answers.push(Answer {
            status,
            about,
            body,
        });
        self
    }

    /// Refuses for one of these reasons.
    #[must_use]
    pub fn refuses<C: Into<Refusal> + Copy>(mut self, codes: &[C]) -> Self {
        self.refusals.extend(codes.iter().map(|&code| code.into()));
        self
    }

    /// A status that has two answers in one media type.
    pub(super) fn says_twice(&self) -> Option<u16> {
        let mut said = BTreeSet::new();
        let mut is_new = |answer: &Answer| {
            let media = answer.body.as_ref().map(|(media, _)| *media);
            said.insert((answer.status, media))
        };
        let twice = self.answers.iter().find(|answer| !is_new(answer));
        twice.map(|answer| answer.status)
    }

    pub(super) fn to_json(&self, problem: &Value) -> Value {
        let mut operation = json!({
            "operationId": self.id,
            "summary": self.summary,
            "parameters": self.parameters.iter().map(Parameter::to_json).collect::<Vec<_>>(),
            "responses": self.responses(problem),
        });
        if !self.security.is_empty() {
            let all: Map<_, _> = self
                .security
                .iter()
                .map(|scheme| ((*scheme).to_owned(), json!([])))
                .collect();
            operation["security"] = json!([all]);
        }
        if let Some(body) = &self.body {
            let content: Map<_, _> = body
                .media
                .iter()
                .map(|media| ((*media).to_owned(), json!({ "schema": body.schema })))
                .collect();
            operation["requestBody"] = json!({ "required": true, "content": content });
        }
        operation
    }

    fn responses(&self, problem: &Value) -> Map<String, Value> {
        let mut responses = Map::new();
        for answer in &self.answers {
            let response = responses.entry(answer.status.to_string());
            let response = response.or_insert_with(
                || json!({ "description": answer.about, "headers": headers(answer.status, self.is_marked) }),
            );
            if self.is_repeatable() {
                response["headers"]["Idempotent-Replayed"] = json!({
                    "description": "`true`, if an earlier call with this Idempotency-Key did it.", "required": false,
                    "schema": { "const": "true" },
                });
            }
            if let Some((media, schema)) = &answer.body {
                response["content"][*media] = json!({ "schema": schema });
            }
        }
        for (status, refusals) in self.by_status() {
            let codes: Vec<_> = refusals.iter().map(|refusal| refusal.code).collect();
            let titles: Vec<_> = refusals
                .iter()
                .map(|refusal| format!("`{}`: {}", refusal.code, refusal.title))
                .collect();
            let schema = json!({ "allOf": [problem], "properties": { "code": { "enum": codes } } });
            // A page may say the same in its own way.
            let response = responses.entry(status.to_string());
            let response = response.or_insert_with(
                || json!({ "description": "", "headers": headers(status, self.is_marked) }),
            );
            let before = response["description"].as_str().unwrap_or_default();
            response["description"] = json!([before, &titles.join(" ")].join(" ").trim());
            response["content"]["application/problem+json"] = json!({ "schema": schema });
        }
        responses
    }

    fn is_repeatable(&self) -> bool {
        let mut names = self.parameters.iter().map(|parameter| parameter.name);
        names.any(|name| name == "Idempotency-Key")
    }

    /// The refusals of each status, those that come first at the top.
    pub(super) fn by_status(&self) -> BTreeMap<u16, Vec<Refusal>> {
        let mut all: BTreeMap<u16, Vec<Refusal>> = BTreeMap::new();
        for refusal in &self.refusals {
            all.entry(refusal.status).or_default().push(*refusal);
        }
        all
    }
}

impl From<ProblemCode> for Refusal {
    fn from(code: ProblemCode) -> Self {
        Self {
            code: code.as_str(),
            status: code.status(),
            title: code.title(),
        }
    }
}

impl<O: OwnReason> From<Code<O>> for Refusal {
    fn from(code: Code<O>) -> Self {
        match code {
            Code::Shared(code) => code.into(),
            Code::Own(code) => code.into(),
        }
    }
}

impl<O: OwnReason> From<O> for Refusal {
    fn from(code: O) -> Self {
        let (code, status, title) = code.parts();
        Self {
            code,
            status,
            title,
        }
    }
}

impl Parameter {
    fn to_json(&self) -> Value {
        json!({
            "name": self.name, "in": self.place, "required": self.required, "description": self.about,
            "schema": self.schema,
        })
    }
}

fn headers(status: u16, is_marked: bool) -> Value {
    let text = || json!({ "type": "string" });
    let mut headers = json!({
        "X-Request-Id": { "description": "Finds this call in the log.", "required": true, "schema": text() },
    });
    if is_marked {
        let description = "`true` in test mode, where nothing is real.";
        headers["Test-Mode"] =
            json!({ "description": description, "required": false, "schema": { "const": "true" } });
    }
    match status {
        401 => {
            headers["WWW-Authenticate"] =
                json!({ "description": "`Bearer`", "required": true, "schema": text() });
        }
        415 => {
            let description = "`identity`, where the body's Content-Encoding is why.";
            headers["Accept-Encoding"] =
                json!({ "description": description, "required": false, "schema": text() });
        }
        429 | 502..=504 => {
            let schema = json!({ "type": "integer", "minimum": 0 });
            let description = "Seconds to wait.";
            headers["Retry-After"] =
                json!({ "description": description, "required": status == 429, "schema": schema });
        }
        _ => {}
    }
    headers
}
