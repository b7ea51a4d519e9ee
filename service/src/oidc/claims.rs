//! What a provider says of who has signed in: the account, its name, its stores.

use pos_connect_protocol::text::{is_control, is_name};
use serde_json::Value;
use std::collections::HashSet;

/// Longest ID, in bytes; a `sub` has no more (OpenID Connect Core §2).
const LONGEST_ID: usize = 255;
/// Longest name, in characters.
const LONGEST_NAME: usize = 200;
/// Stores of one account.
const MOST_STORES: usize = 500;

/// Which claims say it: each a name, or a JSON Pointer (RFC 6901) as `/org/stores`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ClaimNames {
    /// The provider's ID for the account.
    pub account: String,
    /// Its name for people.
    pub name: String,
    /// Its stores: IDs, or objects with `id` and `name`. `None`: the account is one store.
    pub stores: Option<String>,
}

impl Default for ClaimNames {
    fn default() -> Self {
        Self {
            account: "sub".into(),
            name: "name".into(),
            stores: None,
        }
    }
}

/// Who has signed in.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Profile {
    /// The provider's ID for the account.
    pub subject: String,
    /// Its name for people.
    pub name: String,
    /// What the provider calls who has signed in; may be empty.
    pub login: String,
    /// Its stores.
    pub stores: Vec<ProfileStore>,
}

/// One of the stores.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ProfileStore {
    /// The provider's ID for it; empty for an account that is one store.
    pub id: String,
    /// Its name for people.
    pub name: String,
}

impl ClaimNames {
    /// Whether the claims have all that is looked for.
    pub(super) fn are_in(&self, claims: &Value) -> bool {
        let names = [Some(&self.account), Some(&self.name), self.stores.as_ref()];
        let mut names = names.into_iter().flatten();
        names.all(|name| at(claims, name).is_some())
    }

    /// The provider's ID for the account, if the claims have it.
    pub(super) fn subject(&self, claims: &Value) -> Option<String> {
        at(claims, &self.account).and_then(id)
    }

    /// Reads the claims. `Err` names the claim that is missing, or cannot be read.
    pub fn read(&self, claims: &Value) -> Result<Profile, &str> {
        let subject = self.subject(claims).ok_or(&*self.account)?;
        let called = |name| at(claims, name).and_then(text);
        let login = called("email").or_else(|| called("preferred_username"));
        let name = called(&self.name).or_else(|| login.clone());
        let name = name.unwrap_or_else(|| shortened(&subject));
        let stores = match &self.stores {
            None => vec![ProfileStore {
                id: String::new(),
                name: name.clone(),
            }],
            Some(path) => at(claims, path).and_then(stores).ok_or(&**path)?,
        };
        Ok(Profile {
            subject,
            name,
            login: login.unwrap_or_default(),
            stores,
        })
    }
}

fn at<'c>(claims: &'c Value, path: &str) -> Option<&'c Value> {
    let found = match path.starts_with('/') {
        true => claims.pointer(path),
        false => claims.get(path),
    };
    found.filter(|value| !value.is_null())
}

/// A text or a whole number.
fn id(value: &Value) -> Option<String> {
    let id = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) if !number.is_f64() => number.to_string(),
        _ => return None,
    };
    let is_one = !id.is_empty() && id.len() <= LONGEST_ID && !id.contains(char::is_control);
    is_one.then_some(id)
}

/// A text for people, if there is something in it.
fn text(value: &Value) -> Option<String> {
    let text = shortened(value.as_str()?);
    is_name(&text).then_some(text)
}

fn shortened(text: &str) -> String {
    let shown = text.chars().filter(|letter| !is_control(*letter));
    let shown: String = shown
        .skip_while(|letter| letter.is_whitespace())
        .take(LONGEST_NAME)
        .collect();
    shown.trim_end().to_owned()
}

/// Each store once; `None` if one of them cannot be read.
fn stores(value: &Value) -> Option<Vec<ProfileStore>> {
    let all = value
        .as_array()
        .filter(|stores| stores.len() <= MOST_STORES)?;
    let mut seen = HashSet::new();
    let mut stores = Vec::new();
    for one in all {
        let id = id(one.get("id").unwrap_or(one))?;
        let name = one.get("name").and_then(text);
        if seen.insert(id.clone()) {
            let name = name.unwrap_or_else(|| shortened(&id));
            stores.push(ProfileStore { id, name });
        }
    }
    Some(stores)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn named(account: &str, name: &str, stores: Option<&str>) -> ClaimNames {
        ClaimNames {
            account: account.into(),
            name: name.into(),
            stores: stores.map(Into::into),
        }
    }

    fn pairs(profile: &Profile) -> Vec<(&str, &str)> {
        let stores = profile.stores.iter();
        stores.map(|store| (&*store.id, &*store.name)).collect()
    }

    #[test]
    fn a_claim_is_named_or_pointed_at() {
        let claims = json!({
            "sub": "u1", "name": "Ada", "email": "ada@x.example", "https://ads.example/stores": ["s1", 7, "s1"],
            "org": {
                "id": 42, "name": " Corner\u{7} \u{202e}Bakery ",
                "stores": [{ "id": "a", "name": "Market" }, { "id": "b" }],
            },
        });
        let flat = named("sub", "name", Some("https://ads.example/stores"));
        let profile = flat.read(&claims).unwrap();
        assert_eq!(
            (&*profile.subject, &*profile.name, &*profile.login),
            ("u1", "Ada", "ada@x.example")
        );
        assert_eq!(pairs(&profile), [("s1", "s1"), ("7", "7")]);
        let nested = named("/org/id", "/org/name", Some("/org/stores"));
        assert!(nested.are_in(&claims));
        let profile = nested.read(&claims).unwrap();
        assert_eq!((&*profile.subject, &*profile.name), ("42", "Corner Bakery"));
        assert_eq!(pairs(&profile), [("a", "Market"), ("b", "b")]);
    }

    #[test]
    fn without_a_claim_for_stores_the_account_is_one() {
        let names = ClaimNames::default();
        let profile = names.read(&json!({ "sub": "u1" })).unwrap();
        assert_eq!((&*profile.name, &*profile.login), ("u1", ""));
        assert_eq!(pairs(&profile), [("", "u1")]);
        let known = json!({ "sub": "u1", "preferred_username": "ada" });
        assert_eq!(names.read(&known).unwrap().name, "ada");
        assert!(!names.are_in(&known), "userinfo may have a name");
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let names = named("sub", "name", Some("/org/stores"));
        for (claims, wrong) in [
            (json!({}), "sub"),
            (json!({ "sub": "" }), "sub"),
            (json!({ "sub": null }), "sub"),
            (json!({ "sub": ["u1"] }), "sub"),
            (json!({ "sub": 1.5 }), "sub"),
            (json!({ "sub": "x".repeat(256) }), "sub"),
            (json!({ "sub": "u\u{0}1" }), "sub"),
            (json!({ "sub": "u1" }), "/org/stores"),
            (
                json!({ "sub": "u1", "org": { "stores": "s1" } }),
                "/org/stores",
            ),
            (
                json!({ "sub": "u1", "org": { "stores": ["s1", {}] } }),
                "/org/stores",
            ),
            (
                json!({ "sub": "u1", "org": { "stores": vec![1; 501] } }),
                "/org/stores",
            ),
        ] {
            assert_eq!(names.read(&claims), Err(wrong), "{claims}");
        }
        let none = json!({ "sub": "u1", "org": { "stores": [] } });
        assert_eq!(names.read(&none).unwrap().stores, []);
    }
}
