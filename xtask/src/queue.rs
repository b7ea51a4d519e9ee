//! Work for several engines, done a few pieces at a time.

use crate::Result;
use crate::engine::{Driver, Engines};
use crate::outcome::Outcome;
use std::sync::Mutex;
use std::thread;

/// Runs each part in each engine even if one fails, `at_once` of them side by side. An engine that cannot run at all
/// has failed.
pub fn run<Part: Sync>(
    engines: &Engines,
    parts: &[Part],
    at_once: usize,
    outcome: &mut Outcome,
    test: impl Fn(&Driver, &Part, &mut Outcome) -> Result<()> + Sync,
) {
    for engine in engines {
        if let Err(reason) = engine {
            outcome.note(Err(reason.clone()));
        }
    }
    let work = |(driver, part): (&Driver, &Part)| {
        let mut piece = Outcome::labelled(driver.engine.name());
        let result = test(driver, part, &mut piece);
        piece.note(result);
        piece
    };
    // All engines' first parts first: two of the same engine are seldom side by side.
    let pieces = parts.iter().flat_map(|part| {
        let drivers = engines.iter().flatten();
        drivers.map(move |driver| (driver, part))
    });
    let waiting = Mutex::new(pieces);
    let take = || waiting.lock().ok()?.next();
    thread::scope(|scope| {
        let worker = || {
            std::iter::from_fn(take).fold(Outcome::default(), |mut sum, piece| {
                sum += work(piece);
                sum
            })
        };
        let workers: Vec<_> = (0..at_once).map(|_| scope.spawn(worker)).collect();
        for worker in workers {
            match worker.join() {
                Ok(part) => *outcome += part,
                Err(_) => outcome.note(Err("xtask itself failed, see above".to_owned())),
            }
        }
    });
    print!("{}", outcome.log);
}
