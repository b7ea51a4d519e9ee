//! What a program answers, as an OpenAPI 3.1 document (<https://spec.openapis.org/oas/v3.1.1.html>), and as a page that
//! people read. The schemas are those of the Rust types; the rest stands beside the handlers.

mod page;

use axum::http::header;
use axum::response::{IntoResponse, Response};
use page::Page;
use pos_connect_protocol::ProblemCode;
use pos_connect_protocol::relay::RelayProblemCode;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

const COMPONENTS: &str = "/components/schemas";

/// What is said of the program as a whole.
pub struct About {
    /// Its name.
    pub title: &'static str,
    /// Its release.
    pub version: &'static str,
    /// What it is for.
    pub description: &'static str,
    /// `securitySchemes`: how callers prove who they are.
    pub security: Value,
}

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
    /// Names in [`About::security`], all needed; none for a public one.
    pub security: &'static [&'static str],
    /// In the query, the path or the headers, beside those of the security.
    pub parameters: Vec<Parameter>,
    /// What it takes.
    pub body: Option<Body>,
    /// What it answers if all is well.
    pub answers: Vec<Answer>,
    /// Why it refuses, in the order of precedence.
    pub refusals: Vec<Refusal>,
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

/// The document of one program.
pub struct Document {
    value: Value,
    page: String,
}

/// Gathers the schemas of bodies.
pub struct Schemas(SchemaGenerator);

impl Default for Schemas {
    fn default() -> Self {
        let settings = SchemaSettings::draft2020_12().with(|settings| {
            settings.definitions_path = COMPONENTS.into();
            settings.meta_schema = None;
        });
        Self(settings.into_generator())
    }
}

impl Schemas {
    /// A reference to the schema of a body.
    pub fn of<T: JsonSchema>(&mut self) -> Value {
        self.0.subschema_for::<T>().to_value()
    }

    /// The same of a body that is written: these members are always there, whatever a reader has to expect.
    pub fn written<T: JsonSchema>(&mut self, members: &[&str]) -> Value {
        let reference = self.of::<T>();
        json!({ "allOf": [reference], "required": members })
    }
}

impl Document {
    /// Puts a document together. `problem` is the schema of the body of a refusal. The error is a fault of the program's.
    pub fn new(
        about: &About,
        operations: &[Operation],
        problem: &Value,
        mut schemas: Schemas,
    ) -> Result<Self, String> {
        let mut schemas = Value::Object(schemas.0.take_definitions(true));
        in_plain_words(&mut schemas);
        let mut paths: Map<String, Value> = Map::new();
        for operation in operations {
            let path = paths.entry(operation.path).or_insert_with(|| json!({}));
            path[operation.method] = operation.to_json(problem);
        }
        Ok(Self {
            page: Page::of(about, operations, &schemas)?,
            value: json!({
                "openapi": "3.1.1",
                "info": {
                    "title": about.title, "version": about.version, "description": about.description,
                    "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
                },
                "paths": paths,
                "components": { "schemas": schemas, "securitySchemes": about.security },
            }),
        })
    }

    /// As JSON.
    pub const fn value(&self) -> &Value {
        &self.value
    }

    /// As JSON, for programs. Tools run in pages, too, and there is no secret in it.
    pub fn answer(&self) -> Response {
        let headers = [
            (header::CONTENT_TYPE, "application/json"),
            (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        ];
        (headers, self.value.to_string()).into_response()
    }

    /// As HTML, for people. It needs [`answer_style`] beside it, at `openapi.css`.
    pub fn answer_page(&self) -> Response {
        let policy = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
        let headers = [
            (header::CONTENT_TYPE, "text/html; charset=utf-8"),
            (header::CONTENT_SECURITY_POLICY, policy),
        ];
        (headers, self.page.clone()).into_response()
    }
}

/// The style sheet of the page.
pub fn answer_style() -> Response {
    let headers = [(header::CONTENT_TYPE, "text/css; charset=utf-8")];
    (headers, include_str!("style.css")).into_response()
}

impl Operation {
    /// One that is public, takes nothing and answers nothing yet.
    pub const fn new(
        method: &'static str,
        path: &'static str,
        id: &'static str,
        summary: &'static str,
    ) -> Self {
        Self {
            method,
            path,
            id,
            summary,
            security: &[],
            parameters: Vec::new(),
            body: None,
            answers: Vec::new(),
            refusals: Vec::new(),
        }
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

    fn to_json(&self, problem: &Value) -> Value {
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
                || json!({ "description": answer.about, "headers": headers(answer.status) }),
            );
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
            let response = response
                .or_insert_with(|| json!({ "description": "", "headers": headers(status) }));
            let before = response["description"].as_str().unwrap_or_default();
            response["description"] = json!([before, &titles.join(" ")].join(" ").trim());
            response["content"]["application/problem+json"] = json!({ "schema": schema });
        }
        responses
    }

