//! What programs call.

use super::{FORMED, LIMITED, text};
use crate::http::ONE_ORDER;
use ProblemCode as Code;
use pos_connect_foundation::openapi::media::{FORM, JSON};
use pos_connect_foundation::openapi::{Operation, Parameter, Schemas};
use pos_connect_protocol::customer::{Customer, CustomersResponse};
use pos_connect_protocol::order::{Order, OrderResponse};
use pos_connect_protocol::pickup::{MAX_LENGTH, MIN_LENGTH};
use pos_connect_protocol::sealing::KeysResponse;
use pos_connect_protocol::store::{StoreProfile, StoreResponse};
use pos_connect_protocol::{
    AccountResponse, CreateResponse, ProblemCode, RefreshResponse, RevokeResponse, StatusResponse,
    TokenResponse, parameter, path,
};
use serde_json::{Value, json};

/// A strict query, then who calls, then from which page.
const VENDOR: &[Code] = &[
    Code::UriTooLong,
    Code::MalformedRequest,
    Code::MissingParameter,
    Code::RepeatedParameter,
    Code::PrefetchRefused,
    Code::InvalidClient,
    Code::InvalidSecret,
    Code::OriginNotAllowed,
];
const TOKEN: &[Code] = &[
    Code::UriTooLong,
    Code::MalformedRequest,
    Code::PrefetchRefused,
    Code::InvalidParameter,
    Code::MissingToken,
    Code::InvalidToken,
    Code::OriginNotAllowed,
    Code::SlowDown,
];
/// A JSON body that changes something.
const CHANGE: &[Code] = &[
    Code::StorageQuota,
    Code::InvalidIdempotencyKey,
    Code::UnsupportedMediaType,
    Code::ContentTooLarge,
    Code::MissingMember,
    Code::InvalidMember,
    Code::UnknownMember,
    Code::RepeatedMember,
    Code::IdempotencyKeyReused,
];

pub(super) fn all(schemas: &mut Schemas) -> Vec<Operation> {
    let mut all = integration(schemas);
    all.extend(pick_up(schemas));
    all.extend(tokens(schemas));
    all.extend(store(schemas));
    all.extend(orders(schemas));
    all
}

fn integration(schemas: &mut Schemas) -> Vec<Operation> {
    let created = schemas.written::<CreateResponse>(&[
        "success",
        "integrationToken",
        "interval",
        "expiresIn",
        "pickup",
        "code",
    ]);
    let status = schemas.written::<StatusResponse>(&["success", "status"]);
    vec![
        vendor("post", path::INTEGRATION, "createIntegration")
            .summary("Creates an integration (spec §4.1).")
            .answers(200, "Done.", Some((JSON, created)))
            .refuses(&[Code::SlowDown]),
        vendor("get", path::INTEGRATION, "getIntegration")
            .summary("Gives the status of an integration (spec §4.2).")
            .takes(&[integration_token()])
            .answers(200, "Done.", Some((JSON, status)))
            .refuses(&[Code::InvalidIntegration, Code::SlowDown]),
        vendor("delete", path::INTEGRATION, "cancelIntegration")
            .summary("Cancels a pending integration (extension).")
            .takes(&[integration_token()])
            .answers(204, "It is cancelled.", None)
            .refuses(&[Code::InvalidIntegration, Code::IntegrationFinished]),
    ]
}

fn pick_up(schemas: &mut Schemas) -> Vec<Operation> {
    let set = [
        "success",
        "accessToken",
        "refreshToken",
        "expiration",
        "ereceipt",
        "account",
        "store",
    ];
    let set = schemas.written::<TokenResponse>(&set);
    let not_there = [
        Code::IntegrationPending,
        Code::IntegrationCancelled,
        Code::IntegrationExpired,
    ];
    vec![
        vendor("get", path::INTEGRATION_TOKEN, "pickUpTokens")
            .summary("Gives out the token set, once (spec §4.4).")
            .takes(&[integration_token(), pickup_id(false)])
            .answers(200, "Done.", Some((JSON, set.clone())))
            .refuses(&[
                Code::InvalidParameter,
                Code::InvalidIntegration,
                Code::TokensAlreadyRetrieved,
            ])
            .refuses(&not_there),
        vendor("post", path::INTEGRATION_TOKEN_REISSUE, "reissueTokens")
            .summary("Replaces a token set whose answer was lost (extension).")
            .takes(&[integration_token(), pickup_id(true)])
            .answers(200, "Done.", Some((JSON, set)))
            .refuses(&[
                Code::InvalidParameter,
                Code::InvalidIntegration,
                Code::TokensNotRetrieved,
                Code::ReissueOtherPickup,
                Code::ReissueUsed,
                Code::ReissueExpired,
                Code::ReissueExhausted,
            ])
            .refuses(&not_there),
    ]
}

fn tokens(schemas: &mut Schemas) -> Vec<Operation> {
    let pair = [
        "success",
        "access_token",
        "token_type",
        "expires_in",
        "refresh_token",
        "expiration",
        "ereceipt",
    ];
    let pair = schemas.written::<RefreshResponse>(&pair);
    let revoked = schemas.of::<RevokeResponse>();
    let account = schemas.of::<AccountResponse>();
    vec![
        form("post", path::TOKEN, "refreshTokens")
            .summary("Exchanges a refresh token for a new pair (RFC 6749 §6; extension).")
            .body(
                &[FORM],
                form_body(&[parameter::GRANT_TYPE, parameter::REFRESH_TOKEN]),
            )
            .answers(200, "Done.", Some((JSON, pair)))
            .refuses(&[
                Code::UnsupportedGrantType,
                Code::InvalidGrant,
                Code::SlowDown,
            ]),
        form("post", path::REVOKE, "revokeTokens")
            .summary("Ends a token set by either of its tokens (RFC 7009; extension).")
            .body(&[FORM], form_body(&[parameter::TOKEN]))
            .answers(200, "Done.", Some((JSON, revoked))),
        bearer("get", path::ACCOUNT, "getAccount")
            .summary("Says whose token set it is (extension).")
            .answers(200, "Done.", Some((JSON, account))),
    ]
}

