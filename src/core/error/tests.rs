use super::*;
use crate::connect::poll::Schedule;
use crate::orders::queued_order::{self, Verdict};
use crate::vault::record;
use pos_connect_protocol::ProblemCode;

const OPERATIONS: [Operation; 4] = [
    Operation::CreateIntegration,
    Operation::Status,
    Operation::FetchTokens,
    Operation::Cancel,
];

#[test]
fn every_code_has_one_word_and_a_sentence() {
    for (index, code) in ErrorCode::ALL.iter().enumerate() {
        let word = code.as_str();
        assert!(word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'));
        assert!(code.message().ends_with('.'), "{word}");
        let first = ErrorCode::ALL.iter().position(|c| c.as_str() == word);
        assert_eq!(first, Some(index), "{word} stands twice");
    }
}

#[test]
fn the_declared_codes_are_the_codes() {
    let types = include_str!("../../../pkg-template/index.d.ts");
    let union = types
        .split_once("export type ErrorCode =")
        .and_then(|(_, rest)| rest.split_once(';'))
        .map(|(union, _)| union)
        .unwrap();
    let declared: Vec<&str> = union
        .split('|')
        .map(|word| word.trim().trim_matches('"'))
        .filter(|word| !word.is_empty())
        .collect();
    let codes: Vec<&str> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
    let place = "ErrorCode in pkg-template/index.d.ts, in the order of error_codes!";
    assert_eq!(declared, codes, "{place}");
}

/// What a failed call means to what goes on after it.
#[derive(Debug, PartialEq)]
enum After {
    /// Nobody knows what the call did, so a pick-up asks again: `is_no_answer`.
    Unknown,
    /// A wait for the merchant goes on: `outcome` in `src/connect/poll.rs`.
    WaitGoesOn,
    /// No pick-up can succeed any more: `FINAL` in `src/vault/record.rs`.
    PickupIsOver,
    /// The order is not sent again: `verdict` in `src/orders/queued_order.rs`.
    OrderIsRefused,
}

/// A new code does not compile until it has its place here. If that is not the last one, change the functions that
/// [`After`] names.
const fn after(code: ErrorCode) -> &'static [After] {
    use After::{OrderIsRefused, PickupIsOver, Unknown, WaitGoesOn};
    match code {
        ErrorCode::Network | ErrorCode::Timeout | ErrorCode::ServerError => &[Unknown, WaitGoesOn],
        ErrorCode::HeadersFailed | ErrorCode::RateLimited => &[WaitGoesOn],
        ErrorCode::IntegrationCancelled
        | ErrorCode::IntegrationExpired
        | ErrorCode::TokensAlreadyRetrieved
        | ErrorCode::TokensLost
        | ErrorCode::ConnectionEnded
        | ErrorCode::OtherAccount => &[PickupIsOver],
        ErrorCode::InvalidRequest
        | ErrorCode::InvalidBody
        | ErrorCode::TooLarge
        | ErrorCode::IdempotencyKeyReused
        | ErrorCode::OrderExists
        | ErrorCode::EreceiptNotEnabled
        | ErrorCode::TooManyMessages
        | ErrorCode::UnknownSealingKey => &[OrderIsRefused],
        // Nothing of that: the call has failed, its answer says so, and an order waits.
        ErrorCode::InvalidOption
        | ErrorCode::UnsupportedBrowser
        | ErrorCode::InsecureContext
        | ErrorCode::VaultFailed
        | ErrorCode::LoadFailed
        | ErrorCode::NotInitialized
        | ErrorCode::Aborted
        | ErrorCode::Destroyed
        | ErrorCode::Closed
        | ErrorCode::Cancelled
        | ErrorCode::WaitTimeout
        | ErrorCode::AccessTokenFailed
        | ErrorCode::Protocol
        | ErrorCode::CspBlocked
        | ErrorCode::InvalidClient
        | ErrorCode::InvalidSecret
        | ErrorCode::InvalidIntegration
        | ErrorCode::Forbidden
        | ErrorCode::OriginNotAllowed
        | ErrorCode::Unauthorized
        | ErrorCode::NotFinished
        | ErrorCode::AlreadyFinished
        | ErrorCode::NotConnected
        | ErrorCode::TokensHandedOut
        | ErrorCode::OutboxFull
        | ErrorCode::UpstreamRefused
        | ErrorCode::UnexpectedStatus => &[],
    }
}

