//! The purge: what ended long ago is erased, by the running service and by `purge`.

use crate::service::Service;
use crate::store::{Kept, PurgeCursor, ReceiptStep, StoreError};
use std::time::Duration;
use tokio::sync::watch;

/// The pause between two steps: the writer is for those who wait.
const BREATH: Duration = Duration::from_millis(50);

impl Service {
    /// Purges now and then, until `stop` turns true.
    pub async fn tend(self, mut stop: watch::Receiver<bool>) {
        let tending = async {
            loop {
                self.purge_all().await;
                self.quota.save_all(&self.store).await;
                tokio::time::sleep(self.settings.purge_every).await;
            }
        };
        tokio::select! {
            () = tending => {}
            _ = stop.wait_for(|stop| *stop) => {}
        }
        self.quota.save_all(&self.store).await;
    }

    async fn purge_all(&self) {
        let none = |()| 0;
        log("integrations that ended long ago", self.purge(BREATH).await);
        let receipts = self.purge_receipts(BREATH).await;
        let receipts = receipts.map(|step| step.receipts + step.numbers);
        log("receipts, and numbers of dead letters", receipts);
        let sign_ins = self.store.purge_sign_ins(self.clock.now()).await;
        log("sign-ins", sign_ins.map(none));
        let budgets = self.store.purge_budgets(self.clock.now()).await;
        log("budgets of messages", budgets.map(none));
        log("sealing keys", self.purge_sealing_keys().await);
        log("old orders", self.purge_old(Kept::Orders, BREATH).await);
        let customers = self.purge_old(Kept::Customers, BREATH).await;
        log("old customers", customers);
        log("the audit", self.purge_audit(BREATH).await.map(none));
    }

    /// Erases the rows of the audit that are older than `Settings::audit_ttl`.
    pub async fn purge_audit(&self, breath: Duration) -> Result<(), StoreError> {
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

fn log(what: &'static str, purged: Result<usize, StoreError>) {
    match purged {
        Ok(0) => {}
        Ok(erased) => tracing::info!(what, erased, "erased what is over"),
        Err(error) => tracing::error!(what, cause = %error, "cannot purge"),
    }
}
