//! Those who have something to send, as `docs/threats.md` names them. Each does all it can, without a pause.

use super::shop::{keyed, order};
use super::{Fleet, ROGUE, SHOPS};
use crate::dice::Dice;
use crate::merchant::consent;
use crate::programs::{Merchant, Vendor};
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use workbench::http::{Line, Message, query};

pub struct Attacker {
    pub name: &'static str,
    /// Whether it has something that the service lets in, before the operator ends it.
    pub has_keys: bool,
    /// Makes its next attempt.
    pub attack: fn(&mut Target<'_>),
}

#[rustfmt::skip]
pub const ATTACKERS: [Attacker; 6] = [
    Attacker { name: "a script in a page", has_keys: false, attack: script },
    Attacker { name: "a thief of a till's key", has_keys: true, attack: till },
    Attacker { name: "a thief of a fleet key", has_keys: true, attack: fleet },
    Attacker { name: "a thief of a vendor's secret", has_keys: true, attack: vendor },
    Attacker { name: "a stranger with 1,000 addresses", has_keys: true, attack: stranger },
    Attacker { name: "a rogue merchant", has_keys: true, attack: rogue },
];

/// Connections that a stranger keeps open without ever asking anything whole.
const HELD: usize = 150;
const LINES: usize = 500;

/// How often each status was answered; 0: the connection broke.
pub type Answers = BTreeMap<u16, u64>;

/// The service, with what one attacker has of it.
pub struct Target<'a> {
    service: SocketAddr,
    line: Line,
    fleet: &'a Fleet,
    relay: Line,
    /// What the relay said of a till that was added.
    till: Value,
    honest: &'a Vendor,
    thief: &'a Vendor,
    merchants: &'a [Merchant],
    stolen: &'a str,
    dice: Dice,
    answers: Answers,
    held: VecDeque<TcpStream>,
    /// An integration of the thief's vendor, for those who need a connect page.
    integration: String,
}

impl<'a> Target<'a> {
    pub fn new(
        service: SocketAddr,
        fleet: &'a Fleet,
        (honest, thief): (&'a Vendor, &'a Vendor),
        merchants: &'a [Merchant],
        stolen: &'a str,
        dice: Dice,
    ) -> Self {
        Self {
            service,
            line: Line::new(service),
            fleet,
            relay: fleet.line(),
            till: Value::Null,
            honest,
            thief,
            merchants,
            stolen,
            dice,
            answers: Answers::new(),
            held: VecDeque::new(),
            integration: String::new(),
        }
    }

    pub fn attack(mut self, attack: fn(&mut Self), is_over: &AtomicBool) -> Answers {
        while !is_over.load(Ordering::Relaxed) {
            attack(&mut self);
        }
        self.answers
    }

    fn ask(&mut self, request: &Message) -> Message {
        let answer = self.line.ask(request).unwrap_or_default();
        *self.answers.entry(answer.status()).or_default() += 1;
        answer
    }

    fn address(&mut self) -> String {
        format!("198.18.{}.{}", self.dice.below(4), self.dice.below(250))
    }

    /// Opens a connect page; a new integration now and then.
    fn page(&mut self, from: &str, vendor: &Vendor) -> String {
        if self.integration.is_empty() || self.dice.once_in(50) {
            let created = self
                .ask(&keyed("POST", "/v1/auth/integration", vendor, "", from))
                .json();
            if let Some(token) = created["integrationToken"].as_str() {
                self.integration = token.to_owned();
            }
        }
        self.integration.clone()
    }

    fn sign_in(&mut self, merchant: &Merchant, from: &str, vendor: &Vendor) {
        let integration = self.page(from, vendor);
        let outcome = consent(merchant, &vendor.id, &integration, true, |page| {
            let answer = self.ask(&page.clone().header("x-forwarded-for", from));
            if answer.status() == 200 {
                Ok(answer.text())
            } else {
                Err(())
            }
        });
        if outcome.is_ok() {
            self.integration.clear();
        }
    }
}

/// Without anything of its own: guesses, and asks for pages.
fn script(target: &mut Target<'_>) {
    let guess = target.dice.text(43);
    let request = match target.dice.below(5) {
        0 => Message::request("GET", "/v1/store").bearer(&guess),
        1 => Message::request("POST", "/v1/orders")
            .bearer(&guess)
            .with_json(&order(&guess, None)),
        2 => Message::request("GET", &format!("/r/{}", &guess[..26])),
        3 => Message::request(
            "GET",
            &format!(
                "/connect?{}",
                query(&[("client_id", &guess), ("integration_token", &guess)])
            ),
        ),
        _ => Message::request("POST", "/v1/auth/token").form(&[
            ("client_id", &target.honest.id),
            ("client_secret", &guess),
            ("grant_type", "refresh_token"),
            ("refresh_token", &guess),
        ]),
    };
    target.ask(&request);
}

