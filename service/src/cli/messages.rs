//! Options of `serve` about text messages: where they go, to which countries, and how many.

use super::Failure;
use crate::account::region;
use crate::message::{Destination, Outlet};
use crate::store::MessageLimits;
use clap::builder::RangedI64ValueParser;
use clap::{Args, value_parser};
use pos_connect_foundation::secret;
use pos_connect_phone::Region;
use std::path::PathBuf;

/// A command line can be read by everybody on the machine.
const SECRET_VARIABLE: &str = "POS_CONNECT_MESSAGES_SECRET";

#[derive(Args)]
pub(super) struct Messages {
    /// Where text messages with receipts go: log (nobody gets them, and the connect
    /// page offers no e-receipts), file:PATH (a line of JSON each), or webhook:URL (a
    /// signed call each)
    #[arg(long = "messages", value_name = "OUTLET", default_value = "log", value_parser = Destination::parse)]
    pub(super) destination: Destination,
    /// A file with the secret that a webhook is signed with, whsec_ and base64; else POS_CONNECT_MESSAGES_SECRET is it
    #[arg(long = "messages-secret-file", value_name = "FILE")]
    secret_file: Option<PathBuf>,
    /// Country whose numbers get text messages, as IL (repeatable), or any; an account can have its own
    #[arg(long = "message-region", value_name = "COUNTRY", value_parser = MessageRegion::parse)]
    regions: Vec<MessageRegion>,
    /// Text messages a day to one number
    #[arg(long = "messages-per-number", value_name = "N", default_value_t = 20, value_parser = budget())]
    per_number: u32,
    /// Text messages a day of one till that a relay tells apart
    #[arg(long = "messages-per-till", value_name = "N", default_value_t = 1_000, value_parser = budget())]
    per_till: u32,
    /// Text messages a day of one vendor for one store
    #[arg(long = "messages-per-store", value_name = "N", default_value_t = 5_000, value_parser = budget())]
    per_store: u32,
}

fn budget() -> RangedI64ValueParser<u32> {
    value_parser!(u32).range(1..=1_000_000)
}

/// `IL` or `any`.
#[derive(Clone, Copy)]
enum MessageRegion {
    Any,
    One(Region),
}

impl MessageRegion {
    fn parse(text: &str) -> Result<Self, String> {
        match text {
            "any" => Ok(Self::Any),
            code => region(code).map(Self::One),
        }
    }
}

impl Messages {
    /// Where they go. A demo goes to all countries; whoever pays for the messages says so.
    pub(super) fn outlet(&self, is_demo: bool) -> Result<Outlet, Failure> {
        let outlet = Outlet::open(&self.destination, self.secret()?.as_deref())?;
        self.check(is_demo)?;
        if !self.reach_shoppers(is_demo) {
            tracing::warn!(
                "--messages is not set: nobody gets a receipt by text message, and the connect page offers none"
            );
        }
        Ok(outlet)
    }

    /// Whether they could go there, as far as the options say it. Makes nothing.
    pub(super) fn check(&self, is_demo: bool) -> Result<(), Failure> {
        let secret = self.secret()?;
        if let Destination::Webhook(_) = self.destination {
            Outlet::open(&self.destination, secret.as_deref())?;
        }
        if self.reach_shoppers(is_demo) && !is_demo && self.regions.is_empty() {
            let why = "--messages needs --message-region: a country whose numbers get text messages, such as IL, \
                       or any";
            return Err(why.into());
        }
        Ok(())
    }

    fn secret(&self) -> Result<Option<String>, Failure> {
        match &self.secret_file {
            Some(file) => secret::from_file(file).map(Some),
            None => Ok(std::env::var(SECRET_VARIABLE).ok()),
        }
    }

    /// A page that promises text messages which reach nobody would lie to the merchant.
    pub(super) fn reach_shoppers(&self, is_demo: bool) -> bool {
        is_demo || !matches!(self.destination, Destination::Log)
    }

    /// To which countries; `None` for all.
    pub(super) fn regions(&self) -> Option<Vec<Region>> {
        let named = self.regions.iter().map(|region| match region {
            MessageRegion::Any => None,
            MessageRegion::One(region) => Some(*region),
        });
        let named: Option<Vec<Region>> = named.collect();
        named.filter(|named| !named.is_empty())
    }

    pub(super) const fn limits(&self) -> MessageLimits {
        MessageLimits {
            per_number: self.per_number,
            per_till: self.per_till,
            per_store: self.per_store,
        }
    }
}
