mod kinds;

use super::*;
use crate::Scalar;
use MemberProblem::{Missing, Unreadable, WrongType};
use serde_json::{Value, json};

fn create(body: Value) -> Result<Created, Fault> {
    created(serde_json::from_value(body).unwrap())
}
fn standing(body: Value) -> Result<Standing, Fault> {
    status(serde_json::from_value(body).unwrap())
}
fn tokens(body: Value) -> Result<TokenSet, Fault> {
    token_set(serde_json::from_value(body).unwrap())
}
fn said(body: Value) -> Refusal {
    refusal(serde_json::from_value(body).unwrap())
}
fn pair(access: &str, refresh: Option<&str>) -> Option<Tokens> {
    Some(Tokens {
        access_token: access.to_owned(),
        refresh_token: refresh.map(str::to_owned),
    })
}

#[test]
fn the_bodies_of_the_spec() {
    let created = create(json!({"success": true, "integrationToken": "t"})).unwrap();
    assert_eq!(created.integration_token, "t");
    assert_eq!((created.interval, created.expires_in), (None, None));
    for word in ["pending", "finished", "cancelled"] {
        let standing = standing(json!({"success": true, "status": word})).unwrap();
        assert_eq!(standing.status.as_str(), word);
    }
    let set = tokens(
        json!({"success": true, "accessToken": "a", "refreshToken": "r",
        "expiration": "2026-11-21T10:30:00Z", "ereceipt": true}),
    );
    let set = set.ok().unwrap();
    assert!(set.tokens == pair("a", Some("r")) && set.ereceipt);
    assert!(set.expiration == Expiration::At(1_795_257_000_000.0));
    assert!(set.faults.is_empty() && set.account.is_none() && !set.acknowledge);
}

#[test]
fn extensions_are_read() {
    let body = json!({"success": true, "integrationToken": "t", "interval": 3, "expiresIn": 60.5, "pickup": true,
        "code": "0420", "new": [1]});
    let created = create(body).unwrap();
    assert_eq!(
        (created.interval, created.expires_in),
        (Some(3.0), Some(60.5))
    );
    assert_eq!(created.code.as_deref(), Some("0420"));
    assert!(created.reissues);
    let body = json!({"success": true, "status": "cancelled", "interval": 7, "expiresIn": 9, "reason": "till"});
    let standing = standing(body).unwrap();
    assert_eq!(
        (standing.interval, standing.expires_in),
        (Some(7.0), Some(9.0))
    );
    assert_eq!(standing.reason, Some(StatusReason::Till));
    for (opened, is_opened) in [
        (json!(true), true),
        (json!(false), false),
        (json!("yes"), false),
    ] {
        let body = json!({"success": true, "status": "pending", "opened": opened});
        assert_eq!(self::standing(body).unwrap().is_opened, is_opened);
    }
    let set = tokens(
        json!({"success": true, "accessToken": "a", "refreshToken": "r", "expiration": 1_795_257_000,
        "ereceipt": false, "account": {"id": "1", "name": "Bakery", "more": {}}, "acknowledge": true}),
    );
    let set = set.ok().unwrap();
    let account = set.account.unwrap();
    assert_eq!((&*account.id, &*account.name), ("1", "Bakery"));
    assert!(set.faults.is_empty() && !set.ereceipt && set.acknowledge);
}

#[test]
fn a_fault_names_the_member() {
    let success = |value: Value| json!({"success": value, "integrationToken": "t"});
    let token = |value: Value| json!({"success": true, "integrationToken": value});
    for (body, member, problem) in [
        (json!({"integrationToken": "t"}), "success", Missing),
        (success(json!(false)), "success", Unreadable),
        (success(json!("true")), "success", WrongType),
        (json!({"success": true}), "integrationToken", Missing),
        (token(json!("")), "integrationToken", Missing),
        (token(json!(null)), "integrationToken", Missing),
        (token(json!(5)), "integrationToken", WrongType),
        (token(json!(["t"])), "integrationToken", WrongType),
    ] {
        assert_eq!(create(body), Err(Fault { member, problem }));
    }
    let status = |value: Value| json!({"success": true, "status": value});
    for (body, member, problem) in [
        (json!({}), "success", Missing),
        (json!({"success": true}), "status", Missing),
        (status(json!("")), "status", Missing),
        (status(json!(true)), "status", WrongType),
        (status(json!("Finished")), "status", Unreadable),
        (status(json!("canceled")), "status", Unreadable),
    ] {
        assert_eq!(standing(body), Err(Fault { member, problem }));
    }
}

