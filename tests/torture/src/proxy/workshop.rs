//! What a run with tokens is: a plan, a gate, a merchant who consents, and a look at what the tabs were told.

use super::gate::TillGate;
use super::plan::{Mode, Plan};
use super::run::Run;
use super::stage::Stage;
use super::verdict::{Verdict, judge};
use crate::desk::Workshop;
use crate::http::{Line, Message};
use crate::merchant;
use crate::server::Server;
use serde_json::{Value, json};
use std::io;
use std::net::TcpStream;
use std::sync::{Arc, PoisonError};
use workbench::Result;

pub struct Tokens {
    pub stage: Stage,
    pub seed: u64,
}

impl Workshop for Tokens {
    type Run = Run;
    type Verdict = Verdict;

    fn open(&self, number: u64) -> Result<(Arc<Run>, Server, Value)> {
        let plan = Plan::new(self.seed, number);
        let (mode, vendor) = (plan.mode, &self.stage.registry.vendor);
        let (upstream, till_key) = self.stage.upstream(mode, number)?;
        let run = Arc::new(Run::new(number, plan, upstream, till_key));
        let gate = Server::open(TillGate {
            run: run.clone(),
            registry: self.stage.registry.clone(),
        })?;
        let secret = (!mode.is_relay()).then_some(&vendor.client_secret);
        let more = json!({
            "mode": mode.name(),
            "baseUrl": format!("{}/r{number}", gate.url()),
            "connectUrl": self.stage.connect_url,
            "clientId": vendor.client_id,
            "clientSecret": secret,
            "tillKey": run.till_key,
        });
        let plan = run.plan.for_page(number, more);
        Ok((run, gate, plan))
    }

    /// The merchant signs in and connects.
    fn asked(&self, path: &str, run: &Run) -> Result<()> {
        if path != "/consent" {
            return Err(format!("the page asks for {path}, which is nothing"));
        }
        let token = run
            .seen()
            .token
            .clone()
            .ok_or("consent without an integration")?;
        let _one = self
            .stage
            .sign_in
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let client_id = &self.stage.registry.vendor.client_id;
        merchant::consent(&self.stage.account, client_id, &token, run.plan.ereceipts)?;
        run.note("the merchant consented".to_owned());
        Ok(())
    }

    fn judge(&self, run: &Run, report: &Value) -> Verdict {
        judge(run, report, &|access| self.works(run, access))
    }

    fn listens(&self, stream: TcpStream, head: &[u8]) -> io::Result<()> {
        self.stage.registry.events.listens(stream, head)
    }
}

impl Tokens {
    /// Asks with the access token; where the relay keeps it, asks the relay.
    fn works(&self, run: &Run, access: &str) -> bool {
        let (address, call) = match (run.plan.mode, &run.till_key) {
            (Mode::Held, Some(key)) => (
                run.upstream,
                Message::request("GET", "/connection").bearer(key),
            ),
            _ => (
                self.stage.registry.vendor.service,
                Message::request("GET", "/v1/account").bearer(access),
            ),
        };
        let answer = Line::new(address).ask(&call, || {});
        answer.is_ok_and(|answer| answer.status() == 200)
    }
}
