//! `vendor add|list|set-origins|set-logo|rotate-secret|disable|enable`.

use super::{Common, Failure, mode, name, output, state, unknown};
use crate::logo::Logo;
use crate::origin::Origin;
use crate::store::{Act, Listing, Rotated, VendorSummary};
use crate::vendor::{self, Credentials, MAX_OVERLAP_HOURS};
use clap::{Args, Subcommand};
use pos_connect_foundation::origin::warn_of_open;
use pos_connect_protocol::Mode;
use serde_json::{Value, json};

#[derive(Subcommand)]
pub(super) enum VendorCommand {
    /// Add a vendor; prints its clientId and clientSecret, once
    Add(Add),
    /// List vendors
    List(Common),
    /// Replace the origins of a vendor's tills
    SetOrigins(SetOrigins),
    /// Give a vendor a logo, for the connect page; without a file, take it away
    SetLogo(SetLogo),
    /// Give a vendor a new clientSecret; the old one works on for a while
    RotateSecret(Rotate),
    /// Refuse every further call of a vendor
    Disable(One),
    /// Answer a disabled vendor again
    Enable(One),
}

#[derive(Args)]
pub(super) struct Add {
    /// Name that merchants see on the connect page
    #[arg(long, value_parser = name)]
    name: String,
    /// `live`, or `test`: for test accounts alone, and no message is sent
    #[arg(long, value_name = "MODE", value_parser = mode, default_value = "live")]
    mode: Mode,
    /// Origin of the vendor's tills, as https://till.example (repeatable)
    #[arg(long = "origin", value_name = "ORIGIN")]
    origins: Vec<Origin>,
    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(super) struct SetOrigins {
    /// The vendor
    #[arg(value_name = "CLIENT-ID")]
    client_id: String,
    /// Origin of the vendor's tills, as https://till.example (repeatable); those that are not named are refused at once
    #[arg(long = "origin", value_name = "ORIGIN", required = true)]
    origins: Vec<Origin>,
    #[command(flatten)]
    common: Common,
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
pub(super) struct Rotate {
    /// The vendor
    #[arg(value_name = "CLIENT-ID")]
    client_id: String,
    /// Hours for which the old secret still works; 0 ends it at once
    #[arg(
        long,
        default_value_t = MAX_OVERLAP_HOURS,
        value_parser = clap::value_parser!(u64).range(0..=MAX_OVERLAP_HOURS)
    )]
    overlap_hours: u64,
    /// While two secrets work: end the older one at once, which a relay may still use
    #[arg(long)]
    end_older: bool,
    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub(super) struct One {
    /// The vendor
    #[arg(value_name = "CLIENT-ID")]
    client_id: String,
    #[command(flatten)]
    common: Common,
}

impl VendorCommand {
    pub(super) async fn run(self) -> Result<(), Failure> {
        match self {
            Self::Add(add) => add.run().await,
            Self::List(common) => list(&common).await,
            Self::SetOrigins(set) => set.run().await,
            Self::SetLogo(set) => set.run().await,
            Self::RotateSecret(rotate) => rotate.run().await,
            Self::Disable(one) => one.set_disabled(true).await,
            Self::Enable(one) => one.set_disabled(false).await,
        }
    }
}

impl Add {
    async fn run(self) -> Result<(), Failure> {
        let service = self.common.open().await?;
        let origins: Vec<_> = self.origins.iter().map(Origin::to_string).collect();
        let act = Act::operator(service.clock.now());
        let added = vendor::add(
            &service.store,
            None,
            self.name.clone(),
            self.mode,
            self.origins,
            act,
        );
        let added = added.await?;
        let Credentials {
            client_id,
            client_secret,
        } = added;
        let value = json!({
            "clientId": client_id, "clientSecret": client_secret, "name": self.name,
            "mode": self.mode, "origins": origins
        });
        output::print(self.common.json, &value, || {
            format!(
                "clientId      {client_id}\nclientSecret  {client_secret}\nThe secret is shown only now."
            )
        })
    }
}

async fn list(common: &Common) -> Result<(), Failure> {
    let service = common.open().await?;
    let vendors = service
        .store
        .vendors(service.clock.now(), Listing::ALL)
        .await?;
    output::print(common.json, &vendors, || {
        let line = |vendor: &VendorSummary| {
            let state = match vendor {
                VendorSummary {
                    disabled: false,
                    live_secrets: 2,
                    ..
                } => "enabled, 2 secrets",
                VendorSummary { disabled, .. } => state(*disabled),
            };
            let origins = if vendor.origins.is_empty() {
                "no origins".into()
            } else {
                vendor.origins.join(" ")
            };
            let VendorSummary {
                client_id, name, ..
            } = vendor;
            format!(
                "{client_id}  {state}  {}  {name}  {origins}",
                vendor.mode.as_str()
            )
        };
        vendors.iter().map(line).collect::<Vec<_>>().join("\n")
    })
}

impl SetOrigins {
    async fn run(self) -> Result<(), Failure> {
        warn_of_open(&self.origins);
        let service = self.common.open_to_contain().await?;
        let origins: Vec<_> = self.origins.iter().map(Origin::to_string).collect();
        let id = self.client_id.clone();
        if !service
            .store
            .set_origins(id, self.origins, Act::operator(service.clock.now()))
            .await?
        {
            return Err(unknown("vendor", &self.client_id));
        }
        let value = json!({ "clientId": self.client_id, "origins": origins });
        output::print(self.common.json, &value, || {
            format!("{}  {}", self.client_id, origins.join(" "))
        })
    }
}

impl SetLogo {
    async fn run(self) -> Result<(), Failure> {
        let service = self.one.common.open().await?;
        let (logo, text) = (json!(self.logo.is_some()), Logo::state(self.logo.as_ref()));
        let (id, act) = (
            self.one.client_id.clone(),
            Act::operator(service.clock.now()),
        );
        let set = service.store.set_vendor_logo(id, self.logo, act);
        self.one.report(set.await?, "logo", logo, text)
    }
}

impl Rotate {
    async fn run(self) -> Result<(), Failure> {
        let service = self.common.open_to_contain().await?;
        let act = Act::operator(service.clock.now());
        let (id, hours) = (self.client_id.clone(), self.overlap_hours);
        let rotated = vendor::rotate_secret(&service.store, id, hours, self.end_older, act);
        let (rotated, client_secret) = rotated.await?;
        let until = match rotated {
            Rotated::Done(until) => until.to_string(),
            Rotated::Unknown => return Err(unknown("vendor", &self.client_id)),
            Rotated::Underway(until) => {
                return Err(format!(
                    "two secrets work until {until}, and a relay may still use the older one: give it the newer one \
                     first, then add --end-older"
                )
                .into());
            }
        };
        let value = json!({
            "clientId": self.client_id, "clientSecret": client_secret, "previousSecretUntil": until
        });
        output::print(self.common.json, &value, || {
            format!(
                "clientId      {}\nclientSecret  {client_secret}\nThe secret is shown only now. The previous one works \
                 until {until}.",
                self.client_id
            )
        })
    }
}

impl One {
    async fn set_disabled(self, disabled: bool) -> Result<(), Failure> {
        let service = self.common.open_to_contain().await?;
        let (id, act) = (self.client_id.clone(), Act::operator(service.clock.now()));
        let set = service.store.set_vendor_disabled(id, disabled, act);
        let text = format!("is {}", state(disabled));
        self.report(set.await?, "disabled", json!(disabled), &text)
    }

    fn report(&self, is_there: bool, key: &str, value: Value, text: &str) -> Result<(), Failure> {
        if !is_there {
            return Err(unknown("vendor", &self.client_id));
        }
        let value = json!({ "clientId": self.client_id, key: value });
        output::print(self.common.json, &value, || {
            format!("{} {text}", self.client_id)
        })
    }
}
