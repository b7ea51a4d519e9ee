//! `serve`.

use super::brand::BrandOptions;
use super::messages::Messages;
use super::provider::ProviderOptions;
use super::public_url::PublicUrl;
use super::purge::Retention;
use super::{Common, Failure, output};
use crate::clock::days;
use crate::demo::{self, DemoConfig};
use crate::message::Outlet;
use crate::oidc::ProviderSettings;
use crate::origin::{Origin, warn_of_open};
use crate::quota::StorageLimits;
use crate::server::{self, Limits, Server, stop_signal};
use crate::service::{Service, Settings};
use crate::store::{Listing, Opening};
use crate::webhook::WebhookSender;
use crate::{admin, router};
use clap::Args;
use pos_connect_foundation::address::{IpNet, parse_network};
use pos_connect_foundation::command::Telemetry;
use pos_connect_foundation::metrics;
use pos_connect_protocol::path;
use serde::Serialize;
use std::future::pending;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::watch;

pub(super) const MIB: u64 = 1024 * 1024;
/// A command line can be read by everybody on the machine.
const TILL_KEY_VARIABLE: &str = "POS_CONNECT_TILL_KEY";

#[derive(Args)]
pub(super) struct Serve {
    /// Address and port; port 0 picks a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080")]
    pub(super) listen: SocketAddr,
    /// The service's URL as tills and browsers see it, if a proxy stands before it
    #[arg(long, value_name = "URL", value_parser = PublicUrl::parse)]
    pub(super) public_url: Option<PublicUrl>,
    /// Seconds to leave between two status calls
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(0..=60))]
    interval_seconds: u64,
    /// Seconds until a pending integration is cancelled
    #[arg(long, value_name = "N", default_value_t = 1800, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    integration_ttl_seconds: u64,
    /// Seconds for which the tokens of a finished integration wait to be picked up
    #[arg(long, value_name = "N", default_value_t = 86_400,
        value_parser = clap::value_parser!(u64).range(1..=2_592_000))]
    pickup_window_seconds: u64,
    #[command(flatten)]
    pub(super) messages: Messages,
    /// Orders and other changes a second, of one vendor for one store, as many looks, and 20 times as many customers;
    /// ten times as many at once
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    operations_per_second: u32,
    /// MiB of orders and customers that one vendor stores for one store on a day (UTC)
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u64).range(1..=1_048_576))]
    store_mib_per_day: u64,
    /// MiB of them in all
    #[arg(long, value_name = "N", default_value_t = 16_384,
        value_parser = clap::value_parser!(u64).range(1..=1_048_576))]
    store_mib: u64,
    /// Integrations that one vendor creates in a second; ten times as many at once
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    creates_per_second: u32,
    /// Integrations that are created from one address in a second, as your relay's; ten times as many at once
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    creates_per_address: u32,
    /// Integrations of one vendor that are pending at once
    #[arg(long, value_name = "N", default_value_t = 5_000, value_parser = clap::value_parser!(u32).range(1..=8_000))]
    pending_per_vendor: u32,
    #[command(flatten)]
    pub(super) brand: BrandOptions,
    #[command(flatten)]
    provider: ProviderOptions,
    /// A proxy whose X-Forwarded-For counts, as address or network (repeatable): else sign-ins are not told apart by
    /// address behind it
    #[arg(long = "trusted-proxy", value_name = "IP", value_parser = parse_network)]
    trusted_proxies: Vec<IpNet>,
    /// Requests at once; further ones are told to come back
    #[arg(long, value_name = "N", default_value_t = 900, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    max_requests: u32,
    /// Connections at once; a further one takes the place of the slowest. Stay below the system's limit on open files
    #[arg(long, value_name = "N", default_value_t = 900, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    max_connections: u32,
    #[command(flatten)]
    retention: Retention,
    /// Days for which a receipt can be opened
    #[arg(long, value_name = "N", default_value_t = 90, value_parser = clap::value_parser!(u64).range(1..=3650))]
    receipt_days: u64,
    /// MiB kept free beside a SQLite file: on a full disk, commands that revoke, disable or erase use them
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(0..=1024))]
    pub(super) disk_reserve_mib: u32,
    /// Address and port of /metrics, for Prometheus; without it there is none
    #[arg(long, value_name = "ADDR")]
    metrics_listen: Option<SocketAddr>,
    /// Address and port of the admin API, for your back office and its admin keys; without it there is none
    #[arg(long, value_name = "ADDR")]
    admin_listen: Option<SocketAddr>,
    #[command(flatten)]
    pub(super) telemetry: Telemetry,
    /// Make a demo vendor and a demo account, and serve the demo till
    #[arg(long)]
    pub(super) demo: bool,
    /// Address and port of the demo till
    #[arg(
        long,
        value_name = "ADDR",
        default_value = "127.0.0.1:8081",
        requires = "demo"
    )]
    till_listen: SocketAddr,
    /// Folder of the demo till
    #[arg(long, value_name = "DIR", requires = "demo")]
    till: Option<PathBuf>,
    /// Further origin to register for the demo vendor (repeatable)
    #[arg(
        long = "demo-origin",
        alias = "till-origin",
        value_name = "ORIGIN",
        requires = "demo"
    )]
    demo_origins: Vec<Origin>,
    /// Let the demo till talk to this relay, without the secret; its key is read from POS_CONNECT_TILL_KEY
    #[arg(long, value_name = "URL", requires = "demo", value_parser = PublicUrl::parse)]
    demo_relay: Option<PublicUrl>,
    #[command(flatten)]
    pub(super) common: Common,
}

