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
        if !base_url.search.is_empty() {
            return Err(invalid("baseUrl: must not carry a query"));
        }
        let connect_url = web_url(options.connect_url, "connectUrl")?;
        for name in [parameter::INTEGRATION_TOKEN, parameter::CLIENT_ID] {
            if carries(&connect_url.search, name) {
                return Err(invalid(
                    ["connectUrl: must not carry ", name, " itself"].concat(),
                ));
            }
        }
        let client_id = filled(options.client_id, "clientId")?
            .ok_or_else(|| invalid("clientId: is required"))?;
        let client_secret = filled(options.client_secret, "clientSecret")?;
        Ok(Self {
            base_url: String::from(base_url.href.trim_end_matches('/')),
            connect_origin: connect_url.origin,
            connect_url: connect_url.href,
            client_id,
            client_secret,
        })
    }

    /// Whether a warning is due: a secret on a page that others can read (§2.4).
    pub fn exposes_secret(&self, page_hostname: &str, trusted_page: bool) -> bool {
        self.client_secret.is_some() && !trusted_page && !is_loopback(page_hostname)
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
    let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    if name.is_empty() || !name.chars().all(is_token) {
        return Some("headers: a name is not a header name");
    }
    let is_value = |c: char| !matches!(c, '\0' | '\r' | '\n') && u32::from(c) <= 0xFF;
    (!value.chars().all(is_value))
        .then_some("headers: a value holds a character that no header can")
}

/// Whether requests to this host never leave the machine (W3C Secure Contexts §3.1).
pub fn is_loopback(hostname: &str) -> bool {
    hostname == "localhost"
        || hostname.ends_with(".localhost")
        || hostname == "[::1]"
        || is_loopback_v4(hostname)
}

/// 127.0.0.0/8 in the platform's normal form; `127.evil.example` is a name.
fn is_loopback_v4(hostname: &str) -> bool {
    hostname.starts_with("127.")
        && hostname.split('.').count() == 4
        && hostname.split('.').all(|part| part.parse::<u8>().is_ok())
}

/// An `invalid_option` error.
pub fn invalid(detail: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::new(ErrorCode::InvalidOption, Operation::Create).detail(detail)
}

fn web_url(option: Option<Result<Url, ()>>, name: &'static str) -> Result<Url, Error> {
    let because = |reason: &str| invalid([name, ": ", reason].concat());
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
    if !url.hash.is_empty() || url.href.contains('#') {
        return Err(because("must not carry a fragment"));
    }
    Ok(url)
}

fn filled(option: Option<Result<String, ()>>, name: &'static str) -> Result<Option<String>, Error> {
    match option {
        None => Ok(None),
        Some(Ok(text)) if !text.is_empty() => Ok(Some(text)),
        Some(Ok(_)) => Err(invalid([name, ": is empty"].concat())),
        Some(Err(())) => Err(invalid([name, ": is not a text"].concat())),
    }
}

