//! `purge`, and the options about how long things are kept.

use super::{Common, Failure, note, output};
use crate::clock::days;
use crate::service::Settings;
use crate::store::{Kept, Opening, ReceiptStep};
use clap::Args;
use serde_json::json;
use std::time::Duration;

/// How long things are kept: for `serve`, which purges by itself, and for `purge`.
#[derive(Args)]
pub(super) struct Retention {
    /// Days after which integrations that have ended are erased
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3650))]
    keep_ended_days: u64,
    /// Days for which a message that cannot be delivered keeps the shopper's number
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3650))]
    keep_failed_days: u64,
    /// Days for which a sealing key opens what waits in tills, after another one took its place
    #[arg(long, value_name = "N", default_value_t = 90, value_parser = clap::value_parser!(u64).range(1..=3650))]
    keep_sealing_key_days: u64,
    /// Days for which an order is kept
    #[arg(long, value_name = "N", default_value_t = 3650, value_parser = clap::value_parser!(u64).range(1..=3650))]
    keep_orders_days: u64,
    /// Days for which a customer is kept after the last change
    #[arg(long, value_name = "N", default_value_t = 3650, value_parser = clap::value_parser!(u64).range(1..=3650))]
    keep_customers_days: u64,
    /// Days for which the audit is kept
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u64).range(31..=3650))]
    keep_audit_days: u64,
}

#[derive(Args)]
pub(super) struct Purge {
    #[command(flatten)]
    retention: Retention,
    #[command(flatten)]
    common: Common,
}

impl Retention {
    pub(super) fn settings(&self) -> Settings {
        Settings {
            ended_ttl: days(self.keep_ended_days),
            failed_ttl: days(self.keep_failed_days),
            sealing_key_ttl: days(self.keep_sealing_key_days),
            orders_ttl: days(self.keep_orders_days),
            customers_ttl: days(self.keep_customers_days),
            audit_ttl: days(self.keep_audit_days),
            ..Settings::default()
        }
    }
}

impl Purge {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let service = self
            .common
            .open_with(self.retention.settings(), Opening::Contain)
            .await?;
        let purged = service.purge(Duration::ZERO).await?;
        let ReceiptStep {
            receipts, numbers, ..
        } = service.purge_receipts(Duration::ZERO).await?;
        let keys = service.purge_sealing_keys().await?;
        let orders = service.purge_old(Kept::Orders, Duration::ZERO).await?;
        let customers = service.purge_old(Kept::Customers, Duration::ZERO).await?;
        service.store.purge_sign_ins(service.clock.now()).await?;
        service.store.purge_budgets(service.clock.now()).await?;
        service.purge_audit(Duration::ZERO).await?;
        note(&service, "database.purged", purged.to_string()).await?;
        let value = json!({
            "purged": purged, "receipts": receipts, "numbers": numbers, "sealingKeys": keys, "orders": orders,
            "customers": customers,
        });
        output::print(self.common.json, &value, || {
            format!(
                "erased: {purged} integrations that ended long ago, {receipts} receipts that cannot be opened any \
                 more, the numbers of {numbers} messages that failed long ago, {keys} sealing keys, {orders} \
                 old orders and {customers} old customers"
            )
        })
    }
}
