//! `doctor` beside a running service: each check red and green.

use crate::doctor::{Found, Manner, Proxy, examine};
use crate::folder::Folder;
use crate::on_server::{end_failover, fail_over};
use crate::program::{Program, json};
use crate::provider::{CLIENT, Provider};
use crate::watch::Watch;
use crate::world::until;
use pos_connect_foundation::database::Transaction;
use pos_connect_foundation::secret::StorageKey;
use pos_connect_foundation::values;
use pos_connect_service::store::{Opening, Store};
use pos_connect_service::token::Kind;
use std::net::TcpListener;
use workbench::port;

/// `--disk-reserve-mib` without the option.
const RESERVE: u64 = 16 * 1024 * 1024;
const CLIENT_SECRET: &str = "the client's secret there";

/// A service with all that it can have, behind a proxy.
struct Clinic {
    folder: Folder,
    program: Option<Program>,
    proxy: Proxy,
    provider: Provider,
    client_id: String,
    listen: String,
    /// The proxy that the settings name.
    trusted: &'static str,
    /// Takes the calls of the vendor's webhook.
    receiver: TcpListener,
}

impl Clinic {
    async fn open() -> Self {
        let folder = Folder::tested().await;
        json(&folder, &["migrate"]);
        let (proxy, provider) = (Proxy::start().await, Provider::start().await);
        let listen = format!("127.0.0.1:{}", port::free());
        let program = Program::serve(
            &folder,
            &["--listen", &listen, "--public-url", &proxy.url],
            None,
        );
        proxy.lead_to(listen.parse().unwrap());
        // Until `serve` has filled it, `doctor` warns.
        let reserve = folder.path().join("test.db.reserve");
        let is_whole = async || std::fs::metadata(&reserve).is_ok_and(|file| file.len() == RESERVE);
        if !folder.is_on_a_server() {
            until(is_whole).await;
        }
        let vendor = json(
            &folder,
            &[
                "vendor",
                "add",
                "--name",
                "Till Co",
                "--origin",
                "https://till.example",
            ],
        );
        let client_id = vendor["clientId"].as_str().unwrap().to_owned();
        let receiver = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!(
            "http://{}/a-secret-of-the-receiver",
            receiver.local_addr().unwrap()
        );
        json(&folder, &["webhook", "set", &client_id, &url]);
        Self {
            folder,
            program: Some(program),
            proxy,
            provider,
            client_id,
            listen,
            trusted: "127.0.0.1",
            receiver,
        }
    }

    fn file(&self) -> String {
        format!(
            "file:{}",
            self.folder.path().join("messages.jsonl").display()
        )
    }

