//! A PostgreSQL for the tests: a server of our own on loopback, gone without a trace when the tests are over.

use crate::process::Process;
use crate::{Result, debian, files, port};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Tells the tests where a server is. Who sets it for us has a server already, and we start none.
pub const VARIABLE: &str = "POS_TEST_POSTGRES";

const PROGRAMS: [&str; 3] = ["initdb", "pg_ctl", "postgres"];
/// Debian keeps them here, by version, and not on `PATH`.
const DEBIAN_VERSIONS: &str = "/usr/lib/postgresql";
/// Somebody else may take the port before the server does.
const ATTEMPTS: u32 = 3;

/// Runs until dropped.
pub struct Postgres {
    /// As `VARIABLE` wants it.
    pub url: String,
    _server: Option<Process>,
}

impl Postgres {
    /// The one that `VARIABLE` names, or one of our own.
    pub fn start() -> Result<Self> {
        if let Ok(url) = env::var(VARIABLE) {
            println!("postgres: the server that {VARIABLE} names");
            return Ok(Self { url, _server: None });
        }
        Self::own()
    }

    /// An empty one.
    pub fn own() -> Result<Self> {
        Self::with("careless")
    }

    /// An empty one whose commits wait for the disk, as an operator's do.
    pub fn durable() -> Result<Self> {
        Self::with("durable")
    }

    fn with(care: &str) -> Result<Self> {
        let programs = programs().ok_or_else(|| {
            let names = PROGRAMS.join(", ");
            format!(
                "PostgreSQL cannot be started: {names} not found; on Debian, as root: apt-get install postgresql; or \
                 name a server with {VARIABLE}"
            )
        })?;
        let mut attempt = 0;
        loop {
            attempt += 1;
            match serve(&programs, care) {
                Err(error) if attempt == ATTEMPTS => return Err(error),
                Err(error) => println!("postgres: {error}; trying again"),
                Ok(postgres) => return Ok(postgres),
            }
        }
    }
}

fn serve(programs: &Path, care: &str) -> Result<Postgres> {
    let port = port::free();
    println!("postgres: starting {} on port {port}", programs.display());
    let mut shell = unprivileged("sh")?;
    shell
        .args(["-c", include_str!("postgres.sh"), "postgres.sh"])
        .arg(programs)
        .arg(port.to_string())
        .arg(care)
        .current_dir("/");
    let server = Process::attended("PostgreSQL", &mut shell)?;
    Ok(Postgres {
        url: format!("postgres://postgres@127.0.0.1:{port}/postgres?sslmode=disable"),
        _server: Some(server),
    })
}

/// Installs it where it is missing and that is possible.
pub fn prepare() -> Result<()> {
    if env::var_os(VARIABLE).is_some() || programs().is_some() || !debian::can_install() {
        return Ok(());
    }
    // Else Debian would make a cluster and start it, and a server that nobody asked for would stay.
    let folder = Path::new("/etc/postgresql-common/createcluster.d");
    let no_cluster = folder.join("pos-connect.conf");
    files::create_folder(folder)?;
    files::write(&no_cluster, "create_main_cluster = false\n")?;
    let result = debian::install(&["postgresql"]);
    files::remove(&no_cluster)?;
    result
}

/// The folder of the server's programs; Debian's newest, unless `PATH` has them.
fn programs() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut versions: Vec<(u32, PathBuf)> = std::fs::read_dir(DEBIAN_VERSIONS)
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let version = entry.file_name().to_str()?.parse().ok()?;
            Some((version, entry.path().join("bin")))
        })
        .collect();
    versions.sort();
    let versions = versions.into_iter().rev().map(|(_, folder)| folder);
    env::split_paths(&path)
        .chain(versions)
        .find(|folder| PROGRAMS.iter().all(|name| folder.join(name).is_file()))
}

/// Who runs a server of ours.
pub struct Owner {
    /// Number of the user.
    pub user: u32,
    /// Number of the group.
    pub group: u32,
}

/// Root, whom PostgreSQL refuses, hands a server of ours over to this one.
pub fn owner() -> Result<Owner> {
    let named = |name| {
        let (user, group) = (id("-u", name)?, id("-g", name)?);
        Some(Owner { user, group })
    };
    let owner = ["postgres", "nobody"].into_iter().find_map(named);
    owner.ok_or_else(|| {
        "PostgreSQL does not run as root, and there is no user postgres or nobody".to_owned()
    })
}

/// Not as root: the owner then runs it, in a folder that they can reach.
fn unprivileged(program: &str) -> Result<Command> {
    if !debian::is_root() {
        return Ok(Command::new(program));
    }
    let Owner { user, group } = owner()?;
    let mut command = Command::new("setpriv");
    command
        .arg(format!("--reuid={user}"))
        .arg(format!("--regid={group}"))
        .args(["--clear-groups", program])
        .env("TMPDIR", "/tmp");
    Ok(command)
}

/// The number of a user or of their group; none, if there is no such user.
fn id(option: &str, user: &str) -> Option<u32> {
    let answer = Command::new("id").args([option, user]).output().ok()?;
    let number = String::from_utf8(answer.stdout).ok()?;
    number.trim().parse().ok()
}
