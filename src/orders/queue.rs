//! The orders in the vault: those that wait, in their order, and those that were refused.

use super::pick::{Pick, pick};
use super::place::{Load, Place};
use super::queued_order::QueuedOrder;
use crate::core::Boxed;
use crate::core::error::ErrorCode;
use crate::core::failure::Failure;
use crate::vault::mutex::FairMutex;
use crate::vault::storage::{Action, Found, Purpose, Range, Storage};
use std::rc::Rc;

/// The orders of one vendor account and store in this browser.
pub struct Queue<S> {
    /// Where they are kept.
    pub storage: Rc<S>,
    /// What the ids of the waiting ones begin with.
    waiting: String,
    /// What the ids of the refused ones begin with.
    refused: String,
    /// What the ids of the sales begin with whose shopper is being asked.
    sales: String,
    /// Two orders of this page are queued in the order of their calls.
    joining: Rc<FairMutex>,
}

/// An order in it.
pub struct Kept {
    /// Names it.
    pub id: String,
    /// What it was when it was read.
    version: Vec<u8>,
    /// `None` if it can't be read.
    pub entry: Option<QueuedOrder>,
}

impl<S: Storage> Queue<S> {
    /// Opens nothing yet.
    pub fn new(storage: Rc<S>) -> Self {
        let scope = storage.scope();
        Self {
            waiting: ["outbox ", scope].concat(),
            refused: ["refused ", scope].concat(),
            sales: ["sale ", scope].concat(),
            storage,
            joining: Rc::default(),
        }
    }

    /// One page at a time sends, or changes what waits.
    pub async fn lock(&self) -> Result<S::Lock, Failure> {
        let scope = self.storage.scope();
        self.storage.lock(Purpose::Outbox, scope).await
    }

    /// A place for the order of a sale: its id among the sales, and the lock that says that its page is there.
    pub async fn place_of_sale(&self) -> Result<(String, S::Lock), Failure> {
        let id = S::letters()?;
        let lock = self.lock_of_sale(&id).await?;
        Ok((id, lock))
    }

    /// Keeps the order of a sale, durably, while its shopper is asked.
    pub async fn hold(&self, id: &str, entry: &QueuedOrder) -> Result<(), Failure> {
        let text = S::to_text(entry)?;
        let id = [&*self.sales, id].concat();
        self.perform(Action::Write { id, text }).await?;
        Ok(())
    }

    /// Waits until no page asks the shopper of that sale.
    pub async fn lock_of_sale(&self, id: &str) -> Result<S::Lock, Failure> {
        self.storage.lock(Purpose::Sale, id).await
    }

    /// The sales whose shopper is being asked, or was when the page went.
    pub async fn sales(&self) -> Result<Vec<Kept>, Failure> {
        self.all(&self.sales, read_all).await
    }

    /// One of the sales.
    pub async fn sale(&self, id: &str) -> Result<Option<QueuedOrder>, Failure> {
        let found = self.find(&self.sales, id).await?;
        Ok(found.and_then(|kept| kept.entry))
    }

