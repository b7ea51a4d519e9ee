//! What the people of `docs/threats.md` can do to a service at once, beside ten shops that connect, sell and send
//! receipts. Those who only have a disk or a backup send nothing; the others are in `attacker.rs`. The limits are those
//! that ship.

mod attacker;
mod fleet;
mod shop;

use crate::Orders;
use crate::dice::Dice;
use crate::merchant::consent;
use crate::messages::{self, Messages};
use crate::programs::{Launcher, Merchant, Programs, Running, Service, Vendor};
use crate::soak::gauge::Gauge;
use crate::table::{self, Counts};
use attacker::{ATTACKERS, Target};
use fleet::Fleet;
use serde_json::Value;
use shop::{Shop, Sold};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use workbench::http::{Line, Message};
use workbench::postgres::Postgres;
use workbench::{Result, files, repo};

const SHOPS: usize = 10;
/// The merchant whose till's key was stolen.
const ROBBED: usize = SHOPS;
/// The one who signs in to do harm.
const ROGUE: usize = SHOPS + 1;
/// Each attacker's, side by side.
const THREADS: usize = 2;
/// The longest time of 99 honest calls of a hundred. Judged only in a run of some length: in a short one beside other
/// tests, other programs decide.
const P99: Duration = Duration::from_secs(1);
const JUDGED_FROM_MINUTES: u64 = 5;
const MOST_MEMORY: u64 = 512 << 20;
/// A day's quota of the robbed store, and as much again for all else.
const MOST_DISK: u64 = 512 << 20;
const ORIGIN: &str = "http://127.0.0.1:1";

/// `orders.runs` is the number of minutes on each engine.
pub fn run(orders: &Orders) -> Result<()> {
    let folder = repo::made("torture").join("siege");
    files::remove(&folder)?;
    let server = (!orders.sqlite).then(Postgres::own).transpose()?;
    let mut engines = vec![("SQLite", "sqlite://service.db")];
    engines.extend(server.as_ref().map(|server| ("PostgreSQL", &*server.url)));
    let mut faults = Vec::new();
    for (engine, database) in engines {
        let folder = folder.join(engine);
        let found = Siege::lay(orders.programs()?, &folder, database)?.hold(orders, engine)?;
        faults.extend(found.into_iter().map(|fault| format!("{engine}: {fault}")));
    }
    match faults.is_empty() {
        true => Ok(()),
        false => Err(faults.join("\n")),
    }
}

struct Siege<'a> {
    folder: &'a Path,
    service: Service,
    running: Running,
    fleet: Fleet,
    /// Whose secret was stolen.
    thief: Vendor,
    /// The access token that was stolen with the till.
    stolen: String,
    on_file: bool,
}

impl<'a> Siege<'a> {
    fn lay(programs: &Programs, folder: &'a Path, database: &str) -> Result<Self> {
        let options = ["--trusted-proxy", "127.0.0.1"];
        let service = programs.service(folder, database, ORIGIN, SHOPS + 2, &options)?;
        let thief = service.launcher.vendor("Thief", ORIGIN)?;
        let running = service.launcher.start()?;
        let (address, vendor) = (running.address, &service.vendor);
        let stolen = connect(address, vendor, &service.merchants[ROBBED], "198.51.100.1")?;
        let fleet = Fleet::lay(programs, &folder.join("relay"), database, address, vendor)?;
        Ok(Self {
            folder,
            running,
            fleet,
            thief,
            stolen,
            on_file: database.starts_with("sqlite:"),
            service,
        })
    }

