//! The tests that need Node or a browser.

use crate::engine::{Driver, Engine, Engines};
use crate::outcome::Outcome;
use crate::rig::Rig;
use crate::{
    Result, command, debian, demo, docs, engine, files, npm, package as npm_package, queue, repo,
    service, tool, typed,
};
use serde_json::Value;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;

/// The cargo feature of the browser tests that need a rig. A bare `wasm-pack test` leaves them out.
pub const RIG_TESTS: &str = "rig-tests";

/// wasm-bindgen reads the whole module before each run; with what debuggers want, it is seven times as long.
pub const NO_DEBUG_INFO: (&str, &str) = ("CARGO_PROFILE_DEV_DEBUG", "0");

/// Orca, with the buses and the display that it needs.
const SCREEN_READER: &[&str] = &["orca", "at-spi2-core", "dbus", "xvfb", "xauth"];

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
    outcome.tests("tests/package", node.env("POS_PACKAGE", repo::tarball()));
    Ok(())
}

/// What the pages say, held to the code: their links, their blocks, the names in them. And their site, in a browser.
pub fn guide(engines: &Engines, outcome: &mut Outcome) -> Result<()> {
    npm_package::build()?;
    let site = docs::build()?;
    let (service, relay) = (service()?, service::program(service::RELAY)?);
    // The compilers are those of the package's tests.
    npm::install(&repo::root().join("tests/package"))?;
    npm::install(&repo::root().join("tests/docs"))?;
    // The site's test has its driver and axe from there.
    npm::install(&repo::root().join("tests/e2e"))?;
    let driver = engines.iter().flatten().next();
    let driver = driver.ok_or("the site cannot be opened in a browser: no engine can run")?;
    let mut node = node_tests(driver, "tests/docs")?;
    node.env("POS_SITE", site)
        .env("POS_SCREENSHOTS", repo::made("screenshots").join("site"))
        .env("POS_PACKAGE", repo::tarball())
        .env("POS_SERVICE_BIN", service)
        .env("POS_RELAY_BIN", relay);
    outcome.tests("tests/docs", &mut node);
    Ok(())
}

/// The shopper's number is nowhere that a page can read: in the tarball, whose program is the one that tills run.
pub fn privacy(engines: &Engines, outcome: &mut Outcome) -> Result<()> {
    tarball("tests/privacy", engines, outcome)
}

/// The tarball in pages that do to it what real pages, their libraries and impatient people do.
pub fn hostile(engines: &Engines, outcome: &mut Outcome) -> Result<()> {
    npm::install(&repo::root().join("tests/hostile"))?;
    tarball("tests/hostile", engines, outcome)
}

fn tarball(folder: &str, engines: &Engines, outcome: &mut Outcome) -> Result<()> {
    npm_package::build()?;
    in_halves(engines, folder, outcome, |_, node| {
        node.env("POS_PACKAGE", repo::tarball());
    })
}

/// The SDK's Rust tests, compiled to WebAssembly and run in a page.
pub fn browser(engines: &Engines, outcome: &mut Outcome) -> Result<()> {
    let path = tool::for_wasm()?;
    let service = service()?;
    let suites = wasm_suites()?;
    compile(&path)?;
    typed::check(engines, &path, outcome);
    // These tests wait for most of their time: the three long suites run in all engines at once.
    queue::run(engines, &suites, 9, outcome, |driver, suite, outcome| {
        let what = format!("tests/{}.rs in {}", suite.name, driver.engine.name());
        let mut wasm_pack = wasm_pack_test(driver, suite);
        // A new one each time, so that none sees what another left behind.
        let rig = suite.needs_rig.then(|| Rig::start(&service)).transpose()?;
        if let Some(rig) = &rig {
            beside_rig(&mut wasm_pack, rig.page);
        }
        outcome.tests(&what, wasm_pack.env("PATH", &path));
        Ok(())
    });
    Ok(())
}

/// What wasm-pack would compile, once and before the engines, each of which would otherwise wait for the same.
fn compile(path: &OsStr) -> Result<()> {
    let (name, value) = NO_DEBUG_INFO;
    for features in ["", RIG_TESTS] {
        command::run(
            command::cargo()
                .args(
                    "build --tests --target wasm32-unknown-unknown --package pos-connect"
                        .split(' '),
                )
                .args(["--features", features])
                .env("PATH", path)
                .env(name, value),
        )?;
    }
    Ok(())
}

/// A file in `tests/`. One page each: what one does to its page, no other sees.
#[derive(Debug, PartialEq)]
struct Suite {
    name: String,
    needs_rig: bool,
}

fn wasm_suites() -> Result<Vec<Suite>> {
    let arguments = "metadata --no-deps --format-version 1 --locked";
    let metadata = command::output(command::cargo().args(arguments.split(' ')))?;
    suites_of(&serde_json::from_str(&metadata).map_err(|error| error.to_string())?)
}

