//! The options of `create`: what comes loose from the page leaves here checked, or as an error that names the option.

use crate::error::{Error, ErrorCode, Operation};
use crate::faults::Faults;
use crate::loose::{Loose, Members};
use pos_connect_protocol::{parameter, path, query};

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
    store_id: Option<String>,
}

impl Config {
    /// Checks the options, in the order in which they are documented, and notes what is wrong: with a fault it is of no use. A URL among them
    /// is its parts as the platform's parser took it apart, in their normal form.
    pub fn new(options: &dyn Members, faults: &Faults) -> Self {
        let url = web_url(options, "baseUrl", faults);
        let mut base_url = part(&*url, "href");
        // A bare "?" leaves `search` empty.
        faults.require(!holds(&base_url, b'?'), "baseUrl: must not carry a query");
        let url = web_url(options, "connectUrl", faults);
        let search = part(&*url, "search");
        for name in &[parameter::INTEGRATION_TOKEN, parameter::CLIENT_ID] {
            faults.expect(
                !carries(&search, name),
                &["connectUrl: must not carry ", name, " itself"],
            );
        }
        let client_id = filled(options, "clientId", faults);
        faults.require(client_id.is_some(), "clientId: is required");
        let client_secret = filled(options, "clientSecret", faults);
        let store_id = filled(options, "storeId", faults);
        while base_url.ends_with('/') {
            base_url.truncate(base_url.len() - 1);
        }
        Self {
            base_url,
            connect_url: part(&*url, "href"),
            connect_origin: part(&*url, "origin"),
            client_id: client_id.unwrap_or_default(),
            client_secret,
            store_id,
        }
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

    /// The URL of "retrieve access and refresh tokens" (§4.4), with the extension's `pickup_id` where there is one; of its reissue; and of
    /// the relay's `DELETE`.
    pub fn token_url(
        &self,
        integration_token: &str,
        pickup_id: Option<&str>,
        is_reissue: bool,
    ) -> String {
        let path = if is_reissue {
            path::INTEGRATION_TOKEN_REISSUE
        } else {
            path::INTEGRATION_TOKEN
        };
        let mut url = self.endpoint(path, Some(integration_token));
        if let Some(id) = pickup_id {
            query::append(&mut url, parameter::PICKUP_ID, id);
        }
        url
    }

    /// What the entries of this store's integrations begin with in the vault: other accounts' and other stores' begin otherwise.
    pub fn scope(&self) -> String {
        let mut scope = String::new();
        query::encode(&mut scope, &self.base_url);
        // Encoded texts hold neither a space nor a slash, so that nobody's entries begin as another's do.
        scope += " ";
        query::encode(&mut scope, &self.client_id);
        if let Some(id) = &self.store_id {
            scope += "/";
            query::encode(&mut scope, id);
        }
        scope += " ";
        scope
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
    let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || holds("!#$%&'*+-.^_`|~", *byte);
    if name.is_empty() || !name.as_bytes().iter().all(is_token) {
        return Some("headers: a name is not a header name");
    }
    // In UTF-8, what is above U+00FF begins with 0xC4 or more, and nothing else does.
    let is_value = |byte: &u8| !matches!(byte, b'\0' | b'\r' | b'\n' | 0xC4..);
    (!value.as_bytes().iter().all(is_value))
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
    let is_address = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    hostname.starts_with("127.") && hostname.as_bytes().iter().all(is_address)
}

/// An `invalid_option` error.
pub fn invalid(parts: &[&str]) -> Error {
    Error::new(ErrorCode::InvalidOption, Operation::Create).detail(parts)
}

/// What stands in for a URL that is none.
struct Nothing;

impl Members for Nothing {
    fn get(&self, _: &str) -> Loose {
        Loose::Missing
    }
}

fn web_url(options: &dyn Members, name: &str, faults: &Faults) -> Box<dyn Members> {
    let because = |reason: &str| faults.note(&[name, ": ", reason]);
    let url = match options.get(name) {
        Loose::Members(url) => url,
        other => {
            because(match other {
                Loose::Missing => "is required",
                _ => "is not an absolute URL",
            });
            Box::new(Nothing)
        }
    };
    let protocol = part(&*url, "protocol");
    let is_safe =
        protocol == "https:" || (protocol == "http:" && is_loopback(&part(&*url, "hostname")));
    if !is_safe {
        because("must be https (http only on loopback)");
    }
    if !part(&*url, "username").is_empty() || !part(&*url, "password").is_empty() {
        because("must not carry a user name or a password");
    }
    // `href` ends in a bare "#" while `hash` is empty.
    if holds(&part(&*url, "href"), b'#') {
        because("must not carry a fragment");
    }
    url
}

fn part(url: &dyn Members, name: &str) -> String {
    match url.get(name) {
        Loose::Text(part) => part,
        _ => String::new(),
    }
}

fn filled(options: &dyn Members, name: &str, faults: &Faults) -> Option<String> {
    let text = faults.text(options, name);
    let is_filled = text.as_deref() != Some("");
    faults.expect(is_filled, &[name, ": is empty"]);
    text
}

fn carries(search: &str, name: &str) -> bool {
    let is_named = |pair: &[u8]| {
        let parts = pair.split_at_checked(name.len());
        parts.is_some_and(|(start, rest)| {
            start == name.as_bytes() && matches!(rest.first(), None | Some(b'='))
        })
    };
    // The first one has the "?" before it.
    let pairs = search.as_bytes().get(1..).unwrap_or_default();
    pairs.split(|byte| *byte == b'&').any(is_named)
}

/// Not `str::contains`, whose search is half a kilobyte of the module, nor that of bytes, which is 260.
#[allow(clippy::manual_contains)]
fn holds(text: &str, byte: u8) -> bool {
    text.as_bytes().iter().any(|other| *other == byte)
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;
