//! An honest shop: connects, sells every quarter of a second, and sends every fourth receipt by text message.

use super::{connect, patient};
use crate::programs::{Merchant, Vendor};
use crate::table::Counts;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use workbench::Result;
use workbench::http::{Line, Message, query};

/// What is counted.
pub const ROWS: [&str; 4] = [SOLD, BY_MESSAGE, LOOKED, FOUND];
const SOLD: &str = "orders accepted";
const BY_MESSAGE: &str = "with an e-receipt";
const LOOKED: &str = "orders and profiles read in between";
const FOUND: &str = "orders found at the end, and the same when sent again";
const PAUSE: Duration = Duration::from_millis(250);

/// Whether they sold enough for the siege to show anything.
pub fn showed_enough(counts: &Counts) -> bool {
    counts.get(SOLD).is_some_and(|&count| count >= 100)
}

pub struct Shop<'a> {
    number: usize,
    service: SocketAddr,
    vendor: &'a Vendor,
    merchant: &'a Merchant,
    line: Line,
    sold: Sold,
}

/// What became of one shop's day.
#[derive(Default)]
pub struct Sold {
    pub counts: Counts,
    /// The time of each call of its till, until the service had taken it.
    pub times: Vec<Duration>,
    pub connected_in: Duration,
    /// To which a receipt goes, once.
    pub phones: Vec<String>,
    pub faults: Vec<String>,
}

impl<'a> Shop<'a> {
    pub fn new(
        number: usize,
        service: SocketAddr,
        vendor: &'a Vendor,
        merchant: &'a Merchant,
    ) -> Self {
        Self {
            number,
            service,
            vendor,
            merchant,
            line: Line::new(service),
            sold: Sold::default(),
        }
    }

    /// Until it is over. Then looks whether all that was accepted is there.
    pub fn sell(mut self, is_over: &AtomicBool) -> Sold {
        let done = self.day(is_over);
        let fault = done
            .err()
            .map(|fault| format!("shop {}: {fault}", self.number));
        self.sold.faults.extend(fault);
        self.sold
    }

    fn day(&mut self, is_over: &AtomicBool) -> Result<()> {
        let begun = Instant::now();
        let from = format!("203.0.113.{}", self.number + 1);
        let access = connect(self.service, self.vendor, self.merchant, &from)?;
        self.sold.connected_in = begun.elapsed();
        let mut accepted: Vec<(Message, String)> = Vec::new();
        while !is_over.load(Ordering::Relaxed) {
            thread::sleep(PAUSE);
            let post = self.order(accepted.len(), &access);
            let answer = self.call(&post, 200)?;
            self.count(SOLD);
            accepted.push((post, answer.text()));
            let path = match accepted.len() % 8 {
                0 => "/v1/store".to_owned(),
                4 => format!("/v1/orders/{}-1", self.number),
                _ => continue,
            };
            self.call(&Message::request("GET", &path).bearer(&access), 200)?;
            self.count(LOOKED);
        }
        for (number, (post, answer)) in accepted.iter().enumerate() {
            let path = format!("/v1/orders/{}-{number}", self.number);
            patient(
                &mut self.line,
                &Message::request("GET", &path).bearer(&access),
            )
            .and_then(|found| is(found.status(), 200, "an order that was accepted"))?;
            if patient(&mut self.line, post)?.text() != *answer {
                return Err("an order sent again got another answer".to_owned());
            }
            self.count(FOUND);
        }
        Ok(())
    }

    fn order(&mut self, number: usize, access: &str) -> Message {
        let id = format!("{}-{number}", self.number);
        let phone = number
            .is_multiple_of(4)
            .then(|| format!("+97250{:07}", 2_000_000 + self.number * 100_000 + number));
        if let Some(phone) = &phone {
            self.count(BY_MESSAGE);
            self.sold.phones.push(phone.clone());
        }
        Message::request("POST", "/v1/orders")
            .bearer(access)
            .header("idempotency-key", &*id)
            .with_json(&order(&id, phone.as_deref()))
    }

    fn call(&mut self, request: &Message, status: u16) -> Result<Message> {
        let begun = Instant::now();
        let answer = patient(&mut self.line, request)?;
        self.sold.times.push(begun.elapsed());
        let (method, path) = request.named();
        is(answer.status(), status, &format!("{method} {path}"))?;
        Ok(answer)
    }

    fn count(&mut self, row: &'static str) {
        *self.sold.counts.entry(row).or_default() += 1;
    }
}

fn is(status: u16, expected: u16, what: &str) -> Result<()> {
    match status == expected {
        true => Ok(()),
        false => Err(format!("{what}: {status}")),
    }
}

/// A call with the vendor's keys, about an integration.
pub fn keyed(method: &str, path: &str, vendor: &Vendor, integration: &str, from: &str) -> Message {
    let mut keys = vec![
        ("client_id", &*vendor.id),
        ("client_secret", &*vendor.secret),
    ];
    keys.extend((!integration.is_empty()).then_some(("integration_token", integration)));
    Message::request(method, &format!("{path}?{}", query(&keys))).header("x-forwarded-for", from)
}

pub fn create(line: &mut Line, vendor: &Vendor, from: &str) -> Result<Message> {
    patient(
        line,
        &keyed("POST", "/v1/auth/integration", vendor, "", from),
    )
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
