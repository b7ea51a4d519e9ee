//! A pooler before PostgreSQL that gives each transaction whichever session is free, as PgBouncer's `pool_mode =
//! transaction` does: simple queries only, which is all that is asked before it is noticed.

use crate::folder::Folder;
use crate::on_server::{connect, fresh, named};

use pos_connect_foundation::secret::StorageKey;
use pos_connect_service::clock::Clock;
use pos_connect_service::{Service, Settings};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// "R" 0: authenticated. "Z" I: ready, and in no transaction.
const WELCOME: &[u8] = b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I";

#[derive(Clone)]
struct Pooler {
    server: SocketAddr,
    database: String,
    free: Arc<Mutex<Vec<TcpStream>>>,
}

impl Pooler {
    async fn start(server: SocketAddr, database: &str) -> SocketAddr {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let pooler = Self {
            server,
            database: database.to_owned(),
            free: Arc::default(),
        };
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let pooler = pooler.clone();
                // It ends when the client or the server goes away.
                tokio::spawn(async move { pooler.serve(client).await });
            }
        });
        address
    }

    async fn serve(self, mut client: TcpStream) -> std::io::Result<()> {
        let length = client.read_u32().await?;
        let mut startup = vec![0; length as usize - 4];
        client.read_exact(&mut startup).await?;
        client.write_all(WELCOME).await?;
        let mut session = None;
        loop {
            let query = message(&mut client).await?;
            if query[0] == b'X' {
                return Ok(());
            }
            let mut server = match session.take() {
                Some(held) => held,
                None => self.session().await?,
            };
            server.write_all(&query).await?;
            let status = loop {
                let answer = message(&mut server).await?;
                client.write_all(&answer).await?;
                if answer[0] == b'Z' {
                    break answer[5];
                }
            };
            match status {
                b'I' => self.free.lock().unwrap().push(server),
                _ => session = Some(server),
            }
        }
    }

    /// The session that was used last and is free, or a new one.
    async fn session(&self) -> std::io::Result<TcpStream> {
        let free = self.free.lock().unwrap().pop();
        if let Some(free) = free {
            return Ok(free);
        }
        let mut server = TcpStream::connect(self.server).await?;
        let named = format!("user\0postgres\0database\0{}\0\0", self.database);
        server.write_u32(8 + named.len() as u32).await?;
        // Protocol 3.0.
        server.write_u32(196_608).await?;
        server.write_all(named.as_bytes()).await?;
        while message(&mut server).await?[0] != b'Z' {}
        Ok(server)
    }
}

/// A message with its type and length.
async fn message(stream: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let mut message = vec![0; 5];
    stream.read_exact(&mut message).await?;
    let length = u32::from_be_bytes(message[1..].try_into().unwrap()) as usize;
    message.resize(1 + length, 0);
    stream.read_exact(&mut message[5..]).await?;
    Ok(message)
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn a_pooler_whose_clients_share_sessions_is_refused() {
    let url = fresh(&named()).await;
    let (host, name) = url.split_once("://").unwrap().1.rsplit_once('/').unwrap();
    let name = name.split('?').next().unwrap();
    let host = host.rsplit('@').next().unwrap().parse().unwrap();
    let pooler = Pooler::start(host, name).await;
    let pooled = format!("postgres://postgres@{pooler}/{name}?sslmode=disable");
    let client = connect(&pooled).await;
    client.batch_execute("SELECT 1").await.unwrap();
    let folder = Folder::new();
    let settings = Settings {
        storage_key: Some(StorageKey::File(folder.key())),
        ..Settings::default()
    };
    let opened = Service::open(&pooled, settings, Clock::system()).await;
    let error = opened.err().unwrap().to_string();
    assert!(error.contains("pool_mode = session"), "{error}");
}
