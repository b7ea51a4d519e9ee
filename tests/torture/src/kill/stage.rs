//! Where clients and the program meet: requests are counted while they are in the air, and nobody calls a program that
//! is down.

use super::record::Record;
use crate::http::{Line, Message};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Why a client cannot go on from here.
#[derive(Debug)]
pub enum Halt {
    /// The answer was lost with the program: what came of the call is not known.
    Lost,
    /// The program is down; nothing was sent.
    Down,
    /// What must not happen.
    Wrong(String),
}

pub type Step<T> = std::result::Result<T, Halt>;

#[derive(Default)]
struct State {
    open: bool,
    over: bool,
    broken_off: bool,
    /// How often the program was started.
    start: u64,
    waiting: usize,
    /// Requests on their way, by what they ask for.
    air: BTreeMap<&'static str, u64>,
    cut_since_start: u64,
}

pub struct Stage {
    pub address: SocketAddr,
    clients: usize,
    state: Mutex<State>,
    changed: Condvar,
    record: Mutex<Record>,
}

impl Stage {
    pub fn new(address: SocketAddr, clients: usize) -> Self {
        Self {
            address,
            clients,
            state: Mutex::default(),
            changed: Condvar::new(),
            record: Mutex::default(),
        }
    }

    pub fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn into_record(self) -> Record {
        self.record
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub fn count(&self, row: &'static str) {
        self.record().add(row);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The program runs. One that runs already goes on.
    pub fn open(&self) {
        let mut state = self.state();
        if std::mem::replace(&mut state.open, true) {
            return;
        }
        state.start += 1;
        state.cut_since_start = 0;
        self.changed.notify_all();
    }

    /// The program is about to be killed: from here on nobody begins a call.
    pub fn close(&self) {
        self.state().open = false;
    }

    /// No new lives: who is done leaves.
    pub fn end(&self) {
        self.state().over = true;
        self.changed.notify_all();
    }

    /// The program could not be started again.
    pub fn break_off(&self) {
        self.state().broken_off = true;
        self.changed.notify_all();
    }

    pub fn is_over(&self) -> bool {
        self.state().over
    }

    /// Waits until a request for `what` is in the air, but no longer than `limit`.
    pub fn await_in_air(&self, what: &str, limit: Duration) {
        let begun = Instant::now();
        let mut state = self.state();
        while state.air.get(what).is_none_or(|&count| count == 0) {
            let Some(left) = limit.checked_sub(begun.elapsed()) else {
                return;
            };
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// After a kill: waits for every client to notice, and gives how many requests it cut.
    pub fn settle(&self) -> u64 {
        let mut state = self.state();
        while state.waiting < self.clients {
            let waited = self.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
        state.cut_since_start
    }

    /// Waits until the program runs; gives which start of it that is, or nothing if it never will.
    pub fn pass(&self) -> Option<u64> {
        let mut state = self.state();
        state.waiting += 1;
        self.changed.notify_all();
        while !state.open && !state.broken_off {
            let waited = self.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
        state.waiting -= 1;
        (!state.broken_off).then_some(state.start)
    }

    /// A client's call. `start` is the start of the program that the client knows of: under a later one it has to look
    /// around first.
    pub fn ask(
        &self,
        line: &mut Line,
        start: u64,
        what: &'static str,
        request: &Message,
    ) -> Step<Message> {
        {
            let mut state = self.state();
            if !state.open || state.start != start {
                return Err(Halt::Down);
            }
            *state.air.entry(what).or_default() += 1;
        }
        let mut sent = false;
        let answer = line.ask(request, || {
            sent = true;
            self.changed.notify_all();
        });
        let mut state = self.state();
        *state.air.entry(what).or_default() -= 1;
        match answer {
            Ok(answer) => Ok(answer),
            Err(error) if state.open && state.start == start => {
                let why = format!("{what}: no answer while the program ran: {error}");
                Err(Halt::Wrong(why))
            }
            Err(_) if !sent => Err(Halt::Down),
            Err(_) => {
                state.cut_since_start += 1;
                drop(state);
                self.record().cut(what);
                Err(Halt::Lost)
            }
        }
    }
}
