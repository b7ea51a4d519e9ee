//! What a token answer of the service holds, parted into what is secret and what every till may know.

use crate::seal::{Purpose, Sealer, Unreadable};
use crate::store::TokenSetInfo;
use crate::upstream::Reply;
use pos_connect_foundation::clock::Timestamp;
use pos_connect_foundation::token::Hash;
use pos_connect_protocol::decode;
use pos_connect_protocol::expiration::{self, Expiration};
use pos_connect_protocol::{Number, RefreshResponse, Scalar, TokenResponse};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A pair of tokens. No `Debug`.
#[derive(Clone, Deserialize, Serialize)]
pub struct Pair {
    /// For calls to the service's other APIs.
    pub access_token: String,
    /// For refreshing access, if there is one.
    pub refresh_token: Option<String>,
}

impl Pair {
    /// Encrypts it for its integration's row.
    pub fn seal(&self, sealer: &Sealer, row: &Hash) -> Result<Vec<u8>, Unreadable> {
        let plain = serde_json::to_vec(self).map_err(|_| Unreadable::Damaged)?;
        sealer.seal(Purpose::Tokens, row, &plain)
    }

    /// Decrypts it.
    pub fn open(sealer: &Sealer, row: &Hash, sealed: &[u8]) -> Result<Self, Unreadable> {
        let plain = sealer.open(Purpose::Tokens, row, sealed)?;
        serde_json::from_slice(&plain).map_err(|_| Unreadable::Damaged)
    }
}

/// Reads a token answer (§4.4). Only the access token is required: whatever else is wrong must not cost it.
pub fn picked_up(body: TokenResponse) -> Option<(Pair, TokenSetInfo)> {
    let set = decode::token_set(body).ok()?;
    let decode::Tokens {
        access_token,
        refresh_token,
    } = set.tokens?;
    let (expiration, expires_at) = shown(set.expiration);
    let info = TokenSetInfo {
        ereceipt: set.ereceipt,
        expiration,
        expires_at,
        account: set.account,
        store: set.store,
    };
    Some((
        Pair {
            access_token,
            refresh_token,
        },
        info,
    ))
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

/// Reads the answer to a refresh: with the names of RFC 6749 §5.1 first, then with those of §4.4.
/// A refresh token that is not replaced stays valid.
pub fn refreshed(reply: &Reply, old: &Pair, now: Timestamp) -> Option<Refreshed> {
    let (rfc, ours): (RefreshResponse, TokenResponse) = (reply.body()?, reply.body()?);
    let access_token = rfc.access_token.filled().or(ours.access_token.filled());
    let refresh_token = rfc.refresh_token.filled().or(ours.refresh_token.filled());
    let (mut expiration, mut expires_at) = shown(expiration::read(rfc.expiration));
    if let (None, Some(Number(seconds))) = (&expiration, rfc.expires_in.value()) {
        let at = now.after(Duration::try_from_secs_f64(seconds).unwrap_or_default());
        (expiration, expires_at) = (Some(at.to_string()), Some(at));
    }
    Some(Refreshed {
        pair: Pair {
            access_token: access_token.ok()?,
            refresh_token: refresh_token.ok().or_else(|| old.refresh_token.clone()),
        },
        expiration,
        expires_at,
        ereceipt: rfc.ereceipt.value(),
    })
}

/// An expiration for tills, and for ourselves. What cannot be read is passed on as it was written.
fn shown(read: Expiration) -> (Option<String>, Option<Timestamp>) {
    match read {
        Expiration::At(ms) => {
            // A Date's range is far inside an i64's.
            #[allow(clippy::cast_possible_truncation)]
            let at = Timestamp(ms as i64);
            (Some(at.to_string()), Some(at))
        }
        Expiration::Unreadable(Some(Scalar::Text(text))) => (Some(text), None),
        Expiration::Unreadable(_) | Expiration::Missing => (None, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(text: &str) -> Reply {
        Reply::new(200, text.as_bytes().to_vec())
    }

    fn first(text: &str) -> Option<(Pair, TokenSetInfo)> {
        picked_up(reply(text).body()?)
    }

    #[test]
    fn the_access_token_alone_is_enough() {
        let (pair, info) = first(r#"{"accessToken":"a"}"#).unwrap();
        assert_eq!(
            (pair.access_token.as_str(), pair.refresh_token),
            ("a", None)
        );
        assert!(!info.ereceipt && info.expires_at.is_none());
        for none in ["{}", r#"{"accessToken":""}"#, r#"{"held":true}"#] {
            assert!(first(none).is_none(), "{none}");
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
            let (_, info) = first(&body).unwrap();
            assert_eq!(info.expiration.as_deref(), shown, "{written}");
        }
    }

    #[test]
    fn a_refresh_is_read_in_both_spellings_and_keeps_what_it_does_not_replace() {
        let old = Pair {
            access_token: "a".into(),
            refresh_token: Some("r".into()),
        };
        let read = |text| refreshed(&reply(text), &old, Timestamp(0)).unwrap();
        let rfc = read(r#"{"access_token":"b","refresh_token":"s","expires_in":60}"#);
        assert_eq!(
            (&*rfc.pair.access_token, rfc.pair.refresh_token.as_deref()),
            ("b", Some("s"))
        );
        assert_eq!(rfc.expires_at, Some(Timestamp(60_000)));
        let ours =
            read(r#"{"accessToken":"b","expiration":"1970-01-01T00:02:00Z","ereceipt":true}"#);
        assert_eq!(ours.pair.refresh_token.as_deref(), Some("r"));
        assert_eq!(
            (ours.expires_at, ours.ereceipt),
            (Some(Timestamp(120_000)), Some(true))
        );
        // A member of a wrong type in one spelling does not hide the other.
        let mixed =
            read(r#"{"access_token":7,"accessToken":"b","expires_in":"60","expiration":[]}"#);
        assert_eq!((&*mixed.pair.access_token, mixed.expires_at), ("b", None));
        assert!(refreshed(&reply("{}"), &old, Timestamp(0)).is_none());
    }
}
