//! `kill -9` of service and relay at random moments, under load: what was answered holds, what was lost is cured,
//! nothing is given twice.

mod client;
mod merchant;
mod orders;
mod program;
mod record;
mod relay;
mod service;
mod stage;
mod upstream;

use crate::Orders;
use crate::dice::Dice;
use client::{Client, Life};
use merchant::Merchant;
use program::{Launcher, Running};
use record::{Record, row};
use relay::{RelayLife, Till, World};
use service::{ServiceLife, Vendor};
use stage::Stage;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};
use upstream::Upstream;
use workbench::postgres::Postgres;
use workbench::service as programs;
use workbench::{Result, command, files, repo};

const CLIENTS: usize = 6;
/// One broken promise breaks many: the first tell enough.
const SHOWN: usize = 20;
/// A kill waits no longer than this for the request that it is meant for.
const AIM_LIMIT: Duration = Duration::from_millis(600);
/// So many further kills, each at a token call, where those before left something out that a run has to show.
const FURTHER: u64 = 40;
/// They wait for it, and for the cure of what the kill before lost: every client comes to its token call.
const FURTHER_LIMIT: Duration = Duration::from_secs(20);
/// Every second kill is aimed at the next one of these, the others come whenever they come.
const SERVICE_AIMS: [&str; 7] = [
    TOKEN_CALL, "order", "reissue", "refresh", "consent", "create", "revoke",
];
const RELAY_AIMS: [&str; 4] = [TOKEN_CALL, "order", "acknowledge", "create"];
const TOKEN_CALL: &str = "token call";

pub fn run(orders: &Orders) -> Result<()> {
    println!("torture: compiling service and relay");
    let service = programs::program(programs::NAME)?;
    let relay = programs::program(programs::RELAY)?;
    let folder = repo::made("torture").join("kill");
    files::remove(&folder)?;
    let server = Postgres::own()?;
    let case = |name, database, hand_out| Case {
        name,
        database,
        hand_out,
        folder: folder.join(name),
        orders,
    };
    let on_postgres = &*server.url;
    let columns = [
        ("service", "sqlite://service.db"),
        ("service, PostgreSQL", on_postgres),
    ]
    .map(|(name, database)| {
        let record = kill_service(&service, &case(name, database, false))?;
        Ok((name, record))
    })
    .into_iter()
    .chain(
        [
            ("relay, held", "sqlite://relay.db", false),
            ("relay, hand-out", "sqlite://relay.db", true),
            ("relay, PostgreSQL", on_postgres, false),
        ]
        .map(|(name, database, hand_out)| {
            let record = kill_relay(&service, &relay, &case(name, database, hand_out))?;
            Ok((name, record))
        }),
    )
    .collect::<Result<Vec<_>>>()?;
    record::table(&columns);
    let mut faults = Vec::new();
    for (name, record) in &columns {
        let named = record.faults().into_iter();
        faults.extend(named.map(|fault| format!("{name}: {fault}")));
    }
    let all = faults.len();
    faults.truncate(SHOWN);
    match all {
        0 => Ok(()),
        _ => Err(format!("{all} faults\n{}", faults.join("\n"))),
    }
}

/// One program in one mode on one engine.
struct Case<'a> {
    name: &'static str,
    database: &'a str,
    hand_out: bool,
    folder: PathBuf,
    orders: &'a Orders,
}

fn kill_service(program: &Path, case: &Case<'_>) -> Result<Record> {
    let (mut launcher, vendor, merchants) = service(program, &case.folder, case.database)?;
    let mut record = torment(
        &mut launcher,
        case.orders,
        case.name,
        &SERVICE_AIMS,
        |number, dice| ServiceLife::new(&vendor, &merchants[number], dice),
    )?;
    // What the last end interrupted is sent after one more start.
    let running = launcher.start()?;
    let sent = record.count(row::RECEIPTS);
    let fault = orders::faults_of_messages(&case.folder, sent)?;
    running.kill()?;
    if let Some(fault) = fault {
        record.violation(fault);
    }
    Ok(record)
}

