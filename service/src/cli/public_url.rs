//! The service's URL as tills and browsers see it.

use crate::origin::Origin;

/// `https://auth.example.com` or `https://example.com/auth`.
#[derive(Clone)]
pub(super) struct PublicUrl {
    pub(super) url: String,
    pub(super) origin: Origin,
}

impl PublicUrl {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let url = text.trim_end_matches('/').to_owned();
        let authority = url.find("://").map_or(0, |colon| colon + 3);
        let end = url[authority..]
            .find('/')
            .map_or(url.len(), |slash| authority + slash);
        let origin = Origin::parse(&url[..end])?;
        if origin.is_in_the_open() {
            let why = "the URL must be https:// (http:// only on this machine): merchants type passwords there";
            return Err(why.into());
        }
        if url.contains(['?', '#']) {
            return Err("the URL must have neither a query nor a fragment".into());
        }
        Ok(Self { url, origin })
    }
}