#[test]
fn only_the_access_token_is_required_and_every_other_fault_stands_beside_it() {
    let fault = |body| tokens(body).err().unwrap();
    assert_eq!(
        fault(json!({"success": true})),
        Fault::new("accessToken", Missing)
    );
    assert_eq!(
        fault(json!({"accessToken": 1})),
        Fault::new("accessToken", WrongType)
    );
    let set = tokens(
        json!({"success": false, "accessToken": "a", "refreshToken": 7, "expiration": "soon",
        "ereceipt": "true", "account": {"id": "1"}}),
    );
    let set = set.ok().unwrap();
    assert!(set.tokens == pair("a", None));
    assert!(!set.ereceipt && set.account.is_none());
    assert!(set.expiration == Expiration::Unreadable(Some(Scalar::Text("soon".into()))));
    let faults = [
        Fault::new("refreshToken", WrongType),
        Fault::new("success", Unreadable),
        Fault::new("expiration", Unreadable),
        Fault::new("ereceipt", WrongType),
        Fault::new("account.name", Missing),
    ];
    assert_eq!(set.faults, faults);
}

#[test]
fn an_account_is_whole_or_its_first_fault_is_noted() {
    let of = |account| {
        tokens(json!({"accessToken": "a", "account": account}))
            .ok()
            .unwrap()
    };
    for (account, fault) in [
        (json!("Bakery"), Fault::new("account", WrongType)),
        (json!(["1", "Bakery"]), Fault::new("account", WrongType)),
        (json!({}), Fault::new("account.id", Missing)),
        (
            json!({"id": 1, "name": 2}),
            Fault::new("account.id", WrongType),
        ),
        (
            json!({"id": "1", "name": ""}),
            Fault::new("account.name", Missing),
        ),
        (
            json!({"id": "1", "name": {"en": "Bakery"}}),
            Fault::new("account.name", WrongType),
        ),
    ] {
        let set = of(account);
        assert!(set.account.is_none());
        assert_eq!(set.faults.last(), Some(&fault));
    }
    let none = of(Value::Null);
    assert!(
        none.account.is_none()
            && !none
                .faults
                .iter()
                .any(|fault| fault.member.starts_with("account"))
    );
}

#[test]
fn a_relay_that_holds_the_tokens_sends_none() {
    let body =
        json!({"success": true, "held": true, "expiration": 1_795_257_000, "ereceipt": true});
    let set = tokens(body).ok().unwrap();
    assert!(set.tokens.is_none() && set.faults.is_empty());
    // Only the boolean counts: otherwise a token that did come would be thrown away.
    let set = tokens(json!({"success": true, "held": "true", "accessToken": "a"}));
    assert!(set.ok().unwrap().tokens.is_some());
}

#[test]
fn an_error_body_says_what_it_can() {
    let whole = said(
        json!({"code": "slow_down", "requestId": "r", "parameter": "client_id", "pickup": "yours"}),
    );
    assert_eq!(whole.code.as_deref(), Some("slow_down"));
    assert_eq!(whole.request_id.as_deref(), Some("r"));
    assert_eq!(whole.parameter, Some("client_id"));
    assert_eq!(whole.pickup, Some(PickupOwner::Yours));
    assert_eq!(said(json!({"parameter": "hunter2"})).parameter, None);
    for (body, is_service) in [
        (json!({"success": false}), true),
        (json!({"code": "invalid_secret"}), true),
        (json!({"code": "not_connected"}), true),
        (
            json!({"code": "forbidden", "message": "no Route matched"}),
            false,
        ),
        (json!({"success": true}), false),
        (json!({}), false),
    ] {
        assert_eq!(said(body.clone()).is_service, is_service, "{body}");
    }
    for nothing in [
        json!({}),
        json!({"code": 5}),
        json!({"code": "", "requestId": [], "pickup": "mine"}),
    ] {
        assert_eq!(said(nothing), Refusal::default());
    }
}

#[test]
fn a_rule_is_a_sentence_without_a_value() {
    let rule = |text: &str| said(json!({"success": false, "rule": text})).rule;
    let known = "a text of 1 to 200 characters, without control characters";
    assert_eq!(rule(known).as_deref(), Some(known));
    for text in ["not 0502345678", "", &"a".repeat(201), "לא"] {
        assert_eq!(rule(text), None, "{text}");
    }
}
