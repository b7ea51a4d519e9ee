//! `account add|list|set-password|remove-second-factor|set-regions|set-logo|disable|enable`.

use super::{Common, Failure, name, output, state, unknown};
use crate::logo::Logo;
use crate::password::{self, MAX_LENGTH};
use crate::store::{AccountSummary, NewAccount, StoreError};
use crate::token::random_text;
use clap::{Args, Subcommand};
use pos_connect_phone::Region;
use pos_connect_protocol::text::is_control;
use serde_json::{Value, json};
use std::io::Read;

/// NIST SP 800-63B: shorter ones are guessed whatever the hash.
const MIN_LENGTH: usize = 8;
const VARIABLE: &str = "POS_CONNECT_PASSWORD";

#[derive(Subcommand)]
pub(super) enum AccountCommand {
    /// Add an account; without a password from stdin or POS_CONNECT_PASSWORD one is made and printed, once
    Add(Add),
    /// List accounts and their stores
    List(Common),
    /// Give an account another password; what was connected with it stays connected
    SetPassword(SetPassword),
    /// Let an account sign in without codes, where its phone and its recovery codes are lost
    RemoveSecondFactor(One),
    /// Say to which countries the receipts of an account go by text message; without any, to those of `serve`
    SetRegions(SetRegions),
    /// Give an account a logo, for its receipts and the connect page; without a file, take it away
    SetLogo(SetLogo),
    /// Let nobody sign in with an account; what was connected with it stays connected (see `token-set revoke`)
    Disable(One),
    /// Let a disabled account sign in again
    Enable(One),
}

