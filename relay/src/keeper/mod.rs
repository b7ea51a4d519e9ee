//! Keeps the token sets: picks them up once, refreshes them in time, uses them for the three operations.

mod check;
mod disconnect;
mod greeting;
mod operate;
mod pick_up;
mod refresh;

pub use operate::ForwardedCall;

use crate::refusal::Refusal;
use crate::relay::Relay;
use crate::store::Lease;
use pos_connect_foundation::clock::{Timestamp, days, millis};
use std::time::Duration;
use tokio::sync::watch;

/// Integrations that came to nothing are forgotten after this long; the service's own windows are days.
const FORGOTTEN_AFTER: Duration = days(7);

/// What could not be refreshed for that long is left to the next call that needs it: a service without refresh is not
/// asked for ever.
const GIVEN_UP_AFTER: Duration = Duration::from_secs(60 * 60);

impl Relay {
    /// Goes on, until `stop`, with pick-ups and revocations that a crash or an outage interrupted, refreshes what
    /// expires soon, checks what has not been checked for a while, forgets what came to nothing.
    pub async fn tend(self, mut stop: watch::Receiver<bool>) {
        loop {
            self.tend_once().await;
            let pause = tokio::time::sleep(self.settings.tend_every);
            tokio::select! {
                () = pause => {}
                _ = stop.wait_for(|stop| *stop) => return,
            }
        }
    }

    async fn tend_once(&self) {
        let now = self.clock.now();
        match self.store.open_pickups().await {
            Ok(open) => open.into_iter().for_each(|hash| {
                // Nobody waits for it: whoever asks for the tokens joins it.
                let _ = self.start_pick_up(hash, "tend");
            }),
            Err(error) => tracing::error!(%error, "cannot look for open pick-ups"),
        }
        let ago = Timestamp(now.0 - millis(GIVEN_UP_AFTER));
        let soon = now.after(self.settings.refresh_margin);
        match self.store.due(ago, soon).await {
            Ok(due) => due.into_iter().for_each(|(hash, version)| {
                // Another relay may have refreshed it by the time it is our turn.
                self.refresh_in_time(hash, version);
            }),
            Err(error) => tracing::error!(%error, "cannot look for token sets that expire"),
        }
        self.check_connections().await;
        self.revoke_ended().await;
        match self
            .store
            .forget_ended(now.before(self.settings.ended_ttl))
            .await
        {
            Ok(0) => {}
            Ok(count) => tracing::info!(count, "erased tokens that the service stopped taking"),
            Err(error) => tracing::error!(%error, "cannot erase the tokens of ended sets"),
        }
        if let Err(error) = self.store.forget_till_requests(now).await {
            tracing::error!(%error, "cannot erase keys of tills that were added");
        }
        if let Err(error) = self.store.note_key(&self.sealer, now).await {
            tracing::error!(%error, "cannot note the storage key");
        }
        // A thousand a round; there are fewer in the time between two.
        let before = now.before(self.settings.audit_ttl);
        if let Err(error) = self.store.purge_audit(before).await {
            tracing::error!(%error, "cannot purge the audit");
        }
        let before = Timestamp(now.0 - millis(FORGOTTEN_AFTER));
        match self.store.purge(before).await {
            Ok(0) => {}
            Ok(count) => tracing::info!(count, "forgot integrations that came to nothing"),
            Err(error) => tracing::error!(%error, "cannot forget old integrations"),
        }
    }

    /// Begins a call to the service that gives, replaces or ends tokens: another relay may have taken over.
    async fn begin_call(&self, lease: &Lease) -> Result<(), Refusal> {
        // And a moment in which the service may still read what was sent.
        let limit = self.upstream.call_limit() + Duration::from_secs(1);
        match self.store.begin_call(lease, limit).await? {
            true => Ok(()),
            false => Err(taken_over()),
        }
    }

    /// Waits for what is in the air; whatever does not land in time goes on after the next start.
    pub async fn settle(&self, patience: Duration) {
        let (pickups, refreshes) = tokio::join!(
            self.pickups.settle(patience),
            self.refreshes.settle(patience)
        );
        if !(pickups && refreshes) {
            tracing::warn!("a pick-up or a refresh goes on after the next start");
        }
    }
}

/// This relay has lost its lease. The other one asks the service again, so nothing is lost with what this one was
/// given.
fn taken_over() -> Refusal {
    Refusal::busy("another relay has taken the integration over")
}
