//! Storms in one page: random calls, hands and faults, in Chromium. The storm itself is `tests/hostile/storm.test.js`.

use crate::Orders;
use workbench::engine::{self, Engine};
use workbench::{Result, command, npm, repo};

/// The steps of a run.
const STEPS: u64 = 10_000;

pub fn run(orders: &Orders) -> Result<()> {
    let folder = repo::root().join("tests/hostile");
    npm::install(&folder)?;
    let driver = engine::prepare(Engine::Chromium)?;
    let (seed, runs) = match orders.run {
        Some(run) => (orders.seed + run, 1),
        None => (orders.seed, orders.runs),
    };
    command::run(
        driver
            .node()
            .current_dir(&folder)
            .args("--test --test-concurrency=1 --test-reporter=spec".split(' '))
            .arg("storm.test.js")
            .env("POS_PACKAGE", repo::tarball())
            .env("STORM_SEED", seed.to_string())
            .env("STORM_RUNS", runs.to_string())
            .env("STORM_STEPS", STEPS.to_string()),
    )
}
