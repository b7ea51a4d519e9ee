//! A full disk does not stop the commands that contain an incident.

use crate::folder::Folder;
use crate::full_disk::Disk;
use crate::http::{Answer, Call};
use crate::program::{Program, failure, json};
use crate::world::{INTEGRATION, Vendor, target, until};

/// The database, and the reserve of 16 MiB.
const MIB: u32 = 40;

#[tokio::test]
#[ignore = "needs root, to mount a small disk"]
async fn on_a_full_disk_the_operator_still_revokes_disables_and_erases() {
    let plain = Folder::new();
    let disk = Disk::mount(plain.path().join("disk"), MIB);
    let file = disk.path().join("test.db");
    let folder = Folder::with_database(format!("sqlite://{}", file.display()));
    json(&folder, &["migrate"]);
    let added = json(&folder, &["vendor", "add", "--name", "Till Co"]);
    let text = |name: &str| added[name].as_str().unwrap().to_owned();
    let vendor = Vendor {
        id: text("clientId"),
        secret: text("clientSecret"),
    };
    let program = Program::serve(&folder, &["--creates-per-second", "100000"], None);
    let reserve = disk.path().join("test.db.reserve");
    let reserved = || std::fs::metadata(&reserve).map_or(0, |metadata| metadata.len());
    until(async || reserved() == 16 << 20).await;
    disk.fill();
    let address = program.address("baseUrl");
    let create = async || -> Answer {
        let call = Call::new("POST", target(INTEGRATION, &vendor, ""));
        call.send(address).await
    };
    until(async || create().await.status == 503).await;
    until(async || Call::new("GET", "/readyz").send(address).await.status == 503).await;
    let error = failure(&folder, &["vendor", "add", "--name", "Another"]);
    assert!(error.contains("full"), "{error}");
    assert_eq!(reserved(), 16 << 20, "no other command uses it");

    let id = &*vendor.id;
    json(&folder, &["vendor", "disable", id]);
    assert_eq!(create().await.code(), "invalid_client");
    assert_eq!(
        json(&folder, &["token-set", "revoke", "--vendor", id])["revoked"],
        0
    );
    json(&folder, &["purge"]);
    assert_eq!(
        json(&folder, &["order", "erase", "--vendor", id])["erased"],
        0
    );
    assert!(reserved() < 16 << 20);
    let told = json(&folder, &["audit", "--limit", "4"]);
    let events: Vec<&str> = told
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["event"].as_str().unwrap())
        .collect();
    assert_eq!(
        events,
        [
            "vendor.disabled",
            "token_sets.revoked",
            "database.purged",
            "orders.erased"
        ]
    );
}
