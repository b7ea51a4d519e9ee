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
    /// Two orders of this page are queued in the order of their calls.
    joining: Rc<FairMutex>,
}

/// A kind of orders that are kept.
#[derive(Clone, Copy)]
pub enum Section {
    /// Those that wait.
    Waiting,
    /// Those that were refused.
    Refused,
    /// Those of sales whose shopper is being asked, or was when the page went.
    Sales,
}

const ALL: [Section; 3] = [Section::Waiting, Section::Refused, Section::Sales];

/// An order in the queue.
pub struct Row {
    /// Names it.
    pub id: String,
    section: Section,
    /// What it was when it was read.
    version: Vec<u8>,
    /// `None` if it can't be read.
    pub entry: Option<QueuedOrder>,
}

impl<S: Storage> Queue<S> {
    /// Opens nothing yet.
    pub fn new(storage: Rc<S>) -> Self {
        Self {
            storage,
            joining: Rc::default(),
        }
    }

    /// What names an order in the storage. Without an id: what these begin with.
    fn key(&self, section: Section, id: &str) -> String {
        let section = match section {
            Section::Waiting => "outbox ",
            Section::Refused => "refused ",
            Section::Sales => "sale ",
        };
        [section, self.storage.scope(), id].concat()
    }

    /// The lock under which one page at a time sends, or changes what waits.
    pub async fn lock(&self) -> Result<S::Lock, Failure> {
        let scope = self.storage.scope();
        self.storage.lock(Purpose::Outbox, scope).await
    }

    /// Waits until no page asks the shopper of that sale.
    pub async fn lock_of_sale(&self, id: &str) -> Result<S::Lock, Failure> {
        self.storage.lock(Purpose::Sale, id).await
    }

    /// Keeps the order of a sale, durably, while its shopper is asked.
    pub async fn hold(&self, id: &str, entry: &QueuedOrder) -> Result<(), Failure> {
        let text = S::to_text(entry)?;
        self.write(self.key(Section::Sales, id), text).await
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
        let place = self.last_place(text.len() as u64, sale.is_some()).await?;
        let id = place.id(&S::letters()?);
        joined(&id);
        let id = self.key(Section::Waiting, &id);
        let sale = match sale {
            Some(sale) => self.find(Section::Sales, sale).await?,
            None => None,
        };
        let Some(sale) = sale else {
            return self.write(id, text).await;
        };
        let by = Some((id.clone(), text.clone()));
        if !self.replace(&sale, by).await? {
            // It is gone, or can't be read: the page has its text all the same.
            self.write(id, text).await?;
            self.erase(&sale).await?;
        }
        Ok(())
    }

    /// The place behind all others. Fails if there is no room; but a sale was paid, and there is no way back.
    async fn last_place(&self, bytes: u64, is_paid: bool) -> Result<Place, Failure> {
        let [waiting, refused] = [Section::Waiting, Section::Refused].map(|of| self.key(of, ""));
        let place = |found: &Found, key: &str| Place::of(found.id.strip_prefix(key)?);
        let waits = |found| place(found, &waiting);
        let ends = self.perform(Action::Ends(waiting.clone())).await?;
        let ends = ends
            .first()
            .and_then(waits)
            .zip(ends.last().and_then(waits));
        let ids = self.perform(Action::Ids(refused.clone())).await?;
        let between = |(first, last): &(Place, Place)| Load::between(first, last);
        let mut load = ends.as_ref().map(between).unwrap_or_default();
        if !load.has_room(ids.len(), bytes) {
            // One that stays behind, because nobody can read it, does not count for all that came after it.
            let all = self.perform(Action::Ids(waiting.clone())).await?;
            load = all.iter().filter_map(waits).collect();
        }
        if !is_paid && !load.has_room(ids.len(), bytes) {
            return Err(Failure::new(ErrorCode::OutboxFull));
        }
        // Behind the refused ones, too: they may come back.
        let refused = ids.last().and_then(|found| place(found, &refused));
        let last = ends.map(|(_, last)| last).max(refused);
        Ok(Place::after(last.as_ref(), bytes))
    }

