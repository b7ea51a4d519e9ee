//! What really happened in a run, as the proxy saw it.

use super::plan::Plan;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use workbench::http::Message;

pub struct Run {
    pub number: u64,
    pub plan: Plan,
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
    /// Access tokens that left the service, in their order.
    pub issued: Vec<String>,
    /// Token calls that the service answered with 200.
    pub claims: u64,
    /// Whether a call was left without the answer that the service gave, or gave none at all.
    pub unanswered: bool,
    /// By their external ids.
    pub orders: BTreeMap<String, Order>,
    /// The orders that the service has accepted, in that order.
    pub accepted: Vec<String>,
    /// Orders that the service has in the end, with an e-receipt.
    pub receipts: Vec<String>,
    /// By their names.
    pub done: Vec<&'static str>,
    /// What happened when, for whoever has to find out why.
    pub trace: Vec<(u64, String)>,
    pub calls: usize,
    /// Answers to the till's calls that got as far as the proxy.
    pub processed: u64,
}

/// How an order came.
#[derive(Default)]
pub struct Order {
    /// Idempotency keys.
    pub keys: BTreeSet<String>,
    pub bodies: BTreeSet<Vec<u8>>,
    pub tries: usize,
    /// It may be overtaken: a third try or a later one ended in a 500.
    pub set_aside: bool,
}

impl Run {
    pub fn new(number: u64, plan: Plan) -> Self {
        Self {
            number,
            plan,
            turn: Mutex::default(),
            begun: Instant::now(),
            seen: Mutex::default(),
        }
    }

    pub fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn note(&self, what: String) {
        let at = self.begun.elapsed().as_millis() as u64;
        self.seen().trace.push((at, what));
    }

    /// Remembers which tokens the service gave out.
    pub fn heard(&self, is_pick_up: bool, answer: &Message) {
        if answer.status() == 200 {
            let mut seen = self.seen();
            seen.claims += u64::from(is_pick_up);
            seen.issued
                .extend(answer.json()["accessToken"].as_str().map(str::to_owned));
        }
    }
}
