//! The vault of one vendor account and store: what survives this page, and the locks between pages.
//!
//! What is kept and when is decided in `crate::vault` and `crate::pickup`; this module performs it. Each entry is one
//! JSON text, in IndexedDB (sealed) or, with `vault: "memory"`, in this page.

mod connection;
mod entry;
mod indexed_db;
mod lock;
mod memory;
mod request;
mod seal;
mod turn;

pub use entry::Record;
pub use lock::{Lock, Purpose};
pub use seal::random_letters;

use super::failure::Failure;
use crate::error::{ErrorCode, Operation};
use crate::vault::Entry;
use pos_connect_protocol::decode::TokenSet;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;

/// The storage failed. Why is not passed on: the browser's texts may hold a URL.
pub struct Failed;

impl From<JsValue> for Failed {
    fn from(_: JsValue) -> Self {
        Self
    }
}

impl Failed {
    fn during(self, operation: Operation) -> Failure {
        Failure::new(ErrorCode::VaultFailed, operation)
    }
}

/// What the storage has under an id.
pub enum Found {
    /// Nothing: never kept, or erased.
    Nothing,
    /// An entry that is damaged, or whose key is gone.
    Unreadable,
    /// A JSON text.
    Text(String),
}

/// The entries of one vendor account and store in this browser.
pub struct Vault {
    /// What their ids begin with. By itself it is the id of the connection record.
    scope: String,
    is_memory: bool,
}

impl Vault {
    /// Opens nothing yet.
    pub fn new(scope: String, is_memory: bool) -> Self {
        Self { scope, is_memory }
    }

    /// An id for a new entry.
    pub fn fresh_id(&self, operation: Operation) -> Result<String, Failure> {
        let letters = random_letters().map_err(|failed| failed.during(operation))?;
        Ok([self.scope.as_str(), &letters].concat())
    }

    /// The entry with the id of `seed`. One that was never kept, or was erased, is made from the seed. So is one that
    /// can't be read, and its tokens may have been taken: it counts as unanswered.
    pub async fn read(&self, seed: &Entry, operation: Operation) -> Result<Entry, Failure> {
        let found = self.find(&seed.id).await;
        let unanswered = match found.map_err(|failed| failed.during(operation))? {
            Found::Nothing => false,
            Found::Unreadable => true,
            Found::Text(text) => match entry::from_text(&text) {
                Some(kept) => return Ok(kept),
                None => true,
            },
        };
        Ok(Entry {
            unanswered,
            is_lost: true,
            ..seed.clone()
        })
    }

    /// Keeps an entry. When this is done, the entry survives a crash.
    pub async fn write(&self, entry: &Entry, operation: Operation) -> Result<(), Failure> {
        let written = async { self.put(&entry.id, entry::to_text(entry)?).await };
        written.await.map_err(|failed| failed.during(operation))
    }

    /// Keeps an entry without waiting for it, because the page can do without.
    pub fn note(&self, entry: &Entry) {
        if let Ok(text) = entry::to_text(entry) {
            self.put_later(&entry.id, text);
        }
    }

    /// What the last token set said about the connection; `None` if there was none, or if it can't be read.
    pub async fn record(&self, operation: Operation) -> Result<Option<Record>, Failure> {
        let found = self.find(&self.scope).await;
        Ok(match found.map_err(|failed| failed.during(operation))? {
            Found::Text(text) => entry::from_text(&text).filter(|record: &Record| record.held),
            Found::Nothing | Found::Unreadable => None,
        })
    }

    /// Keeps what a token set says about the connection, without waiting for it.
    pub fn note_record(&self, set: &TokenSet) {
        if let Ok(text) = entry::to_text(&Record::new(&self.scope, set)) {
            self.put_later(&self.scope, text);
        }
    }

    /// All entries that can be read.
    pub async fn list(&self, operation: Operation) -> Result<Vec<Entry>, Failure> {
        let texts = match self.is_memory {
            true => Ok(memory::list(&self.scope)),
            false => indexed_db::list(&self.scope).await,
        };
        let texts = texts.map_err(|failed| failed.during(operation))?;
        let entries = texts.iter().filter_map(|text| entry::from_text(text));
        // The connection record has no token.
        Ok(entries
            .filter(|entry: &Entry| !entry.token.is_empty())
            .collect())
    }

    /// The ids of everything that is kept, also of what can't be read.
    pub async fn ids(&self, operation: Operation) -> Result<Vec<String>, Failure> {
        let ids = match self.is_memory {
            true => Ok(memory::ids(&self.scope)),
            false => indexed_db::ids(&self.scope).await,
        };
        ids.map_err(|failed| failed.during(operation))
    }

    /// Erases one entry.
    pub async fn erase(&self, id: &str, operation: Operation) -> Result<(), Failure> {
        let erased = match self.is_memory {
            true => {
                memory::erase(id);
                Ok(())
            }
            false => indexed_db::erase(id).await,
        };
        erased.map_err(|failed| failed.during(operation))
    }

    /// Erases everything of the account and store, the connection record included.
    pub async fn erase_all(&self, operation: Operation) -> Result<(), Failure> {
        let erased = match self.is_memory {
            true => {
                memory::erase_all(&self.scope);
                Ok(())
            }
            false => indexed_db::erase_all(&self.scope).await,
        };
        erased.map_err(|failed| failed.during(operation))
    }

    /// Waits until no page of this browser holds the lock, and takes it.
    pub async fn lock(
        &self,
        purpose: Purpose,
        id: &str,
        operation: Operation,
    ) -> Result<Lock, Failure> {
        let name = purpose.name(id);
        let lock = match self.is_memory {
            true => Ok(lock::in_page(memory::place(name)).await),
            false => lock::in_browser(&name).await,
        };
        lock.map_err(|failed| failed.during(operation))
    }

    async fn find(&self, id: &str) -> Result<Found, Failed> {
        match self.is_memory {
            true => Ok(memory::read(id)),
            false => indexed_db::read(id).await,
        }
    }

    async fn put(&self, id: &str, text: String) -> Result<(), Failed> {
        match self.is_memory {
            true => {
                memory::write(id, text);
                Ok(())
            }
            false => indexed_db::write(id, text).await,
        }
    }

    fn put_later(&self, id: &str, text: String) {
        if self.is_memory {
            memory::write(id, text);
            return;
        }
        // Called here, not in the task: it takes its turn before whatever is read or written next.
        let writing = indexed_db::write(id, text);
        spawn_local(async move {
            let _ = writing.await;
        });
    }
}