    /// Keeps an order at the end, durably; in the place of the sale that it was, if it was one. `joined` hears its id
    /// before any page can send it. Nobody overtakes an order that is still to be made ready.
    pub async fn join(
        &self,
        entry: Boxed<'_, QueuedOrder>,
        sale: Option<&str>,
        joined: impl FnOnce(&str),
    ) -> Result<(), Failure> {
        let _guard = self.joining.acquire().await;
        let text = S::to_text(&entry.await)?;
        let ends = self.perform(Action::Ends(self.waiting.clone())).await?;
        let refused = self.perform(Action::Ids(self.refused.clone())).await?;
        let place = |found: &Found, scope: &str| Place::of(found.id.strip_prefix(scope)?);
        let waiting = |found| place(found, &self.waiting);
        let ends = ends
            .first()
            .and_then(waiting)
            .zip(ends.last().and_then(waiting));
        let bytes = text.len() as u64;
        let mut load = ends
            .as_ref()
            .map_or_else(Load::default, |(first, last)| Load::between(first, last));
        if !load.has_room(refused.len(), bytes) {
            // One that stays behind, because nobody can read it, does not count for all that came after it.
            let ids = self.perform(Action::Ids(self.waiting.clone())).await?;
            load = ids.iter().filter_map(waiting).collect();
        }
        // A sale was paid: there is no way back.
        if sale.is_none() && !load.has_room(refused.len(), bytes) {
            return Err(Failure::new(ErrorCode::OutboxFull));
        }
        // Behind the refused ones, too: they may come back.
        let refused = refused.last().and_then(|found| place(found, &self.refused));
        let last = ends.map(|(_, last)| last).max(refused);
        let letters = S::letters()?;
        let id = Place::after(last.as_ref(), bytes).id(&letters);
        joined(&id);
        let id = [&*self.waiting, &id].concat();
        let sale = match sale {
            Some(sale) => self.find(&self.sales, sale).await?,
            None => None,
        };
        let Some(sale) = sale else {
            self.perform(Action::Write { id, text }).await?;
            return Ok(());
        };
        let from = [&*self.sales, &sale.id].concat();
        let replace = Action::Replace {
            from: from.clone(),
            version: sale.version,
            by: Some((id.clone(), text.clone())),
        };
        if self.perform(replace).await?.is_empty() {
            // It is gone, or can't be read: the page has its text all the same.
            self.perform(Action::Write { id, text }).await?;
            self.perform(Action::Erase(Range::One(from))).await?;
        }
        Ok(())
    }

    /// The order that is to be sent next, `None` if none waits; and those before it that can't be read.
    pub async fn next(&self, now_ms: f64) -> Result<(Option<Kept>, Vec<String>), Failure> {
        let mut count = 1;
        loop {
            let mut some = self.some(count).await?;
            let is_all = some.len() < count as usize;
            let unreadable = some.iter().filter(|kept| kept.entry.is_none());
            let unreadable = unreadable.map(|kept| kept.id.clone()).collect();
            let entries: Vec<_> = some.iter().map(|kept| kept.entry.as_ref()).collect();
            let next = match pick(&entries, is_all, now_ms) {
                Pick::At(place) => Some(some.swap_remove(place)),
                Pick::Nothing => None,
                Pick::ReadMore => {
                    count *= 4;
                    continue;
                }
            };
            return Ok((next, unreadable));
        }
    }

    /// So many of those that wait, from the first on.
    async fn some(&self, count: u32) -> Result<Vec<Kept>, Failure> {
        let found = self
            .perform(Action::Read(Range::Scope(self.waiting.clone()), count))
            .await?;
        let kept = found
            .into_iter()
            .map(|found| kept_as::<S>(found, &self.waiting));
        Ok(kept.collect())
    }

    /// Keeps what has changed of an order that waits. False, as below, if another page was faster: it thought that
    /// this one is gone.
    pub async fn note(&self, kept: &Kept, entry: &QueuedOrder) -> Result<bool, Failure> {
        let by = Some((&*self.waiting, entry));
        self.replace(&self.waiting, kept, by).await
    }

    /// Erases an order that the service has.
    pub async fn remove(&self, kept: &Kept) -> Result<bool, Failure> {
        self.replace(&self.waiting, kept, None).await
    }

    /// Puts an order to the refused ones.
    pub async fn refuse(&self, kept: &Kept, entry: &QueuedOrder) -> Result<bool, Failure> {
        let by = Some((&*self.refused, entry));
        self.replace(&self.waiting, kept, by).await
    }

    /// Puts a refused order back to its place.
    pub async fn requeue(&self, kept: &Kept, entry: &QueuedOrder) -> Result<bool, Failure> {
        let by = Some((&*self.waiting, entry));
        self.replace(&self.refused, kept, by).await
    }

    /// A refused order that can be sent; what can't be read can't be.
    pub async fn refused(&self, id: &str) -> Result<Option<(Kept, QueuedOrder)>, Failure> {
        self.sendable(&self.refused, id).await
    }

