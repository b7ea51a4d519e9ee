//! What a token answer of the service holds, parted into what is secret and what every till may know.

use crate::seal::{Purpose, Sealer, Unreadable};
use crate::store::Facts;
use pos_connect::decode;
use pos_connect::expiration::Expiration;
use pos_connect::loose::{Loose, Members};
use pos_connect_foundation::clock::Timestamp;
use pos_connect_foundation::token::Hash;
use pos_connect_protocol::Account;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A pair of tokens. No `Debug`.
#[derive(Clone, Deserialize, Serialize)]
pub struct Pair {
    /// For calls to the service's other APIs.
    pub access: String,
    /// For refreshing access, if there is one.
    pub refresh: Option<String>,
}

impl Pair {
    /// Encrypts it for its integration's row.
    pub fn seal(&self, sealer: &Sealer, row: &Hash) -> Result<Vec<u8>, Unreadable> {
        let plain = serde_json::to_vec(self).map_err(|_| Unreadable)?;
        sealer.seal(Purpose::Tokens, row, &plain)
    }

    /// Decrypts it.
    pub fn open(sealer: &Sealer, row: &Hash, sealed: &[u8]) -> Result<Self, Unreadable> {
        let plain = sealer.open(Purpose::Tokens, row, sealed)?;
        serde_json::from_slice(&plain).map_err(|_| Unreadable)
    }
}

/// Reads a token answer (§4.4). Only the access token is required: whatever else is wrong must not cost it.
pub fn picked_up(body: &dyn Members) -> Option<(Pair, Facts)> {
    let set = decode::token_set(body).ok()?;
    let (access, refresh) = set.tokens?;
    let (expiration, expires_at) = expiration(set.expiration);
    let facts = Facts {
        ereceipt: set.ereceipt,
        expiration,
        expires_at,
        account: set.account.map(|(id, name)| Account { id, name }),
    };
    let refresh = Some(refresh).filter(|token| !token.is_empty());
    Some((Pair { access, refresh }, facts))
}

/// What a refresh gave.
pub struct Refreshed {
    /// The new pair.
    pub pair: Pair,
    /// When its access token expires, for tills.
    pub expiration: Option<String>,
    /// The same, where it could be read.
    pub expires_at: Option<Timestamp>,
    /// The account's choice now, if the service said it.
    pub ereceipt: Option<bool>,
}

/// Reads the answer to a refresh (RFC 6749 §5.1), also with the names of §4.4. A refresh token that is not replaced stays valid.
pub fn refreshed(body: &dyn Members, old: &Pair, now: Timestamp) -> Option<Refreshed> {
    let text = |names: [&str; 2]| {
        names.into_iter().find_map(|name| match body.get(name) {
            Loose::Text(text) if !text.is_empty() => Some(text),
            _ => None,
        })
    };
    let access = text(["access_token", "accessToken"])?;
    let refresh = text(["refresh_token", "refreshToken"]).or_else(|| old.refresh.clone());
    let (mut shown, mut expires_at) =
        expiration(pos_connect::expiration::read(body.get("expiration")));
    if let (None, Some(seconds)) = (&shown, body.get("expires_in").number()) {
        let at = now.after(Duration::try_from_secs_f64(seconds).unwrap_or_default());
        (shown, expires_at) = (Some(at.to_string()), Some(at));
    }
    let ereceipt = match body.get("ereceipt") {
        Loose::Bool(ereceipt) => Some(ereceipt),
        _ => None,
    };
    Some(Refreshed {
        pair: Pair { access, refresh },
        expiration: shown,
        expires_at,
        ereceipt,
    })
}

/// For tills, and for ourselves. What cannot be read is passed on as it was written.
fn expiration(read: Expiration) -> (Option<String>, Option<Timestamp>) {
    match read {
        Expiration::At(ms) => {
            // A Date's range is far inside an i64's.
            #[allow(clippy::cast_possible_truncation)]
            let at = Timestamp(ms as i64);
            (Some(at.to_string()), Some(at))
        }
        Expiration::Unreadable(Loose::Text(text)) => (Some(text), None),
        Expiration::Unreadable(_) | Expiration::Missing => (None, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Object;

    fn members(text: &str) -> Object {
        Object::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn the_access_token_alone_is_enough() {
        let (pair, facts) = picked_up(&members(r#"{"accessToken":"a"}"#)).unwrap();
        assert_eq!((pair.access.as_str(), pair.refresh), ("a", None));
        assert!(!facts.ereceipt && facts.expires_at.is_none());
        for none in ["{}", r#"{"accessToken":""}"#, r#"{"held":true}"#] {
            assert!(picked_up(&members(none)).is_none(), "{none}");
        }
    }

    #[test]
    fn an_expiration_is_shown_the_same_way_whatever_its_form() {
        for (written, shown) in [
            ("1795257000", Some("2026-11-21T10:30:00Z")),
            (
                "\"2026-11-21T12:30:00+02:00\"",
                Some("2026-11-21T10:30:00Z"),
            ),
            ("\"soon\"", Some("soon")),
            ("[]", None),
        ] {
            let body = format!(r#"{{"accessToken":"a","expiration":{written}}}"#);
            let (_, facts) = picked_up(&members(&body)).unwrap();
            assert_eq!(facts.expiration.as_deref(), shown, "{written}");
        }
    }

    #[test]
    fn a_refresh_is_read_in_both_spellings_and_keeps_what_it_does_not_replace() {
        let old = Pair {
            access: "a".into(),
            refresh: Some("r".into()),
        };
        let read = |text| refreshed(&members(text), &old, Timestamp(0)).unwrap();
        let rfc = read(r#"{"access_token":"b","refresh_token":"s","expires_in":60}"#);
        assert_eq!(
            (&*rfc.pair.access, rfc.pair.refresh.as_deref()),
            ("b", Some("s"))
        );
        assert_eq!(rfc.expires_at, Some(Timestamp(60_000)));
        let ours =
            read(r#"{"accessToken":"b","expiration":"1970-01-01T00:02:00Z","ereceipt":true}"#);
        assert_eq!(ours.pair.refresh.as_deref(), Some("r"));
        assert_eq!(
            (ours.expires_at, ours.ereceipt),
            (Some(Timestamp(120_000)), Some(true))
        );
        assert!(refreshed(&members("{}"), &old, Timestamp(0)).is_none());
    }
}
