//! `cargo xtask torture`. The harness is a crate of its own, `tests/torture`.

use crate::args::Args;
use crate::outcome::Outcome;
use crate::tally::Tally;
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

/// The step of `cargo xtask test`: a sample.
pub fn check(outcome: &mut Outcome) {
    for one in torture_harness::sample() {
        let result = make(&one);
        let passed = u64::from(result.is_ok());
        outcome.tally += Tally {
            passed,
            failed: 1 - passed,
            skipped: 0,
        };
        outcome.note(result);
    }
}

fn make(torture: &Torture) -> Result<()> {
    if torture.needs_package() {
        package::build()?;
    }
    torture.run()
}
