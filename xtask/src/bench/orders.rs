//! Orders, each on the disk before its answer, against a bare handler that reads the same body.

use super::bare::Bare;
use super::{median, rate};
use crate::load::{MANY, Measured, Server};
use crate::{Result, files, repo, service};
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use workbench::http::Message;
use workbench::process::Process;

/// Orders of one round, each of its own.
const ORDERS: usize = 20_000;
/// Lists of customers of one round, over one connection; each customer of its own.
const LISTS: usize = 20;
const CUSTOMERS: usize = 1_000;
/// Orders a second, on SQLite, of the median round.
const BAR: f64 = 3000.0;

pub fn report(rounds: usize) -> Result<()> {
    println!("\nbench: compiling the service that takes orders and the bare handler, optimized");
    let [bare, connected] = service::optimized(["bare", "connected"])?;
    let bare = Bare::start(&bare)?;
    let handler = bare.server.clone().over(MANY);
    let connected = Connected::start(&connected)?;
    let one_by_one = connected.server.clone().over(1);
    let mut measured: [Vec<Measured>; 4] = Default::default();
    // The first round is not counted: connections, caches, the processor's clock.
    for round in 0..=rounds {
        let plain = connected.orders(&format!("plain-{round}"), false);
        let receipts = connected.orders(&format!("receipt-{round}"), true);
        let all = [
            handler.send(&plain)?,
            connected.server.send(&plain)?,
            connected.server.send(&receipts)?,
            one_by_one.send(&connected.lists(round))?,
        ];
        if round > 0 {
            for (kept, one) in measured.iter_mut().zip(all) {
                kept.push(one);
            }
        }
    }
    println!("\norders, medians of {rounds} rounds of {ORDERS} over {MANY} connections");
    let names = ["bare handler", "order, SQLite file", "with an e-receipt"];
    for (name, rounds) in names.iter().zip(&measured) {
        println!("  {name:<22}{}", rate(rounds));
    }
    println!("lists of {CUSTOMERS} customers, {LISTS} a round, one after the other");
    println!("  {:<22}{}", "list", rate(&measured[3]));
    println!("the load generator and the sender of messages run on the same machine");
    let slowest = measured[1..3]
        .iter()
        .map(|rounds| median(rounds.iter().map(|one| one.per_second).collect()));
    match slowest.fold(f64::MAX, f64::min) {
        rate if rate < BAR => Err(format!("{rate:.0} orders a second; the bar is {BAR:.0}")),
        rate => {
            println!("the slower of the two: {rate:.0}/s; the bar is {BAR:.0}");
            Ok(())
        }
    }
}

/// `service/examples/connected.rs`, running until dropped.
struct Connected {
    _process: Process,
    server: Server,
    access_token: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Said {
    base_url: String,
    access_token: String,
}

impl Connected {
    fn start(program: &Path) -> Result<Self> {
        let folder = repo::made("bench-orders");
        files::remove(&folder)?;
        files::create_folder(&folder)?;
        let mut start = Command::new(program);
        let (process, said): (_, Said) = Process::start(start.arg(folder.join("orders.db")))?;
        Ok(Self {
            server: Server::new(&said.base_url)?.over(MANY),
            access_token: said.access_token,
            _process: process,
        })
    }

    fn orders(&self, name: &str, with_receipt: bool) -> Vec<Message> {
        let one = |number: usize| {
            let id = format!("{name}-{number}");
            let mut order = json!({
                "externalId": id, "time": "2026-11-23T10:30:00+02:00", "currency": "ILS", "total": 1191, "tax": 173,
                "lines": [
                    {"name": "Sourdough", "quantity": 1, "unitPrice": 891, "amount": 891},
                    {"name": "Espresso", "quantity": 1, "unitPrice": 300, "amount": 300},
                ],
            });
            if with_receipt {
                order["ereceipt"] = json!({"phone": "+972502345678", "consent": {"id": "ereceipt-1", "locale": "en"}});
            }
            self.request("/v1/orders", &id, &order)
        };
        (0..ORDERS).map(one).collect()
    }

    fn lists(&self, round: usize) -> Vec<Message> {
        let customer = |list: usize, number: usize| {
            json!({
                "externalId": format!("c-{round}-{list}-{number}"), "name": "Dana Levi", "phone": "+972502345678",
                "email": "dana@example.com",
            })
        };
        let one = |list: usize| {
            let customers: Vec<Value> = (0..CUSTOMERS)
                .map(|number| customer(list, number))
                .collect();
            let body = json!({ "customers": customers });
            self.request("/v1/customers", &format!("list-{round}-{list}"), &body)
        };
        (0..LISTS).map(one).collect()
    }

    fn request(&self, path: &str, key: &str, body: &Value) -> Message {
        Message::request("POST", path)
            .bearer(&self.access_token)
            .header("idempotency-key", key)
            .with_json(body)
    }
}
