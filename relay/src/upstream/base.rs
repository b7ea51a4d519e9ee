//! The service's address.

use axum::http::Uri;
use pos_connect_foundation::origin::is_loopback;

/// `https://auth.example.com`, or with a path before `/v1`. Plain http only to this machine: the secret goes there.
#[derive(Clone, Debug)]
pub struct BaseUrl(String);

impl BaseUrl {
    /// Reads it; the error says what to write instead, and repeats nothing that could be a password.
    pub fn parse(text: &str) -> Result<Self, String> {
        let uri: Uri = text
            .parse()
            .map_err(|_| "the upstream is not a URL; write https://auth.example.com".to_owned())?;
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            return Err("the upstream must be a whole URL; write https://auth.example.com".into());
        };
        if authority.as_str().contains('@') {
            return Err("the upstream's URL must hold no user name or password".into());
        }
        if uri.query().is_some() || text.contains('#') {
            return Err("the upstream's URL must have neither a query nor a fragment".into());
        }
        match scheme {
            "https" => {}
            "http" if is_loopback(authority.host()) => {}
            _ => {
                let why = "the upstream must be https:// (http:// only on this machine): \
                           the client secret is sent there";
                return Err(why.into());
            }
        }
        let base = text.trim_end_matches('/');
        if base.ends_with("/v1") {
            return Err(
                "the upstream's URL must end before /v1: the paths of the calls begin with it"
                    .into(),
            );
        }
        Ok(Self(base.to_owned()))
    }

    /// The URL of one of our own paths.
    pub fn join(&self, path: &str) -> String {
        format!("{}{path}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn https_and_this_machine_are_fine_and_nothing_else() {
        for good in [
            "https://auth.example.com",
            "https://auth.example.com:8443/pos/",
            "http://127.0.0.1:8080",
            "http://[::1]:8080",
            "http://localhost/",
        ] {
            assert!(BaseUrl::parse(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "auth.example.com",
            "http://auth.example.com",
            "http://127.0.0.1.example.com",
            "http://localhost.example.com",
            "ftp://127.0.0.1",
            "https://user:hunter2@auth.example.com",
            "https://auth.example.com?x=hunter2",
            "https://auth.example.com/#hunter2",
            "https://auth.example.com/v1",
            "https://auth.example.com/v1/",
        ] {
            let error = BaseUrl::parse(bad).unwrap_err();
            assert!(!error.contains("hunter2"), "{bad}");
        }
    }

    #[test]
    fn a_base_path_stays() {
        let base = BaseUrl::parse("https://a.example/pos/").unwrap();
        assert_eq!(base.join("/v1/orders"), "https://a.example/pos/v1/orders");
    }
}
