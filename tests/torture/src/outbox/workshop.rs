//! What a run with orders is: a plan, a gate, and a look at what the tabs were told and what the service has.

use super::gate::Gate;
use super::plan::Plan;
use super::run::Run;
use super::stage::Stage;
use super::verdict::{Verdict, judge};
use crate::desk::Workshop;
use crate::server::Server;
use serde_json::{Value, json};
use std::io;
use std::net::TcpStream;
use std::sync::Arc;
use workbench::Result;

pub struct Sales {
    pub stage: Stage,
    pub seed: u64,
}

impl Workshop for Sales {
    type Run = Run;
    type Verdict = Verdict;

    fn open(&self, number: u64) -> Result<(Arc<Run>, Server, Value)> {
        let (plan, stage) = (Plan::new(self.seed, number), &self.stage);
        let upstream = match plan.is_relayed {
            true => stage.relay.address,
            false => stage.vendor.service,
        };
        let run = Arc::new(Run::new(number, plan, upstream));
        let gate = Server::open(Gate {
            run: run.clone(),
            events: stage.events.clone(),
        })?;
        let relayed = |text: &str| run.plan.is_relayed.then(|| text.to_owned());
        let direct = |text: &str| (!run.plan.is_relayed).then(|| text.to_owned());
        let more = json!({
            "baseUrl": format!("{}/r{number}", gate.url()),
            "connectUrl": stage.connect_url,
            "clientId": stage.vendor.client_id,
            "clientSecret": direct(&stage.vendor.client_secret),
            "accessToken": direct(&stage.access_token),
            "tillKey": relayed(&stage.till_key),
        });
        let plan = run.plan.for_page(number, more);
        Ok((run, gate, plan))
    }

    fn asked(&self, path: &str, _: &Run) -> Result<()> {
        Err(format!("the page asks for {path}, which is nothing"))
    }

    fn judge(&self, run: &Run, report: &Value) -> Verdict {
        judge(run, report, &|id| self.stage.order(id))
    }

    fn listens(&self, stream: TcpStream, head: &[u8]) -> io::Result<()> {
        self.stage.events.listens(stream, head)
    }
}
