//! Between the relay and a service that nobody kills: counts what the service gave, answers late, and now and then
//! refuses a token.

use crate::dice::Dice;
use crate::http::{Line, Message};
use crate::server::{Answers, Server, reply};
use crate::wire::forward;
use std::collections::{HashMap, HashSet};
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use workbench::Result;

/// Most of what an answer is held back, so that kills find it on its way.
const LATE_MICROS: u64 = 4000;

pub struct Upstream {
    desk: Arc<Desk>,
    server: Server,
}

struct Desk {
    service: SocketAddr,
    state: Mutex<State>,
}

struct State {
    dice: Dice,
    /// By integration token: 200s to the token call, and to reissues.
    given: HashMap<String, (u64, u64)>,
    /// Orders whose token was refused once.
    refused: HashSet<String>,
}

impl Upstream {
    pub fn start(service: SocketAddr, dice: Dice) -> Result<Self> {
        let (given, refused) = (HashMap::new(), HashSet::new());
        let state = Mutex::new(State {
            dice,
            given,
            refused,
        });
        let desk = Arc::new(Desk { service, state });
        let server = Server::open(desk.clone())?;
        Ok(Self { desk, server })
    }

    pub fn address(&self) -> SocketAddr {
        self.server.address
    }

    pub fn service(&self) -> SocketAddr {
        self.desk.service
    }

    /// How often the service answered the token call of an integration with 200, and a reissue.
    pub fn given(&self, integration: &str) -> (u64, u64) {
        self.desk
            .state()
            .given
            .get(integration)
            .copied()
            .unwrap_or_default()
    }

    /// How many orders were refused once.
    pub fn refused(&self) -> usize {
        self.desk.state().refused.len()
    }

    /// Whether the service takes an access token.
    pub fn works(&self, access: &str) -> bool {
        let asked = Message::request("GET", "/v1/account").bearer(access);
        Line::new(self.desk.service).expect(&asked, &[200]).is_ok()
    }
}

impl Answers for Arc<Desk> {
    fn answer(&self, stream: &mut TcpStream, request: Message, _reused: bool) -> io::Result<bool> {
        let (method, path) = request.named();
        let answer = match (&*method, &*path) {
            ("POST", "/v1/orders") if self.refuses(&request) => reply(
                "401 Unauthorized",
                "application/json",
                r#"{"success":false}"#,
            ),
            (_, path) => self.pass_on(&request, path)?,
        };
        let late = self.state().dice.below(LATE_MICROS);
        thread::sleep(Duration::from_micros(late));
        answer.write(stream).map(|()| true)
    }
}

impl Desk {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pass_on(&self, request: &Message, path: &str) -> io::Result<Message> {
        let answer = forward(self.service, request)?;
        if let (200, Some(integration)) = (answer.status(), request.parameter("integration_token"))
        {
            let mut state = self.state();
            let given = state.given.entry(integration.to_owned()).or_default();
            match path {
                "/v1/auth/integration/token" => given.0 += 1,
                "/v1/auth/integration/token/reissue" => given.1 += 1,
                _ => {}
            }
        }
        Ok(answer)
    }

    /// Half of the orders are refused once, as if their token had expired: the relay has to refresh.
    fn refuses(&self, request: &Message) -> bool {
        let key = request.found("idempotency-key").unwrap_or_default();
        key.as_bytes().first().is_some_and(|letter| letter % 2 == 0)
            && self.state().refused.insert(key.to_owned())
    }
}
