//! What the relay answers, for programs and for people: `/openapi.json`, and `/reference`.
//!
//! Every answer that the tests get is held to it.

use crate::till::LONGEST_NAME;
use crate::upstream::ONE_ORDER;
use ProblemCode as Code;
use RelayProblemCode as Own;
use pos_connect_foundation::openapi::media::{JSON, TEXT};
use pos_connect_foundation::openapi::{
    self, About, Document, Operation, Parameter, Reference, Schemas,
};
use pos_connect_protocol::customer::{Customer, CustomersResponse};
use pos_connect_protocol::order::{Order, OrderResponse};
use pos_connect_protocol::relay::{
    self, AddedTillResponse, ConnectionResponse, RelayProblemCode, TillsResponse,
};
use pos_connect_protocol::sealing::KeysResponse;
use pos_connect_protocol::store::{StoreProfile, StoreResponse};
use pos_connect_protocol::{
    CreateResponse, Problem, ProblemCode, StatusResponse, TokenResponse, parameter, path,
};
use serde_json::{Value, json};

/// Who calls; what any path can answer that counts against the limit on requests.
const TILL: &[Code] = &[
    Code::MalformedRequest,
    Code::OriginNotAllowed,
    Code::SlowDown,
    Code::InternalError,
    Code::Unavailable,
];
/// A strict query.
const QUERY: &[Code] = &[
    Code::UriTooLong,
    Code::MissingParameter,
    Code::RepeatedParameter,
    Code::InvalidParameter,
    Code::InvalidClient,
];
/// What can become of a call to the service.
const UPSTREAM: &[Own] = &[
    Own::UpstreamRefused,
    Own::UpstreamBlocked,
    Own::UpstreamUnexpected,
    Own::UpstreamUnavailable,
    Own::UpstreamTimeout,
];
/// What the service says of a till's body; the relay passes it back.
const SERVICE: &[Code] = &[
    Code::StorageQuota,
    Code::InvalidIdempotencyKey,
    Code::UnsupportedMediaType,
    Code::ContentTooLarge,
    Code::TooManyItems,
    Code::MissingMember,
    Code::InvalidMember,
    Code::UnknownMember,
    Code::RepeatedMember,
    Code::UnknownSealingKey,
    Code::IdempotencyKeyReused,
    Code::EreceiptNotEnabled,
    Code::TooManyMessages,
    Code::OrderExists,
];

pub(super) static REFERENCE: Reference = Reference::new(document);

/// The document, as it is served.
pub fn value() -> Value {
    REFERENCE.value()
}

fn document() -> Result<Document, String> {
    let about = About {
        title: "Relay of a point-of-sale vendor",
        version: env!("CARGO_PKG_VERSION"),
        description: "Connects tills to an integration authorization service without giving them the vendor's secret, \
                      and keeps the tokens.",
        security: json!({
            "till_key": { "type": "http", "scheme": "bearer" },
            "fleet_key": { "type": "http", "scheme": "bearer" },
        }),
    };
    let mut schemas = Schemas::default();
    let problem = schemas.written::<Problem>(&["success", "code", "title", "status", "requestId"]);
    let mut operations = integration(&mut schemas);
    operations.extend(tokens(&mut schemas));
    operations.extend(passed_on(&mut schemas));
    operations.extend(fleet(&mut schemas));
    operations.extend(own());
    operations.extend(openapi::operations());
    for operation in &mut operations {
        // Those of the relay's own come after those that it shares with the service.
        let place = |code| Code::ALL.iter().position(|known| known.as_str() == code);
        operation
            .refusals
            .sort_by_key(|refusal| place(refusal.code).unwrap_or(usize::MAX));
    }
    Document::new(&about, &operations, &problem, schemas)
}

fn integration(schemas: &mut Schemas) -> Vec<Operation> {
    let created = schemas.written::<CreateResponse>(&["success", "integrationToken"]);
    let status = schemas.written::<StatusResponse>(&["success", "status"]);
    let at = path::INTEGRATION;
    vec![
        asked("post", at, "createIntegration")
            .summary("Creates an integration (spec §4.1).")
            .takes(&[client_id()])
            .answers(200, "Done.", Some((JSON, created))),
        asked("get", at, "getIntegration")
            .summary("Gives the status of an integration (spec §4.2).")
            .takes(&[client_id(), integration_token()])
            .answers(200, "Done.", Some((JSON, status)))
            .refuses(&[Code::InvalidIntegration]),
        asked("delete", at, "cancelIntegration")
            .summary("Cancels a pending integration (extension).")
            .takes(&[client_id(), integration_token()])
            .answers(204, "It is cancelled.", None)
            .refuses(&[Code::InvalidIntegration, Code::IntegrationFinished]),
    ]
}

