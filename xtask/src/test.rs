//! `cargo xtask test`: every check, and what came of each.

mod changed;
mod job;
mod native;
mod node;
mod outcome;
mod page;
mod product;
mod report;
mod rig;
mod schedule;
mod step;
mod tally;
mod workspace;

pub use self::node::languages;

use self::job::Job;
use self::report::Report;
use self::step::Plan;
use crate::Result;
use crate::args::Args;
use crate::engine::Engine;
use std::collections::BTreeMap;

/// How much of everything runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// What a person waits for: one engine, one database.
    First,
    /// What a merge waits for.
    All,
    /// With fresh seeds, and what takes hours.
    Nightly,
}

pub fn run(mut args: Args) -> Result<()> {
    let (all, nightly) = (args.flag("--all"), args.flag("--nightly"));
    let only = args.value("--only")?;
    let engines = args.value("--engines")?;
    let changed = args.flag("--changed").then(|| "HEAD".to_owned());
    let since = args.value("--since")?.or(changed);
    let repeat = args.number("--repeat")?.unwrap_or(1);
    let under_load = args.flag("--under-load");
    args.finish()?;
    let tier = match (all, nightly) {
        (_, true) => Tier::Nightly,
        (true, _) => Tier::All,
        _ => Tier::First,
    };
    let engines = match (engines, tier) {
        (Some(names), _) => Engine::parse_list(&names)?,
        (None, Tier::First) => vec![Engine::Chromium],
        (None, _) => Engine::ALL.to_vec(),
    };
    let plan = Plan::new(tier, engines)?;
    let mut jobs = match &only {
        Some(names) => step::named(names, plan)?,
        None => step::jobs(&plan)?,
    };
    if let Some(since) = since {
        let paths = changed::since(&since)?;
        jobs.retain(|job| changed::concerns(job, &paths));
        println!("test: {} files changed since {since}", paths.len());
    }
    if jobs.is_empty() {
        println!("test: nothing to run");
        return Ok(());
    }
    let jobs = repeated(jobs, repeat);
    let report = Report::new(tier)?;
    schedule::run(jobs, report, under_load).finish()
}

/// Each job this many times, every job once before any comes again.
fn repeated(jobs: Vec<Job>, times: u64) -> Vec<Job> {
    let turns = 1..=times;
    turns
        .flat_map(|turn| {
            jobs.iter().cloned().map(move |job| Job {
                turn: (times > 1).then_some(turn),
                ..job
            })
        })
        .collect()
}

/// What a runner is told: the variable and its value.
type Variables = BTreeMap<&'static str, std::ffi::OsString>;
