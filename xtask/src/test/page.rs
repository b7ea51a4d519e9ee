//! The SDK's Rust tests, compiled to WebAssembly and run in a page.

use super::Tier;
use super::job::{Job, Lane};
use super::outcome::Outcome;
use super::product::{Product, Products};
use super::rig::Rig;
use super::step::Plan;
use super::workspace::{self, RIG_TESTS};
use crate::engine::Engine;
use crate::{Result, command, files, repo, tool};
use cargo_metadata::Target;
use std::process::Command;

const PACKAGE: &str = "pos-connect";
/// The test that computes, and asks nothing of an engine.
const IN_CHROMIUM: &str = "phone";

/// One page for each file in `tests/`: what one does to its page, no other sees.
pub fn jobs(plan: &Plan) -> Vec<Job> {
    let package = plan.workspace.package(PACKAGE);
    let targets = package.map_or(&[][..], |package| &package.targets);
    let mut jobs = Vec::new();
    for suite in targets.iter().filter(|target| target.is_test()) {
        for &engine in &plan.engines {
            if engine == Engine::Chromium || suite.name != IN_CHROMIUM {
                jobs.push(job(plan, suite, engine));
            }
        }
    }
    jobs
}

fn job(plan: &Plan, suite: &Target, engine: Engine) -> Job {
    let (name, needs_rig) = (
        suite.name.clone(),
        suite.required_features.iter().any(|one| one == RIG_TESTS),
    );
    let job = Job::new("browser", &*suite.name, move |products, outcome| {
        let driver = products.driver(engine)?;
        let tests = products.tests(Product::PageTests)?;
        let test = tests
            .iter()
            .find(|program| program.target == name)
            .ok_or_else(|| format!("cargo built no tests/{name}.rs"))?;
        let runner = driver.command(&products.runner()?.to_string_lossy());
        let mut runner = driver.told(runner);
        runner.current_dir(repo::root()).arg(&test.path);
        // A new one each time, so that none sees what another left behind.
        let rig = needs_rig.then(Rig::start).transpose()?;
        if let Some(rig) = &rig {
            runner
                // Isolated, the page could not show the connect frame, which is of another origin.
                .env("WASM_BINDGEN_TEST_NO_ORIGIN_ISOLATION", "1")
                // The rig's ports are counted from it.
                .env(
                    "WASM_BINDGEN_TEST_ADDRESS",
                    format!("127.0.0.1:{}", rig.page),
                );
        }
        outcome.tests(&name, [runner])
    });
    let job = job
        .engine(engine)
        .needs([Product::Runner, Product::PageTests]);
    let package = plan.workspace.package(PACKAGE);
    job.watches(
        package
            .into_iter()
            .flat_map(|package| plan.workspace.folders(package)),
    )
    .watches([format!("tests/{}", suite.name)])
    .watches(needs_rig.then_some("tests/rig"))
    .watches(["tests/page", "Cargo.toml", "Cargo.lock", "webdriver.json"])
}

/// What CONTRIBUTING says that a developer may type: wasm-pack alone, which finds its tools and the driver on `PATH`.
pub fn typed(plan: &Plan) -> Vec<Job> {
    if plan.tier == Tier::First || !plan.engines.contains(&Engine::Chromium) {
        return Vec::new();
    }
    let job = Job::new("wasm-pack", "", |_: &Products, outcome: &mut Outcome| {
        build()?;
        let tests = wasm_pack("test --headless --chrome --test phone --features rig-tests")?;
        outcome.tests("wasm-pack test", [tests])
    });
    let job = job.lane(Lane::Cargo).engine(Engine::Chromium);
    vec![job.needs([Product::Packer, Product::PageTests]).watches([
        "Cargo.toml",
        "Cargo.lock",
        "webdriver.json",
    ])]
}

/// Not into `pkg/`, where the npm package may be.
fn build() -> Result<()> {
    let folder = repo::made("bare");
    files::remove(&folder)?;
    let mut build = wasm_pack("build --dev --out-dir")?;
    command::run(build.arg(&folder).args(["--", "--features", RIG_TESTS]))?;
    for name in [
        "package.json",
        "pos_connect.d.ts",
        "pos_connect.js",
        "pos_connect_bg.wasm",
    ] {
        files::read(&folder.join(name))?;
    }
    Ok(())
}

/// Compiles as [`workspace::PAGE_TESTS`] are compiled: nothing a second time. The release profile is the package's.
fn wasm_pack(words: &str) -> Result<Command> {
    let mut wasm_pack = Command::new("wasm-pack");
    workspace::with_clippy(&mut wasm_pack)?;
    wasm_pack
        .current_dir(repo::root())
        .args(words.split(' '))
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .env("PATH", tool::for_wasm()?);
    Ok(wasm_pack)
}
