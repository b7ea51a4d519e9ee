//! Who calls a program beside the fuzzer, so that there is something to find.

use crate::http::{Line, Message, query};
use crate::merchant;
use crate::programs::Account;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};
use workbench::Result;

pub const INTEGRATION: &str = "/v1/auth/integration";
pub const TOKEN: &str = "/v1/auth/integration/token";
/// The fuzzer has used up what a vendor may do at once.
const PATIENCE: Duration = Duration::from_secs(30);

pub struct Caller {
    pub address: SocketAddr,
    /// A till's.
    pub bearer: Option<String>,
    /// What is in every query.
    pub keys: Vec<(&'static str, String)>,
    /// Who consents.
    pub account: Account,
}

impl Caller {
    /// Asks, and asks again where it is told to wait.
    pub fn ask(&self, method: &str, path: &str, more: &[(&str, &str)]) -> Result<Value> {
        let keys = self.keys.iter().map(|(name, value)| (*name, &**value));
        let pairs: Vec<_> = keys.chain(more.iter().copied()).collect();
        let mut request = Message::request(method, &format!("{path}?{}", query(&pairs)));
        if let Some(key) = &self.bearer {
            request = request.bearer(key);
        }
        self.send(&request)
    }

    /// The same with a whole request.
    pub fn send(&self, request: &Message) -> Result<Value> {
        let begun = Instant::now();
        loop {
            let answer = Line::new(self.address).ask(request, || {});
            let (method, path) = request.named();
            let answer = answer.map_err(|error| format!("{method} {path}: {error}"))?;
            match answer.status() {
                200 => {
                    return serde_json::from_slice(&answer.body).map_err(|error| error.to_string());
                }
                429 if begun.elapsed() < PATIENCE => thread::sleep(Duration::from_millis(200)),
                status => return Err(format!("{method} {path}: {status}")),
            }
        }
    }

    pub fn integration(&self) -> Result<String> {
        let created = self.ask("POST", INTEGRATION, &[])?;
        let token = created["integrationToken"].as_str();
        token
            .map(str::to_owned)
            .ok_or_else(|| "an integration without a token".to_owned())
    }

    pub fn client_id(&self) -> &str {
        let found = self.keys.iter().find(|(name, _)| *name == "client_id");
        found.map_or("", |(_, value)| value)
    }

    /// An integration that the merchant has finished.
    pub fn finished(&self) -> Result<String> {
        let integration = self.integration()?;
        merchant::consent(&self.account, self.client_id(), &integration, true)?;
        Ok(integration)
    }

    /// One whose tokens were picked up, with these parameters, too; and what that answered.
    pub fn picked_up(&self, more: &[(&str, &str)]) -> Result<(String, Value)> {
        let integration = self.finished()?;
        let about = [more, &[("integration_token", &*integration)]].concat();
        let tokens = self.ask("GET", TOKEN, &about)?;
        Ok((integration, tokens))
    }

    /// The tokens of one.
    pub fn tokens(&self, more: &[(&str, &str)]) -> Result<Value> {
        self.picked_up(more).map(|(_, tokens)| tokens)
    }

    /// What the connect page of an integration sends: its hidden fields.
    pub fn page(&self, integration: &str) -> Result<Value> {
        let fields = merchant::hidden_fields(&self.account, self.client_id(), integration)?;
        Ok(fields
            .into_iter()
            .map(|(name, value)| (name, json!(value)))
            .collect())
    }
}