#[test]
fn each_code_is_decided_about() {
    for &code in ErrorCode::ALL {
        let error = Error {
            status: Some(400),
            source: Some(Source::Service),
            ..Error::new(code)
        };
        let mut schedule = Schedule::new(0.0, None, None);
        let found = [
            (error.is_no_answer(), After::Unknown),
            (schedule.outcome(&error).is_some(), After::WaitGoesOn),
            (record::is_final(code), After::PickupIsOver),
            (
                queued_order::QueuedOrder::default().judge(&error) == Verdict::Refused,
                After::OrderIsRefused,
            ),
        ];
        let found: Vec<_> = found.into_iter().filter(|(is_so, _)| *is_so).collect();
        let found: Vec<_> = found.into_iter().map(|(_, after)| after).collect();
        assert_eq!(found, after(code), "{}", code.as_str());
    }
}

#[test]
fn the_docs_say_what_to_do_about_every_code() {
    let page = include_str!("../../../docs/errors.md");
    for code in ErrorCode::ALL {
        let row = ["| `", code.as_str(), "` |"].concat();
        assert!(
            page.contains(&row),
            "docs/errors.md: no row begins with {row}"
        );
    }
}

#[test]
fn the_loader_makes_errors_of_declared_codes_only() {
    let loader = include_str!("../../../pkg-template/core.js");
    let mut made = Vec::new();
    for part in loader.split("failure(\"").skip(1) {
        made.push(part.split('"').next().unwrap());
    }
    assert_eq!(
        made,
        [
            "not_initialized",
            "invalid_option",
            "invalid_option",
            "unsupported_browser",
            "unsupported_browser",
            "load_failed"
        ]
    );
    let codes: Vec<&str> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
    assert!(made.iter().all(|word| codes.contains(word)));
}

/// Every row of spec §7, with a service that sends no body of ours.
#[test]
fn the_rows_of_section_7() {
    use Operation::{CreateIntegration, FetchTokens, Status};
    for (operation, status, code) in [
        (CreateIntegration, 400, ErrorCode::InvalidClient),
        (CreateIntegration, 403, ErrorCode::InvalidSecret),
        (Status, 403, ErrorCode::Forbidden),
        (FetchTokens, 403, ErrorCode::InvalidIntegration),
        (FetchTokens, 410, ErrorCode::TokensAlreadyRetrieved),
    ] {
        assert_eq!(refusal(operation, status, None), code);
    }
}

