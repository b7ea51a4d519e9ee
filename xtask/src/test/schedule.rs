//! Runs jobs side by side: what compiles beside what waits.

use super::job::{Job, Lane};
use super::outcome::Outcome;
use super::product::{Product, Products};
use super::report::Report;
use crate::command;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};

/// How often the screen says what runs.
const PROGRESS: Duration = Duration::from_secs(15);

/// Runs all of them, whatever fails: one run tells everything that is wrong.
pub fn run(jobs: Vec<Job>, mut report: Report, under_load: bool) -> Report {
    let products = Products::default();
    let mut queue = Queue::new(jobs, &report);
    let is_over = AtomicBool::new(false);
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        if under_load {
            for _ in 0..cores() {
                scope.spawn(|| {
                    while !is_over.load(Ordering::Relaxed) {
                        std::hint::spin_loop();
                    }
                });
            }
        }
        loop {
            while let Some(job) = queue.next() {
                match queue.missing(&job) {
                    Some(product) => {
                        let mut outcome = Outcome::default();
                        outcome.note(Err(format!("not run: {product} is missing")));
                        queue.done(&job, &outcome);
                        report.ended(job, outcome, Duration::ZERO);
                    }
                    None => start(scope, job, &products, &mut queue, &mut report, &sender),
                }
            }
            if queue.running.is_empty() {
                break;
            }
            match receiver.recv_timeout(PROGRESS) {
                Ok((job, outcome, time)) => {
                    queue.done(&job, &outcome);
                    report.ended(job, outcome, time);
                }
                Err(RecvTimeoutError::Timeout) => report.running(&queue.running),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    report
}

type Ended = (Job, Outcome, Duration);

fn start<'scope>(
    scope: &'scope Scope<'scope, '_>,
    job: Job,
    products: &'scope Products,
    queue: &mut Queue,
    report: &mut Report,
    sender: &Sender<Ended>,
) {
    let begun = Instant::now();
    queue.running.push((job.clone(), begun));
    let log = report.log(&job);
    let sender = sender.clone();
    scope.spawn(move || {
        let mut outcome = Outcome::default();
        let work = || command::log_into(&log).and_then(|()| (job.work)(products, &mut outcome));
        // A job that panics has failed, and the others go on.
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        outcome.note(result.unwrap_or_else(|_| Err("xtask itself failed, see above".to_owned())));
        sender.send((job, outcome, begun.elapsed())).ok();
    });
}

/// What is still to run, what runs, and what became of the products.
struct Queue {
    waiting: Vec<Job>,
    running: Vec<(Job, Instant)>,
    /// Made, or failed.
    made: HashMap<Product, bool>,
}

impl Queue {
    /// The jobs and whatever they need, in the order in which they should start: what others need first, in the order
    /// of its table; then what took the longest last time.
    fn new(jobs: Vec<Job>, report: &Report) -> Self {
        let mut needed: Vec<Product> = Vec::new();
        let mut unseen: Vec<Product> = jobs.iter().flat_map(|job| job.needs.clone()).collect();
        while let Some(product) = unseen.pop() {
            if !needed.contains(&product) {
                needed.push(product);
                unseen.extend(product.needs());
            }
        }
        needed.sort();
        let mut waiting: Vec<Job> = needed.iter().map(|product| product.job()).collect();
        let mut jobs = jobs;
        jobs.sort_by_key(|job| (job.turn, std::cmp::Reverse(report.last_time(job))));
        waiting.append(&mut jobs);
        Self {
            waiting,
            running: Vec::new(),
            made: HashMap::new(),
        }
    }

    /// Takes the first that can start now, or never could.
    fn next(&mut self) -> Option<Job> {
        let is_decided = |product: &Product| self.made.contains_key(product);
        let running = |lane: Lane| {
            let running = self.running.iter();
            running.filter(|(job, _)| job.lane == lane).count()
        };
        let has_room = |lane: Lane| match lane {
            Lane::Cargo => running(lane) < 1,
            Lane::Tools => running(lane) < 2,
            // Most of what waits follows a compiler, and Chromium takes precedence over one where root runs it.
            Lane::Tests if running(Lane::Cargo) > 0 => running(lane) < cores(),
            Lane::Tests => running(lane) < cores() + 2,
        };
        let can_start = |job: &Job| job.needs.iter().all(is_decided) && has_room(job.lane);
        let place = self.waiting.iter().position(can_start)?;
        Some(self.waiting.remove(place))
    }

    fn missing(&self, job: &Job) -> Option<Product> {
        let failed = |product: &&Product| self.made.get(product) == Some(&false);
        job.needs.iter().find(failed).copied()
    }

    fn done(&mut self, job: &Job, outcome: &Outcome) {
        self.running
            .retain(|(running, _)| running.to_string() != job.to_string());
        if let Some(product) = job.provides {
            self.made.insert(product, outcome.failures.is_empty());
        }
    }
}

fn cores() -> usize {
    thread::available_parallelism().map_or(2, usize::from)
}
