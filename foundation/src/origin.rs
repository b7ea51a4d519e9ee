//! Web origins that a vendor's tills run on: they decide CORS, who may frame the connect page, and whom it answers.

use axum::http::Uri;
use std::fmt;
use std::net::IpAddr;

/// A registered origin, written exactly as browsers send it.
///
/// ```
/// use pos_connect_foundation::origin::Origin;
///
/// assert!(Origin::parse("https://till.example").is_ok());
/// assert!(Origin::parse("https://till.example/page").is_err_and(|advice| advice.contains("write only")));
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Origin(String);

impl Origin {
    /// Reads an origin; the error says what to write instead, and repeats nothing that could be a password.
    pub fn parse(text: &str) -> Result<Self, String> {
        let Some((scheme, authority)) = text.split_once("://") else {
            return Err(
                "not an origin; write scheme://host[:port], as in https://till.example".into(),
            );
        };
        let scheme = scheme.to_ascii_lowercase();
        let first = scheme
            .bytes()
            .next()
            .is_some_and(|b| b.is_ascii_lowercase());
        if !first
            || !scheme
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
        {
            return Err("the origin has no valid scheme".into());
        }
        if scheme == "file" || scheme == "data" || scheme == "blob" {
            return Err(format!(
                "pages of \"{scheme}:\" have the origin \"null\", which is never allowed"
            ));
        }
        let authority = authority.to_ascii_lowercase();
        if authority.contains(['/', '?', '#', '@']) {
            return Err("more than an origin; write only scheme://host[:port]".into());
        }
        if authority.contains('*') {
            return Err(
                "a pattern would also let in names that others own or take over; write each origin"
                    .into(),
            );
        }
        let (host, port) = split_port(&authority).ok_or("the origin has no valid port")?;
        if !is_host(host) {
            let why = "the origin has no valid host; write an international name in its xn-- form";
            return Err(why.into());
        }
        let default = matches!(
            (scheme.as_str(), port),
            ("https", Some(443)) | ("http", Some(80))
        );
        Ok(Self(match port {
            Some(port) if !default => format!("{scheme}://{host}:{port}"),
            _ => format!("{scheme}://{host}"),
        }))
    }

    /// The origin as browsers send it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether what is sent there can be read on the way: http to another machine.
    pub fn is_in_the_open(&self) -> bool {
        let authority = self.0.strip_prefix("http://").map(split_port);
        authority.is_some_and(|parts| !parts.is_some_and(|(host, _)| is_loopback(host)))
    }
}

/// Names in the log the origins whose pages anybody on the way can change: a script in them has the till's key.
pub fn warn_of_open<'o>(origins: impl IntoIterator<Item = &'o Origin>) {
    for origin in origins.into_iter().filter(|origin| origin.is_in_the_open()) {
        tracing::warn!(
            %origin,
            "the pages of this origin come without TLS: whoever is on the way can put a script into them"
        );
    }
}

/// Whether a host, with or without brackets, is this machine.
pub fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || address.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Whether nobody on the way can read what is sent to a URL: https, or http to this machine. One with a user name is
/// not.
pub fn is_private(url: &str) -> bool {
    let uri = url.parse::<Uri>().unwrap_or_default();
    let is_private = match (uri.scheme_str(), uri.authority()) {
        (Some("https"), Some(_)) => true,
        (Some("http"), Some(authority)) => is_loopback(authority.host()),
        _ => false,
    };
    let mut authority = uri.authority().into_iter();
    is_private && authority.all(|authority| !authority.as_str().contains('@'))
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::str::FromStr for Origin {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Self::parse(text)
    }
}

fn split_port(authority: &str) -> Option<(&str, Option<u16>)> {
    let after_bracket = authority.rfind(']').map_or(0, |end| end + 1);
    match authority[after_bracket..].split_once(':') {
        None => Some((authority, None)),
        Some((rest, port)) => {
            let digits = !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
            let port = port.parse().ok().filter(|_| digits)?;
            Some((&authority[..after_bracket + rest.len()], Some(port)))
        }
    }
}

fn is_host(host: &str) -> bool {
    if let Some(inner) = host
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
    {
        return inner.parse::<std::net::Ipv6Addr>().is_ok();
    }
    !host.is_empty()
        && host
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-._".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_http_to_another_machine_is_in_the_open() {
        let open = |text| Origin::parse(text).unwrap().is_in_the_open();
        for url in [
            "http://till.example",
            "http://10.0.0.7:8080",
            "http://localhost.example",
        ] {
            assert!(open(url), "{url}");
        }
        for url in [
            "https://till.example",
            "http://localhost:8080",
            "http://127.0.0.1",
            "http://[::1]:8080",
        ] {
            assert!(!open(url), "{url}");
        }
    }

    #[test]
    fn origins_are_written_as_browsers_send_them() {
        for (given, kept) in [
            ("https://till.example", "https://till.example"),
            ("HTTPS://Till.Example:443", "https://till.example"),
            ("http://127.0.0.1:80", "http://127.0.0.1"),
            ("http://localhost:5173", "http://localhost:5173"),
            ("https://till.example:80", "https://till.example:80"),
            ("http://[::1]:8080", "http://[::1]:8080"),
            ("capacitor://localhost", "capacitor://localhost"),
            ("tauri://localhost", "tauri://localhost"),
        ] {
            assert_eq!(Origin::parse(given).unwrap().as_str(), kept, "{given}");
        }
    }

    /// Docs, decisions: origins by pattern.
    #[test]
    fn a_pattern_is_refused_with_its_reason() {
        for wrong in [
            "https://*",
            "https://*.till.example",
            "https://till.*.example:8443",
            "https://*.*.till.example",
            "https://t*.till.example",
            "capacitor://*",
        ] {
            let error = Origin::parse(wrong).unwrap_err();
            assert!(error.contains("write each origin"), "{wrong}: {error}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for wrong in [
            "",
            "null",
            "*",
            "till.example",
            "https://",
            "https://till.example/",
            "https://till.example/pos",
            "https://user@till.example",
            "https://till.example?x",
            "https://till.example:",
            "https://till.example:+1",
            "https://till.example:70000",
            "https://tıll.example",
            "https://a b",
            "file:///tmp",
            "1s://x",
            "https://[::1",
            "https://till.example; script-src *",
            "https://[::g]",
        ] {
            assert!(Origin::parse(wrong).is_err(), "{wrong}");
        }
    }
}
