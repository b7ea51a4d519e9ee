//! `cargo xtask torture`. The harness is a crate of its own, `tests/torture`.

use crate::args::Args;
use crate::{Result, broken, package};
use torture_harness::Torture;

pub fn run(mut args: Args) -> Result<()> {
    if args.flag("--broken") {
        args.finish()?;
        return broken::run();
    }
    let chosen = torture_harness::chosen(args)?;
    let failed: Vec<String> = chosen.iter().filter_map(|one| make(one).err()).collect();
    match failed.is_empty() {
        true => Ok(()),
        false => Err(failed.join("\n")),
    }
}

fn make(torture: &Torture) -> Result<()> {
    if torture.needs_package() {
        package::build()?;
    }
    torture.run()
}
