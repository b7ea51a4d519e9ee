//! The profiles of stores.

use super::order::json;
use super::repeatable::{Answered, Repeatable};
use super::{Store, StoreError};
use pos_connect_protocol::Store as WireStore;
use pos_connect_protocol::json::Json;
use pos_connect_protocol::store::{StoreProfile, StoreResponse};
use rusqlite::{Connection, params};

impl Store {
    /// A store's profile.
    pub fn profile(&self, store: i64) -> Result<StoreResponse, StoreError> {
        let (store, profile) = self.read(|connection| stored(connection, store))?;
        answer(store, &parsed(&profile)?)
    }

    /// Applies a merge patch to a store's profile, if the outcome is a profile.
    pub async fn patch_profile(
        &self,
        patch: Json,
        call: Repeatable,
    ) -> Result<Answered, StoreError> {
        self.once(call, move |transaction, _, scope| {
            let (store, profile) = stored(transaction, scope.store)?;
            let merged = parsed(&profile)?.merged(patch);
            let profile = match StoreProfile::read(&merged) {
                Ok(profile) => profile,
                Err(fault) => return Ok(fault.into()),
            };
            let sql = "UPDATE store SET profile = ?2 WHERE id = ?1";
            let text = String::from_utf8(json(&profile)?).map_err(|_| unreadable())?;
            transaction
                .prepare_cached(sql)?
                .execute(params![scope.store, text])?;
            let success = true;
            Ok(Answered::Done(json(&StoreResponse {
                success,
                store,
                profile,
            })?))
        })
        .await
    }
}

fn stored(connection: &Connection, store: i64) -> rusqlite::Result<(WireStore, String)> {
    let sql = "SELECT public_id, name, profile FROM store WHERE id = ?";
    connection.prepare_cached(sql)?.query_row([store], |row| {
        let (id, name) = (row.get(0)?, row.get(1)?);
        Ok((WireStore { id, name }, row.get(2)?))
    })
}

fn answer(store: WireStore, profile: &Json) -> Result<StoreResponse, StoreError> {
    Ok(StoreResponse {
        success: true,
        store,
        profile: StoreProfile::read(profile).map_err(|_| unreadable())?,
    })
}

fn parsed(profile: &str) -> Result<Json, StoreError> {
    serde_json::from_str(profile).map_err(|_| unreadable())
}

fn unreadable() -> StoreError {
    StoreError::Fault("a stored profile cannot be read".into())
}
