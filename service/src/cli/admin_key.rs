//! `admin-key add|list|revoke`.

use super::{Common, Failure, name, output};
use crate::admin_key;
use crate::store::{Act, AdminKey};
use clap::{Args, Subcommand};
use pos_connect_protocol::admin::Scope;
use serde_json::{Value, json};

#[derive(Subcommand)]
pub(super) enum AdminKeyCommand {
    /// Add an admin key, with which your back office calls the admin API; prints it, once
    Add(Add),
    /// List admin keys
    List(Common),
    /// Refuse every further call with an admin key, and what its calls have begun
    Revoke(Revoke),
}

#[derive(Args)]
pub(super) struct Add {
    /// Name of the program that gets it, for `admin-key list`
    #[arg(long, value_parser = name)]
    name: String,
    /// What it may do, such as vendors:read,accounts:write; another word shows them all
    #[arg(long, value_name = "SCOPES", value_delimiter = ',', required = true, value_parser = scope)]
    scopes: Vec<Scope>,
    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(super) struct Revoke {
    /// The admin key's id, as `admin-key list` shows it
    id: String,
    #[command(flatten)]
    common: Common,
}

fn scope(word: &str) -> Result<Scope, String> {
    let all: Vec<_> = Scope::ALL.iter().map(|scope| scope.as_str()).collect();
    Scope::parse(word).ok_or_else(|| format!("the scopes are {}", all.join(", ")))
}

impl AdminKeyCommand {
    pub(super) async fn run(self) -> Result<(), Failure> {
        match self {
            Self::Add(add) => add.run().await,
            Self::List(common) => list(&common).await,
            Self::Revoke(revoke) => revoke.run().await,
        }
    }
}

impl Add {
    async fn run(self) -> Result<(), Failure> {
        let service = self.common.open().await?;
        let act = Act::operator(service.clock.now());
        let (id, key) = admin_key::add(&service.store, &self.name, &self.scopes, act).await?;
        let value = json!({ "id": id, "key": key, "name": self.name, "scopes": self.scopes });
        output::print(self.common.json, &value, || {
            format!("id   {id}\nkey  {key}\nThe key is shown only now.")
        })
    }
}

async fn list(common: &Common) -> Result<(), Failure> {
    let keys = common.open().await?.store.admin_keys().await?;
    let value = |key: &AdminKey| {
        json!({
            "id": key.label, "name": key.name, "scopes": key.scopes, "createdAt": key.created_at.to_string(),
            "revoked": key.revoked,
        })
    };
    output::print(
        common.json,
        &keys.iter().map(value).collect::<Vec<Value>>(),
        || {
            let line = |key: &AdminKey| {
                let AdminKey { label, name, .. } = key;
                let state = if key.revoked { "revoked" } else { "enabled" };
                let scopes: Vec<_> = key.scopes.iter().map(|scope| scope.as_str()).collect();
                format!("{label}  {state}  {name}  {}", scopes.join(","))
            };
            keys.iter().map(line).collect::<Vec<_>>().join("\n")
        },
    )
}

impl Revoke {
    async fn run(self) -> Result<(), Failure> {
        let service = self.common.open_to_contain().await?;
        let act = Act::operator(service.clock.now());
        if !service.store.revoke_admin_key(self.id.clone(), act).await? {
            // Not the text itself: it could be a key, pasted by mistake.
            return Err("there is no admin key with this id; `admin-key list` shows them".into());
        }
        output::print(
            self.common.json,
            &json!({ "id": self.id, "revoked": true }),
            || format!("admin key {} is revoked", self.id),
        )
    }
}
