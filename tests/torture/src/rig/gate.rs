//! The proxy: passes calls on, and fails as the plan of their run says.

use super::Subject;
use super::fault::{Fault, Trouble};
use super::run::Run;
use super::stage::{INTEGRATION, ORDERS, REISSUE, Stage, TOKEN};
use crate::server::Answers;
use crate::wire::{cut, failure, forward, is_gone, shows_500, too_many, write};
use std::io;
use std::net::TcpStream;
use std::sync::{Arc, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};
use workbench::http::Message;

/// An answer waits no longer than this for its tab to be removed.
const REMOVAL: Duration = Duration::from_secs(6);

/// Between a run's tabs and what they take for the service.
pub struct Gate {
    pub run: Arc<Run>,
    pub stage: Arc<Stage>,
}

/// A call on its way, and where it can be answered.
struct Passage<'a> {
    stage: &'a Stage,
    run: &'a Run,
    request: &'a Message,
    /// The order that it is about, or what it does to tokens.
    what: String,
    is_pick_up: bool,
    is_reissue: bool,
    reused: bool,
}

impl Answers for Gate {
    fn answer(
        &self,
        stream: &mut TcpStream,
        mut request: Message,
        reused: bool,
    ) -> io::Result<bool> {
        let (run, stage) = (&*self.run, &*self.stage);
        let prefix = format!(" /r{}/", run.number);
        request.first = request.first.replacen(&prefix, " /", 1);
        let (method, path) = request.named();
        let call = (stage.subject, &*method, &*path);
        if matches!(
            call,
            (Subject::Tokens, "GET", TOKEN)
                | (Subject::Tokens, "POST", REISSUE)
                | (Subject::Orders, "POST", ORDERS)
        ) {
            return Passage::new(stage, run, &request, reused).call(stream);
        }
        let mut answer = forward(stage.service, &request)?;
        if (&*method, &*path) == ("POST", INTEGRATION) {
            let mut body = answer.json();
            run.seen().token = body["integrationToken"].as_str().map(str::to_owned);
            // A service that has nothing but the specification says nothing of pick-ups.
            if run.plan.is_plain
                && let Some(fields) = body.as_object_mut()
                && fields.remove("pickup").is_some()
            {
                answer.body = body.to_string().into_bytes();
            }
        }
        if method != "OPTIONS" {
            run.note(format!("till: {method} {path}: {}", answer.status()));
        }
        write(stream, answer, run.plan.keeps)
    }
}

impl<'a> Passage<'a> {
    fn new(stage: &'a Stage, run: &'a Run, request: &'a Message, reused: bool) -> Self {
        let (method, path) = request.named();
        let what = match stage.subject {
            Subject::Tokens => format!("{method} token call"),
            Subject::Orders => request.json()["externalId"]
                .as_str()
                .unwrap_or("?")
                .to_owned(),
        };
        Self {
            stage,
            run,
            request,
            what,
            is_pick_up: method == "GET",
            is_reissue: path == REISSUE,
            reused,
        }
    }

    /// One that may take the tokens, or replace them; or has an order.
    fn call(&self, stream: &mut TcpStream) -> io::Result<bool> {
        let number = {
            let calls = &mut self.run.seen().calls;
            *calls += 1;
            *calls - 1
        };
        let fault = self.run.plan.faults.get(number).copied();
        if self.stage.subject == Subject::Orders {
            self.came();
        }
        if let Some(fault) = fault
            && let Some(keep) = self.before(stream, fault)?
        {
            return Ok(keep);
        }
        let Some(answer) = self.pass_on(stream, fault)? else {
            return Ok(false);
        };
        self.remove_sender(stream)?;
        self.deliver(stream, fault, answer)
    }

    /// What keeps the call from the service; or only from being quick.
    fn before(&self, stream: &mut TcpStream, fault: Fault) -> io::Result<Option<bool>> {
        let answer = match fault.trouble {
            Trouble::DropBefore => {
                self.did(fault);
                return Ok(Some(false));
            }
            Trouble::ErrorBefore => failure(fault.variant),
            Trouble::TooMany => too_many(fault.variant % 2),
            Trouble::Delay if fault.variant.is_multiple_of(2) => {
                self.did(fault);
                sleep(Duration::from_millis(fault.ms));
                return Ok(None);
            }
            _ => return Ok(None),
        };
        self.did(fault);
        write(stream, answer, self.run.plan.keeps).map(Some)
    }

