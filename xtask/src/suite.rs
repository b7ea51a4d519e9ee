//! The tests that need Node or a browser.

use crate::engine::{Driver, Engine, Engines};
use crate::outcome::Outcome;
use crate::rig::Rig;
use crate::{Result, command, demo, files, npm, package as npm_package, repo, service, tool};
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::thread;

/// wasm-bindgen reads the whole module before each run; with what debuggers want, it is seven times as long.
const NO_DEBUG_INFO: (&str, &str) = ("CARGO_PROFILE_DEV_DEBUG", "0");

/// For a file of tests as a whole, too: only there so that a test which hangs ends the run some day.
const HANG_LIMIT_MS: u32 = 600_000;

/// The tarball, installed as a user installs it.
pub fn package(engines: &Engines, outcome: &mut Outcome) -> Result<()> {
    npm_package::build()?;
    outcome.note(npm_package::check(false));
    npm::install(&repo::root().join("tests/package"))?;
    // What a bundler makes of the package does not depend on the engine that opens it, so one will do.
    let driver = engines
        .iter()
        .flatten()
        .next()
        .ok_or("the package cannot be opened in a browser: no engine can run")?;
    let mut node = node_tests(driver, "tests/package")?;
    outcome.tests(
        "tests/package",
        node.env("POS_PACKAGE", npm_package::tarball()),
    );
    Ok(())
}

/// The shopper's number is nowhere that a page can read: in the tarball, whose program is the one that tills run.
pub fn privacy(engines: &Engines, outcome: &mut Outcome) -> Result<()> {
    npm_package::build()?;
    // These keep a processor busy.
    for_each(engines, 2, outcome, |driver, outcome| {
        let mut node = node_tests(driver, "tests/privacy")?;
        node.env("POS_PACKAGE", npm_package::tarball());
        outcome.tests(
            &format!("tests/privacy in {}", driver.engine.name()),
            &mut node,
        );
        Ok(())
    });
    Ok(())
}

/// The SDK's Rust tests, compiled to WebAssembly and run in a page.
pub fn browser(engines: &Engines, outcome: &mut Outcome) -> Result<()> {
    let path = tool::for_wasm()?;
    let service = service()?;
    let suites = wasm_suites()?;
    compile(&path)?;
    // These tests wait for most of their time.
    for_each(engines, engines.len(), outcome, |driver, outcome| {
        for suite in &suites {
            // A new one each time, so that none sees what another left behind.
            let rig = Rig::start(&service)?;
            let what = format!("tests/{suite}.rs in {}", driver.engine.name());
            let mut wasm_pack = wasm_pack_test(driver, suite, rig.page);
            outcome.tests(&what, wasm_pack.env("PATH", &path));
        }
        Ok(())
    });
    Ok(())
}

/// What wasm-pack would compile, once and before the engines, each of which would otherwise wait for the same.
fn compile(path: &OsStr) -> Result<()> {
    let (name, value) = NO_DEBUG_INFO;
    command::run(
        command::cargo()
            .args("build --tests --target wasm32-unknown-unknown --package pos-connect".split(' '))
            .env("PATH", path)
            .env(name, value),
    )
}

/// The names of the files in `tests/` that are for the browser. One page each: what one does to its page, no other
/// sees.
fn wasm_suites() -> Result<Vec<String>> {
    let folder = repo::root().join("tests");
    let mut suites = Vec::new();
    for file in files::list(&folder)? {
        let top = file.components().count() == 1 && file.extension().is_some_and(|end| end == "rs");
        if top
            && files::read_text(&folder.join(&file))?.contains("#![cfg(target_arch = \"wasm32\")]")
        {
            suites.extend(
                file.file_stem()
                    .map(|name| name.to_string_lossy().into_owned()),
            );
        }
    }
    if suites.is_empty() {
        Err("there are no browser tests in tests/".to_owned())
    } else {
        Ok(suites)
    }
}

