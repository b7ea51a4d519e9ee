//! `serve`.

use super::{Common, Failure, output, secret};
use crate::http;
use crate::relay::{Relay, Settings};
use crate::seal::PROGRAM;
use crate::upstream::{BaseUrl, Patience, Upstream};
use clap::Args;
use pos_connect_foundation::clock::{Clock, days};
use pos_connect_foundation::command::Telemetry;
use pos_connect_foundation::metrics;
use pos_connect_foundation::origin::{Origin, warn_of_open};
use pos_connect_foundation::server::{self, LONGEST_STOP, Limits, stop_signal};
use pos_connect_foundation::sqlite::Opening;
use serde_json::json;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use tokio::sync::watch;

/// Four polls' time: a page that went away must not hold a place much longer.
const IDLE: Duration = Duration::from_secs(20);

#[derive(Args)]
pub(super) struct Serve {
    /// Address and port; port 0 picks a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8090")]
    listen: SocketAddr,
    /// The authorization service: https://auth.example.com (http only on this machine)
    #[arg(long, value_name = "URL")]
    upstream: String,
    /// Your clientId with the service
    #[arg(long, value_name = "ID")]
    client_id: String,
    /// A file that holds your client secret, instead of POS_CONNECT_CLIENT_SECRET in the environment
    #[arg(long, value_name = "FILE")]
    client_secret_file: Option<PathBuf>,
    /// A file with the key that stored tokens are encrypted with; others in further lines only decrypt. It is made at
    /// the first start, unless POS_CONNECT_RELAY_KEY is in the environment [default: pos-connect-relay.key]
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// Origin of your tills' pages, as https://till.example (repeatable)
    #[arg(long = "origin", value_name = "ORIGIN")]
    origins: Vec<Origin>,
    /// Hand the tokens out to the tills instead of keeping them
    #[arg(long)]
    hand_out: bool,
    /// Longest body that is passed on
    #[arg(long, value_name = "BYTES", default_value_t = 1_048_576,
        value_parser = clap::value_parser!(u32).range(1..=16_777_216))]
    body_limit: u32,
    /// Seconds for one call to the service
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=25))]
    upstream_timeout_seconds: u64,
    /// Integrations that one till creates in a minute; as many at once
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    creates_per_till: u32,
    /// Requests at once; further ones are told to come back
    #[arg(long, value_name = "N", default_value_t = 900, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    max_requests: u32,
    /// Connections at once; a further one takes the place of the slowest. Stay below the system's limit on open files
    #[arg(long, value_name = "N", default_value_t = 900, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    max_connections: u32,
    /// Days for which tokens that the service stopped taking are put aside
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u64).range(1..=90))]
    keep_ended_days: u64,
    /// Days for which the audit is kept
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u64).range(31..=3650))]
    keep_audit_days: u64,
    /// MiB kept free beside a SQLite file: on a full disk, commands that revoke or disconnect use them
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(0..=1024))]
    disk_reserve_mib: u32,
    /// Address and port of /metrics, for Prometheus; without it there is none
    #[arg(long, value_name = "ADDR")]
    metrics_listen: Option<SocketAddr>,
    #[command(flatten)]
    pub(super) telemetry: Telemetry,
    /// Only here to be refused with a reason
    #[arg(long, hide = true, num_args = 0..=1, default_missing_value = "")]
    client_secret: Option<String>,
    #[command(flatten)]
    common: Common,
}

