//! What the operator says of a provider.

use super::claims::ClaimNames;
use crate::logo::Logo;
use pos_connect_foundation::origin::is_private;

/// A provider. No `Debug`: it holds a secret.
#[derive(Clone)]
pub struct ProviderSettings {
    /// Names it among the operator's providers: in the button that is pressed, and in the address to come back to.
    pub id: String,
    /// Names it: the `iss` of its ID tokens, and where its configuration is found.
    pub issuer: String,
    /// The service's name there.
    pub client_id: String,
    /// What proves that; `None` for a client that is public there.
    pub client_secret: Option<String>,
    /// What is asked for beside `openid`.
    pub scopes: Vec<String>,
    /// Name for people, on the button.
    pub name: String,
    /// Beside the name.
    pub logo: Option<Logo>,
    /// Which claims say who has signed in.
    pub claims: ClaimNames,
}

/// Checks a provider's ID: it is a part of a URL.
pub fn provider_id(text: &str) -> Result<String, String> {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    match (1..=32).contains(&text.len()) && text.bytes().all(is_plain) {
        true => Ok(text.to_owned()),
        false => Err("the file's name has 1 to 32 of a-z, 0-9 and -, before .toml".into()),
    }
}

/// Checks an issuer: https, or http to this machine.
pub fn issuer(text: &str) -> Result<String, String> {
    match is_private(text) && !text.contains(['?', '#']) {
        true => Ok(text.to_owned()),
        false => Err(
            "an issuer is https:// (http:// only on this machine), without query or fragment"
                .into(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issuer_is_reached_by_tls_or_on_this_machine() {
        for right in [
            "https://login.example.com",
            "https://login.example.com/realms/ads",
            "http://127.0.0.1:4000",
        ] {
            assert_eq!(issuer(right).as_deref(), Ok(right));
        }
        for wrong in [
            "",
            "login.example.com",
            "http://login.example.com",
            "https://login.example.com?x",
            "https://login.example.com#x",
            "https://me@login.example.com",
            "ftp://login.example.com",
        ] {
            assert!(issuer(wrong).is_err(), "{wrong}");
        }
    }
}
