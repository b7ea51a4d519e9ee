//! Rust's tests on this machine: everything on SQLite, and what can differ there once more on PostgreSQL.

use super::Tier;
use super::job::{Job, Lane};
use super::outcome::Outcome;
use super::product::{Product, Products};
use super::step::Plan;
use super::workspace::{self, TestProgram};
use cargo_metadata::Package;
use std::path::Path;
use std::process::{Command, Stdio};
use workbench::{postgres, proxy};

/// The tests of all but the oracle: in one build, so that each dependency is compiled with one set of features.
pub const TESTS: &str =
    "test --no-run --workspace --exclude=phone-oracle --tests --features=pos-connect/rig-tests";
/// With the features that the whole workspace has: most of what they need is compiled by then.
pub const ORACLE_TESTS: &str =
    "test --no-run --workspace --test=phone --features=pos-connect/rig-tests";
const ORACLE: &str = "phone-oracle";
/// The package that writes man pages, and has no tests.
const UNTESTED: &str = "manual";

/// Files outside of its package that a package's tests read.
const READ: [(&str, &[&str]); 4] = [
    (
        "pos-connect",
        &[
            "pkg-template",
            "docs",
            "tests/phone.rs",
            "tests/phone",
            "relay/src",
        ],
    ),
    ("torture-harness", &["src"]),
    ("image", &["dist"]),
    ("xtask", &["."]),
];

/// The packages whose tests run on both databases.
const SERVERS: [&str; 2] = ["pos-connect-service", "pos-connect-relay"];

pub fn jobs(plan: &Plan) -> Vec<Job> {
    let of = |package: &Package| {
        let name = package.name.clone();
        let product = match name.as_ref() {
            UNTESTED => return None,
            ORACLE if plan.tier == Tier::First => return None,
            ORACLE => Product::OracleTests,
            _ => Product::NativeTests,
        };
        let tier = plan.tier;
        let work = {
            let (name, manifest) = (name.clone(), package.manifest_path.clone());
            move |products: &Products, outcome: &mut Outcome| {
                let all = products.tests(product)?;
                let programs = all.iter().filter(|program| program.manifest == manifest);
                let needs = SQLITE_NEEDS.iter().filter(|(package, _)| name == *package);
                let skipped: Vec<_> = needs
                    .flat_map(|(_, needs)| skipped(needs, outcome))
                    .collect();
                let commands = programs.map(|program| {
                    let mut test = command_for(program, tier);
                    test.env_remove(postgres::VARIABLE);
                    if is_a_servers(program) {
                        test.args(ON_SQLITE).args(&skipped);
                    }
                    test
                });
                outcome.tests(&name, commands)
            }
        };
        let read = READ.iter().filter(|(package, _)| name == *package);
        let watches = plan.workspace.folders(package).into_iter();
        let proxies = name == SERVERS[0] && plan.tier != Tier::First;
        let job = Job::new("native", &*name, work).needs([product]);
        Some(
            job.needs(proxies.then_some(Product::Proxies))
                .watches(watches)
                .watches(read.flat_map(|(_, paths)| paths.iter().copied()))
                .watches(["Cargo.toml", "Cargo.lock", "rust-toolchain.toml"]),
        )
    };
    let packages = plan.workspace.packages.iter().filter_map(of);
    packages
        .chain((plan.tier != Tier::First).then(examples))
        .collect()
}

/// Tests the examples in the documentation of all packages.
fn examples() -> Job {
    let work = |_: &Products, outcome: &mut Outcome| {
        outcome.tests("examples", [workspace::examples(TESTS)?])
    };
    let job = Job::new("native", "examples", work).lane(Lane::Cargo);
    job.needs([Product::NativeTests])
        .watches(["*.rs", "*.toml", "Cargo.lock"])
}

/// On which database the tests of service and relay run: the modules that their `main.rs` names.
const ON_SQLITE: [&str; 3] = ["--include-ignored", "--skip", "postgres::"];
const ON_POSTGRES: [&str; 3] = ["--include-ignored", "both::", "postgres::"];

fn command_for(program: &TestProgram, tier: Tier) -> Command {
    let mut command = Command::new(&program.path);
    command.current_dir(program.manifest.parent().unwrap_or(Path::new("/")));
    // They wait for disks, timers and each other more than they compute.
    command.arg("--test-threads=8");
    if tier != Tier::Nightly {
        command.env("PROPTEST_RNG_SEED", "2611");
    }
    command
}

/// The tests in `service/tests/service` and `relay/tests/relay`.
fn is_a_servers(program: &TestProgram) -> bool {
    ["service", "relay"].contains(&program.target.as_str())
}

pub fn on_postgres(plan: &Plan) -> Vec<Job> {
    let of = |name: &'static str| {
        let package = plan.workspace.package(name)?;
        let (tier, manifest) = (plan.tier, package.manifest_path.clone());
        let job = Job::new("postgres", name, move |products, outcome| {
            let all = products.tests(Product::NativeTests)?;
            let programs = all
                .iter()
                .filter(|one| one.manifest == manifest && is_a_servers(one));
            let server = products.postgres()?;
            let skipped = skipped(POSTGRES_NEEDS, outcome);
            let commands = programs.map(|program| {
                let mut test = command_for(program, tier);
                test.args(ON_POSTGRES)
                    .args(&skipped)
                    .env(postgres::VARIABLE, &server.url);
                test
            });
            outcome.tests(name, commands)
        });
        let job = job.needs([Product::NativeTests, Product::Postgres]);
        Some(job.watches(plan.workspace.folders(package)))
    };
    SERVERS.into_iter().filter_map(of).collect()
}

/// Tests that need more of the machine, as libtest picks them, and whether it is there.
type Need = (&'static str, fn() -> bool);
const SQLITE_NEEDS: [(&str, &[Need]); 2] = [
    (
        SERVERS[0],
        &[
            ("proxies::a_till_connects_behind_nginx", || {
                proxy::find("nginx").is_some()
            }),
            ("proxies::a_till_connects_behind_caddy", || {
                proxy::find("caddy").is_some()
            }),
            ("reserve::on_a_full_disk", can_mount),
        ],
    ),
    (SERVERS[1], &[("reserve::on_a_full_disk", can_mount)]),
];
const POSTGRES_NEEDS: &[Need] = &[("full_tablespace::", can_mount)];

/// Counts those that cannot run here as skipped, says so, and gives libtest's options that leave them out.
fn skipped(needs: &[Need], outcome: &mut Outcome) -> Vec<&'static str> {
    let missing = needs.iter().filter(|(_, is_there)| !is_there());
    missing
        .flat_map(|(name, _)| {
            outcome.tally.skipped += 1;
            println!("test: {name} cannot run here; the reason stands beside it");
            ["--skip", name]
        })
        .collect()
}

/// Root in a container often cannot.
fn can_mount() -> bool {
    let mut unshare = Command::new("unshare");
    unshare.args(["--mount", "true"]).stderr(Stdio::null());
    unshare.status().is_ok_and(|status| status.success())
}
