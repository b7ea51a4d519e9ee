//! Makes what an operation needs, each time it is called by the document: an integration in the state that it is about,
//! tokens, a page, an order, a receipt, a connection.

use super::caller::Caller;
use crate::http::Message;
use crate::server::{Answers, reply};
use serde_json::{Value, json};
use std::io;
use std::net::TcpStream;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use workbench::{Result, files};

/// As a till makes one.
const PICKUP_ID: &str = "fuzz-0123456789abcdef0123456789abcdef";
const ORDER: &str = "fuzz-order";
/// For the message of an order.
const MESSAGE_LIMIT: Duration = Duration::from_secs(30);

/// What the operations of one program need.
pub trait Maker: Send + Sync + 'static {
    /// Those that need something.
    const NEEDY: &[&str];

    /// Values for a call, by their place: `query`, `path_parameters` or `body`.
    fn make(&self, operation: &str) -> Result<Value>;
}

/// Answers the fuzzer.
pub struct Desk<M>(pub M);

impl<M: Maker> Answers for Desk<M> {
    fn answer(&self, stream: &mut TcpStream, request: Message, _reused: bool) -> io::Result<bool> {
        let (_, path) = request.named();
        let answer = match self.0.make(path.trim_start_matches('/')) {
            Ok(made) => reply("200 OK", "application/json", made.to_string()),
            // The fuzzer's own error then says only that there was none.
            Err(error) => {
                println!("fuzz: {path}: {error}");
                reply("500 Failed", "text/plain", "")
            }
        };
        answer.write(stream).map(|()| true)
    }
}

pub struct AtService {
    caller: Caller,
    /// The last part of a receipt's link.
    link: String,
}

impl AtService {
    /// Sends an order with an e-receipt, and waits for its message.
    pub fn prepare(caller: Caller, access: &str, folder: &Path) -> Result<Self> {
        let mut order = order(ORDER);
        order["ereceipt"] = json!({
            "phone": "+972502345678", "consent": { "id": "ereceipt-1", "locale": "en" },
        });
        let mut request = Message::request("POST", "/v1/orders")
            .bearer(access)
            .header("content-type", "application/json")
            .header("idempotency-key", ORDER);
        request.body = order.to_string().into_bytes();
        caller.send(&request)?;
        let link = link(&folder.join("messages.jsonl"))?;
        Ok(Self { caller, link })
    }

    fn token(&self, name: &str) -> Result<String> {
        let tokens = self.caller.tokens(&[])?;
        Ok(tokens[name].as_str().unwrap_or_default().to_owned())
    }

    /// The vendor's keys, and more.
    fn form(&self, more: &[(&str, &str)]) -> Value {
        let keys = self
            .caller
            .keys
            .iter()
            .map(|(name, value)| (*name, &**value));
        let all = keys.chain(more.iter().copied());
        let body: Value = all
            .map(|(name, value)| (name.to_owned(), json!(value)))
            .collect();
        json!({ "body": body })
    }
}

impl Maker for AtService {
    const NEEDY: &[&str] = &[
        "getIntegration",
        "cancelIntegration",
        "pickUpTokens",
        "reissueTokens",
        "refreshTokens",
        "revokeTokens",
        "sendConnectForm",
        "sendConnectionsForm",
        "showConnectPage",
        "showReceipt",
        "sendOrder",
        "getOrder",
    ];

    fn make(&self, operation: &str) -> Result<Value> {
        let caller = &self.caller;
        Ok(match operation {
            "getIntegration" | "cancelIntegration" => about(&caller.integration()?),
            "showConnectPage" => json!({ "query": {
                "client_id": caller.client_id(), "integration_token": caller.integration()?,
            } }),
            "pickUpTokens" => about(&caller.finished()?),
            "reissueTokens" => {
                let (integration, _) = caller.picked_up(&[("pickup_id", PICKUP_ID)])?;
                json!({ "query": { "integration_token": integration, "pickup_id": PICKUP_ID } })
            }
            "refreshTokens" => self.form(&[
                ("grant_type", "refresh_token"),
                ("refresh_token", &self.token("refreshToken")?),
            ]),
            "revokeTokens" => self.form(&[("token", &self.token("accessToken")?)]),
            "sendConnectForm" => {
                let mut body = caller.page(&caller.integration()?)?;
                body["action"] = json!("cancel");
                json!({ "body": body })
            }
            "sendConnectionsForm" => json!({ "body": {
                "action": "sign-in", "email": caller.account.email, "password": caller.account.password,
            } }),
            "showReceipt" => json!({ "path_parameters": { "link": self.link } }),
            "sendOrder" => json!({ "body": order(&new_id()) }),
            "getOrder" => json!({ "path_parameters": { "externalId": ORDER } }),
            other => return Err(format!("nothing is made for {other}")),
        })
    }
}

/// A till of a merchant, who connects again whenever the fuzzer has disconnected.
pub struct AtRelay(pub Caller);

impl Maker for AtRelay {
    const NEEDY: &[&str] = &[
        "getIntegration",
        "cancelIntegration",
        "pickUpTokens",
        "acknowledgeTokens",
        "getConnection",
        "disconnect",
        "getStore",
        "updateStore",
        "sendCustomers",
        "sendOrder",
        "getOrder",
    ];

    fn make(&self, operation: &str) -> Result<Value> {
        let Self(caller) = self;
        Ok(match operation {
            "getIntegration" | "cancelIntegration" => about(&caller.integration()?),
            "pickUpTokens" => about(&caller.finished()?),
            "acknowledgeTokens" => about(&caller.picked_up(&[])?.0),
            _ => {
                if caller.ask("GET", "/connection", &[]).is_err() {
                    caller.tokens(&[])?;
                }
                match operation {
                    "sendOrder" => json!({ "body": order(&new_id()) }),
                    "getOrder" => json!({ "path_parameters": { "externalId": ORDER } }),
                    _ => json!({}),
                }
            }
        })
    }
}

fn order(id: &str) -> Value {
    json!({
        "externalId": id, "time": "2026-11-23T10:30:00+02:00", "currency": "ILS", "total": 100,
        "lines": [{ "name": "Sourdough", "quantity": 1, "unitPrice": 100, "amount": 100 }],
    })
}

/// Of an order that nobody has sent yet.
fn new_id() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("fuzz-order-{}", COUNT.fetch_add(1, Ordering::Relaxed))
}

fn about(integration: &str) -> Value {
    json!({ "query": { "integration_token": integration } })
}

/// The link's end, from the first message in a file.
fn link(messages: &Path) -> Result<String> {
    let begun = Instant::now();
    loop {
        let text = files::read_text(messages).unwrap_or_default();
        let found = text.split_once("/r/").map(|(_, rest)| {
            let is_inside =
                |letter: &char| letter.is_ascii_alphanumeric() || "-_".contains(*letter);
            rest.chars().take_while(is_inside).collect::<String>()
        });
        match found {
            Some(link) if text.ends_with('\n') => return Ok(link),
            _ if begun.elapsed() > MESSAGE_LIMIT => return Err("no message came".to_owned()),
            _ => thread::sleep(Duration::from_millis(50)),
        }
    }
}