    /// The order that is to be sent next, `None` if none waits; and those before it that can't be read.
    pub async fn next(&self, now_ms: f64) -> Result<(Option<Row>, Vec<String>), Failure> {
        let mut count = 1;
        loop {
            let mut some = self.first(Section::Waiting, count).await?;
            let is_all = some.len() < count as usize;
            let unreadable = some.iter().filter(|row| row.entry.is_none());
            let unreadable = unreadable.map(|row| row.id.clone()).collect();
            let entries: Vec<_> = some.iter().map(|row| row.entry.as_ref()).collect();
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

    /// Keeps what has changed of an order, at its place among these. False, as below, if another page was faster: it
    /// thought that this one is gone.
    pub async fn put(
        &self,
        row: &Row,
        section: Section,
        entry: &QueuedOrder,
    ) -> Result<bool, Failure> {
        let by = (self.key(section, &row.id), S::to_text(entry)?);
        self.replace(row, Some(by)).await
    }

    /// Erases an order that the service has.
    pub async fn remove(&self, row: &Row) -> Result<bool, Failure> {
        self.replace(row, None).await
    }

    /// An order that can be sent; what can't be read can't be.
    pub async fn sendable(
        &self,
        section: Section,
        id: &str,
    ) -> Result<Option<(Row, QueuedOrder)>, Failure> {
        let found = self.find(section, id).await?;
        Ok(found.and_then(|mut row| {
            let entry = row.entry.take().filter(QueuedOrder::is_sendable)?;
            Some((row, entry))
        }))
    }

    /// Erases an order, wherever it is; what it was, unless there is none.
    pub async fn discard(&self, id: &str) -> Result<Option<Row>, Failure> {
        for section in ALL {
            if let Some(row) = self.find(section, id).await? {
                self.erase(&row).await?;
                return Ok(Some(row));
            }
        }
        Ok(None)
    }

    /// The orders that can be sent, and the others: refused, or unreadable. A sale that can be read is its page's,
    /// or is about to be recovered.
    pub async fn list(&self) -> Result<[Vec<Row>; 2], Failure> {
        let waiting = self.all(Section::Waiting).await?.into_iter();
        let (waiting, mut others): (Vec<_>, Vec<_>) = waiting.partition(|row| row.entry.is_some());
        others.extend(self.all(Section::Refused).await?);
        let sales = self.all(Section::Sales).await?.into_iter();
        others.extend(sales.filter(|row| row.entry.is_none()));
        Ok([waiting, others])
    }

    /// All orders, sales included: as they are, or only their ids where nothing can be read.
    pub async fn everything(&self) -> Result<Vec<Row>, Failure> {
        let mut all = Vec::new();
        for section in ALL {
            all.extend(match self.all(section).await {
                Ok(rows) => rows,
                Err(_) => {
                    let ids = Action::Ids(self.key(section, ""));
                    self.rows(section, ids).await?
                }
            });
        }
        Ok(all)
    }

    /// Erases all orders.
    pub async fn clear(&self) -> Result<(), Failure> {
        for section in ALL {
            let range = Range::Scope(self.key(section, ""));
            self.perform(Action::Erase(range)).await?;
        }
        Ok(())
    }

    /// All orders of a section, from the first on.
    pub async fn all(&self, section: Section) -> Result<Vec<Row>, Failure> {
        self.first(section, u32::MAX).await
    }

    /// The first rows of a section, at most so many.
    async fn first(&self, section: Section, count: u32) -> Result<Vec<Row>, Failure> {
        let range = Range::Scope(self.key(section, ""));
        self.rows(section, Action::Read(range, count)).await
    }

    /// The order of a section with this id.
    pub async fn find(&self, section: Section, id: &str) -> Result<Option<Row>, Failure> {
        let range = Range::One(self.key(section, id));
        let found = self.rows(section, Action::Read(range, 1)).await?;
        Ok(found.into_iter().next())
    }

    async fn rows(&self, section: Section, action: Action) -> Result<Vec<Row>, Failure> {
        let (key, found) = (self.key(section, ""), self.perform(action).await?);
        let rows = found.into_iter().map(|found| Row {
            id: found.id.strip_prefix(&key).unwrap_or_default().to_owned(),
            section,
            version: found.version,
            entry: found.text.as_deref().and_then(S::from_text),
        });
        Ok(rows.collect())
    }

    async fn replace(&self, row: &Row, by: Option<(String, String)>) -> Result<bool, Failure> {
        let replace = Action::Replace {
            from: self.key(row.section, &row.id),
            version: row.version.clone(),
            by,
        };
        Ok(!self.perform(replace).await?.is_empty())
    }

    async fn erase(&self, row: &Row) -> Result<(), Failure> {
        self.storage.erase(&self.key(row.section, &row.id)).await
    }

    async fn write(&self, id: String, text: String) -> Result<(), Failure> {
        self.perform(Action::Write { id, text }).await.map(drop)
    }

    fn perform(&self, action: Action) -> Boxed<'_, Result<Vec<Found>, Failure>> {
        self.storage.perform(action)
    }
}
