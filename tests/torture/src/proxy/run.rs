//! What really happened in a run, as the proxy saw it.

use super::kind;
use super::plan::Plan;
use crate::http::{Line, Message, query};
use crate::programs::Vendor;
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Whose calls they are, counted apart: the till's pick-ups, the relay's, the till's acknowledgements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Till,
    Relay,
    HandOver,
}

pub struct Run {
    pub number: u64,
    pub plan: Plan,
    /// Where the till's calls go to.
    pub upstream: SocketAddr,
    /// The till's key at the relay.
    pub till_key: Option<String>,
    /// Held from the look at the sender to the service's answer, so that no call overtakes another in between.
    pub turn: Mutex<()>,
    begun: Instant,
    seen: Mutex<Seen>,
}

/// No `Debug`: it holds tokens.
#[derive(Default)]
pub struct Seen {
    /// The integration token, once there is one.
    pub token: Option<String>,
    /// Access tokens that left the service for us, in their order.
    pub issued: Vec<String>,
    /// Token calls that the service answered with 200, the rival's included.
    pub claims: u64,
    pub rival_took: bool,
    /// Calls of ours that were left without the answer that the service gave, or gave none at all.
    pub unanswered: u64,
    /// By [`kind`].
    pub done: Vec<&'static str>,
    /// What happened when, for whoever has to find out why.
    pub trace: Vec<(u64, String)>,
    calls: [usize; 3],
    /// Answers to the till's calls that got as far as the proxy.
    processed: u64,
}

impl Run {
    pub fn new(number: u64, plan: Plan, upstream: SocketAddr, till_key: Option<String>) -> Self {
        Self {
            number,
            plan,
            upstream,
            till_key,
            turn: Mutex::default(),
            begun: Instant::now(),
            seen: Mutex::default(),
        }
    }

    pub fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a token call; the first is 0.
    pub fn next_call(&self, side: Side) -> usize {
        let mut seen = self.seen();
        let calls = &mut seen.calls[side as usize];
        *calls += 1;
        *calls - 1
    }

    /// Counts an answer to the till that is not yet on its way; the first is 1.
    pub fn next_processed(&self) -> u64 {
        let mut seen = self.seen();
        seen.processed += 1;
        seen.processed
    }

    pub fn note(&self, what: String) {
        let at = self.begun.elapsed().as_millis() as u64;
        self.seen().trace.push((at, what));
    }

    pub fn did(&self, kind: &'static str) {
        self.seen().done.push(kind);
    }

    /// Whether this way leads to the service itself.
    pub fn faces_service(&self, side: Side) -> bool {
        match side {
            Side::Till => !self.plan.mode.is_relay(),
            Side::Relay => true,
            Side::HandOver => false,
        }
    }

    /// Remembers what the service gave out.
    pub fn heard(&self, is_pick_up: bool, answer: &Message) {
        if answer.status() != 200 {
            return;
        }
        let body: serde_json::Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        let mut seen = self.seen();
        seen.claims += u64::from(is_pick_up);
        seen.issued
            .extend(body["accessToken"].as_str().map(str::to_owned));
    }

    /// Lets the rival try, if it is its turn.
    pub fn rival(&self, vendor: &Vendor, call: usize) {
        let Some(rival) = self
            .plan
            .rival
            .as_ref()
            .filter(|rival| rival.before == call)
        else {
            return;
        };
        let Some(token) = self.seen().token.clone() else {
            return;
        };
        let mut pairs = vec![
            ("client_id", vendor.client_id.as_str()),
            ("client_secret", vendor.client_secret.as_str()),
            ("integration_token", token.as_str()),
        ];
        if rival.named {
            pairs.push(("pickup_id", "a-rival-of-the-till-with-the-same-keys"));
        }
        let target = format!("/v1/auth/integration/token?{}", query(&pairs));
        let answer = Line::new(vendor.service).ask(&Message::request("GET", &target), || {});
        let status = answer.map_or(0, |answer| answer.status());
        self.note(format!("rival: token call: {status}"));
        if status == 200 {
            let mut seen = self.seen();
            seen.claims += 1;
            seen.rival_took = true;
            seen.done.push(if rival.named {
                kind::RIVAL_NAMED
            } else {
                kind::RIVAL
            });
        }
    }
}
