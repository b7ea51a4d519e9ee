//! The SDK in a real browser, in tabs that die, behind a proxy that fails: tokens come once, and are never lost without
//! a word.

mod again;
mod gate;
mod kind;
mod plan;
mod registry;
mod run;
mod stage;
mod table;
mod verdict;
mod workshop;

use super::Orders;
use crate::browser::Browser;
use crate::desk::{self, Desk, Page};
use crate::server::Server;
use stage::Stage;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use workbench::{Result, files, repo};
use workshop::Tokens;

type Ended = desk::Ended<Tokens>;

/// Runs at once: most of a run is waiting, but all of them are in one browser, on machines that have other things to
/// do.
const PLACES: usize = 25;

pub fn run(orders: &Orders) -> Result<()> {
    let folder = repo::made("torture-proxy");
    files::remove(&folder)?;
    files::create_folder(&folder)?;
    let desk = Arc::new(OnceLock::new());
    let page = Server::open(Page::new(&desk, &orders.package))?;
    let stage = Stage::start(&folder, &page.url())?;
    let seed = orders.seed;
    let desk = desk.get_or_init(|| Desk::new(Tokens { stage, seed }));
    let begun = Instant::now();
    let ended = in_browser(desk, &folder, &page.url(), orders);
    desk.workshop.stage.stop();
    let ended = ended?;
    let time = begun.elapsed().as_secs_f64();
    println!("{} runs in {time:.0} s", ended.len());
    table::report(orders, &ended)
}

/// Makes the runs; then, a few times, one for each kind of fault that has not come up.
fn in_browser(
    desk: &Desk<Tokens>,
    folder: &Path,
    url: &str,
    orders: &Orders,
) -> Result<Vec<Ended>> {
    let mut browser = Browser::open(folder)?;
    let mut make = |runs: Vec<u64>| {
        let count = runs.len();
        let (deal, places) = (desk.deal(runs), PLACES.min(count));
        browser.show(&format!("{url}/?places={places}&deal={deal}"))?;
        desk.wait(count)
    };
    if let Some(run) = orders.run {
        return make(vec![run]);
    }
    let mut ended = make((0..orders.runs).collect())?;
    for attempt in 0..again::TRIES {
        let missing = table::missing(orders, &ended)?;
        if missing.is_empty() {
            break;
        }
        println!(
            "once more, because they did not come up: {}",
            missing.join("; ")
        );
        ended.extend(make(again::runs(&missing, attempt))?);
    }
    Ok(ended)
}
