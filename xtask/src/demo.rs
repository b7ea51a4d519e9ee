//! `cargo xtask demo`: the demo till and the service behind it, ready to click through.

use crate::args::Args;
use crate::relay::Relay;
use crate::service::{self, Demo, Hello};
use crate::{Result, files, package, repo, simulation};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::ffi::OsStr;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use workbench::process::Process;

const PORT: u16 = 8080;
const TILL_PORT: u16 = 8081;
const RELAY_PORT: u16 = 8090;

pub fn run(mut args: Args) -> Result<()> {
    if args.flag("--static") {
        args.finish()?;
        return simulation::serve();
    }
    let through_relay = args.flag("--relay");
    let listen = args.value("--listen")?;
    let till_listen = args.value("--till-listen")?;
    args.finish()?;
    let program = build()?;
    let till = assemble_till()?;
    let listen = listen.map_or_else(|| free_address(PORT, &[]), Ok)?;
    let till_listen = till_listen.map_or_else(|| free_address(TILL_PORT, &[&listen]), Ok)?;
    let folder = repo::made("demo");
    files::create_folder(&folder)?;
    let relay = match through_relay {
        false => None,
        true => {
            let program = service::program(service::RELAY)?;
            let address = free_address(RELAY_PORT, &[&listen, &till_listen])?;
            Some(Relay::new(program, &folder, address))
        }
    };
    // One for each address: a second demo would take the vendor's secret and origins away from the first.
    let database = folder.join(format!("{}.db", listen.replace(':', "-")));
    // What the shoppers' phones would show; the till shows it.
    let messages = format!("file:{}", database.with_extension("messages").display());
    let database = format!("sqlite://{}", database.display());
    let options = [
        OsStr::new("--till"),
        till.as_os_str(),
        "--database".as_ref(),
        database.as_ref(),
        "--listen".as_ref(),
        listen.as_ref(),
        "--till-listen".as_ref(),
        till_listen.as_ref(),
        "--messages".as_ref(),
        messages.as_ref(),
    ];
    serve(&program, &options, relay.as_ref())
}

/// The package, and the service beside it: tools are installed and linked by one thread for long, which leaves the
/// other processors to the service. Gives the service's program.
fn build() -> Result<PathBuf> {
    println!("demo: compiling the service");
    thread::scope(|scope| {
        let program = scope.spawn(|| service::program(service::NAME));
        package::build()?;
        program
            .join()
            .map_err(|_| "the service was not compiled, see above")?
    })
}

/// Runs the demo until it is stopped. The till talks to the relay, or else to the service, with the secret in its page.
fn serve(program: &Path, options: &[&OsStr], through: Option<&Relay>) -> Result<()> {
    let (mut demo, relay) = match through {
        None => (Demo::start(program, options, Stdio::inherit(), None)?, None),
        Some(relay) => {
            let (url, key) = (relay.url(), relay.add_till()?);
            let more = [OsStr::new("--demo-relay"), url.as_ref()];
            let options = [options, &more].concat();
            let demo = Demo::start(program, &options, Stdio::inherit(), Some(&key))?;
            let relay = relay.start(&demo.hello, Stdio::inherit())?;
            (demo, Some(relay))
        }
    };
    let stopped = stop_on_signal(&demo.process, relay.as_ref())?;
    greet(&demo.hello, through);
    let status = demo.process.wait()?;
    if let (true, Some(mut relay)) = (stopped.load(Ordering::SeqCst), relay) {
        relay.wait()?;
    }
    if stopped.load(Ordering::SeqCst) {
        println!("demo: stopped");
        return Ok(());
    }
    Err(format!("the service ended by itself ({status})"))
}

/// The pages of `www/`, with the package beside them as a till would serve it.
pub fn assemble_till() -> Result<PathBuf> {
    assemble("till", &repo::package())
}

/// The demo's site with any package, in a folder of that name.
pub fn assemble(name: &str, package: &Path) -> Result<PathBuf> {
    let till = repo::made(name);
    files::remove(&till)?;
    files::copy_tree(&repo::root().join("www"), &till)?;
    for file in files::list(package)?
        .iter()
        .filter(|file| file.extension().is_none_or(|end| end != "tgz"))
    {
        files::copy(&package.join(file), &till.join("pos-connect").join(file))?;
    }
    Ok(till)
}

/// `port` on loopback, or the next one that nobody has; never one of `others`.
fn free_address(port: u16, others: &[&str]) -> Result<String> {
    let address = |port: u16| format!("127.0.0.1:{port}");
    let free = |port: &u16| {
        let address = address(*port);
        !others.contains(&&*address) && TcpListener::bind(address).is_ok()
    };
    let found = (port..port + 100)
        .find(free)
        .ok_or_else(|| format!("no free port from {port} on; name one with --listen"))?;
    if found != port {
        println!("demo: port {port} is in use, taking {found} instead");
    }
    Ok(address(found))
}

fn stop_on_signal(service: &Process, relay: Option<&Process>) -> Result<Arc<AtomicBool>> {
    let stopped = Arc::new(AtomicBool::new(false));
    let (flag, stop) = (Arc::clone(&stopped), service.stopper());
    let stop_relay = relay.map(Process::stopper);
    let signals = Signals::new([SIGINT, SIGTERM, SIGHUP]);
    let mut signals = signals.map_err(|error| error.to_string())?;
    thread::spawn(move || {
        for _ in signals.forever() {
            flag.store(true, Ordering::SeqCst);
            stop();
            if let Some(stop_relay) = &stop_relay {
                stop_relay();
            }
        }
    });
    Ok(stopped)
}

fn greet(hello: &Hello, relay: Option<&Relay>) {
    let mode = match relay {
        None => "straight to the service; the client secret is in its page".to_owned(),
        Some(relay) => format!(
            "through the relay {}, which keeps the tokens; its page has no secret",
            relay.url()
        ),
    };
    println!(
        "
  The demo till:   {}
  It talks         {mode}

  Open it, press \"Connect account\" and sign in as
    Email          {}
    Password       {}
  Text messages are simulated: none is sent, the till shows them

  Service {}, connect page {}, client id {}
  Ctrl-C stops it.
",
        hello.till_url,
        hello.account.email,
        hello.account.password,
        hello.base_url,
        hello.connect_url,
        hello.client_id
    );
}
