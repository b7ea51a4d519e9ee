//! Which run a call belongs to, and the way to tell the page what the proxy sees.

use super::run::{Run, Vendor};
use serde_json::json;
use std::collections::HashMap;
use std::io::Write;
use std::net::TcpStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub struct Registry {
    pub vendor: Vendor,
    /// By integration token.
    runs: Mutex<HashMap<String, Arc<Run>>>,
    events: Mutex<Option<TcpStream>>,
}

impl Registry {
    pub fn new(vendor: Vendor) -> Self {
        Self {
            vendor,
            runs: Mutex::default(),
            events: Mutex::default(),
        }
    }

    pub fn registered(&self, token: &str, run: &Arc<Run>) {
        held(&self.runs).insert(token.to_owned(), run.clone());
    }

    pub fn run_of(&self, token: &str) -> Option<Arc<Run>> {
        held(&self.runs).get(token).cloned()
    }

    /// Where the page listens.
    pub fn listens(&self, stream: TcpStream) {
        *held(&self.events) = Some(stream);
    }

    /// A token call has got so far.
    pub fn tell(&self, run: u64, at: &str) {
        if let Some(stream) = &mut *held(&self.events) {
            let event = json!({"run": run, "at": at});
            // A page that is gone shows in its runs, which never end.
            stream
                .write_all(format!("data: {event}\n\n").as_bytes())
                .ok();
        }
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
