//! What is installed or compiled once, for all jobs that need it.

use super::job::{Job, Lane};
use super::native;
use super::outcome::Outcome;
use super::workspace::{self, Build, TestProgram};
use crate::engine::{self, Driver, Engine};
use crate::{Result, demo, docs, npm, repo, service, simulation, tool};
use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};
use workbench::postgres::{self, Postgres};
use workbench::proxy;

/// In the order in which they are made: first what most of the waiting follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Product {
    Engine(Engine),
    /// wasm-bindgen's runner of tests in a page.
    Runner,
    /// What packages the SDK: wasm-pack, and tools from npm.
    Packer,
    /// The packages of a folder's lock file.
    Npm(&'static str),
    Postgres,
    /// nginx and Caddy.
    Proxies,
    /// The SDK's tests, for a page.
    PageTests,
    /// The npm package, and the demo till with it, also over a simulated service. Made on one core, for the most part:
    /// the tests that need no program run beside the build of these.
    Package,
    /// Service, relay and torture harness.
    Programs,
    NativeTests,
    /// Those that compare with the reference of phone numbers; its dependencies are nobody else's.
    OracleTests,
    /// The pages of `docs/`.
    Site,
}

/// The step of all products: no `--only` takes it.
const STEP: &str = "build";

/// What was made.
#[derive(Default)]
pub struct Products {
    drivers: Mutex<Vec<Driver>>,
    postgres: OnceLock<Postgres>,
    runner: OnceLock<PathBuf>,
    site: OnceLock<PathBuf>,
    programs: OnceLock<[PathBuf; 3]>,
    tests: Mutex<HashMap<Product, Arc<[TestProgram]>>>,
    /// What the compiler and clippy warn of.
    warnings: Mutex<Vec<String>>,
}

impl Product {
    /// What has to be there before.
    pub fn needs(self) -> &'static [Self] {
        match self {
            Self::Packer => &[Self::Runner],
            Self::Package => &[Self::Packer],
            Self::Site => &[Self::Package],
            _ => &[],
        }
    }

    pub fn job(self) -> Job {
        let lane = match self {
            Self::PageTests
            | Self::Programs
            | Self::Package
            | Self::NativeTests
            | Self::OracleTests => Lane::Cargo,
            _ => Lane::Tools,
        };
        let work = move |products: &Products, outcome: &mut Outcome| self.make(products, outcome);
        Job {
            provides: Some(self),
            ..Job::new(STEP, self.to_string(), work)
                .lane(lane)
                .needs(self.needs().iter().copied())
        }
    }

    fn make(self, products: &Products, outcome: &mut Outcome) -> Result<()> {
        match self {
            Self::Engine(engine) => {
                let driver = engine::prepare(engine)?;
                lock(&products.drivers).push(driver);
            }
            Self::Runner => keep(&products.runner, tool::test_runner()?),
            Self::Packer => drop(tool::for_wasm()?),
            Self::Npm(folder) => npm::install(&repo::root().join(folder))?,
            Self::Postgres => {
                postgres::prepare()?;
                keep(&products.postgres, Postgres::start()?);
            }
            Self::Proxies => proxy::prepare()?,
            Self::PageTests => {
                tool::wasm_target()?;
                products.compile(self, workspace::PAGE_TESTS, outcome)?;
            }
            Self::Programs => {
                let build = products.compile(self, &programs_and_harness(), outcome)?;
                let program = |name| build.program(name);
                let programs = [service::NAME, service::RELAY, service::TORTURE];
                let [service, relay, torture] = programs.map(program);
                keep(&products.programs, [service?, relay?, torture?]);
            }
            Self::Package => {
                simulation::build()?;
                demo::assemble_till()?;
            }
            Self::NativeTests => drop(products.compile(self, native::TESTS, outcome)?),
            Self::OracleTests => drop(products.compile(self, native::ORACLE_TESTS, outcome)?),
            Self::Site => keep(&products.site, docs::build()?),
        }
        Ok(())
    }
}

impl fmt::Display for Product {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Engine(engine) => return write!(formatter, "{}", engine.name()),
            Self::Npm(folder) => return write!(formatter, "npm packages of {folder}"),
            Self::Runner => "wasm-bindgen",
            Self::Packer => "wasm-pack",
            Self::Postgres => "PostgreSQL",
            Self::Proxies => "nginx and Caddy",
            Self::PageTests => "tests for a page",
            Self::Programs => "service and relay",
            Self::Package => "npm package",
            Self::NativeTests => "native tests",
            Self::OracleTests => "native tests of phone-oracle",
            Self::Site => "site",
        };
        formatter.write_str(name)
    }
}

impl Products {
    pub fn driver(&self, engine: Engine) -> Result<Driver> {
        let drivers = lock(&self.drivers);
        let driver = drivers.iter().find(|driver| driver.engine == engine);
        driver
            .cloned()
            .ok_or_else(|| format!("no {}", engine.name()))
    }

    pub fn postgres(&self) -> Result<&Postgres> {
        made(&self.postgres)
    }

    pub fn runner(&self) -> Result<&PathBuf> {
        made(&self.runner)
    }

    pub fn site(&self) -> Option<&PathBuf> {
        self.site.get()
    }

    /// The service, the relay and the torture harness.
    pub fn programs(&self) -> Result<&[PathBuf; 3]> {
        made(&self.programs)
    }

    /// What cargo made of one of the three products that are tests.
    pub fn tests(&self, of: Product) -> Result<Arc<[TestProgram]>> {
        let tests = lock(&self.tests).get(&of).cloned();
        tests.ok_or_else(|| format!("no {of}"))
    }

    pub fn warnings(&self) -> Vec<String> {
        lock(&self.warnings).clone()
    }

    fn compile(&self, what: Product, words: &str, outcome: &mut Outcome) -> Result<Build> {
        let mut build = workspace::compile(words, outcome)?;
        lock(&self.warnings).append(&mut build.warnings);
        let tests = std::mem::take(&mut build.tests);
        lock(&self.tests).insert(what, tests.into());
        Ok(build)
    }
}

/// Cargo's arguments for what runs beside the tests.
pub fn programs_and_harness() -> String {
    format!(
        "build --bins --examples {} --package=torture-harness",
        service::PACKAGES
    )
}

fn keep<T>(place: &OnceLock<T>, value: T) {
    // With `--repeat`, a product is still made once.
    drop(place.set(value));
}

fn made<T>(place: &OnceLock<T>) -> Result<&T> {
    place.get().ok_or_else(|| "it was not made".to_owned())
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
