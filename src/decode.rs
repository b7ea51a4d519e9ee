//! Reads the bodies of the answers (§4). Unknown members are ignored; what the spec requires is checked member by member.

use crate::expiration::{self, Expiration};
use crate::loose::{Loose, Members};
use pos_connect_protocol::Status;

/// Why a body cannot be used: a member, and what is wrong with it. Never its value.
pub type Fault = (&'static str, Problem);

/// What is wrong with a member.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Problem {
    /// It is not there, `null` or empty.
    Missing,
    /// It has another type than the spec gives it.
    WrongType,
    /// It has the right type and a value that the spec does not know.
    Unreadable,
}

impl Problem {
    /// The word in `TokenFault.problem` and in messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::WrongType => "wrong_type",
            Self::Unreadable => "unreadable",
        }
    }
}

/// A created integration.
#[derive(Debug, PartialEq)]
pub struct Created {
    /// Passed in later calls and in the frame's URL.
    pub integration_token: String,
    /// Seconds between two status calls, if the service says so.
    pub interval: Option<f64>,
    /// Seconds until a pending integration is cancelled, if the service says so.
    pub expires_in: Option<f64>,
}

/// Reads the answer to "create integration code" (§4.1).
pub fn created(mut body: Members) -> Result<Created, Fault> {
    succeeded(&body.take("success"))?;
    Ok(Created {
        integration_token: required_text(&mut body, "integrationToken")?,
        interval: body.take("interval").number(),
        expires_in: body.take("expiresIn").number(),
    })
}

/// A status answer.
#[derive(Debug, PartialEq)]
pub struct Answer {
    /// Where the integration stands.
    pub status: Status,
    /// Seconds between two status calls, if the service says so.
    pub interval: Option<f64>,
    /// Seconds until a pending integration is cancelled, if the service says so.
    pub expires_in: Option<f64>,
}

/// Reads the answer to "check integration status" (§4.2).
pub fn answer(mut body: Members) -> Result<Answer, Fault> {
    succeeded(&body.take("success"))?;
    let word = required_text(&mut body, "status")?;
    Ok(Answer {
        status: Status::parse(&word).ok_or(("status", Problem::Unreadable))?,
        interval: body.take("interval").number(),
        expires_in: body.take("expiresIn").number(),
    })
}

/// The token set (§2.2). No `Debug`: it may hold tokens.
pub struct TokenSet {
    /// The access and the refresh token; `None` if the relay keeps them.
    pub tokens: Option<(String, String)>,
    /// When the access token expires.
    pub expiration: Expiration,
    /// Whether the till offers e-receipts (§2.3); false unless the answer said `true`.
    pub ereceipt: bool,
    /// Identifier and name of the account, if sent.
    pub account: Option<(String, String)>,
    /// What was odd about the rest of the answer.
    pub faults: Vec<Fault>,
}

/// Reads the answer to "retrieve access and refresh tokens" (§4.4). Only the access token, or `held: true`, is required: the answer
/// comes once, so nothing else may cost it.
pub fn token_set(mut body: Members) -> Result<TokenSet, Fault> {
    let mut faults = Vec::new();
    let tokens = if body.take("held").is_true() {
        None
    } else {
        let access = required_text(&mut body, "accessToken")?;
        let refresh = required_text(&mut body, "refreshToken");
        Some((access, kept(refresh, &mut faults).unwrap_or_default()))
    };
    kept(succeeded(&body.take("success")), &mut faults);
    let expiration = expiration::read(&body.take("expiration"));
    match expiration {
        Expiration::At(_) => {}
        Expiration::Missing => faults.push(("expiration", Problem::Missing)),
        Expiration::Unreadable(_) => faults.push(("expiration", Problem::Unreadable)),
    }
    let ereceipt = body.take("ereceipt");
    match ereceipt {
        Loose::Bool(_) => {}
        Loose::Missing => faults.push(("ereceipt", Problem::Missing)),
        _ => faults.push(("ereceipt", Problem::WrongType)),
    }
    Ok(TokenSet {
        tokens,
        expiration,
        ereceipt: ereceipt.is_true(),
        account: account(body.take("account"), &mut faults),
        faults,
    })
}

