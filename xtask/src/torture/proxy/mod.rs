//! The SDK in a real browser, in tabs that die, behind a proxy that fails: tokens come once, and are never lost without a word.

mod browser;
mod desk;
mod gate;
mod kind;
mod merchant;
mod plan;
mod registry;
mod run;
mod server;
mod stage;
mod table;
mod verdict;
mod wire;

use super::Orders;
use crate::{Result, files, package, repo};
use browser::Browser;
use desk::{Desk, Ended, Page};
use server::Server;
use stage::Stage;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// Runs at once: most of a run is waiting.
const PLACES: usize = 50;

pub fn run(orders: &Orders) -> Result<()> {
    package::build()?;
    let folder = repo::made("torture-proxy");
    files::remove(&folder)?;
    files::create_folder(&folder)?;
    let runs: Vec<u64> = match orders.run {
        Some(run) => vec![run],
        None => (0..orders.runs).collect(),
    };
    let count = runs.len();
    let desk = Arc::new(OnceLock::new());
    let page = Server::open(Page(desk.clone()))?;
    let stage = Stage::start(&folder, &page.url())?;
    let desk = desk.get_or_init(|| Desk::new(stage, orders.seed, runs));
    let begun = Instant::now();
    let ended = in_browser(desk, &folder, &page.url(), count);
    desk.stop();
    let ended = ended?;
    println!("{count} runs in {:.0} s", begun.elapsed().as_secs_f64());
    table::report(orders, &ended)
}

fn in_browser(desk: &Desk, folder: &Path, url: &str, count: usize) -> Result<Vec<Ended>> {
    let mut browser = Browser::open(folder)?;
    browser.show(&format!("{url}/?places={}", PLACES.min(count)))?;
    desk.wait(count)
}
