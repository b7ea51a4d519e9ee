//! A full disk does not stop the commands that contain an incident.

use crate::folder::Folder;
use crate::full_disk::Disk;
use crate::http::Call;
use crate::program::{Program, add_till, command, json};
use crate::world::{INTEGRATION, TOKEN, World, until};

/// The database, and the reserve of 16 MiB.
const MIB: u32 = 30;

#[tokio::test]
#[ignore = "needs root, to mount a small disk"]
async fn on_a_full_disk_keys_are_still_revoked_and_merchants_disconnected() {
    let (world, folder) = (World::new().await, Folder::new());
    let disk = Disk::mount(folder.path().join("disk"), MIB);
    let url = format!("sqlite://{}", disk.path().join("test.db").display());
    std::fs::write(folder.path().join("database-url"), url).unwrap();
    let service = format!("http://{}", world.address);
    let more = ["--creates-per-till", "100000"];
    let program = Program::serve(&folder, &service, &world.vendor, &more);
    let key = add_till(&folder, "bakery");
    let added = json(&folder, &["fleet-key", "add", "--name", "Back office"]);
    let token = program.create(&key).await;
    world.finish(&token).await;
    assert_eq!(program.ask(&key, "GET", TOKEN, &token).await.status, 200);
    let reserve = disk.path().join("test.db.reserve");
    let reserved = || std::fs::metadata(&reserve).map_or(0, |metadata| metadata.len());
    until(async || reserved() == 16 << 20).await;
    disk.fill();
    let create = async || program.ask(&key, "POST", INTEGRATION, "").await;
    until(async || create().await.status == 503).await;
    until(async || {
        Call::new("GET", "/readyz")
            .send(program.address)
            .await
            .status
            == 503
    })
    .await;
    let another = ["till", "add", "--merchant", "bakery", "--name", "Another"];
    let refused = command(&folder, &another).output().unwrap();
    assert!(!refused.status.success(), "the disk is full");

    let tills = json(&folder, &["till", "list"]);
    let (till, fleet_key) = (tills[0]["id"].as_str(), added["id"].as_str());
    let (till, fleet_key) = (till.unwrap(), fleet_key.unwrap());
    let mut reserve_left = reserved();
    // Those of docs/database.md. Each finds the disk full: the one before it has left no room.
    for (arguments, event) in [
        (["till", "revoke", till], "till.revoked"),
        (["fleet-key", "revoke", fleet_key], "fleet_key.revoked"),
        (
            ["merchant", "disconnect", "bakery"],
            "merchant.disconnected",
        ),
    ] {
        disk.fill();
        json(&folder, &arguments);
        assert!(
            reserved() < reserve_left,
            "{arguments:?}: the disk had room"
        );
        reserve_left = reserved();
        let told = json(&folder, &["audit", "--limit", "1"]);
        assert_eq!(told[0]["event"], event, "{arguments:?}");
    }
    assert_eq!(create().await.status, 401);
}
