use super::*;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn members(body: Value) -> Map<String, Value> {
    match body {
        Value::Object(members) => members,
        _ => panic!("not an object"),
    }
}
fn create(body: Value) -> Result<Created, Fault> {
    created(&members(body))
}
fn status(body: Value) -> Result<Answer, Fault> {
    answer(&members(body))
}
fn tokens(body: Value) -> Result<TokenSet, Fault> {
    token_set(&members(body))
}

#[test]
fn the_bodies_of_the_spec() {
    let created = create(json!({"success": true, "integrationToken": "t"})).unwrap();
    assert_eq!(created.integration_token, "t");
    assert_eq!((created.interval, created.expires_in), (None, None));
    for word in ["pending", "finished", "cancelled"] {
        let answer = status(json!({"success": true, "status": word})).unwrap();
        assert_eq!(answer.status.as_str(), word);
    }
    let set = tokens(
        json!({"success": true, "accessToken": "a", "refreshToken": "r",
        "expiration": "2026-11-21T10:30:00Z", "ereceipt": true}),
    )
    .ok()
    .unwrap();
    assert!(set.tokens == Some(("a".into(), "r".into())) && set.ereceipt);
    assert!(matches!(
        set.expiration,
        Expiration::At(1_795_257_000_000.0)
    ));
    assert!(set.faults.is_empty() && set.account.is_none());
}

#[test]
fn extensions_are_read() {
    let body = json!({"success": true, "integrationToken": "t", "interval": 3, "expiresIn": 60.5, "pickup": true, "code": "0420", "new": [1]});
    let created = create(body).unwrap();
    assert_eq!(
        (created.interval, created.expires_in),
        (Some(3.0), Some(60.5))
    );
    assert_eq!(created.code.as_deref(), Some("0420"));
    assert!(created.reissues);
    let answer =
        status(json!({"success": true, "status": "pending", "interval": 7, "expiresIn": 9}));
    assert_eq!(answer.unwrap().interval, Some(7.0));
    let set = tokens(json!({"success": true, "accessToken": "a", "refreshToken": "r", "expiration": 1_795_257_000,
        "ereceipt": false, "account": {"id": "1", "name": "Bakery", "more": {}}}))
    .ok()
    .unwrap();
    assert_eq!(set.account, Some(("1".into(), "Bakery".into())));
    assert!(set.faults.is_empty() && !set.ereceipt);
}

#[test]
fn a_fault_names_the_member() {
    use Problem::{Missing, Unreadable, WrongType};
    for (body, fault) in [
        (json!({"integrationToken": "t"}), ("success", Missing)),
        (
            json!({"success": false, "integrationToken": "t"}),
            ("success", Unreadable),
        ),
        (
            json!({"success": "true", "integrationToken": "t"}),
            ("success", WrongType),
        ),
        (json!({"success": true}), ("integrationToken", Missing)),
        (
            json!({"success": true, "integrationToken": ""}),
            ("integrationToken", Missing),
        ),
        (
            json!({"success": true, "integrationToken": null}),
            ("integrationToken", Missing),
        ),
        (
            json!({"success": true, "integrationToken": 5}),
            ("integrationToken", WrongType),
        ),
        (
            json!({"success": true, "integrationToken": ["t"]}),
            ("integrationToken", WrongType),
        ),
    ] {
        assert_eq!(create(body), Err(fault));
    }
    for (body, fault) in [
        (json!({"success": true}), ("status", Missing)),
        (
            json!({"success": true, "status": true}),
            ("status", WrongType),
        ),
        (
            json!({"success": true, "status": "Finished"}),
            ("status", Unreadable),
        ),
        (
            json!({"success": true, "status": "canceled"}),
            ("status", Unreadable),
        ),
    ] {
        assert_eq!(status(body), Err(fault));
    }
}

#[test]
fn only_the_access_token_is_required_and_every_other_fault_stands_beside_it() {
    assert_eq!(
        tokens(json!({"success": true})).err(),
        Some(("accessToken", Problem::Missing))
    );
    assert_eq!(
        tokens(json!({"accessToken": 1})).err(),
        Some(("accessToken", Problem::WrongType))
    );
    let set = tokens(
        json!({"success": false, "accessToken": "a", "refreshToken": 7, "expiration": "soon",
        "ereceipt": "true", "account": {"id": "1"}}),
    )
    .ok()
    .unwrap();
    assert!(set.tokens == Some(("a".into(), String::new())));
    assert!(!set.ereceipt && set.account.is_none());
    assert!(matches!(set.expiration, Expiration::Unreadable(Loose::Text(text)) if text == "soon"));
    assert_eq!(
        set.faults,
        [
            ("refreshToken", Problem::WrongType),
            ("success", Problem::Unreadable),
            ("expiration", Problem::Unreadable),
            ("ereceipt", Problem::WrongType),
            ("account.name", Problem::Missing),
        ]
    );
    let account = tokens(json!({"accessToken": "a", "account": "Bakery"}))
        .ok()
        .unwrap();
    assert!(account.faults.contains(&("account", Problem::WrongType)));
}

#[test]
fn a_relay_that_holds_the_tokens_sends_none() {
    let body =
        json!({"success": true, "held": true, "expiration": 1_795_257_000, "ereceipt": true});
    let set = tokens(body).ok().unwrap();
    assert!(set.tokens.is_none() && set.faults.is_empty());
    // Only the boolean counts: otherwise a token that did come would be thrown away.
    let set = tokens(json!({"success": true, "held": "true", "accessToken": "a"}))
        .ok()
        .unwrap();
    assert!(set.tokens.is_some());
}

#[test]
fn an_error_body_says_what_it_can() {
    let said = refusal(&members(
        json!({"code": "slow_down", "requestId": "r", "parameter": "client_id"}),
    ));
    assert_eq!(said.code.as_deref(), Some("slow_down"));
    assert_eq!(said.request_id.as_deref(), Some("r"));
    assert_eq!(said.parameter, Some("client_id"));
    let odd = refusal(&members(json!({"parameter": "hunter2"})));
    assert_eq!(odd.parameter, None);
    assert_eq!(refusal(&members(json!({"code": 5}))), Refusal::default());
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        prop_oneof![
            Just("pending"),
            Just("finished"),
            Just("2026-11-21T10:30:00Z")
        ]
        .prop_map(Value::from),
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
    prop_oneof![
        4 => proptest::sample::select(vec!["success", "integrationToken", "status", "accessToken", "refreshToken",
            "expiration", "ereceipt", "account", "id", "name", "held", "interval", "expiresIn", "code"])
            .prop_map(String::from),
        1 => any::<String>(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn any_json_gives_a_value_or_a_fault(body in any_json()) {
        let Value::Object(body) = body else {
            return Ok(());
        };
        if let Ok(created) = created(&body) {
            prop_assert!(!created.integration_token.is_empty());
        }
        let _ = answer(&body);
        if let Ok(set) = token_set(&body) {
            prop_assert!(set.tokens.is_none_or(|(access, _)| !access.is_empty()));
        }
        let _ = refusal(&body);
    }
}
