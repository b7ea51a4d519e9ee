//! What a program answers, as an OpenAPI 3.1 document (<https://spec.openapis.org/oas/v3.1.1.html>), and as a page that
//! people read. The schemas are those of the Rust types; the rest stands beside the handlers.

mod operation;
mod page;

pub use operation::{Answer, Body, Operation, Parameter, Refusal};

use crate::refusal::{self, Reason, only_get};
use axum::http::{Method, header};
use axum::response::{IntoResponse, Response};
use page::Page;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

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

/// Where a program's document is, and its page.
pub const PATHS: [&str; 3] = [DOCUMENT, PAGE, STYLE];
const DOCUMENT: &str = "/openapi.json";
const PAGE: &str = "/reference";
const STYLE: &str = "/openapi.css";

/// The operations at the [`PATHS`].
pub fn operations() -> [Operation; 3] {
    let get = |path, id, summary, (media, kind)| {
        let get = Operation::new("get", path, id).summary(summary);
        get.answers(200, "Done.", Some((media, json!({ "type": kind }))))
    };
    let (document, page, style) = (
        (media::JSON, "object"),
        (media::HTML, "string"),
        (media::CSS, "string"),
    );
    [
        get(DOCUMENT, "getDocument", "This document.", document),
        get(PAGE, "getReference", "This document, for people.", page),
        get(STYLE, "getReferenceStyle", "Its style sheet.", style),
    ]
}

/// The media types of the bodies.
pub mod media {
    /// Data.
    pub const JSON: &str = "application/json";
    /// A page.
    pub const HTML: &str = "text/html; charset=utf-8";
    /// What a page sends.
    pub const FORM: &str = "application/x-www-form-urlencoded";
    /// A style sheet.
    pub const CSS: &str = "text/css; charset=utf-8";
    /// Words.
    pub const TEXT: &str = "text/plain; charset=utf-8";
}

/// The document of one program, as it is served.
pub struct Reference(LazyLock<Result<Document, String>>);

impl Reference {
    /// Put together when it is first asked for.
    pub const fn new(document: fn() -> Result<Document, String>) -> Self {
        Self(LazyLock::new(document))
    }

    /// The document.
    pub fn value(&self) -> Value {
        self.0
            .as_ref()
            .map_or(Value::Null, |document| document.value.clone())
    }

    /// What is at one of the [`PATHS`].
    pub fn answer<C: Reason>(
        &self,
        path: &str,
        method: &Method,
    ) -> Result<Response, refusal::Refusal<C>> {
        only_get(method)?;
        let document = self.0.as_ref().map_err(refusal::Refusal::fault)?;
        Ok(match path {
            DOCUMENT => document.answer(),
            PAGE => document.answer_page(),
            _ => answer_style(),
        })
    }
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

    /// The schema of a body that is written: these members are always there, whatever a reader has to expect.
    pub fn written<T: JsonSchema>(&mut self, members: &[&str]) -> Value {
        let reference = self.of::<T>();
        json!({ "allOf": [reference], "required": members })
    }
}

impl Document {
    /// Puts a document together. `problem` is the schema of the body of a refusal. The error is a fault of the
    /// program's.
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
            if let Some(status) = operation.says_twice() {
                return Err(format!("{} says {status} twice", operation.id));
            }
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

    /// The document as JSON, for programs. Tools run in pages, too, and there is no secret in it.
    fn answer(&self) -> Response {
        let headers = [
            (header::CONTENT_TYPE, media::JSON),
            (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        ];
        (headers, self.value.to_string()).into_response()
    }

    /// The document as HTML, for people. It needs [`answer_style`] beside it, at `openapi.css`.
    fn answer_page(&self) -> Response {
        let policy = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";
        let headers = [
            (header::CONTENT_TYPE, media::HTML),
            (header::CONTENT_SECURITY_POLICY, policy),
        ];
        (headers, self.page.clone()).into_response()
    }
}

/// The style sheet of the page.
fn answer_style() -> Response {
    let headers = [(header::CONTENT_TYPE, media::CSS)];
    (headers, include_str!("style.css")).into_response()
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
    use pos_connect_protocol::ProblemCode;

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
        let greet = Operation::new("post", "/greet/{name}", "greet")
            .summary("Greets.")
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
        let greet = &document.value["paths"]["/greet/{name}"]["post"];
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
        let shape = &document.value["components"]["schemas"]["Greeting"];
        assert_eq!(
            shape["properties"]["words"]["description"],
            "What `Greeting` says."
        );
        assert_eq!(shape["required"], json!(["words"]));
    }

    /// The text of the second would be lost.
    #[test]
    fn an_answer_is_said_once() {
        let about = About {
            title: "Greeter",
            version: "1.0.0",
            description: "",
            security: json!({}),
        };
        let html = || Some(("text/html", json!({})));
        let greet = |media| {
            Operation::new("get", "/greet", "greet")
                .summary("Greets.")
                .answers(400, "Not complete.", html())
                .answers(400, "Nobody there.", Some((media, json!({}))))
        };
        let document =
            |media| Document::new(&about, &[greet(media)], &json!({}), Schemas::default());
        assert_eq!(
            document("text/html").err().as_deref(),
            Some("greet says 400 twice")
        );
        assert!(document("text/plain").is_ok());
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