/// Every test target of the SDK, whatever it requires: one that cannot run has failed.
fn suites_of(metadata: &Value) -> Result<Vec<Suite>> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let has = |value: &Value, word: &str| list(value).iter().any(|entry| entry == word);
    let suites: Vec<Suite> = list(&metadata["packages"])
        .iter()
        .filter(|package| package["name"] == "pos-connect")
        .flat_map(|package| list(&package["targets"]))
        .filter(|target| has(&target["kind"], "test"))
        .map(|target| Suite {
            name: target["name"].as_str().unwrap_or_default().to_owned(),
            needs_rig: has(&target["required-features"], RIG_TESTS),
        })
        .collect();
    for (needs_rig, kind) in [(true, "with"), (false, "without")] {
        if !suites.iter().any(|suite| suite.needs_rig == needs_rig) {
            return Err(format!(
                "Cargo.toml has no test {kind} `required-features = [\"{RIG_TESTS}\"]`"
            ));
        }
    }
    Ok(suites)
}

/// What a developer types, for one suite.
fn wasm_pack_test(driver: &Driver, suite: &Suite) -> Command {
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
        .args(["--", "--package", "pos-connect", "--test", &suite.name])
        .env(name, value);
    wasm_pack
}

/// What the tests of a rig need more. `page` is the port of the page: its origin is exact, and known to the service.
fn beside_rig(wasm_pack: &mut Command, page: u16) {
    wasm_pack
        .args(["--features", RIG_TESTS])
        // Isolated, the page could not show the connect frame, which is of another origin.
        .env("WASM_BINDGEN_TEST_NO_ORIGIN_ISOLATION", "1")
        .env("WASM_BINDGEN_TEST_ADDRESS", format!("127.0.0.1:{page}"));
}

/// A person's way through the demo till.
pub fn end_to_end(engines: &Engines, outcome: &mut Outcome) -> Result<()> {
    npm_package::build()?;
    let till = demo::assemble_till()?;
    let service = service()?;
    let relay = service::program(service::RELAY)?;
    npm::install(&repo::root().join("tests/e2e"))?;
    let screenshots = |driver: &Driver| repo::made("screenshots").join(driver.engine.name());
    for driver in engines.iter().flatten() {
        files::remove(&screenshots(driver))?;
        files::create_folder(&screenshots(driver))?;
    }
    in_halves(engines, "tests/e2e", outcome, |driver, node| {
        node.env("POS_SERVICE_BIN", &service)
            .env("POS_RELAY_BIN", &relay)
            .env("POS_TILL_DIR", &till)
            .env("POS_SCREENSHOTS", screenshots(driver));
    })
}

/// The pictures in `docs/`, of the demo as it is.
pub fn picture() -> Result<()> {
    npm_package::build()?;
    let till = demo::assemble_till()?;
    let service = service()?;
    let folder = repo::root().join("tests/e2e");
    npm::install(&folder)?;
    let pictures = repo::root().join("docs");
    for driver in engine::prepare(&[Engine::Chromium]) {
        let mut node = driver?.node();
        node.current_dir(&folder)
            .args([OsStr::new("picture.mjs"), pictures.as_os_str()])
            .env("POS_SERVICE_BIN", &service)
            .env("POS_TILL_DIR", &till);
        command::run(&mut node)?;
    }
    Ok(())
}

/// What Orca says of one connection and one order, into `docs/screen-reader.md`.
pub fn speech() -> Result<()> {
    npm_package::build()?;
    let till = demo::assemble_till()?;
    let service = service()?;
    let folder = repo::root().join("tests/e2e");
    npm::install(&folder)?;
    if command::find("orca").is_none() {
        debian::install(&[SCREEN_READER])?;
    }
    let page = repo::root().join("docs/screen-reader.md");
    for driver in engine::prepare(&[Engine::Firefox]) {
        // A display and a session bus of its own: nothing of the desktop's is heard, and nothing is left.
        let mut run = driver?.told(Command::new("xvfb-run"));
        run.args("-a dbus-run-session -- node speech.mjs".split(' '))
            .arg(&page)
            .current_dir(&folder)
            .env("POS_SERVICE_BIN", &service)
            .env("POS_TILL_DIR", &till)
            .env("GNOME_ACCESSIBILITY", "1");
        command::run(&mut run)?;
    }
    Ok(())
}

/// Closed tabs, killed browsers, and tabs that race for one token set.
pub fn tabs(engines: &Engines, outcome: &mut Outcome) -> Result<()> {
    npm_package::build()?;
    let service = service()?;
    // Their driver comes from there.
    npm::install(&repo::root().join("tests/e2e"))?;
    in_halves(engines, "tests/tabs", outcome, |_, node| {
        node.env("POS_SERVICE_BIN", &service)
            .env("POS_PACKAGE_DIR", repo::package());
    })
}

