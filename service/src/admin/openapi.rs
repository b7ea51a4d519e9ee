//! What the admin API answers, from the table of its routes: `/openapi.json`, and `/reference`.

use super::field::Field;
use super::route::Route;
use ProblemCode as Code;
use pos_connect_foundation::openapi::media::JSON;
use pos_connect_foundation::openapi::{
    self, About, Document, Operation, Parameter, Reference, Schemas,
};
use pos_connect_protocol::admin::AdminProblemCode;
use pos_connect_protocol::{Problem, ProblemCode};
use serde_json::{Map, Value, json};

const CALL: &[Code] = &[
    Code::MalformedRequest,
    Code::MissingToken,
    Code::InvalidToken,
    Code::OriginNotAllowed,
    Code::SlowDown,
    Code::InternalError,
    Code::Unavailable,
];
const QUERY: &[Code] = &[
    Code::UriTooLong,
    Code::RepeatedParameter,
    Code::InvalidParameter,
];
const BODY: &[Code] = &[
    Code::UnsupportedMediaType,
    Code::ContentTooLarge,
    Code::MissingMember,
    Code::InvalidMember,
    Code::UnknownMember,
    Code::RepeatedMember,
];

pub(super) static REFERENCE: Reference = Reference::new(document);

/// The document, as it is served.
pub fn value() -> Value {
    REFERENCE.value()
}

fn document() -> Result<Document, String> {
    let about = About {
        title: "Admin API of the integration authorization service",
        version: env!("CARGO_PKG_VERSION"),
        description: "What the operator's commands do, for a back office with an admin key. Times are RFC 3339 in UTC.",
        security: json!({ "admin_key": { "type": "http", "scheme": "bearer" } }),
    };
    let mut schemas = Schemas::default();
    let problem = schemas.written::<Problem>(&["success", "code", "title", "status", "requestId"]);
    let mut operations: Vec<_> = Route::all()
        .map(|route| operation(route, &mut schemas))
        .collect();
    operations.extend(openapi::operations());
    Document::new(&about, &operations, &problem, schemas)
}

fn operation(route: &Route, schemas: &mut Schemas) -> Operation {
    let mut operation = Operation::new(route.method, route.path, route.id)
        .summary(route.summary)
        .secured(&["admin_key"])
        .refuses(CALL)
        .refuses(&[AdminProblemCode::InsufficientScope])
        .refuses(route.refuses);
    if let Some(name) = route.place() {
        operation = operation.takes(&[Parameter {
            name,
            place: "path",
            required: true,
            about: "Its ID.",
            schema: text(),
        }]);
    }
    operation = match route.takes_body() {
        true => operation.refuses(BODY).body(&[JSON], members(route.takes)),
        false => {
            let taken: Vec<_> = route.takes.iter().map(parameter).collect();
            operation.refuses(QUERY).takes(&taken)
        }
    };
    match route.answers {
        Some(answers) => operation.answers(200, "Done.", Some((JSON, answers(schemas)))),
        None => operation.answers(204, "Done.", None),
    }
}

fn parameter(field: &Field) -> Parameter {
    Parameter {
        name: field.name,
        place: "query",
        required: field.required,
        about: field.about,
        schema: field.rule.schema(),
    }
}

fn members(fields: &[Field]) -> Value {
    let member = |field: &Field| {
        let mut schema = field.rule.schema();
        schema["description"] = field.about.into();
        (field.name.to_owned(), schema)
    };
    let properties: Map<_, _> = fields.iter().map(member).collect();
    let required: Vec<_> = fields
        .iter()
        .filter(|field| field.required)
        .map(|field| field.name)
        .collect();
    json!({ "type": "object", "additionalProperties": false, "required": required, "properties": properties })
}

/// An answer with these members.
pub(super) fn object(mut properties: Value) -> Value {
    properties["success"] = json!({ "const": true });
    let required: Vec<_> = properties
        .as_object()
        .into_iter()
        .flat_map(Map::keys)
        .cloned()
        .collect();
    json!({ "type": "object", "required": required, "properties": properties })
}

/// A page of a list.
pub(super) fn list(name: &str, item: &Value) -> Value {
    let mut page = object(json!({ name: { "type": "array", "items": item } }));
    let about = "The `after` of the next page, while there is one: a page before it may be short, or empty.";
    page["properties"]["next"] = json!({ "type": "string", "description": about });
    page
}

pub(super) fn text() -> Value {
    json!({ "type": "string" })
}

pub(super) fn count() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

pub(super) fn flag() -> Value {
    json!({ "type": "boolean" })
}
