//! A full disk does not stop the commands that contain an incident.

use crate::folder::Folder;
use crate::full_disk::Disk;
use crate::http::Call;
use crate::program::{Program, add_till, command, json};
use crate::world::{INTEGRATION, World, until};

/// The database, and the reserve of 16 MiB.
const MIB: u32 = 30;

#[tokio::test]
#[ignore = "needs root, to mount a small disk"]
async fn on_a_full_disk_a_till_is_still_revoked() {
    let (world, folder) = (World::new().await, Folder::new());
    let disk = Disk::mount(folder.path().join("disk"), MIB);
    let url = format!("sqlite://{}", disk.path().join("test.db").display());
    std::fs::write(folder.path().join("database-url"), url).unwrap();
    let service = format!("http://{}", world.address);
    let more = ["--creates-per-till", "100000"];
    let program = Program::serve(&folder, &service, &world.vendor, &more);
    let key = add_till(&folder, "bakery");
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
    let id = tills[0]["id"].as_str().unwrap();
    json(&folder, &["till", "revoke", id]);
    assert_eq!(create().await.status, 401);
    let told = json(&folder, &["audit", "--limit", "1"]);
    assert_eq!(told[0]["event"], "till.revoked");
    assert!(reserved() < 16 << 20);
}
