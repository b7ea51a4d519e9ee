//! The options of `create` that say whom to call: checked, or an error that names the option.

use crate::core::error::{Error, ErrorCode};
use crate::core::options::{Address, Call, Kind, Options, Row};
use pos_connect_protocol::{parameter, path, query};

crate::options! {
    /// Your relay, your back end, or the service itself; https or loopback; no query, no fragment, no `/v1` at the end.
    BASE_URL = "baseUrl": Kind::Url, default "required";
    /// The page that the frame shows; https or loopback; may carry a query of its own.
    CONNECT_URL = "connectUrl": Kind::Url, default "required";
    /// Your vendor identifier.
    CLIENT_ID = "clientId": Kind::Text(1, usize::MAX), default "required";
    /// Headers of every call: an object, or a function that is asked before each call (8 s), and once more after a 401.
    ///
    /// They are how this till proves itself to your relay.
    HEADERS = "headers": Kind::Any,
        type "Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>)",
        default "none";
    /// Your own name for the store, if one browser serves several stores in turn; never sent.
    ///
    /// What is kept for one (connection record, tokens that wait for `persistTokens`, unfinished integrations) is not
    /// found by another.
    STORE_ID = "storeId": Kind::Text(1, usize::MAX), default "one store for each `baseUrl` and `clientId`";
    /// Whether this store offers e-receipts: a boolean, or a function that is asked with each order (10 s).
    ERECEIPT = "ereceipt": Kind::FlagOrFunction, default "the connection record, else the relay";
    /// Receives the tokens until it resolves, see [Reload and recovery](recovery.md).
    ///
    /// Called with every token set that was picked up, 30 s an attempt, again after 1, 2, 4, … 60 s until it resolves,
    /// also after a crash, when the next page calls `create`: the same set may come twice. Once it has resolved, this
    /// browser has them no more. After `destroy()` no further attempt begins; the next `create` goes on. Not called for
    /// sets that your relay holds. What it throws is reported to the console.
    PERSIST_TOKENS = "persistTokens": Kind::Function, type "(tokens: HandedTokenSet) => unknown",
        default "you call `acknowledgeTokens()`";
    /// Gives the access token, if no relay adds it, see [Orders](orders.md#where-the-tokens-are): a function that is
    /// asked before each call (8 s), and once more after a 401.
    ///
    /// For the calls for a connected merchant (`orders.send` and the like), where the page calls the service itself.
    ACCESS_TOKEN = "accessToken": Kind::Function, type "() => string | Promise<string>", default "none";
    /// Is told each change of an order in the [outbox](offline.md).
    ///
    /// An order that another page of this browser has queued or sent counts, too. What it throws is reported to the
    /// console and changes nothing.
    ON_OUTBOX = "onOutbox": Kind::Function, type "(change: OutboxChange) => void", default "none";
    /// Prints the receipt of a sale that an earlier page left while its shopper was asked, see
    /// [Orders](orders.md#sell).
    ///
    /// Called once for each sale that was left by a reload, a crash or a closed tab. Its order is sent. What it throws
    /// is reported to the console and changes nothing.
    ON_INTERRUPTED = "onInterrupted": Kind::Function, type "(receipt: PrintedReceipt) => void", default "none";
    /// Gets the connection when another page of this browser has connected.
    ///
    /// Another object of this page counts, too. What it throws is reported to the console and changes nothing.
    ON_CONNECTED = "onConnected": Kind::Function, type "(connection: Connection) => void", default "none";
    /// Is called once when the relay says that the connection is over, or another page of this browser has ended it.
    ///
    /// The merchant has to connect again. What it throws is reported to the console and changes nothing.
    ON_CONNECTION_ENDED = "onConnectionEnded": Kind::Function, type "() => void", default "none";
    /// Where what must survive a reload is kept; `"memory"` belongs to this object, and does not survive one.
    ///
    /// "indexeddb" is encrypted with a key that never leaves this browser, and needs https or loopback.
    VAULT = "vault": Kind::OneOf(&["indexeddb", "memory"]);
    /// Whether the browser is asked to keep its storage once an order waits, see [Offline](offline.md#show-the-outbox).
    ///
    /// That is `navigator.storage.persist()`. Firefox asks its user; the others decide by themselves.
    PERSIST_STORAGE = "persistStorage": Kind::Flag(true);
    /// The vendor's secret; only without a relay, on a page that nobody else can open.
    CLIENT_SECRET = "clientSecret": Kind::Text(1, usize::MAX), default "none";
    /// Says that `clientSecret` in this page is meant, and silences the warning outside loopback.
    TRUSTED_PAGE = "trustedPage": Kind::Flag(false);
}

/// The options of `create`.
#[rustfmt::skip]
pub const CREATE: Call = &[&[
    &BASE_URL, &CONNECT_URL, &CLIENT_ID, &HEADERS, &STORE_ID, &ERECEIPT, &PERSIST_TOKENS, &ACCESS_TOKEN, &ON_OUTBOX,
    &ON_INTERRUPTED, &ON_CONNECTED, &ON_CONNECTION_ENDED, &VAULT, &PERSIST_STORAGE, &CLIENT_SECRET, &TRUSTED_PAGE,
]];