fn tokens(schemas: &mut Schemas) -> Vec<Operation> {
    let set = schemas.written::<TokenResponse>(&["success", "ereceipt"]);
    let connection = schemas.of::<ConnectionResponse>();
    let at = path::INTEGRATION_TOKEN;
    vec![
        asked("get", at, "pickUpTokens")
            .summary("Picks the token set up, and keeps it or hands it out (spec §4.4).")
            .takes(&[client_id(), integration_token()])
            .answers(200, "Done.", Some((JSON, set)))
            .refuses(&[
                Code::InvalidIntegration,
                Code::IntegrationPending,
                Code::IntegrationCancelled,
                Code::IntegrationExpired,
                Code::TokensAlreadyRetrieved,
            ])
            .refuses(&[Own::ConnectionEnded, Own::OtherAccount]),
        asked("delete", at, "acknowledgeTokens")
            .summary("Says that tokens which were handed out have arrived (extension).")
            .takes(&[client_id(), integration_token()])
            .answers(204, "They are erased here.", None)
            .refuses(&[
                Code::InvalidIntegration,
                Code::TokensNotRetrieved,
                Code::TokensAlreadyRetrieved,
            ]),
        called("get", relay::path::CONNECTION, "getConnection")
            .summary("Says what every till may know of the tokens (extension).")
            .answers(200, "Done.", Some((JSON, connection)))
            .refuses(&[Own::ConnectionEnded]),
        called("delete", relay::path::CONNECTION, "disconnect")
            .summary("Ends the merchant's connection for every till (extension).")
            .answers(
                202,
                "It has ended here; the service has not confirmed it yet.",
                None,
            )
            .answers(204, "It has ended.", None)
            .refuses(&[Own::NotConnected, Own::TokensHandedOut]),
    ]
}

/// §1, with the merchant's access token.
fn passed_on(schemas: &mut Schemas) -> Vec<Operation> {
    let profile = schemas.of::<StoreResponse>();
    let patch = schemas.of::<StoreProfile>();
    let customer = schemas.of::<Customer>();
    let results = schemas.of::<CustomersResponse>();
    let order = schemas.of::<Order>();
    let accepted = schemas.of::<OrderResponse>();
    let customers = json!({
        "type": "object", "required": ["customers"],
        "properties": { "customers": { "type": "array", "minItems": 1, "maxItems": 1000, "items": customer } },
    });
    let done = |schema: &Value| Some((JSON, schema.clone()));
    vec![
        operation("get", path::STORE, "getStore")
            .summary("Gives the store's profile.")
            .answers(200, "Done.", done(&profile)),
        changing("patch", path::STORE, "updateStore")
            .summary("Changes the store's profile by a merge patch (RFC 7396).")
            .body(&["application/merge-patch+json", JSON], patch)
            .answers(200, "Done.", done(&profile)),
        changing("post", path::CUSTOMERS, "sendCustomers")
            .summary("Sends the customers list.")
            .body(&[JSON], customers)
            .answers(200, "Done.", done(&results)),
        operation("get", path::KEYS, "getKeys")
            .summary("Gives the public keys that a shopper's number is sealed for.")
            .answers(200, "Done.", done(&schemas.of::<KeysResponse>())),
        changing("post", path::ORDERS, "sendOrder")
            .summary("Sends one order.")
            .body(&[JSON], order)
            .answers(200, "Done.", done(&accepted)),
        operation("get", ONE_ORDER, "getOrder")
            .summary("Gives one order.")
            .takes(&[Parameter {
                name: "externalId",
                place: "path",
                required: true,
                about: "The till's own id of the order.",
                schema: json!({ "type": "string", "minLength": 1, "maxLength": 200 }),
            }])
            .answers(200, "Done.", done(&accepted))
            .refuses(&[Code::OrderNotFound]),
    ]
}