    /// What the settings say of a provider.
    fn provider_file(&self, id: &str, issuer: &str) -> String {
        let [path, secret] =
            ["toml", "secret"].map(|end| self.folder.path().join(format!("{id}.{end}")));
        let secret_file = secret.display();
        let text = format!(
            "issuer = '{issuer}'\nclient-id = '{CLIENT}'\nname = 'Ads'\nclient-secret-file = '{secret_file}'\n"
        );
        std::fs::write(&path, text).unwrap();
        std::fs::write(&secret, CLIENT_SECRET).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// With further options, of which a later one counts.
    async fn examine(&self, options: &[&str]) -> Found {
        self.examine_with(options, &[]).await
    }

    async fn examine_with(&self, options: &[&str], variables: &[(&str, &str)]) -> Found {
        let file = self.file();
        let provider = self.provider_file("corner", &self.provider.url);
        let own = [
            ["--listen", &self.listen],
            ["--public-url", &self.proxy.url],
            ["--trusted-proxy", self.trusted],
            ["--messages", &file],
            ["--message-region", "IL"],
            ["--oidc-provider", &provider],
        ];
        tokio::task::block_in_place(|| {
            examine(&self.folder, &[&own.concat(), options].concat(), variables)
        })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_good_installation_has_nothing_to_mend_and_no_secret_is_printed() {
    let clinic = Clinic::open().await;
    let mut watch = Watch::default();
    let key = std::fs::read_to_string(clinic.folder.key()).unwrap();
    let key = watch.secret(key.trim());
    watch.secret(CLIENT_SECRET);
    watch.secret("a-secret-of-the-receiver");
    let secrets = [("POS_CONNECT_SERVICE_KEY", &*key)];
    let found = clinic
        .examine_with(&["--messages-per-till", "7"], &secrets)
        .await;
    assert!(found.is_good);
    assert_eq!(found.named("warning"), [""; 0], "{:#?}", found.checks);
    for check in [
        "settings",
        "database",
        "storage-key",
        "sealing-keys",
        "service",
        "dns",
        "public-url",
        "proxy",
        "messages",
        "provider corner",
        "vendors",
        "webhooks",
        "clock",
    ] {
        found.expect(check, "ok", "");
    }
    found.expect("provider corner", "ok", "1 keys");
    found.expect("messages", "ok", "makes their file");
    assert!(
        !clinic.folder.path().join("messages.jsonl").exists(),
        "nothing is made"
    );
    watch.assert_absent("doctor", found.printed.as_bytes());
}

const FAULT: &str = "fault";
const WARNING: &str = "warning";
const INVALID: &str = "https://nowhere.invalid";

/// Every row is one change to a good installation.
#[tokio::test(flavor = "multi_thread")]
async fn each_setting_that_is_wrong_is_named_with_what_to_do() {
    let clinic = Clinic::open().await;
    let other = port::free();
    let [nobody, nowhere] = ["127.0.0.1", "localhost"].map(|host| format!("http://{host}:{other}"));
    let by_name = clinic.provider.url.replace("127.0.0.1", "localhost");
    let away = clinic.provider_file("away", &nowhere);
    let alias = clinic.provider_file("alias", &by_name);
    let stranger = clinic.provider.url.trim_start_matches("http://").to_owned();
    let key = clinic.folder.path().join("other.key");
    std::fs::write(&key, Kind::Storage.mint()).unwrap();
    let missing = clinic.folder.path().join("missing");
    let (key, missing) = (key.to_str().unwrap(), missing.to_str().unwrap());
    let no_folder = format!("file:{missing}/messages.jsonl");
    let webhook = format!("webhook:{nobody}");
    let elsewhere = format!("127.0.0.1:{other}");
    for (option, value, check, outcome, words) in [
        ("messages", &*webhook, "settings", FAULT, "_MESSAGES_SECRET"),
        ("messages", &webhook, "messages", FAULT, "not reached"),
        ("messages", &no_folder, "messages", FAULT, "be written"),
        ("messages", "log", "messages", WARNING, "set `--messages`"),
        ("oidc-provider", missing, "settings", FAULT, missing),
        ("brand-logo", missing, "settings", FAULT, missing),
        (
            "oidc-provider",
            &away,
            "provider away",
            FAULT,
            "not reached",
        ),
        (
            "oidc-provider",
            &alias,
            "provider alias",
            FAULT,
            "another issuer",
        ),
        ("key-file", key, "storage-key", FAULT, "another storage key"),
        ("public-url", INVALID, "dns", FAULT, "has no address"),
        ("public-url", &nowhere, "public-url", FAULT, "not reached"),
        ("listen", &elsewhere, "service", WARNING, "start it"),
        ("listen", &stranger, "service", WARNING, "404"),
    ] {
        let found = clinic.examine(&[&format!("--{option}"), value]).await;
        found.expect(check, outcome, words);
        if check.starts_with("provider") {
            found.expect("provider corner", "ok", "1 keys");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_proxy_does_to_the_callers_address_is_seen() {
    let mut clinic = Clinic::open().await;
    for (manner, words) in [
        (Manner::PassesOn, "everybody can take any address"),
        (Manner::Drops, "sends no X-Forwarded-For"),
        (Manner::Elsewhere, "leads to another service"),
        (Manner::Fails, "the answer is 502"),
    ] {
        clinic.proxy.becomes(manner);
        clinic.examine(&[]).await.expect("proxy", "fault", words);
    }
    clinic.proxy.becomes(Manner::Appends);
    clinic.trusted = "10.0.0.0/8";
    let untrusted = clinic.examine(&[]).await;
    untrusted.expect("proxy", "warning", "set `--trusted-proxy 127.0.0.1`");
    let direct = format!("http://{}", clinic.listen);
    let direct = clinic.examine(&["--public-url", &direct]).await;
    direct.expect("proxy", "ok", "there is none");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_others_do_not_answer_is_seen() {
    let mut clinic = Clinic::open().await;
    clinic.provider.set_down(true);
    let id = &clinic.client_id;
    let origins = [
        "vendor",
        "set-origins",
        id,
        "--origin",
        "http://till.example",
    ];
    json(&clinic.folder, &origins);
    let gone = TcpListener::bind("127.0.0.1:0").unwrap();
    drop(std::mem::replace(&mut clinic.receiver, gone));
    clinic.program = None;
    let found = clinic.examine(&[]).await;
    found.expect("provider corner", "fault", "it answered 503");
    found.expect("vendors", "warning", "vendor set-origins");
    found.expect("webhooks", "warning", "tell the vendor");
    found.expect("service", "warning", "start it");
    assert_eq!(found.named("fault"), ["provider corner"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_takes_no_rows_and_a_key_that_does_not_open_are_faults() {
    let folder = Folder::tested().await;
    json(&folder, &["migrate"]);
    json(&folder, &["sealing-key", "rotate"]);
    let store = Store::open(
        &folder.database(),
        Some(StorageKey::File(folder.key())),
        Opening::Existing,
    )
    .await;
    let store = store.unwrap();
    let damage = |transaction: &Transaction<'_>| {
        transaction.execute("UPDATE sealing_key SET sealed = hash", values![])
    };
    store.write(damage).await.unwrap();
    drop(store);
    let found = tokio::task::block_in_place(|| examine(&folder, &[], &[]));
    found.expect("sealing-keys", "fault", "sealing-key rotate");
    found.expect("vendors", "warning", "vendor add");
    found.expect("public-url", "warning", "--public-url");
    let open = tokio::task::block_in_place(|| examine(&folder, &["--listen", "0.0.0.0:1"], &[]));
    open.expect("public-url", "fault", "without TLS");
    if folder.is_on_a_server() {
        fail_over(&folder.database()).await;
        let found = tokio::task::block_in_place(|| examine(&folder, &[], &[]));
        found.expect("database", "fault", "takes no row");
        end_failover(&folder.database()).await;
    }
}
