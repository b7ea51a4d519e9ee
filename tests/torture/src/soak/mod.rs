//! A service that runs for long: integrations are created, expire, are connected and erased, while its clock jumps from
//! hour to hour. Its memory and its files must stay as large as they were halfway.

mod gauge;
mod life;

use crate::Orders;
use crate::programs::{Merchant, Vendor, address};
use gauge::{Gauge, Samples};
use life::{Counts, Lives};
use serde_json::Value;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};
use workbench::service::{self, Process};
use workbench::{Result, files, repo};

/// What the service holds longest is kept for 31 days: so long it grows. That passes in a quarter of the run.
const KEPT: u64 = 31 * 24 * 60 * 60;
const SECOND: Duration = Duration::from_secs(1);
/// Of what it can do, measured at full speed for so long.
const LOAD: f64 = 0.3;
const FULL_SPEED: Duration = Duration::from_secs(5);

/// `orders.runs` is the number of minutes.
pub fn run(orders: &Orders) -> Result<()> {
    println!("torture: compiling the service that is soaked, optimized");
    let programs = service::build(&["--release", "--example", "soak"])?;
    let program = programs
        .iter()
        .find(|path| path.file_stem().is_some_and(|stem| stem == "soak"))
        .ok_or("cargo built no soak")?;
    let folder = repo::made("torture").join("soak");
    files::remove(&folder)?;
    files::create_folder(&folder)?;
    let seconds = orders.runs * 60;
    let jump = 4 * KEPT / seconds;
    let soaked = Soaked::start(program, &folder, jump)?;
    let lives = Lives::start(
        soaked.service,
        &soaked.vendor,
        &soaked.merchant,
        orders.seed,
    )?;
    thread::sleep(FULL_SPEED);
    let rate = lives.begun() as f64 / FULL_SPEED.as_secs_f64();
    lives.pace(LOAD * rate);
    println!(
        "soak: {rate:.0} integrations a second at full speed; {:.0} a second for {} minutes, {:.1} hours each second",
        LOAD * rate,
        orders.runs,
        jump as f64 / 3600.0
    );
    let samples = soaked.watch(Duration::from_secs(seconds))?;
    let counts = lives.end();
    tell(&counts);
    let mut faults: Vec<String> = counts.fault().into_iter().collect();
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

fn tell(counts: &Counts) {
    let of = |count: &std::sync::atomic::AtomicU64| count.load(Ordering::Relaxed);
    println!(
        "soak: {} created, {} left to expire, {} cancelled, {} connected and refreshed, {} cut off by a jump",
        of(&counts.created),
        of(&counts.left),
        of(&counts.cancelled),
        of(&counts.connected),
        of(&counts.cut_off)
    );
}

/// `service/examples/soak.rs`, running until dropped.
struct Soaked {
    process: Process,
    service: SocketAddr,
    vendor: Vendor,
    merchant: Merchant,
    database: std::path::PathBuf,
}

impl Soaked {
    fn start(program: &Path, folder: &Path, jump: u64) -> Result<Self> {
        let database = folder.join("service.db");
        let mut command = Command::new(program);
        command.arg(&database).arg(jump.to_string());
        let (process, line) = Process::start(&mut command)?;
        let hello: Value = serde_json::from_str(&line).unwrap_or_default();
        let text = |name: &str| hello[name].as_str().unwrap_or_default().to_owned();
        let service =
            address(&text("baseUrl")).ok_or("the service did not say where it listens")?;
        let vendor = Vendor {
            id: text("clientId"),
            secret: text("clientSecret"),
        };
        let merchant = Merchant {
            email: text("email"),
            password: text("password"),
        };
        Ok(Self {
            process,
            service,
            vendor,
            merchant,
            database,
        })
    }

    /// Looks once a second.
    fn watch(&self, time: Duration) -> Result<Samples> {
        let (begun, mut samples) = (Instant::now(), Samples::default());
        while begun.elapsed() < time {
            thread::sleep(SECOND);
            for gauge in Gauge::ALL {
                samples.add(gauge, gauge.read(self.process.id(), &self.database)?);
            }
        }
        Ok(samples)
    }
}
