//! What the sender of messages made of the orders: one message for each that has an e-receipt, and its link shows that
//! order.

use super::run::Run;
use super::stage::Stage;
use crate::http::{Line, Message};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};
use workbench::{Result, files};

/// The sender looks every five seconds.
const LIMIT: Duration = Duration::from_secs(60);

/// What speaks against the messages in this folder, if anything does.
pub fn fault(stage: &Stage, folder: &Path, runs: &[&Arc<Run>]) -> Result<Option<String>> {
    let receipts = |run: &&Arc<Run>| run.seen().receipts.clone();
    let expected: usize = runs.iter().map(|run| receipts(run).len()).sum();
    let begun = Instant::now();
    let mut texts = texts(folder)?;
    while texts.len() < expected && begun.elapsed() < LIMIT {
        sleep(Duration::from_millis(200));
        texts = self::texts(folder)?;
    }
    println!(
        "{} messages for {expected} orders with an e-receipt",
        texts.len()
    );
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for text in texts.values() {
        *known.entry(shown(stage, text)?).or_default() += 1;
    }
    for id in runs.iter().flat_map(receipts) {
        match known.remove(&id) {
            Some(1) => {}
            Some(count) => return Ok(Some(format!("{id} has {count} messages"))),
            None => return Ok(Some(format!("{id} has no message"))),
        }
    }
    let stray = known.into_keys().next();
    Ok(stray.map(|id| format!("a message shows {id}, which has no e-receipt")))
}

/// By their ids, however often each was handed over.
fn texts(folder: &Path) -> Result<BTreeMap<String, String>> {
    let text = files::read_text(&folder.join("messages.jsonl")).unwrap_or_default();
    // The last line may be on its way.
    let lines = text
        .split_inclusive('\n')
        .filter(|line| line.ends_with('\n'));
    let mut texts = BTreeMap::new();
    for line in lines {
        let message: Value =
            serde_json::from_str(line).map_err(|error| format!("messages: {error}"))?;
        let text_of = |name: &str| message[name].as_str().unwrap_or_default().to_owned();
        let (id, text) = (text_of("id"), text_of("text"));
        let before = texts.insert(id, text.clone());
        if before.is_some_and(|before| before != text) {
            return Err("a message was handed over with two contents".to_owned());
        }
    }
    Ok(texts)
}

/// The order that the receipt behind a message's link shows.
fn shown(stage: &Stage, text: &str) -> Result<String> {
    let at = text.find("/r/").ok_or("a message without a link")?;
    let path = text[at..].split_whitespace().next().unwrap_or_default();
    let answer = Line::new(stage.vendor.service)
        .ask(&Message::request("GET", path), || {})
        .map_err(|error| format!("the receipt: {error}"))?;
    let page = answer.text();
    let id = page.find("run-").map(|at| &page[at..]);
    let id = id.and_then(|rest| {
        rest.split(|letter: char| !(letter.is_alphanumeric() || letter == '-'))
            .next()
    });
    id.map(str::to_owned)
        .ok_or_else(|| format!("a receipt without its order: {}", answer.status()))
}
