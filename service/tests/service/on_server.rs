//! Databases on the PostgreSQL server that `POS_TEST_POSTGRES` names.

use pos_connect_foundation::database::{Database, Schema};
use pos_connect_foundation::sqlite::Opening;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio_postgres::{Client, NoTls};

pub fn server() -> Option<String> {
    std::env::var("POS_TEST_POSTGRES").ok()
}

/// For the tests that run nowhere else.
pub fn named() -> String {
    server().expect("POS_TEST_POSTGRES names no server")
}

pub async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// A new, empty database on the server; gives its URL.
pub async fn fresh(server: &str) -> String {
    create(server, "template1").await
}

/// A new database with the tables of a program; gives its URL.
pub async fn migrated(server: &str, schema: &Schema) -> String {
    create(server, &template(server, schema).await).await
}

async fn create(server: &str, template: &str) -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("pos_connect_{}_{number}", std::process::id());
    let create = format!("CREATE DATABASE {name} TEMPLATE {template}");
    connect(server).await.batch_execute(&create).await.unwrap();
    url(server, &name)
}

/// The database that those with tables are copies of: migrated once on a server, and named after its migrations.
async fn template(server: &str, schema: &Schema) -> String {
    let mut content = DefaultHasher::new();
    schema.postgres.migrations.hash(&mut content);
    let name = format!("{}_{:016x}", schema.postgres.name, content.finish());
    let client = connect(server).await;
    // Until the connection ends.
    let lock = format!("SELECT pg_advisory_lock({})", schema.postgres.lock);
    client.batch_execute(&lock).await.unwrap();
    let done = "SELECT 1 FROM pg_database WHERE datname = $1 AND datistemplate";
    if client.query_opt(done, &[&name]).await.unwrap().is_none() {
        let run = async |sql: String| client.batch_execute(&sql).await.unwrap();
        // Whoever made it before may have been killed.
        run(format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await;
        run(format!("CREATE DATABASE {name}")).await;
        let database = Database::open(&url(server, &name), schema, Opening::Prepare).await;
        drop(database.unwrap());
        run(format!("ALTER DATABASE {name} IS_TEMPLATE true")).await;
    }
    name
}

/// The URL of another database on the server.
fn url(server: &str, name: &str) -> String {
    let (before, query) = server.split_once('?').unwrap_or((server, ""));
    let host = before.rfind('/').unwrap();
    format!("{}/{name}?{query}", &before[..host])
}

/// What a failover leaves of a server that breaks no connection: each session that begins now takes no writes, also
/// once others do again.
pub async fn fail_over(url: &str) {
    read_only(url, "SET default_transaction_read_only = on").await;
    let admin = connect(url).await;
    let kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_start <
           (SELECT backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid())";
    while admin.execute(kill, &[]).await.unwrap() > 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Sessions that begin now take writes.
pub async fn end_failover(url: &str) {
    read_only(url, "RESET default_transaction_read_only").await;
}

async fn read_only(url: &str, change: &str) {
    let admin = connect(url).await;
    let named = admin.query_one("SELECT current_database()", &[]).await;
    let name: String = named.unwrap().get(0);
    let change = format!("SET transaction_read_only = off; ALTER DATABASE {name} {change}");
    admin.batch_execute(&change).await.unwrap();
}
