//! What a database URL asks for beside the server, in the words of libpq and of other drivers: hosting providers hand
//! out URLs that were written for those.

use crate::sqlite::StoreError;
use std::path::PathBuf;
use tokio_postgres::Config;

/// What the driver reads.
const KNOWN: [&str; 15] = [
    "channel_binding",
    "dbname",
    "host",
    "hostaddr",
    "keepalives",
    "keepalives_idle",
    "keepalives_interval",
    "keepalives_retries",
    "load_balance_hosts",
    "options",
    "password",
    "port",
    "sslnegotiation",
    "target_session_attrs",
    "user",
];

/// What changes nothing here: the pool, its times and its name are the program's own, TLS is 1.2 or newer, texts are
/// UTF-8, and a pooler whose clients share sessions is noticed without being told of it.
const IDLE: [&str; 17] = [
    "application_name",
    "client_encoding",
    "connect_timeout",
    "connection_limit",
    "fallback_application_name",
    "gssencmode",
    "pgbouncer",
    "pool_timeout",
    "prepared_statements",
    "ssl_min_protocol_version",
    "sslcompression",
    "sslsni",
    "statement_cache_size",
    "supa",
    "tcp_user_timeout",
    "uselibpqcompat",
    "workaround",
];

/// A URL in the driver's words, and what the driver does not do.
pub(super) struct Wanted {
    pub(super) url: String,
    /// The file with the certificates that the server is known by; else the system's are.
    pub(super) authority: Option<PathBuf>,
}

impl Wanted {
    /// The error names the parameter, and no value: a value may be a password.
    pub(super) fn read(url: &str) -> Result<Self, StoreError> {
        let (server, query) = split(url);
        let mut wanted = Self {
            url: server.to_owned(),
            authority: None,
        };
        let mut separator = '?';
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            if let Some(parameter) = wanted.parameter(name, value)? {
                wanted.url = format!("{}{separator}{parameter}", wanted.url);
                separator = '&';
            }
        }
        Ok(wanted)
    }

    /// The parameter as the driver wants it, if it wants it.
    fn parameter(&mut self, name: &str, value: &str) -> Result<Option<String>, StoreError> {
        let mode = match (name, value) {
            (name, _) if IDLE.contains(&name) => return Ok(None),
            ("sslrootcert", "system") => "require",
            ("sslrootcert", _) => {
                self.authority = Some(decoded(value).ok_or_else(|| unreadable(name))?.into());
                return Ok(None);
            }
            // A certificate is always verified, and so is its name.
            ("sslmode", "verify-ca" | "verify-full") | ("ssl", "true" | "1") => "require",
            ("sslmode", "allow") => "prefer",
            ("ssl", "false" | "0") => "disable",
            // libpq's word for the server that takes writes.
            ("target_session_attrs", "primary") => {
                return checked(name, "read-write").map(Some);
            }
            ("sslmode", mode) => mode,
            _ if KNOWN.contains(&name) => return checked(name, value).map(Some),
            _ => return Err(unknown(name)),
        };
        checked("sslmode", mode).map(Some)
    }
}

/// The server, and the parameters behind the question mark. One in the user's password is none.
fn split(url: &str) -> (&str, &str) {
    let server = url.find('@').unwrap_or_default();
    let place = url[server..].find('?').map(|place| server + place);
    place.map_or((url, ""), |place| (&url[..place], &url[place + 1..]))
}

fn checked(name: &str, value: &str) -> Result<String, StoreError> {
    let pair = format!("{name}={value}");
    let alone: Result<Config, _> = format!("postgres:///?{pair}").parse();
    alone.map(|_| pair).map_err(|_| unreadable(name))
}

/// Percent-decoded, as the driver does it.
fn decoded(value: &str) -> Option<String> {
    let read: Config = format!("postgres:///?options={value}").parse().ok()?;
    read.get_options().map(str::to_owned)
}

fn unreadable(name: &str) -> StoreError {
    let choices = match name {
        "sslmode" => ": it is disable, prefer, require, verify-ca or verify-full",
        _ => "",
    };
    StoreError::Unsupported(format!(
        "the parameter {name} of the database URL has a value that cannot be read{choices}"
    ))
}

