//! Runs in a page, some at once: it asks for the next one, and hands in what its tabs were told. What a run is, and
//! whether it went as it must, says the [`Workshop`].

use crate::http::Message;
use crate::server::{Answers, Server, reply};
use serde_json::Value;
use std::collections::HashMap;
use std::io;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use workbench::{Result, files, repo};

/// Longer than any run takes: a page that ends none for so long has stopped.
const STALL: Duration = Duration::from_secs(1000);

/// What one kind of torture does with a run.
pub trait Workshop: Send + Sync + 'static {
    type Run: Send + Sync;
    type Verdict: Send;

    /// A run with a gate of its own, and its plan for the page.
    fn open(&self, number: u64) -> Result<(Arc<Self::Run>, Server, Value)>;

    /// Something that the page asks for on the way.
    fn asked(&self, path: &str, run: &Self::Run) -> Result<()>;

    /// Whether the run went as it must, by what the page says of it.
    fn judge(&self, run: &Self::Run, report: &Value) -> Self::Verdict;

    /// The page listens here for what the proxy sees. `head` begins the answer.
    fn listens(&self, stream: TcpStream, head: &[u8]) -> io::Result<()>;
}

pub struct Desk<W: Workshop> {
    pub workshop: W,
    work: Mutex<Work<W>>,
    changed: Condvar,
}

/// A run that is over.
pub type Ended<W> = (u64, Arc<<W as Workshop>::Run>, <W as Workshop>::Verdict);

struct Work<W: Workshop> {
    /// Which deal `waiting` is.
    deal: u64,
    waiting: std::vec::IntoIter<u64>,
    live: HashMap<u64, (Arc<W::Run>, Server)>,
    ended: Vec<Ended<W>>,
    /// What makes the rest worthless.
    broken: Option<String>,
}

/// Opened before there is a desk: the service has to know the page's origin when it starts.
pub struct Page<W: Workshop> {
    desk: Arc<OnceLock<Desk<W>>>,
    /// The folder of the npm package.
    package: PathBuf,
}

impl<W: Workshop> Page<W> {
    pub fn new(desk: &Arc<OnceLock<Desk<W>>>, package: &Path) -> Self {
        Self {
            desk: desk.clone(),
            package: package.to_owned(),
        }
    }
}

impl<W: Workshop> Desk<W> {
    pub fn new(workshop: W) -> Self {
        let work = Work {
            deal: 0,
            waiting: Vec::new().into_iter(),
            live: HashMap::new(),
            ended: Vec::new(),
            broken: None,
        };
        Self {
            workshop,
            work: Mutex::new(work),
            changed: Condvar::new(),
        }
    }

    fn work(&self) -> MutexGuard<'_, Work<W>> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a page is given when it asks for work of this deal, whose number this gives.
    pub fn deal(&self, runs: Vec<u64>) -> u64 {
        let mut work = self.work();
        work.waiting = runs.into_iter();
        work.deal += 1;
        work.deal
    }

    /// Waits for `count` runs to end, and gives them in their order.
    pub fn wait(&self, count: usize) -> Result<Vec<Ended<W>>> {
        let mut work = self.work();
        let (mut last, mut before) = (Instant::now(), 0);
        loop {
            if let Some(broken) = work.broken.take() {
                return Err(broken);
            }
            let ended = work.ended.len();
            if ended == count {
                let mut ended = std::mem::take(&mut work.ended);
                ended.sort_by_key(|(number, _, _)| *number);
                return Ok(ended);
            }
            if ended > before {
                if ended / 100 > before / 100 {
                    println!("{ended} of {count} runs");
                }
                (last, before) = (Instant::now(), ended);
            }
            if last.elapsed() > STALL {
                let live: Vec<u64> = work.live.keys().copied().collect();
                return Err(format!(
                    "the page ended no run for {} s; open are {live:?}",
                    STALL.as_secs()
                ));
            }
            let waited = self.changed.wait_timeout(work, Duration::from_secs(1));
            work = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The next run, with a gate of its own; `null` if there is none, or none for a page that is about to go.
    fn next(&self, body: &Value) -> Result<Value> {
        let mut work = self.work();
        let waiting = (body["deal"] == work.deal).then(|| work.waiting.next());
        drop(work);
        let Some(number) = waiting.flatten() else {
            return Ok(Value::Null);
        };
        let (run, gate, plan) = self.workshop.open(number)?;
        self.work().live.insert(number, (run, gate));
        Ok(plan)
    }

    fn live(&self, body: &Value) -> Result<(u64, Arc<W::Run>)> {
        let number = body["run"].as_u64().unwrap_or(u64::MAX);
        let run = self.work().live.get(&number).map(|(run, _)| run.clone());
        let run =
            run.ok_or_else(|| format!("the page has a run {number}, which it was not given"))?;
        Ok((number, run))
    }

    fn done(&self, body: &Value) -> Result<()> {
        let (number, run) = self.live(body)?;
        let verdict = self.workshop.judge(&run, body);
        let mut work = self.work();
        work.live.remove(&number);
        work.ended.push((number, run, verdict));
        self.changed.notify_all();
        Ok(())
    }

    fn listens(&self, stream: &mut TcpStream) -> io::Result<bool> {
        const HEAD: &[u8] =
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-store\r\n\r\n";
        self.workshop.listens(stream.try_clone()?, HEAD)?;
        // Read from until the page closes it; it sends nothing.
        Ok(true)
    }
}

impl<W: Workshop> Answers for Page<W> {
    fn answer(&self, stream: &mut TcpStream, request: Message, _reused: bool) -> io::Result<bool> {
        let mut words = request.first.split(' ');
        let (method, target) = (
            words.next().unwrap_or_default(),
            words.next().unwrap_or_default(),
        );
        let path = target.split('?').next().unwrap_or_default();
        let Some(desk) = self.desk.get() else {
            return answered(stream, reply("503 Not Yet", "text/plain", ""));
        };
        if method == "GET" && path == "/events" {
            return desk.listens(stream);
        }
        if method == "GET" {
            return answered(stream, asset(path, &self.package));
        }
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let result = match path {
            "/next" => desk.next(&body),
            "/done" => desk.done(&body).map(|()| Value::Null),
            // The page's own failure, which is not a finding about the SDK.
            "/failed" => Err(format!("the page failed: {}", body["error"])),
            _ => desk
                .live(&body)
                .and_then(|(_, run)| desk.workshop.asked(path, &run))
                .map(|()| Value::Null),
        };
        let value = result.unwrap_or_else(|error| {
            desk.work().broken = Some(error);
            desk.changed.notify_all();
            Value::Null
        });
        answered(
            stream,
            reply("200 OK", "application/json", value.to_string())
                .header("cache-control", "no-store"),
        )
    }
}

fn answered(stream: &mut TcpStream, answer: Message) -> io::Result<bool> {
    answer.write(stream).map(|()| true)
}

/// The page's own files, and the package as a till has it.
fn asset(path: &str, package: &Path) -> Message {
    let name = match path.rsplit('/').next() {
        Some("") | None => "index.html",
        Some(name) => name,
    };
    let folder: PathBuf = match path {
        _ if path.contains("..") => return reply("404 Not Found", "text/plain", ""),
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