    /// Gives what did not hold.
    fn hold(&self, orders: &Orders, engine: &str) -> Result<Vec<String>> {
        let minutes = Duration::from_secs(60 * orders.runs);
        println!("siege: {} minutes on {engine}", orders.runs);
        let is_over = AtomicBool::new(false);
        let (sold, attacks, mut faults) = thread::scope(|scope| {
            let is_over = &is_over;
            let attackers = ATTACKERS.iter().flat_map(|attacker| {
                (0..THREADS).map(|number| {
                    let target = self.target(orders.seed, &format!("{}{number}", attacker.name));
                    let attack = attacker.attack;
                    (
                        attacker.name,
                        scope.spawn(move || target.attack(attack, is_over)),
                    )
                })
            });
            let attackers: Vec<_> = attackers.collect();
            let shops: Vec<_> = (0..SHOPS)
                .map(|number| {
                    let shop = self.shop(number);
                    scope.spawn(move || shop.sell(is_over))
                })
                .collect();
            let faults = self.watch(minutes);
            is_over.store(true, Ordering::Relaxed);
            let sold = shops
                .into_iter()
                .map(|shop| shop.join().map_err(|_| "a shop broke off"));
            let sold: std::result::Result<Vec<Sold>, _> = sold.collect();
            let attacks = attackers.into_iter().map(|(name, attacker)| {
                attacker
                    .join()
                    .map(|counts| (name, counts))
                    .map_err(|_| "an attacker broke off")
            });
            Ok::<_, String>((
                sold?,
                attacks.collect::<std::result::Result<Vec<_>, _>>()?,
                faults?,
            ))
        })?;
        faults.extend(attacker::verdict(engine, &attacks));
        faults.extend(self.verdict(orders, &sold)?);
        Ok(faults)
    }

    fn target(&self, seed: u64, name: &str) -> Target<'_> {
        Target::new(
            self.running.address,
            &self.fleet,
            (&self.service.vendor, &self.thief),
            &self.service.merchants,
            &self.stolen,
            Dice::new(seed, name),
        )
    }

    fn shop(&self, number: usize) -> Shop<'_> {
        let (vendor, merchant) = (&self.service.vendor, &self.service.merchants[number]);
        Shop::new(number, self.running.address, vendor, merchant)
    }

    /// Looks at memory and disk once a second, and does halfway what the page of incidents says.
    fn watch(&self, time: Duration) -> Result<Vec<String>> {
        let (begun, mut faults) = (Instant::now(), Vec::new());
        let database = self.folder.join("service.db");
        let gauges = if self.on_file {
            &Gauge::ALL[..]
        } else {
            &[Gauge::Memory]
        };
        let mut most = vec![0; gauges.len()];
        let mut is_contained = false;
        while begun.elapsed() < time {
            thread::sleep(Duration::from_secs(1));
            for (most, gauge) in most.iter_mut().zip(gauges) {
                *most = (*most).max(gauge.read(self.running.id(), &database)?);
            }
            if !is_contained && begun.elapsed() > time / 2 {
                is_contained = true;
                faults.extend(self.contain()?);
            }
        }
        for (most, gauge) in most.into_iter().zip(gauges) {
            println!(
                "siege: {} {:.1} MiB at most",
                gauge.name(),
                most as f64 / f64::from(1 << 20)
            );
            let limit = match gauge {
                Gauge::Memory => MOST_MEMORY,
                Gauge::Database | Gauge::Wal => MOST_DISK,
            };
            if most > limit {
                faults.push(format!("{}: {most} bytes", gauge.name()));
            }
        }
        Ok(faults)
    }

    /// The operator ends what each thief holds, and takes back what came with the till's key.
    fn contain(&self) -> Result<Vec<String>> {
        let Service {
            launcher,
            merchants,
            ..
        } = &self.service;
        let store = store_of(launcher, &merchants[ROBBED])?;
        let commands: [&[&str]; 4] = [
            &["token-set", "revoke", "--account", &merchants[ROBBED].email],
            &["vendor", "disable", &self.thief.id],
            &["account", "disable", &merchants[ROGUE].email],
            &["order", "erase", "--store", &store],
        ];
        for words in commands {
            let begun = Instant::now();
            launcher.admin(words)?;
            println!(
                "siege: `{} {}` took {:.1} s",
                words[0],
                words[1],
                begun.elapsed().as_secs_f64()
            );
        }
        let mut faults = Vec::new();
        let mut line = Line::new(self.running.address);
        let order = Message::request("GET", "/v1/orders/none").bearer(&self.stolen);
        let sign_in = connect(
            self.running.address,
            &self.service.vendor,
            &merchants[ROGUE],
            "192.0.2.200",
        );
        for (what, holds) in [
            (
                "a revoked token",
                patient(&mut line, &order)?.status() == 401,
            ),
            (
                "a disabled vendor",
                shop::create(&mut line, &self.thief, "192.0.2.201")?.status() != 200,
            ),
            ("a disabled account", sign_in.is_err()),
            ("a revoked fleet key", self.fleet.contain()?),
        ] {
            if !holds {
                faults.push(format!("{what} still works"));
            }
        }
        Ok(faults)
    }

    fn verdict(&self, orders: &Orders, sold: &[Sold]) -> Result<Vec<String>> {
        let mut faults: Vec<String> = sold.iter().flat_map(|sold| sold.faults.clone()).collect();
        let expected: Vec<&String> = sold.iter().flat_map(|sold| &sold.phones).collect();
        let arrived = messages::wait(self.folder, |all| {
            expected.iter().all(|phone| messages_to(all, phone) > 0)
        })?;
        for phone in expected {
            match messages_to(&arrived, phone) {
                1 => {}
                count => faults.push(format!("{count} messages for one honest order")),
            }
        }
        let mut counts = Counts::new();
        for (row, count) in sold.iter().flat_map(|sold| &sold.counts) {
            *counts.entry(row).or_default() += count;
        }
        table::print(&shop::ROWS, &[("ten shops", &counts)]);
        for (what, mut times) in [
            (
                "connecting",
                sold.iter()
                    .map(|sold| sold.connected_in)
                    .collect::<Vec<_>>(),
            ),
            (
                "calls of a till",
                sold.iter().flat_map(|sold| sold.times.clone()).collect(),
            ),
        ] {
            times.sort_unstable();
            let at = |hundredth: usize| {
                times
                    .get(times.len() * hundredth / 100)
                    .copied()
                    .unwrap_or_default()
            };
            println!(
                "siege: {what}: median {:?}, p99 {:?}, of {}",
                at(50),
                at(99),
                times.len()
            );
            let is_judged = orders.runs >= JUDGED_FROM_MINUTES && times.len() >= 100;
            if is_judged && at(99) > P99 {
                faults.push(format!("{what}: p99 {:?}", at(99)));
            }
        }
        if !shop::showed_enough(&counts) {
            faults.push("too little was sold to show anything".to_owned());
        }
        Ok(faults)
    }
}

