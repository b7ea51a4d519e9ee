//! A full disk: 503, and the service gives no token set away that could not be kept.

use crate::folder::Folder;
use crate::full_disk::{limited, make_room};
use crate::http::Call;
use crate::program::{Program, add_till};
use crate::rig::text;
use crate::world::{INTEGRATION, TOKEN, World, until};
use pos_connect_service::Settings;

/// The new database fits in, and its log fills it soon.
const BLOCKS: u32 = 1500;

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_disk_is_503_and_costs_no_tokens() {
    let settings = Settings {
        creates_per_second: 100_000,
        ..Settings::default()
    };
    let (world, folder) = (World::with(settings).await, Folder::new());
    let url = format!("http://{}", world.address);
    let plain = Program::serving(
        &folder,
        &url,
        &world.vendor,
        &["--creates-per-till", "100000"],
    );
    let full = Program::start(&mut limited(&plain, BLOCKS), &world.vendor);
    let key = add_till(&folder, "bakery");
    let finished = text(
        &full.ask(&key, "POST", INTEGRATION, "").await,
        "integrationToken",
    );
    assert!(world.finish(&finished).await);
    let mut created = 0;
    let refused = loop {
        let answer = full.ask(&key, "POST", INTEGRATION, "").await;
        if answer.status != 200 {
            break answer;
        }
        created += 1;
        assert!(created < 4_000, "it never fills");
    };
    assert_eq!(
        (refused.status, refused.code()),
        (503, "unavailable".into())
    );
    let ready = async || Call::new("GET", "/readyz").send(full.address).await.status;
    // What is smaller than a creation may fit a while longer: until not even the one row of /readyz does.
    until(async || ready().await == 503).await;
    let picked_up = full.ask(&key, "GET", TOKEN, &finished).await;
    assert_eq!(
        (picked_up.status, picked_up.code()),
        (503, "unavailable".into())
    );
    assert_eq!(
        world.rows("token_set").await,
        0,
        "the service was not asked"
    );
    make_room(full.id());
    assert_eq!(ready().await, 200);
    assert_eq!(full.ask(&key, "GET", TOKEN, &finished).await.status, 200);
    assert_eq!(world.rows("token_set").await, 1);
    assert_eq!(full.ask(&key, "POST", INTEGRATION, "").await.status, 200);
}
