//! Runs Rust futures on the page's event loop.

use std::pin::Pin;
use wasm_bindgen_futures::spawn_local;

/// What a task runs.
pub type Job = Pin<Box<dyn Future<Output = ()>>>;

/// A future on its way.
pub struct Task;

impl Task {
    /// Starts a job, in a microtask of its own.
    pub fn start(job: Job) {
        spawn_local(job);
    }
}
