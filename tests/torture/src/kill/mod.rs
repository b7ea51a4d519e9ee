//! `kill -9` of service and relay at random moments, under load: what was answered holds, what was lost is cured,
//! nothing is given twice.

mod client;
pub mod orders;
mod record;
mod relay;
mod service;
mod stage;
mod upstream;

use crate::Orders;
use crate::dice::Dice;
use crate::messages;
use crate::programs::{Launcher, PATIENT, Programs, Running};
use client::{Client, Life};
use record::{Record, row};
use relay::{RelayLife, Till, World};
use service::ServiceLife;
use stage::Stage;
use std::collections::BTreeSet;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};
use upstream::Upstream;
use workbench::postgres::Postgres;
use workbench::{Result, files, repo};

const CLIENTS: usize = 6;
/// One broken promise breaks many: the first tell enough.
const SHOWN: usize = 20;
/// A kill waits no longer than this for the request that it is meant for.
const AIM_LIMIT: Duration = Duration::from_secs(5);
/// So many further kills, each at a token call, where those before left something out that a run has to show.
const FURTHER: u64 = 40;
/// They wait for it, and for the cure of what the kill before lost: every client comes to its token call.
const FURTHER_LIMIT: Duration = Duration::from_secs(20);
/// Every second kill is aimed at the next one of these, the others come whenever they come.
const SERVICE_AIMS: [&str; 7] = [
    TOKEN_CALL, "order", "reissue", "refresh", "consent", "create", "revoke",
];
const RELAY_AIMS: [&str; 4] = [TOKEN_CALL, "order", "acknowledge", "create"];
/// The origin of pages that nobody opens.
const ORIGIN: &str = "http://127.0.0.1:1";
const TOKEN_CALL: &str = "token call";

/// One program in one mode on one engine.
struct Case<'a> {
    name: &'static str,
    hand_out: bool,
    programs: &'a Programs,
    orders: &'a Orders,
}

/// Each with its file, without which it is on PostgreSQL; whether it is the relay, and that hands tokens out.
const CASES: [(&str, Option<&str>, bool, bool); 5] = [
    ("service", Some("sqlite://service.db"), false, false),
    ("relay, held", Some("sqlite://relay.db"), true, false),
    ("relay, hand-out", Some("sqlite://relay.db"), true, true),
    ("service, PostgreSQL", None, false, false),
    ("relay, PostgreSQL", None, true, false),
];

pub fn run(orders: &Orders) -> Result<()> {
    let programs = orders.programs()?;
    let folder = repo::made("torture").join("kill");
    files::remove(&folder)?;
    let server = (!orders.sqlite).then(Postgres::own).transpose()?;
    // All at once: most of it is waiting.
    let columns = thread::scope(|scope| {
        let mut cases = Vec::new();
        for (name, file, is_relay, hand_out) in CASES {
            let database = file.or(server.as_ref().map(|server| &*server.url));
            let (case, folder) = (
                Case {
                    name,
                    hand_out,
                    programs,
                    orders,
                },
                folder.join(name),
            );
            cases.extend(database.map(|database| {
                scope.spawn(move || {
                    let record = if is_relay {
                        case.relay(&folder, database)
                    } else {
                        case.service(&folder, database)
                    };
                    Ok((name, record.map_err(|error| format!("{name}: {error}"))?))
                })
            }));
        }
        let joined = cases
            .into_iter()
            .map(|case| case.join().map_err(|_| "a case broke off".to_owned())?);
        joined.collect::<Result<Vec<_>>>()
    })?;
    record::print(&columns);
    let faults = columns.iter().flat_map(|(name, record)| {
        record
            .faults()
            .into_iter()
            .map(move |fault| format!("{name}: {fault}"))
    });
    let faults: Vec<String> = faults.collect();
    match faults.len() {
        0 => Ok(()),
        all => Err(format!(
            "{all} faults\n{}",
            faults[..all.min(SHOWN)].join("\n")
        )),
    }
}

