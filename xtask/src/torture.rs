//! `cargo xtask torture`: the npm package where it is needed, then the program in `tests/torture`.

use crate::{Result, command, package};

/// Parts that need no package.
const WITHOUT: [&str; 3] = ["fuzz", "siege", "soak"];

pub fn run(words: Vec<String>) -> Result<()> {
    let only = words
        .iter()
        .position(|word| word == "--only")
        .and_then(|at| words.get(at + 1));
    let only = only.map(|names| names.split(',').all(|name| WITHOUT.contains(&name.trim())));
    // Each of the builds of `--broken` makes its own.
    if only != Some(true) && !words.iter().any(|word| word == "--broken") {
        package::build()?;
    }
    command::run(crate::member("torture-harness").args(words))
}