    /// An order that waits.
    pub async fn waiting(&self, id: &str) -> Result<Option<(Kept, QueuedOrder)>, Failure> {
        self.sendable(&self.waiting, id).await
    }

    async fn sendable(
        &self,
        scope: &str,
        id: &str,
    ) -> Result<Option<(Kept, QueuedOrder)>, Failure> {
        let found = self.find(scope, id).await?;
        Ok(found.and_then(|mut kept| {
            let entry = kept.entry.take().filter(QueuedOrder::is_sendable)?;
            Some((kept, entry))
        }))
    }

    /// Erases an order, wherever it is; what it was, unless there is none.
    pub async fn discard(&self, id: &str) -> Result<Option<Kept>, Failure> {
        for scope in [&self.waiting, &self.refused, &self.sales] {
            if let Some(kept) = self.find(scope, id).await? {
                let range = Range::One([&**scope, id].concat());
                self.perform(Action::Erase(range)).await?;
                return Ok(Some(kept));
            }
        }
        Ok(None)
    }

    /// The orders that can be sent, and the others: refused, or unreadable. A sale that can be read is its page's,
    /// or is about to be recovered.
    pub async fn list(&self) -> Result<[Vec<Kept>; 2], Failure> {
        let waiting = self.all(&self.waiting, read_all).await?.into_iter();
        let (waiting, mut others): (Vec<_>, Vec<_>) =
            waiting.partition(|kept| kept.entry.is_some());
        others.extend(self.all(&self.refused, read_all).await?);
        let sales = self.sales().await?.into_iter();
        others.extend(sales.filter(|kept| kept.entry.is_none()));
        Ok([waiting, others])
    }

    /// All orders, sales included: as they are, or only their ids where nothing can be read.
    pub async fn everything(&self) -> Result<Vec<Kept>, Failure> {
        let mut all = Vec::new();
        for scope in [&self.waiting, &self.refused, &self.sales] {
            let ids = |scope: &str| Action::Ids(scope.into());
            all.extend(match self.all(scope, read_all).await {
                Ok(kept) => kept,
                Err(_) => self.all(scope, ids).await?,
            });
        }
        Ok(all)
    }

    /// Erases all orders.
    pub async fn clear(&self) -> Result<(), Failure> {
        for scope in [&self.waiting, &self.refused, &self.sales] {
            self.perform(Action::Erase(Range::Scope(scope.clone())))
                .await?;
        }
        Ok(())
    }

    async fn all(&self, scope: &str, ask: fn(&str) -> Action) -> Result<Vec<Kept>, Failure> {
        let found = self.perform(ask(scope)).await?.into_iter();
        Ok(found.map(|found| kept_as::<S>(found, scope)).collect())
    }

    async fn find(&self, scope: &str, id: &str) -> Result<Option<Kept>, Failure> {
        let range = Range::One([scope, id].concat());
        let found = self.perform(Action::Read(range, 1)).await?;
        Ok(found
            .into_iter()
            .next()
            .map(|found| kept_as::<S>(found, scope)))
    }

    async fn replace(
        &self,
        scope: &str,
        kept: &Kept,
        by: Option<(&str, &QueuedOrder)>,
    ) -> Result<bool, Failure> {
        let by = by.map(|(scope, entry)| {
            let text = S::to_text(entry)?;
            Ok::<_, Failure>(([scope, &kept.id].concat(), text))
        });
        let replace = Action::Replace {
            from: [scope, &kept.id].concat(),
            version: kept.version.clone(),
            by: by.transpose()?,
        };
        Ok(!self.perform(replace).await?.is_empty())
    }

    async fn perform(&self, action: Action) -> Result<Vec<Found>, Failure> {
        self.storage.perform(action).await
    }
}

fn read_all(scope: &str) -> Action {
    Action::Read(Range::Scope(scope.into()), u32::MAX)
}

fn kept_as<S: Storage>(found: Found, scope: &str) -> Kept {
    let id = found.id.strip_prefix(scope).unwrap_or_default().to_owned();
    let entry = found.text.as_deref().and_then(S::from_text);
    Kept {
        id,
        version: found.version,
        entry,
    }
}
