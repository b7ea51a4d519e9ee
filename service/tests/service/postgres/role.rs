//! A role that serves and owns nothing: what `docs/database.md` grants it is enough, and it cannot empty the audit.

use crate::folder::Folder;
use crate::on_server::{connect, migrated, named};
use pos_connect_foundation::secret::StorageKey;
use pos_connect_protocol::Mode;
use pos_connect_service::clock::Clock;
use pos_connect_service::store::{Act, SCHEMA};
use pos_connect_service::token::{Hash, Kind};
use pos_connect_service::{Service, Settings};
use std::path::Path;
use std::time::Duration;

/// The statements of the page, for a role of this test's own.
fn grants(role: &str) -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/database.md");
    let page = std::fs::read_to_string(page).unwrap();
    let mut blocks = page
        .split("```")
        .filter_map(|text| text.strip_prefix("text\n"));
    let block = blocks.find(|text| text.contains("CREATE ROLE")).unwrap();
    block.replace("pos_connect_serve", role)
}

#[tokio::test]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn a_role_of_its_own_serves_and_cannot_empty_the_audit() {
    let owner = migrated(&named(), &SCHEMA).await;
    let admin = connect(&owner).await;
    let role = format!("pos_connect_serve_{}", std::process::id());
    admin.batch_execute(&grants(&role)).await.unwrap();
    let (scheme, rest) = owner.split_once("://").unwrap();
    let place = rest.split_once('@').map_or(rest, |(_, place)| place);
    let folder = Folder::with_database(format!("{scheme}://{role}@{place}"));
    std::fs::write(folder.key(), Kind::Storage.mint()).unwrap();
    let settings = Settings {
        storage_key: Some(StorageKey::File(folder.key())),
        ..Settings::default()
    };
    let service = Service::open(&folder.database(), settings, Clock::system()).await;
    let service = service.unwrap();
    let now = service.clock.now();
    let secret = Hash::of(&Kind::ClientSecret.mint());
    let added = service.store.add_vendor(
        "till".into(),
        "Till Co".into(),
        Mode::Live,
        secret,
        Vec::new(),
        Act::operator(now),
    );
    added.await.unwrap();
    assert_eq!(service.purge(Duration::ZERO).await.unwrap(), 0);
    let client = connect(&folder.database()).await;
    for sql in [
        "TRUNCATE pos_connect_service.audit",
        "ALTER TABLE pos_connect_service.audit DISABLE TRIGGER ALL",
        "DROP TABLE pos_connect_service.audit",
        "DELETE FROM pos_connect_service.audit",
    ] {
        assert!(client.batch_execute(sql).await.is_err(), "{sql}");
    }
    // Whoever owns it has to take the guard away first.
    let emptied = admin
        .batch_execute("TRUNCATE pos_connect_service.audit")
        .await;
    let error = emptied.unwrap_err();
    assert!(
        error
            .as_db_error()
            .unwrap()
            .message()
            .contains("the audit is kept")
    );
    drop((service, client));
    let gone = format!("DROP OWNED BY {role}; DROP ROLE {role}");
    admin.batch_execute(&gone).await.unwrap();
}
