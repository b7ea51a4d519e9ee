//! What the seeder has put into a database.

use crate::{Result, command};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

pub struct Material {
    /// Public id of the store that everybody consents to connect.
    pub store: String,
    pub batches: Vec<Batch>,
}

/// What the calls of one round are about. No `Debug`: it holds secrets.
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
        let said: Value = serde_json::from_str(&said).map_err(|error| format!("seed: {error}"))?;
        let batches = said["batches"].as_array().into_iter().flatten();
        Ok(Self {
            store: text(&said["store"]),
            batches: batches.map(Batch::read).collect(),
        })
    }
}

impl Batch {
    fn read(value: &Value) -> Self {
        let list = |name: &str| value[name].as_array().into_iter().flatten();
        Self {
            client_id: text(&value["clientId"]),
            client_secret: text(&value["clientSecret"]),
            consents: list("consents")
                .map(|pair| (text(&pair[0]), text(&pair[1])))
                .collect(),
            claims: list("claims").map(text).collect(),
            refreshes: list("refreshes").map(text).collect(),
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