fn messages_to(all: &Messages, phone: &str) -> usize {
    let to = |message: &&Value| message["phone"] == phone;
    all.values().filter(to).count()
}

/// A till's access token, by the whole way: an integration, the connect page, the tokens.
fn connect(
    service: SocketAddr,
    vendor: &Vendor,
    merchant: &Merchant,
    from: &str,
) -> Result<String> {
    let mut line = Line::new(service);
    let created = shop::create(&mut line, vendor, from)?.json();
    let integration = created["integrationToken"].as_str().unwrap_or_default();
    let ended = consent(merchant, &vendor.id, integration, true, |page| {
        patient(&mut line, &page.clone().header("x-forwarded-for", from))
            .map(|answer| answer.text())
    })?;
    if let Some(state) = ended {
        return Err(format!("the connect page ends with `{state}`"));
    }
    let tokens = patient(
        &mut line,
        &shop::keyed(
            "GET",
            "/v1/auth/integration/token",
            vendor,
            integration,
            from,
        ),
    )?;
    let access = tokens.json()["accessToken"].as_str().map(str::to_owned);
    access.ok_or_else(|| format!("the tokens: {}", tokens.status()))
}

/// Asks again where the service says that it is busy, or has closed the connection.
fn patient(line: &mut Line, request: &Message) -> Result<Message> {
    let begun = Instant::now();
    loop {
        let wait = match line.ask(request) {
            Ok(answer) if !matches!(answer.status(), 429 | 502..=504) => return Ok(answer),
            Ok(answer) => answer
                .found("retry-after")
                .and_then(|seconds| seconds.parse().ok()),
            Err(_) => None,
        };
        if begun.elapsed() > workbench::http::ANSWER_LIMIT {
            let (method, path) = request.named();
            return Err(format!("{method} {path}: busy for {:?}", begun.elapsed()));
        }
        thread::sleep(Duration::from_millis(
            wait.map_or(100, |seconds: u64| seconds * 1000),
        ));
    }
}

fn store_of(launcher: &Launcher, merchant: &Merchant) -> Result<String> {
    let accounts: Value = launcher.admin(&["account", "list"])?;
    let mut accounts = accounts.as_array().into_iter().flatten();
    let own = accounts.find(|account| account["email"] == *merchant.email);
    let store = own.and_then(|account| account["stores"][0]["id"].as_str());
    store
        .map(str::to_owned)
        .ok_or_else(|| "an account without a store".to_owned())
}
