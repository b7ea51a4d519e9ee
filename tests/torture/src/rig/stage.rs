//! What the runs go against: the service, and two relays before it, one that keeps the tokens and one that hands them
//! out.

use super::Subject;
use super::fault::Kill;
use super::gate::{RelayGate, TillGate};
use super::plan::{Mode, Plan};
use super::run::Run;
use crate::http::{Line, Message, query};
use crate::merchant::consent_at;
use crate::programs::{Launcher, Merchant, PATIENT, Programs, Running, Vendor};
use crate::server::{Server, listener};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use workbench::Result;

pub const INTEGRATION: &str = "/v1/auth/integration";
pub const TOKEN: &str = "/v1/auth/integration/token";
pub const REISSUE: &str = "/v1/auth/integration/token/reissue";
pub const ORDERS: &str = "/v1/orders";

/// Runs until dropped. No `Debug`: it holds tokens.
pub struct Stage {
    pub subject: Subject,
    pub seed: u64,
    /// Holds the service's messages.
    pub folder: PathBuf,
    pub vendor: Vendor,
    pub service: SocketAddr,
    /// The till that all runs with orders through the relay share, and the token of the others.
    keys: OnceLock<[String; 2]>,
    merchant: Merchant,
    /// The one that keeps the tokens, and the one that hands them out.
    relays: [(Launcher, SocketAddr); 2],
    /// By integration token.
    runs: Mutex<HashMap<String, Arc<Run>>>,
    /// The page listens here for what the proxy sees.
    page: Mutex<Option<TcpStream>>,
    /// The service allows few sign-ins of one account at the same moment.
    sign_in: Mutex<()>,
    running: Mutex<Vec<Running>>,
}

impl Stage {
    /// `origin` is the page's.
    pub fn start(
        programs: &Programs,
        folder: &Path,
        origin: &str,
        subject: Subject,
        seed: u64,
    ) -> Result<(Arc<Self>, Server)> {
        let folder_of = |name: &str| folder.join(name);
        let at = folder_of("service");
        let mut service = programs.service(&at, "sqlite://service.db", origin, 1, &PATIENT)?;
        let running = service.launcher.start()?;
        let (address, vendor) = (running.address, service.vendor);
        let merchant = service.merchants.pop().ok_or("no merchant")?;
        let mut all = vec![running];
        let gate = listener()?;
        let upstream = gate.local_addr().map_err(|error| error.to_string())?;
        let mut relay = |name: &str, options: &[&str]| -> Result<_> {
            let options = [&["--origin", origin], options].concat();
            let at = folder_of(name);
            let mut launcher =
                programs.relay(&at, "sqlite://relay.db", upstream, &vendor, &options)?;
            let running = launcher.start()?;
            let address = running.address;
            all.push(running);
            Ok((launcher, address))
        };
        let stage = Arc::new(Self {
            subject,
            seed,
            relays: [relay("held", &[])?, relay("hand-out", &["--hand-out"])?],
            folder: at,
            service: address,
            keys: OnceLock::new(),
            vendor,
            merchant,
            runs: Mutex::default(),
            page: Mutex::default(),
            sign_in: Mutex::default(),
            running: Mutex::new(all),
        });
        let gate = Server::on(gate, RelayGate(stage.clone()))?;
        if subject == Subject::Orders {
            let (launcher, relay) = &stage.relays[0];
            let till = launcher.till("bakery")?;
            stage.connected(*relay, &[], Some(&till))?;
            let secret = [("client_secret", &*stage.vendor.secret)];
            let tokens = stage.connected(address, &secret, None)?;
            let access = tokens["accessToken"]
                .as_str()
                .unwrap_or_default()
                .to_owned();
            stage.keys.set([till, access]).ok();
        }
        Ok((stage, gate))
    }

    /// Connects the merchant: creates, consents, picks the tokens up.
    fn connected(
        &self,
        at: SocketAddr,
        keys: &[(&str, &str)],
        till: Option<&str>,
    ) -> Result<Value> {
        let ask = |method, path, more: &[(&str, &str)]| {
            let pairs = [&[("client_id", &*self.vendor.id)], keys, more].concat();
            let request = Message::request(method, &format!("{path}?{}", query(&pairs)));
            let request = till.into_iter().fold(request, Message::bearer);
            Line::new(at)
                .expect(&request, &[200, 201])
                .map(|answer| answer.json())
        };
        let created = ask("POST", INTEGRATION, &[])?;
        let token = created["integrationToken"].as_str().unwrap_or_default();
        self.consents(token, true)?;
        ask("GET", TOKEN, &[("integration_token", token)])
    }

    /// The merchant signs in and connects.
    pub fn consents(&self, integration: &str, ereceipts: bool) -> Result<()> {
        let _one = held(&self.sign_in);
        consent_at(
            self.service,
            &self.merchant,
            &self.vendor.id,
            integration,
            ereceipts,
        )
    }

    /// A run with a gate of its own, and its plan for the page.
    pub fn open(self: &Arc<Self>, number: u64) -> Result<(Arc<Run>, Server, Value)> {
        let plan = Plan::new(self.subject, self.seed, number);
        let relay = match plan.mode {
            Mode::Held => Some(&self.relays[0]),
            Mode::HandOut => Some(&self.relays[1]),
            Mode::Plain | Mode::Reissue => None,
        };
        let keys = self.keys.get();
        let till_key = relay.map(|(launcher, _)| match keys {
            Some([till, _]) => Ok(till.clone()),
            None => launcher.till(&format!("run-{number}")),
        });
        let upstream = relay.map_or(self.service, |(_, address)| *address);
        let run = Arc::new(Run::new(number, plan, upstream, till_key.transpose()?));
        let gate = Server::open(TillGate {
            run: run.clone(),
            stage: self.clone(),
        })?;
        let is_direct = relay.is_none();
        let more = json!({
            "sells": self.subject == Subject::Orders,
            "baseUrl": format!("http://{}/r{number}", gate.address),
            "connectUrl": format!("http://{}/connect", self.service),
            "clientId": self.vendor.id,
            "clientSecret": is_direct.then_some(&self.vendor.secret),
            "accessToken": keys.filter(|_| is_direct).map(|[_, access]| access),
            "tillKey": run.till_key,
        });
        let plan = run.plan.for_page(number, more);
        Ok((run, gate, plan))
    }

    /// Asks with the access token; where the relay keeps it, asks the relay.
    pub fn works(&self, run: &Run, access: &str) -> bool {
        let (address, call) = match (run.plan.mode, &run.till_key) {
            (Mode::Held, Some(key)) => (
                run.upstream,
                Message::request("GET", "/connection").bearer(key),
            ),
            _ => (
                self.service,
                Message::request("GET", "/v1/account").bearer(access),
            ),
        };
        let answer = Line::new(address).expect(&call, &[200]);
        answer.is_ok_and(|answer| answer.json()["connected"] != false)
    }

    /// The order that the service has under this id.
    pub fn order(&self, id: &str) -> Result<Option<Value>> {
        let access = self.keys.get().map_or("", |[_, access]| access);
        let request = Message::request("GET", &format!("{ORDERS}/{id}")).bearer(access);
        let answer = Line::new(self.service).expect(&request, &[200, 404])?;
        Ok((answer.status() == 200).then(|| answer.json()))
    }

    pub fn runs(&self) -> MutexGuard<'_, HashMap<String, Arc<Run>>> {
        held(&self.runs)
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

    /// Ends the programs. Connections that the browser left open still hold the stage.
    pub fn stop(&self) {
        held(&self.running).clear();
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