/// The calls of the vendor's server, with its fleet key. No page may read an answer.
fn fleet(schemas: &mut Schemas) -> Vec<Operation> {
    let tills = schemas.of::<TillsResponse>();
    let place = |name, place, about| Parameter {
        name,
        place,
        required: place == "path",
        about,
        schema: text(),
    };
    vec![
        add_till(schemas),
        by_vendor("get", relay::path::TILLS, "listTills")
            .summary("Lists tills, the oldest first, 500 at a time.")
            .takes(&[
                place("merchant", "query", "Only this merchant's."),
                place(
                    "after",
                    "query",
                    "Only those after the till with this ID: `next` of the page before.",
                ),
            ])
            .answers(200, "Done.", Some((JSON, tills)))
            .refuses(&[
                Code::UriTooLong,
                Code::RepeatedParameter,
                Code::InvalidParameter,
            ]),
        by_vendor("delete", relay::path::ONE_TILL, "revokeTill")
            .summary("Refuses every further call of a till.")
            .takes(&[place("id", "path", "The till's ID.")])
            .answers(
                204,
                "Its key is refused, now or since an earlier call.",
                None,
            )
            .refuses(&[Own::TillNotFound]),
    ]
}

fn add_till(schemas: &mut Schemas) -> Operation {
    let added = schemas.of::<AddedTillResponse>();
    let name = |least| json!({ "type": "string", "minLength": least, "maxLength": LONGEST_NAME });
    let new = json!({
        "type": "object", "required": ["merchant"], "additionalProperties": false,
        "properties": { "merchant": name(1), "name": name(0) },
    });
    let done = "It is added, now or by an earlier call.";
    by_vendor("post", relay::path::TILLS, "addTill")
        .summary("Adds a till, and shows its key.")
        .takes(&[idempotency_key(true)])
        .body(&[JSON], new)
        .answers(200, done, Some((JSON, added)))
        .refuses(&[
            Code::MissingParameter,
            Code::InvalidIdempotencyKey,
            Code::IdempotencyKeyReused,
            Code::MissingMember,
            Code::InvalidMember,
            Code::UnknownMember,
            Code::RepeatedMember,
        ])
        .refuses(&[Own::BodyTooLarge, Own::RequestTimeout])
}

fn by_vendor(method: &'static str, path: &'static str, id: &'static str) -> Operation {
    Operation::new(method, path, id)
        .secured(&["fleet_key"])
        .refuses(TILL)
        .refuses(&[Own::Unauthorized])
}

/// What is said of the relay itself.
fn own() -> [Operation; 2] {
    let plain = |path, id, summary| {
        let plain = Operation::new("get", path, id).summary(summary);
        plain.answers(200, "Done.", Some((TEXT, text())))
    };
    let (health, ready) = (
        "Says whether the relay runs.",
        "Says whether its database takes a row.",
    );
    [
        plain("/healthz", "getHealth", health),
        plain("/readyz", "getReadiness", ready).refuses(&[Code::InternalError, Code::Unavailable]),
    ]
}

/// A till's call.
fn called(method: &'static str, path: &'static str, id: &'static str) -> Operation {
    Operation::new(method, path, id)
        .secured(&["till_key"])
        .refuses(TILL)
        .refuses(&[Own::Unauthorized])
}

/// A till's call about an integration: the service is asked.
fn asked(method: &'static str, path: &'static str, id: &'static str) -> Operation {
    called(method, path, id).refuses(QUERY).refuses(UPSTREAM)
}

/// A till's call that is passed on.
fn operation(method: &'static str, path: &'static str, id: &'static str) -> Operation {
    called(method, path, id)
        .marked()
        .refuses(&[
            Own::NotConnected,
            Own::ConnectionEnded,
            Own::TokensHandedOut,
            Own::BodyTooLarge,
            Own::RequestTimeout,
        ])
        .refuses(UPSTREAM)
}

/// A till's call that is passed on, and changes something.
fn changing(method: &'static str, path: &'static str, id: &'static str) -> Operation {
    operation(method, path, id)
        .takes(&[idempotency_key(false)])
        .refuses(SERVICE)
}

fn idempotency_key(required: bool) -> Parameter {
    Parameter {
        name: "Idempotency-Key",
        place: "header",
        required,
        about: "Makes a repeated call the same call, for 48 hours.",
        schema: json!({ "type": "string", "minLength": 1, "maxLength": 64, "pattern": "^[!-~]+$" }),
    }
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn client_id() -> Parameter {
    Parameter {
        name: parameter::CLIENT_ID,
        place: "query",
        required: true,
        about: "The vendor's.",
        schema: text(),
    }
}

fn integration_token() -> Parameter {
    Parameter {
        name: parameter::INTEGRATION_TOKEN,
        place: "query",
        required: true,
        about: "Which integration: what its creation answered.",
        schema: text(),
    }
}
