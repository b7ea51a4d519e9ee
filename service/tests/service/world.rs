//! One service with its own database and clock, a vendor, and a merchant.

use crate::folder::Folder;
use crate::http::{Answer, Call, query};
use crate::openapi;
use pos_connect_foundation::secret::StorageKey;
use pos_connect_foundation::sqlite::Opening;
use pos_connect_foundation::values;
use pos_connect_protocol::Mode;
use pos_connect_service::clock::{Clock, Timestamp};
use pos_connect_service::origin::Origin;
use pos_connect_service::server::Server;
use pos_connect_service::store::{Act, Actor, NewAccount};
use pos_connect_service::token::{Hash, Kind};
use pos_connect_service::{Service, Settings, router};
use rusqlite::types::{FromSql, Value};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinHandle;

pub const INTEGRATION: &str = "/v1/auth/integration";
pub const TOKEN: &str = "/v1/auth/integration/token";
pub const REISSUE: &str = "/v1/auth/integration/token/reissue";
pub const ACCOUNT: &str = "/v1/account";
pub const REFRESH: &str = "/v1/auth/token";
pub const REVOKE: &str = "/v1/auth/revoke";
pub const TILL: &str = "https://till.example";
pub const EMAIL: &str = "owner@bakery.example";
pub const PASSWORD: &str = "correct horse battery";

/// The password's, with the least that argon2 can be asked for: the real one takes 19 MiB and tens of milliseconds.
const CHEAP_HASH: &str =
    "$argon2id$v=19$m=8,t=1,p=1$bXlZA6ZF4i7Gf56+XRGgKg$4jMe4so3CDnIriqs1VSljXDnygTnYXfwxg5TJsfOFDo";

/// Credentials of one vendor.
#[derive(Clone, Debug)]
pub struct Vendor {
    pub id: String,
    pub secret: String,
}

impl Vendor {
    /// One that nobody has registered.
    pub fn unknown() -> Self {
        let (id, secret) = ("nobody".into(), "guess".into());
        Self { id, secret }
    }

    /// The same with a secret of somebody else's.
    pub fn with_wrong_secret(&self) -> Self {
        let (id, secret) = (self.id.clone(), Kind::ClientSecret.mint());
        Self { id, secret }
    }
}

pub struct World {
    pub service: Service,
    pub address: SocketAddr,
    pub vendor: Vendor,
    pub folder: Arc<Folder>,
    now: Arc<AtomicI64>,
    stop: watch::Sender<bool>,
    serving: JoinHandle<()>,
    _listening: openapi::Listening,
}

impl World {
    pub async fn new() -> Self {
        Self::with(Settings::default()).await
    }

    /// With a pending integration.
    pub async fn with_integration() -> (Self, String) {
        let world = Self::new().await;
        let token = world.create().await;
        (world, token)
    }

    pub async fn with(settings: Settings) -> Self {
        Self::made(Folder::tested().await, settings).await
    }

    /// Behind a proxy that it trusts, which says where a call comes from.
    pub async fn behind_a_proxy() -> Self {
        Self::with(Settings {
            trusted_proxies: vec!["127.0.0.1/32".parse().unwrap()],
            creates_per_second: 1000,
            ..Settings::default()
        })
        .await
    }

    /// In a file, whatever the other tests run on: for what is about the file.
    pub async fn on_sqlite() -> Self {
        Self::made(Folder::new(), Settings::default()).await
    }

    pub async fn made(folder: Folder, settings: Settings) -> Self {
        let now = Arc::new(AtomicI64::new(1_800_000_000_000));
        let key = folder.is_on_a_server().then(|| folder.key());
        let settings = Settings {
            storage_key: key.map(StorageKey::File),
            ..settings
        };
        let mut world = Self::start(Arc::new(folder), now, settings).await;
        world.vendor = world.add_vendor("Corner Till", &[TILL]).await;
        world
            .add_account(EMAIL, "Corner Bakery", &["Market Street", "Old Harbor"])
            .await;
        world
    }

    async fn start(folder: Arc<Folder>, now: Arc<AtomicI64>, settings: Settings) -> Self {
        let hand = now.clone();
        let clock = Clock::from_fn(move || Timestamp(hand.load(Ordering::SeqCst)));
        let service = Service::open(&folder.database(), settings, clock)
            .await
            .unwrap();
        let server = Server::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
        let address = ([127, 0, 0, 1], server.port()).into();
        let listening = openapi::is_service(address);
        let (stop, stopped) = watch::channel(false);
        let serving = tokio::spawn(server.run(router(service.clone()), stopped));
        let vendor = Vendor {
            id: String::new(),
            secret: String::new(),
        };
        Self {
            service,
            address,
            vendor,
            folder,
            now,
            stop,
            serving,
            _listening: listening,
        }
    }

    /// Another service on the same database, with the same clock.
    pub async fn replica(&self) -> Self {
        Self {
            vendor: self.vendor.clone(),
            ..Self::start(
                self.folder.clone(),
                self.now.clone(),
                self.service.settings.clone(),
            )
            .await
        }
    }

    /// What an operator's command has in its hand.
    pub async fn command(&self) -> Service {
        let (settings, clock) = (self.service.settings.clone(), self.service.clock.clone());
        let database = self.folder.database();
        let opened = Service::open_as(Opening::Contain, &database, settings, clock);
        opened.await.unwrap()
    }

    /// The same, and another vendor calls.
    pub async fn replica_for(&self, vendor: &Vendor) -> Self {
        Self {
            vendor: vendor.clone(),
            ..self.replica().await
        }
    }

    /// The same database and clock in a new service; the old one stops.
    pub async fn restart(self) -> Self {
        let settings = self.service.settings.clone();
        self.restart_with(settings).await
    }

