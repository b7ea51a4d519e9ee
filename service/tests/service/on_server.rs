//! Databases on the PostgreSQL server that `POS_TEST_POSTGRES` names.

use std::sync::atomic::{AtomicU32, Ordering};
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
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("pos_connect_{}_{number}", std::process::id());
    let client = connect(server).await;
    let create = format!("CREATE DATABASE {name}");
    client.batch_execute(&create).await.unwrap();
    let (before, query) = server.split_once('?').unwrap_or((server, ""));
    let host = before.rfind('/').unwrap();
    format!("{}/{name}?{query}", &before[..host])
}