    /// Once, or twice; gives the answer that the till is to get, if there is still somebody to get it.
    fn pass_on(&self, stream: &TcpStream, fault: Option<Fault>) -> io::Result<Option<Message>> {
        let is_alone = self.stage.subject == Subject::Tokens;
        let turn = is_alone.then(|| self.run.turn.lock().unwrap_or_else(PoisonError::into_inner));
        // A reissue that arrives after its sender is gone would end what the next sender got: a proxy notices, as
        // nginx does.
        if self.is_reissue && is_gone(stream)? {
            self.note("reissue whose sender is gone, not passed on");
            return Ok(None);
        }
        let first = self.ask()?;
        Ok(Some(match fault {
            Some(fault) if fault.trouble == Trouble::Twice => {
                self.did(fault);
                let second = self.ask()?;
                // After two reissues only the last one's pair is good. A client without a `pickup_id` can make
                // nothing of the second answer.
                let is_second = fault.variant % 2 == 1 && !self.run.plan.is_plain;
                if is_second || self.is_reissue {
                    second
                } else {
                    first
                }
            }
            Some(fault) if fault.trouble == Trouble::Delay && !fault.variant.is_multiple_of(2) => {
                drop(turn);
                self.did(fault);
                sleep(Duration::from_millis(fault.ms));
                first
            }
            _ => first,
        }))
    }

    fn ask(&self) -> io::Result<Message> {
        let answer = forward(self.stage.service, self.request)?;
        self.note(&answer.status().to_string());
        match self.stage.subject {
            Subject::Orders => self.accepted(&answer),
            Subject::Tokens => self.run.heard(self.is_pick_up, &answer),
        }
        Ok(answer)
    }

    /// Where the plan wants the till's tab removed before its answer is on its way, the answer waits for that.
    fn remove_sender(&self, stream: &TcpStream) -> io::Result<()> {
        let nth = {
            let mut seen = self.run.seen();
            seen.processed += 1;
            seen.processed
        };
        if let Some(kill) = self.run.plan.kill_at_answer(nth) {
            self.stage.tell_page(self.run.number, kill);
            let begun = Instant::now();
            while !is_gone(stream)? && begun.elapsed() < REMOVAL {
                sleep(Duration::from_millis(5));
            }
        }
        Ok(())
    }

    /// Gives the service's answer to whoever asked, or does not.
    fn deliver(
        &self,
        stream: &mut TcpStream,
        fault: Option<Fault>,
        answer: Message,
    ) -> io::Result<bool> {
        let keeps = self.run.plan.keeps;
        let Some(mut fault) =
            fault.filter(|fault| fault.trouble.loses() && fault.trouble != Trouble::Twice)
        else {
            return write(stream, answer, keeps);
        };
        let is_silent = self.reused && !self.is_reissue;
        if fault.trouble == Trouble::Silent && !is_silent {
            fault.trouble = Trouble::DropAfter;
        }
        self.did(fault);
        match fault.trouble {
            Trouble::Cut => cut(stream, answer, fault.variant).map(|()| false),
            Trouble::ErrorAfter => write(stream, failure(fault.variant), keeps),
            _ => Ok(false),
        }
    }

    fn did(
        &self,
        Fault {
            trouble, variant, ..
        }: Fault,
    ) {
        self.note(trouble.name());
        let mut seen = self.run.seen();
        seen.done.push(trouble.name());
        seen.unanswered |= trouble.is_unanswered();
        let is_error = matches!(trouble, Trouble::ErrorBefore | Trouble::ErrorAfter);
        // At the third try the SDK lets the next orders go first.
        if let Some(order) = seen.orders.get_mut(&self.what)
            && is_error
            && shows_500(variant)
            && order.tries >= 3
        {
            order.set_aside = true;
        }
    }

    fn note(&self, what: &str) {
        self.run.note(format!("{}: {what}", self.what));
    }

    /// Remembers how the order came.
    fn came(&self) {
        let mut seen = self.run.seen();
        let order = seen.orders.entry(self.what.clone()).or_default();
        let key = self.request.found("idempotency-key").unwrap_or("none");
        order.keys.insert(key.to_owned());
        order.bodies.insert(self.request.body.clone());
        order.tries += 1;
    }

    fn accepted(&self, answer: &Message) {
        if !matches!(answer.status(), 200 | 201) {
            return;
        }
        let mut seen = self.run.seen();
        if !seen.accepted.contains(&self.what) {
            seen.accepted.push(self.what.clone());
        }
    }
}
