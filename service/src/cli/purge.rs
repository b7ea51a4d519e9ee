//! `purge`, and the options about how long things are kept.

use super::{Common, Failure, note, output};
use crate::clock::days;
use crate::purge::Erased;
use crate::service::Settings;
use crate::store::Opening;
use clap::Args;
use pos_connect_foundation::database::STEP_PAUSE;

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
        let erased = service.purge_all(STEP_PAUSE, |_, error| Err(error));
        let erased = erased.await?;
        note(&service, "database.purged", erased.integrations.to_string()).await?;
        output::print(self.common.json, &erased, || {
            let Erased {
                integrations,
                receipts,
                numbers,
                sealing_keys,
                orders,
                customers,
            } = erased;
            format!(
                "erased: {integrations} integrations that ended long ago, {receipts} receipts that cannot be opened \
                 any more, the numbers of {numbers} messages that failed long ago, {sealing_keys} sealing keys, \
                 {orders} old orders and {customers} old customers"
            )
        })
    }
}
