//! The service beside a bare handler: what each of its calls costs, on both engines, with few rows and many, and with
//! two replicas.

mod call;
mod material;
mod place;
mod table;

use super::bare::Bare;
use crate::{Result, files, repo, service};
use call::Call;
use place::{Place, Scene};
use table::Table;
use workbench::postgres::Postgres;

/// Integrations that lie in a database before it is measured.
const FEW_STORED: usize = 10_000;
const MANY_STORED: usize = 5_000_000;
/// The calls of each kind that changes something, in a round.
const CALLS: usize = 2_000;
/// The least part of the bare handler's rate that a status call on SQLite reaches.
const BAR: f64 = 0.5;
/// The least part of the rate with few rows that is left with many.
const FLAT: f64 = 0.9;
/// What writes to a large file of SQLite's waits for a disk that has more places to write to: see docs/benchmarks.md.
const FLAT_IN_A_FILE: f64 = 0.7;
const FLAT_TOKENS_IN_A_FILE: f64 = 0.5;

pub fn report(rounds: usize) -> Result<()> {
    println!("\nbench: compiling the service, the bare handler and the seeder, optimized");
    let [service, bare, seeder] = service::optimized([service::NAME, "bare", "seed"])?;
    let bare = Bare::start(&bare)?;
    let folder = repo::made("bench-service");
    files::remove(&folder)?;
    files::create_folder(&folder)?;
    let scene = Scene {
        service: &service,
        seeder: &seeder,
        folder: &folder,
        rounds,
    };
    let (few, many) = (Postgres::durable()?, Postgres::durable()?);
    let on_few = scene.on_postgres("PostgreSQL, 10 thousand", &few, FEW_STORED)?;
    let replicas = scene.replicas("PostgreSQL, two replicas", &few, &on_few)?;
    let on_sqlite = scene.on_sqlite("SQLite, 10 thousand", FEW_STORED)?;
    let mut places = [
        Place::bare(bare.server.clone(), &on_sqlite),
        on_sqlite,
        scene.on_sqlite("SQLite, 5 million", MANY_STORED)?,
        on_few,
        scene.on_postgres("PostgreSQL, 5 million", &many, MANY_STORED)?,
        replicas,
    ];
    let table = measured(&mut places, rounds)?;
    table.print(&places);
    for place in &places {
        place.print_memory()?;
    }
    println!(
        "the load generator and PostgreSQL run on the same machine and take their share of it"
    );
    verdict(&table)
}

fn measured(places: &mut [Place], rounds: usize) -> Result<Table> {
    let mut table = Table::new(places.len());
    // The first round is not counted: connections, caches, the processor's clock.
    for round in 0..=rounds {
        for call in Call::ALL {
            // Each goes first in another round, and each second time the other way around, so that a machine that
            // slows down or speeds up favors none.
            for turn in 0..places.len() {
                let turn = if round % 2 == 0 {
                    turn
                } else {
                    places.len() - turn
                };
                let which = (turn + round) % places.len();
                let measured = places[which].make(call, round)?;
                table.add(round, call, which, measured);
            }
        }
        println!("round {round} of {rounds}");
    }
    Ok(table)
}

/// The places of `places` above.
const ON_BARE: usize = 0;
const ON_SQLITE: usize = 1;
const ON_SQLITE_WITH_MANY: usize = 2;
const ON_POSTGRES: usize = 3;
const ON_POSTGRES_WITH_MANY: usize = 4;

fn verdict(table: &Table) -> Result<()> {
    let mut failures = Vec::new();
    let ratio = table.ratio(Call::Status, ON_SQLITE, ON_BARE).median;
    println!("status on SQLite: {ratio:.2} of the bare handler; the bar is {BAR:.2}");
    if ratio < BAR {
        failures.push(format!("status on SQLite: {ratio:.2} is below {BAR:.2}"));
    }
    for (few, many, engine) in [
        (ON_SQLITE, ON_SQLITE_WITH_MANY, "SQLite"),
        (ON_POSTGRES, ON_POSTGRES_WITH_MANY, "PostgreSQL"),
    ] {
        for call in Call::ALL {
            let flat = table.ratio(call, many, few);
            let bar = match call {
                _ if engine == "PostgreSQL" => FLAT,
                Call::Status => FLAT,
                Call::Create | Call::Consent => FLAT_IN_A_FILE,
                Call::Claim | Call::Refresh => FLAT_TOKENS_IN_A_FILE,
            };
            println!(
                "{engine}, {call}: with 5 million {flat} of the rate with 10 thousand; the bar is {bar:.2}"
            );
            if flat.median < bar {
                failures.push(format!(
                    "{engine}, {call}: {:.2} is below {bar:.2}",
                    flat.median
                ));
            }
        }
    }
    match failures.is_empty() {
        true => Ok(()),
        false => Err(failures.join("\n")),
    }
}