impl Serve {
    pub(super) async fn run(self) -> Result<(), Failure> {
        if self.client_secret.is_some() {
            return Err("the client secret does not belong on the command line, where everybody on the machine can read \
                 it: set POS_CONNECT_CLIENT_SECRET, or name a file with --client-secret-file. Rotate the one that was \
                 typed here."
                .into());
        }
        let named = self.common.named()?;
        let _exclusive = named.exclusive()?;
        // The first process of a container gets no signal that it does not wait for.
        let stop = stop_signal()?;
        let (server, [metrics]) = server::open(self.listen, [self.metrics_listen]).await?;
        let Some(relay) = server::unless_stopped(stop.clone(), self.relay()).await else {
            return Ok(());
        };
        let relay = relay?;
        let server = server.limited(Limits {
            connections: self.max_connections as usize,
            idle: IDLE,
            ..Limits::default()
        });
        let base_url = server.url();
        let announcement = json!({ "baseUrl": base_url });
        output::print(self.common.json, &announcement, || {
            format!("relay  {base_url}")
        })?;
        tracing::info!(
            version = env!("CARGO_PKG_VERSION"), listen = %server.address(), database = named.shown(),
            upstream = self.upstream, storage_key = relay.sealer.id(), "the relay starts"
        );
        let tending = relay.clone().tend(stop.clone());
        let greeting = relay.clone().greet(stop.clone());
        let router = metrics::router(env!("CARGO_PKG_VERSION"), async || {});
        let measured = metrics::serve(metrics, router, stop.clone());
        let settling = settle(&relay, stop.clone());
        let reserving = named.keep_reserve(self.disk_reserve_mib, stop.clone());
        tokio::join!(
            server.run(http::router(relay.clone()), stop),
            tending,
            greeting,
            settling,
            reserving,
            measured
        );
        tracing::info!("the relay has stopped");
        Ok(())
    }

    async fn relay(&self) -> Result<Relay, Failure> {
        let base = BaseUrl::parse(&self.upstream)?;
        let client_secret = secret::client_secret(self.client_secret_file.as_deref())?;
        let store = self.common.open(Opening::Prepare).await?;
        let is_first = !store.has_key().await?;
        let key = secret::storage_key(self.key_file.clone());
        let sealer = key.sealer(PROGRAM, is_first)?;
        let patience = Patience {
            call: Duration::from_secs(self.upstream_timeout_seconds),
            ..Patience::default()
        };
        let upstream = Upstream::new(base, self.client_id.clone(), client_secret, patience);
        if self.origins.is_empty() {
            tracing::warn!("no --origin is given: pages in browsers will be refused");
        }
        warn_of_open(&self.origins);
        if !self.listen.ip().is_loopback() {
            tracing::warn!(
                listen = %self.listen,
                "other machines reach this address without TLS: only a proxy may, or tills send their keys in plain"
            );
        }
        Ok(Relay::open(store, sealer, upstream, self.settings(), Clock::system()).await?)
    }

    fn settings(&self) -> Settings {
        Settings {
            origins: self.origins.clone(),
            hand_out: self.hand_out,
            body_limit: self.body_limit as usize,
            creates_per_till: self.creates_per_till,
            requests: self.max_requests as usize,
            ended_ttl: days(self.keep_ended_days),
            audit_ttl: days(self.keep_audit_days),
            ..Settings::default()
        }
    }
}

/// Settles beside the drain, not after it, so that both together take no longer than one. What is not done by then goes
/// on after the next start.
async fn settle(relay: &Relay, mut stop: watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
    relay.settle(LONGEST_STOP).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Program {
        #[command(flatten)]
        serve: Serve,
    }

    #[test]
    fn numbers_of_the_command_line_are_the_settings() {
        const DAY: u64 = 24 * 60 * 60;
        type Read = fn(&Settings) -> u64;
        let numbers: [(&str, u64, Read); 5] = [
            ("--body-limit", 1, |to| to.body_limit as u64),
            ("--creates-per-till", 1, |to| to.creates_per_till.into()),
            ("--max-requests", 1, |to| to.requests as u64),
            ("--keep-ended-days", DAY, |to| to.ended_ttl.as_secs()),
            ("--keep-audit-days", DAY, |to| to.audit_ttl.as_secs()),
        ];
        let named = [
            "serve",
            "--upstream",
            "https://x.example",
            "--client-id",
            "x",
        ];
        let settings = |options: &[&str]| {
            let program = Program::parse_from([&named, options].concat());
            program.serve.settings()
        };
        for (option, unit, read) in numbers {
            assert_eq!(read(&settings(&[])), read(&Settings::default()), "{option}");
            assert_eq!(read(&settings(&[option, "33"])), 33 * unit, "{option}");
        }
    }
}