/// What tests and scripts read from the first line.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Announcement<'a> {
    base_url: &'a str,
    connect_url: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    till_url: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client_secret: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    account: Option<&'a demo::DemoAccount>,
}

impl Serve {
    pub(super) async fn run(self) -> Result<(), Failure> {
        if let Some(folder) = self.till.as_ref().filter(|folder| !folder.is_dir()) {
            return Err(format!("--till {} is not a folder", folder.display()).into());
        }
        let outlet = self.messages.outlet(self.demo)?;
        let named = self.common.named()?;
        let _exclusive = named.exclusive()?;
        // The first process of a container gets no signal that it does not wait for.
        let stop = stop_signal()?;
        let others = [self.metrics_listen, self.admin_listen];
        let (server, [metrics, admin]) = server::open(self.listen, others).await?;
        let server = server.limited(Limits {
            connections: self.max_connections as usize,
            ..Limits::default()
        });
        let opening = self.open(self.base_url(&server));
        let Some(service) = server::unless_stopped(stop.clone(), opening).await else {
            return Ok(());
        };
        let service = service?;
        tracing::info!(
            version = env!("CARGO_PKG_VERSION"), listen = %server.address(), database = named.shown(),
            messages = %self.messages.destination, storage_key = service.store.key_id(), "the service starts"
        );
        let (mib, stops) = (self.disk_reserve_mib, stop.clone());
        let aside = {
            let measuring = metrics::serve(metrics, service.metrics(), stop.clone());
            let administering = admin::serve(admin, service.clone(), stop.clone());
            async { tokio::join!(measuring, administering) }
        };
        let serving = self.serve(service, server, aside, outlet, stop);
        // What serves may fail, without a stop; so its end is the end.
        let outcome = tokio::select! {
            outcome = serving => outcome,
            outcome = async { named.keep_reserve(mib, stops).await; pending().await } => outcome,
        };
        tracing::info!("the service has stopped");
        outcome
    }

    async fn open(&self, base_url: String) -> Result<Service, Failure> {
        let settings = Settings {
            brand: self.brand.brand(self.demo)?,
            providers: self.providers()?,
            receipt_url: Some([&base_url, path::SCANNED_RECEIPT, "/"].concat()),
            ..self.settings()
        };
        let service = self.common.open_with(settings, Opening::Prepare).await?;
        self.warn_of_open(&service).await?;
        Ok(service)
    }

    /// Where shoppers reach this service.
    fn base_url(&self, server: &Server) -> String {
        match &self.public_url {
            Some(public) => public.url.clone(),
            None => server.url(),
        }
    }

    /// Names what anybody on the way can read or change.
    async fn warn_of_open(&self, service: &Service) -> Result<(), Failure> {
        if self.public_url.is_none() && !self.listen.ip().is_loopback() {
            tracing::warn!(
                listen = %self.listen,
                "other machines reach this address without TLS, and merchants type passwords there: put a proxy with \
                 TLS before it, and name its address with --public-url"
            );
        }
        let vendors = service
            .store
            .vendors(service.clock.now(), Listing::ALL)
            .await?;
        let origins = vendors.iter().flat_map(|vendor| &vendor.origins);
        let origins: Vec<_> = origins.flat_map(|origin| Origin::parse(origin)).collect();
        warn_of_open(&origins);
        Ok(())
    }