fn kill_relay(service_program: &Path, program: &Path, case: &Case<'_>) -> Result<Record> {
    let folder = case.folder.join("upstream");
    let (mut upstream, vendor, merchants) =
        service(service_program, &folder, "sqlite://service.db")?;
    let unharmed: Running = upstream.start()?;
    let upstream = Upstream::start(unharmed.address, Dice::new(case.orders.seed, case.name))?;
    let url = format!("http://{}", upstream.address);
    let mut options = vec!["--upstream", &url, "--client-id", &vendor.id];
    options.extend(["--creates-per-till", "100000"]);
    options.extend(case.hand_out.then_some("--hand-out"));
    let secrets = vec![("POS_CONNECT_CLIENT_SECRET", vendor.secret.clone())];
    let (folder, database) = (&case.folder, case.database);
    let mut launcher = Launcher::new(program, folder, database, &options, secrets);
    launcher.admin(&["migrate"])?;
    let mut tills = Vec::new();
    for (number, merchant) in merchants.into_iter().enumerate() {
        let added =
            launcher.admin(&["till", "add", "--merchant", &format!("merchant-{number}")])?;
        let key = text(&added, "key")?;
        tills.push(Till { key, merchant });
    }
    let world = World {
        client_id: vendor.id.clone(),
        upstream,
        hand_out: case.hand_out,
    };
    torment(
        &mut launcher,
        case.orders,
        case.name,
        &RELAY_AIMS,
        |number, dice| RelayLife::new(&world, &tills[number], dice),
    )
}

/// A service with a vendor, and a merchant for each client: sign-ins are limited per account.
fn service(
    program: &Path,
    folder: &Path,
    database: &str,
) -> Result<(Launcher, Vendor, Vec<Merchant>)> {
    let options = [
        "--interval-seconds",
        "0",
        "--creates-per-second",
        "100000",
        "--messages",
        orders::OUTLET,
    ];
    let key = command::output(Command::new(program).arg("key"))?;
    let secrets = vec![("POS_CONNECT_SERVICE_KEY", key.trim().to_owned())];
    let launcher = Launcher::new(program, folder, database, &options, secrets);
    launcher.admin(&["migrate"])?;
    let vendor = launcher.admin(&["vendor", "add", "--name", "Torture"])?;
    let mut merchants = Vec::new();
    for number in 0..CLIENTS {
        let email = format!("merchant-{number}@torture.example");
        let account = ["account", "add", "--name", "Merchant", "--email", &email];
        let account = launcher.admin(&account)?;
        merchants.push(Merchant {
            password: text(&account, "password")?,
            email,
        });
    }
    let vendor = Vendor {
        id: text(&vendor, "clientId")?,
        secret: text(&vendor, "clientSecret")?,
    };
    Ok((launcher, vendor, merchants))
}

fn text(answer: &serde_json::Value, name: &str) -> Result<String> {
    let text = answer[name].as_str().map(str::to_owned);
    text.ok_or_else(|| format!("a command answered without `{name}`"))
}

/// Starts the program and kills it, again and again, while clients go on where they were; at the end they bring to an
/// end what they began.
fn torment<L: Life>(
    launcher: &mut Launcher,
    orders: &Orders,
    name: &str,
    aims: &[&'static str],
    begin: impl Fn(usize, &mut Dice) -> L + Sync,
) -> Result<Record> {
    let running = launcher.start()?;
    let stage = Stage::new(running.address, CLIENTS);
    let mut dice = Dice::new(orders.seed, name);
    let result: Result<Running> = thread::scope(|scope| {
        for number in 0..CLIENTS {
            let client = Client::new(&stage, Dice::new(orders.seed, &format!("{name}{number}")));
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
    result.map_err(|error| format!("{name}: {error}"))?;
    Ok(stage.into_record())
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

/// Gives the clients time to get over the last kill.
fn shows_kills(stage: &Stage) -> bool {
    let begun = Instant::now();
    while !stage.record().shows_kills() {
        if stage.record().count(row::HIT) == 0 || begun.elapsed() > FURTHER_LIMIT {
            return false;
        }
        thread::sleep(Duration::from_millis(20));
    }
    true
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