/// The largest orders and lists that the service takes, and messages to the world.
fn till(target: &mut Target<'_>) {
    let id = target.dice.text(20);
    let phone = format!("+97252{:07}", 2_000_000 + target.dice.below(7_000_000));
    let request = |method: &str, path: &str| Message::request(method, path).bearer(target.stolen);
    let request = match target.dice.below(8) {
        0 => request("POST", "/v1/customers").with_json(&customers(&id)),
        1 => request("POST", "/v1/customers").with_json(&json!({"customers": vec![0; 500_000]})),
        2 => request("PATCH", "/v1/store").with_json(&json!({"name": id})),
        3 | 4 => request("POST", "/v1/orders").with_json(&order(&id, Some(&phone))),
        _ => request("POST", "/v1/orders").with_json(&large(&id)),
    };
    target.ask(&request);
}

fn large(id: &str) -> Value {
    let mut large = order(id, None);
    let line = json!({"name": "x".repeat(200), "quantity": 1, "amount": 1});
    large["lines"] = vec![line; LINES].into();
    large["total"] = LINES.into();
    large
}

fn customers(id: &str) -> Value {
    let customer =
        |number: u64| json!({"externalId": format!("{id}{number}"), "name": "x".repeat(100)});
    json!({"customers": (0..1000).map(customer).collect::<Vec<_>>()})
}

/// Adds tills for any merchant, connects with them, revokes them, and lists all that there are.
fn fleet(target: &mut Target<'_>) {
    let (id, fleet) = (target.dice.text(20), target.fleet);
    let till = &target.till;
    let request = match target.dice.below(5) {
        0 => fleet.call("GET", "/tills"),
        1 => {
            let old = till["till"]["id"].as_str().unwrap_or("none");
            fleet.call("DELETE", &format!("/tills/{old}"))
        }
        2 => {
            let key = till["key"].as_str().unwrap_or("none");
            Message::request("POST", "/v1/auth/integration").bearer(key)
        }
        _ => fleet
            .call("POST", "/tills")
            .header("idempotency-key", &*id)
            .with_json(&json!({"merchant": id, "name": "x".repeat(100)})),
    };
    let answer = target.relay.ask(&request).unwrap_or_default();
    *target.answers.entry(answer.status()).or_default() += 1;
    let said = answer.json();
    if said["key"].is_string() {
        target.till = said;
    }
}

/// Creates as many as it may, and asks for what is not its own.
fn vendor(target: &mut Target<'_>) {
    let from = target.address();
    let integration = target.page(&from, target.thief);
    let (method, path) = match target.dice.below(6) {
        0..=2 => ("POST", "/v1/auth/integration"),
        3 => ("GET", "/v1/auth/integration"),
        4 => ("DELETE", "/v1/auth/integration"),
        _ => ("GET", "/v1/auth/integration/token"),
    };
    let about = if method == "POST" { "" } else { &*integration };
    let request = keyed(method, path, target.thief, about, &from);
    target.ask(&request);
}

/// Guesses passwords of merchants that are and of some that are not, and holds connections.
fn stranger(target: &mut Target<'_>) {
    let from = target.address();
    let merchants = target.merchants;
    let email = match target.dice.below(SHOPS as u64 + 5) as usize {
        known if known < SHOPS => merchants[known].email.clone(),
        _ => format!("{}@nobody.example", target.dice.text(8)),
    };
    let password = target.dice.text(12);
    target.sign_in(&Merchant { email, password }, &from, target.honest);
    if let Ok(mut held) = TcpStream::connect(target.service) {
        held.write_all(b"POST /v1/orders HTTP/1.1\r\ncontent-length: 9\r\n")
            .ok();
        target.held.push_back(held);
    }
    if target.held.len() > HELD {
        target.held.pop_front();
    }
}

/// Signs in with the right password, over and over, and connects what it may.
fn rogue(target: &mut Target<'_>) {
    let (from, merchants) = (target.address(), target.merchants);
    target.sign_in(&merchants[ROGUE], &from, target.thief);
}

/// Prints how often each attacker was answered what. One that was never let in, where its keys are good for something,
/// has attacked nothing.
pub fn verdict(engine: &str, attacks: &[(&str, Answers)]) -> Vec<String> {
    let mut faults = Vec::new();
    for attacker in &ATTACKERS {
        let mut sum = Answers::new();
        for (_, answers) in attacks.iter().filter(|(name, _)| *name == attacker.name) {
            answers
                .iter()
                .for_each(|(status, count)| *sum.entry(*status).or_default() += count);
        }
        let shown = sum
            .iter()
            .map(|(status, count)| format!("{status}: {count}"));
        println!(
            "siege: {engine}: {}: {}",
            attacker.name,
            shown.collect::<Vec<_>>().join(", ")
        );
        if sum.contains_key(&200) != attacker.has_keys || sum.keys().any(|status| *status == 500) {
            faults.push(format!("{}: {sum:?}", attacker.name));
        }
    }
    faults
}
