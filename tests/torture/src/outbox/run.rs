//! What really happened in a run, as the proxy saw it.

use super::plan::Plan;
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

pub struct Run {
    pub number: u64,
    pub plan: Plan,
    /// Where the till's calls go to.
    pub upstream: SocketAddr,
    begun: Instant,
    seen: Mutex<Seen>,
}

#[derive(Default)]
pub struct Seen {
    /// Under which idempotency keys each order came, by its external id.
    pub keys: BTreeMap<String, BTreeSet<String>>,
    /// The bodies that each order came with.
    pub bodies: BTreeMap<String, BTreeSet<Vec<u8>>>,
    /// The orders that the service has accepted, in that order.
    pub accepted: Vec<String>,
    /// How often each order came.
    pub tries: BTreeMap<String, usize>,
    /// Orders that may be overtaken: a third try of theirs or a later one ended in a 500.
    pub set_aside: BTreeSet<String>,
    /// Those of the accepted ones that have an e-receipt.
    pub receipts: BTreeSet<String>,
    /// By [`super::kind`].
    pub done: Vec<&'static str>,
    /// What happened when, for whoever has to find out why.
    pub trace: Vec<(u64, String)>,
    calls: usize,
    processed: u64,
}

impl Run {
    pub fn new(number: u64, plan: Plan, upstream: SocketAddr) -> Self {
        Self {
            number,
            plan,
            upstream,
            begun: Instant::now(),
            seen: Mutex::default(),
        }
    }

    pub fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a call with an order; the first is 0.
    pub fn next_call(&self) -> usize {
        let mut seen = self.seen();
        seen.calls += 1;
        seen.calls - 1
    }

    /// Counts an answer that is not yet on its way; the first is 1.
    pub fn next_processed(&self) -> u64 {
        let mut seen = self.seen();
        seen.processed += 1;
        seen.processed
    }

    /// The till is told that the service fails on this order. At the third try the SDK lets the next ones go first.
    pub fn fails(&self, order: &str) {
        let mut seen = self.seen();
        if seen.tries.get(order).is_some_and(|tries| *tries >= 3) {
            seen.set_aside.insert(order.to_owned());
        }
    }

    pub fn note(&self, what: String) {
        let at = self.begun.elapsed().as_millis() as u64;
        self.seen().trace.push((at, what));
    }

    pub fn did(&self, kind: &'static str) {
        self.seen().done.push(kind);
    }
}
