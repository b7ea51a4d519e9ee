//! What the person at the terminal sees: a line for each job, and at the end what failed and how to run just that
//! again.

use super::Tier;
use super::job::Job;
use super::outcome::Outcome;
use super::tally::Tally;
use crate::{Result, files, repo};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};

pub struct Report {
    tier: Tier,
    begun: Instant,
    /// Milliseconds that each job took, by its key: of earlier runs, then of this one.
    times: BTreeMap<String, u64>,
    ended: Vec<Ended>,
}

struct Ended {
    job: Job,
    outcome: Outcome,
    time: Duration,
}

impl Report {
    pub fn new(tier: Tier) -> Result<Self> {
        Ok(Self {
            tier,
            begun: Instant::now(),
            times: files::read_json(&times_file()?).unwrap_or_default(),
            ended: Vec::new(),
        })
    }

    /// How long it took when it last ran on this machine.
    pub fn last_time(&self, job: &Job) -> Option<Duration> {
        self.times
            .get(&job.key())
            .copied()
            .map(Duration::from_millis)
    }

    /// The file for what it prints.
    pub fn log(&self, job: &Job) -> PathBuf {
        let is_odd = |c: char| !c.is_alphanumeric() && !".-_".contains(c);
        let name = job.to_string().replace(is_odd, "-");
        repo::made("test").join(name + ".log")
    }

    pub fn running(&self, running: &[(Job, Instant)]) {
        let of = |(job, begun): &(Job, Instant)| {
            let last = self.last_time(job);
            let last = last.map_or_else(String::new, |last| format!(" of {}", clock(last)));
            format!("{job} {}{last}", clock(begun.elapsed()))
        };
        let all: Vec<String> = running.iter().map(of).collect();
        println!("{}  runs   {}", clock(self.begun.elapsed()), all.join(", "));
    }

    pub fn ended(&mut self, job: Job, outcome: Outcome, time: Duration) {
        let verdict = match outcome.failures.is_empty() {
            true => "ok    ",
            false => "FAILED",
        };
        let last = self.last_time(&job);
        let last = last.map_or_else(String::new, |last| {
            format!(" (last {:.1} s)", last.as_secs_f64())
        });
        let tests = match outcome.tally.passed + outcome.tally.failed {
            0 => String::new(),
            count => format!(", {count} tests"),
        };
        let crash = match outcome.crashes {
            0 => "",
            _ => ", again after its browser's page crashed",
        };
        let (now, seconds) = (clock(self.begun.elapsed()), time.as_secs_f64());
        println!("{now}  {verdict} {job}  {seconds:.1} s{last}{tests}{crash}");
        if outcome.failures.is_empty() {
            let milliseconds = u64::try_from(time.as_millis()).unwrap_or_default();
            self.times.insert(job.key(), milliseconds);
        }
        self.ended.push(Ended { job, outcome, time });
    }

    /// Says what failed, and how long everything took; the error where something failed.
    pub fn finish(self) -> Result<()> {
        let times = serde_json::to_string_pretty(&self.times).map_err(|error| error.to_string())?;
        files::create_folder(&repo::cache()?)?;
        files::write(&times_file()?, times)?;
        let failed: Vec<&Ended> = self.ended.iter().filter(|one| one.has_failed()).collect();
        for Ended { job, outcome, .. } in &failed {
            println!("\n=== {job}: {}", outcome.failures.join("; "));
            print!("{}", outcome.last_words);
            println!("    all of it: {}", self.log(job).display());
        }
        self.summarize();
        if failed.is_empty() {
            return Ok(());
        }
        Err(format!(
            "not everything passed; these again: {}",
            self.again(&failed)
        ))
    }

    fn summarize(&self) {
        println!("\n=== summary");
        let steps: BTreeSet<&str> = self.ended.iter().map(|one| one.job.step).collect();
        let mut sum = Tally::default();
        for step in steps {
            let jobs = || self.ended.iter().filter(|one| one.job.step == step);
            let time: Duration = jobs().map(|one| one.time).sum();
            let failed = jobs().filter(|one| one.has_failed()).count();
            let mut tally = Tally::default();
            for one in jobs().filter(|one| one.job.provides.is_none()) {
                tally += one.outcome.counted();
            }
            let verdict = if failed == 0 { "passed" } else { "FAILED" };
            println!(
                "{step:<12}{verdict}{:>8.1} s  {} passed",
                time.as_secs_f64(),
                tally.passed
            );
            sum += tally;
        }
        println!(
            "{:<16}{:>8.1} s",
            "wall clock",
            self.begun.elapsed().as_secs_f64()
        );
        let skipped = match sum.skipped {
            0 => String::new(),
            count => format!(", {count} skipped"),
        };
        let crashes: u64 = self.ended.iter().map(|one| one.outcome.crashes).sum();
        let crashes = match crashes {
            0 => String::new(),
            count => format!(", {count} run again after a browser's page crashed"),
        };
        println!(
            "{} passed, {} failed{skipped}{crashes}",
            sum.passed, sum.failed
        );
    }

    /// The command that runs just these again.
    fn again(&self, failed: &[&Ended]) -> String {
        let tests = failed.iter().filter(|one| one.job.provides.is_none());
        let (mut names, mut engines) = (BTreeSet::new(), BTreeSet::new());
        for Ended { job, .. } in tests {
            names.insert(job.selector());
            engines.extend(job.engine.map(|engine| engine.name()));
        }
        let (names, engines) = (Vec::from_iter(names), Vec::from_iter(engines));
        let tier = match self.tier {
            Tier::First => "",
            Tier::All => " --all",
            Tier::Nightly => " --nightly",
        };
        let engines = match engines.is_empty() {
            true => String::new(),
            false => format!(" --engines {}", engines.join(",")),
        };
        format!("cargo xtask test{tier} --only {}{engines}", names.join(","))
    }
}

impl Ended {
    fn has_failed(&self) -> bool {
        !self.outcome.failures.is_empty()
    }
}

fn times_file() -> Result<PathBuf> {
    Ok(repo::cache()?.join("times.json"))
}

fn clock(time: Duration) -> String {
    format!("{:>2}:{:02}", time.as_secs() / 60, time.as_secs() % 60)
}
