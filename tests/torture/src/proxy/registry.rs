//! Which run a call belongs to.

use super::run::Run;
use crate::events::Events;
use crate::programs::Vendor;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub struct Registry {
    pub vendor: Vendor,
    /// By integration token.
    runs: Mutex<HashMap<String, Arc<Run>>>,
    pub events: Events,
}

impl Registry {
    pub fn new(vendor: Vendor) -> Self {
        Self {
            vendor,
            runs: Mutex::default(),
            events: Events::default(),
        }
    }

    pub fn registered(&self, token: &str, run: &Arc<Run>) {
        held(&self.runs).insert(token.to_owned(), run.clone());
    }

    pub fn run_of(&self, token: &str) -> Option<Arc<Run>> {
        held(&self.runs).get(token).cloned()
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
