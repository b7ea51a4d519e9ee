//! A service that runs for long: integrations are created, expire, are connected and erased, while its clock jumps from
//! hour to hour. Its memory and its files must stay as large as they were halfway.

pub mod gauge;
mod life;

use crate::Orders;
use crate::dice::Dice;
use crate::programs::{Merchant, Vendor, address};
use crate::table::{self, Counts};
use gauge::{Gauge, Samples};
use life::{Caller, ROWS};
use serde_json::Value;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use workbench::http::Line;
use workbench::process::Process;
use workbench::service;
use workbench::{Result, files, repo};

/// What the service holds longest is kept for 31 days: so long it grows. That passes in a quarter of the run.
const KEPT: u64 = 31 * 24 * 60 * 60;
const CALLERS: u64 = 4;
/// After each life its caller rests, in parts of that life's time: the service does a third of what it can.
const REST: u32 = 2;

/// `orders.runs` is the number of minutes.
pub fn run(orders: &Orders) -> Result<()> {
    println!("torture: compiling the service that is soaked, optimized");
    let [program] = service::optimized(["soak"])?;
    let folder = repo::made("torture").join("soak");
    files::remove(&folder)?;
    files::create_folder(&folder)?;
    let (database, seconds) = (folder.join("service.db"), orders.runs * 60);
    let jump = 4 * KEPT / seconds;
    // `service/examples/soak.rs`, running until dropped.
    let mut soak = Command::new(program);
    let (process, hello): (_, Value) = Process::start(soak.arg(&database).arg(jump.to_string()))?;
    let text = |name: &str| hello[name].as_str().unwrap_or_default().to_owned();
    let service = address(&text("baseUrl")).ok_or("the service did not say where it listens")?;
    let caller = |number: u64| Caller {
        service,
        line: Line::new(service),
        vendor: Vendor {
            id: text("clientId"),
            secret: text("clientSecret"),
        },
        merchant: Merchant {
            email: text("email"),
            password: text("password"),
        },
        dice: Dice::new(orders.seed, &number.to_string()),
        counts: Counts::new(),
    };
    println!(
        "soak: {} minutes, {:.1} hours each second",
        orders.runs,
        jump as f64 / 3600.0
    );
    let is_over = AtomicBool::new(false);
    let (samples, counts) = thread::scope(|scope| {
        let callers: Vec<_> = (0..CALLERS).map(caller).collect();
        let is_over = &is_over;
        let threads = callers
            .into_iter()
            .map(|caller| scope.spawn(move || call(caller, is_over)));
        let threads: Vec<_> = threads.collect();
        let samples = watch(&process, &database, Duration::from_secs(seconds));
        is_over.store(true, Ordering::Relaxed);
        let joined = threads
            .into_iter()
            .map(|thread| thread.join().map_err(|_| "a caller broke off".to_owned())?);
        (samples, joined.collect::<Result<Vec<Counts>>>())
    });
    let (samples, mut sum) = (samples?, Counts::new());
    for counts in counts? {
        counts
            .iter()
            .for_each(|(row, count)| *sum.entry(row).or_default() += count);
    }
    table::print(&ROWS, &[("integrations", &sum)]);
    let mut faults: Vec<String> = life::fault(&sum).into_iter().collect();
    for gauge in Gauge::ALL {
        let (line, fault) = samples.verdict(gauge);
        println!("soak: {line}");
        faults.extend(fault);
    }
    match faults.is_empty() {
        true => Ok(()),
        false => Err(faults.join("\n")),
    }
}

/// Until it is over; an error is what went wrong first.
fn call(mut caller: Caller, is_over: &AtomicBool) -> Result<Counts> {
    let mut wrong = Ok(());
    while !is_over.load(Ordering::Relaxed) {
        let begun = Instant::now();
        let life = caller.life();
        wrong = wrong.and(life);
        thread::sleep(REST * begun.elapsed());
    }
    wrong.map(|()| caller.counts)
}

/// Looks once a second.
fn watch(process: &Process, database: &std::path::Path, time: Duration) -> Result<Samples> {
    let (begun, mut samples) = (Instant::now(), Samples::default());
    while begun.elapsed() < time {
        thread::sleep(Duration::from_secs(1));
        for gauge in Gauge::ALL {
            samples.add(gauge, gauge.read(process.id(), database)?);
        }
    }
    Ok(samples)
}
