//! The profiles of stores.

use super::audit::{Act, record};
use super::budget::{profile_changes, spend};
use super::repeatable::{Answered, Repeatable};
use super::{Growth, Store, StoreError, json};
use pos_connect_foundation::database::Row;
use pos_connect_foundation::refusal::Refusal;
use pos_connect_foundation::values;
use pos_connect_protocol::Store as WireStore;
use pos_connect_protocol::json::Json;
use pos_connect_protocol::store::{StoreProfile, StoreResponse};

const STORED: &str = "SELECT public_id, name, profile FROM store WHERE id = ?1";

impl Store {
    /// A store's profile.
    pub async fn profile(&self, store: i64) -> Result<StoreResponse, StoreError> {
        let (store, profile) = self.one(STORED, values![store], read).await?;
        Ok(StoreResponse {
            success: true,
            store,
            profile: serde_json::from_str(&profile).map_err(|_| unreadable())?,
        })
    }

    /// Applies a merge patch to a store's profile, if the outcome is a profile.
    pub async fn patch_profile(
        &self,
        patch: Json,
        call: Repeatable,
        act: Act,
    ) -> Result<Answered, StoreError> {
        self.once(call, move |transaction, sealer, scope| {
            let (store, stored) = transaction.one(STORED, values![scope.store], read)?;
            let merged = parsed(&stored)?.merged(patch.clone());
            let profile = match StoreProfile::read(&merged) {
                Ok(profile) => profile,
                Err(fault) => return Ok(Answered::Refused(fault.into())),
            };
            let sql = "UPDATE store SET profile = ?2 WHERE id = ?1";
            let text = String::from_utf8(json(&profile)?).map_err(|_| unreadable())?;
            if text != stored {
                let budget = profile_changes(sealer, scope);
                if let Err(wait) = spend(transaction, &[budget], scope.now)? {
                    return Ok(Answered::Refused(Refusal::slow_down(wait)));
                }
                transaction.execute(sql, values![scope.store, text])?;
                record(transaction, "profile.changed", Some(&store.id), &act)?;
            }
            let success = true;
            let answer = json(&StoreResponse {
                success,
                store,
                profile,
            })?;
            Ok(Answered::Done(answer, Growth::default()))
        })
        .await
    }
}

fn read(row: &Row<'_>) -> Result<(WireStore, String), StoreError> {
    let (id, name) = (row.get(0)?, row.get(1)?);
    Ok((WireStore { id, name }, row.get(2)?))
}

fn parsed(profile: &str) -> Result<Json, StoreError> {
    serde_json::from_str(profile).map_err(|_| unreadable())
}

fn unreadable() -> StoreError {
    StoreError::Fault("a stored profile cannot be read".into())
}
