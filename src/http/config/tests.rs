use super::*;
use crate::core::options::Value;

fn url(protocol: &str, hostname: &str, rest: &str) -> Value {
    Value::Url(address(protocol, hostname, rest))
}

fn address(protocol: &str, hostname: &str, rest: &str) -> Address {
    let origin = [protocol, "//", hostname].concat();
    Address {
        href: [origin.as_str(), rest].concat(),
        protocol: protocol.to_owned(),
        hostname: hostname.to_owned(),
        origin,
        ..Address::default()
    }
}

fn known() -> Vec<(&'static Row, Value)> {
    vec![
        (&BASE_URL, url("https:", "pos.example", "/relay/")),
        (&CONNECT_URL, url("https:", "auth.example", "/connect")),
        (&CLIENT_ID, "till & co".into()),
    ]
}

/// Good options, but for this one.
fn but(row: &'static Row, value: impl Into<Value>) -> Options {
    let mut known = known();
    known.insert(0, (row, value.into()));
    known.into_iter().collect()
}

fn without(row: &Row) -> Options {
    let known = known().into_iter();
    known.filter(|(known, _)| known.name != row.name).collect()
}

fn options() -> Options {
    known().into_iter().collect()
}

fn checked(options: Options) -> Result<Config, Error> {
    Config::new(&options.checked(CREATE)?)
}

fn refused(options: Options) -> String {
    let error = checked(options).err().unwrap();
    assert_eq!(error.code, ErrorCode::InvalidOption);
    error.detail.unwrap()
}

#[test]
fn urls_are_built_from_the_base() {
    let config = checked(but(&CLIENT_SECRET, "s/1")).ok().unwrap();
    let base = "https://pos.example/relay/v1/auth/integration";
    let keys = "client_id=till%20%26%20co&client_secret=s%2F1";
    assert_eq!(config.integration_url(), format!("{base}?{keys}"));
    assert_eq!(
        config.status_url("t+1"),
        format!("{base}?{keys}&integration_token=t%2B1")
    );
    assert_eq!(
        config.token_url("é", None, false),
        format!("{base}/token?{keys}&integration_token=%C3%A9")
    );
    assert_eq!(config.connect_origin, "https://auth.example");
}

#[test]
fn without_a_secret_none_is_sent() {
    let config = checked(options()).ok().unwrap();
    assert!(!config.token_url("t", None, false).contains("client_secret"));
}

#[test]
fn each_missing_option_is_named() {
    assert_eq!(refused(without(&BASE_URL)), "baseUrl: is required");
    assert_eq!(refused(without(&CONNECT_URL)), "connectUrl: is required");
    assert_eq!(refused(without(&CLIENT_ID)), "clientId: is required");
}

#[test]
fn each_empty_option_is_named() {
    assert_eq!(refused(but(&CLIENT_ID, "")), "clientId: is empty");
    assert_eq!(refused(but(&CLIENT_SECRET, "")), "clientSecret: is empty");
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
        let with = but(&BASE_URL, url(protocol, hostname, "/"));
        assert_eq!(checked(with).is_ok(), allowed, "{protocol}//{hostname}");
        let with = but(&CONNECT_URL, url(protocol, hostname, "/"));
        assert_eq!(checked(with).is_ok(), allowed, "{protocol}//{hostname}");
    }
}

#[test]
fn urls_carry_no_credentials_no_fragment_and_the_base_no_query() {
    let with = Value::Url(Address {
        has_credentials: true,
        ..address("https:", "a.example", "/")
    });
    assert_eq!(
        refused(but(&BASE_URL, with)),
        "baseUrl: must not carry a user name or a password"
    );
    let with = url("https:", "a.example", "/#x");
    assert_eq!(
        refused(but(&CONNECT_URL, with)),
        "connectUrl: must not carry a fragment"
    );
    let with = url("https:", "a.example", "/#");
    assert_eq!(
        refused(but(&CONNECT_URL, with)),
        "connectUrl: must not carry a fragment"
    );
    let with = url("https:", "a.example", "/?");
    assert_eq!(
        refused(but(&BASE_URL, with)),
        "baseUrl: must not carry a query"
    );
}

#[test]
fn the_connect_url_keeps_its_query_but_not_our_names() {
    let with = |query: &str| {
        let path = ["/connect", query].concat();
        but(&CONNECT_URL, url("https:", "a.example", &path))
    };
    assert!(checked(with("?lang=he&my_client_id=1")).is_ok());
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
    let mut secret = but(&CLIENT_SECRET, "s");
    let config = checked(but(&CLIENT_SECRET, "s")).ok().unwrap();
    assert!(config.exposes_secret("shop.example"));
    assert!(!config.exposes_secret("127.0.0.1"));
    assert!(!config.exposes_secret(""));
    secret.or(&TRUSTED_PAGE, Some(Value::Flag(true)));
    for meant in [secret, options()] {
        assert!(!checked(meant).ok().unwrap().exposes_secret("shop.example"));
    }
}

#[test]
fn a_detail_never_holds_a_value() {
    let mut wrong = without(&CLIENT_ID);
    wrong.or(&CLIENT_SECRET, Some("hunter2".into()));
    assert!(!checked(wrong).err().unwrap().message().contains("hunter2"));
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

#[test]
fn each_account_and_each_store_has_entries_of_its_own() {
    let scope = |client_id: &str, store_id: Option<&str>| {
        let mut options = but(&CLIENT_ID, client_id);
        options.or(&STORE_ID, store_id.map(Value::from));
        checked(options).ok().unwrap().scope()
    };
    let scopes = [
        scope("a", None),
        scope("a", Some("b")),
        scope("a", Some("b c")),
        scope("a b", None),
        scope("a b", Some("c")),
        scope("b", Some("a")),
    ];
    for (index, one) in scopes.iter().enumerate() {
        for (other_index, other) in scopes.iter().enumerate() {
            assert_eq!(other.starts_with(one), index == other_index, "{one}{other}");
        }
    }
    let empty = but(&STORE_ID, "");
    let error = checked(empty).err().unwrap();
    assert!(error.message().contains("storeId: is empty"));
}