/// `page` is the port of the page: its origin is exact, and known to the service.
fn wasm_pack_test(driver: &Driver, suite: &str, page: u16) -> Command {
    let (name, value) = NO_DEBUG_INFO;
    let mut wasm_pack = driver.command("wasm-pack");
    let (browser, driver_option) = match driver.engine {
        Engine::Chromium => ("--chrome", "--chromedriver"),
        Engine::Firefox => ("--firefox", "--geckodriver"),
        Engine::WebKit => ("--safari", "--safaridriver"),
    };
    wasm_pack
        .current_dir(repo::root())
        .args("test --headless --mode no-install".split(' '))
        .args([browser, driver_option])
        .arg(&driver.path)
        .args(["--", "--package", "pos-connect", "--test", suite])
        // Isolated, the page could not show the connect frame, which is of another origin.
        .env("WASM_BINDGEN_TEST_NO_ORIGIN_ISOLATION", "1")
        .env("WASM_BINDGEN_TEST_ADDRESS", format!("127.0.0.1:{page}"))
        .env("WASM_BINDGEN_TEST_DRIVER_TIMEOUT", "120")
        .env("WASM_BINDGEN_TEST_TIMEOUT", "600")
        .env(name, value);
    wasm_pack
}

/// A person's way through the demo till.
pub fn end_to_end(engines: &Engines, outcome: &mut Outcome) -> Result<()> {
    npm_package::build()?;
    let till = demo::assemble_till()?;
    let service = service()?;
    let relay = service::program(service::RELAY)?;
    npm::install(&repo::root().join("tests/e2e"))?;
    // These keep a processor busy, and some must be through before the keypad gives its shopper up.
    for_each(engines, 2, outcome, |driver, outcome| {
        let screenshots = repo::made("screenshots").join(driver.engine.name());
        files::remove(&screenshots)?;
        files::create_folder(&screenshots)?;
        let mut node = node_tests(driver, "tests/e2e")?;
        node.env("POS_SERVICE_BIN", &service)
            .env("POS_RELAY_BIN", &relay)
            .env("POS_TILL_DIR", &till)
            .env("POS_SCREENSHOTS", screenshots);
        outcome.tests(&format!("tests/e2e in {}", driver.engine.name()), &mut node);
        Ok(())
    });
    Ok(())
}

/// Closed tabs, killed browsers, and tabs that race for one token set.
pub fn tabs(engines: &Engines, outcome: &mut Outcome) -> Result<()> {
    npm_package::build()?;
    let service = service()?;
    // Their driver comes from there.
    npm::install(&repo::root().join("tests/e2e"))?;
    for_each(engines, 2, outcome, |driver, outcome| {
        let mut node = node_tests(driver, "tests/tabs")?;
        node.env("POS_SERVICE_BIN", &service)
            .env("POS_PACKAGE_DIR", repo::package());
        outcome.tests(
            &format!("tests/tabs in {}", driver.engine.name()),
            &mut node,
        );
        Ok(())
    });
    Ok(())
}

/// Runs all engines even if one fails, `at_once` of them side by side. One that cannot run at all has failed.
fn for_each(
    engines: &Engines,
    at_once: usize,
    outcome: &mut Outcome,
    test: impl Fn(&Driver, &mut Outcome) -> Result<()> + Sync,
) {
    let run = |driver: &Driver| {
        let mut part = Outcome::labelled(driver.engine.name());
        let result = test(driver, &mut part);
        part.note(result);
        println!("--- {} is through", driver.engine.name());
        part
    };
    let waiting = Mutex::new(engines.iter());
    let take = || waiting.lock().ok()?.next();
    let work = || {
        std::iter::from_fn(take).fold(Outcome::default(), |mut sum, engine| {
            match engine {
                Ok(driver) => sum += run(driver),
                Err(reason) => sum.note(Err(reason.clone())),
            }
            sum
        })
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..at_once).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            match worker.join() {
                Ok(part) => *outcome += part,
                Err(_) => outcome.note(Err("xtask itself failed, see above".to_owned())),
            }
        }
    });
    print!("{}", outcome.log);
}

fn service() -> Result<PathBuf> {
    service::program(service::NAME)
}

/// Node's test runner over the test files of a folder.
fn node_tests(driver: &Driver, folder: &str) -> Result<Command> {
    let tests = files::list(&repo::root().join(folder))?;
    // Named one by one: Node 20 takes folders and later versions take patterns.
    let is_test = |file: &&PathBuf| {
        [".test.js", ".test.mjs"]
            .iter()
            .any(|end| file.to_string_lossy().ends_with(end))
    };
    let tests = tests.iter().filter(is_test);
    let mut node = driver.node();
    node.current_dir(repo::root().join(folder))
        // One file at a time, as the engines share the machine; one form of output wherever it goes, as the counts
        // are read from it.
        .args(["--test", "--test-concurrency=1", "--test-reporter=spec"])
        .arg(format!("--test-timeout={HANG_LIMIT_MS}"))
        .args(tests)
        .env("NO_COLOR", "1")
        .env_remove("FORCE_COLOR");
    Ok(node)
}