    async fn serve(
        self,
        service: Service,
        server: Server,
        aside: impl Future<Output = ((), ())>,
        outlet: Outlet,
        stop: watch::Receiver<bool>,
    ) -> Result<(), Failure> {
        let base_url = self.base_url(&server);
        let delivering = service
            .clone()
            .deliver(outlet, base_url.clone(), stop.clone());
        let tending = service.clone().tend(stop.clone());
        let sending = WebhookSender::new(service.clone()).run(stop.clone());
        if !self.demo {
            announce(self.common.json, &base_url, None)?;
            tokio::join!(
                server.run(router(service.clone()), stop),
                delivering,
                sending,
                tending,
                aside
            );
            return Ok(());
        }
        let till = Server::bind(self.till_listen).await;
        let till =
            till.map_err(|error| format!("cannot listen on {}: {error}", self.till_listen))?;
        let config = demo::prepare(&service, &base_url, self.origins(&till)?).await?;
        announce(self.common.json, &base_url, Some((&till.url(), &config)))?;
        let page = self.page(config)?;
        let messages = self.messages.destination.file().map(Path::to_owned);
        let till_router = demo::till_router(service.clone(), page, self.till, messages);
        tokio::join!(
            server.run(router(service.clone()), stop.clone()),
            till.run(till_router, stop),
            delivering,
            sending,
            tending,
            aside
        );
        Ok(())
    }

    /// A provider sends browsers back to an address that it knows.
    pub(super) fn providers(&self) -> Result<Vec<ProviderSettings>, Failure> {
        let providers = self.provider.settings()?;
        if !providers.is_empty() && self.public_url.is_none() && !self.listen.ip().is_loopback() {
            return Err(
                "--oidc-provider needs --public-url, where the provider sends browsers back to"
                    .into(),
            );
        }
        Ok(providers)
    }

    /// What the demo till's page is told.
    fn page(&self, config: DemoConfig) -> Result<DemoConfig, Failure> {
        let Some(relay) = &self.demo_relay else {
            return Ok(config);
        };
        let key = std::env::var(TILL_KEY_VARIABLE);
        let key =
            key.map_err(|_| format!("--demo-relay needs a till's key in {TILL_KEY_VARIABLE}"))?;
        Ok(config.through_relay(relay.url.clone(), key))
    }

    pub(super) fn settings(&self) -> Settings {
        Settings {
            message_regions: self.messages.regions(),
            message_limits: self.messages.limits(),
            interval: Duration::from_secs(self.interval_seconds),
            integration_ttl: Duration::from_secs(self.integration_ttl_seconds),
            pickup_window: Duration::from_secs(self.pickup_window_seconds),
            operations_per_second: self.operations_per_second,
            creates_per_second: self.creates_per_second,
            creates_per_address: self.creates_per_address,
            pending_per_vendor: self.pending_per_vendor,
            storage: StorageLimits {
                a_day: self.store_mib_per_day * MIB,
                in_all: self.store_mib * MIB,
            },
            requests: self.max_requests as usize,
            trusted_proxies: self.trusted_proxies.clone(),
            receipt_ttl: days(self.receipt_days),
            offers_ereceipts: self.messages.reach_shoppers(self.demo),
            passwords: !self.provider.no_passwords,
            public_url: self.public_url.as_ref().map(|public| public.url.clone()),
            public_origin: self
                .public_url
                .as_ref()
                .map(|public| public.origin.to_string()),
            ..self.retention.settings()
        }
    }

    /// Both names of the loopback are origins of their own.
    fn origins(&self, till: &Server) -> Result<Vec<Origin>, Failure> {
        let port = till.port();
        let own = [
            till.url(),
            format!("http://127.0.0.1:{port}"),
            format!("http://localhost:{port}"),
        ];
        let own: Result<Vec<_>, _> = own.iter().map(|url| Origin::parse(url)).collect();
        let mut origins = own?;
        origins.extend(self.demo_origins.iter().cloned());
        Ok(origins)
    }
}

fn announce(json: bool, base_url: &str, demo: Option<(&str, &DemoConfig)>) -> Result<(), Failure> {
    let connect_url = format!("{base_url}{}", path::CONNECT);
    let config = demo.map(|(_, config)| config);
    let announcement = Announcement {
        base_url,
        connect_url: &connect_url,
        till_url: demo.map(|(till_url, _)| till_url),
        client_id: config.map(|config| &*config.client_id),
        client_secret: config.and_then(|config| config.client_secret.as_deref()),
        account: config.map(|config| &config.account),
    };
    output::print(json, &announcement, || match demo {
        None => format!("service  {base_url}\nconnect  {connect_url}"),
        Some((till_url, config)) => format!(
            "demo till      {till_url}\nservice        {base_url}\nconnect page   {connect_url}\n\
             clientId       {}\nclientSecret   {}\nemail          {}\npassword       {}",
            config.client_id,
            config.client_secret.as_deref().unwrap_or_default(),
            config.account.email,
            config.account.password
        ),
    })
}

#[cfg(test)]
mod tests;
