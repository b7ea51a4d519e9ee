//! `doctor`, as an operator runs it, and a proxy before the service.

use crate::folder::Folder;
use crate::http::Call;
use crate::program::command;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use pos_connect_service::server::Server;
use serde_json::Value;
use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use tokio::sync::watch;

/// What one run has found.
pub struct Found {
    pub checks: Vec<Value>,
    pub is_good: bool,
    /// All that it has printed.
    pub printed: String,
}

/// Runs `doctor`, with further variables.
pub fn examine(folder: &Folder, options: &[&str], variables: &[(&str, &str)]) -> Found {
    let mut doctor = command(folder, &[&["doctor"], options].concat());
    let output = doctor.envs(variables.iter().copied()).stdin(Stdio::null());
    let output = output.output().unwrap();
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    let answer: Value =
        serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stdout}{stderr}"));
    let checks = answer["checks"].as_array().unwrap().clone();
    let count = |outcome: &str| {
        checks
            .iter()
            .filter(|check| check["outcome"] == outcome)
            .count()
    };
    assert_eq!(answer["faults"], count("fault"));
    assert_eq!(answer["warnings"], count("warning"));
    let is_good = output.status.success();
    assert_eq!(is_good, count("fault") == 0, "{stderr}");
    Found {
        checks,
        is_good,
        printed: stdout + &stderr,
    }
}

impl Found {
    /// Whether a check has ended so, with these words in what was found or is to be done.
    #[track_caller]
    pub fn expect(&self, check: &str, outcome: &str, words: &str) {
        let of = |name: &str, found: &Value| found[name].as_str().unwrap_or_default().to_owned();
        let is_it = |found: &&Value| {
            let text = format!("{}; {}", of("found", found), of("advice", found));
            of("check", found) == check && of("outcome", found) == outcome && text.contains(words)
        };
        assert!(
            self.checks.iter().any(|found| is_it(&found)),
            "{check} {words}: {:#?}",
            self.checks
        );
    }

    /// The names of the checks that have ended so.
    pub fn named(&self, outcome: &str) -> Vec<&str> {
        let these = self
            .checks
            .iter()
            .filter(|check| check["outcome"] == outcome);
        these
            .map(|check| check["check"].as_str().unwrap())
            .collect()
    }
}

/// What a proxy does with `X-Forwarded-For`, or with the whole call.
#[derive(Clone, Copy)]
pub enum Manner {
    Appends,
    PassesOn,
    Drops,
    /// It answers itself, as another service would.
    Elsewhere,
    /// It finds nobody behind it.
    Fails,
}

struct Inner {
    behind: Option<SocketAddr>,
    manner: Manner,
}

/// A proxy on this machine.
#[derive(Clone)]
pub struct Proxy {
    pub url: String,
    inner: Arc<Mutex<Inner>>,
}

impl Proxy {
    pub async fn start() -> Self {
        let server = Server::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
        let inner = Inner {
            behind: None,
            manner: Manner::Appends,
        };
        let proxy = Self {
            url: server.url(),
            inner: Arc::new(Mutex::new(inner)),
        };
        let router = Router::new().fallback(pass).with_state(proxy.clone());
        let (stop, stopped) = watch::channel(false);
        tokio::spawn(async move {
            let _stop = stop;
            server.run(router, stopped).await;
        });
        proxy
    }

    pub fn lead_to(&self, behind: SocketAddr) {
        self.inner.lock().unwrap().behind = Some(behind);
    }

    pub fn becomes(&self, manner: Manner) {
        self.inner.lock().unwrap().manner = manner;
    }
}

async fn pass(State(proxy): State<Proxy>, request: Request) -> Response {
    let (behind, manner) = {
        let inner = proxy.inner.lock().unwrap();
        (inner.behind, inner.manner)
    };
    let Some(behind) = behind else {
        return StatusCode::BAD_GATEWAY.into_response();
    };
    let mut call = Call::new(request.method().as_str(), request.uri().to_string()).elsewhere();
    for (name, value) in request.headers() {
        if name != "x-forwarded-for" && name != "host" {
            call = call.header(name.as_str(), value.to_str().unwrap());
        }
    }
    let said = request.headers().get("x-forwarded-for");
    let said = said.map(|value| value.to_str().unwrap().to_owned());
    call = match manner {
        Manner::Appends => {
            let before = said.map(|said| said + ", ").unwrap_or_default();
            call.header("X-Forwarded-For", format!("{before}198.51.100.7"))
        }
        Manner::PassesOn => call.header("X-Forwarded-For", said.unwrap_or_default()),
        Manner::Drops => call,
        Manner::Elsewhere => return "ok\n".into_response(),
        Manner::Fails => return StatusCode::BAD_GATEWAY.into_response(),
    };
    let answer = call.send(behind).await;
    (StatusCode::from_u16(answer.status).unwrap(), answer.body).into_response()
}
