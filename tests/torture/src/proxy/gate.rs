//! The proxy: passes calls on, and fails as the plan of their run says.

use super::kind;
use super::plan::Mode;
use super::registry::Registry;
use super::run::{Run, Side};
use crate::http::Message;
use crate::server::Answers;
use crate::trouble::{Fault, Trouble};
use crate::wire::{cut, failure, forward, is_gone, too_many, write};
use serde_json::Value;
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// An answer waits no longer than this for its tab to be removed.
const REMOVAL: Duration = Duration::from_secs(6);

/// Between a run's tabs and what they take for the service.
pub struct TillGate {
    pub run: Arc<Run>,
    pub registry: Arc<Registry>,
}

/// Between a relay and the service; finds the run by its integration token.
pub struct RelayGate {
    pub registry: Arc<Registry>,
}

/// A call on its way, and where it can be answered.
struct Passage<'a> {
    registry: &'a Registry,
    run: &'a Run,
    side: Side,
    request: &'a Message,
    upstream: SocketAddr,
    /// "GET" is a pick-up, "POST" a reissue, "DELETE" an acknowledgement.
    method: &'a str,
    reused: bool,
}

impl Answers for TillGate {
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
        let passage = Passage {
            registry: &self.registry,
            run,
            side: if method == "DELETE" {
                Side::HandOver
            } else {
                Side::Till
            },
            request: &request,
            upstream: run.upstream,
            method: &method,
            reused,
        };
        match (method.as_str(), path.as_str()) {
            ("POST", "/v1/auth/integration") => {
                let answer = forward(run.upstream, &request)?;
                write(stream, self.created(answer), run.plan.keeps)
            }
            ("GET" | "DELETE", "/v1/auth/integration/token")
            | ("POST", "/v1/auth/integration/token/reissue") => passage.token_call(stream),
            _ => {
                let answer = forward(run.upstream, &request)?;
                if method != "OPTIONS" {
                    run.note(format!("till: {method} {path}: {}", answer.status()));
                }
                write(stream, answer, run.plan.keeps)
            }
        }
    }
}

impl TillGate {
    /// Remembers the integration. A service that has nothing but the specification says nothing of pick-ups.
    fn created(&self, mut answer: Message) -> Message {
        let Ok(Value::Object(mut body)) = serde_json::from_slice(&answer.body) else {
            return answer;
        };
        if let Some(token) = body.get("integrationToken").and_then(Value::as_str) {
            self.run.seen().token = Some(token.to_owned());
            self.registry.registered(token, &self.run);
        }
        if self.run.plan.mode == Mode::Plain && body.remove("pickup").is_some() {
            answer.body = Value::Object(body).to_string().into_bytes();
        }
        answer
    }
}

impl Answers for RelayGate {
    fn answer(&self, stream: &mut TcpStream, request: Message, reused: bool) -> io::Result<bool> {
        let (method, path) = request.named();
        let upstream = self.registry.vendor.service;
        let run = match path.starts_with("/v1/auth/integration/token") {
            true => parameter(&request, "integration_token")
                .and_then(|token| self.registry.run_of(token)),
            false => None,
        };
        let Some(run) = run else {
            return write(stream, forward(upstream, &request)?, false);
        };
        let passage = Passage {
            registry: &self.registry,
            run: &run,
            side: Side::Relay,
            request: &request,
            upstream,
            method: &method,
            reused,
        };
        passage.token_call(stream)
    }
}

