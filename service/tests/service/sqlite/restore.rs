//! `backup` and `restore`: what is copied while others write comes back, row by row.

use crate::both::orders::{order, post};
use crate::both::receipts::with_ereceipt;
use crate::folder::Folder;
use crate::program::{Program, command, failure, json};
use crate::rows::{expect_same, of_file};
use crate::world::{World, until};
use age::secrecy::ExposeSecret;
use age::x25519::Identity;
use pos_connect_service::Settings;
use pos_connect_service::store::MessageLimits;
use pos_connect_service::token::Kind;
use rusqlite::Connection;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tokio::task::{JoinSet, block_in_place};

/// A key pair of age: the private half in a file, and the public one.
fn key_pair(folder: &Folder, name: &str) -> (PathBuf, String) {
    let identity = Identity::generate();
    let file = folder.path().join(name);
    std::fs::write(
        &file,
        format!(
            "# as age-keygen writes it\n{}\n",
            identity.to_string().expose_secret()
        ),
    )
    .unwrap();
    (file, identity.to_public().to_string())
}

/// A folder with the storage key alone, as on a new machine.
fn machine(of: &Folder) -> Folder {
    let folder = Folder::new();
    std::fs::copy(of.key(), folder.key()).unwrap();
    folder
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Tills that send orders until they are stopped.
struct Load {
    sent: Arc<AtomicUsize>,
    stop: Arc<AtomicBool>,
    tills: JoinSet<()>,
}

impl Load {
    async fn start(world: &Arc<World>) -> Self {
        let access = world.access().await;
        let (sent, stop) = (Arc::<AtomicUsize>::default(), Arc::<AtomicBool>::default());
        let mut tills = JoinSet::new();
        for till in 0..4 {
            let (world, access, sent, stop) =
                (world.clone(), access.clone(), sent.clone(), stop.clone());
            tills.spawn(async move {
                for number in 0.. {
                    if stop.load(Ordering::SeqCst) {
                        return;
                    }
                    let id = format!("{till}-{number}");
                    let body = if number % 2 == 0 {
                        order(&id)
                    } else {
                        with_ereceipt(&id, "en")
                    };
                    let answer = world.send(post(&access, &body)).await;
                    assert!(answer.status < 300, "{}", answer.body);
                    sent.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        Self { sent, stop, tills }
    }

    fn sent(&self) -> usize {
        self.sent.load(Ordering::SeqCst)
    }

    async fn end(mut self) {
        self.stop.store(true, Ordering::SeqCst);
        while let Some(till) = self.tills.join_next().await {
            till.unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn copies_that_are_made_while_tills_send_orders_come_back_whole() {
    let settings = Settings {
        operations_per_second: 100_000,
        message_limits: MessageLimits {
            per_number: 1_000_000,
            per_till: 1_000_000,
            per_store: 1_000_000,
        },
        ..Settings::default()
    };
    let world = Arc::new(World::made(Folder::new(), settings).await);
    let (folder, copies) = (&world.folder, Folder::new());
    let (identity, public) = key_pair(&copies, "identity");
    let load = Load::start(&world).await;
    until(async || load.sent() > 100).await;
    let plain = copies.path().join("plain.db");
    let before = load.sent();
    block_in_place(|| json(folder, &["backup", text(&plain)]));
    let encrypted = block_in_place(|| {
        json(
            folder,
            &["backup", text(copies.path()), "--recipient", &public],
        )
    });
    let encrypted = PathBuf::from(encrypted["file"].as_str().unwrap());
    let after = load.sent() + 4;
    assert!(load.sent() > before, "tills wrote meanwhile");
    until(async || load.sent() > after).await;
    load.end().await;
    let live = of_file(&folder.path().join("test.db"));
    let restored = |copy: &Path, identity: &[&str]| {
        let machine = machine(folder);
        let said =
            block_in_place(|| json(&machine, &[&["restore", text(copy)], identity].concat()));
        let rows = of_file(&machine.path().join("test.db"));
        // The audit has one more than the copy: this one.
        for (table, rows) in rows.iter().filter(|(table, _)| *table != "audit") {
            assert_eq!(said["rows"][table], rows.len(), "{table}");
        }
        (machine, rows)
    };
    let (_, rows) = restored(&plain, &[]);
    expect_same(&of_file(&plain), &rows, "database.restored");
    let identity = ["--identity", text(&identity)];
    let (_, rows) = restored(&encrypted, &identity);
    for table in [
        "store_order",
        "message",
        "receipt",
        "integration",
        "account",
        "vendor",
    ] {
        let rows = &rows[table];
        let is_there = |row: &String| live[table].binary_search(row).is_ok();
        assert!(!rows.is_empty() && rows.iter().all(is_there), "{table}");
    }
    assert!((before..=after).contains(&rows["store_order"].len()));
    // Nobody writes now: all of it is the same, and a service goes on with it.
    let last = block_in_place(|| {
        json(
            folder,
            &[
                "backup",
                text(&copies.path().join("last.age")),
                "--recipient",
                &public,
            ],
        )
    });
    let (machine, rows) = restored(Path::new(last["file"].as_str().unwrap()), &identity);
    let mut live = of_file(&folder.path().join("test.db"));
    // The copy was made before the audit told of it.
    let told = live.get_mut("audit").unwrap();
    let last = told
        .iter()
        .rposition(|row| row.contains("database.copied"))
        .unwrap();
    told.remove(last);
    expect_same(&live, &rows, "database.restored");
    let service = Program::serve(&machine, &[], None);
    drop(service);
}

#[test]
fn nothing_takes_the_place_of_a_database_unless_all_is_right() {
    let folder = Folder::prepared();
    json(&folder, &["vendor", "add", "--name", "Old Till Co"]);
    let elsewhere = Folder::new();
    let copy = |name: &str| {
        let file = elsewhere.path().join(name);
        json(&folder, &["backup", text(&file)]);
        file
    };
    let good = copy("good.db");
    let (identity, public) = key_pair(&elsewhere, "identity");
    let (other_identity, _) = key_pair(&elsewhere, "other");
    let encrypted = elsewhere.path().join("good.age");
    json(
        &folder,
        &["backup", text(&encrypted), "--recipient", &public],
    );
    let (newer, strange, torn) = (copy("newer.db"), copy("strange.db"), copy("torn.db"));
    Connection::open(&newer)
        .unwrap()
        .pragma_update(None, "user_version", 99)
        .unwrap();
    Connection::open(&strange)
        .unwrap()
        .pragma_update(None, "application_id", 7)
        .unwrap();
    let bytes = std::fs::read(&torn).unwrap();
    std::fs::write(&torn, &bytes[..bytes.len() - 4096 * 3]).unwrap();
    let empty = elsewhere.path().join("empty.db");
    std::fs::write(&empty, "").unwrap();
    let cut = elsewhere.path().join("cut.age");
    let bytes = std::fs::read(&encrypted).unwrap();
    std::fs::write(&cut, &bytes[..bytes.len() - 100]).unwrap();
    let new = machine(&folder);
    let wrong_key = machine(&folder);
    std::fs::write(wrong_key.key(), Kind::Storage.mint()).unwrap();
    let no_key = Folder::new();
    let identity = ["--identity", text(&identity)];
    for (machine, file, options, words) in [
        (
            &new,
            &elsewhere.path().join("missing"),
            &[][..],
            "cannot read",
        ),
        (&new, &encrypted, &[], "it is encrypted; name the file"),
        (
            &new,
            &encrypted,
            &["--identity", text(&other_identity)],
            "o matching key",
        ),
        (&new, &cut, &identity, "cannot read"),
        (&new, &newer, &[], "used by a newer pos-connect-service"),
        (&new, &strange, &[], "belongs to another program"),
        (&new, &torn, &[], ""),
        (&new, &empty, &[], "it is empty"),
        (&no_key, &empty, &[], "it is empty"),
        (
            &new,
            &elsewhere.path().join("identity"),
            &[],
            "not a database",
        ),
        (&wrong_key, &good, &[], "another storage key"),
        (&no_key, &good, &[], "the database needs the key"),
        (&folder, &good, &[], "`--replace` moves it aside"),
    ] {
        let error = failure(machine, &[&["restore", text(file)], options].concat());
        assert!(error.contains(words), "{}: {error}", file.display());
        let left = machine
            .path()
            .read_dir()
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let left: Vec<_> = left
            .filter(|name| name.contains("restore") || name.ends_with("-wal"))
            .collect();
        assert_eq!(left, [""; 0]);
        assert_eq!(
            machine.path().join("test.db").exists(),
            machine.path() == folder.path()
        );
    }
    let running = Program::serve(&folder, &[], None);
    let error = failure(&folder, &["restore", text(&good), "--replace"]);
    assert!(error.contains("another program serves"), "{error}");
    drop(running);
    json(&folder, &["vendor", "add", "--name", "New Till Co"]);
    let said = json(
        &folder,
        &[
            "restore",
            text(&encrypted),
            "--replace",
            identity[0],
            identity[1],
        ],
    );
    let names = |folder: &Folder| {
        let vendors = json(folder, &["vendor", "list"]);
        vendors
            .as_array()
            .unwrap()
            .iter()
            .map(|vendor| vendor["name"].clone())
            .collect::<Vec<Value>>()
    };
    assert_eq!(names(&folder), ["Old Till Co"]);
    let before = Path::new(said["before"].as_str().unwrap());
    let both: i64 = Connection::open(before)
        .unwrap()
        .query_row("SELECT count(*) FROM vendor", [], |row| row.get(0))
        .unwrap();
    assert_eq!(both, 2, "the one of before is there");
}

#[test]
fn a_folder_keeps_as_many_copies_as_are_wanted() {
    let (folder, copies) = (Folder::prepared(), Folder::new());
    let (_, public) = key_pair(&folder, "identity");
    let names = [
        "test-2026-01-01T000000Z.db",
        "test-2026-01-02T000000Z.db.age",
        "of-somebody-else.db",
    ];
    for name in names {
        std::fs::write(copies.path().join(name), "").unwrap();
    }
    let mut backup = command(&folder, &["backup", text(copies.path()), "--keep", "2"]);
    let output = backup
        .env("POS_CONNECT_BACKUP_RECIPIENT", public)
        .output()
        .unwrap();
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(said["erased"], 1);
    let made = Path::new(said["file"].as_str().unwrap());
    assert!(
        std::fs::read(made)
            .unwrap()
            .starts_with(b"age-encryption.org/v1\n")
    );
    let is_there = |name: &str| copies.path().join(name).exists();
    assert_eq!(names.map(is_there), [false, true, true]);
    assert!(!folder.path().join("test.db.backup-unfinished").exists());
    let error = failure(
        &folder,
        &["backup", text(&copies.path().join("x.db")), "--keep", "2"],
    );
    assert!(error.contains("--keep needs a folder"), "{error}");
    let error = failure(
        &folder,
        &["backup", text(copies.path()), "--recipient", "age1hunter2"],
    );
    assert!(error.contains("58 more characters"), "{error}");
}
