//! The service: what every request shares.

use crate::brand::Brand;
use crate::clock::{Clock, days};
use crate::limit::Limit;
use crate::oidc::{Provider, ProviderSettings};
use crate::password::Places;
use crate::pending::Pending;
use crate::poll::PollWindow;
use crate::quota::{Quota, StorageLimits};
use crate::sign_in::Underway;
use crate::store::{MessageLimits, Store, StoreError};
use crate::token::Hash;
use crate::token_set::Lifetimes;
use axum::http::request::Parts;
use pos_connect_foundation::address::{self, IpNet};
use pos_connect_foundation::client::{Client, Patience};
use pos_connect_foundation::database::is_postgres;
use pos_connect_foundation::metrics;
use pos_connect_foundation::secret::StorageKey;
use pos_connect_foundation::shares::Shares;
use pos_connect_foundation::sqlite::Opening;
use pos_connect_phone::Region;
use pos_connect_protocol::Mode;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, OnceCell, Semaphore};

/// The name under which the service calls providers.
const AGENT: &str = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));
/// Sign-ins with a provider from one address: a burst of so many, and one more for each time that passes.
const SIGN_INS: (u32, Duration) = (50, Duration::from_secs(5));
/// Customers that may change for each changing call: all of a list hold the one writer, one after the other.
const CUSTOMERS_PER_CALL: u32 = 20;
/// Requests that wait because a test account is to be slow: one more is answered at once.
const SLOW_SIGN_INS: usize = 16;
/// Connect pages of one integration that one network opens: a burst, and one more for each time that passes.
const PAGES: (u32, Duration) = (100, Duration::from_secs(1));
/// Receipts behind one link, ten times as many at once: a shopper looks at theirs, and shows it to somebody.
const RECEIPTS_PER_SECOND: u32 = 2;
/// Calls with one admin key: a burst, and one more for each time that passes.
const ADMIN_CALLS: (u32, Duration) = (1000, Duration::from_millis(500));

/// What the operator can choose. No `Debug`: it may hold the storage key.
#[derive(Clone)]
pub struct Settings {
    /// Time between two status calls for one integration.
    pub interval: Duration,
    /// How long an integration stays pending.
    pub integration_ttl: Duration,
    /// How long the token set of a finished integration waits to be picked up.
    pub pickup_window: Duration,
    /// How long tokens live.
    pub lifetimes: Lifetimes,
    /// How long after its pick-up a token set that was never used can be reissued.
    pub reissue_window: Duration,
    /// Calls of one vendor for one store, a second, that change something, and as many that only look; ten times as
    /// many at once.
    pub operations_per_second: u32,
    /// Integrations that one vendor creates in a second; ten times as many at once.
    pub creates_per_second: u32,
    /// Integrations that are created from one address in a second; ten times as many at once.
    pub creates_per_address: u32,
    /// Pending integrations of one vendor; well below 10,000, as no two of them show the same four digits.
    pub pending_per_vendor: u32,
    /// What may be stored for one vendor and store.
    pub storage: StorageLimits,
    /// Requests at once; a further one is told to come back.
    pub requests: usize,
    /// How long what has ended stays: until then, a late call is told how it ended.
    pub ended_ttl: Duration,
    /// How long rows of the audit are kept; 30 days at least.
    pub audit_ttl: Duration,
    /// How long a receipt can be opened.
    pub receipt_ttl: Duration,
    /// How long a message that cannot be delivered keeps its number, so that it can be tried again.
    pub failed_ttl: Duration,
    /// How long a sealing key opens what waits in tills, once another one took its place.
    pub sealing_key_ttl: Duration,
    /// How long orders are kept.
    pub orders_ttl: Duration,
    /// How long customers are kept after their last change.
    pub customers_ttl: Duration,
    /// From one look for what can be erased to the next.
    pub purge_every: Duration,
    /// How long a sign-in takes that is to be slow, with a test account.
    pub slow_sign_in: Duration,
    /// How many text messages are written a day.
    pub message_limits: MessageLimits,
    /// The countries whose numbers get text messages, unless an account has its own; `None`: all.
    pub message_regions: Option<Vec<Region>>,
    /// Whether merchants are asked for e-receipts: not where no message reaches a shopper.
    pub offers_ereceipts: bool,
    /// The key that personal data is sealed with. Default: in a file beside the database, which is made with it.
    pub storage_key: Option<StorageKey>,
    /// Whose page merchants see.
    pub brand: Brand,
    /// Where merchants can sign in with an account that they have already.
    pub providers: Vec<ProviderSettings>,
    /// Whether they can sign in with a password of the service's own.
    pub passwords: bool,
    /// The URL that browsers see, where the operator has named it: `https://example.com/auth`.
    pub public_url: Option<String>,
    /// Proxies whose word about the client's address counts.
    pub trusted_proxies: Vec<IpNet>,
    /// Origin that browsers see, where a proxy hides it: `https://auth.example.com`.
    pub public_origin: Option<String>,
    /// What the link of a receipt begins with that a till makes. `None`: tills make none.
    pub receipt_url: Option<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            interval: Duration::from_secs(5),
            integration_ttl: Duration::from_secs(30 * 60),
            pickup_window: days(1),
            lifetimes: Lifetimes::default(),
            reissue_window: days(1),
            operations_per_second: 100,
            creates_per_second: 20,
            creates_per_address: 5,
            pending_per_vendor: 5_000,
            storage: StorageLimits {
                a_day: 256 * 1024 * 1024,
                in_all: 16 * 1024 * 1024 * 1024,
            },
            requests: 900,
            ended_ttl: days(30),
            audit_ttl: days(400),
            receipt_ttl: days(90),
            failed_ttl: days(30),
            sealing_key_ttl: days(90),
            orders_ttl: days(3650),
            customers_ttl: days(3650),
            purge_every: Duration::from_secs(10 * 60),
            slow_sign_in: Duration::from_secs(10),
            message_limits: MessageLimits::default(),
            message_regions: None,
            offers_ereceipts: true,
            storage_key: None,
            brand: Brand::default(),
            providers: Vec::new(),
            passwords: true,
            public_url: None,
            trusted_proxies: Vec::new(),
            public_origin: None,
            receipt_url: None,
        }
    }
}

