//! Every state of the keypad and of the connect page, in Chromium: a part of the views in the tests, and on demand all
//! of them, with a page that shows the pictures.

use crate::engine::{self, Driver, Engine, Engines};
use crate::outcome::Outcome;
use crate::{Result, demo, files, npm, package, repo, service, suite};
use pos_connect_texts::Language;
use std::path::PathBuf;

/// Each state at each size and text size, in one of the languages and one of the themes.
pub fn check(engines: &Engines, outcome: &mut Outcome) -> Result<()> {
    let mut chromium = engines
        .iter()
        .flatten()
        .filter(|driver| driver.engine == Engine::Chromium);
    match (
        chromium.next(),
        engines.iter().find_map(|one| one.as_ref().err()),
    ) {
        (Some(driver), _) => look(driver, "fast", outcome),
        (None, Some(reason)) => Err(reason.clone()),
        (None, None) => {
            println!("The screens are looked at in Chromium, which is not asked for.");
            Ok(())
        }
    }
}

/// All of them.
pub fn all() -> Result<()> {
    let mut outcome = Outcome::default();
    for driver in engine::prepare(&[Engine::Chromium]) {
        look(&driver?, "all", &mut outcome)?;
    }
    println!("screens: open {}", folder().join("index.html").display());
    match outcome.failures.is_empty() {
        true => Ok(()),
        false => Err(outcome.failures.join("\n")),
    }
}

fn look(driver: &Driver, views: &str, outcome: &mut Outcome) -> Result<()> {
    package::build()?;
    let till = demo::assemble_till()?;
    let service = service::program(service::NAME)?;
    // The driver comes from there.
    npm::install(&repo::root().join("tests/e2e"))?;
    files::remove(&folder())?;
    files::create_folder(&folder())?;
    let mut node = suite::node_tests(driver, "tests/screens")?;
    node.env("POS_SERVICE_BIN", service)
        .env("POS_TILL_DIR", till)
        .env("POS_SCREENS", views)
        .env("POS_LANGUAGES", languages())
        .env("POS_SCREENSHOTS", folder());
    outcome.tests("tests/screens", &mut node);
    Ok(())
}

/// `en:ltr he:rtl`: the shipped ones, and how they are written.
fn languages() -> String {
    let all = Language::ALL.map(|language| format!("{}:{}", language.tag(), language.direction()));
    all.join(" ")
}

fn folder() -> PathBuf {
    repo::made("screens")
}