#[derive(Args)]
pub(super) struct Add {
    /// The address that the merchant signs in with
    #[arg(long)]
    email: String,
    /// Name of the account
    #[arg(long, value_parser = name)]
    name: String,
    /// Name of a store (repeatable); without any, one store with the account's name
    #[arg(long = "store", value_name = "NAME", value_parser = name)]
    stores: Vec<String>,
    #[command(flatten)]
    password: Password,
    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(super) struct SetPassword {
    /// The address that the merchant signs in with
    email: String,
    #[command(flatten)]
    password: Password,
    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(super) struct SetRegions {
    #[command(flatten)]
    one: One,
    /// Country whose numbers get text messages, as IL (repeatable)
    #[arg(long = "region", value_name = "COUNTRY", value_parser = region)]
    regions: Vec<Region>,
}

#[derive(Args)]
pub(super) struct SetLogo {
    #[command(flatten)]
    one: One,
    /// A PNG or SVG file
    #[arg(value_name = "FILE", value_parser = Logo::read)]
    logo: Option<Logo>,
}

#[derive(Args)]
pub(super) struct One {
    /// The address that the merchant signs in with, or the account's id
    account: String,
    #[command(flatten)]
    common: Common,
}

/// Where a password comes from; without any, one is made.
#[derive(Args)]
struct Password {
    /// Read the password from standard input
    #[arg(long)]
    password_stdin: bool,
}

impl AccountCommand {
    pub(super) async fn run(self) -> Result<(), Failure> {
        match self {
            Self::Add(add) => add.run().await,
            Self::List(common) => list(&common).await,
            Self::SetPassword(set) => set.run().await,
            Self::RemoveSecondFactor(one) => one.remove_second_factor().await,
            Self::SetRegions(set) => set.run().await,
            Self::SetLogo(set) => set.run().await,
            Self::Disable(one) => one.set_disabled(true).await,
            Self::Enable(one) => one.set_disabled(false).await,
        }
    }
}

impl Add {
    async fn run(self) -> Result<(), Failure> {
        if !self.email.contains('@') || self.email.contains(is_control) {
            return Err(format!("\"{}\" is not an email address", self.email).into());
        }
        let given = self.password.read()?;
        let password = given.clone().unwrap_or_else(|| random_text(20));
        let service = self.common.open().await?;
        let stores = if self.stores.is_empty() {
            vec![self.name.clone()]
        } else {
            self.stores
        };
        let new = NewAccount {
            email: self.email.clone(),
            name: self.name.clone(),
            password_hash: password::hash(&password),
            stores: stores.clone(),
        };
        let id = match service.store.add_account(new, service.clock.now()).await {
            Err(StoreError::Exists) => {
                return Err(format!("there is already an account {}", self.email).into());
            }
            added => added?,
        };
        let mut value =
            json!({ "id": id, "email": self.email, "name": self.name, "stores": stores });
        if given.is_none() {
            value["password"] = password.as_str().into();
        }
        output::print(self.common.json, &value, || match given {
            Some(_) => format!("account {} added", self.email),
            None => shown_once(&self.email, &password),
        })
    }
}

fn shown_once(email: &str, password: &str) -> String {
    format!("email     {email}\npassword  {password}\nThe password is shown only now.")
}

async fn list(common: &Common) -> Result<(), Failure> {
    let accounts = common.open().await?.store.accounts().await?;
    output::print(common.json, &accounts, || {
        let line = |account: &AccountSummary| {
            let state = state(account.disabled);
            let AccountSummary { id, name, .. } = account;
            let provider = account.provider.as_ref().map(|one| &*one.issuer);
            let login = account.email.as_deref().or(provider).unwrap_or_default();
            let mut lines = vec![format!("{login}  {state}  {name}  {id}")];
            let stores = account.stores.iter();
            lines.extend(stores.map(|store| format!("  {}  {}", store.id, store.name)));
            lines.join("\n")
        };
        accounts.iter().map(line).collect::<Vec<_>>().join("\n")
    })
}

impl SetPassword {
    async fn run(self) -> Result<(), Failure> {
        let given = self.password.read()?;
        let password = given.clone().unwrap_or_else(|| random_text(20));
        let service = self.common.open_to_contain().await?;
        let hash = password::hash(&password);
        if !service
            .store
            .set_password(self.email.clone(), hash, service.clock.now())
            .await?
        {
            return Err(unknown("account", &self.email));
        }
        let mut value = json!({ "email": self.email });
        if given.is_none() {
            value["password"] = password.as_str().into();
        }
        output::print(self.common.json, &value, || match given {
            Some(_) => format!("{} has the new password", self.email),
            None => shown_once(&self.email, &password),
        })
    }
}

impl SetRegions {
    async fn run(self) -> Result<(), Failure> {
        let service = self.one.common.open().await?;
        let codes: Vec<_> = self.regions.iter().map(|region| region.code()).collect();
        let regions = (!codes.is_empty()).then(|| codes.join(" "));
        let text = match &regions {
            None => "has the countries of serve",
            Some(regions) => &regions.clone(),
        };
        let (account, now) = (self.one.account.clone(), service.clock.now());
        let set = service.store.set_message_regions(account, regions, now);
        self.one
            .report(set.await?, "messageRegions", json!(codes), text)
    }
}

impl SetLogo {
    async fn run(self) -> Result<(), Failure> {
        let service = self.one.common.open().await?;
        let (logo, text) = (json!(self.logo.is_some()), Logo::state(self.logo.as_ref()));
        let (account, now) = (self.one.account.clone(), service.clock.now());
        let set = service.store.set_account_logo(account, self.logo, now);
        self.one.report(set.await?, "logo", logo, text)
    }
}

/// A country, as `IL`.
pub(super) fn region(code: &str) -> Result<Region, String> {
    let region = Region::parse(code).filter(|_| code.len() == 2);
    region.ok_or_else(|| "must be a country such as IL (ISO 3166-1)".into())
}

impl One {
    async fn set_disabled(self, disabled: bool) -> Result<(), Failure> {
        let service = self.common.open_to_contain().await?;
        let (account, now) = (self.account.clone(), service.clock.now());
        let set = service.store.set_account_disabled(account, disabled, now);
        let text = format!("is {}", state(disabled));
        self.report(set.await?, "disabled", json!(disabled), &text)
    }

    async fn remove_second_factor(self) -> Result<(), Failure> {
        let service = self.common.open().await?;
        let (account, now) = (self.account.clone(), service.clock.now());
        if !service.store.remove_second_factor(account, now).await? {
            let account = &self.account;
            return Err(format!("no account {account} has two-step sign-in on").into());
        }
        let text = "signs in without codes; the merchant can turn them on again";
        self.report(true, "secondFactor", json!(false), text)
    }

    fn report(&self, is_there: bool, key: &str, value: Value, text: &str) -> Result<(), Failure> {
        if !is_there {
            return Err(unknown("account", &self.account));
        }
        let value = json!({ "account": self.account, key: value });
        output::print(self.common.json, &value, || {
            format!("{} {text}", self.account)
        })
    }
}

impl Password {
    fn read(&self) -> Result<Option<String>, Failure> {
        let password = if self.password_stdin {
            let mut text = String::new();
            std::io::stdin()
                .take(MAX_LENGTH as u64 + 2)
                .read_to_string(&mut text)?;
            Some(text.trim_end_matches(['\r', '\n']).to_owned())
        } else {
            std::env::var(VARIABLE).ok()
        };
        password.map(accepted).transpose()
    }
}

fn accepted(password: String) -> Result<String, Failure> {
    if password.len() > MAX_LENGTH {
        return Err("the password is too long".into());
    }
    if password.chars().count() < MIN_LENGTH {
        return Err(format!("the password needs at least {MIN_LENGTH} characters").into());
    }
    Ok(password)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_one_that_the_page_takes() {
        let takes = |text: &str, count| accepted(text.repeat(count)).is_ok();
        assert!(!takes("é", MIN_LENGTH - 1) && takes("é", MIN_LENGTH));
        assert!(takes("x", MAX_LENGTH) && !takes("x", MAX_LENGTH + 1));
    }
}
