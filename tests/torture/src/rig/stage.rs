//! What the runs go against: the service.

use super::Subject;
use super::fault::Kill;
use super::gate::Gate;
use super::plan::Plan;
use super::run::Run;
use crate::merchant::consent_at;
use crate::programs::{Merchant, PATIENT, Programs, Running, Vendor};
use crate::server::Server;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use workbench::Result;
use workbench::http::{Line, Message, query};

pub const INTEGRATION: &str = "/v1/auth/integration";
pub const TOKEN: &str = "/v1/auth/integration/token";
pub const REISSUE: &str = "/v1/auth/integration/token/reissue";
pub const ORDERS: &str = "/v1/orders";

/// Each can sign in 200 times, and then once each 10 seconds: enough for 1,600 runs in a row.
const MERCHANTS: usize = 8;

/// Runs until dropped. No `Debug`: it holds tokens.
pub struct Stage {
    pub subject: Subject,
    pub seed: u64,
    /// Holds the service's messages.
    pub folder: PathBuf,
    pub service: SocketAddr,
    vendor: Vendor,
    /// The token of all runs with orders; empty where they are about tokens.
    access: String,
    merchants: Vec<Merchant>,
    /// The page listens here for what the proxy sees.
    page: Mutex<Option<TcpStream>>,
    /// Merchants sign in in turns.
    signed_in: AtomicUsize,
    /// The service allows few sign-ins at the same moment.
    sign_in: Mutex<()>,
    running: Mutex<Option<Running>>,
}

impl Stage {
    /// `origin` is the page's.
    pub fn start(
        programs: &Programs,
        folder: &Path,
        origin: &str,
        subject: Subject,
        seed: u64,
    ) -> Result<Arc<Self>> {
        let folder = folder.join("service");
        let service =
            programs.service(&folder, "sqlite://service.db", origin, MERCHANTS, &PATIENT)?;
        let running = service.launcher.start()?;
        let mut stage = Self {
            subject,
            seed,
            folder,
            service: running.address,
            vendor: service.vendor,
            access: String::new(),
            merchants: service.merchants,
            page: Mutex::default(),
            signed_in: AtomicUsize::default(),
            sign_in: Mutex::default(),
            running: Mutex::new(Some(running)),
        };
        if subject == Subject::Orders {
            stage.access = stage.connected()?;
        }
        Ok(Arc::new(stage))
    }

    /// Connects the merchant: creates, consents, picks the tokens up. Gives the access token.
    fn connected(&self) -> Result<String> {
        let ask = |method, path, more: &[(&str, &str)]| {
            let keys = [
                ("client_id", &*self.vendor.id),
                ("client_secret", &self.vendor.secret),
            ];
            let target = format!("{path}?{}", query(&[&keys, more].concat()));
            Line::new(self.service)
                .expect(&Message::request(method, &target), &[200, 201])
                .map(|answer| answer.json())
        };
        let created = ask("POST", INTEGRATION, &[])?;
        let token = created["integrationToken"].as_str().unwrap_or_default();
        self.consents(token)?;
        let tokens = ask("GET", TOKEN, &[("integration_token", token)])?;
        let access = tokens["accessToken"].as_str().map(str::to_owned);
        access.ok_or_else(|| "a token call without tokens".to_owned())
    }

    /// A merchant signs in and connects, with e-receipts.
    pub fn consents(&self, integration: &str) -> Result<()> {
        let _one = held(&self.sign_in);
        let turn = self.signed_in.fetch_add(1, Ordering::Relaxed) % MERCHANTS;
        consent_at(
            self.service,
            &self.merchants[turn],
            &self.vendor.id,
            integration,
            true,
        )
    }

    /// A run with a gate of its own, and its plan for the page.
    pub fn open(self: &Arc<Self>, number: u64) -> Result<(Arc<Run>, Server, Value)> {
        let run = Arc::new(Run::new(number, Plan::new(self.subject, self.seed, number)));
        let gate = Server::open(Gate {
            run: run.clone(),
            stage: self.clone(),
        })?;
        let more = json!({
            "sells": self.subject == Subject::Orders,
            "baseUrl": format!("http://{}/r{number}", gate.address),
            "connectUrl": format!("http://{}/connect", self.service),
            "clientId": self.vendor.id,
            "clientSecret": self.vendor.secret,
            "accessToken": self.access,
        });
        let plan = run.plan.for_page(number, more);
        Ok((run, gate, plan))
    }

    /// Asks with the access token.
    pub fn works(&self, access: &str) -> bool {
        let call = Message::request("GET", "/v1/account").bearer(access);
        Line::new(self.service).expect(&call, &[200]).is_ok()
    }

    /// The order that the service has under this id.
    pub fn order(&self, id: &str) -> Result<Option<Value>> {
        let request = Message::request("GET", &format!("{ORDERS}/{id}")).bearer(&self.access);
        let answer = Line::new(self.service).expect(&request, &[200, 404])?;
        Ok((answer.status() == 200).then(|| answer.json()))
    }

    /// The page is told so with `head`, and misses nothing after that.
    pub fn page_listens(&self, mut stream: TcpStream, head: &[u8]) -> io::Result<()> {
        let mut page = held(&self.page);
        stream.write_all(head)?;
        *page = Some(stream);
        Ok(())
    }

    /// The tab that waits for this run's answer is to be removed.
    pub fn tell_page(&self, run: u64, Kill { at, plus, .. }: &Kill) {
        if let Some(stream) = &mut *held(&self.page) {
            let event = json!({"run": run, "at": at, "plus": plus});
            // A page that is gone shows in its runs, which never end.
            stream
                .write_all(format!("data: {event}\n\n").as_bytes())
                .ok();
        }
    }

    /// Ends the service. Connections that the browser left open still hold the stage.
    pub fn stop(&self) {
        held(&self.running).take();
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
