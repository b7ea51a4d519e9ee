//! Integrations, and how far their pick-ups are.

use super::audit::Record;
use super::{Actor, Store, StoreError};
use pos_connect_foundation::clock::Timestamp;
use pos_connect_foundation::database::{Row, Transaction};
use pos_connect_foundation::token::Hash;
use pos_connect_foundation::values;

/// How far the one pick-up of an integration is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum PickupState {
    /// Not asked for, or refused for good reason.
    None,
    /// Asked for; whether the service gave the token set away is not known.
    Open,
    /// The token set is in the database.
    Kept,
    /// The token set went elsewhere.
    Lost,
}

impl PickupState {
    /// The word in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Open => "open",
            Self::Kept => "kept",
            Self::Lost => "lost",
        }
    }

    /// Reads the word; `None` for any other.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::None, Self::Open, Self::Kept, Self::Lost]
            .into_iter()
            .find(|state| state.as_str() == word)
    }
}

/// An integration that a till of ours created.
#[derive(Clone, Debug)]
pub struct Integration {
    /// Hash of the integration token.
    pub hash: Hash,
    /// Label of the till that created it.
    pub till: String,
    /// Whose till that is.
    pub merchant: String,
    /// The integration token, sealed. Empty once the pick-up is kept or lost.
    pub sealed_token: Vec<u8>,
    /// Whether the service reissues.
    pub reissues: bool,
    /// The random text of its pick-up, sealed; empty as the token is.
    pub sealed_pickup: Option<Vec<u8>>,
    /// How far its pick-up is.
    pub pickup: PickupState,
}

fn read(row: &Row<'_>) -> Result<Integration, StoreError> {
    let pickup = PickupState::parse(&row.get::<String>(6)?);
    Ok(Integration {
        hash: row.get(0)?,
        till: row.get(1)?,
        merchant: row.get(2)?,
        sealed_token: row.get(3)?,
        reissues: row.get(4)?,
        sealed_pickup: row.get(5)?,
        pickup: pickup.ok_or_else(|| StoreError::Fault("an unknown word".into()))?,
    })
}

impl Store {
    /// Remembers a created integration.
    pub async fn add_integration(
        &self,
        new: Integration,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let sql = "INSERT INTO integration (hash, till, sealed_token, reissues, created_at)
                   VALUES (?1, ?2, ?3, ?4, ?5)";
        let row = values![new.hash, new.till, new.sealed_token, new.reissues, now];
        self.change(sql, row).await?;
        Ok(())
    }

    /// The integration with this hash.
    pub async fn integration(&self, hash: &Hash) -> Result<Option<Integration>, StoreError> {
        let sql = "SELECT hash, till, merchant, sealed_token, reissues, sealed_pickup, pickup
                   FROM integration JOIN till ON till.label = till WHERE hash = ?1";
        self.database.row(sql, values![hash], read).await
    }

    /// Opens the pick-up, before it is sent. Gives the sealed pick-up id that counts: the first one ever written.
    pub async fn open_pickup(&self, hash: &Hash, sealed: Vec<u8>) -> Result<Vec<u8>, StoreError> {
        let sql =
            "UPDATE integration SET pickup = 'open', sealed_pickup = coalesce(sealed_pickup, ?2)
                   WHERE hash = ?1 AND pickup IN ('none', 'open') RETURNING sealed_pickup";
        let row = values![hash, sealed];
        let open = move |transaction: &Transaction<'_>| {
            transaction.one(sql, row.clone(), |row| row.get(0))
        };
        self.database.write(open).await
    }

    /// Sets an open pick-up back, or to lost: then its integration token is erased.
    pub async fn close_pickup(
        &self,
        hash: &Hash,
        state: PickupState,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        if state == PickupState::Lost {
            let sql = "UPDATE integration SET pickup = ?2, sealed_token = ?3, sealed_pickup = ?3
                       WHERE hash = ?1 AND pickup = 'open'";
            let row = values![hash, state.as_str(), Vec::<u8>::new()];
            let note = Record::new("token_set.lost", &Actor::Service, now).about(&hash.label());
            self.change_noted(sql, row, note).await?;
        } else {
            let sql = "UPDATE integration SET pickup = ?2 WHERE hash = ?1 AND pickup = 'open'";
            self.change(sql, values![hash, state.as_str()]).await?;
        }
        Ok(())
    }

    /// Integrations whose pick-up is open.
    pub async fn open_pickups(&self) -> Result<Vec<Hash>, StoreError> {
        let sql = "SELECT hash FROM integration WHERE pickup = 'open'";
        self.database.rows(sql, values![], |row| row.get(0)).await
    }

    /// Forgets integrations from before `before` that came to nothing; gives how many. One whose pick-up is open stays:
    /// its token set may still come.
    pub async fn purge(&self, before: Timestamp) -> Result<usize, StoreError> {
        let sql = "DELETE FROM integration WHERE pickup IN ('none', 'lost') AND created_at < ?1";
        self.change(sql, values![before]).await
    }
}
