//! The proxy: passes calls on, and fails with orders as the plan of their run says.

use super::kind;
use super::run::Run;
use super::stage::Stage;
use crate::events::Events;
use crate::http::Message;
use crate::server::Answers;
use crate::trouble::{Fault, Trouble};
use crate::wire::{cut, failure, forward, is_gone, shows_500, too_many, write};
use serde_json::Value;
use std::io;
use std::net::TcpStream;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// An answer waits no longer than this for its tab to be removed.
const REMOVAL: Duration = Duration::from_secs(6);

/// Between a run's tabs and what they take for the service.
pub struct Gate {
    pub run: Arc<Run>,
    pub events: Arc<Events>,
}

impl Answers for Gate {
    fn answer(
        &self,
        stream: &mut TcpStream,
        mut request: Message,
        reused: bool,
    ) -> io::Result<bool> {
        let run = &*self.run;
        let prefix = format!(" /r{}/", run.number);
        request.first = request.first.replacen(&prefix, " /", 1);
        let (method, path) = request.named();
        if (method.as_str(), path.as_str()) == ("POST", "/v1/orders") {
            return self.order_call(stream, &request, reused);
        }
        let answer = forward(run.upstream, &request)?;
        if method != "OPTIONS" {
            run.note(format!("{method} {path}: {}", answer.status()));
        }
        write(stream, answer, run.plan.keeps)
    }
}

impl Gate {
    fn order_call(
        &self,
        stream: &mut TcpStream,
        request: &Message,
        reused: bool,
    ) -> io::Result<bool> {
        let order = self.noted(request);
        let fault = self.run.plan.faults.get(self.run.next_call()).copied();
        if let Some(fault) = fault
            && let Some(keep) = self.before(stream, fault, &order)?
        {
            return Ok(keep);
        }
        let answer = self.pass_on(request, fault, &order)?;
        self.remove_sender(stream)?;
        self.deliver(stream, fault, answer, reused, &order)
    }

    /// Remembers what came, and gives the order's id.
    fn noted(&self, request: &Message) -> String {
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let id = body["externalId"].as_str().unwrap_or("?").to_owned();
        let key = request.found("idempotency-key").unwrap_or("none");
        let mut seen = self.run.seen();
        seen.keys
            .entry(id.clone())
            .or_default()
            .insert(key.to_owned());
        *seen.tries.entry(id.clone()).or_default() += 1;
        seen.bodies
            .entry(id.clone())
            .or_default()
            .insert(request.body.clone());
        id
    }

    /// What keeps the call from the service; or only from being quick.
    fn before(
        &self,
        stream: &mut TcpStream,
        fault: Fault,
        order: &str,
    ) -> io::Result<Option<bool>> {
        let keeps = self.run.plan.keeps;
        match fault.trouble {
            Trouble::DropBefore => {
                self.did(fault, order);
                Ok(Some(false))
            }
            Trouble::ErrorBefore => {
                self.did(fault, order);
                write(stream, failure(fault.variant), keeps).map(Some)
            }
            Trouble::TooMany => {
                self.did(fault, order);
                write(stream, too_many(fault.variant % 2), keeps).map(Some)
            }
            Trouble::Delay if fault.variant.is_multiple_of(2) => {
                self.did(fault, order);
                sleep(Duration::from_millis(fault.ms));
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// Once, or twice; gives the answer that the till is to get.
    fn pass_on(&self, request: &Message, fault: Option<Fault>, order: &str) -> io::Result<Message> {
        let first = self.ask(request, order)?;
        let Some(fault) = fault else {
            return Ok(first);
        };
        Ok(match fault.trouble {
            Trouble::Twice => {
                self.did(fault, order);
                let second = self.ask(request, order)?;
                if fault.variant % 2 == 1 {
                    second
                } else {
                    first
                }
            }
            Trouble::Delay if !fault.variant.is_multiple_of(2) => {
                self.did(fault, order);
                sleep(Duration::from_millis(fault.ms));
                first
            }
            _ => first,
        })
    }

    fn ask(&self, request: &Message, order: &str) -> io::Result<Message> {
        let answer = forward(self.run.upstream, request)?;
        self.run.note(format!("{order}: {}", answer.status()));
        if Stage::has_accepted(&answer) {
            let mut seen = self.run.seen();
            if !seen.accepted.iter().any(|known| known == order) {
                seen.accepted.push(order.to_owned());
            }
            let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
            if body.get("ereceipt").is_some() {
                seen.receipts.insert(order.to_owned());
            }
        }
        Ok(answer)
    }

    /// Where the plan wants the tab removed before its answer is on its way, the answer waits for that.
    fn remove_sender(&self, stream: &TcpStream) -> io::Result<()> {
        let nth = self.run.next_processed();
        let Some(kill) = self.run.plan.kill(kind::KILL_PROCESSED, nth) else {
            return Ok(());
        };
        self.events.tell(self.run.number, kill.at, kill.plus);
        let begun = Instant::now();
        while !is_gone(stream)? && begun.elapsed() < REMOVAL {
            sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// Gives the service's answer to whoever asked, or does not.
    fn deliver(
        &self,
        stream: &mut TcpStream,
        fault: Option<Fault>,
        answer: Message,
        reused: bool,
        order: &str,
    ) -> io::Result<bool> {
        let keeps = self.run.plan.keeps;
        let Some(fault) = fault else {
            return write(stream, answer, keeps);
        };
        match fault.trouble {
            Trouble::Silent if reused => {
                self.did(fault, order);
                Ok(false)
            }
            Trouble::DropAfter | Trouble::Silent => {
                let trouble = Trouble::DropAfter;
                self.did(Fault { trouble, ..fault }, order);
                Ok(false)
            }
            Trouble::Cut => {
                self.did(fault, order);
                cut(stream, answer, fault.variant).map(|()| false)
            }
            Trouble::ErrorAfter => {
                self.did(fault, order);
                write(stream, failure(fault.variant), keeps)
            }
            _ => write(stream, answer, keeps),
        }
    }

    fn did(&self, fault: Fault, order: &str) {
        let what = kind::of(fault.trouble);
        let fails = matches!(fault.trouble, Trouble::ErrorBefore | Trouble::ErrorAfter);
        if fails && shows_500(fault.variant) {
            self.run.fails(order);
        }
        self.run.did(what);
        self.run.note(format!("{order}: {what}"));
    }
}
