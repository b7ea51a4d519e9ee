//! Which run a call belongs to, and the way to tell the page what the proxy sees.

use super::plan::Kill;
use super::run::{Run, Vendor};
use serde_json::json;
use std::collections::HashMap;
use std::io::{self, Write};
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

    /// Where the page listens: it is told so with `head`, and misses nothing after that.
    pub fn listens(&self, mut stream: TcpStream, head: &[u8]) -> io::Result<()> {
        let mut events = held(&self.events);
        stream.write_all(head)?;
        *events = Some(stream);
        Ok(())
    }

    /// The tab that waits for this run's answer is to be removed.
    pub fn tell(&self, run: u64, kill: &Kill) {
        if let Some(stream) = &mut *held(&self.events) {
            let event = json!({"run": run, "at": kill.at, "plus": kill.plus});
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
