//! Service, proxy, relay, and two tills of one merchant.

use crate::folder::Folder;
use crate::http::{Answer, Call, query};
use crate::proxy::Proxy;
use crate::world::{INTEGRATION, TOKEN, World, until};
use pos_connect_foundation::origin::Origin;
use pos_connect_foundation::server::Server;
use pos_connect_foundation::token::Kind;
use pos_connect_relay::http::router;
use pos_connect_relay::seal::sealer;
use pos_connect_relay::store::{Opening, SCHEMA, Store};
use pos_connect_relay::upstream::{BaseUrl, Patience, Upstream};
use pos_connect_relay::{Relay, Settings, till};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

pub const PAGE: &str = "https://till.example";
pub const BAKERY: &str = "bakery";

pub struct Rig {
    pub service: World,
    pub proxy: Proxy,
    pub relay: Relay,
    pub address: SocketAddr,
    pub folder: Arc<Folder>,
    /// Two tills of one merchant: their keys.
    pub till: String,
    pub neighbor: String,
    /// Where its store is.
    pub database: String,
    storage_key: String,
    stop: watch::Sender<bool>,
}

pub fn settings() -> Settings {
    Settings {
        origins: vec![Origin::parse(PAGE).unwrap()],
        tend_every: Duration::from_secs(3600),
        creates_per_till: 1000,
        ..Settings::default()
    }
}

/// So much that only a call which is never answered runs into it.
pub fn patience() -> Patience {
    Patience {
        connect: Duration::from_secs(60),
        call: Duration::from_secs(60),
        ..Patience::default()
    }
}

/// For calls that are to time out, beside others that are not to on a busy machine.
pub fn hasty() -> Patience {
    Patience {
        call: Duration::from_secs(10),
        ..patience()
    }
}

impl Rig {
    pub async fn new() -> Self {
        Self::with(settings(), patience()).await
    }

    /// One whose merchant is connected.
    pub async fn with_connection() -> Self {
        let rig = Self::new().await;
        rig.connected().await;
        rig
    }

    pub async fn with(settings: Settings, patience: Patience) -> Self {
        let folder = Arc::new(Folder::new());
        let database = database(&folder).await;
        Self::on(folder, database, settings, patience).await
    }

    /// For tests that get in the way of the file itself.
    pub async fn on_sqlite() -> Self {
        let folder = Arc::new(Folder::new());
        let database = folder.database();
        Self::on(folder, database, settings(), patience()).await
    }

    async fn on(
        folder: Arc<Folder>,
        database: String,
        settings: Settings,
        patience: Patience,
    ) -> Self {
        let service = World::on_sqlite().await;
        let proxy = Proxy::start(service.address).await;
        let key = Kind::Storage.mint();
        let place = (folder, database, key);
        let mut rig = Self::start(service, proxy, place, settings, patience).await;
        rig.till = rig.add_till(BAKERY).await;
        rig.neighbor = rig.add_till(BAKERY).await;
        rig
    }

    async fn start(
        service: World,
        proxy: Proxy,
        (folder, database, storage_key): (Arc<Folder>, String, String),
        settings: Settings,
        patience: Patience,
    ) -> Self {
        let base = BaseUrl::parse(&proxy.url()).unwrap();
        let vendor = &service.vendor;
        let upstream = Upstream::new(base, vendor.id.clone(), vendor.secret.clone(), patience);
        let store = Store::open(&database, Opening::Prepare).await.unwrap();
        let sealer = sealer(&storage_key).unwrap();
        let clock = service.service.clock.clone();
        let relay = Relay::open(store, sealer, upstream, settings, clock);
        let relay = relay.await.unwrap();
        let server = Server::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
        let address = ([127, 0, 0, 1], server.port()).into();
        let (stop, stopped) = watch::channel(false);
        tokio::spawn(relay.clone().tend(stopped.clone()));
        tokio::spawn(server.run(router(relay.clone()), stopped));
        Self {
            service,
            proxy,
            relay,
            address,
            folder,
            till: String::new(),
            neighbor: String::new(),
            database,
            storage_key,
            stop,
        }
    }

    /// Another relay on the same database; the old one stops.
    pub async fn restart(self, settings: Settings) -> Self {
        let _ = self.stop.send(true);
        let (till, neighbor) = (self.till, self.neighbor);
        let place = (self.folder, self.database, self.storage_key);
        drop(self.relay);
        let (service, proxy) = (self.service, self.proxy);
        Self {
            till,
            neighbor,
            ..Self::start(service, proxy, place, settings, patience()).await
        }
    }