/// What each of the service's words means to the calls that it answers.
fn meaning(problem: ProblemCode) -> (ErrorCode, &'static [Operation]) {
    use Operation::{
        Cancel, CreateIntegration, FetchTokens, GetOrder, SendCustomers, SendOrder, Status,
        UpdateStore,
    };
    const ALL: &[Operation] = &[CreateIntegration, Status, FetchTokens, Cancel];
    const BODIES: &[Operation] = &[UpdateStore, SendCustomers, SendOrder];
    const LATER: &[Operation] = &[Status, FetchTokens, Cancel];
    const PICK_UP: &[Operation] = &[FetchTokens];
    match problem {
        ProblemCode::NotFound | ProblemCode::MethodNotAllowed => (ErrorCode::UnexpectedStatus, ALL),
        ProblemCode::UriTooLong
        | ProblemCode::MalformedRequest
        | ProblemCode::MissingParameter
        | ProblemCode::RepeatedParameter
        | ProblemCode::InvalidParameter => (ErrorCode::InvalidRequest, ALL),
        ProblemCode::UnsupportedGrantType
        | ProblemCode::InvalidGrant
        | ProblemCode::PrefetchRefused => (ErrorCode::InvalidRequest, LATER),
        ProblemCode::InvalidClient => (ErrorCode::InvalidClient, ALL),
        ProblemCode::InvalidSecret => (ErrorCode::InvalidSecret, ALL),
        ProblemCode::MissingToken | ProblemCode::InvalidToken => (ErrorCode::Unauthorized, ALL),
        ProblemCode::OriginNotAllowed => (ErrorCode::OriginNotAllowed, ALL),
        ProblemCode::InvalidIntegration => (ErrorCode::InvalidIntegration, ALL),
        ProblemCode::SlowDown => (ErrorCode::RateLimited, ALL),
        ProblemCode::StorageQuota => (ErrorCode::RateLimited, BODIES),
        // To a reissue: the token call itself still works.
        ProblemCode::IntegrationPending | ProblemCode::TokensNotRetrieved => {
            (ErrorCode::NotFinished, PICK_UP)
        }
        ProblemCode::IntegrationCancelled => (ErrorCode::IntegrationCancelled, ALL),
        ProblemCode::IntegrationExpired => (ErrorCode::IntegrationExpired, ALL),
        ProblemCode::IntegrationFinished => (ErrorCode::AlreadyFinished, ALL),
        ProblemCode::TokensAlreadyRetrieved => (ErrorCode::TokensAlreadyRetrieved, PICK_UP),
        ProblemCode::ReissueOtherPickup => (ErrorCode::TokensAlreadyRetrieved, ALL),
        ProblemCode::ReissueUsed | ProblemCode::ReissueExpired | ProblemCode::ReissueExhausted => {
            (ErrorCode::TokensLost, ALL)
        }
        ProblemCode::UnsupportedMediaType
        | ProblemCode::MissingMember
        | ProblemCode::InvalidMember
        | ProblemCode::UnknownMember
        | ProblemCode::RepeatedMember
        | ProblemCode::InvalidIdempotencyKey => (ErrorCode::InvalidBody, BODIES),
        ProblemCode::ContentTooLarge | ProblemCode::TooManyItems => (ErrorCode::TooLarge, BODIES),
        ProblemCode::IdempotencyKeyReused => (ErrorCode::IdempotencyKeyReused, BODIES),
        ProblemCode::EreceiptNotEnabled => (ErrorCode::EreceiptNotEnabled, &[SendOrder]),
        ProblemCode::TooManyMessages => (ErrorCode::TooManyMessages, &[SendOrder]),
        ProblemCode::UnknownSealingKey => (ErrorCode::UnknownSealingKey, &[SendOrder]),
        ProblemCode::OrderExists => (ErrorCode::OrderExists, &[SendOrder]),
        // `order` gives null.
        ProblemCode::OrderNotFound => (ErrorCode::UnexpectedStatus, &[GetOrder]),
        ProblemCode::InternalError | ProblemCode::Unavailable => (ErrorCode::ServerError, ALL),
    }
}

#[test]
fn every_word_of_the_service_has_its_meaning() {
    for &problem in ProblemCode::ALL {
        let (code, operations) = meaning(problem);
        for &operation in operations {
            let said = refusal(operation, problem.status(), Some(problem.as_str()));
            assert_eq!(said, code, "{problem:?} {operation:?}");
        }
    }
}

#[test]
fn a_word_with_the_wrong_status_is_not_believed() {
    let word = Some("tokens_already_retrieved");
    assert_eq!(
        refusal(Operation::FetchTokens, 403, word),
        ErrorCode::InvalidIntegration
    );
    assert_eq!(
        refusal(Operation::FetchTokens, 500, word),
        ErrorCode::ServerError
    );
}

