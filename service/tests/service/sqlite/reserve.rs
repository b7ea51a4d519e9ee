//! A full disk does not stop the commands that contain an incident.

use crate::folder::Folder;
use crate::full_disk::Disk;
use crate::http::{Answer, Call};
use crate::program::{Program, failure, json};
use crate::world::{INTEGRATION, Vendor, target, until};

/// The reserve: a piece of 4 MiB for each command.
const RESERVE_MIB: u64 = 40;
/// The database with it.
const MIB: u32 = 64;

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
    json(
        &folder,
        &[
            "account",
            "add",
            "--email",
            "m@bakery.example",
            "--name",
            "Bakery",
        ],
    );
    let reserve_mib = RESERVE_MIB.to_string();
    let options = [
        "--creates-per-second",
        "100000",
        "--disk-reserve-mib",
        &reserve_mib,
    ];
    let program = Program::serve(&folder, &options, None);
    let reserve = disk.path().join("test.db.reserve");
    let reserved = || std::fs::metadata(&reserve).map_or(0, |metadata| metadata.len());
    until(async || reserved() == RESERVE_MIB << 20).await;
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
    assert_eq!(reserved(), RESERVE_MIB << 20, "no other command uses it");

    let id = &*vendor.id;
    let email = "m@bakery.example";
    let mut reserve_left = reserved();
    // Those of docs/database.md. Each finds the disk full: the one before it has left no room.
    for (arguments, event) in [
        (&["vendor", "disable", id][..], "vendor.disabled"),
        (&["vendor", "rotate-secret", id], "vendor.secret_rotated"),
        (
            &["vendor", "set-origins", id, "--origin", "https://a.example"],
            "vendor.origins_set",
        ),
        (&["account", "disable", email], "account.disabled"),
        (&["account", "set-password", email], "account.password_set"),
        (
            &["token-set", "revoke", "--vendor", id],
            "token_sets.revoked",
        ),
        (&["purge"], "database.purged"),
        (&["order", "erase", "--vendor", id], "orders.erased"),
        (&["customer", "erase", "--vendor", id], "customers.erased"),
    ] {
        disk.fill();
        json(&folder, arguments);
        assert!(
            reserved() < reserve_left,
            "{arguments:?}: the disk had room"
        );
        reserve_left = reserved();
        let told = json(&folder, &["audit", "--limit", "1"]);
        assert_eq!(told[0]["event"], event, "{arguments:?}");
    }
    assert_eq!(create().await.code(), "invalid_client");
}