impl Settings {
    /// Whether a password signs in on pages of this mode: test accounts have no other way.
    pub fn takes_passwords(&self, mode: Mode) -> bool {
        self.passwords || mode == Mode::Test
    }
}

/// The whole service, cheap to clone.
#[derive(Clone)]
pub struct Service(Arc<Shared>);

/// The parts of a [`Service`].
pub struct Shared {
    /// What outlives the process.
    pub store: Store,
    /// The time.
    pub clock: Clock,
    /// What the operator chose.
    pub settings: Settings,
    pub(crate) polls: PollWindow,
    /// Created integrations, by vendor.
    pub(crate) creates: Limit<i64>,
    /// Created integrations, by network.
    pub(crate) creates_from: Limit<String>,
    pub(crate) pending: Pending,
    /// Changing calls, by vendor and store.
    pub(crate) operations: Limit<(i64, i64)>,
    /// Customers that change, by vendor and store.
    pub(crate) customers: Limit<(i64, i64)>,
    /// Calls that only look, by vendor and store.
    pub(crate) looks: Limit<(i64, i64)>,
    /// Connect pages that are opened, by integration and network.
    pub(crate) pages: Limit<(Hash, Option<String>)>,
    /// Receipts that are opened, by the hash of their link.
    pub(crate) receipts: Limit<Hash>,
    pub(crate) quota: Quota,
    pub(crate) requests: Semaphore,
    /// Sign-ins that take their time, as they were asked to.
    pub(crate) slow_sign_ins: Semaphore,
    /// Sign-ins that are not over.
    pub(crate) sign_ins: Underway,
    /// Where their passwords wait to be looked at.
    pub(crate) places: Places,
    /// Where merchants can sign in with an account that they have already.
    pub(crate) providers: Vec<Provider>,
    /// Sign-ins with them, by network.
    pub(crate) provider_sign_ins: Limit<String>,
    /// A message is waiting.
    pub(crate) message_waits: Notify,
    /// Calls of the admin API, by the row number of the key.
    pub(crate) admin_calls: Limit<i64>,
    pub(crate) admin_shares: Shares,
    database: String,
    /// The same database, opened as a command opens it that contains an incident.
    containing: OnceCell<Store>,
}

impl Service {
    /// Opens the database, which is made and brought up to date, and starts with empty limits.
    pub async fn open(
        database: &str,
        settings: Settings,
        clock: Clock,
    ) -> Result<Self, StoreError> {
        Self::open_as(Opening::Prepare, database, settings, clock).await
    }

