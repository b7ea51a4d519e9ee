//! The relay: what every request shares.

use crate::checked::Checked;
use crate::refusal::Refusal;
use crate::seal::Sealer;
use crate::single_flight::SingleFlight;
use crate::store::{Store, StoreError, TokenSet};
use crate::upstream::Upstream;
use pos_connect_foundation::clock::{Clock, days};
use pos_connect_foundation::limit::Limit;
use pos_connect_foundation::origin::Origin;
use pos_connect_foundation::shares::Shares;
use pos_connect_foundation::storage_key::NOTE_EVERY;
use pos_connect_foundation::token::Hash;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

const MINUTE: Duration = Duration::from_secs(60);
/// Calls of one fleet key at once, and the time that brings one more: 10,000 tills take 75 minutes.
const FLEET_CALLS: u32 = 1000;
const FLEET_REFILL: Duration = Duration::from_millis(500);

/// What the operator can choose.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Origins of the tills' pages.
    pub origins: Vec<Origin>,
    /// Whether tills get the tokens, instead of the relay keeping them.
    pub hand_out: bool,
    /// Longest body of an operation.
    pub body_limit: usize,
    /// Time for a body to arrive.
    pub body_wait: Duration,
    /// Integrations that one till creates in a minute; as many at once.
    pub creates_per_till: u32,
    /// Requests at once; a further one is told to come back.
    pub requests: usize,
    /// How long a till waits for a pick-up; the SDK itself waits 30 s.
    pub token_wait: Duration,
    /// Calls of one pick-up before it pauses until it is asked for again.
    pub pickup_attempts: u32,
    /// How long before its end an access token is refreshed.
    pub refresh_margin: Duration,
    /// Time between two looks for what was interrupted or expires.
    pub tend_every: Duration,
    /// Time between two looks at the service for a connection that has ended, or another choice of e-receipts.
    pub check_every: Duration,
    /// Time between two such looks for a connection whose till asks.
    pub check_asked: Duration,
    /// How long tokens that the service stopped taking can be taken back.
    pub ended_ttl: Duration,
    /// How long rows of the audit are kept; 30 days at least.
    pub audit_ttl: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            origins: Vec::new(),
            hand_out: false,
            body_limit: 1024 * 1024,
            body_wait: Duration::from_secs(10),
            creates_per_till: 10,
            requests: 900,
            token_wait: Duration::from_secs(25),
            pickup_attempts: 8,
            refresh_margin: Duration::from_secs(5 * 60),
            tend_every: NOTE_EVERY,
            check_every: Duration::from_secs(5 * 60),
            check_asked: Duration::from_secs(15),
            ended_ttl: days(7),
            audit_ttl: days(400),
        }
    }
}

/// The whole relay, cheap to clone.
#[derive(Clone)]
pub struct Relay(Arc<Shared>);

/// The parts of a [`Relay`].
pub struct Shared {
    /// What outlives the process.
    pub store: Arc<Store>,
    /// The service.
    pub upstream: Upstream,
    /// The time.
    pub clock: Clock,
    /// What the operator chose.
    pub settings: Settings,
    pub(crate) sealer: Arc<Sealer>,
    pub(crate) pickups: SingleFlight<Result<TokenSet, Refusal>>,
    pub(crate) refreshes: SingleFlight<Result<TokenSet, Refusal>>,
    /// Created integrations, by till.
    pub(crate) creates: Limit<Hash>,
    /// Calls of the vendor's server, by fleet key.
    pub(crate) fleet_calls: Limit<Hash>,
    pub(crate) checks: SingleFlight<Result<TokenSet, Refusal>>,
    pub(crate) checked: Checked,
    /// Refreshes in time.
    pub(crate) refreshed: Checked,
    pub(crate) requests: Semaphore,
    /// Requests at once of each till and each fleet key.
    pub(crate) shares: Shares,
}

impl Relay {
    /// Puts the parts together; fails if the database was written with another key.
    pub async fn open(
        store: Store,
        sealer: Sealer,
        upstream: Upstream,
        settings: Settings,
        clock: Clock,
    ) -> Result<Self, StoreError> {
        let sealer = Arc::new(sealer);
        store.check_key(&sealer, clock.now()).await?;
        Ok(Self(Arc::new(Shared {
            store: Arc::new(store),
            upstream,
            clock,
            sealer,
            pickups: SingleFlight::new(),
            refreshes: SingleFlight::new(),
            creates: Limit::new(
                settings.creates_per_till,
                MINUTE / settings.creates_per_till.max(1),
            ),
            fleet_calls: Limit::new(FLEET_CALLS, FLEET_REFILL),
            checks: SingleFlight::new(),
            checked: Checked::default(),
            refreshed: Checked::default(),
            requests: Semaphore::new(settings.requests),
            shares: Shares::default(),
            settings,
        })))
    }
}

impl std::ops::Deref for Relay {
    type Target = Shared;
    fn deref(&self) -> &Shared {
        &self.0
    }
}
