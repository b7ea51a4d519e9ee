//! The way to tell the page what the proxy sees.

use serde_json::json;
use std::io::{self, Write};
use std::net::TcpStream;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Default)]
pub struct Events(Mutex<Option<TcpStream>>);

impl Events {
    /// Where the page listens: it is told so with `head`, and misses nothing after that.
    pub fn listens(&self, mut stream: TcpStream, head: &[u8]) -> io::Result<()> {
        let mut events = self.held();
        stream.write_all(head)?;
        *events = Some(stream);
        Ok(())
    }

    /// The tab that waits for this run's answer is to be removed after so many milliseconds.
    pub fn tell(&self, run: u64, at: &str, plus: u64) {
        if let Some(stream) = &mut *self.held() {
            let event = json!({"run": run, "at": at, "plus": plus});
            // A page that is gone shows in its runs, which never end.
            stream
                .write_all(format!("data: {event}\n\n").as_bytes())
                .ok();
        }
    }

    fn held(&self) -> MutexGuard<'_, Option<TcpStream>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
