//! What is asked of the place where entries are kept: in the browser, or in a test that ends it at any moment.

use crate::core::Boxed;
use crate::core::failure::Failure;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};

/// Entries that survive the page, and locks between pages.
pub trait Storage {
    /// A lock that is held. Dropping it releases the lock.
    type Lock;

    /// What the ids of its entries begin with, or go on with.
    fn scope(&self) -> &str;

    /// Waits until no page holds the lock, and takes it. Fails if that takes too long.
    fn lock(&self, purpose: Purpose, id: &str)
    -> impl Future<Output = Result<Self::Lock, Failure>>;

    /// Whether it was taken away from another page.
    fn is_stolen(lock: &Self::Lock) -> bool;

    /// Random letters, which nothing else is named by.
    fn letters() -> Result<String, Failure>;

    /// Does what it is asked. When a write is done, it survives a crash. Boxed: each caller would carry a copy of the
    /// machinery.
    fn perform(&self, action: Action) -> Boxed<'_, Result<Vec<Found>, Failure>>;

    /// The entry with this id.
    fn find(&self, id: &str) -> impl Future<Output = Result<Option<Found>, Failure>> {
        let read = self.perform(Action::Read(Range::One(id.into()), 1));
        async move { Ok(read.await?.into_iter().next()) }
    }

    /// Erases the entry with this id.
    fn erase(&self, id: &str) -> impl Future<Output = Result<(), Failure>> {
        let erase = self.perform(Action::Erase(Range::One(id.into())));
        async move { erase.await.map(drop) }
    }

    /// Does what it is asked before it performs anything else, unless the page ends first.
    fn perform_later(&self, action: Action);

    /// The JSON text of an entry or a record.
    fn to_text<T: Serialize>(kept: &T) -> Result<String, Failure>;

    /// An entry or a record from its JSON text; `None` if the text is damaged, or not an object.
    fn from_text<T: DeserializeOwned>(text: &str) -> Option<T>;
}

/// What the storage is to do.
pub enum Action {
    /// Read these entries, at most so many: those whose ids come first.
    Read(Range, u32),
    /// Give the first and the last id of those that begin so; nothing is opened.
    Ends(String),
    /// Give all ids that begin so; nothing is opened.
    Ids(String),
    /// Keep a JSON text under an id, durably.
    Write {
        /// Names the entry.
        id: String,
        /// What is kept.
        text: String,
    },
    /// Erase an entry that is as it was read, and keep a JSON text under an id in its place, both or neither. Finds
    /// something if it was.
    Replace {
        /// Names the entry that goes.
        from: String,
        /// What it was.
        version: Vec<u8>,
        /// Id and text of the entry that comes.
        by: Option<(String, String)>,
    },
    /// Erase these entries.
    Erase(Range),
    /// Erase a key that can't be read, if nothing is sealed under it.
    EraseDamagedKey,
}

/// Which entries.
pub enum Range {
    /// The one with this id.
    One(String),
    /// All whose ids begin with it.
    Scope(String),
}

/// An entry that the storage has.
#[derive(Default)]
pub struct Found {
    /// Names it.
    pub id: String,
    /// Its JSON text; `None` if it is damaged, its key is gone, or only its id was asked for.
    pub text: Option<String>,
    /// Another one after each write; empty where no other page can write.
    pub version: Vec<u8>,
}

/// Longer than a call takes, and what it writes.
const LEASE_MS: f64 = 12_000.0;

/// What a lock protects.
#[derive(Clone, Copy)]
pub enum Purpose {
    /// One page at a time asks for an integration's tokens.
    PickUp,
    /// One page at a time hands them over.
    HandOver,
    /// One at a time erases them, after the host has them.
    Erase,
    /// One page at a time sends orders.
    Outbox,
    /// Held while the shopper of a sale is asked.
    Sale,
}

impl Purpose {
    /// The name of the lock, which other releases of the package use, too.
    pub fn name(self, id: &str) -> String {
        let purpose = match self {
            Self::PickUp => "pos-connect pick-up ",
            Self::HandOver => "pos-connect hand-over ",
            Self::Erase => "pos-connect erase ",
            Self::Outbox => "pos-connect outbox ",
            Self::Sale => "pos-connect sale ",
        };
        [purpose, id].concat()
    }

    /// How long one may hold it before another one takes it away; `None`: as long as it lives.
    pub fn lease_ms(self) -> Option<f64> {
        // Two senders at once do no harm: a try of the same order is the same call, and only one keeps its outcome.
        matches!(self, Self::Outbox).then_some(LEASE_MS)
    }
}

/// Declares a struct that is kept as a JSON text. A member of another type counts as missing: it must not cost those
/// beside it.
macro_rules! record {
    ($(#[$about:meta])* pub struct $name:ident { $($(#[$doc:meta])* $visibility:vis $member:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[derive(Clone, Default, serde::Deserialize, serde::Serialize)]
        #[serde(rename_all = "camelCase", default)]
        pub struct $name {
            $($(#[$doc])*
            #[serde(deserialize_with = "crate::vault::storage::lenient")]
            $visibility $member: $type,)*
        }
    };
}
pub(crate) use record;

/// A value of another type counts as missing.
pub fn lenient<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    member: D,
) -> Result<T, D::Error> {
    Ok(T::deserialize(member).unwrap_or_default())
}
