//! Everything that outlives the process: one trait, a database behind it. No secret and no token is in it but sealed or
//! hashed.

mod audit;
mod postgres;
mod sqlite;

use crate::seal::{Purpose, Sealer};
use async_trait::async_trait;
pub use audit::{Actor, AuditEntry, AuditQuery};
use pos_connect_foundation::clock::Timestamp;
use pos_connect_foundation::database::is_postgres;
pub use pos_connect_foundation::sqlite::{Opening, StoreError};
use pos_connect_foundation::token::Hash;
use pos_connect_protocol::{self as protocol, Account};
pub use postgres::PostgresStore;
pub use sqlite::SqliteStore;
use std::sync::Arc;
use std::time::Duration;

/// A till that proved itself, or is about to.
#[derive(Clone, Debug)]
pub struct Till {
    /// What the log and `till list` call it; nothing to guess the key by.
    pub label: String,
    /// Hash of its key.
    pub key: Hash,
    /// Whose till it is.
    pub merchant: String,
    /// Name for people.
    pub name: String,
    /// When it was added.
    pub created_at: Timestamp,
    /// Whether its key was taken from it.
    pub revoked: bool,
}

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
    /// The integration token, sealed.
    pub sealed_token: Vec<u8>,
    /// Whether the service reissues.
    pub reissues: bool,
    /// The random text of its pick-up, sealed.
    pub sealed_pickup: Option<Vec<u8>>,
    /// How far its pick-up is.
    pub pickup: PickupState,
}

/// A token set that was picked up.
#[derive(Clone, Debug)]
pub struct TokenSet {
    /// Hash of the integration token.
    pub integration: Hash,
    /// Whose it is.
    pub merchant: String,
    /// Counts the refreshes.
    pub version: i64,
    /// Both tokens, sealed; `None` once they are handed over or replaced.
    pub sealed_tokens: Option<Vec<u8>>,
    /// Whether the till gets the tokens; decided when they are kept.
    pub handed_out: bool,
    /// What every till of the merchant may know.
    pub facts: Facts,
    /// Whether the till said that it has the tokens.
    pub acknowledged: bool,
    /// Whether the service stopped taking them, the merchant was disconnected, or another set took their place.
    pub ended: bool,
    /// Whether it is of another account or store than the merchant's: it is only there to be revoked.
    pub refused: bool,
    /// Whether its tokens are still there though the service stopped taking them.
    pub can_be_taken_back: bool,
}

/// What is no secret about a token set.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Whether the till offers e-receipts.
    pub ereceipt: bool,
    /// When the access token expires, as the tills are told it.
    pub expiration: Option<String>,
    /// The same, where it could be read.
    pub expires_at: Option<Timestamp>,
    /// Whose account it is.
    pub account: Option<Account>,
    /// Which of its stores.
    pub store: Option<protocol::Store>,
}

/// A token set about to be kept.
#[derive(Clone, Debug)]
pub struct NewTokenSet {
    /// Hash of the integration token.
    pub integration: Hash,
    /// Both tokens, sealed.
    pub sealed_tokens: Vec<u8>,
    /// Whether the till gets the tokens.
    pub handed_out: bool,
    /// The rest.
    pub facts: Facts,
    /// Now.
    pub now: Timestamp,
}

/// A pair that a refresh gave.
#[derive(Clone, Debug)]
pub struct Refreshed {
    /// Hash of the integration token.
    pub integration: Hash,
    /// The version that was refreshed.
    pub version: i64,
    /// Both tokens, sealed.
    pub sealed_tokens: Vec<u8>,
    /// As the tills are told it.
    pub expiration: Option<String>,
    /// The same, where it could be read.
    pub expires_at: Option<Timestamp>,
    /// The account's choice now, if the service said it.
    pub ereceipt: Option<bool>,
}

/// Whether the token set `newest` is its merchant's newest, in the SQL of both engines.
const NEWEST: &str = "number = (SELECT max(number) FROM token_set WHERE token_set.merchant = newest.merchant AND \
     NOT token_set.refused)";

/// The account and the store that the merchant is known with, in the SQL of both engines; the merchant's name is the
/// parameter.
const KNOWN: &str = "SELECT account_id, store_id FROM token_set WHERE merchant = $1 AND NOT refused AND account_id IS \
     NOT NULL ORDER BY number DESC LIMIT 1";

/// What the merchant is known with, or would be: ids of account and store.
#[derive(Debug, Default, Eq, PartialEq)]
struct Identity {
    account: Option<String>,
    store: Option<String>,
}

impl Identity {
    fn of(facts: &Facts) -> Self {
        let id = |named: &Option<protocol::Named>| named.as_ref().map(|named| named.id.clone());
        Self {
            account: id(&facts.account),
            store: id(&facts.store),
        }
    }

