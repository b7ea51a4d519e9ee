//! Options of `serve` about the operator's provider of OpenID Connect.

use super::{Failure, name};
use crate::oidc::{ClaimNames, ProviderSettings, issuer};
use clap::Args;
use pos_connect_foundation::secret;
use std::path::PathBuf;

/// A command line can be read by everybody on the machine.
const SECRET_VARIABLE: &str = "POS_CONNECT_OIDC_CLIENT_SECRET";

#[derive(Args)]
pub(super) struct ProviderOptions {
    /// Issuer of your provider of OpenID Connect, where merchants have accounts
    #[arg(long, value_name = "URL", value_parser = issuer, requires = "oidc_client_id")]
    oidc_issuer: Option<String>,
    /// The client's ID there
    #[arg(long, value_name = "ID", requires = "oidc_issuer")]
    oidc_client_id: Option<String>,
    /// A file with the client's secret; else POS_CONNECT_OIDC_CLIENT_SECRET is it. A public client has none
    #[arg(long, value_name = "FILE", requires = "oidc_issuer")]
    oidc_client_secret_file: Option<PathBuf>,
    /// What to ask for beside openid (repeatable)
    #[arg(long = "oidc-scope", value_name = "SCOPE", default_values = ["profile", "email"])]
    oidc_scopes: Vec<String>,
    /// Its name on the button
    #[arg(long, value_name = "NAME", default_value = "OpenID Connect", value_parser = name)]
    oidc_name: String,
    /// The claim with the account's ID: a name, or a JSON Pointer such as /org/id
    #[arg(long, value_name = "CLAIM", default_value = "sub")]
    oidc_account_claim: String,
    /// The claim with its name
    #[arg(long, value_name = "CLAIM", default_value = "name")]
    oidc_name_claim: String,
    /// The claim with its stores, an array of IDs or of objects with id and name; without it the account is one store
    #[arg(long, value_name = "CLAIM")]
    oidc_stores_claim: Option<String>,
    /// Let nobody sign in with a password of the service's own
    #[arg(long, requires = "oidc_issuer")]
    pub(super) no_passwords: bool,
}

impl ProviderOptions {
    /// The providers: none, or one.
    pub(super) fn settings(&self) -> Result<Vec<ProviderSettings>, Failure> {
        let (Some(issuer), Some(client_id)) = (&self.oidc_issuer, &self.oidc_client_id) else {
            return Ok(Vec::new());
        };
        let client_secret = match &self.oidc_client_secret_file {
            Some(file) => Some(secret::from_file(file)?),
            None => std::env::var(SECRET_VARIABLE).ok(),
        };
        Ok(vec![ProviderSettings {
            issuer: issuer.clone(),
            client_id: client_id.clone(),
            client_secret,
            scopes: self.oidc_scopes.clone(),
            name: self.oidc_name.clone(),
            claims: ClaimNames {
                account: self.oidc_account_claim.clone(),
                name: self.oidc_name_claim.clone(),
                stores: self.oidc_stores_claim.clone(),
            },
        }])
    }
}
