//! Between the relay and a service that nobody kills: counts what the service gave, answers late, and takes the orders
//! that the service has no path for.

use crate::dice::Dice;
use crate::http::{Line, Message};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::io::BufReader;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use workbench::Result;

/// Most of what an answer is held back, so that kills find it on its way.
const LATE_MICROS: u64 = 4000;

#[derive(Clone)]
pub struct Upstream {
    pub service: SocketAddr,
    pub address: SocketAddr,
    state: Arc<Mutex<State>>,
}

struct State {
    dice: Dice,
    /// By integration token: 200s to the token call, and to reissues.
    given: HashMap<String, (u64, u64)>,
    /// Orders whose token was refused once.
    refused: HashSet<String>,
}

impl Upstream {
    /// Runs as long as this process does.
    pub fn start(service: SocketAddr, dice: Dice) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
        let address = listener.local_addr().map_err(|error| error.to_string())?;
        let state = State {
            dice,
            given: HashMap::new(),
            refused: HashSet::new(),
        };
        let upstream = Self {
            service,
            address,
            state: Arc::new(Mutex::new(state)),
        };
        let accepting = upstream.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let upstream = accepting.clone();
                // How a relay's connection ends is of no interest here: it is killed all the time.
                thread::spawn(move || upstream.serve(stream).ok());
            }
        });
        Ok(upstream)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How often the service answered the token call of an integration with 200, and a reissue.
    pub fn given(&self, integration: &str) -> (u64, u64) {
        self.state()
            .given
            .get(integration)
            .copied()
            .unwrap_or_default()
    }

    /// Whether the service takes an access token.
    pub fn works(&self, access: &str) -> bool {
        let asked = Message::request("GET", "/v1/account").bearer(access);
        let answer = Line::new(self.service).ask(&asked, || {});
        answer.is_ok_and(|answer| answer.status() == 200)
    }

    fn serve(&self, mut stream: TcpStream) -> std::io::Result<()> {
        stream.set_nodelay(true)?;
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut service = Line::new(self.service);
        while let Some(request) = Message::read(&mut reader)? {
            let target = request.first.split(' ').nth(1).unwrap_or_default();
            let answer = match target {
                "/v1/orders" => self.take_order(&request),
                _ => self.pass_on(&mut service, &request, target)?,
            };
            let late = self.state().dice.below(LATE_MICROS);
            thread::sleep(Duration::from_micros(late));
            answer.write(&mut stream)?;
        }
        Ok(())
    }

    fn pass_on(
        &self,
        service: &mut Line,
        request: &Message,
        target: &str,
    ) -> std::io::Result<Message> {
        let answer = service.ask(&stripped(request), || {})?;
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let integration = query
            .split('&')
            .find_map(|pair| pair.strip_prefix("integration_token="));
        if let (200, Some(integration)) = (answer.status(), integration) {
            let mut state = self.state();
            let given = state.given.entry(integration.to_owned()).or_default();
            match path {
                "/v1/auth/integration/token" => given.0 += 1,
                "/v1/auth/integration/token/reissue" => given.1 += 1,
                _ => {}
            }
        }
        Ok(stripped(&answer))
    }

    /// 200 to a token that the service takes; 401 to any other, and once where the order asks for that.
    fn take_order(&self, request: &Message) -> Message {
        let order: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let id = order["id"].as_str().unwrap_or_default().to_owned();
        let refused = order["refuse"] == true && self.state().refused.insert(id);
        let bearer = request.found("authorization").unwrap_or_default();
        let access = bearer.strip_prefix("Bearer ").unwrap_or_default();
        let (first, body) = match !refused && self.works(access) {
            true => ("HTTP/1.1 200 OK", r#"{"success":true}"#),
            false => ("HTTP/1.1 401 Unauthorized", r#"{"success":false}"#),
        };
        Message {
            first: first.to_owned(),
            headers: vec![("content-type".to_owned(), "application/json".to_owned())],
            body: body.as_bytes().to_vec(),
        }
    }
}

/// Without the headers that belong to one connection.
fn stripped(message: &Message) -> Message {
    let own = |name: &str| {
        matches!(
            name,
            "host" | "content-length" | "connection" | "transfer-encoding" | "date"
        )
    };
    let mut stripped = message.clone();
    stripped.headers.retain(|(name, _)| !own(name));
    stripped
}
