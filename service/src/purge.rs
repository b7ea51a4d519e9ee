//! The purge: what ended long ago is erased, by the running service and by `purge`.

use crate::service::Service;
use crate::store::{Kept, PurgeCursor, ReceiptStep, StoreError};
use pos_connect_foundation::database::STEP_PAUSE;
use pos_connect_foundation::storage_key::NOTE_EVERY;
use serde::Serialize;
use std::time::Duration;
use tokio::sync::watch;

/// How many a purge has erased.
#[derive(Debug, Default, Eq, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Erased {
    #[serde(rename = "purged")]
    pub(crate) integrations: usize,
    pub(crate) receipts: usize,
    /// Numbers of messages that failed long ago.
    pub(crate) numbers: usize,
    pub(crate) sealing_keys: usize,
    pub(crate) orders: usize,
    pub(crate) customers: usize,
}

impl Service {
    /// Purges now and then, and notes the storage key for `rotate-key`, until `stop` turns true.
    pub async fn tend(self, mut stop: watch::Receiver<bool>) {
        let tending = async {
            loop {
                let erased = self.purge_all(STEP_PAUSE, |what, cause| {
                    tracing::error!(what, %cause, "cannot purge");
                    Ok(())
                });
                if let Ok(erased) = erased.await
                    && erased != Erased::default()
                {
                    tracing::info!(?erased, "erased what is over");
                }
                self.quota.save_all(&self.store).await;
                tokio::time::sleep(self.settings.purge_every).await;
            }
        };
        let noting = async {
            loop {
                if let Err(error) = self.store.note_key(self.clock.now()).await {
                    tracing::error!(%error, "cannot note the storage key");
                }
                tokio::time::sleep(NOTE_EVERY).await;
            }
        };
        tokio::select! {
            () = tending => {}
            () = noting => {}
            _ = stop.wait_for(|stop| *stop) => {}
        }
        self.quota.save_all(&self.store).await;
    }

    /// Erases all that is over. `failed` decides whether the next step follows one that failed.
    pub(crate) async fn purge_all(
        &self,
        breath: Duration,
        failed: impl Fn(&'static str, StoreError) -> Result<(), StoreError>,
    ) -> Result<Erased, StoreError> {
        let now = self.clock.now();
        let integrations = count("integrations", self.purge(breath).await, &failed)?;
        let receipts = count("receipts", self.purge_receipts(breath).await, &failed)?;
        count("sign-ins", self.store.purge_sign_ins(now).await, &failed)?;
        count("budgets", self.store.purge_budgets(now).await, &failed)?;
        let sealing_keys = count("sealing keys", self.purge_sealing_keys().await, &failed)?;
        let orders = self.purge_old(Kept::Orders, breath).await;
        let orders = count("orders", orders, &failed)?;
        let customers = self.purge_old(Kept::Customers, breath).await;
        let customers = count("customers", customers, &failed)?;
        count("the audit", self.purge_audit(breath).await, &failed)?;
        Ok(Erased {
            integrations,
            receipts: receipts.receipts,
            numbers: receipts.numbers,
            sealing_keys,
            orders,
            customers,
        })
    }

    /// Erases the rows of the audit that are older than `Settings::audit_ttl`.
    async fn purge_audit(&self, breath: Duration) -> Result<(), StoreError> {
        let (now, kept) = (self.clock.now(), self.settings.audit_ttl);
        while self.store.purge_audit(now.before(kept)).await? {
            tokio::time::sleep(breath).await;
        }
        Ok(())
    }

    /// Erases receipts that cannot be opened any more, and the number in each message that failed longer ago than
    /// `Settings::failed_ttl`; says how many.
    pub async fn purge_receipts(&self, breath: Duration) -> Result<ReceiptStep, StoreError> {
        let mut purged = ReceiptStep::default();
        loop {
            let now = self.clock.now();
            let failed_before = now.before(self.settings.failed_ttl);
            let step = self.store.purge_receipts(now, failed_before).await?;
            purged.receipts += step.receipts;
            purged.numbers += step.numbers;
            if !step.goes_on {
                return Ok(purged);
            }
            tokio::time::sleep(breath).await;
        }
    }

    /// Erases the sealing keys that were replaced longer ago than `Settings::sealing_key_ttl`; says how many.
    pub async fn purge_sealing_keys(&self) -> Result<usize, StoreError> {
        let (now, kept) = (self.clock.now(), self.settings.sealing_key_ttl);
        self.store.purge_sealing_keys(now.before(kept)).await
    }

    /// Erases the orders or customers that are older than `Settings::orders_ttl` or `Settings::customers_ttl`; says how
    /// many.
    pub async fn purge_old(&self, kept: Kept, breath: Duration) -> Result<usize, StoreError> {
        let ttl = match kept {
            Kept::Orders => self.settings.orders_ttl,
            Kept::Customers => self.settings.customers_ttl,
        };
        let mut all = 0;
        loop {
            let before = self.clock.now().before(ttl);
            let (erased, goes_on) = self.store.erase_old(kept, before).await?;
            all += erased;
            if !goes_on {
                return Ok(all);
            }
            tokio::time::sleep(breath).await;
        }
    }

    /// Erases what nobody asks for any more, and what ended longer ago than `Settings::ended_ttl`; says how many
    /// integrations.
    pub async fn purge(&self, breath: Duration) -> Result<usize, StoreError> {
        while self.store.purge_expired(self.clock.now()).await? {
            tokio::time::sleep(breath).await;
        }
        let ended_before = self.clock.now().before(self.settings.ended_ttl);
        let (mut cursor, mut purged) = (Some(PurgeCursor::default()), 0);
        while let Some(from) = cursor {
            let step = self.store.purge(from, ended_before).await?;
            (cursor, purged) = (step.next, purged + step.purged);
            tokio::time::sleep(breath).await;
        }
        Ok(purged)
    }
}

/// What a step has erased: nothing, if it failed and the others follow all the same.
fn count<T: Default>(
    what: &'static str,
    done: Result<T, StoreError>,
    failed: impl Fn(&'static str, StoreError) -> Result<(), StoreError>,
) -> Result<T, StoreError> {
    done.or_else(|error| failed(what, error).map(|()| T::default()))
}
