//! What a refused sign-in asks of the database, counted on the way there: it must not tell whether there is an account.

use crate::folder::Folder;
use crate::http::{Call, query};
use crate::on_server::{fresh, named};
use crate::world::{EMAIL, World};
use pos_connect_foundation::values;
use pos_connect_service::Settings;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The server's answers are counted as they pass: a round trip each.
async fn counting(server: SocketAddr, count: Arc<AtomicUsize>) -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let (mut there, count) = (TcpStream::connect(server).await.unwrap(), count.clone());
            tokio::spawn(async move {
                let (mut from_client, mut to_client) = client.split();
                let (mut from_server, mut to_server) = there.split();
                let asks = tokio::io::copy(&mut from_client, &mut to_server);
                let answers = async {
                    let mut bytes = vec![0; 1 << 16];
                    while let Ok(length @ 1..) = from_server.read(&mut bytes).await {
                        count.fetch_add(1, Ordering::SeqCst);
                        to_client.write_all(&bytes[..length]).await?;
                    }
                    Ok::<_, std::io::Error>(())
                };
                let _ = tokio::join!(asks, answers);
            });
        }
    });
    address
}

/// A world whose database is behind a counter of round trips.
async fn counted() -> (World, Arc<AtomicUsize>) {
    let server = fresh(&named()).await;
    let count = Arc::new(AtomicUsize::new(0));
    let authority = server.split('@').nth(1).unwrap();
    let host = authority.split('/').next().unwrap();
    let proxy = counting(host.parse().unwrap(), count.clone()).await;
    let database = server.replace(host, &proxy.to_string());
    let settings = Settings {
        trusted_proxies: vec!["127.0.0.1/32".parse().unwrap()],
        ..Settings::default()
    };
    let world = World::made(Folder::with_database(database), settings).await;
    (world, count)
}

/// Status and round trips of a guess.
async fn guess(
    (world, count): &(World, Arc<AtomicUsize>),
    address: &str,
    email: &str,
) -> (u16, usize) {
    let before = count.load(Ordering::SeqCst);
    let pairs = [
        ("action", "sign-in"),
        ("email", email),
        ("password", "wrong"),
    ];
    let call = Call::new("POST", "/connections")
        .header("Content-Type", "application/x-www-form-urlencoded")
        .header("X-Forwarded-For", address)
        .body(query(&pairs));
    let status = world.send(call).await.status;
    (status, count.load(Ordering::SeqCst) - before)
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn a_refused_guess_asks_the_same_of_the_database_for_an_account_that_is_not_there() {
    let counted = counted().await;
    let guess = async |email: &str| guess(&counted, "203.0.113.9", email).await;
    // Until the address is refused whatever the email is, and the statements are prepared.
    let mut number = 0;
    while guess(&format!("{number}@bakery.example")).await.0 == 200 {
        number += 1;
    }
    for email in [EMAIL, "nobody@bakery.example"].repeat(5) {
        guess(email).await;
    }
    let known = guess(EMAIL).await;
    let unknown = guess("nobody@bakery.example").await;
    assert_eq!(known.0, 429);
    assert_eq!(known, unknown);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: cargo xtask test --only postgres"]
async fn a_failed_guess_asks_the_same_of_the_database_for_an_account_that_is_not_there() {
    let counted = counted().await;
    // With room in the audit for guesses of nobody's account, and without.
    for full in [false, true] {
        if full {
            let spent = "UPDATE budget SET full_at = 9000000000000000";
            assert_eq!(counted.0.change(spent, values![]).await, 1);
        }
        let mut fewest = [usize::MAX; 2];
        // A connection that is new, or a statement that is not prepared, takes more.
        for number in 0..5 {
            let emails = [EMAIL.into(), format!("{full}{number}@bakery.example")];
            for (email, fewest) in emails.iter().zip(&mut fewest) {
                let address = format!("203.0.113.{}", number + 10 * u8::from(full));
                let (status, trips) = guess(&counted, &address, email).await;
                assert_eq!(status, 200);
                *fewest = trips.min(*fewest);
            }
        }
        assert_eq!(fewest[0], fewest[1], "{full}");
    }
}
