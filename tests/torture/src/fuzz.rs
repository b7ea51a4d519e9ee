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
    let (vendor, merchant) = (
        &service.vendor,
        service.merchants.first().ok_or("no merchant")?,
    );
    let fuzz = |name: &str, at: SocketAddr, till: Option<String>, keys: &[Value], more: &[&str]| {
        println!("fuzz: {name}");
        let mut world = world(vendor, merchant, running.address, &folder);
        if till.is_some() {
            world["keys"] = json!({"client_id": vendor.id});
        }
        (world["at"], world["till"]) = (json!(format!("http://{at}")), till.into());
        world["serverKeys"] = json!(keys);
        let file = folder.join(format!("{name}.json"));
        files::write(&file, world.to_string())?;
        let mut fuzzer = Command::new(&python);
        fuzzer
            .arg(repo::root().join("tests/torture/fuzz.py"))
            .arg(&file);
        fuzzer.args([
            "--seed",
            &orders.seed.to_string(),
            "--max-examples",
            &orders.runs.to_string(),
        ]);
        command::run(fuzzer.args(more).current_dir(&folder)).map_err(|error| {
            format!("{error}: an answer is not as the document says, or one never came")
        })
    };
    fuzz("service", running.address, None, &[], &[])?;
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
    fuzz("admin", admin, None, &keys, &[])?;
    for (name, options, more) in [
        ("relay", &[][..], &[][..]),
        ("relay-hand-out", &["--hand-out"], &HANDED_OUT),
    ] {
        let at = folder.join(name);
        let launcher =
            programs.relay(&at, "sqlite://relay.db", running.address, vendor, options)?;
        let relay = launcher.start()?;
        let fleet = launcher.admin(&["fleet-key", "add", "--name", "Fuzz"])?["key"].clone();
        let till = Some(launcher.till("fuzz")?);
        fuzz(name, relay.address, till, &[fleet], more)?;
    }
    Ok(())
}

/// What the fuzzer is told, in a file: it has secrets.
fn world(vendor: &Vendor, merchant: &Merchant, service: SocketAddr, folder: &Path) -> Value {
    json!({
        "service": format!("http://{service}"),
        "keys": {"client_id": vendor.id, "client_secret": vendor.secret},
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