impl Case<'_> {
    fn service(&self, folder: &Path, database: &str) -> Result<Record> {
        let options = [&PATIENT[..], &["--interval-seconds", "0"]].concat();
        let mut service = self
            .programs
            .service(folder, database, ORIGIN, CLIENTS, &options)?;
        let (vendor, merchants) = (&service.vendor, &service.merchants);
        let mut record = self.torment(&mut service.launcher, &SERVICE_AIMS, |number, dice| {
            ServiceLife::new(vendor, &merchants[number], dice)
        })?;
        // What the last end interrupted is sent after one more start.
        let running = service.launcher.start()?;
        if let Some(fault) = faults_of_messages(folder, record.count(row::RECEIPTS))? {
            record.violation(fault);
        }
        running.kill()?;
        Ok(record)
    }

    fn relay(&self, folder: &Path, database: &str) -> Result<Record> {
        let options = [&PATIENT[..], &["--interval-seconds", "0"]].concat();
        let at = folder.join("upstream");
        let mut service =
            self.programs
                .service(&at, "sqlite://service.db", ORIGIN, CLIENTS, &options)?;
        let unharmed = service.launcher.start()?;
        let upstream = Upstream::start(unharmed.address, Dice::new(self.orders.seed, self.name))?;
        let options: &[&str] = if self.hand_out { &["--hand-out"] } else { &[] };
        let vendor = &service.vendor;
        let mut launcher =
            self.programs
                .relay(folder, database, upstream.address(), vendor, options)?;
        let mut tills = Vec::new();
        for (number, merchant) in service.merchants.into_iter().enumerate() {
            let key = launcher.till(&format!("merchant-{number}"))?;
            tills.push(Till { key, merchant });
        }
        let (client_id, hand_out) = (vendor.id.clone(), self.hand_out);
        let world = World {
            client_id,
            upstream,
            hand_out,
        };
        let mut record = self.torment(&mut launcher, &RELAY_AIMS, |number, dice| {
            RelayLife::new(&world, &tills[number], dice)
        })?;
        record.set(row::REFRESHED, world.upstream.refused());
        Ok(record)
    }

    /// Starts the program and kills it, again and again, while clients go on where they were; at the end they bring to an
    /// end what they began.
    fn torment<L: Life>(
        &self,
        launcher: &mut Launcher,
        aims: &[&'static str],
        begin: impl Fn(usize, &mut Dice) -> L + Sync,
    ) -> Result<Record> {
        let Self { name, orders, .. } = self;
        let running = launcher.start()?;
        let stage = Stage::new(running.address, CLIENTS);
        let mut dice = Dice::new(orders.seed, name);
        let result: Result<Running> = thread::scope(|scope| {
            for number in 0..CLIENTS {
                let client =
                    Client::new(&stage, Dice::new(orders.seed, &format!("{name}{number}")));
                let begin = &begin;
                scope.spawn(move || {
                    client.run(&format!("client {number}"), |dice| begin(number, dice));
                });
            }
            let result = kill_and_start(launcher, running, &stage, &mut dice, orders.runs, aims);
            match &result {
                Ok(_) => {
                    stage.end();
                    stage.open();
                }
                Err(_) => stage.break_off(),
            }
            // The program runs on until the last client is done, which the scope waits for.
            result
        });
        result?;
        Ok(stage.into_record())
    }
}

/// Leaves the program running.
fn kill_and_start(
    launcher: &mut Launcher,
    mut running: Running,
    stage: &Stage,
    dice: &mut Dice,
    times: u64,
    aims: &[&'static str],
) -> Result<Running> {
    let shuffle = dice.below(aims.len() as u64);
    for number in 0..times + FURTHER {
        stage.open();
        if number < times {
            let aim = aims[((number / 2 + shuffle) % aims.len() as u64) as usize];
            wait_for_the_moment(stage, dice, (number % 2 == 1).then_some(aim));
        } else {
            if shows_kills(stage) {
                break;
            }
            stage.await_in_air(TOKEN_CALL, FURTHER_LIMIT);
        }
        stage.close();
        running.kill()?;
        stage.count(row::CYCLES);
        if stage.settle() > 0 {
            stage.count(row::HIT);
        }
        running = launcher.start()?;
    }
    Ok(running)
}

/// Gives the clients time to get over the last kill: each comes to the end of what it was at.
fn shows_kills(stage: &Stage) -> bool {
    let ends = |record: &Record| record.count(row::PICKED_UP) + record.count(row::EXHAUSTED);
    let (begun, before) = (Instant::now(), ends(&stage.record()));
    loop {
        let record = stage.record();
        if record.shows_kills() {
            return true;
        }
        let is_over = ends(&record) >= before + CLIENTS as u64;
        drop(record);
        if is_over || begun.elapsed() > FURTHER_LIMIT {
            return false;
        }
        thread::sleep(Duration::from_millis(20));
    }
}

fn wait_for_the_moment(stage: &Stage, dice: &mut Dice, aim: Option<&str>) {
    let any = Duration::from_micros(dice.below(250_000));
    match aim {
        None => thread::sleep(any),
        Some(aim) => {
            thread::sleep(any / 4);
            stage.await_in_air(aim, AIM_LIMIT);
            thread::sleep(Duration::from_micros(dice.below(3000)));
        }
    }
}

/// What speaks against the messages in this folder, of which there must be so many: one for each order, each with a
/// link of its own, however often it was handed over.
fn faults_of_messages(folder: &Path, expected: u64) -> Result<Option<String>> {
    let messages = messages::wait(folder, usize::try_from(expected).unwrap_or(0))?;
    let links: BTreeSet<&String> = messages.values().collect();
    Ok(match messages.len() as u64 {
        count if links.len() as u64 != count => Some("two messages have one link".to_owned()),
        count if count != expected => Some(format!(
            "{count} messages for {expected} orders with an e-receipt"
        )),
        _ => None,
    })
}
