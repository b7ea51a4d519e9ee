//! Every kind of JSON in every member.

use super::{create, said, standing, tokens};
use crate::decode::Fault;
use crate::{MemberProblem, Status};
use MemberProblem::{Missing, WrongType};
use proptest::prelude::*;
use serde_json::{Value, json};

/// One of each kind of JSON, and whether it is a text.
fn kinds() -> [(Value, Option<MemberProblem>); 8] {
    [
        (json!(null), Some(Missing)),
        (json!(true), Some(WrongType)),
        (json!(5), Some(WrongType)),
        (json!(1.5), Some(WrongType)),
        (json!(""), Some(Missing)),
        (json!("text"), None),
        (json!(["text", {"id": 1}]), Some(WrongType)),
        (json!({"id": ["text"], "name": {"id": {}}}), Some(WrongType)),
    ]
}

#[test]
fn every_kind_of_json_in_every_member_of_a_token_answer_costs_that_member_only() {
    let whole = json!({"success": true, "accessToken": "a", "refreshToken": "r", "expiration": 1_795_257_000,
        "ereceipt": true, "account": {"id": "1", "name": "Bakery"}, "held": false, "acknowledge": true});
    let sound = tokens(whole.clone()).ok().unwrap();
    for (name, _) in whole.as_object().unwrap() {
        for (kind, problem) in kinds() {
            let mut body = whole.clone();
            body[name] = kind.clone();
            let read = tokens(body);
            if name == "accessToken" {
                assert_eq!(
                    read.as_ref().err().map(|fault| fault.problem),
                    problem,
                    "{kind}"
                );
            }
            let Ok(read) = read else {
                assert_eq!(name, "accessToken");
                continue;
            };
            let known = ["accessToken", "held"].contains(&&**name);
            assert!(
                known
                    || read
                        .tokens
                        .as_ref()
                        .is_some_and(|tokens| tokens.access_token == "a")
            );
            let same = [
                ("expiration", read.expiration == sound.expiration),
                ("ereceipt", read.ereceipt == sound.ereceipt),
                ("account", read.account == sound.account),
                ("acknowledge", read.acknowledge == sound.acknowledge),
            ];
            assert!(
                same.iter().all(|(member, same)| *same || member == name),
                "{name} {kind}"
            );
            let of_it = |fault: &Fault| fault.member.split('.').next() == Some(name);
            assert!(
                read.faults.iter().all(of_it) && read.faults.len() < 2,
                "{name} {kind}"
            );
        }
    }
}

#[test]
fn every_kind_of_json_in_every_optional_member_costs_that_member_only() {
    for name in [
        "interval",
        "expiresIn",
        "pickup",
        "code",
        "reason",
        "unknown",
    ] {
        for (kind, problem) in kinds() {
            let number = kind.as_f64();
            let is_true = kind == json!(true);
            let mut body = json!({"success": true, "integrationToken": "t", "status": "pending"});
            body[name] = kind;
            let created = create(body.clone()).unwrap();
            let standing = standing(body).unwrap();
            assert_eq!(
                (&*created.integration_token, standing.status),
                ("t", Status::Pending)
            );
            assert_eq!(created.interval, number.filter(|_| name == "interval"));
            assert_eq!(standing.interval, created.interval);
            assert_eq!(created.expires_in, number.filter(|_| name == "expiresIn"));
            assert_eq!(standing.expires_in, created.expires_in);
            assert_eq!(created.reissues, is_true && name == "pickup");
            assert_eq!(created.code.is_some(), problem.is_none() && name == "code");
            assert_eq!(standing.reason, None);
        }
    }
}

#[test]
fn every_kind_of_json_in_every_member_of_an_error_body_costs_that_member_only() {
    let whole = json!({"success": false, "code": "slow_down", "title": "t", "status": 429, "parameter": "client_id",
        "pickup": "other", "error": "e", "requestId": "r"});
    for (name, _) in whole.as_object().unwrap() {
        for (kind, problem) in kinds() {
            let mut body = whole.clone();
            body[name] = kind;
            let said = said(body);
            let costs = |member: &str| name != member;
            assert_eq!(said.code.is_some(), costs("code") || problem.is_none());
            assert_eq!(
                said.request_id.is_some(),
                costs("requestId") || problem.is_none()
            );
            assert_eq!(said.parameter.is_some(), costs("parameter"));
            assert_eq!(said.pickup.is_some(), costs("pickup"));
        }
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    const WORDS: &[&str] = &[
        "pending",
        "finished",
        "2026-11-21T10:30:00Z",
        "yours",
        "client_id",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        proptest::sample::select(WORDS).prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((member(), inner), 0..8)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Names of the spec's members more often than not, so that the readers get past the first one.
fn member() -> impl Strategy<Value = String> {
    let names = vec![
        "success",
        "integrationToken",
        "status",
        "accessToken",
        "refreshToken",
        "expiration",
        "ereceipt",
        "account",
        "id",
        "name",
        "held",
        "interval",
        "expiresIn",
        "code",
        "reason",
        "acknowledge",
        "pickup",
        "parameter",
    ];
    prop_oneof![
        4 => proptest::sample::select(names).prop_map(String::from),
        1 => any::<String>(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn any_json_gives_a_value_or_a_fault(members in proptest::collection::vec((member(), any_json()), 0..10)) {
        let body = Value::Object(members.into_iter().collect());
        if let Ok(created) = create(body.clone()) {
            prop_assert!(!created.integration_token.is_empty());
        }
        let _ = standing(body.clone());
        if let Ok(set) = tokens(body.clone()) {
            prop_assert!(set.tokens.is_none_or(|tokens| !tokens.access_token.is_empty()));
        }
        let _ = said(body);
    }
}
