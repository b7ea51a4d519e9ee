//! Rust's tests on this machine: everything on SQLite, and what can differ there once more on PostgreSQL.

use super::Tier;
use super::job::Job;
use super::outcome::Outcome;
use super::product::{Product, Products};
use super::step::Plan;
use super::workspace::{Package, TestProgram};
use crate::command;
use std::process::{Command, Stdio};
use workbench::postgres;

/// All of the workspace but the oracle: in one build, so that each dependency is compiled with one set of features.
pub const TESTS: [&str; 6] = [
    "test",
    "--no-run",
    "--workspace",
    "--exclude=phone-oracle",
    "--tests",
    "--features=pos-connect/rig-tests",
];
pub const ORACLE_TESTS: [&str; 3] = ["test", "--no-run", "--package=phone-oracle"];
const ORACLE: &str = "phone-oracle";

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
    ("pos-connect-texts", &["docs/texts.md"]),
    ("torture-harness", &["src"]),
    ("xtask", &["."]),
];

/// The packages whose tests run on both databases.
const SERVERS: [&str; 2] = ["pos-connect-service", "pos-connect-relay"];

pub fn jobs(plan: &Plan) -> Vec<Job> {
    let of = |package: &Package| {
        let name = package.name.clone();
        let product = match name.as_str() {
            ORACLE if plan.tier == Tier::First => return None,
            ORACLE => Product::OracleTests,
            _ => Product::NativeTests,
        };
        let folder = package.folder().to_owned();
        let tier = plan.tier;
        let work = {
            let name = name.clone();
            move |products: &Products, outcome: &mut Outcome| {
                let all = match product {
                    Product::OracleTests => products.oracle_tests()?,
                    _ => products.native_tests()?,
                };
                let programs = all.iter().filter(|program| program.package == name);
                let commands = programs.map(|program| {
                    let mut test = command_for(program, tier);
                    test.current_dir(&folder).env_remove(postgres::VARIABLE);
                    test
                });
                outcome.tests(&name, commands)
            }
        };
        let read = READ.iter().filter(|(package, _)| *package == name);
        let watches = plan.workspace.folders(package).into_iter();
        let job = Job::new("native", &*name, work).needs([product]);
        Some(
            job.watches(watches)
                .watches(read.flat_map(|(_, paths)| paths.iter().copied()))
                .watches(["Cargo.toml", "Cargo.lock", "rust-toolchain.toml"]),
        )
    };
    plan.workspace.packages.iter().filter_map(of).collect()
}

fn command_for(program: &TestProgram, tier: Tier) -> Command {
    let mut command = Command::new(&program.path);
    // They wait for disks, timers and each other more than they compute.
    command.arg("--test-threads=8");
    if tier != Tier::Nightly {
        command.env("PROPTEST_RNG_SEED", "2611");
    }
    command
}

pub fn on_postgres(plan: &Plan) -> Vec<Job> {
    let of = |name: &'static str| {
        let package = plan.workspace.package(name)?;
        let folder = package.folder().to_owned();
        let tier = plan.tier;
        let job = Job::new("postgres", name, move |products, outcome| {
            let programs = products.native_tests()?.iter();
            let programs = programs.filter(|program| {
                program.package == name && name.ends_with(program.target.as_str())
            });
            let server = products.postgres()?;
            let commands = programs.map(|program| {
                let mut test = command_for(program, tier);
                test.arg("--include-ignored")
                    .args(missing().flat_map(|name| ["--skip", name]))
                    .current_dir(&folder)
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

/// Tests that need more of the machine than PostgreSQL, as libtest picks them. Where that is missing they are counted
/// as ignored, with the reason that stands beside them.
fn missing() -> impl Iterator<Item = &'static str> {
    let is_there = |program: &str, variable: &str| {
        std::env::var_os(variable).is_some() || command::find(program).is_some()
    };
    [
        (
            "proxies::a_till_connects_behind_nginx",
            is_there("nginx", "POS_TEST_NGINX"),
        ),
        (
            "proxies::a_till_connects_behind_caddy",
            is_there("caddy", "POS_TEST_CADDY"),
        ),
        ("full_tablespace::", can_mount()),
    ]
    .into_iter()
    .filter_map(|(name, can_run)| (!can_run).then_some(name))
}

/// Root in a container often cannot.
fn can_mount() -> bool {
    let mut unshare = Command::new("unshare");
    unshare.args(["--mount", "true"]).stderr(Stdio::null());
    unshare.status().is_ok_and(|status| status.success())
}
