//! What the service's sender of messages handed over.

use crate::programs::MESSAGES;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};
use workbench::{Result, files};

/// A kill in the middle of an attempt puts the next one off by 20 s, the second and the third by 40 and 80; the sender
/// looks every five.
const LIMIT: Duration = Duration::from_secs(180);

/// By their ids, however often each was handed over: waits until there are so many.
pub fn wait(folder: &Path, count: usize) -> Result<BTreeMap<String, String>> {
    let begun = Instant::now();
    loop {
        let texts = texts(&files::read_text(&folder.join(MESSAGES)).unwrap_or_default())?;
        if texts.len() >= count || begun.elapsed() > LIMIT {
            return Ok(texts);
        }
        thread::sleep(Duration::from_millis(100));
    }
}

/// How many messages went to each number: waits until each of these has one.
pub fn to(folder: &Path, phones: &[&String]) -> Result<BTreeMap<String, usize>> {
    let begun = Instant::now();
    loop {
        let all = files::read_text(&folder.join(MESSAGES)).unwrap_or_default();
        let mut counts = BTreeMap::new();
        let messages = all
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok());
        for phone in messages.filter_map(|message| Some(message["phone"].as_str()?.to_owned())) {
            *counts.entry(phone).or_default() += 1;
        }
        if phones.iter().all(|&phone| counts.contains_key(phone)) || begun.elapsed() > LIMIT {
            return Ok(counts);
        }
        thread::sleep(Duration::from_secs(1));
    }
}

fn texts(all: &str) -> Result<BTreeMap<String, String>> {
    let mut texts = BTreeMap::new();
    // The last line may be on its way.
    for line in all
        .split_inclusive('\n')
        .filter(|line| line.ends_with('\n'))
    {
        let message: Value =
            serde_json::from_str(line).map_err(|error| format!("messages: {error}"))?;
        let text_of = |name: &str| message[name].as_str().unwrap_or_default().to_owned();
        let text = text_of("text");
        if texts
            .insert(text_of("id"), text.clone())
            .is_some_and(|before| before != text)
        {
            return Err("a message was handed over with two contents".to_owned());
        }
    }
    Ok(texts)
}