    /// The refusals of each status, those that come first at the top.
    fn by_status(&self) -> BTreeMap<u16, Vec<Refusal>> {
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

impl From<RelayProblemCode> for Refusal {
    fn from(code: RelayProblemCode) -> Self {
        Self {
            code: code.as_str(),
            status: code.status(),
            title: code.title(),
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

fn headers(status: u16) -> Value {
    let text = || json!({ "type": "string" });
    let mut headers = json!({
        "X-Request-Id": { "description": "Finds this call in the log.", "required": true, "schema": text() },
    });
    match status {
        401 => {
            headers["WWW-Authenticate"] =
                json!({ "description": "`Bearer`", "required": true, "schema": text() });
        }
        429 | 503 => {
            let schema = json!({ "type": "integer", "minimum": 0 });
            let description = "Seconds to wait.";
            headers["Retry-After"] =
                json!({ "description": description, "required": status == 429, "schema": schema });
        }
        _ => {}
    }
    headers
}

/// The descriptions are doc comments: links of Rust's are words here.
fn in_plain_words(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::String(text) if name == "description" => {
                        *text = text
                            .replace("[`", "`")
                            .replace("`]", "`")
                            .replace('\n', " ");
                    }
                    value => in_plain_words(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(in_plain_words),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Greets.
    #[derive(JsonSchema)]
    #[allow(dead_code)]
    struct Greeting {
        /// What [`Greeting`] says.
        words: Vec<String>,
        to: Option<u32>,
    }

    fn document() -> Document {
        let about = About {
            title: "Greeter",
            version: "1.0.0",
            description: "Greets <people>.",
            security: json!({ "key": { "type": "http", "scheme": "bearer" } }),
        };
        let mut schemas = Schemas::default();
        let greeting = schemas.of::<Greeting>();
        let greet = Operation::new("post", "/greet/{name}", "greet", "Greets.")
            .secured(&["key"])
            .answers(200, "Greeted.", Some(("application/json", greeting)))
            .refuses(&[
                ProblemCode::MissingParameter,
                ProblemCode::RepeatedParameter,
                ProblemCode::SlowDown,
            ]);
        Document::new(&about, &[greet], &json!({}), schemas).unwrap()
    }

    #[test]
    fn what_an_operation_answers_is_in_the_document() {
        let document = document();
        let greet = &document.value()["paths"]["/greet/{name}"]["post"];
        assert_eq!(greet["security"], json!([{ "key": [] }]));
        let ok = &greet["responses"]["200"];
        let schema = &ok["content"]["application/json"]["schema"];
        assert_eq!(schema["$ref"], "#/components/schemas/Greeting");
        let refused = &greet["responses"]["400"]["content"]["application/problem+json"]["schema"];
        assert_eq!(
            refused["properties"]["code"]["enum"],
            json!(["missing_parameter", "repeated_parameter"])
        );
        assert_eq!(
            greet["responses"]["429"]["headers"]["Retry-After"]["required"],
            true
        );
        let shape = &document.value()["components"]["schemas"]["Greeting"];
        assert_eq!(
            shape["properties"]["words"]["description"],
            "What `Greeting` says."
        );
        assert_eq!(shape["required"], json!(["words"]));
    }

    #[test]
    fn the_page_shows_the_same() {
        let document = document();
        let page = &document.page;
        for shown in [
            "POST",
            "/greet/{name}",
            "repeated_parameter",
            "429",
            "list of string",
            "Greets &#60;people&#62;.",
        ] {
            assert!(page.contains(shown), "{shown} in {page}");
        }
    }
}