    /// Whether `other` is somebody else. What is not known of this one cannot be compared.
    fn differs_from(&self, other: &Self) -> bool {
        let differs = |known: &Option<String>, new| known.is_some() && known != new;
        differs(&self.account, &other.account) || differs(&self.store, &other.store)
    }
}

fn named(id: Option<String>, name: Option<String>) -> Option<protocol::Named> {
    id.zip(name).map(|(id, name)| protocol::Named { id, name })
}

/// Where sealed values are: their table, the hash that they are bound to, their column, what they are.
const SEALED: [(&str, &str, &str, Purpose); 4] = [
    ("integration", "hash", "sealed_token", Purpose::Integration),
    ("integration", "hash", "sealed_pickup", Purpose::Pickup),
    (
        "token_set",
        "integration_hash",
        "sealed_tokens",
        Purpose::Tokens,
    ),
    (
        "token_set",
        "integration_hash",
        "sealed_ended",
        Purpose::Tokens,
    ),
];

/// Another storage key: all that is sealed is sealed anew, in one transaction.
#[derive(Clone)]
pub struct KeyChange {
    old: Arc<Sealer>,
    new: Arc<Sealer>,
    at: Timestamp,
}

impl KeyChange {
    /// From one key to the other.
    pub fn new(old: Sealer, new: Sealer, at: Timestamp) -> Self {
        Self {
            old: Arc::new(old),
            new: Arc::new(new),
            at,
        }
    }

    /// The value under the new key; `None` if it is damaged, and stays as it is.
    fn reseal(&self, purpose: Purpose, row: &Hash, sealed: &[u8]) -> Option<Vec<u8>> {
        let resealed = self.new.reseal(&self.old, purpose, row, sealed);
        if resealed.is_err() {
            tracing::error!(row = %row.label(), "a stored value cannot be read; it stays as it is");
        }
        resealed.ok()
    }

    /// The mark that only the new key opens.
    fn mark(&self) -> Result<Vec<u8>, StoreError> {
        key_mark(&self.new)
    }
}

/// What shows which key the database is written with: only that one opens it.
pub(crate) fn key_mark(sealer: &Sealer) -> Result<Vec<u8>, StoreError> {
    let mark = sealer.seal(Purpose::KeyCheck, &key_row(), b"pos-connect-relay");
    mark.map_err(|error| StoreError::Fault(error.to_string()))
}

/// The row that the mark is bound to.
pub(crate) fn key_row() -> Hash {
    Hash::of("key check")
}

/// How long an allowed change waits to be used.
const ALLOWED_FOR: Duration = Duration::from_secs(24 * 60 * 60);

/// The right to work on one integration, which one relay has at a time.
///
/// It can be lost: a database that fails over forgets its locks. So each call to the service is announced, and each write
/// says under which lease it is made.
pub struct Lease {
    integration: Hash,
    /// Newer leases have higher ones.
    fence: i64,
    /// Gives it back when dropped.
    _held: Box<dyn Send + Sync>,
}

/// The database. What has resolved is on the disk.
#[async_trait]
pub trait Store: Send + Sync {
    /// Whether the database can be written to.
    async fn ping(&self) -> Result<(), StoreError>;
    /// The version of the schema that this program writes.
    fn schema_version(&self) -> usize;
    /// Keeps `sealed` as the proof of the key, unless there is one; gives the one that is there.
    async fn key_check(&self, sealed: Option<Vec<u8>>) -> Result<Option<Vec<u8>>, StoreError>;

    /// Changes the storage key; says how many values are sealed anew. No relay may serve meanwhile.
    async fn change_key(&self, change: KeyChange) -> Result<usize, StoreError>;

    /// Adds a till; [`StoreError::Exists`] if its label is taken.
    async fn add_till(&self, till: Till) -> Result<(), StoreError>;
    /// The till with a label, revoked ones too.
    async fn till(&self, label: &str) -> Result<Option<Till>, StoreError>;
    /// All tills, oldest first.
    async fn tills(&self) -> Result<Vec<Till>, StoreError>;
    /// Takes a till's key from it; false if there is no such till.
    async fn revoke_till(&self, label: &str, now: Timestamp) -> Result<bool, StoreError>;

