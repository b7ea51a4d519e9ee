//! A folder of a test's own, with a database in it or elsewhere.

use crate::on_server::{migrated, server};
use pos_connect_foundation::token::Kind;
use pos_connect_service::store::SCHEMA;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder that goes away with its owner, and the URL of a database: of a file in it, unless it is on a server.
pub struct Folder {
    path: PathBuf,
    database: String,
}

impl Folder {
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("pos-connect-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        let database = format!("sqlite://{}", path.join("test.db").display());
        Self { path, database }
    }

    /// With a database elsewhere.
    pub fn with_database(database: String) -> Self {
        let mut folder = Self::new();
        folder.database = database;
        folder
    }

    /// On the server that the tests are to run on, if there is one.
    pub async fn tested() -> Self {
        let mut folder = Self::new();
        if let Some(server) = server() {
            folder.database = migrated(&server, &SCHEMA).await;
        }
        folder
    }

    /// The same with a database in it.
    pub fn prepared() -> Self {
        let folder = Self::new();
        crate::program::json(&folder, &["migrate"]);
        folder
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn database(&self) -> String {
        self.database.clone()
    }

    /// Where the storage key is: beside the file, or just in the folder.
    pub fn key(&self) -> PathBuf {
        self.path.join("test.db.key")
    }

    /// The storage keys that are there, one in a line.
    pub fn read_keys(&self) -> String {
        let keys = std::fs::read_to_string(self.key()).unwrap();
        keys.trim_end().to_owned()
    }

    pub fn write_keys(&self, keys: &[&str]) {
        std::fs::write(self.key(), keys.join("\n")).unwrap();
    }

    /// Puts a new storage key before those that are there.
    pub fn add_key(&self) {
        self.write_keys(&[&Kind::Storage.mint(), &self.read_keys()]);
    }

    pub fn is_on_a_server(&self) -> bool {
        self.database.starts_with("postgres")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}
