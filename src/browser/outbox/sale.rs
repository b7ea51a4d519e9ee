//! A sale from the money to the receipt: while the shopper is asked, its order is on the disk, and a lock says that its
//! page is there.

use super::{Outbox, Sending};
use crate::browser::failure::Failure;
use crate::browser::vault::Lock;
use crate::browser::{console, global, order, task};
use crate::outbox::Entry;
use std::rc::Rc;
use wasm_bindgen::JsValue;

/// The reason of a print that the page could not make which took the money.
const INTERRUPTED: &str = "interrupted";

/// The order of a sale whose shopper is being asked.
pub struct Sale {
    /// Names it among the sales; `None` if the storage would not take it.
    kept: Option<(String, Lock)>,
    entry: Entry,
}

impl Outbox {
    /// Keeps the order of a sale before its shopper is asked. If the storage fails, the sale goes on without it.
    pub async fn begin_sale(&self, mut entry: Entry) -> Sale {
        entry.at = global::wall_clock();
        let kept = self.queue.hold(&entry).await.ok();
        Sale { kept, entry }
    }

    /// Puts the order among those that wait: `entry` is the same one, with what the shopper chose.
    pub async fn end_sale(self: &Rc<Self>, sale: Sale, entry: Entry) -> Result<Sending, Failure> {
        let entry = Entry {
            key: sale.entry.key,
            at: sale.entry.at,
            ..entry
        };
        let id = sale.kept.as_ref().map(|(id, _)| id.as_str());
        // The lock lives until the order has its new place.
        self.keep(entry, id).await
    }

    /// Sends the orders of the sales that a page has left in their middle, and gives each to the host, which prints it;
    /// once for each object. One whose host does not print leaves the sales to others until it sells itself: a page may
    /// have an object that only connects.
    pub fn recover_sales(self: &Rc<Self>) {
        if self.has_recovered.replace(true) {
            return;
        }
        let outbox = self.clone();
        task::start(async move {
            let Ok(sales) = outbox.queue.sales().await else {
                return;
            };
            for sale in sales {
                let outbox = outbox.clone();
                // Side by side: a page may be asking a shopper, for minutes.
                task::start(async move {
                    let _ = outbox.recover_sale(&sale.id).await;
                });
            }
        });
    }

    async fn recover_sale(self: &Rc<Self>, id: &str) -> Result<(), Failure> {
        let _lock = self.queue.lock_of_sale(id).await?;
        // Its own page may have ended it while this one waited.
        let Some(entry) = self.queue.sale(id).await? else {
            return Ok(());
        };
        let receipt = order::receipt_to_print(&entry, INTERRUPTED);
        self.keep(entry, Some(id)).await?;
        if let Some(on_interrupted) = &self.on_interrupted
            && let Err(thrown) = on_interrupted.call1(&JsValue::UNDEFINED, &receipt)
        {
            console::error("pos-connect: onInterrupted threw", &thrown);
        }
        Ok(())
    }
}