/// What is no name may be a part of a password.
fn unknown(name: &str) -> StoreError {
    let is_name = |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    StoreError::Unsupported(match name.len() <= 32 && is_name(name) {
        true => format!("the database URL has the parameter {name}, which is not known here: remove it"),
        false => "the database URL has a parameter that is not known here: write postgres://user@host/database".into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(url: &str) -> String {
        Wanted::read(url)
            .err()
            .map(|error| error.to_string())
            .unwrap()
    }

    #[test]
    fn the_urls_of_hosting_providers_are_read() {
        for (given, wanted) in [
            ("postgres://u@h/db", "postgres://u@h/db"),
            ("postgres://u@h/db?", "postgres://u@h/db"),
            (
                "postgres://u@h/db?sslmode=verify-full",
                "postgres://u@h/db?sslmode=require",
            ),
            (
                "postgres://u@h/db?sslmode=verify-ca&port=6",
                "postgres://u@h/db?sslmode=require&port=6",
            ),
            (
                "postgres://u@h/db?sslmode=disable",
                "postgres://u@h/db?sslmode=disable",
            ),
            (
                "postgres://u@h/db?sslmode=allow",
                "postgres://u@h/db?sslmode=prefer",
            ),
            (
                "postgres://u@h/db?ssl=true",
                "postgres://u@h/db?sslmode=require",
            ),
            (
                "postgresql://u:p@h/db?sslmode=require&channel_binding=require",
                "postgresql://u:p@h/db?sslmode=require&channel_binding=require",
            ),
            (
                "postgres://u:p@h:6543/db?pgbouncer=true&connection_limit=1&connect_timeout=300",
                "postgres://u:p@h:6543/db",
            ),
            (
                "postgres://u@h?sslmode=require",
                "postgres://u@h?sslmode=require",
            ),
            ("postgres://u:p?x=y@h/db", "postgres://u:p?x=y@h/db"),
            (
                "postgres://u@h/db?sslrootcert=system",
                "postgres://u@h/db?sslmode=require",
            ),
            ("postgres://u@h/db?sslrootcert=a", "postgres://u@h/db"),
            ("postgres:///db?host=/tmp", "postgres:///db?host=/tmp"),
            (
                "postgres://u:p@/db?host=/cloudsql/project:region:instance",
                "postgres://u:p@/db?host=/cloudsql/project:region:instance",
            ),
            (
                "postgres://u@h1:5432,h2:5433/db?target_session_attrs=primary",
                "postgres://u@h1:5432,h2:5433/db?target_session_attrs=read-write",
            ),
            (
                "postgres://u@h/db?options=endpoint%3Dep-1&sslnegotiation=direct&application_name=a",
                "postgres://u@h/db?options=endpoint%3Dep-1&sslnegotiation=direct",
            ),
        ] {
            let read = Wanted::read(given).unwrap_or_else(|error| panic!("{given}: {error}"));
            assert_eq!(read.url, wanted, "{given}");
            read.url.parse::<Config>().unwrap();
        }
        let read = Wanted::read("postgres://u@h/db?sslrootcert=%2Fetc%2Fa%20b.pem").unwrap();
        assert_eq!(read.authority.unwrap().to_str(), Some("/etc/a b.pem"));
    }

    #[test]
    fn a_parameter_that_is_not_known_is_named_and_no_value_is() {
        for (parameter, expected) in [
            (
                "sslcert=hunter2",
                "the parameter sslcert, which is not known",
            ),
            ("schema=hunter2", "the parameter schema, which"),
            ("schema", "the parameter schema, which"),
            (
                "sslmode=hunter2",
                "sslmode of the database URL has a value that cannot be read: it is disable",
            ),
            (
                "port=hunter2",
                "the parameter port of the database URL has a value",
            ),
            (
                "channel_binding=hunter2",
                "the parameter channel_binding of",
            ),
            ("sslrootcert=%ffhunter2", "the parameter sslrootcert of"),
            ("hunter%32", "a parameter that is not known here: write"),
        ] {
            let why = refused(&format!("postgres://u:hunter2@h/db?{parameter}"));
            assert!(why.contains(expected), "{parameter}: {why}");
            assert!(!why.contains("hunter"), "{parameter}: {why}");
        }
    }
}
