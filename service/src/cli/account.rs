//! `account add`.

use super::{Common, Failure, output};
use crate::password::{self, MAX_LENGTH};
use crate::store::{NewAccount, StoreError};
use crate::token::random_text;
use clap::{Args, Subcommand};
use serde_json::json;
use std::io::Read;

/// NIST SP 800-63B: shorter ones are guessed whatever the hash.
const MIN_LENGTH: usize = 8;
const VARIABLE: &str = "POS_CONNECT_PASSWORD";

#[derive(Subcommand)]
pub(super) enum AccountCommand {
    /// Add an account; without a password from stdin or POS_CONNECT_PASSWORD one is made and printed, once
    Add(Add),
}

#[derive(Args)]
pub(super) struct Add {
    /// What the merchant signs in with
    #[arg(long)]
    email: String,
    /// Name of the account
    #[arg(long)]
    name: String,
    /// Name of a store (repeatable); without any, one store with the account's name
    #[arg(long = "store", value_name = "NAME")]
    stores: Vec<String>,
    /// Read the password from standard input
    #[arg(long)]
    password_stdin: bool,
    #[command(flatten)]
    common: Common,
}

impl AccountCommand {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let Self::Add(add) = self;
        add.run().await
    }
}

impl Add {
    async fn run(self) -> Result<(), Failure> {
        if !self.email.contains('@') {
            return Err(format!("\"{}\" is not an email address", self.email).into());
        }
        if self.name.trim().is_empty() || self.stores.iter().any(|store| store.trim().is_empty()) {
            return Err("names must not be empty".into());
        }
        let given = self.given_password()?;
        let password = given.clone().unwrap_or_else(|| random_text(20));
        let service = self.common.open()?;
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
            None => format!(
                "email     {}\npassword  {password}\nThe password is shown only now.",
                self.email
            ),
        })
    }

    fn given_password(&self) -> Result<Option<String>, Failure> {
        let password = if self.password_stdin {
            let mut text = String::new();
            std::io::stdin()
                .take(MAX_LENGTH as u64 + 2)
                .read_to_string(&mut text)?;
            Some(text.trim_end_matches(['\r', '\n']).to_owned())
        } else {
            std::env::var(VARIABLE).ok()
        };
        match &password {
            Some(password) if password.len() > MAX_LENGTH => Err("the password is too long".into()),
            Some(password) if password.chars().count() < MIN_LENGTH => {
                Err(format!("the password needs at least {MIN_LENGTH} characters").into())
            }
            _ => Ok(password),
        }
    }
}
