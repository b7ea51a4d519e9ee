//! `account add|list|set-password|remove-second-factor|set-regions|set-logo|disable|enable`.

use super::{Common, Failure, mode, name, output, state, unknown};
use crate::account::{self, Login, Password, email, region};
use crate::logo::Logo;
use crate::password::MAX_LENGTH;
use crate::store::{AccountSummary, Act, Listing, StoreError};
use clap::{Args, Subcommand};
use pos_connect_phone::Region;
use pos_connect_protocol::Mode;
use serde_json::{Value, json};
use std::io::Read;

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
    #[arg(long, value_parser = email)]
    email: String,
    /// Name of the account
    #[arg(long, value_parser = name)]
    name: String,
    /// `live`, or `test`: for vendors of test mode alone, and no message is sent
    #[arg(long, value_name = "MODE", value_parser = mode, default_value = "live")]
    mode: Mode,
    /// Name of a store (repeatable); without any, one store with the account's name
    #[arg(long = "store", value_name = "NAME", value_parser = name)]
    stores: Vec<String>,
    #[command(flatten)]
    password: PasswordSource,
    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(super) struct SetPassword {
    /// The address that the merchant signs in with
    email: String,
    #[command(flatten)]
    password: PasswordSource,
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
struct PasswordSource {
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
        let login = Login::new(self.email.clone(), self.mode);
        let login = login.map_err(|rule| format!("--email must be {rule}"))?;
        let password = self.password.read()?;
        let service = self.common.open().await?;
        let (store, name) = (&service.store, self.name.clone());
        let act = Act::operator(service.clock.now());
        let added = account::add(store, login, name, self.stores, &password, act);
        let (id, stores) = match added.await {
            Err(StoreError::Exists) => {
                return Err(format!("there is already an account {}", self.email).into());
            }
            added => added?,
        };
        let mut value = json!({
            "id": id, "email": self.email, "name": self.name, "mode": self.mode, "stores": stores
        });
        if let Some(password) = password.to_show() {
            value["password"] = password.into();
        }
        output::print(self.common.json, &value, || match password.to_show() {
            None => format!("account {} added", self.email),
            Some(password) => shown_once(&self.email, password),
        })
    }
}

fn shown_once(email: &str, password: &str) -> String {
    format!("email     {email}\npassword  {password}\nThe password is shown only now.")
}

async fn list(common: &Common) -> Result<(), Failure> {
    let accounts = common.open().await?.store.accounts(Listing::ALL).await?;
    output::print(common.json, &accounts, || {
        let line = |account: &AccountSummary| {
            let state = state(account.disabled);
            let AccountSummary { id, name, .. } = account;
            let provider = account.provider.as_ref().map(|one| &*one.issuer);
            let login = account.email.as_deref().or(provider).unwrap_or_default();
            let mode = account.mode.as_str();
            let mut lines = vec![format!("{login}  {state}  {mode}  {name}  {id}")];
            let stores = account.stores.iter();
            lines.extend(stores.map(|store| format!("  {}  {}", store.id, store.name)));
            lines.join("\n")
        };
        accounts.iter().map(line).collect::<Vec<_>>().join("\n")
    })
}

impl SetPassword {
    async fn run(self) -> Result<(), Failure> {
        let password = self.password.read()?;
        let service = self.common.open_to_contain().await?;
        let act = Act::operator(service.clock.now());
        if !account::set_password(&service.store, self.email.clone(), &password, act).await? {
            return Err(unknown("account", &self.email));
        }
        let mut value = json!({ "email": self.email });
        if let Some(password) = password.to_show() {
            value["password"] = password.into();
        }
        output::print(self.common.json, &value, || match password.to_show() {
            None => format!("{} has the new password", self.email),
            Some(password) => shown_once(&self.email, password),
        })
    }
}

impl SetRegions {
    async fn run(self) -> Result<(), Failure> {
        let service = self.one.common.open().await?;
        let codes: Vec<_> = self.regions.iter().map(|region| region.code()).collect();
        let text = match codes.is_empty() {
            true => "has the countries of serve".to_owned(),
            false => codes.join(" "),
        };
        let act = Act::operator(service.clock.now());
        let id = self.one.account.clone();
        let set = account::set_regions(&service.store, id, &self.regions, act);
        self.one
            .report(set.await?, "messageRegions", json!(codes), &text)
    }
}

impl SetLogo {
    async fn run(self) -> Result<(), Failure> {
        let service = self.one.common.open().await?;
        let (logo, text) = (json!(self.logo.is_some()), Logo::state(self.logo.as_ref()));
        let (account, act) = (self.one.account.clone(), Act::operator(service.clock.now()));
        let set = service.store.set_account_logo(account, self.logo, act);
        self.one.report(set.await?, "logo", logo, text)
    }
}

impl One {
    async fn set_disabled(self, disabled: bool) -> Result<(), Failure> {
        let service = self.common.open_to_contain().await?;
        let (account, act) = (self.account.clone(), Act::operator(service.clock.now()));
        let set = service.store.set_account_disabled(account, disabled, act);
        let text = format!("is {}", state(disabled));
        self.report(set.await?, "disabled", json!(disabled), &text)
    }

    async fn remove_second_factor(self) -> Result<(), Failure> {
        let service = self.common.open_to_contain().await?;
        let (account, act) = (self.account.clone(), Act::operator(service.clock.now()));
        if !service.store.remove_second_factor(account, act).await? {
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

impl PasswordSource {
    fn read(&self) -> Result<Password, Failure> {
        let password = if self.password_stdin {
            let mut text = String::new();
            std::io::stdin()
                .take(MAX_LENGTH as u64 + 2)
                .read_to_string(&mut text)?;
            Some(text.trim_end_matches(['\r', '\n']).to_owned())
        } else {
            std::env::var(VARIABLE).ok()
        };
        match password {
            Some(password) => Ok(Password::chosen(password)?),
            None => Ok(Password::made()),
        }
    }
}
