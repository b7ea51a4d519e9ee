use super::*;
use crate::{PickupOwner, Problem, ProblemCode};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Writes a body, and reads what was written: both must be this text.
fn check<T: DeserializeOwned + Serialize>(body: &T, text: &str) {
    assert_eq!(serde_json::to_string(body).unwrap(), text);
    let read: T = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), text);
}

fn bakery() -> Account {
    Account {
        id: "1".into(),
        name: "Bakery".into(),
    }
}

#[test]
fn an_integration_and_its_status_on_the_wire() {
    let created = CreateResponse {
        success: true.into(),
        integration_token: "t".into(),
        interval: 5_u32.into(),
        expires_in: 1800_u64.into(),
        pickup: true.into(),
        code: Some("0420".to_owned()).into(),
    };
    check(
        &created,
        r#"{"success":true,"integrationToken":"t","interval":5,"expiresIn":1800,"pickup":true,"code":"0420"}"#,
    );
    let standing = StatusResponse {
        success: true.into(),
        status: Status::Pending.into(),
        interval: Some(5_u32).into(),
        expires_in: Some(1800_u64).into(),
        opened: Some(true).into(),
        ..StatusResponse::default()
    };
    check(
        &standing,
        r#"{"success":true,"status":"pending","interval":5,"expiresIn":1800,"opened":true}"#,
    );
    let cancelled = StatusResponse {
        success: true.into(),
        status: Status::Cancelled.into(),
        reason: Some(StatusReason::Till).into(),
        ..StatusResponse::default()
    };
    check(
        &cancelled,
        r#"{"success":true,"status":"cancelled","reason":"till"}"#,
    );
}

#[test]
fn the_three_answers_to_a_token_call_on_the_wire() {
    let service = TokenResponse {
        success: true.into(),
        access_token: "a".into(),
        refresh_token: "r".into(),
        expiration: "2026-11-21T10:30:00Z".to_owned().into(),
        ereceipt: true.into(),
        account: bakery().into(),
        ..TokenResponse::default()
    };
    check(
        &service,
        concat!(
            r#"{"success":true,"accessToken":"a","refreshToken":"r","expiration":"2026-11-21T10:30:00Z","#,
            r#""ereceipt":true,"account":{"id":"1","name":"Bakery"}}"#
        ),
    );
    let held = TokenResponse {
        success: true.into(),
        held: true.into(),
        ereceipt: false.into(),
        ..TokenResponse::default()
    };
    check(&held, r#"{"success":true,"held":true,"ereceipt":false}"#);
    let handed_out = TokenResponse {
        success: true.into(),
        access_token: "a".into(),
        ereceipt: true.into(),
        account: Some(bakery()).into(),
        acknowledge: true.into(),
        ..TokenResponse::default()
    };
    check(
        &handed_out,
        concat!(
            r#"{"success":true,"accessToken":"a","ereceipt":true,"account":{"id":"1","name":"Bakery"},"#,
            r#""acknowledge":true}"#
        ),
    );
}

#[test]
fn a_refresh_and_an_account_on_the_wire() {
    let refreshed = RefreshResponse {
        success: true.into(),
        access_token: "a".into(),
        token_type: "Bearer".into(),
        expires_in: 3600_u64.into(),
        refresh_token: "r".into(),
        expiration: "2026-11-21T10:30:00Z".to_owned().into(),
        ereceipt: false.into(),
    };
    check(
        &refreshed,
        concat!(
            r#"{"success":true,"access_token":"a","token_type":"Bearer","expires_in":3600,"refresh_token":"r","#,
            r#""expiration":"2026-11-21T10:30:00Z","ereceipt":false}"#
        ),
    );
    let account = AccountResponse {
        success: true,
        account: bakery(),
        store: Store {
            id: "2".into(),
            name: "Mill Road".into(),
        },
        ereceipt: true,
        expiration: "2026-11-21T10:30:00Z".into(),
    };
    check(
        &account,
        concat!(
            r#"{"success":true,"account":{"id":"1","name":"Bakery"},"store":{"id":"2","name":"Mill Road"},"#,
            r#""ereceipt":true,"expiration":"2026-11-21T10:30:00Z"}"#
        ),
    );
    check(&RevokeResponse { success: true }, r#"{"success":true}"#);
}

#[test]
fn a_problem_on_the_wire() {
    let code = ProblemCode::InvalidGrant;
    let problem = Problem {
        success: false.into(),
        code: code.as_str().into(),
        title: code.title().into(),
        status: code.status().into(),
        parameter: Some("refresh_token").into(),
        pointer: Some("/lines/0").into(),
        rule: Field::Missing,
        pickup: Some(PickupOwner::Yours).into(),
        error: code.oauth_error().into(),
        request_id: "r".into(),
    };
    check(
        &problem,
        concat!(
            r#"{"success":false,"code":"invalid_grant","title":"The refresh token is not valid.","status":400,"#,
            r#""parameter":"refresh_token","pointer":"/lines/0","pickup":"yours","error":"invalid_grant","#,
            r#""requestId":"r"}"#
        ),
    );
}

#[test]
fn no_member_of_a_wrong_type_fails_a_body_that_is_read() {
    fn tolerant<T: DeserializeOwned>(names: &[&str]) {
        let kinds = [
            json!(null),
            json!(true),
            json!(1.5),
            json!("text"),
            json!([[1], {"a": 1}]),
            json!({"id": [1], "name": {"a": {}}}),
        ];
        for name in names {
            for kind in &kinds {
                let body: Value = json!({ *name: kind });
                assert!(serde_json::from_value::<T>(body).is_ok(), "{name}: {kind}");
            }
        }
    }
    tolerant::<CreateResponse>(&[
        "success",
        "integrationToken",
        "interval",
        "expiresIn",
        "pickup",
        "code",
    ]);
    tolerant::<StatusResponse>(&[
        "success",
        "status",
        "interval",
        "expiresIn",
        "reason",
        "opened",
    ]);
    tolerant::<TokenResponse>(&[
        "success",
        "held",
        "accessToken",
        "refreshToken",
        "expiration",
        "ereceipt",
    ]);
    tolerant::<TokenResponse>(&["account", "acknowledge", "unknown"]);
    tolerant::<RefreshResponse>(&[
        "success",
        "access_token",
        "token_type",
        "expires_in",
        "refresh_token",
    ]);
    tolerant::<RefreshResponse>(&["expiration", "ereceipt"]);
    tolerant::<Problem>(&[
        "success",
        "code",
        "title",
        "status",
        "parameter",
        "pickup",
        "error",
        "requestId",
    ]);
}

#[test]
fn debug_shows_no_token() {
    let set = TokenResponse {
        access_token: "hunter2".into(),
        refresh_token: "hunter2".into(),
        account: bakery().into(),
        ..TokenResponse::default()
    };
    let shown = format!("{set:?}");
    assert!(shown.contains("access_token: Value(..)") && !shown.contains("hunter2"));
}
