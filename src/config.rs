//! The options of `create`: what comes loose from the page leaves here checked, or as an error that names the option.

use crate::error::{Error, ErrorCode, Operation};
use pos_connect_protocol::{parameter, path, query};

/// A URL as the platform's parser took it apart. All parts are in its normal form.
#[derive(Clone, Debug, Default)]
pub struct Url {
    /// The whole, e.g. `https://a.example/x?y`.
    pub href: String,
    /// With the colon, e.g. `https:`.
    pub protocol: String,
    /// e.g. `a.example` or `[::1]`.
    pub hostname: String,
    /// e.g. `https://a.example`.
    pub origin: String,
    /// With the question mark, or empty.
    pub search: String,
    /// With the number sign, or empty.
    pub hash: String,
    /// Whether it carries a user name or a password.
    pub has_credentials: bool,
}

/// The options as the page gave them. `None`: not there. No `Debug`: it may hold the secret.
#[derive(Default)]
pub struct Options {
    /// `Err`: given, but not a text that is a URL.
    pub base_url: Option<Result<Url, ()>>,
    /// `Err`: given, but not a text that is a URL.
    pub connect_url: Option<Result<Url, ()>>,
    /// `Err`: given, but not a text.
    pub client_id: Option<Result<String, ()>>,
    /// `Err`: given, but not a text.
    pub client_secret: Option<Result<String, ()>>,
}

/// Checked options. No `Debug`: it may hold the secret.
pub struct Config {
    base_url: String,
    /// The connect page's address, without our parameters.
    pub connect_url: String,
    /// The only origin that the frame's messages may come from.
    pub connect_origin: String,
    /// Identifies the vendor.
    pub client_id: String,
    client_secret: Option<String>,
}

impl Config {
    /// Checks the options, in the order in which they are documented.
    pub fn new(options: Options) -> Result<Self, Error> {
        let base_url = web_url(options.base_url, "baseUrl")?;
        // A bare "?" leaves `search` empty.
        if holds(&base_url.href, b'?') {
            return Err(invalid(&["baseUrl: must not carry a query"]));
        }
        let connect_url = web_url(options.connect_url, "connectUrl")?;
        for name in [parameter::INTEGRATION_TOKEN, parameter::CLIENT_ID] {
            if carries(&connect_url.search, name) {
                return Err(invalid(&["connectUrl: must not carry ", name, " itself"]));
            }
        }
        let client_id = filled(options.client_id, "clientId")?
            .ok_or_else(|| invalid(&["clientId: is required"]))?;
        let client_secret = filled(options.client_secret, "clientSecret")?;
        let mut base_url = base_url.href;
        while base_url.ends_with('/') {
            base_url.pop();
        }
        Ok(Self {
            base_url,
            connect_origin: connect_url.origin,
            connect_url: connect_url.href,
            client_id,
            client_secret,
        })
    }

    /// Whether a warning is due: a secret on a page that others can read (§2.4).
    pub fn exposes_secret(&self, page_hostname: &str, trusted_page: bool) -> bool {
        // No host name: no page, as in Node.
        let is_open = !page_hostname.is_empty() && !is_loopback(page_hostname);
        self.client_secret.is_some() && !trusted_page && is_open
    }

    /// The URL of "create integration code" (§4.1).
    pub fn integration_url(&self) -> String {
        self.endpoint(path::INTEGRATION, None)
    }

    /// The URL of "check integration status" (§4.2) and of its `DELETE` extension.
    pub fn status_url(&self, integration_token: &str) -> String {
        self.endpoint(path::INTEGRATION, Some(integration_token))
    }

    /// The URL of "retrieve access and refresh tokens" (§4.4).
    pub fn token_url(&self, integration_token: &str) -> String {
        self.endpoint(path::INTEGRATION_TOKEN, Some(integration_token))
    }

    fn endpoint(&self, path: &str, integration_token: Option<&str>) -> String {
        let mut url = [self.base_url.as_str(), path].concat();
        query::append(&mut url, parameter::CLIENT_ID, &self.client_id);
        if let Some(secret) = &self.client_secret {
            query::append(&mut url, parameter::CLIENT_SECRET, secret);
        }
        if let Some(token) = integration_token {
            query::append(&mut url, parameter::INTEGRATION_TOKEN, token);
        }
        url
    }
}

/// What is wrong with a header that the page wants to send; `fetch` would throw on it. RFC 9110 §5.1, §5.5.
pub fn header_fault(name: &str, value: &str) -> Option<&'static str> {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || holds("!#$%&'*+-.^_`|~", byte);
    if name.is_empty() || !name.bytes().all(is_token) {
        return Some("headers: a name is not a header name");
    }
    // In UTF-8, what is above U+00FF begins with 0xC4 or more, and nothing else does.
    let is_value = |byte: u8| !matches!(byte, b'\0' | b'\r' | b'\n' | 0xC4..);
    (!value.bytes().all(is_value))
        .then_some("headers: a value holds a character that no header can")
}

/// Whether requests to this host never leave the machine (W3C Secure Contexts §3.1).
pub fn is_loopback(hostname: &str) -> bool {
    hostname == "localhost"
        || hostname.ends_with(".localhost")
        || hostname == "[::1]"
        || is_loopback_v4(hostname)
}

/// 127.0.0.0/8 in the platform's normal form, which knows no host of digits and dots but an address; `127.evil.example` is a name.
fn is_loopback_v4(hostname: &str) -> bool {
    let is_address = |byte: u8| byte.is_ascii_digit() || byte == b'.';
    hostname.starts_with("127.") && hostname.bytes().all(is_address)
}

/// An `invalid_option` error.
pub fn invalid(parts: &[&str]) -> Error {
    Error::new(ErrorCode::InvalidOption, Operation::Create).detail(parts)
}

fn web_url(option: Option<Result<Url, ()>>, name: &'static str) -> Result<Url, Error> {
    let because = |reason: &str| invalid(&[name, ": ", reason]);
    let url = option
        .ok_or_else(|| because("is required"))?
        .map_err(|()| because("is not an absolute URL"))?;
    let is_safe =
        url.protocol == "https:" || (url.protocol == "http:" && is_loopback(&url.hostname));
    if !is_safe {
        return Err(because("must be https (http only on loopback)"));
    }
    if url.has_credentials {
        return Err(because("must not carry a user name or a password"));
    }
    // `href` ends in a bare "#" while `hash` is empty.
    if !url.hash.is_empty() || holds(&url.href, b'#') {
        return Err(because("must not carry a fragment"));
    }
    Ok(url)
}

fn filled(option: Option<Result<String, ()>>, name: &'static str) -> Result<Option<String>, Error> {
    match option {
        None => Ok(None),
        Some(Ok(text)) if !text.is_empty() => Ok(Some(text)),
        Some(Ok(_)) => Err(invalid(&[name, ": is empty"])),
        Some(Err(())) => Err(invalid(&[name, ": is not a text"])),
    }
}

fn carries(search: &str, name: &str) -> bool {
    let search = search.as_bytes();
    let pairs = search.strip_prefix(b"?").unwrap_or(search);
    pairs
        .split(|byte| *byte == b'&')
        .filter_map(|pair| pair.strip_prefix(name.as_bytes()))
        .any(|rest| matches!(rest.first(), None | Some(b'=')))
}

/// Not `str::contains`: its search is half a kilobyte of the module.
fn holds(text: &str, byte: u8) -> bool {
    text.bytes().any(|other| other == byte)
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;
