//! What the service's sender of messages handed over.

use crate::programs::MESSAGES;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};
use workbench::{Result, files};

/// The sender looks every five seconds.
const LIMIT: Duration = Duration::from_secs(180);

/// By their ids, however often each was handed over.
pub type Messages = BTreeMap<String, Value>;

/// Waits until there are enough.
pub fn wait(folder: &Path, are_enough: impl Fn(&Messages) -> bool) -> Result<Messages> {
    let begun = Instant::now();
    loop {
        let messages = read(folder)?;
        if are_enough(&messages) || begun.elapsed() > LIMIT {
            return Ok(messages);
        }
        thread::sleep(Duration::from_millis(500));
    }
}

fn read(folder: &Path) -> Result<Messages> {
    let all = files::read_text(&folder.join(MESSAGES)).unwrap_or_default();
    let mut messages = Messages::new();
    // The last line may be on its way.
    for line in all
        .split_inclusive('\n')
        .filter(|line| line.ends_with('\n'))
    {
        let message: Value =
            serde_json::from_str(line).map_err(|error| format!("messages: {error}"))?;
        let id = message["id"].to_string();
        if messages
            .insert(id, message.clone())
            .is_some_and(|before| before["text"] != message["text"])
        {
            return Err("a message was handed over with two contents".to_owned());
        }
    }
    Ok(messages)
}
