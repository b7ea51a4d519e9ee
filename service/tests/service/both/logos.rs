//! The logos of accounts and vendors: set by command, shown on the pages.

use crate::both::connections::sign_in;
use crate::both::receipts::with_ereceipt;
use crate::http::Answer;
use crate::program::{failure, json};
use crate::world::{EMAIL, PASSWORD, World};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nstands for the rest";
const SHOWN: &str = r#"<img src="data:image/png;base64,iVBORw0KGgpzdGFuZHM"#;

async fn receipt(world: &World, access: &str, id: &str) -> Answer {
    let order = with_ereceipt(id, "en");
    assert_eq!(world.send_order(access, &order).await.status, 200);
    world.deliver().await;
    world.open(world.messages().last().unwrap()).await
}

fn logos(page: &Answer) -> usize {
    assert!(
        page.header("content-security-policy")
            .unwrap()
            .contains("img-src data:;")
    );
    page.body.matches(SHOWN).count()
}

#[tokio::test]
async fn an_account_has_a_logo_where_its_name_stands() {
    let (world, access) = World::connected().await;
    let file = world.folder.path().join("logo.png");
    std::fs::write(&file, PNG).unwrap();
    let set = |file: &[&str]| {
        let command = ["account", "set-logo", EMAIL];
        json(&world.folder, &[&command[..], file].concat())
    };
    assert_eq!(logos(&receipt(&world, &access, "1").await), 0);
    assert_eq!(set(&[file.to_str().unwrap()])["logo"], true);
    assert_eq!(logos(&receipt(&world, &access, "2").await), 1);
    assert_eq!(logos(&sign_in(&world, EMAIL, PASSWORD).await), 1);
    let token = world.create().await;
    let page = world.open_connect(&token).await;
    assert_eq!(logos(&page), 0, "nobody knows yet whose account it is");
    let consent = world.sign_in(&page, EMAIL, PASSWORD).await;
    assert_eq!(logos(&consent), 1);
    assert_eq!(set(&[])["logo"], false);
    assert_eq!(logos(&sign_in(&world, EMAIL, PASSWORD).await), 0);
    let audit = json(&world.folder, &["audit", "--event", "account.logo_set"]);
    assert_eq!(audit.as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_vendor_has_one_in_the_place_of_its_initial() {
    let world = World::new().await;
    let file = world.folder.path().join("logo.png");
    std::fs::write(&file, PNG).unwrap();
    let token = world.create().await;
    let page = world.open_connect(&token).await;
    assert!(logos(&page) == 0 && page.body.contains("class=\"initial\""));
    let id = &world.vendor.id;
    let set = json(
        &world.folder,
        &["vendor", "set-logo", id, file.to_str().unwrap()],
    );
    assert_eq!(set["logo"], true);
    let page = world.open_connect(&token).await;
    assert!(logos(&page) == 1 && !page.body.contains("class=\"initial\""));
    let unknown = failure(&world.folder, &["vendor", "set-logo", "nobody"]);
    assert!(unknown.contains("there is no vendor"), "{unknown}");
    std::fs::write(&file, "GIF89a").unwrap();
    let wrong = failure(
        &world.folder,
        &["vendor", "set-logo", id, file.to_str().unwrap()],
    );
    assert!(wrong.contains("neither PNG nor SVG"), "{wrong}");
}