    /// Opens the database as [`Self::open`] does, unless it has to be there already.
    pub async fn open_as(
        opening: Opening,
        database: &str,
        settings: Settings,
        clock: Clock,
    ) -> Result<Self, StoreError> {
        let client = client();
        let provider =
            |settings: &ProviderSettings| Provider::new(settings.clone(), client.clone());
        let store = Store::open(database, settings.storage_key.clone(), opening).await?;
        // A service starts on a full disk, too, where it encrypts nothing; and what contains an incident needs no room.
        if opening != Opening::Contain
            && let Err(error) = store.note_key(clock.now()).await
        {
            tracing::warn!(%error, "cannot note the storage key");
        }
        Ok(Self(Arc::new(Shared {
            store,
            clock,
            polls: PollWindow::new(settings.interval),
            creates: per_second(settings.creates_per_second),
            creates_from: per_second(settings.creates_per_address),
            pending: Pending::new(settings.pending_per_vendor),
            operations: per_second(settings.operations_per_second),
            customers: per_second(
                settings
                    .operations_per_second
                    .saturating_mul(CUSTOMERS_PER_CALL),
            ),
            looks: per_second(settings.operations_per_second),
            pages: Limit::new(PAGES.0, PAGES.1),
            receipts: per_second(RECEIPTS_PER_SECOND),
            quota: Quota::new(settings.storage),
            requests: Semaphore::new(settings.requests),
            slow_sign_ins: Semaphore::new(SLOW_SIGN_INS),
            sign_ins: Underway::default(),
            places: Places::default(),
            providers: settings.providers.iter().map(provider).collect(),
            provider_sign_ins: Limit::new(SIGN_INS.0, SIGN_INS.1),
            message_waits: Notify::new(),
            admin_calls: Limit::new(ADMIN_CALLS.0, ADMIN_CALLS.1),
            admin_shares: Shares::default(),
            database: database.to_owned(),
            containing: OnceCell::new(),
            settings,
        })))
    }

    /// The store for what contains an incident: on a full disk it may use the reserve, and nothing else may.
    pub(crate) async fn to_contain(&self) -> Result<&Store, StoreError> {
        if is_postgres(&self.database) {
            return Ok(&self.store);
        }
        let key = self.settings.storage_key.clone();
        let open = || Store::open(&self.database, key, Opening::Contain);
        self.containing.get_or_try_init(open).await
    }

    /// Where a request comes from, if that is known.
    pub(crate) fn address_of(&self, head: &Parts) -> Option<IpAddr> {
        let (peer, settings) = (head.extensions.get().copied(), &self.settings);
        // A service that others reach by another URL has a proxy: unless that is named, all come from there.
        let is_hidden = settings.public_origin.is_some() && settings.trusted_proxies.is_empty();
        let address = address::of_client(peer, &head.headers, &settings.trusted_proxies);
        address.filter(|_| !is_hidden)
    }

    /// `/metrics`, for a listener of its own.
    pub fn metrics(&self) -> axum::Router {
        let service = self.clone();
        metrics::router(env!("CARGO_PKG_VERSION"), move || {
            let service = service.clone();
            async move {
                // Without a database the counts of before stay.
                if let Ok((queued, failed)) = service.store.message_counts().await {
                    metrics::messages("queued", queued);
                    metrics::messages("failed", failed);
                }
                let now = service.clock.now();
                if let Ok((queued, failed)) = service.store.event_counts(now).await {
                    metrics::webhooks("queued", queued);
                    metrics::webhooks("failed", failed);
                }
                if let Ok(count) = service.store.disabled_webhooks().await {
                    metrics::disabled_webhooks(count);
                }
            }
        })
    }
}

/// Calls to the operator's own servers.
pub(crate) fn client() -> Arc<Client> {
    Arc::new(Client::new(AGENT, Patience::default()))
}

/// Ten seconds' worth at once, then so many a second.
fn per_second<K: Eq + std::hash::Hash>(count: u32) -> Limit<K> {
    Limit::new(
        count.saturating_mul(10),
        Duration::from_secs(1) / count.max(1),
    )
}

impl std::ops::Deref for Service {
    type Target = Shared;
    fn deref(&self) -> &Shared {
        &self.0
    }
}