/// The `account` member: an extension, so whatever stands there must not cost the rest.
fn account(member: Loose, faults: &mut Vec<Fault>) -> Option<(String, String)> {
    match member {
        Loose::Missing => None,
        Loose::Members(mut members) => {
            let id = filled(members.take("id"), "account.id");
            let name = filled(members.take("name"), "account.name");
            Some((kept(id, faults)?, kept(name, faults)?))
        }
        _ => {
            faults.push(("account", Problem::WrongType));
            None
        }
    }
}

/// What an error answer says about itself. Every member may be missing: the spec leaves its body open (§7).
#[derive(Debug, Default, PartialEq)]
pub struct Refusal {
    /// The service's own word.
    pub code: Option<String>,
    /// What the operator finds it by.
    pub request_id: Option<String>,
}

/// Reads an error answer.
pub fn refusal(mut body: Members) -> Refusal {
    let mut text = |name| filled(body.take(name), name).ok();
    Refusal {
        code: text("code"),
        request_id: text("requestId"),
    }
}

fn succeeded(success: &Loose) -> Result<(), Fault> {
    match success {
        Loose::Bool(true) => Ok(()),
        Loose::Bool(false) => Err(("success", Problem::Unreadable)),
        Loose::Missing => Err(("success", Problem::Missing)),
        _ => Err(("success", Problem::WrongType)),
    }
}

fn required_text(body: &mut Members, name: &'static str) -> Result<String, Fault> {
    filled(body.take(name), name)
}

fn filled(member: Loose, name: &'static str) -> Result<String, Fault> {
    match member {
        Loose::Text(text) if !text.is_empty() => Ok(text),
        Loose::Text(_) | Loose::Missing => Err((name, Problem::Missing)),
        _ => Err((name, Problem::WrongType)),
    }
}

/// The value, or its fault noted.
fn kept<T>(read: Result<T, Fault>, faults: &mut Vec<Fault>) -> Option<T> {
    read.map_err(|fault| faults.push(fault)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn members(body: Value) -> Members {
        match serde_json::from_value(body).unwrap() {
            Loose::Members(members) => members,
            _ => panic!("not an object"),
        }
    }
    fn create(body: Value) -> Result<Created, Fault> {
        created(members(body))
    }
    fn status(body: Value) -> Result<Answer, Fault> {
        answer(members(body))
    }
    fn tokens(body: Value) -> Result<TokenSet, Fault> {
        token_set(members(body))
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
        assert_eq!(set.expiration, Expiration::At(1_795_257_000_000.0));
        assert!(set.faults.is_empty() && set.account.is_none());
    }

    #[test]
    fn extensions_are_read() {
        let body = json!({"success": true, "integrationToken": "t", "interval": 3, "expiresIn": 60.5, "new": [1]});
        let created = create(body).unwrap();
        assert_eq!(
            (created.interval, created.expires_in),
            (Some(3.0), Some(60.5))
        );
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
        assert_eq!(
            set.expiration,
            Expiration::Unreadable(Loose::Text("soon".into()))
        );
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
        let said = refusal(members(json!({"code": "slow_down", "requestId": "r"})));
        assert_eq!(said.code.as_deref(), Some("slow_down"));
        assert_eq!(said.request_id.as_deref(), Some("r"));
        assert_eq!(refusal(members(json!({"code": 5}))), Refusal::default());
    }

    #[test]
    fn depth_is_not_descended() {
        let deep = "[".repeat(100) + &"]".repeat(100);
        let body = format!(
            r#"{{"success":true,"integrationToken":"t","x":{deep},"y":{{"z":{{"a":1}}}}}}"#
        );
        let Loose::Members(body) = serde_json::from_str(&body).unwrap() else {
            panic!("not an object");
        };
        assert!(created(body).is_ok());
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
            let Ok(Loose::Members(body)) = serde_json::from_str::<Loose>(&body.to_string()) else {
                return Ok(());
            };
            if let Ok(created) = created(body.clone()) {
                prop_assert!(!created.integration_token.is_empty());
            }
            let _ = answer(body.clone());
            if let Ok(set) = token_set(body.clone()) {
                prop_assert!(set.tokens.is_none_or(|(access, _)| !access.is_empty()));
            }
            let _ = refusal(body);
        }
    }
}