impl Passage<'_> {
    /// A call that may take the tokens, or replace them.
    fn token_call(&self, stream: &mut TcpStream) -> io::Result<bool> {
        let number = self.run.next_call(self.side);
        let faults = match self.side {
            Side::Till => &self.run.plan.faults,
            Side::Relay => &self.run.plan.relay_faults,
            Side::HandOver => &self.run.plan.hand_over_faults,
        };
        let fault = faults.get(number).copied();
        if fault.is_some() && self.side == Side::HandOver {
            self.run.did(kind::HAND_OVER);
        }
        if self.run.faces_service(self.side) {
            self.run.rival(&self.registry.vendor, number);
        }
        if let Some(fault) = fault
            && let Some(keep) = self.before(stream, fault)?
        {
            return Ok(keep);
        }
        let Some(answer) = self.pass_on(stream, number, fault)? else {
            return Ok(false);
        };
        self.remove_sender(stream)?;
        self.deliver(stream, number, fault, answer)
    }

    /// Gives the service's answer to whoever asked, or does not.
    fn deliver(
        &self,
        stream: &mut TcpStream,
        number: usize,
        fault: Option<Fault>,
        answer: Message,
    ) -> io::Result<bool> {
        let status = answer.status();
        let fate = |what: &str| self.note(number, &format!("{status}, {what}"));
        let (trouble, variant) = (
            fault.map(|fault| fault.trouble),
            fault.map_or(0, |fault| fault.variant),
        );
        match trouble {
            Some(Trouble::DropAfter | Trouble::Silent) => {
                let is_till = self.side == Side::Till && self.method == "GET";
                let is_silent = trouble == Some(Trouble::Silent) && self.reused && is_till;
                self.lost(if is_silent {
                    kind::SILENT
                } else {
                    kind::DROP_AFTER
                });
                fate("lost");
                Ok(false)
            }
            Some(Trouble::Cut) => {
                self.lost(kind::CUT);
                fate("cut");
                cut(stream, answer, variant).map(|()| false)
            }
            Some(Trouble::ErrorAfter) => {
                self.lost(kind::ERROR_AFTER);
                fate("5xx instead");
                write(stream, failure(variant), self.keeps())
            }
            _ => {
                fate("delivered");
                write(stream, answer, self.keeps())
            }
        }
    }

    fn keeps(&self) -> bool {
        self.run.plan.keeps && self.side != Side::Relay
    }

    /// What keeps the call from the service; or only from being quick.
    fn before(&self, stream: &mut TcpStream, fault: Fault) -> io::Result<Option<bool>> {
        match fault.trouble {
            Trouble::DropBefore => {
                self.lost(kind::DROP_BEFORE);
                self.run.note(format!(
                    "{:?}: {}: lost before the service",
                    self.side, self.method
                ));
                Ok(Some(false))
            }
            Trouble::ErrorBefore => {
                self.lost(kind::ERROR_BEFORE);
                self.run.note(format!(
                    "{:?}: {}: 5xx before the service",
                    self.side, self.method
                ));
                write(stream, failure(fault.variant), self.keeps()).map(Some)
            }
            Trouble::TooMany => {
                self.run.did(kind::TOO_MANY);
                self.run
                    .note(format!("{:?}: {}: 429", self.side, self.method));
                write(stream, too_many(fault.variant % 2), self.keeps()).map(Some)
            }
            Trouble::Delay if fault.variant.is_multiple_of(2) => {
                self.run.did(kind::DELAY);
                sleep(Duration::from_millis(fault.ms));
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// Once, or twice; gives the answer that the till is to get, if there is still somebody to get it.
    fn pass_on(
        &self,
        stream: &TcpStream,
        number: usize,
        fault: Option<Fault>,
    ) -> io::Result<Option<Message>> {
        // Not for a call to a relay: its own calls pass here, too.
        let turn = self.run.faces_service(self.side).then(|| {
            let turn = self.run.turn.lock();
            turn.unwrap_or_else(PoisonError::into_inner)
        });
        // A reissue that arrives after its sender is gone would end what the next sender got: a proxy notices, as
        // nginx does.
        if self.method == "POST" && is_gone(stream)? {
            self.note(number, "reissue whose sender is gone, not passed on");
            return Ok(None);
        }
        let first = self.ask()?;
        let Some(fault) = fault else {
            return Ok(Some(first));
        };
        Ok(Some(match fault.trouble {
            Trouble::Twice => {
                self.run.did(kind::TWICE);
                let second = self.ask()?;
                self.note(
                    number,
                    &format!("{} and {}, sent twice", first.status(), second.status()),
                );
                // Of two reissues only the last one's pair is good. What a client without a `pickup_id` can make of the
                // second answer is nothing.
                let is_second = self.method == "POST"
                    || (fault.variant % 2 == 1 && self.run.plan.mode != Mode::Plain);
                if is_second { second } else { first }
            }
            Trouble::Delay if !fault.variant.is_multiple_of(2) => {
                drop(turn);
                self.run.did(kind::DELAY);
                sleep(Duration::from_millis(fault.ms));
                first
            }
            _ => first,
        }))
    }

    fn ask(&self) -> io::Result<Message> {
        let answer = forward(self.upstream, self.request)?;
        if self.run.faces_service(self.side) {
            self.run.heard(self.method == "GET", &answer);
        }
        Ok(answer)
    }

    fn lost(&self, kind: &'static str) {
        let mut seen = self.run.seen();
        seen.done.push(kind);
        seen.unanswered += u64::from(self.side != Side::HandOver);
    }

    fn note(&self, number: usize, what: &str) {
        let what = format!(
            "{:?}: {} token call {number}: {what}",
            self.side, self.method
        );
        self.run.note(what);
    }

    /// Where the plan wants the till's tab removed before its answer is on its way, the answer waits for that.
    fn remove_sender(&self, stream: &TcpStream) -> io::Result<()> {
        if self.side != Side::Till {
            return Ok(());
        }
        let nth = self.run.next_processed();
        let Some(kill) = self.run.plan.kill(kind::KILL_PROCESSED, nth) else {
            return Ok(());
        };
        self.registry
            .events
            .tell(self.run.number, kill.at, kill.plus);
        let begun = Instant::now();
        while !is_gone(stream)? && begun.elapsed() < REMOVAL {
            sleep(Duration::from_millis(5));
        }
        Ok(())
    }
}

/// A parameter of the query, where it needs no decoding.
fn parameter<'m>(request: &'m Message, name: &str) -> Option<&'m str> {
    let target = request.first.split(' ').nth(1)?;
    let (_, query) = target.split_once('?')?;
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find_map(|(known, value)| (known == name).then_some(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_known_by_path_and_parameter() {
        let call = Message::request(
            "GET",
            "/v1/auth/integration/token?client_id=a&integration_token=b",
        );
        assert_eq!(
            call.named(),
            ("GET".into(), "/v1/auth/integration/token".into())
        );
        assert_eq!(parameter(&call, "integration_token"), Some("b"));
        assert_eq!(parameter(&call, "token"), None);
    }
}