fn store(schemas: &mut Schemas) -> Vec<Operation> {
    let profile = schemas.of::<StoreResponse>();
    let patch = schemas.of::<StoreProfile>();
    let customer = schemas.of::<Customer>();
    let results = schemas.of::<CustomersResponse>();
    let customers = json!({
        "type": "object", "required": ["customers"],
        "properties": { "customers": { "type": "array", "minItems": 1, "maxItems": 1000, "items": customer } },
    });
    vec![
        bearer("get", path::STORE, "getStore")
            .summary("Gives the store's profile (extension).")
            .answers(200, "Done.", Some((JSON, profile.clone()))),
        bearer("patch", path::STORE, "updateStore")
            .summary("Changes the store's profile by a merge patch (RFC 7396; extension).")
            .takes(&[idempotency_key(), till_id()])
            .body(&["application/merge-patch+json", JSON], patch)
            .answers(200, "Done.", Some((JSON, profile)))
            .refuses(CHANGE),
        bearer("post", path::CUSTOMERS, "sendCustomers")
            .summary("Takes the customers list (extension).")
            .takes(&[idempotency_key(), till_id()])
            .body(&[JSON], customers)
            .answers(200, "Done.", Some((JSON, results)))
            .refuses(CHANGE)
            .refuses(&[Code::TooManyItems]),
    ]
}

fn orders(schemas: &mut Schemas) -> Vec<Operation> {
    let order = schemas.of::<Order>();
    let accepted = schemas.of::<OrderResponse>();
    let external_id = Parameter {
        name: "externalId",
        place: "path",
        required: true,
        about: "The till's own id of the order.",
        schema: json!({ "type": "string", "minLength": 1, "maxLength": 200 }),
    };
    vec![
        bearer("get", path::KEYS, "getKeys")
            .summary("Gives the public keys that a shopper's number is sealed for (extension).")
            .answers(200, "Done.", Some((JSON, schemas.of::<KeysResponse>()))),
        bearer("post", path::ORDERS, "sendOrder")
            .summary("Takes one order, or another e-receipt of one that was accepted (extension).")
            .takes(&[idempotency_key(), till_id()])
            .body(&[JSON], order)
            .answers(200, "Done.", Some((JSON, accepted.clone())))
            .refuses(CHANGE)
            .refuses(&[
                Code::UnknownSealingKey,
                Code::EreceiptNotEnabled,
                Code::TooManyMessages,
                Code::OrderExists,
            ]),
        bearer("get", ONE_ORDER, "getOrder")
            .summary("Gives one order (extension).")
            .takes(&[external_id, till_id()])
            .answers(200, "Done.", Some((JSON, accepted)))
            .refuses(&[Code::OrderNotFound]),
    ]
}

/// An operation of a vendor's, with its proof in the query.
fn vendor(method: &'static str, path: &'static str, id: &'static str) -> Operation {
    let operation = Operation::new(method, path, id);
    operation
        .marked()
        .secured(&[parameter::CLIENT_ID, parameter::CLIENT_SECRET])
        .refuses(VENDOR)
        .refuses(LIMITED)
}

/// An operation of a vendor's, with its proof and all else in a form.
fn form(method: &'static str, path: &'static str, id: &'static str) -> Operation {
    let operation = Operation::new(method, path, id);
    operation
        .marked()
        .refuses(VENDOR)
        .refuses(FORMED)
        .refuses(LIMITED)
}

/// An operation with an access token.
fn bearer(method: &'static str, path: &'static str, id: &'static str) -> Operation {
    let operation = Operation::new(method, path, id);
    operation
        .marked()
        .secured(&["access_token"])
        .refuses(TOKEN)
        .refuses(LIMITED)
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

fn pickup_id(required: bool) -> Parameter {
    Parameter {
        name: parameter::PICKUP_ID,
        place: "query",
        required,
        about: "Random text that the caller makes for one pick-up, to prove later that it was its own (extension).",
        schema: json!({
            "type": "string", "minLength": MIN_LENGTH, "maxLength": MAX_LENGTH, "pattern": "^[A-Za-z0-9_-]+$",
        }),
    }
}

fn idempotency_key() -> Parameter {
    Parameter {
        name: "Idempotency-Key",
        place: "header",
        required: false,
        about: "Makes a repeated call the same call, for 48 hours.",
        schema: json!({ "type": "string", "minLength": 1, "maxLength": 64, "pattern": "^[!-~]+$" }),
    }
}

fn till_id() -> Parameter {
    Parameter {
        name: "Till-Id",
        place: "header",
        required: false,
        about: "Which till calls, if one access token serves several. A relay adds it.",
        schema: json!({ "type": "string", "minLength": 1, "maxLength": 64, "pattern": "^[!-~]+$" }),
    }
}

fn form_body(members: &[&'static str]) -> Value {
    let all = [&[parameter::CLIENT_ID, parameter::CLIENT_SECRET], members].concat();
    let properties: serde_json::Map<_, _> = all
        .iter()
        .map(|name| ((*name).to_owned(), text()))
        .collect();
    json!({ "type": "object", "required": all, "properties": properties })
}
