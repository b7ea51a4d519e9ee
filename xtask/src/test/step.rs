//! The steps of `cargo xtask test`.

use super::Tier;
use super::job::{Job, Lane};
use super::outcome::Outcome;
use super::product::{Product, Products};
use super::workspace::{self, Workspace};
use super::{native, node, page};
use crate::command::{self, cargo};
use crate::engine::Engine;
use crate::{Result, package};
use std::process::Command;

/// What was asked for.
pub struct Plan {
    pub tier: Tier,
    pub engines: Vec<Engine>,
    pub workspace: Workspace,
}

impl Plan {
    pub fn new(tier: Tier, engines: Vec<Engine>) -> Result<Self> {
        Ok(Self {
            tier,
            engines,
            workspace: Workspace::read()?,
        })
    }
}

/// The steps that are not folders of Node's tests.
#[rustfmt::skip]
static RUST: [Step; 10] = [
    Step { name: "fmt", from: Tier::First, jobs: fmt },
    Step { name: "clippy", from: Tier::First, jobs: clippy },
    Step { name: "native", from: Tier::First, jobs: native::jobs },
    Step { name: "browser", from: Tier::First, jobs: page::jobs },
    Step { name: "package", from: Tier::First, jobs: package },
    Step { name: "torture", from: Tier::First, jobs: torture },
    Step { name: "postgres", from: Tier::All, jobs: native::on_postgres },
    Step { name: "docs", from: Tier::All, jobs: docs },
    Step { name: "wasm-pack", from: Tier::All, jobs: page::typed },
    Step { name: "night", from: Tier::Nightly, jobs: torture_at_night },
];

/// One row is all that it takes to have one more.
struct Step {
    name: &'static str,
    /// The first tier that has it; `--only` takes it from any.
    from: Tier,
    jobs: fn(&Plan) -> Vec<Job>,
}

/// Everything that the plan's tier has.
pub fn jobs(plan: &Plan) -> Result<Vec<Job>> {
    up_to(plan.tier, plan)
}

/// What a tier has, as the plan runs it.
fn up_to(last: Tier, plan: &Plan) -> Result<Vec<Job>> {
    let rust = RUST.iter().filter(|step| step.from <= last);
    let mut jobs: Vec<Job> = rust.flat_map(|step| (step.jobs)(plan)).collect();
    for folder in &node::FOLDERS {
        jobs.extend(folder.jobs(last, plan)?);
    }
    Ok(jobs)
}

/// The jobs that `--only` names: all of a step, from whatever tier.
pub fn named(names: &str, plan: Plan) -> Result<Vec<Job>> {
    let tier = plan.tier.max(Tier::All);
    let plan = Plan { tier, ..plan };
    let all = up_to(Tier::Nightly, &plan)?;
    let names: Vec<&str> = names.split(',').map(str::trim).collect();
    for name in &names {
        if !all.iter().any(|job| job.is_named(name)) {
            return Err(format!(
                "there is no step `{name}`; there are {}",
                self::names()
            ));
        }
    }
    let named = |job: &Job| names.iter().any(|name| job.is_named(name));
    Ok(all.into_iter().filter(named).collect())
}

pub fn names() -> String {
    let rust = RUST.iter().map(|step| step.name);
    let folders = node::FOLDERS.iter().map(|folder| folder.step);
    // Both have a part of the package's step.
    let folders = folders.filter(|name| RUST.iter().all(|step| step.name != *name));
    rust.chain(folders).collect::<Vec<_>>().join(", ")
}

const RUST_FILES: [&str; 3] = ["*.rs", "*.toml", "Cargo.lock"];

fn fmt(_: &Plan) -> Vec<Job> {
    let check =
        |_: &Products, _: &mut Outcome| command::run(cargo().args(["fmt", "--all", "--check"]));
    vec![Job::new("fmt", "", check).watches(RUST_FILES)]
}

/// What clippy said while it compiled everything.
fn clippy(_: &Plan) -> Vec<Job> {
    let check = |products: &Products, outcome: &mut Outcome| {
        let mut warnings = products.warnings();
        warnings.sort();
        warnings.dedup();
        outcome.last_words = warnings.concat();
        match warnings.len() {
            0 => Ok(()),
            count => Err(format!("{count} warnings")),
        }
    };
    let products = [Product::NativeTests, Product::PageTests, Product::Programs];
    vec![
        Job::new("clippy", "", check)
            .needs(products)
            .watches(RUST_FILES),
    ]
}

