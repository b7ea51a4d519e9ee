//! Orders of one till, each sent until it is answered, and what the sender of messages made of them.

use super::client::Client;
use super::record::row;
use super::stage::{Halt, Step};
use crate::dice::Dice;
use crate::http::Message;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};
use workbench::{Result, files};

/// As the service's option takes it, in the folder of its database.
pub const OUTLET: &str = "file:messages.jsonl";
/// A kill in the middle of an attempt puts the next one off by 20 s, the second and the third by 40 and 80; the sender
/// looks every five.
const DELIVERY_LIMIT: Duration = Duration::from_secs(180);

pub struct SentOrders {
    left: u64,
    sent: Vec<Sent>,
}

struct Sent {
    id: String,
    body: Value,
    answer: Option<String>,
}

impl SentOrders {
    pub fn new(dice: &mut Dice) -> Self {
        Self {
            left: dice.below(4),
            sent: Vec::new(),
        }
    }

    pub fn are_done(&self) -> bool {
        self.left == 0 && self.sent.iter().all(|order| order.answer.is_some())
    }

    /// Sends the next order, or again the one whose answer was lost.
    pub fn send(&mut self, client: &mut Client<'_>, access: &str) -> Step<()> {
        let unanswered = self.sent.iter().position(|order| order.answer.is_none());
        let at = match unanswered {
            Some(at) => {
                client.stage.count(row::REFRESH_AGAIN);
                at
            }
            None => {
                self.left -= 1;
                let id = client.dice.text(12);
                let body = order(&id, client.dice.once_in(2));
                self.sent.push(Sent {
                    id,
                    body,
                    answer: None,
                });
                self.sent.len() - 1
            }
        };
        let order = &mut self.sent[at];
        let reply = client
            .ask("order", &post(order, access))?
            .expect(200, "order")?;
        order.answer = Some(reply.body);
        client.stage.count(row::ORDERS);
        if order.body.get("ereceipt").is_some() {
            client.stage.count(row::RECEIPTS);
        }
        Ok(())
    }

    /// An order that was answered is there, once: it is found as it was answered, and sent again it is the same.
    pub fn check(&self, client: &mut Client<'_>, access: &str) -> Step<()> {
        for order in &self.sent {
            let Some(answer) = &order.answer else {
                continue;
            };
            let found = Message::request("GET", &format!("/v1/orders/{}", order.id)).bearer(access);
            let found = client
                .ask("order", &found)?
                .expect(200, "an order that was answered is gone")?;
            let known: Value = serde_json::from_str(answer).unwrap_or_default();
            for name in ["order", "receivedAt"] {
                if found.value(name) != known[name] {
                    return Err(Halt::Wrong(format!(
                        "an order's {name} is not as it was answered"
                    )));
                }
            }
            let again = client
                .ask("order", &post(order, access))?
                .expect(200, "an order sent again")?;
            if again.body != *answer {
                return Err(Halt::Wrong(
                    "an order sent again got another answer".to_owned(),
                ));
            }
            client.checked();
        }
        Ok(())
    }
}

fn post(order: &Sent, access: &str) -> Message {
    let mut request = Message::request("POST", "/v1/orders")
        .bearer(access)
        .header("content-type", "application/json")
        .header("idempotency-key", &*order.id);
    request.body = order.body.to_string().into_bytes();
    request
}

fn order(id: &str, with_receipt: bool) -> Value {
    let mut order = json!({
        "externalId": id, "time": "2026-11-23T10:30:00Z", "currency": "ILS", "total": 1191,
        "lines": [{"name": "Bread", "quantity": 1, "amount": 1191}],
    });
    if with_receipt {
        order["ereceipt"] =
            json!({"phone": "+972502345678", "consent": {"id": "ereceipt-1", "locale": "en"}});
    }
    order
}

/// What speaks against the messages in this folder, of which there must be so many: one for each order, each with a
/// link of its own, however often it was handed over.
pub fn faults_of_messages(folder: &Path, expected: u64) -> Result<Option<String>> {
    let begun = Instant::now();
    loop {
        let text = files::read_text(&folder.join("messages.jsonl")).unwrap_or_default();
        let mut messages: BTreeMap<String, String> = BTreeMap::new();
        // The last line may be on its way.
        for line in text
            .split_inclusive('\n')
            .filter(|line| line.ends_with('\n'))
        {
            let message: Value =
                serde_json::from_str(line).map_err(|error| format!("messages: {error}"))?;
            let text_of = |name: &str| message[name].as_str().unwrap_or_default().to_owned();
            let (id, text) = (text_of("id"), text_of("text"));
            if messages.get(&id).is_some_and(|known| *known != text) {
                return Ok(Some(
                    "a message was handed over with two contents".to_owned(),
                ));
            }
            messages.insert(id, text);
        }
        let count = messages.len() as u64;
        let mut links: Vec<&String> = messages.values().collect();
        links.sort_unstable();
        links.dedup();
        if links.len() as u64 != count {
            return Ok(Some("two messages have one link".to_owned()));
        }
        if count > expected {
            return Ok(Some(format!(
                "{count} messages for {expected} orders with an e-receipt"
            )));
        }
        if count == expected {
            return Ok(None);
        }
        if begun.elapsed() > DELIVERY_LIMIT {
            return Ok(Some(format!(
                "only {count} messages for {expected} orders with an e-receipt"
            )));
        }
        thread::sleep(Duration::from_millis(100));
    }
}
