//! What CONTRIBUTING says that a developer may type: wasm-pack alone, which finds its tools and the driver on `PATH`.

use crate::engine::{Engine, Engines};
use crate::outcome::Outcome;
use crate::{Result, command, files, repo};
use std::ffi::OsStr;
use std::process::Command;

/// What `wasm-pack build` writes.
const MADE: [&str; 4] = [
    "package.json",
    "pos_connect.d.ts",
    "pos_connect.js",
    "pos_connect_bg.wasm",
];

/// The build, and, where there is Chromium, one small file of tests.
pub fn check(engines: &Engines, path: &OsStr, outcome: &mut Outcome) {
    outcome.note(build(path));
    let mut drivers = engines.iter().flatten();
    if drivers.any(|driver| driver.engine == Engine::Chromium) {
        let words = "test --headless --chrome --test phone";
        // As the other tests are compiled: else this would compile all of it once more.
        let (name, value) = crate::suite::NO_DEBUG_INFO;
        outcome.tests(
            &format!("wasm-pack {words}"),
            wasm_pack(words, path).env(name, value),
        );
    }
}

/// Not into `pkg/`, where the npm package may be.
fn build(path: &OsStr) -> Result<()> {
    let folder = repo::made("bare");
    files::remove(&folder)?;
    command::run(wasm_pack("build --out-dir", path).arg(&folder))?;
    for name in MADE {
        files::read(&folder.join(name))?;
    }
    Ok(())
}

fn wasm_pack(words: &str, path: &OsStr) -> Command {
    let mut wasm_pack = Command::new("wasm-pack");
    wasm_pack
        .current_dir(repo::root())
        .args(words.split(' '))
        .env("PATH", path);
    wasm_pack
}