    /// Remembers a created integration.
    async fn add_integration(&self, new: Integration, now: Timestamp) -> Result<(), StoreError>;
    /// The integration with this hash.
    async fn integration(&self, hash: &Hash) -> Result<Option<Integration>, StoreError>;
    /// Opens the pick-up, before it is sent. Gives the sealed pick-up id that counts: the first one ever written.
    async fn open_pickup(&self, hash: &Hash, sealed: Vec<u8>) -> Result<Vec<u8>, StoreError>;
    /// Sets an open pick-up back, or to lost.
    async fn close_pickup(
        &self,
        hash: &Hash,
        state: PickupState,
        now: Timestamp,
    ) -> Result<(), StoreError>;
    /// Integrations whose pick-up is open.
    async fn open_pickups(&self) -> Result<Vec<Hash>, StoreError>;
    /// Forgets integrations from before `before` that came to nothing; gives how many. One whose pick-up is open stays:
    /// its token set may still come.
    async fn purge(&self, before: Timestamp) -> Result<usize, StoreError>;

    /// Keeps a token set: it is the merchant's connection from now on, and those that were held for it before have
    /// ended. If it is of another account or store than the merchant is known with, and nobody has allowed the change, it is
    /// kept as refused, and all stays as it was.
    ///
    /// False if the lease is another relay's by now: that one has, or will have, the token set.
    async fn keep(&self, new: NewTokenSet, lease: &Lease) -> Result<bool, StoreError>;
    /// The token set of an integration.
    async fn token_set(&self, integration: &Hash) -> Result<Option<TokenSet>, StoreError>;
    /// The merchant's newest token set.
    async fn connection(&self, merchant: &str) -> Result<Option<TokenSet>, StoreError>;
    /// The till has the tokens: forgets them. Idempotent.
    async fn acknowledge(&self, integration: &Hash, now: Timestamp) -> Result<(), StoreError>;
    /// Puts a refreshed pair in the place of the version it came from; false if that one is not there any more, or the
    /// lease is another relay's by now. Of an ended set, too: what is to be revoked is the newest pair.
    async fn replace(&self, refreshed: Refreshed, lease: &Lease) -> Result<bool, StoreError>;
    /// The merchant's choice now, as the service says it to this version.
    async fn choose(
        &self,
        integration: &Hash,
        version: i64,
        ereceipt: bool,
    ) -> Result<(), StoreError>;
    /// The service stopped taking this version. Its tokens are put aside until [`Store::forget_ended`].
    async fn end(&self, integration: &Hash, version: i64, now: Timestamp)
    -> Result<(), StoreError>;
    /// Makes the merchant's newest set its connection again, if it ended because the service stopped taking it, and its
    /// tokens are still there. Says whether.
    async fn take_back(&self, merchant: &str, now: Timestamp) -> Result<bool, StoreError>;
    /// Erases the tokens of sets that the service stopped taking before a moment; says of how many.
    async fn forget_ended(&self, before: Timestamp) -> Result<usize, StoreError>;
    /// Ends the merchant's token sets: no till uses them from now on. Their tokens stay until [`Store::revoked`].
    /// Idempotent.
    async fn disconnect(&self, merchant: &str, by: Actor, now: Timestamp)
    -> Result<(), StoreError>;
    /// The merchant's next connection may be to another account or store, if it comes within a day. Whichever it is, it
    /// uses this up.
    async fn allow_change(&self, merchant: &str, now: Timestamp) -> Result<(), StoreError>;
    /// Ended token sets whose tokens are still to be revoked at the service.
    async fn unrevoked(&self) -> Result<Vec<Hash>, StoreError>;
    /// The service has revoked this version: forgets its tokens.
    async fn revoked(&self, integration: &Hash, version: i64) -> Result<(), StoreError>;
    /// The newest token set of each merchant, by the merchant's name.
    async fn connections(&self) -> Result<Vec<TokenSet>, StoreError>;
    /// Held token sets that expire between two moments, with their versions.
    async fn due(
        &self,
        after: Timestamp,
        before: Timestamp,
    ) -> Result<Vec<(Hash, i64)>, StoreError>;

    /// The newest rows of the audit that a query asks for, oldest first.
    async fn audit(&self, query: AuditQuery) -> Result<Vec<AuditEntry>, StoreError>;
    /// Erases rows of the audit from before a moment; says whether there may be more.
    async fn purge_audit(&self, before: Timestamp) -> Result<bool, StoreError>;

    /// Waits until no other relay on this database works on the integration, and no call of one that did is on its way.
    async fn lease(&self, integration: &Hash) -> Result<Lease, StoreError>;
    /// Announces a call to the service that takes `limit` at most. False if the lease is another relay's by now: then
    /// nothing may be sent.
    async fn begin_call(&self, lease: &Lease, limit: Duration) -> Result<bool, StoreError>;
}

/// Opens the database that a URL names.
pub async fn open(url: &str, opening: Opening) -> Result<Arc<dyn Store>, StoreError> {
    if is_postgres(url) {
        return Ok(Arc::new(PostgresStore::open(url, opening).await?));
    }
    Ok(Arc::new(SqliteStore::open(url, opening)?))
}
