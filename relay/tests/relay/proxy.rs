//! Stands before the service, writes down what passes, and fails as it is told.

use crate::http::{Answer, Call};
use crate::openapi;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

/// What the relay sent, and what it was answered.
#[derive(Clone, Debug)]
pub struct Seen {
    pub method: String,
    pub target: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
    /// The status that the service itself gave; 0 if it never saw the call.
    pub answered: u16,
}

impl Seen {
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(known, _)| known == name);
        let first = found.next().map(|(_, value)| value.as_str());
        assert!(found.next().is_none(), "{name} is there twice");
        first
    }
}

/// What becomes of a call.
#[derive(Clone, Debug)]
pub enum Fault {
    None,
    /// The service never sees it.
    DropBefore,
    /// The service does its work, the answer is lost.
    DropAfter,
    /// The answer's body ends in the middle.
    CutBody,
    /// The answer comes late.
    Late(Duration),
    /// It reaches the service when the test says so.
    Gate(Gate),
    /// The answer comes when the test says so.
    LateGate(Gate),
    /// The service never sees it; this is the answer: status, headers, body.
    Instead(u16, &'static str, String),
    /// The service does its work; this status is the answer.
    Replaced(u16),
    /// The answer passes without this text.
    Without(&'static str),
}

/// Holds calls until it is opened.
#[derive(Clone, Debug)]
pub struct Gate {
    came: Arc<Semaphore>,
    opened: Arc<Semaphore>,
}

impl Default for Gate {
    fn default() -> Self {
        let closed = || Arc::new(Semaphore::new(0));
        Self {
            came: closed(),
            opened: closed(),
        }
    }
}

impl Gate {
    /// Waits until so many calls more are held.
    pub async fn has_held(&self, calls: u32) {
        self.came.acquire_many(calls).await.unwrap().forget();
    }

    pub fn open(&self) {
        self.opened.close();
    }

    async fn pass(&self) {
        self.came.add_permits(1);
        // An error is what it ends with.
        let _ = self.opened.acquire().await;
    }
}

type Plan = Box<dyn FnMut(&Seen) -> Fault + Send>;

#[derive(Clone)]
pub struct Proxy {
    pub address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    plan: Arc<Mutex<Plan>>,
}

impl Proxy {
    pub async fn start(service: SocketAddr) -> Self {
        Self::start_at(([127, 0, 0, 1], 0).into(), service).await
    }

    pub async fn start_at(address: SocketAddr, service: SocketAddr) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let plan: Plan = Box::new(|_| Fault::None);
        let proxy = Self {
            address: listener.local_addr().unwrap(),
            seen: Arc::default(),
            plan: Arc::new(Mutex::new(plan)),
        };
        let handle = proxy.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let proxy = handle.clone();
                tokio::spawn(async move { proxy.serve(stream, service).await });
            }
        });
        proxy
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// From now on.
    pub fn plan(&self, plan: impl FnMut(&Seen) -> Fault + Send + 'static) {
        *self.plan.lock().unwrap() = Box::new(plan);
    }

    /// These, in turn, for calls to a path; then nothing more.
    pub fn faults(&self, path: &'static str, faults: Vec<Fault>) {
        let mut faults = faults.into_iter();
        self.plan(move |seen| match seen.path() == path {
            true => faults.next().unwrap_or(Fault::None),
            false => Fault::None,
        });
    }

    pub fn seen(&self, method: &str, path: &str) -> Vec<Seen> {
        let seen = self.seen.lock().unwrap();
        let wanted = |seen: &&Seen| seen.method == method && seen.path() == path;
        seen.iter().filter(wanted).cloned().collect()
    }

    pub fn count(&self) -> usize {
        self.seen.lock().unwrap().len()
    }

    async fn serve(self, mut stream: TcpStream, service: SocketAddr) {
        while let Some(mut seen) = read(&mut stream).await {
            let fault = (self.plan.lock().unwrap())(&seen);
            if let Fault::Gate(gate) = &fault {
                gate.pass().await;
            }
            let forwarded = match &fault {
                Fault::DropBefore | Fault::Instead(..) => None,
                _ => Some(forward(&seen, service).await),
            };
            seen.answered = forwarded.as_ref().map_or(0, |answer| answer.status);
            self.seen.lock().unwrap().push(seen);
            let bytes = match (fault, forwarded) {
                (Fault::Instead(status, headers, body), _) => {
                    openapi::is_strange(&body);
                    raw(status, headers, &body)
                }
                (Fault::Replaced(status), _) => {
                    openapi::is_strange("");
                    raw(status, "", "")
                }
                (Fault::DropBefore | Fault::DropAfter, _) | (_, None) => return,
                (fault, Some(answer)) => {
                    let mut body = answer.body.clone();
                    if let Fault::Without(text) = fault {
                        assert!(body.contains(text), "{body}");
                        body = body.replace(text, "");
                    }
                    match &fault {
                        Fault::Late(time) => tokio::time::sleep(*time).await,
                        Fault::LateGate(gate) => gate.pass().await,
                        _ => {}
                    }
                    let mut bytes = raw(answer.status, &headers(&answer), &body);
                    if matches!(fault, Fault::CutBody) {
                        bytes.truncate(bytes.len() - body.len() / 2);
                        let _ = stream.write_all(&bytes).await;
                        return;
                    }
                    bytes
                }
            };
            if stream.write_all(&bytes).await.is_err() {
                return;
            }
        }
    }
}

async fn forward(seen: &Seen, service: SocketAddr) -> Answer {
    let mut call = Call::new(&seen.method, &*seen.target);
    for (name, value) in &seen.headers {
        if !["host", "content-length", "transfer-encoding"].contains(&&**name) {
            call = call.header(name, value);
        }
    }
    if !seen.body.is_empty() {
        call = call.body(seen.body.clone());
    }
    call.send(service).await
}

fn headers(answer: &Answer) -> String {
    const KEPT: [&str; 4] = [
        "accept-encoding",
        "content-type",
        "retry-after",
        "idempotent-replayed",
    ];
    let kept = |name: &str| KEPT.contains(&name);
    let kept = answer.headers.iter().filter(|(name, _)| kept(name));
    kept.map(|(name, value)| format!("{name}: {value}\r\n"))
        .collect()
}

fn raw(status: u16, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status} X\r\n{headers}Content-Length: {length}\r\n\r\n{body}").into_bytes()
}

async fn read(stream: &mut TcpStream) -> Option<Seen> {
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let text = String::from_utf8(bytes[..head].to_vec()).unwrap();
    let mut lines = text.lines();
    let mut first = lines.next()?.split(' ');
    let (method, target) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.map_or(0, |(_, value)| value.parse().unwrap());
    while bytes.len() < head + length {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    Some(Seen {
        method,
        target,
        headers,
        body: String::from_utf8_lossy(&bytes[head..]).into_owned(),
        answered: 0,
    })
}
