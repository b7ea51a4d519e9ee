//! Calls that Schemathesis makes up from the documents of service, admin API and relay. `fuzz.py` says what must hold
//! of them, and how.

use crate::Orders;
use crate::programs::{MESSAGES, Merchant, PATIENT, Vendor};
use serde_json::{Value, json};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::Command;
use workbench::{Result, command, files, port, repo, tool};

/// An admin key has 1,000 calls at once.
const ADMIN_KEYS: usize = 20;
const ADMIN_SCOPES: &str = "vendors:read,vendors:write,accounts:read,accounts:write,token-sets:read,token-sets:write,\
     orders:write,messages:read,messages:write,audit:read";
const ORIGIN: &str = "http://127.0.0.1:1";
/// Only what is handed out can be acknowledged.
const HANDED_OUT: [&str; 4] = [
    "--include-operation-id",
    "pickUpTokens",
    "--include-operation-id",
    "acknowledgeTokens",
];

/// `orders.runs` is the number of calls that are made up for each operation.
pub fn run(orders: &Orders) -> Result<()> {
    let python = python()?;
    let programs = orders.programs()?;
    let folder = repo::made("torture").join("fuzz");
    files::remove(&folder)?;
    files::create_folder(&folder)?;
    // What the fuzzer creates stays.
    let admin = SocketAddr::from((Ipv4Addr::LOCALHOST, port::free()));
    let admin_listen = admin.to_string();
    let more = [
        "--pending-per-vendor",
        "8000",
        "--admin-listen",
        &admin_listen,
    ];
    let options = [&PATIENT[..], &more].concat();
    let at = folder.join("service");
    let service = programs.service(&at, "sqlite://service.db", ORIGIN, 1, &options)?;
    let running = service.launcher.start()?;
    let merchant = service.merchants.first().ok_or("no merchant")?;
    let fuzzer = Fuzzer {
        python,
        orders,
        world: world(&service.vendor, merchant, running.address, &folder),
        folder: &folder,
    };
    fuzzer.run("service", running.address, json!({}), &[])?;
    let add = [
        "admin-key",
        "add",
        "--name",
        "Fuzz",
        "--scopes",
        ADMIN_SCOPES,
    ];
    let key = |_| Ok(service.launcher.admin(&add)?["key"].clone());
    let keys: Vec<Value> = (0..ADMIN_KEYS).map(key).collect::<Result<_>>()?;
    fuzzer.run("admin", admin, json!({ "serverKeys": keys }), &[])?;
    for (name, options, more) in [
        ("relay", &[][..], &[][..]),
        ("relay-hand-out", &["--hand-out"], &HANDED_OUT),
    ] {
        let at = folder.join(name);
        let (database, vendor) = ("sqlite://relay.db", &service.vendor);
        let launcher = programs.relay(&at, database, running.address, vendor, options)?;
        let relay = launcher.start()?;
        let fleet = launcher.admin(&["fleet-key", "add", "--name", "Fuzz"])?["key"].clone();
        // The relay has the secret.
        let callers = json!({
            "keys": {"client_id": vendor.id},
            "serverKeys": [fleet],
            "till": launcher.till("fuzz")?,
        });
        fuzzer.run(name, relay.address, callers, more)?;
    }
    Ok(())
}

struct Fuzzer<'a> {
    python: PathBuf,
    orders: &'a Orders,
    /// What each run is told.
    world: Value,
    folder: &'a Path,
}

impl Fuzzer<'_> {
    /// Calls the program at an address. `callers` are the keys that it takes, in place of the service's.
    fn run(&self, name: &str, at: SocketAddr, callers: Value, more: &[&str]) -> Result<()> {
        println!("fuzz: {name}");
        let mut world = self.world.clone();
        world["at"] = json!(format!("http://{at}"));
        for (key, value) in callers.as_object().into_iter().flatten() {
            world[key] = value.clone();
        }
        let file = self.folder.join(format!("{name}.json"));
        files::write(&file, world.to_string())?;
        let (seed, runs) = (self.orders.seed.to_string(), self.orders.runs.to_string());
        let mut fuzzer = Command::new(&self.python);
        fuzzer
            .arg(repo::root().join("tests/torture/fuzz.py"))
            .arg(&file)
            .args(["--seed", &seed, "--max-examples", &runs])
            .args(more);
        command::run(fuzzer.current_dir(self.folder)).map_err(|error| {
            format!("{error}; an answer is not as the document says, or one never came")
        })
    }
}

/// What the fuzzer is told, in a file: it has secrets.
fn world(vendor: &Vendor, merchant: &Merchant, service: SocketAddr, folder: &Path) -> Value {
    json!({
        "service": format!("http://{service}"),
        "keys": {"client_id": vendor.id, "client_secret": vendor.secret},
        "serverKeys": [],
        "till": null,
        "email": merchant.email,
        "password": merchant.password,
        "messages": folder.join("service").join(MESSAGES),
    })
}

/// A Python that has the pinned releases, and nothing else that this machine may have.
fn python() -> Result<PathBuf> {
    let requirements = repo::root().join("tests/torture/requirements.txt");
    let pinned = files::read_text(&requirements)?;
    let release = pinned
        .lines()
        .find(|line| line.starts_with("schemathesis=="));
    let name = release
        .ok_or("requirements.txt has no schemathesis")?
        .replace("==", "-");
    tool::once(&name, "bin/python", |folder| {
        println!("tools: installing {name} from PyPI");
        let mut venv = Command::new("python3");
        command::run(venv.args(["-m", "venv"]).arg(folder)).map_err(|error| {
            format!("{error}; Python 3.10 or newer is needed, with its venv module")
        })?;
        let mut pip = Command::new(folder.join("bin/python"));
        let words = "-m pip --disable-pip-version-check install --quiet --no-deps --requirement";
        command::run(pip.args(words.split(' ')).arg(&requirements))
    })
}