    /// A second relay on the same database, beside the first; gives its address.
    pub async fn replica(&self) -> SocketAddr {
        self.replica_with(patience()).await
    }

    pub async fn replica_with(&self, patience: Patience) -> SocketAddr {
        let server = Server::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
        let address = ([127, 0, 0, 1], server.port()).into();
        let router = router(self.another(settings(), patience).await);
        tokio::spawn(server.run(router, self.stop.subscribe()));
        address
    }

    /// One that only looks after what is stored, without pause.
    pub async fn tending_replica(&self, stop: watch::Receiver<bool>) {
        let restless = Settings {
            tend_every: Duration::from_millis(50),
            ..settings()
        };
        tokio::spawn(self.another(restless, patience()).await.tend(stop));
    }

    async fn another(&self, settings: Settings, patience: Patience) -> Relay {
        let base = BaseUrl::parse(&self.proxy.url()).unwrap();
        let vendor = &self.service.vendor;
        let upstream = Upstream::new(base, vendor.id.clone(), vendor.secret.clone(), patience);
        let store = Store::open(&self.database, Opening::Prepare).await.unwrap();
        let sealer = sealer(&self.storage_key).unwrap();
        let clock = self.service.service.clock.clone();
        let relay = Relay::open(store, sealer, upstream, settings, clock);
        relay.await.unwrap()
    }

    pub async fn add_till(&self, merchant: &str) -> String {
        let (store, now) = (&self.relay.store, self.relay.clock.now());
        let added = till::add(store, merchant, "a till", now).await;
        added.unwrap().1
    }

    /// A call with a till's key, from nowhere in particular.
    pub fn call(&self, key: &str, method: &str, target: impl Into<String>) -> Call {
        Call::new(method, target).header("Authorization", format!("Bearer {key}"))
    }

    pub fn target(&self, path: &str, token: &str) -> String {
        let mut pairs = vec![("client_id", &*self.service.vendor.id)];
        if !token.is_empty() {
            pairs.push(("integration_token", token));
        }
        format!("{path}?{}", query(&pairs))
    }

    pub async fn ask(&self, key: &str, method: &str, path: &str, token: &str) -> Answer {
        let call = self.call(key, method, self.target(path, token));
        call.send(self.address).await
    }

    pub async fn create(&self) -> String {
        let answer = self.ask(&self.till, "POST", INTEGRATION, "").await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        text(&answer, "integrationToken")
    }

    /// An integration that the merchant finished.
    pub async fn finished(&self) -> String {
        let token = self.create().await;
        assert!(self.service.finish(&token).await);
        token
    }

    pub async fn tokens(&self, token: &str) -> Answer {
        self.ask(&self.till, "GET", TOKEN, token).await
    }

    /// A merchant that is connected.
    pub async fn connected(&self) -> String {
        let token = self.finished().await;
        let answer = self.tokens(&token).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        token
    }

    pub async fn connection(&self, key: &str) -> Answer {
        let call = self.call(key, "GET", "/connection");
        call.send(self.address).await
    }

    /// Waits until the merchant is connected.
    pub async fn come_connected(&self) {
        until(async || self.connection(&self.till).await.json()["connected"] == true).await;
    }

    pub async fn order(&self) -> Answer {
        let call = self.call(&self.till, "POST", "/v1/orders").body("{}");
        call.send(self.address).await
    }

    /// How often the service itself gave a token set away.
    pub fn given(&self) -> usize {
        let calls = self.proxy.seen("GET", TOKEN);
        calls.iter().filter(|seen| seen.answered == 200).count()
    }
}

pub fn text(answer: &Answer, name: &str) -> String {
    let value = &answer.json()[name];
    value
        .as_str()
        .unwrap_or_else(|| panic!("no {name}: {}", answer.body))
        .to_owned()
}

/// A body without what differs from call to call.
pub fn without_id(answer: &Answer) -> String {
    let id = answer.header("x-request-id").unwrap();
    answer.body.replace(id, "ID")
}

/// SQLite, or a new database on the server that the environment names: so the same tests run on both.
pub async fn database(folder: &Folder) -> String {
    match crate::on_server::server() {
        Some(server) => crate::on_server::migrated(&server, &SCHEMA).await,
        None => folder.database(),
    }
}
