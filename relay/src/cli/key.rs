//! What the commands print of keys, which are tills' or servers'.

use super::{Common, Failure, output};
use serde_json::{Value, json};

/// A key is printed once, with what is known of its owner.
pub(super) fn added(common: &Common, mut owner: Value, key: &str) -> Result<(), Failure> {
    owner["key"] = key.into();
    let id = owner["id"].as_str().unwrap_or_default();
    output::print(common.json, &owner, || {
        format!("id   {id}\nkey  {key}\nThe key is shown only now.")
    })
}

pub(super) fn listed(common: &Common, owners: &[Value]) -> Result<(), Failure> {
    let line = |owner: &Value| {
        let text = |name| owner[name].as_str();
        let state = match owner["revoked"] == true {
            true => "revoked",
            false => "enabled",
        };
        let columns = [text("id"), Some(state), text("merchant"), text("name")];
        columns.into_iter().flatten().collect::<Vec<_>>().join("  ")
    };
    output::print(common.json, &owners, || {
        owners.iter().map(line).collect::<Vec<_>>().join("\n")
    })
}

pub(super) fn revoked(common: &Common, kind: &str, id: &str) -> Result<(), Failure> {
    let value = json!({ "id": id, "revoked": true });
    output::print(common.json, &value, || format!("{kind} {id} is revoked"))
}
