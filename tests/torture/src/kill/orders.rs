//! Orders of one till, each sent until it is answered.

use super::client::Client;
use super::record::row;
use super::stage::{Halt, Step};
use crate::dice::Dice;
use crate::http::Message;
use serde_json::{Value, json};

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
                let phone = client.dice.once_in(2).then_some("+972502345678");
                let body = order(&id, phone);
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
    Message::request("POST", "/v1/orders")
        .bearer(access)
        .header("idempotency-key", &*order.id)
        .with_json(&order.body)
}

/// One that the service takes, with an e-receipt where there is a phone.
pub fn order(id: &str, phone: Option<&str>) -> Value {
    let mut order = json!({
        "externalId": id, "time": "2026-11-23T10:30:00Z", "currency": "ILS", "total": 1191,
        "lines": [{"name": "Bread", "quantity": 1, "amount": 1191}],
    });
    if let Some(phone) = phone {
        order["ereceipt"] =
            json!({"phone": phone, "consent": {"id": "ereceipt-1", "locale": "en"}});
    }
    order
}
