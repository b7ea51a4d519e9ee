//! `cargo xtask demo`: the demo till and the service behind it, ready to click through.

use crate::args::Args;
use crate::service::{self, Demo, Hello};
use crate::{Result, files, package, repo};
use std::ffi::OsStr;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const PORT: u16 = 8080;
const TILL_PORT: u16 = 8081;

pub fn run(mut args: Args) -> Result<()> {
    let listen = args.value("--listen")?;
    let till_listen = args.value("--till-listen")?;
    args.finish()?;
    package::build()?;
    println!("demo: compiling the service");
    let programs = service::build(&[])?;
    let program = programs.first().ok_or("cargo built no service")?;
    let till = assemble_till()?;
    let listen = listen.map_or_else(|| free_address(PORT, ""), Ok)?;
    let till_listen = till_listen.map_or_else(|| free_address(TILL_PORT, &listen), Ok)?;
    let folder = repo::made("demo");
    files::create_folder(&folder)?;
    // One for each address: a second demo would take the vendor's secret and origins away from the first.
    let database = folder.join(format!("{}.db", listen.replace(':', "-")));
    let database = format!("sqlite://{}", database.display());
    let options = [
        "--till".as_ref(),
        till.as_os_str(),
        "--database".as_ref(),
        database.as_ref(),
        "--listen".as_ref(),
    ];
    let options: Vec<&OsStr> = options
        .into_iter()
        .chain([
            listen.as_ref(),
            "--till-listen".as_ref(),
            till_listen.as_ref(),
        ])
        .collect();
    let mut demo = Demo::start(program, &options, Stdio::inherit())?;
    let stopped = stop_on_signal(&demo)?;
    greet(&demo.hello);
    let status = demo.wait()?;
    if stopped.load(Ordering::SeqCst) {
        println!("demo: stopped");
        return Ok(());
    }
    Err(format!("the service ended by itself ({status})"))
}

/// The pages of `www/`, with the package beside them as a till would serve it.
pub fn assemble_till() -> Result<PathBuf> {
    let till = repo::made("till");
    files::remove(&till)?;
    files::copy_tree(&repo::root().join("www"), &till)?;
    let package = repo::package();
    for file in files::list(&package)?
        .iter()
        .filter(|file| file.extension().is_none_or(|end| end != "tgz"))
    {
        files::copy(&package.join(file), &till.join("pos-connect").join(file))?;
    }
    Ok(till)
}

/// `port` on loopback, or the next one that nobody has; never the one of `other`.
fn free_address(port: u16, other: &str) -> Result<String> {
    let address = |port: u16| format!("127.0.0.1:{port}");
    let free = |port: &u16| address(*port) != other && TcpListener::bind(address(*port)).is_ok();
    let found = (port..port + 100)
        .find(free)
        .ok_or_else(|| format!("no free port from {port} on; name one with --listen"))?;
    if found != port {
        println!("demo: port {port} is in use, taking {found} instead");
    }
    Ok(address(found))
}

fn stop_on_signal(demo: &Demo) -> Result<Arc<AtomicBool>> {
    let stopped = Arc::new(AtomicBool::new(false));
    let (flag, stop) = (Arc::clone(&stopped), demo.stopper());
    ctrlc::set_handler(move || {
        flag.store(true, Ordering::SeqCst);
        stop();
    })
    .map_err(|error| error.to_string())?;
    Ok(stopped)
}

fn greet(hello: &Hello) {
    println!(
        "
  The demo till:   {}

  Open it, press \"Connect account\" and sign in as
    Email          {}
    Password       {}

  Service {}, connect page {}, client id {}
  Ctrl-C stops it.
",
        hello.till_url,
        hello.email,
        hello.password,
        hello.base_url,
        hello.connect_url,
        hello.client_id
    );
}
