//! What a browser keeps while it is at the provider: a cookie of the window's own, which ends with the sign-in.
//!
//! The database knows only hashes. The nonce and the PKCE verifier follow from the cookie's secret, so nobody without
//! the cookie can finish the sign-in, whoever reads the database or the browser's address line.

use crate::token::{Hash, Kind};
use axum::http::HeaderMap;
use axum::http::header::{self, HeaderValue};
use pos_connect_foundation::query::Parameters;
use pos_connect_protocol::query;

/// Seconds that the cookie lives: as long as the database remembers the sign-in.
const MAX_AGE: u32 = 15 * 60;
const SECRET: &str = "secret";
const NAMES: [&str; 6] = [
    SECRET,
    "client_id",
    "integration_token",
    "lang",
    "theme",
    "till",
];

/// A sign-in that is on its way. No `Debug`: it holds secrets.
#[derive(Clone, Default, PartialEq)]
pub struct Attempt {
    /// The secret, which only this browser has.
    pub secret: String,
    /// The vendor's; empty on the list of connections, as all below.
    pub client_id: String,
    /// What is to be connected.
    pub integration_token: String,
    /// The language of the page that the merchant came from.
    pub lang: String,
    /// Its colors.
    pub theme: String,
    /// The origin that said hello to it.
    pub till: String,
}

impl Attempt {
    /// Hash of the secret, if it is one.
    pub fn browser(&self) -> Option<Hash> {
        Kind::Login.digest(&self.secret)
    }

    /// What is to be connected, as the database names it.
    pub fn integration(&self) -> Option<Hash> {
        Kind::Integration.digest(&self.integration_token)
    }

    /// What the ID token has to repeat.
    pub fn nonce(&self) -> String {
        self.derived("nonce")
    }

    /// What proves to the provider that the code comes back from where it was asked for (RFC 7636).
    pub fn verifier(&self) -> String {
        self.derived("verifier")
    }

    fn derived(&self, purpose: &str) -> String {
        Hash::of(&format!("{purpose}\n{}", self.secret)).to_hex()
    }

    /// The header that gives it to the browser.
    pub fn set(&self, state: &Hash, is_secure: bool) -> Option<HeaderValue> {
        let values = [
            &self.secret,
            &self.client_id,
            &self.integration_token,
            &self.lang,
            &self.theme,
            &self.till,
        ];
        let mut value = String::new();
        for (name, part) in NAMES.into_iter().zip(values) {
            query::append(&mut value, name, part);
        }
        let value = value.trim_start_matches('?');
        cookie(state, is_secure, value, MAX_AGE)
    }

    /// The header that takes it away.
    pub fn forget(state: &Hash, is_secure: bool) -> Option<HeaderValue> {
        cookie(state, is_secure, "", 0)
    }

    /// Reads what the browser sends along. `None` in another browser.
    pub fn of(headers: &HeaderMap, state: &Hash, is_secure: bool) -> Option<Self> {
        let name = name(state, is_secure);
        let cookies = headers.get_all(header::COOKIE).into_iter();
        let texts = cookies.filter_map(|cookies| cookies.to_str().ok());
        let mut pairs = texts.flat_map(|text| text.split(';'));
        let value = pairs.find_map(|pair| pair.trim().strip_prefix(&name)?.strip_prefix('='))?;
        let values = Parameters::parse(value, NAMES).and_then(Parameters::once);
        let values = values
            .ok()?
            .map(|value| value.unwrap_or_default().into_owned());
        let [secret, client_id, integration_token, lang, theme, till] = values;
        Some(Self {
            secret,
            client_id,
            integration_token,
            lang,
            theme,
            till,
        })
    }
}

/// One for each sign-in: two windows of a browser do not end each other's. Browsers take a name with this prefix only
/// from the host itself, by TLS.
fn name(state: &Hash, is_secure: bool) -> String {
    let prefix = if is_secure { "__Host-" } else { "" };
    format!("{prefix}pos-connect-{}", state.label())
}

/// `Lax`: the provider's answer is a navigation from another site.
fn cookie(state: &Hash, is_secure: bool, value: &str, max_age: u32) -> Option<HeaderValue> {
    let name = name(state, is_secure);
    let secure = if is_secure { "; Secure" } else { "" };
    let cookie =
        format!("{name}={value}; Path=/; Max-Age={max_age}; HttpOnly; SameSite=Lax{secure}");
    HeaderValue::from_str(&cookie).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt() -> Attempt {
        Attempt {
            secret: Kind::Login.mint(),
            client_id: "vendor; a=b, \"ü\"".into(),
            integration_token: "pci_x".into(),
            lang: "he".into(),
            theme: String::new(),
            till: "https://till.example".into(),
        }
    }

    #[test]
    fn a_browser_sends_back_what_it_was_given() {
        for is_secure in [true, false] {
            let (attempt, state) = (attempt(), Hash::of("state"));
            let set = attempt.set(&state, is_secure).unwrap();
            let set = set.to_str().unwrap();
            let (pair, rest) = set.split_once("; ").unwrap();
            assert_eq!(rest.contains("; Secure"), is_secure);
            assert_eq!(pair.starts_with("__Host-"), is_secure);
            let mut headers = HeaderMap::new();
            headers.insert(header::COOKIE, format!("a=b; {pair}").parse().unwrap());
            assert!(Attempt::of(&headers, &state, is_secure) == Some(attempt));
            assert!(Attempt::of(&headers, &Hash::of("other"), is_secure).is_none());
            assert!(Attempt::of(&headers, &state, !is_secure).is_none());
        }
        assert!(Attempt::of(&HeaderMap::new(), &Hash::of("state"), true).is_none());
    }

    #[test]
    fn nonce_and_verifier_follow_from_the_secret_and_not_from_each_other() {
        let (one, other) = (attempt(), attempt());
        assert_eq!(one.nonce(), one.clone().nonce());
        assert_ne!(one.nonce(), other.nonce());
        assert_ne!(one.nonce(), one.verifier());
        // RFC 7636 §4.1: 43 to 128 unreserved characters.
        assert_eq!(one.verifier().len(), 64);
    }
}
