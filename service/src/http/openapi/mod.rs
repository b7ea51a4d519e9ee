//! What the service answers, for programs and for people: `/openapi.json`, and `/reference`.
//!
//! Every answer that the tests get is held to it.

mod calls;
mod pages;

use ProblemCode as Code;
use pos_connect_foundation::openapi::{About, Document, Reference, Schemas};
use pos_connect_protocol::{Problem, ProblemCode, parameter};
use serde_json::{Value, json};

pub(super) static REFERENCE: Reference = Reference::new(document);

/// The document, as it is served.
pub fn value() -> Value {
    REFERENCE.value()
}

fn document() -> Result<Document, String> {
    let in_query = |name| json!({ "type": "apiKey", "in": "query", "name": name });
    let about = About {
        title: "Integration authorization service",
        version: env!("CARGO_PKG_VERSION"),
        description: "Connects a point of sale to an advertiser account, and takes its orders. Dates are RFC 3339 in \
                      UTC; amounts are in the minor unit of the currency.",
        security: json!({
            parameter::CLIENT_ID: in_query(parameter::CLIENT_ID),
            parameter::CLIENT_SECRET: in_query(parameter::CLIENT_SECRET),
            "access_token": { "type": "http", "scheme": "bearer" },
        }),
    };
    let mut schemas = Schemas::default();
    let problem = schemas.written::<Problem>(&["success", "code", "title", "status", "requestId"]);
    let mut operations = calls::all(&mut schemas);
    operations.extend(pages::all());
    for operation in &mut operations {
        let place = |code| Code::ALL.iter().position(|known| known.as_str() == code);
        operation
            .refusals
            .sort_by_key(|refusal| place(refusal.code));
    }
    Document::new(&about, &operations, &problem, schemas)
}

/// What any path can answer that counts against the limit on requests.
const LIMITED: &[Code] = &[Code::InternalError, Code::Unavailable];
/// What a form can be.
const FORMED: &[Code] = &[Code::UnsupportedMediaType, Code::ContentTooLarge];

fn text() -> Value {
    json!({ "type": "string" })
}
