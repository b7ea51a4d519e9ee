//! The order of a sale: while the shopper is asked it is on the disk, and a lock says that its page is there.

use super::outbox::{Outbox, Sending};
use super::outbox_page::OutboxPage;
use super::queue::Section;
use super::queued_order::{self, Change, QueuedOrder, State};
use crate::core::failure::Failure;
use crate::platform::LockOf;
use crate::vault::storage::Storage;
use std::rc::Rc;

/// The failures after which the rest is 4 s.
const LATER: u32 = 3;

/// The order of a sale whose shopper is being asked.
pub struct Sale<P: OutboxPage> {
    /// Names it among the sales; `None` if the browser gave no lock.
    place: Option<(String, LockOf<P>)>,
    /// Whether the storage says that it has the order. It may have it all the same.
    pub is_kept: bool,
    entry: QueuedOrder,
}

impl<P: OutboxPage> Outbox<P> {
    /// Keeps the order of a sale before its shopper is asked. If the storage fails, the sale goes on without it.
    pub async fn begin_sale(&self, mut entry: QueuedOrder) -> Sale<P> {
        entry.at = Some(self.page.now());
        let place = self.place_of_sale().await.ok();
        let is_kept = match &place {
            Some((id, _)) => self.queue.hold(id, &entry).await.is_ok(),
            None => false,
        };
        if let Some((id, _)) = place.as_ref().filter(|_| is_kept) {
            self.page.tell_pages(&Change::new(State::Asked, id, &entry));
        }
        Sale {
            place,
            is_kept,
            entry,
        }
    }

    /// Names a sale, and says by a lock that its page is there.
    async fn place_of_sale(&self) -> Result<(String, LockOf<P>), Failure> {
        let id = P::Storage::letters()?;
        let lock = self.queue.lock_of_sale(&id).await?;
        Ok((id, lock))
    }

    /// Puts the order among those that wait: `entry` is the same one, with what the shopper chose. If the storage fails
    /// now, but has the sale, the order is queued, and its place is asked for again as long as the object lives.
    pub async fn end_sale(
        self: &Rc<Self>,
        sale: Sale<P>,
        entry: QueuedOrder,
    ) -> Result<Sending, Failure> {
        let entry = QueuedOrder {
            key: sale.entry.key.clone(),
            at: sale.entry.at,
            ..entry
        };
        // The lock lives until the order has its new place.
        let id = sale.place.as_ref().map(|(id, _)| id.as_str());
        let kept = self.keep(entry.clone(), id).await;
        let Some(id) = id.filter(|_| kept.is_err() && sale.is_kept) else {
            return kept;
        };
        let queued = Change::new(State::Queued, id, &entry);
        let outbox = self.clone();
        P::start(async move { outbox.end_sale_later(&sale, entry).await });
        let waiting = None;
        Ok(Sending { waiting, queued })
    }

    /// Keeps a sale whose order is among those that wait, as long as its code is shown: a page that goes meanwhile
    /// leaves it to the next one, which prints.
    pub async fn show_sale(&self, sending: &Sending, entry: QueuedOrder) -> Option<Sale<P>> {
        // Without a place among those that wait, the sale that it was is still kept.
        sending.waiting.as_ref()?;
        let is_placed = true;
        Some(self.begin_sale(QueuedOrder { is_placed, ..entry }).await)
    }

    /// Ends such a sale. If the storage fails, it is printed once more.
    pub async fn close_sale(&self, sale: Sale<P>) {
        if let Some((id, _)) = &sale.place {
            let _ = self.queue.discard(id).await;
        }
    }

    async fn end_sale_later(self: &Rc<Self>, sale: &Sale<P>, entry: QueuedOrder) {
        let id = sale.place.as_ref().map(|(id, _)| id.as_str());
        for failures in 1.. {
            if self.is_over_after_rest(failures).await || self.keep(entry.clone(), id).await.is_ok()
            {
                return;
            }
        }
    }

    /// Rests before the storage that failed is asked again. Whether the object ended meanwhile.
    async fn is_over_after_rest(&self, failures: u32) -> bool {
        let rest = self.page.sleep(queued_order::storage_rest(failures));
        P::race(rest, self.page.ended()).await.is_err()
    }

    /// Sends the orders of the sales that a page has left in their middle, and gives each to the host, which prints it;
    /// once for each object. One whose host does not print leaves the sales to others until it sells itself: a page may
    /// have an object that only connects.
    pub fn recover_sales(self: &Rc<Self>) {
        if self.has_recovered.replace(true) {
            return;
        }
        let outbox = self.clone();
        P::start(async move {
            let Ok(sales) = outbox.queue.all(Section::Sales).await else {
                return outbox.recover_later().await;
            };
            for sale in sales {
                let outbox = outbox.clone();
                // Side by side: a page may be asking a shopper, for minutes.
                P::start(async move {
                    if outbox.recover_sale(&sale.id).await.is_err() {
                        outbox.recover_later().await;
                    }
                });
            }
        });
    }

    /// The storage failed: looks for all of them again, once for all that failed.
    async fn recover_later(self: &Rc<Self>) {
        if self.has_recovered.replace(false) && !self.is_over_after_rest(LATER).await {
            self.recover_sales();
        }
    }

    /// Recovers a sale that another page has begun, if that page goes and does not come back.
    pub(super) fn recover_when_left(self: &Rc<Self>, id: String) {
        if !self.page.prints_interrupted() {
            return;
        }
        let outbox = self.clone();
        P::start(async move {
            // A lock that does not come in time is asked for again: a shopper may be asked for minutes.
            loop {
                let lock = P::race(outbox.queue.lock_of_sale(&id), outbox.page.ended()).await;
                // Given back at once: a page that only reloads recovers its sale itself.
                let is_left = lock.map(|lock| lock.is_ok());
                if is_left.is_err() || outbox.is_over_after_rest(LATER).await {
                    return;
                }
                if let Ok(true) = is_left {
                    break;
                }
            }
            // What the storage keeps from this page waits for the next one.
            let _ = outbox.recover_sale(&id).await;
        });
    }

    async fn recover_sale(self: &Rc<Self>, id: &str) -> Result<(), Failure> {
        let _lock = P::race(self.queue.lock_of_sale(id), self.page.ended()).await??;
        let sale = self.queue.find(Section::Sales, id).await?;
        let Some(entry) = sale.and_then(|kept| kept.entry) else {
            // Its own page has put the order among those that wait, and may have gone before it could say so.
            self.wake();
            return Ok(());
        };
        // What has ended prints nothing.
        P::check(self.page.ended())?;
        match entry.is_placed {
            true => drop(self.queue.discard(id).await?),
            false => drop(self.keep(entry.clone(), Some(id)).await?),
        }
        self.page.interrupted(&entry);
        Ok(())
    }
}
