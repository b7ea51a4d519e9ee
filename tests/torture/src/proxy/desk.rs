//! What the page asks for: its own files, the next plan, the merchant's consent; and where it hands in what its tabs
//! were told.

use super::gate::TillGate;
use super::merchant;
use super::plan::{Mode, Plan};
use super::run::Run;
use super::server::{Answers, Server, reply};
use super::stage::Stage;
use super::verdict::{Verdict, judge};
use crate::http::{Line, Message};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io;
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use workbench::{Result, files, repo};

/// Longer than any run takes: a page that ends none for so long has stopped.
const STALL: Duration = Duration::from_secs(1000);

pub struct Desk {
    stage: Stage,
    seed: u64,
    work: Mutex<Work>,
    changed: Condvar,
}

/// A run that is over.
pub type Ended = (Arc<Run>, Verdict);

struct Work {
    /// Which deal `waiting` is.
    deal: u64,
    waiting: std::vec::IntoIter<u64>,
    live: HashMap<u64, (Arc<Run>, Server)>,
    ended: Vec<Ended>,
    /// What makes the rest worthless.
    broken: Option<String>,
}

/// Opened before there is a desk: the service has to know the page's origin when it starts.
pub struct Page(pub Arc<OnceLock<Desk>>);

impl Desk {
    pub fn new(stage: Stage, seed: u64) -> Self {
        let work = Work {
            deal: 0,
            waiting: Vec::new().into_iter(),
            live: HashMap::new(),
            ended: Vec::new(),
            broken: None,
        };
        Self {
            stage,
            seed,
            work: Mutex::new(work),
            changed: Condvar::new(),
        }
    }

    fn work(&self) -> MutexGuard<'_, Work> {
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
    pub fn wait(&self, count: usize) -> Result<Vec<Ended>> {
        let mut work = self.work();
        let (mut last, mut before) = (Instant::now(), 0);
        loop {
            if let Some(broken) = work.broken.take() {
                return Err(broken);
            }
            let ended = work.ended.len();
            if ended == count {
                let mut ended = std::mem::take(&mut work.ended);
                ended.sort_by_key(|(run, _)| run.number);
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

    /// Ends the programs behind it.
    pub fn stop(&self) {
        self.stage.stop();
    }

    /// The next run, with a gate of its own; `null` if there is none, or none for a page that is about to go.
    fn next(&self, body: &Value) -> Result<Value> {
        let mut work = self.work();
        let waiting = (body["deal"] == work.deal).then(|| work.waiting.next());
        drop(work);
        let Some(number) = waiting.flatten() else {
            return Ok(Value::Null);
        };
        let plan = Plan::new(self.seed, number);
        let (mode, vendor) = (plan.mode, &self.stage.registry.vendor);
        let (upstream, till_key) = self.stage.upstream(mode, number)?;
        let run = Arc::new(Run::new(number, plan, upstream, till_key));
        let gate = Server::open(TillGate {
            run: run.clone(),
            registry: self.stage.registry.clone(),
        })?;
        let secret = (!mode.is_relay()).then_some(&vendor.client_secret);
        let more = json!({
            "mode": mode.name(),
            "baseUrl": format!("{}/r{number}", gate.url()),
            "connectUrl": self.stage.connect_url,
            "clientId": vendor.client_id,
            "clientSecret": secret,
            "tillKey": run.till_key,
        });
        let plan = run.plan.for_page(number, more);
        self.work().live.insert(number, (run, gate));
        Ok(plan)
    }

    /// The merchant signs in and connects.
    fn consent(&self, body: &Value) -> Result<Value> {
        let run = self.live(body)?;
        let token = run
            .seen()
            .token
            .clone()
            .ok_or("consent without an integration")?;
        let _one = self
            .stage
            .sign_in
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let client_id = &self.stage.registry.vendor.client_id;
        merchant::consent(&self.stage.account, client_id, &token, run.plan.ereceipts)?;
        run.note("the merchant consented".to_owned());
        Ok(Value::Null)
    }

    fn live(&self, body: &Value) -> Result<Arc<Run>> {
        let number = body["run"].as_u64().unwrap_or(u64::MAX);
        let run = self.work().live.get(&number).map(|(run, _)| run.clone());
        run.ok_or_else(|| format!("the page has a run {number}, which it was not given"))
    }

    /// A run is over: looks whether the tokens work, and judges.
    fn done(&self, body: &Value) -> Result<Value> {
        let run = self.live(body)?;
        let verdict = judge(&run, body, &|access| self.works(&run, access));
        let mut work = self.work();
        work.live.remove(&run.number);
        work.ended.push((run, verdict));
        self.changed.notify_all();
        Ok(Value::Null)
    }

    /// Asks with the access token; where the relay keeps it, asks the relay.
    fn works(&self, run: &Run, access: &str) -> bool {
        let (address, call) = match (run.plan.mode, &run.till_key) {
            (Mode::Held, Some(key)) => (
                run.upstream,
                Message::request("GET", "/connection").bearer(key),
            ),
            _ => (
                self.stage.registry.vendor.service,
                Message::request("GET", "/v1/account").bearer(access),
            ),
        };
        let answer = Line::new(address).ask(&call, || {});
        answer.is_ok_and(|answer| answer.status() == 200)
    }

    fn listens(&self, stream: &mut TcpStream) -> io::Result<bool> {
        const HEAD: &[u8] =
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-store\r\n\r\n";
        self.stage.registry.listens(stream.try_clone()?, HEAD)?;
        // Read from until the page closes it; it sends nothing.
        Ok(true)
    }
}

impl Answers for Page {
    fn answer(&self, stream: &mut TcpStream, request: Message, _reused: bool) -> io::Result<bool> {
        let mut words = request.first.split(' ');
        let (method, target) = (
            words.next().unwrap_or_default(),
            words.next().unwrap_or_default(),
        );
        let path = target.split('?').next().unwrap_or_default();
        let Some(desk) = self.0.get() else {
            return answered(stream, reply("503 Not Yet", "text/plain", ""));
        };
        if method == "GET" && path == "/events" {
            return desk.listens(stream);
        }
        if method == "GET" {
            return answered(stream, asset(path));
        }
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let result = match path {
            "/next" => desk.next(&body),
            "/consent" => desk.consent(&body),
            "/done" => desk.done(&body),
            // The page's own failure, which is not a finding about the SDK.
            _ => Err(format!(
                "the page failed: {}",
                body["error"].as_str().unwrap_or(path)
            )),
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
fn asset(path: &str) -> Message {
    let name = match path.rsplit('/').next() {
        Some("") | None => "index.html",
        Some(name) => name,
    };
    let folder: PathBuf = match path {
        _ if path.contains("..") => return reply("404 Not Found", "text/plain", ""),
        _ if path.starts_with("/pkg/wasm/") => repo::package().join("wasm"),
        _ if path.starts_with("/pkg/") => repo::package(),
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
