//! What the seeder has put into a database.

use crate::{Result, command};
use serde::Deserialize;
use std::path::Path;
use std::process::Command;

#[derive(Deserialize)]
pub struct Material {
    /// Public id of the store that everybody consents to connect.
    pub store: String,
    pub batches: Vec<Batch>,
}

/// What the calls of one round are about. No `Debug`: it holds secrets.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Batch {
    pub client_id: String,
    pub client_secret: String,
    /// Integration tokens, each with the one-time value of its consent page.
    pub consents: Vec<(String, String)>,
    pub claims: Vec<String>,
    pub refreshes: Vec<String>,
}

impl Material {
    /// Runs `service/examples/seed.rs`.
    pub fn sow(seeder: &Path, database: &str, key: &Path, counts: [usize; 3]) -> Result<Self> {
        let mut seed = Command::new(seeder);
        seed.arg(database).arg(key);
        seed.args(counts.map(|count| count.to_string()));
        let said = command::output(&mut seed)?;
        serde_json::from_str(&said).map_err(|error| format!("seed: {error}"))
    }
}