fn carries(search: &str, name: &str) -> bool {
    search
        .trim_start_matches('?')
        .split('&')
        .any(|pair| pair.split('=').next() == Some(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(protocol: &str, hostname: &str, rest: &str) -> Url {
        let origin = [protocol, "//", hostname].concat();
        Url {
            href: [origin.as_str(), rest].concat(),
            protocol: protocol.to_owned(),
            hostname: hostname.to_owned(),
            origin,
            ..Url::default()
        }
    }

    fn options() -> Options {
        Options {
            base_url: Some(Ok(url("https:", "pos.example", "/relay/"))),
            connect_url: Some(Ok(url("https:", "auth.example", "/connect"))),
            client_id: Some(Ok("till & co".to_owned())),
            client_secret: None,
        }
    }

    fn refused(options: Options) -> String {
        let error = Config::new(options).err().unwrap();
        assert_eq!(error.code, ErrorCode::InvalidOption);
        error.detail.unwrap().into_owned()
    }

    #[test]
    fn urls_are_built_from_the_base() {
        let mut with_secret = options();
        with_secret.client_secret = Some(Ok("s/1".to_owned()));
        let config = Config::new(with_secret).ok().unwrap();
        let base = "https://pos.example/relay/v1/auth/integration";
        let keys = "client_id=till%20%26%20co&client_secret=s%2F1";
        assert_eq!(config.integration_url(), format!("{base}?{keys}"));
        assert_eq!(
            config.status_url("t+1"),
            format!("{base}?{keys}&integration_token=t%2B1")
        );
        assert_eq!(
            config.token_url("é"),
            format!("{base}/token?{keys}&integration_token=%C3%A9")
        );
        assert_eq!(config.connect_origin, "https://auth.example");
    }

    #[test]
    fn without_a_secret_none_is_sent() {
        let config = Config::new(options()).ok().unwrap();
        assert!(!config.token_url("t").contains("client_secret"));
    }

    #[test]
    fn each_missing_option_is_named() {
        assert_eq!(
            refused(Options {
                base_url: None,
                ..options()
            }),
            "baseUrl: is required"
        );
        assert_eq!(
            refused(Options {
                connect_url: None,
                ..options()
            }),
            "connectUrl: is required"
        );
        assert_eq!(
            refused(Options {
                client_id: None,
                ..options()
            }),
            "clientId: is required"
        );
    }

    #[test]
    fn each_wrong_option_is_named() {
        assert_eq!(
            refused(Options {
                base_url: Some(Err(())),
                ..options()
            }),
            "baseUrl: is not an absolute URL"
        );
        assert_eq!(
            refused(Options {
                connect_url: Some(Err(())),
                ..options()
            }),
            "connectUrl: is not an absolute URL"
        );
        assert_eq!(
            refused(Options {
                client_id: Some(Err(())),
                ..options()
            }),
            "clientId: is not a text"
        );
        assert_eq!(
            refused(Options {
                client_id: Some(Ok(String::new())),
                ..options()
            }),
            "clientId: is empty"
        );
        assert_eq!(
            refused(Options {
                client_secret: Some(Err(())),
                ..options()
            }),
            "clientSecret: is not a text"
        );
        assert_eq!(
            refused(Options {
                client_secret: Some(Ok(String::new())),
                ..options()
            }),
            "clientSecret: is empty"
        );
    }

    #[test]
    fn urls_must_be_https_or_loopback() {
        for (protocol, hostname, allowed) in [
            ("https:", "a.example", true),
            ("http:", "localhost", true),
            ("http:", "till.localhost", true),
            ("http:", "127.0.0.1", true),
            ("http:", "127.9.8.7", true),
            ("http:", "[::1]", true),
            ("http:", "a.example", false),
            ("http:", "192.168.1.2", false),
            ("http:", "127.evil.example", false),
            ("http:", "localhost.example", false),
            ("ftp:", "a.example", false),
            ("javascript:", "", false),
            ("data:", "", false),
        ] {
            let with = Options {
                base_url: Some(Ok(url(protocol, hostname, "/"))),
                ..options()
            };
            assert_eq!(Config::new(with).is_ok(), allowed, "{protocol}//{hostname}");
            let with = Options {
                connect_url: Some(Ok(url(protocol, hostname, "/"))),
                ..options()
            };
            assert_eq!(Config::new(with).is_ok(), allowed, "{protocol}//{hostname}");
        }
    }

    #[test]
    fn urls_carry_no_credentials_no_fragment_and_the_base_no_query() {
        let with = Url {
            has_credentials: true,
            ..url("https:", "a.example", "/")
        };
        assert_eq!(
            refused(Options {
                base_url: Some(Ok(with)),
                ..options()
            }),
            "baseUrl: must not carry a user name or a password"
        );
        let with = Url {
            hash: "#x".into(),
            ..url("https:", "a.example", "/")
        };
        assert_eq!(
            refused(Options {
                connect_url: Some(Ok(with)),
                ..options()
            }),
            "connectUrl: must not carry a fragment"
        );
        let with = url("https:", "a.example", "/#");
        assert_eq!(
            refused(Options {
                connect_url: Some(Ok(with)),
                ..options()
            }),
            "connectUrl: must not carry a fragment"
        );
        let with = Url {
            search: "?x=1".into(),
            ..url("https:", "a.example", "/?x=1")
        };
        assert_eq!(
            refused(Options {
                base_url: Some(Ok(with)),
                ..options()
            }),
            "baseUrl: must not carry a query"
        );
    }

    #[test]
    fn the_connect_url_keeps_its_query_but_not_our_names() {
        let with = |search: &str| Options {
            connect_url: Some(Ok(Url {
                search: search.into(),
                ..url("https:", "a.example", "/connect")
            })),
            ..options()
        };
        assert!(Config::new(with("?lang=he&my_client_id=1")).is_ok());
        assert_eq!(
            refused(with("?lang=he&client_id=1")),
            "connectUrl: must not carry client_id itself"
        );
        assert_eq!(
            refused(with("?integration_token")),
            "connectUrl: must not carry integration_token itself"
        );
    }

    #[test]
    fn a_secret_in_an_open_page_is_worth_a_warning() {
        let with = Options {
            client_secret: Some(Ok("s".into())),
            ..options()
        };
        let config = Config::new(with).ok().unwrap();
        assert!(config.exposes_secret("shop.example", false));
        assert!(!config.exposes_secret("shop.example", true));
        assert!(!config.exposes_secret("127.0.0.1", false));
        assert!(
            !Config::new(options())
                .ok()
                .unwrap()
                .exposes_secret("shop.example", false)
        );
    }

    #[test]
    fn a_detail_never_holds_a_value() {
        let with = Options {
            client_secret: Some(Ok("hunter2".into())),
            client_id: Some(Ok(String::new())),
            ..options()
        };
        assert!(
            !Config::new(with)
                .err()
                .unwrap()
                .message()
                .contains("hunter2")
        );
    }

    #[test]
    fn headers_that_fetch_would_throw_on_are_found() {
        assert_eq!(header_fault("authorization", "Bearer x"), None);
        assert_eq!(header_fault("x-till", "caf\u{e9}"), None);
        for name in ["", "a b", "a:b", "é", "a\n"] {
            assert!(header_fault(name, "x").is_some(), "{name:?}");
        }
        for value in ["a\r\nb", "a\0", "שלום", "\u{100}"] {
            assert!(header_fault("a", value).is_some(), "{value:?}");
        }
    }
}