#[test]
fn every_other_status_has_a_code() {
    for operation in OPERATIONS {
        for (status, code) in [
            (401, ErrorCode::Unauthorized),
            (404, ErrorCode::UnexpectedStatus),
            (405, ErrorCode::UnexpectedStatus),
            (418, ErrorCode::UnexpectedStatus),
            (429, ErrorCode::RateLimited),
            (500, ErrorCode::ServerError),
            (502, ErrorCode::ServerError),
            (503, ErrorCode::ServerError),
            (599, ErrorCode::ServerError),
            (204, ErrorCode::UnexpectedStatus),
            (302, ErrorCode::UnexpectedStatus),
        ] {
            assert_eq!(refusal(operation, status, None), code, "{status}");
        }
    }
    assert_eq!(
        refusal(Operation::Status, 400, None),
        ErrorCode::InvalidRequest
    );
    assert_eq!(
        refusal(Operation::Status, 410, None),
        ErrorCode::UnexpectedStatus
    );
    assert_eq!(
        refusal(Operation::FetchTokens, 409, None),
        ErrorCode::NotFinished
    );
    assert_eq!(refusal(Operation::Cancel, 403, None), ErrorCode::Forbidden);
}

#[test]
fn retry_after_reads_seconds_only() {
    assert_eq!(retry_after_seconds("5"), Some(5000.0));
    assert_eq!(retry_after_seconds(" 120 "), Some(120_000.0));
    for text in [
        "",
        "-1",
        "1.5",
        "Fri, 21 Nov 2026 10:00:00 GMT",
        "99999999999",
    ] {
        assert_eq!(retry_after_seconds(text), None);
    }
}

#[test]
fn a_message_is_the_codes_sentence_and_the_detail() {
    let error = Error::new(ErrorCode::Protocol);
    assert!(error.message().ends_with("in the specification."));
    let message = error.detail(&["status: ", "missing"]).message();
    assert!(message.ends_with("in the specification. status: missing"));
    let error = Error::new(ErrorCode::InvalidOption);
    assert_eq!(error.message(), "Wrong option.");
    let message = error.detail(&["clientId: is required"]).message();
    assert_eq!(message, "clientId: is required");
}

#[test]
fn a_request_id_is_short_and_plain() {
    for text in ["a", "c088802a-0000001a", "req:1.2_3"] {
        assert!(is_request_id(text), "{text}");
    }
    let long = "a".repeat(65);
    for text in [
        "",
        "/v1?client_secret=hunter2",
        "a b",
        "a%20b",
        long.as_str(),
        "\u{e9}",
    ] {
        assert!(!is_request_id(text), "{text}");
    }
}

/// What a relay says of the connection itself.
#[test]
fn a_relays_words_have_their_meaning() {
    for (status, word, code) in [
        (404, "not_connected", ErrorCode::NotConnected),
        (409, "connection_ended", ErrorCode::ConnectionEnded),
        (409, "tokens_handed_out", ErrorCode::TokensHandedOut),
        (409, "other_account", ErrorCode::OtherAccount),
        (502, "upstream_refused", ErrorCode::UpstreamRefused),
        (413, "body_too_large", ErrorCode::TooLarge),
        // With another status, a word is not believed.
        (500, "not_connected", ErrorCode::ServerError),
    ] {
        let said = refusal(Operation::SendOrder, status, Some(word));
        assert_eq!(said, code, "{word}");
    }
}

/// A service with other words is understood by its status.
#[test]
fn an_operation_without_a_word_goes_by_its_status() {
    for (status, code) in [
        (400, ErrorCode::InvalidBody),
        (409, ErrorCode::OrderExists),
        (413, ErrorCode::TooLarge),
        (422, ErrorCode::InvalidBody),
        (404, ErrorCode::UnexpectedStatus),
        (503, ErrorCode::ServerError),
    ] {
        assert_eq!(refusal(Operation::SendOrder, status, None), code);
        assert_eq!(refusal(Operation::SendOrder, status, Some("busy")), code);
    }
}

#[test]
fn a_conflict_over_something_else_refuses_no_order() {
    let code = refusal(Operation::SendOrder, 409, Some("not_connected"));
    assert_eq!(code, ErrorCode::UnexpectedStatus);
}

#[test]
fn a_member_is_named_with_what_it_must_be() {
    let named = |rule| Error::new(ErrorCode::InvalidBody).names_member("/currency", rule);
    let message = named(Some("a currency in use")).message();
    assert!(
        message.ends_with(" /currency, which must be a currency in use."),
        "{message}"
    );
    assert!(named(None).message().ends_with(" /currency."));
}
