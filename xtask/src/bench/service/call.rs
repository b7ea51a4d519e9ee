//! The calls that are measured.

use super::material::{Batch, Material};
use crate::load::{FEW, MANY};
use std::fmt;
use workbench::http::Message;

/// How often each integration is asked about in a round, so that a round lasts long enough to measure.
const REPEATS: usize = 10;
const INTEGRATION: &str = "/v1/auth/integration";

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Call {
    Create,
    Status,
    Consent,
    Claim,
    Refresh,
}

impl Call {
    /// In their order: the status is asked of what was created just before.
    pub const ALL: [Self; 5] = [
        Self::Create,
        Self::Status,
        Self::Consent,
        Self::Claim,
        Self::Refresh,
    ];

    /// Writes that wait at the same moment share a flush to the disk.
    pub fn connections(self) -> usize {
        match self {
            Self::Status => FEW,
            Self::Create | Self::Consent | Self::Claim | Self::Refresh => MANY,
        }
    }

    /// The requests of one round, for what is in a batch; `created` are the tokens of its creates.
    pub fn requests(self, material: &Material, batch: &Batch, created: &[String]) -> Vec<Message> {
        let (id, secret) = (&*batch.client_id, &*batch.client_secret);
        let vendor = format!("client_id={id}&client_secret={secret}");
        let about = |path: &str, token: &String| {
            let target = format!("{path}?{vendor}&integration_token={token}");
            Message::request("GET", &target)
        };
        let consent = |(token, form): &(String, String)| {
            Message::request("POST", "/connect").form(&[
                ("client_id", id),
                ("integration_token", token),
                ("form", form),
                ("action", "connect"),
                ("store", &material.store),
            ])
        };
        let refresh = |token: &String| {
            Message::request("POST", "/v1/auth/token").form(&[
                ("client_id", id),
                ("client_secret", secret),
                ("grant_type", "refresh_token"),
                ("refresh_token", token),
            ])
        };
        let all = |path: &str, tokens: &[String]| -> Vec<Message> {
            tokens.iter().map(|token| about(path, token)).collect()
        };
        match self {
            Self::Create => {
                let target = format!("{INTEGRATION}?{vendor}");
                vec![Message::request("POST", &target); batch.claims.len()]
            }
            Self::Status => vec![all(INTEGRATION, created); REPEATS].concat(),
            Self::Consent => batch.consents.iter().map(consent).collect(),
            Self::Claim => all(&format!("{INTEGRATION}/token"), &batch.claims),
            Self::Refresh => batch.refreshes.iter().map(refresh).collect(),
        }
    }
}

impl fmt::Display for Call {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Create => "create",
            Self::Status => "status",
            Self::Consent => "consent",
            Self::Claim => "pick-up",
            Self::Refresh => "refresh",
        })
    }
}