    /// Stops, and lets go of the database.
    pub async fn leave(self) {
        self.stop.send(true).unwrap();
        drop(self.service);
        // It has the last handle of the service.
        self.serving.await.unwrap();
    }

    pub async fn restart_with(self, settings: Settings) -> Self {
        let (folder, now, vendor) = (self.folder.clone(), self.now.clone(), self.vendor.clone());
        self.stop.send(true).unwrap();
        drop(self);
        Self {
            vendor,
            ..Self::start(folder, now, settings).await
        }
    }

    /// A service on a copy of the file, with the same key and clock; the old one stops.
    pub async fn restored(self, copy: &Path) -> Self {
        let folder = Folder::new();
        std::fs::copy(copy, folder.path().join("test.db")).unwrap();
        std::fs::copy(self.folder.key(), folder.key()).unwrap();
        let (now, vendor) = (self.now.clone(), self.vendor.clone());
        let settings = self.service.settings.clone();
        self.stop.send(true).unwrap();
        drop(self);
        Self {
            vendor,
            ..Self::start(Arc::new(folder), now, settings).await
        }
    }

    pub fn pass(&self, time: Duration) {
        self.now
            .fetch_add(i64::try_from(time.as_millis()).unwrap(), Ordering::SeqCst);
    }

    pub fn set_back(&self, time: Duration) {
        self.now
            .fetch_sub(i64::try_from(time.as_millis()).unwrap(), Ordering::SeqCst);
    }

    /// The time that programs have, which run beside this service.
    pub fn set_system_time(&self) {
        self.now.store(Clock::system().now().0, Ordering::SeqCst);
    }

    /// What a statement without places gives first.
    pub async fn value<T: FromSql>(&self, sql: &str) -> T {
        let store = &self.service.store;
        store.one(sql, values![], |row| row.get(0)).await.unwrap()
    }

    pub async fn rows(&self, table: &str) -> i64 {
        self.value(&format!("SELECT count(*) FROM {table}")).await
    }

    /// Changes what no call changes; says how many rows.
    pub async fn change(&self, sql: &'static str, values: Vec<Value>) -> usize {
        let store = &self.service.store;
        let change = store.write(move |transaction| transaction.execute(sql, values.clone()));
        change.await.unwrap()
    }

    /// Makes the sealed messages unreadable; says how many.
    pub async fn damage_messages(&self) -> usize {
        let damage = "UPDATE message SET sealed = ?1 WHERE id = (SELECT min(id) FROM message)";
        self.change(damage, values![vec![0_u8]]).await
    }

    pub fn now(&self) -> Timestamp {
        self.service.clock.now()
    }

    /// What a command of the operator's does, now.
    pub fn operator(&self) -> Act {
        Act::operator(self.now())
    }

    pub async fn add_vendor(&self, name: &str, origins: &[&str]) -> Vendor {
        self.add_vendor_of(Mode::Live, name, origins).await
    }

    pub async fn add_vendor_of(&self, mode: Mode, name: &str, origins: &[&str]) -> Vendor {
        let id = format!("{}vendor-{}", mode.prefix(), name.replace(' ', "-"));
        let secret = Kind::ClientSecret.mint();
        let origins = origins
            .iter()
            .map(|origin| Origin::parse(origin).unwrap())
            .collect();
        let store = &self.service.store;
        store
            .add_vendor(
                id.clone(),
                name.into(),
                mode,
                Hash::of(&secret),
                origins,
                self.operator(),
            )
            .await
            .unwrap();
        Vendor { id, secret }
    }

    pub async fn add_account(&self, email: &str, name: &str, stores: &[&str]) {
        self.add_account_of(Mode::Live, email, name, stores).await;
    }

    pub async fn add_account_of(&self, mode: Mode, email: &str, name: &str, stores: &[&str]) {
        let new = NewAccount {
            email: email.into(),
            name: name.into(),
            mode,
            password_hash: CHEAP_HASH.into(),
            stores: stores.iter().map(ToString::to_string).collect(),
        };
        self.service
            .store
            .add_account(new, self.operator())
            .await
            .unwrap();
    }

    pub async fn send(&self, call: Call) -> Answer {
        call.send(self.address).await
    }

    /// An operation with the vendor's own credentials.
    pub async fn call(&self, method: &str, path: &str, token: &str) -> Answer {
        self.send(self.prepared(method, path, token)).await
    }

    pub fn prepared(&self, method: &str, path: &str, token: &str) -> Call {
        Call::new(method, target(path, &self.vendor, token))
    }

    pub async fn create(&self) -> String {
        let answer = self.call("POST", INTEGRATION, "").await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()["integrationToken"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    pub async fn status(&self, token: &str) -> Answer {
        self.call("GET", INTEGRATION, token).await
    }

    pub async fn token(&self, token: &str) -> Answer {
        self.call("GET", TOKEN, token).await
    }
}

/// Waits for a state; the limit is for one that never comes.
pub async fn until(holds: impl AsyncFn() -> bool) {
    let come = async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let in_time = tokio::time::timeout(Duration::from_secs(60), come).await;
    in_time.expect("the state comes");
}

/// A merchant's.
pub fn act(account: i64, now: Timestamp) -> Act {
    Act {
        actor: Actor::Account(account),
        address: None,
        now,
    }
}

/// A URL with credentials; an empty token is left out.
pub fn target(path: &str, vendor: &Vendor, token: &str) -> String {
    let mut pairs = vec![
        ("client_id", &*vendor.id),
        ("client_secret", &*vendor.secret),
    ];
    if !token.is_empty() {
        pairs.push(("integration_token", token));
    }
    format!("{path}?{}", query(&pairs))
}