/// The test files of a folder in each engine; `tell` says what they need to know. Three at a time: each keeps half a
/// processor busy, and some must be through before the keypad gives its shopper up.
fn in_halves(
    engines: &Engines,
    folder: &str,
    outcome: &mut Outcome,
    tell: impl Fn(&Driver, &mut Command) + Sync,
) -> Result<()> {
    let halves = halves(folder)?;
    queue::run(engines, &halves, 3, outcome, |driver, files, outcome| {
        let mut node = in_folder(driver.node(), folder, files);
        tell(driver, &mut node);
        outcome.tests(&format!("{folder} in {}", driver.engine.name()), &mut node);
        Ok(())
    });
    Ok(())
}

fn service() -> Result<PathBuf> {
    service::program(service::NAME)
}

/// Node's test runner over the test files of a folder, with an engine's browser.
pub fn node_tests(driver: &Driver, folder: &str) -> Result<Command> {
    Ok(in_folder(driver.node(), folder, &test_files(folder)?))
}

/// Node's test runner over test files of a folder.
fn in_folder(mut node: Command, folder: &str, files: &[PathBuf]) -> Command {
    node.current_dir(repo::root().join(folder))
        // One file at a time: the engines share the machine. One form of output wherever it goes: the counts are
        // read from it.
        .args(["--test", "--test-concurrency=1", "--test-reporter=spec"])
        .arg(format!("--test-timeout={HANG_LIMIT_MS}"))
        .args(files)
        .env("NO_COLOR", "1")
        .env_remove("FORCE_COLOR");
    node
}

/// One by one: Node 20 takes folders and later versions take patterns.
fn test_files(folder: &str) -> Result<Vec<PathBuf>> {
    let mut all = files::list(&repo::root().join(folder))?;
    all.retain(|file| {
        let name = file.to_string_lossy();
        [".test.js", ".test.mjs"]
            .iter()
            .any(|end| name.ends_with(end))
    });
    Ok(all)
}

/// Every second test file of a folder, and the others: three engines in halves keep two processors busy to the end.
fn halves(folder: &str) -> Result<Vec<Vec<PathBuf>>> {
    let (mut even, mut odd) = (Vec::new(), Vec::new());
    for (place, file) in test_files(folder)?.into_iter().enumerate() {
        if place % 2 == 0 {
            even.push(file)
        } else {
            odd.push(file)
        }
    }
    let halves = [even, odd].into_iter();
    Ok(halves.filter(|half| !half.is_empty()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn metadata(required: &str) -> Value {
        let targets = json!([
            {"name": "pos_connect", "kind": ["cdylib", "rlib"]},
            {"name": "browser", "kind": ["test"], "required-features": [required]},
            {"name": "keypad", "kind": ["test"]},
        ]);
        let other = json!({"name": "xtask", "targets": [{"name": "other", "kind": ["test"]}]});
        json!({"packages": [other, {"name": "pos-connect", "targets": targets}]})
    }

    #[test]
    fn every_test_of_the_sdk_is_a_suite() {
        let suite = |name: &str, needs_rig| Suite {
            name: name.to_owned(),
            needs_rig,
        };
        assert_eq!(
            suites_of(&metadata(RIG_TESTS)),
            Ok(vec![suite("browser", true), suite("keypad", false)])
        );
    }

    #[test]
    fn a_renamed_feature_is_noticed() {
        assert!(suites_of(&metadata("rig")).is_err_and(|message| message.contains(RIG_TESTS)));
    }

    #[test]
    fn every_test_file_is_in_one_half() {
        for folder in ["tests/e2e", "tests/tabs", "tests/hostile", "tests/privacy"] {
            let halves = halves(folder).unwrap();
            assert!(halves.iter().all(|half| !half.is_empty()), "{folder}");
            let mut files = halves.concat();
            files.sort();
            let mut all = test_files(folder).unwrap();
            all.sort();
            assert_eq!(files, all, "{folder}");
        }
    }

    #[test]
    fn the_files_in_tests_are_suites() {
        let mut suites: Vec<String> = wasm_suites()
            .unwrap()
            .into_iter()
            .map(|suite| suite.name)
            .collect();
        let files = files::list(&repo::root().join("tests")).unwrap();
        let mut names: Vec<String> = files
            .iter()
            .filter(|file| file.components().count() == 1)
            .filter_map(|file| file.to_str()?.strip_suffix(".rs"))
            .map(str::to_owned)
            .collect();
        suites.sort();
        names.sort();
        assert_eq!(suites, names);
    }
}
