//! `migrate --to`: a SQLite database that moves to a server, row by row.

use crate::both::orders::{keyed, order, post};
use crate::both::receipts::with_ereceipt;
use crate::folder::Folder;
use crate::http::Call;
use crate::on_server::{fresh, named};
use crate::program::{Program, failure, json};
use crate::rows::{expect_same, of_file, of_server};
use crate::world::World;
use std::time::Duration;

/// A service with rows in every table.
async fn busy() -> (World, String) {
    let world = World::on_sqlite().await;
    let folder = &world.folder;
    let id = &world.vendor.id;
    json(folder, &["webhook", "set", id, "http://127.0.0.1:1/hook"]);
    json(folder, &["sealing-key", "rotate"]);
    let (_, _, pair) = world.picked_up().await;
    world.pass(Duration::from_secs(1));
    let access = crate::tokens::Pair::of(&world.refresh(&pair.refresh).await).access;
    for number in 0..700 {
        let answer = world
            .send(post(&access, &order(&format!("1-{number}"))))
            .await;
        assert!(answer.status < 300, "{}", answer.body);
    }
    for number in 0..10 {
        let body = with_ereceipt(&format!("2-{number}"), "he");
        let answer = world
            .send(keyed(&access, &format!("k-{number}"), &body))
            .await;
        assert!(answer.status < 300, "{}", answer.body);
    }
    let token = world.create().await;
    let page = world.open_connect(&token).await;
    world
        .sign_in(&page, crate::world::EMAIL, crate::world::PASSWORD)
        .await;
    world.turn_on_second_factor().await;
    // What other calls would leave.
    for rows in [
        "INSERT INTO admin_key SELECT 1, 'k', randomblob(32), 'Back office', 'read', 7, NULL",
        "INSERT INTO customer (hash, vendor_id, store_id, sealed, updated_at)
         SELECT hash, vendor_id, store_id, zeroblob(2000), 7 FROM store_order",
        "INSERT INTO familiar_address SELECT id, randomblob(32), 7 FROM account",
        "INSERT INTO number_seal SELECT randomblob(32), id FROM store_order",
        "INSERT INTO passkey SELECT NULL, id, randomblob(32), randomblob(99), 7, 7 FROM account",
        "INSERT INTO passkey_challenge SELECT NULL, id, randomblob(32), randomblob(99), 7 FROM account",
        "INSERT INTO provider_login SELECT randomblob(32), randomblob(32), NULL, 'https://login.example', 7",
        "INSERT INTO recovery_code SELECT randomblob(32), id FROM account",
        "INSERT INTO second_step SELECT randomblob(32), NULL, id, 7 FROM account",
        "INSERT INTO stored_bytes SELECT vendor_id, store_id, sum(length(sealed)), 7, 7 FROM store_order GROUP BY 1, 2",
    ] {
        world.change(rows, vec![]).await;
    }
    (world, access)
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn every_row_is_the_same_on_the_server_and_the_service_goes_on() {
    let (world, access) = busy().await;
    let folder = world.folder.clone();
    let url = fresh(&named()).await;
    let to = ["migrate", "--to", &*url];
    world.age_keys().await;
    world.leave().await;
    // One of its own: what runs purges, and the rows below are of long ago.
    let served = Folder::prepared();
    let running = Program::serve(&served, &[], None);
    assert!(failure(&served, &to).contains("another program serves"));
    drop(running);
    folder.add_key();
    json(&folder, &["rotate-key"]);
    let file = folder.path().join("test.db");
    let said = json(&folder, &to);
    let before = of_file(&file);
    let empty: Vec<_> = before
        .iter()
        .filter(|(_, rows)| rows.is_empty())
        .map(|(table, _)| table)
        .collect();
    assert_eq!(empty, [""; 0]);
    for (table, rows) in &before {
        assert_eq!(said["rows"][table], rows.len(), "{table}");
    }
    let after = of_server(&url, &file).await;
    expect_same(&before, &after, "database.moved");
    // It is in use now.
    assert!(failure(&folder, &to).contains("the target is in use"));
    assert_eq!(of_server(&url, &file).await, after);
    let moved = Folder::with_database(url);
    std::fs::copy(folder.key(), moved.key()).unwrap();
    let service = Program::serve(&moved, &[], None);
    let address = service.address("baseUrl");
    // The order is known there, and a new one gets a row number of its own.
    let known =
        Call::new("GET", "/v1/orders/1-0").header("Authorization", format!("Bearer {access}"));
    assert_eq!(known.send(address).await.status, 200);
    let answer = post(&access, &order("3-1")).send(address).await;
    assert!(answer.status < 300, "{}", answer.body);
}

#[test]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
fn only_a_file_moves_and_only_to_a_server() {
    let folder = Folder::prepared();
    let error = failure(&folder, &["migrate", "--to", "sqlite://other.db"]);
    assert!(error.contains("postgres://"), "{error}");
    let error = failure(
        &folder,
        &["migrate", "--to", "postgres://u:hunter2@127.0.0.1/x"],
    );
    assert!(
        error.contains("POS_CONNECT_SERVICE_MIGRATE_TO") && !error.contains("hunter2"),
        "{error}"
    );
    let on_server = Folder::with_database("postgres://u@127.0.0.1:1/x".into());
    for words in [
        &["migrate", "--to", "postgres://u@127.0.0.1:1/y"][..],
        &["restore", "x"],
        &["backup", "x"],
    ] {
        let error = failure(&on_server, words);
        assert!(
            error.contains("moves a SQLite database")
                || error.contains("--schema=pos_connect_service"),
            "{error}"
        );
    }
}
