//! Runs in a page, some at once: it asks for the next one, and hands in what its tabs were told.

use super::browser::Browser;
use super::run::Run;
use super::stage::Stage;
use super::verdict::{Verdict, judge};
use crate::server::{Answers, Server, reply};
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use workbench::http::Message;
use workbench::{Result, files, repo};

/// Longer than any run takes: a page that ends none for so long has stopped.
const STALL: Duration = Duration::from_secs(1000);

/// A run that is over.
pub type Ended = (Arc<Run>, Verdict);

pub struct Desk {
    pub stage: Arc<Stage>,
    /// The folder of the npm package.
    package: PathBuf,
    work: Mutex<Work>,
    changed: Condvar,
}

#[derive(Default)]
struct Work {
    waiting: VecDeque<u64>,
    live: HashMap<u64, (Arc<Run>, Server)>,
    ended: Vec<Ended>,
    /// What makes the rest worthless.
    broken: Option<String>,
}

impl Desk {
    pub fn new(stage: Arc<Stage>, package: &Path) -> Arc<Self> {
        Arc::new(Self {
            stage,
            package: package.to_owned(),
            work: Mutex::default(),
            changed: Condvar::new(),
        })
    }

    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the page make these runs, and gives them in their order.
    pub fn make(&self, runs: Vec<u64>, browser: &mut Browser) -> Result<Vec<Ended>> {
        let (count, mut before, mut last) = (runs.len(), 0, Instant::now());
        let mut work = self.work();
        work.waiting = runs.into();
        while work.ended.len() < count {
            let ended = work.ended.len();
            if ended > before {
                if ended / 100 > before / 100 {
                    println!("{ended} of {count} runs");
                }
                (last, before) = (Instant::now(), ended);
            }
            if let Some(broken) = work.broken.take() {
                return Err(broken);
            }
            if browser.is_gone() || last.elapsed() > STALL {
                let live: Vec<u64> = work.live.keys().copied().collect();
                return Err(format!(
                    "the page is gone, or ends no run; open are {live:?}"
                ));
            }
            let waited = self.changed.wait_timeout(work, Duration::from_secs(1));
            work = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let mut ended = std::mem::take(&mut work.ended);
        ended.sort_by_key(|(run, _)| run.number);
        Ok(ended)
    }

    /// The next run, with a gate of its own; `null` if there is none.
    fn next(&self) -> Result<Value> {
        let Some(number) = self.work().waiting.pop_front() else {
            return Ok(Value::Null);
        };
        let (run, gate, plan) = self.stage.open(number)?;
        self.work().live.insert(number, (run, gate));
        Ok(plan)
    }

    fn told(&self, path: &str, body: &Value) -> Result<Value> {
        if path == "/next" {
            return self.next();
        }
        let number = body["run"].as_u64().unwrap_or(u64::MAX);
        let run = self.work().live.get(&number).map(|(run, _)| run.clone());
        match (path, run) {
            ("/consent", Some(run)) => {
                let token = run
                    .seen()
                    .token
                    .clone()
                    .ok_or("consent without an integration")?;
                self.stage.consents(&token)?;
                run.note("the merchant consented".to_owned());
            }
            ("/done", Some(run)) => {
                let verdict = judge(&self.stage, &run, body);
                let mut work = self.work();
                work.live.remove(&number);
                work.ended.push((run, verdict));
                self.changed.notify_all();
            }
            // The page's own failure, which is not a finding about the SDK.
            ("/failed", _) => return Err(format!("the page failed: {}", body["error"])),
            _ => {
                return Err(format!(
                    "the page asks for {path}, run {number}, which is nothing"
                ));
            }
        }
        Ok(Value::Null)
    }

    fn listens(&self, stream: &TcpStream) -> io::Result<()> {
        const HEAD: &[u8] =
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-store\r\n\r\n";
        self.stage.page_listens(stream.try_clone()?, HEAD)
    }
}

impl Answers for Arc<Desk> {
    fn answer(&self, stream: &mut TcpStream, request: Message, _reused: bool) -> io::Result<bool> {
        let (method, path) = request.named();
        let answer = match (&*method, &*path) {
            // Read from until the page closes it; it sends nothing.
            ("GET", "/events") => return self.listens(stream).map(|()| true),
            ("GET", path) => asset(path, &self.package),
            (_, path) => {
                let value = self.told(path, &request.json()).unwrap_or_else(|error| {
                    self.work().broken = Some(error);
                    self.changed.notify_all();
                    Value::Null
                });
                reply("200 OK", "application/json", value.to_string())
                    .header("cache-control", "no-store")
            }
        };
        answer.write(stream).map(|()| true)
    }
}

/// The page's own files, and the package as a till has it.
fn asset(path: &str, package: &Path) -> Message {
    let name = match path.rsplit('/').next() {
        Some("") | None => "index.html",
        Some(name) => name,
    };
    let folder = match path {
        _ if path.starts_with("/pkg/wasm/") => package.join("wasm"),
        _ if path.starts_with("/pkg/") => package.to_owned(),
        _ => repo::root().join("tests/torture/page"),
    };
    let kind = match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    };
    match files::read(&folder.join(name)) {
        Ok(body) => reply("200 OK", kind, body).header("cache-control", "max-age=3600"),
        Err(_) => reply("404 Not Found", "text/plain", ""),
    }
}
