//! Vendors that create integrations and leave most of them alone.

use crate::dice::Dice;
use crate::merchant::consent_at;
use crate::programs::{Merchant, Vendor};
use crate::table::Counts;
use serde_json::Value;
use std::net::SocketAddr;
use workbench::Result;
use workbench::http::{Line, Message, query};

/// So many of a hundred integrations are connected. A password takes as long as hundreds of other calls.
const CONNECTED: u64 = 2;
const CANCELLED: u64 = 30;
const INTEGRATION: &str = "/v1/auth/integration";

/// What is counted.
pub const ROWS: [&str; 5] = [
    "created",
    "left to expire",
    "cancelled",
    "connected and refreshed",
    CUT_OFF,
];
/// By the clock: what the merchant was about to do had expired.
const CUT_OFF: &str = "cut off by a jump";

/// Too few were connected for the soak to show anything.
pub fn fault(counts: &Counts) -> Option<String> {
    let of = |row| counts.get(row).copied().unwrap_or(0);
    let connected = of(ROWS[3]);
    let too_few = || format!("only {connected} were connected");
    (connected == 0 || connected < of(CUT_OFF)).then(too_few)
}

pub struct Caller {
    pub service: SocketAddr,
    pub line: Line,
    pub vendor: Vendor,
    pub merchant: Merchant,
    pub dice: Dice,
    pub counts: Counts,
}

impl Caller {
    fn count(&mut self, row: &'static str) {
        *self.counts.entry(row).or_default() += 1;
    }

    /// One integration.
    pub fn life(&mut self) -> Result<()> {
        let created = self.ask("POST", INTEGRATION, &[], &[200])?;
        let token = created["integrationToken"].as_str().unwrap_or_default();
        let about = [("integration_token", token)];
        let [create, left, cancelled, connected, cut_off] = ROWS;
        self.count(create);
        self.ask("GET", INTEGRATION, &about, &[200])?;
        let end = match self.dice.below(100) {
            chosen if chosen < CONNECTED => {
                if self.connect(token)? {
                    connected
                } else {
                    cut_off
                }
            }
            chosen if chosen < CONNECTED + CANCELLED => {
                // Expired is as good.
                self.ask("DELETE", INTEGRATION, &about, &[204])?;
                cancelled
            }
            _ => left,
        };
        self.count(end);
        Ok(())
    }

    /// False if the time went by meanwhile.
    fn connect(&mut self, token: &str) -> Result<bool> {
        let Vendor { id, secret } = self.vendor.clone();
        if consent_at(self.service, &self.merchant, &id, token, false).is_err() {
            return Ok(false);
        }
        let path = format!("{INTEGRATION}/token");
        let tokens = self.ask("GET", &path, &[("integration_token", token)], &[200, 409])?;
        let Some(refresh) = tokens["refreshToken"].as_str() else {
            return Ok(false);
        };
        let request = Message::request("POST", "/v1/auth/token").form(&[
            ("client_id", &id),
            ("client_secret", &secret),
            ("grant_type", "refresh_token"),
            ("refresh_token", refresh),
        ]);
        // 400: the refresh token has expired.
        let pair = self.line.expect(&request, &[200, 400])?;
        Ok(pair.json()["access_token"].is_string())
    }

    fn ask(
        &mut self,
        method: &str,
        path: &str,
        more: &[(&str, &str)],
        expected: &[u16],
    ) -> Result<Value> {
        let keys = [
            ("client_id", &*self.vendor.id),
            ("client_secret", &self.vendor.secret),
        ];
        let target = format!("{path}?{}", query(&[&keys, more].concat()));
        let request = Message::request(method, &target);
        self.line
            .expect(&request, expected)
            .map(|answer| answer.json())
    }
}
