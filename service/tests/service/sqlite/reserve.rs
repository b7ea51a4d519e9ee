//! A full disk does not stop the commands that contain an incident, nor the same calls of the admin API.

use crate::folder::Folder;
use crate::full_disk::Disk;
use crate::http::{Answer, Call};
use crate::program::{self, Program, failure};
use crate::sqlite::metrics::listening;
use crate::world::{INTEGRATION, Vendor, target, until};
use serde_json::{Value, json};
use std::net::SocketAddr;

/// The reserve: a piece of 4 MiB for each command or call.
const RESERVE_MIB: u64 = 40;
/// The database with it.
const MIB: u32 = 64;
const EMAIL: &str = "m@bakery.example";
const SCOPES: &str = "vendors:write,accounts:write,token-sets:write,orders:write";

/// A service whose disk is full.
struct Full {
    program: Program,
    admin: SocketAddr,
    key: String,
    vendor: Vendor,
    folder: Folder,
    disk: Disk,
    _plain: Folder,
}

impl Full {
    async fn new() -> Self {
        let plain = Folder::new();
        let disk = Disk::mount(plain.path().join("disk"), MIB);
        let file = disk.path().join("test.db");
        let folder = Folder::with_database(format!("sqlite://{}", file.display()));
        let command = |words: &str| {
            let words: Vec<_> = words.split(' ').collect();
            program::json(&folder, &words)
        };
        command("migrate");
        let added = command("vendor add --name Till");
        let text = |name: &str| added[name].as_str().unwrap().to_owned();
        let vendor = Vendor {
            id: text("clientId"),
            secret: text("clientSecret"),
        };
        command(&format!("account add --email {EMAIL} --name Bakery"));
        let key = command(&format!("admin-key add --name Office --scopes {SCOPES}"));
        let options = format!(
            "--creates-per-second 100000 --disk-reserve-mib {RESERVE_MIB} --admin-listen 127.0.0.1:0 --log-format json"
        );
        let options: Vec<_> = options.split(' ').collect();
        let program = Program::serve(&folder, &options, Some("info"));
        let full = Self {
            admin: listening(&folder, "the admin API is at /admin/v1").await,
            key: key["key"].as_str().unwrap().to_owned(),
            program,
            vendor,
            folder,
            disk,
            _plain: plain,
        };
        until(async || full.reserved() == RESERVE_MIB << 20).await;
        full.disk.fill();
        until(async || full.create().await.status == 503).await;
        full
    }

    fn reserved(&self) -> u64 {
        let reserve = self.disk.path().join("test.db.reserve");
        std::fs::metadata(reserve).map_or(0, |metadata| metadata.len())
    }

    async fn create(&self) -> Answer {
        let call = Call::new("POST", target(INTEGRATION, &self.vendor, ""));
        call.send(self.program.address("baseUrl")).await
    }

    /// By the admin API.
    async fn call(&self, method: &str, path: &str, body: &Value) -> Answer {
        let call = Call::new(method, format!("/admin/v1{path}"))
            .header("Authorization", format!("Bearer {}", self.key));
        let call = match body {
            Value::Null => call,
            body => call
                .header("Content-Type", "application/json")
                .body(body.to_string()),
        };
        call.elsewhere().send(self.admin).await
    }

    /// What was done had its room from the reserve, and is in the audit.
    fn took_from(&self, reserve_left: &mut u64, event: &str) {
        assert!(
            self.reserved() < *reserve_left,
            "{event}: the disk had room"
        );
        *reserve_left = self.reserved();
        let told = program::json(&self.folder, &["audit", "--limit", "1"]);
        assert_eq!(told[0]["event"], event);
        // The next one finds the disk full: this one has left no room.
        self.disk.fill();
    }
}

#[tokio::test]
#[ignore = "needs root, to mount a small disk"]
async fn on_a_full_disk_the_operator_still_revokes_disables_and_erases() {
    let full = Full::new().await;
    let address = full.program.address("baseUrl");
    until(async || Call::new("GET", "/readyz").send(address).await.status == 503).await;
    let error = failure(&full.folder, &["vendor", "add", "--name", "Another"]);
    assert!(error.contains("full"), "{error}");
    assert_eq!(
        full.reserved(),
        RESERVE_MIB << 20,
        "no other command uses it"
    );
    let id = &*full.vendor.id;
    let mut reserve_left = full.reserved();
    // Those of docs/database.md.
    for (arguments, event) in [
        (&["vendor", "disable", id][..], "vendor.disabled"),
        (&["vendor", "rotate-secret", id], "vendor.secret_rotated"),
        (
            &["vendor", "set-origins", id, "--origin", "https://a.example"],
            "vendor.origins_set",
        ),
        (&["account", "disable", EMAIL], "account.disabled"),
        (&["account", "set-password", EMAIL], "account.password_set"),
        (
            &["token-set", "revoke", "--vendor", id],
            "token_sets.revoked",
        ),
        (&["purge"], "database.purged"),
        (&["order", "erase", "--vendor", id], "orders.erased"),
        (&["customer", "erase", "--vendor", id], "customers.erased"),
    ] {
        program::json(&full.folder, arguments);
        full.took_from(&mut reserve_left, event);
    }
    assert_eq!(full.create().await.code(), "invalid_client");
}

#[tokio::test]
#[ignore = "needs root, to mount a small disk"]
async fn on_a_full_disk_a_back_office_does_too() {
    let full = Full::new().await;
    let another = full
        .call("POST", "/vendors", &json!({"name": "Another"}))
        .await;
    assert_eq!(another.status, 503, "{}", another.body);
    assert_eq!(full.reserved(), RESERVE_MIB << 20, "no other call uses it");
    let id = &*full.vendor.id;
    let (vendor, account) = (format!("/vendors/{id}"), format!("/accounts/{EMAIL}"));
    let (scope, origins) = (json!({"vendor": id}), json!({"origins": []}));
    let mut reserve_left = full.reserved();
    for (method, path, body, event) in [
        (
            "POST",
            format!("{vendor}/disable"),
            Value::Null,
            "vendor.disabled",
        ),
        (
            "POST",
            format!("{vendor}/rotate-secret"),
            json!({}),
            "vendor.secret_rotated",
        ),
        (
            "PUT",
            format!("{vendor}/origins"),
            origins,
            "vendor.origins_set",
        ),
        (
            "POST",
            format!("{account}/disable"),
            Value::Null,
            "account.disabled",
        ),
        (
            "POST",
            format!("{account}/set-password"),
            json!({}),
            "account.password_set",
        ),
        (
            "POST",
            "/token-sets/revoke".into(),
            scope.clone(),
            "token_sets.revoked",
        ),
        (
            "POST",
            "/orders/erase".into(),
            scope.clone(),
            "orders.erased",
        ),
        ("POST", "/customers/erase".into(), scope, "customers.erased"),
    ] {
        let answer = full.call(method, &path, &body).await;
        assert!(
            [200, 204].contains(&answer.status),
            "{path}: {}",
            answer.body
        );
        full.took_from(&mut reserve_left, event);
    }
    assert_eq!(full.create().await.code(), "invalid_client");
}
