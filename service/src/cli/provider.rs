//! Options of `serve` about the operator's providers of OpenID Connect, each in a file of its own.

use super::{Failure, name};
use crate::logo::Logo;
use crate::oidc::{ClaimNames, ProviderSettings, issuer, provider_id};
use clap::Args;
use pos_connect_foundation::secret;
use serde::Deserialize;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(super) struct ProviderOptions {
    /// A file (TOML) about a provider of OpenID Connect, where merchants have accounts (repeatable). Its name, as
    /// corner of corner.toml, is the end of the redirect URI: https://…/callback-corner
    // Read later: `doctor` names a file that cannot be, and examines the rest.
    #[arg(long = "oidc-provider", value_name = "FILE")]
    oidc_providers: Vec<PathBuf>,
    /// Let nobody sign in with a password of the service's own
    #[arg(long, requires = "oidc_providers")]
    pub(super) no_passwords: bool,
}

/// What such a file says.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct ProviderFile {
    issuer: String,
    client_id: String,
    client_secret_file: Option<PathBuf>,
    scope: Option<Vec<String>>,
    name: String,
    logo: Option<String>,
    account_claim: Option<String>,
    name_claim: Option<String>,
    stores_claim: Option<String>,
}

impl ProviderOptions {
    /// The providers, in the order of their buttons.
    pub(super) fn settings(&self) -> Result<Vec<ProviderSettings>, Failure> {
        let mut all: Vec<ProviderSettings> = Vec::new();
        for file in &self.oidc_providers {
            let wrong = |why: String| format!("--oidc-provider {}: {why}", file.display());
            let one = read(file).map_err(|why| wrong(why.to_string()))?;
            // An account is known by its issuer, and a redirect URI by its file's name.
            let is_same =
                |other: &&ProviderSettings| other.issuer == one.issuer || other.id == one.id;
            if let Some(other) = all.iter().find(is_same) {
                let why = format!("its issuer or its file's name is that of {}", other.id);
                return Err(wrong(why).into());
            }
            all.push(one);
        }
        Ok(all)
    }
}

fn read(path: &Path) -> Result<ProviderSettings, Failure> {
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    let id = provider_id(stem.unwrap_or_default())?;
    let text = std::fs::read_to_string(path)?;
    // The whole of the error would quote the line.
    let file: ProviderFile = toml::from_str(&text).map_err(|error| error.message().to_owned())?;
    let client_secret = file.client_secret_file.as_deref();
    let usual = ClaimNames::default();
    Ok(ProviderSettings {
        id,
        issuer: issuer(&file.issuer)?,
        client_id: file.client_id,
        client_secret: client_secret.map(secret::from_file).transpose()?,
        scopes: file
            .scope
            .unwrap_or_else(|| vec!["profile".into(), "email".into()]),
        name: name(&file.name)?,
        logo: file.logo.as_deref().map(Logo::read).transpose()?,
        claims: ClaimNames {
            account: file.account_claim.unwrap_or(usual.account),
            name: file.name_claim.unwrap_or(usual.name),
            stores: file.stores_claim,
        },
    })
}