/// Checked options. No `Debug`: it may hold the secret.
pub struct Config {
    /// Whom the calls go to, without a slash at the end.
    pub base_url: String,
    /// The connect page's address, without our parameters.
    pub connect_url: String,
    /// The only origin that the frame's messages may come from.
    pub connect_origin: String,
    /// Identifies the vendor.
    pub client_id: String,
    client_secret: Option<String>,
    store_id: Option<String>,
    /// Whether nothing is to survive a reload.
    pub is_in_memory: bool,
    /// Whether the page says that its secret is meant.
    is_trusted: bool,
}

impl Config {
    /// Checks what the rows do not say; the error names the first option that is wrong.
    pub fn new(options: &Options) -> Result<Self, Error> {
        let base = web_url(options, &BASE_URL)?;
        // A bare "?" leaves `search` empty.
        if base.href.contains('?') {
            return Err(invalid("baseUrl", "must not carry a query"));
        }
        if base.href.trim_end_matches('/').ends_with("/v1") {
            return Err(invalid(
                "baseUrl",
                "must not end in /v1, which every call adds",
            ));
        }
        let connect = web_url(options, &CONNECT_URL)?;
        for name in [parameter::INTEGRATION_TOKEN, parameter::CLIENT_ID] {
            if query::has(&connect.href, name) {
                let fault = ["must not carry ", name, " itself"].concat();
                return Err(invalid("connectUrl", &fault));
            }
        }
        Ok(Self {
            base_url: base.href.trim_end_matches('/').to_owned(),
            connect_url: connect.href,
            connect_origin: connect.origin,
            client_id: options.text(&CLIENT_ID).unwrap_or_default(),
            client_secret: options.text(&CLIENT_SECRET),
            store_id: options.text(&STORE_ID),
            is_in_memory: options.one_of(&VAULT) == 1,
            is_trusted: options.flag(&TRUSTED_PAGE),
        })
    }

    /// Whether a warning is due: a secret on a page that others can read (§2.4).
    pub fn exposes_secret(&self, page_hostname: &str) -> bool {
        // No host name: no page, as in Node.
        let is_open = !page_hostname.is_empty() && !is_loopback(page_hostname);
        self.client_secret.is_some() && !self.is_trusted && is_open
    }

    /// The URL of "create integration code" (§4.1).
    pub fn integration_url(&self) -> String {
        self.endpoint(path::INTEGRATION, None)
    }

    /// The URL of "check integration status" (§4.2) and of its `DELETE` extension.
    pub fn status_url(&self, integration_token: &str) -> String {
        self.endpoint(path::INTEGRATION, Some(integration_token))
    }

    /// The URL of "retrieve access and refresh tokens" (§4.4), with the extension's `pickup_id` where there is one;
    /// of its reissue; and of the relay's `DELETE`.
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

    /// The URL of an operation of a connected merchant (§1), or of a relay's own call. The tokens, or the till's key,
    /// say who calls.
    pub fn operation_url(&self, path: &str) -> String {
        [self.base_url.as_str(), path].concat()
    }

    /// The form that revokes a token (RFC 7009 §2.1), with the vendor's credentials (RFC 6749 §2.3.1).
    pub fn revocation(&self, token: &str) -> String {
        let mut form = String::new();
        query::append(&mut form, parameter::CLIENT_ID, &self.client_id);
        if let Some(secret) = &self.client_secret {
            query::append(&mut form, parameter::CLIENT_SECRET, secret);
        }
        query::append(&mut form, parameter::TOKEN, token);
        // A form is a query without its question mark.
        form.trim_start_matches('?').into()
    }

    /// Whether the page has the secret itself, so that no relay stands between.
    pub const fn has_secret(&self) -> bool {
        self.client_secret.is_some()
    }

    /// What the entries of this store's integrations begin with in the vault: other accounts' and other stores' begin
    /// otherwise.
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
    let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    if name.is_empty() || !name.as_bytes().iter().all(is_token) {
        return Some("a name is not a header name");
    }
    // In UTF-8, what is above U+00FF begins with 0xC4 or more, and nothing else does.
    let is_value = |byte: &u8| !matches!(byte, b'\0' | b'\r' | b'\n' | 0xC4..);
    (!value.as_bytes().iter().all(is_value))
        .then_some("a value holds a character that no header can")
}

/// Whether requests to this host never leave the machine (W3C Secure Contexts §3.1).
pub fn is_loopback(hostname: &str) -> bool {
    // 127.0.0.0/8 in the platform's normal form, which knows no host of digits and dots but an address;
    // `127.evil.example` is a name.
    let is_address = |byte: u8| byte.is_ascii_digit() || byte == b'.';
    hostname == "localhost"
        || hostname.ends_with(".localhost")
        || hostname == "[::1]"
        || hostname.starts_with("127.") && hostname.bytes().all(is_address)
}

/// An `invalid_option` error for an option of `create`. `fault` never holds the option's value.
fn invalid(option: &str, fault: &str) -> Error {
    Error::new(ErrorCode::InvalidOption).detail(&[option, ": ", fault])
}

fn web_url(options: &Options, row: &Row) -> Result<Address, Error> {
    let (option, url) = (row.name, options.url(row).unwrap_or_default());
    let is_safe =
        url.protocol == "https:" || (url.protocol == "http:" && is_loopback(&url.hostname));
    if !is_safe {
        return Err(invalid(option, "must be https (http only on loopback)"));
    }
    if url.has_credentials {
        return Err(invalid(option, "must not carry a user name or a password"));
    }
    // `href` ends in a bare "#" while `hash` is empty.
    if url.href.contains('#') {
        return Err(invalid(option, "must not carry a fragment"));
    }
    Ok(url)
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;
