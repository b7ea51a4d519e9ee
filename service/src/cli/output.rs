//! What commands print.

use super::Failure;
use serde::Serialize;
use std::io::Write;

/// Prints one line of JSON, or text for people. A secret that could not be printed is lost, so that is a failure.
pub(super) fn print(
    json: bool,
    value: &impl Serialize,
    text: impl FnOnce() -> String,
) -> Result<(), Failure> {
    let line = if json {
        serde_json::to_string(value)?
    } else {
        text()
    };
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{line}")?;
    Ok(stdout.flush()?)
}