fn docs(_: &Plan) -> Vec<Job> {
    let check = |_: &Products, outcome: &mut Outcome| {
        for tests in [native::TESTS, workspace::PAGE_TESTS] {
            outcome.note(command::run(&mut workspace::documentation(tests)?));
        }
        Ok(())
    };
    vec![
        Job::new("docs", "", check)
            .lane(Lane::Cargo)
            .needs([Product::NativeTests, Product::PageTests])
            .watches(RUST_FILES),
    ]
}

/// Checks that the package's files, types and size are the expected ones.
fn package(_: &Plan) -> Vec<Job> {
    let check = |_: &Products, _: &mut Outcome| package::check(false);
    let job = Job::new("package", "size", check).needs([Product::Package]);
    vec![
        job.watches(node::PACKAGE.iter().copied())
            .watches(["tests/package"]),
    ]
}

/// A sample of each part, with seeds that stay.
fn torture(plan: &Plan) -> Vec<Job> {
    let tier = plan.tier;
    let check = move |products: &Products, outcome: &mut Outcome| {
        let [service, relay, torture] = products.programs()?;
        let mut torture = Command::new(torture);
        torture
            .env("POS_SERVICE_BIN", service)
            .env("POS_RELAY_BIN", relay);
        let sample = match tier {
            Tier::First => "first",
            _ => "all",
        };
        outcome.tests("torture", [torture.args(["--sample", sample])])
    };
    let job = Job::new("torture", "", check).engine(Engine::Chromium);
    let job = job.needs([Product::Programs, Product::Package]);
    let job = match tier {
        Tier::First => job,
        _ => job.needs([Product::Postgres]),
    };
    vec![job.watches([
        "src",
        "protocol",
        "foundation",
        "service",
        "relay",
        "tests/torture",
    ])]
}

/// Every part with fresh seeds, and whether the parts see what is broken.
fn torture_at_night(_: &Plan) -> Vec<Job> {
    let run = |words: &'static [&'static str]| {
        move |products: &Products, _: &mut Outcome| {
            let [service, relay, torture] = products.programs()?;
            let mut torture = Command::new(torture);
            torture
                .args(words)
                .env("POS_SERVICE_BIN", service)
                .env("POS_RELAY_BIN", relay);
            command::run(&mut torture)
        }
    };
    let needs = [Product::Programs, Product::Package, Product::Postgres];
    let fresh = Job::new("night", "fresh", run(&[]));
    let broken = Job::new("night", "broken", run(&["--broken"]));
    [fresh, broken]
        .map(|job| job.lane(Lane::Cargo).engine(Engine::Chromium).needs(needs))
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(tier: Tier) -> Plan {
        Plan::new(tier, Engine::ALL.to_vec()).unwrap()
    }

    #[test]
    fn a_list_is_read_and_an_unknown_step_refused() {
        let jobs = named("fmt, e2e/connect", plan(Tier::First)).unwrap();
        let names: Vec<String> = jobs.iter().map(Job::key).collect();
        let connect = |engine| format!("e2e/connect.test.js {engine}");
        let connects = ["chromium", "firefox", "webkit"].map(connect);
        assert_eq!(names[0], "fmt");
        assert_eq!(names[1..], connects);
        let nights: Vec<Job> = named("matrix", plan(Tier::First)).unwrap();
        assert_eq!(nights.len(), 1);
        let unknown = named("lint", plan(Tier::First));
        assert!(unknown.is_err_and(|message| message.contains("lint")));
    }

    #[test]
    fn the_help_lists_every_step() {
        let help: Vec<&str> = crate::HELP.split_whitespace().collect();
        assert!(help.join(" ").contains(&names()));
    }

    #[test]
    fn each_tier_has_more_than_the_one_before() {
        let count = |tier| jobs(&plan(tier)).unwrap().len();
        assert!(count(Tier::First) < count(Tier::All));
    }
}
