//! Slow clients: they hold up nobody, and are not held for ever. What a stop means for who is connected.

use axum::Router;
use axum::extract::{Request, State};
use axum::routing::{get, post};
use pos_connect_foundation::answer::Call;
use pos_connect_foundation::refusal::Refusal;
use pos_connect_foundation::server::{Limits, Server};
use pos_connect_protocol::ProblemCode;
use std::future::pending;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

const PLACES: usize = 4;
const QUICK: &[u8] = b"GET /quick HTTP/1.1\r\nHost: x\r\n\r\n";
const HEAD_ONLY: &[u8] = b"GET /quick HTTP/1.1\r\nHost: x\r\n";
const HALF_A_BODY: &[u8] = b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\nhalf";
const HELD: &[u8] = b"POST /held HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody";
const LONG: &[u8] = b"GET /long HTTP/1.1\r\nHost: x\r\n\r\n";

/// For what never comes.
const LIMIT: Duration = Duration::from_secs(60);
const SOON: Duration = Duration::from_millis(20);

/// A server with few places, which stops when this is dropped.
struct Held {
    address: SocketAddr,
    release: Arc<Notify>,
    stop: watch::Sender<bool>,
    running: JoinHandle<()>,
}

async fn start() -> Held {
    start_with(Limits::default().last_call, 20 * LIMIT).await
}

async fn start_with(last_call: Duration, drain: Duration) -> Held {
    let release = Arc::new(Notify::new());
    let held = async |State(release): State<Arc<Notify>>, body: String| {
        release.notified().await;
        body
    };
    let router = Router::new()
        .route("/quick", get(async || "quick"))
        .route("/echo", post(async |body: String| body))
        .route("/long", get(async || "x".repeat(1 << 20)))
        .route("/held", post(held))
        .with_state(release.clone());
    let server = Server::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
    let address = server.address();
    let server = server.limited(Limits {
        connections: PLACES,
        write: Duration::from_millis(300),
        last_call,
        drain,
        ..Limits::default()
    });
    let (stop, stopped) = watch::channel(false);
    let running = tokio::spawn(server.run(router, stopped));
    Held {
        address,
        release,
        stop,
        running,
    }
}

/// Longer than the grace that everybody has.
const A_WHILE: Duration = Duration::from_millis(300);

async fn sent(address: SocketAddr, bytes: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    // So that the next one comes later.
    tokio::time::sleep(Duration::from_millis(50)).await;
    stream
}

/// What the server sends: nothing for long, an end, or an answer.
#[derive(Debug, Eq, PartialEq)]
enum Seen {
    Nothing,
    End,
    Answer(String),
}

async fn seen(stream: &mut TcpStream) -> Seen {
    seen_within(stream, LIMIT).await
}

/// Whether the server says nothing for half a second.
async fn is_silent(stream: &mut TcpStream) -> bool {
    seen_within(stream, Duration::from_millis(500)).await == Seen::Nothing
}

async fn seen_within(stream: &mut TcpStream, time: Duration) -> Seen {
    let mut bytes = vec![0; 1024];
    let read = tokio::time::timeout(time, stream.read(&mut bytes));
    match read.await {
        Err(_) => Seen::Nothing,
        Ok(Ok(0) | Err(_)) => Seen::End,
        Ok(Ok(length)) => {
            let text = String::from_utf8_lossy(&bytes[..length]).into_owned();
            Seen::Answer(text.lines().last().unwrap_or_default().to_owned())
        }
    }
}

fn answer(text: &str) -> Seen {
    Seen::Answer(text.into())
}

#[tokio::test]
async fn the_slowest_gives_way() {
    let server = start().await;
    for slow in [HEAD_ONLY, HALF_A_BODY, b"".as_slice()] {
        let mut oldest = sent(server.address, slow).await;
        let mut younger = Vec::new();
        for _ in 1..PLACES {
            younger.push(sent(server.address, slow).await);
        }
        tokio::time::sleep(A_WHILE).await;
        let mut new = sent(server.address, QUICK).await;
        assert_eq!(seen(&mut new).await, answer("quick"));
        assert_eq!(seen(&mut oldest).await, Seen::End);
        for stream in &mut younger {
            assert!(is_silent(stream).await);
        }
    }
}

#[tokio::test]
async fn an_answer_makes_a_client_young_again() {
    let server = start().await;
    let mut first = sent(server.address, QUICK).await;
    let mut slow = Vec::new();
    for _ in 1..PLACES {
        slow.push(sent(server.address, HEAD_ONLY).await);
    }
    assert_eq!(seen(&mut first).await, answer("quick"));
    first.write_all(QUICK).await.unwrap();
    assert_eq!(seen(&mut first).await, answer("quick"));
    tokio::time::sleep(A_WHILE).await;
    let mut new = sent(server.address, QUICK).await;
    assert_eq!(seen(&mut new).await, answer("quick"));
    assert_eq!(seen(&mut slow[0]).await, Seen::End);
    first.write_all(QUICK).await.unwrap();
    assert_eq!(seen(&mut first).await, answer("quick"));
}

#[tokio::test]
async fn whoever_waits_for_an_answer_keeps_the_place() {
    let server = start().await;
    let mut waiting = Vec::new();
    for _ in 0..PLACES {
        waiting.push(sent(server.address, HELD).await);
    }
    let mut new = sent(server.address, QUICK).await;
    assert!(is_silent(&mut new).await, "it waits its turn");
    server.release.notify_waiters();
    for stream in &mut waiting {
        assert_eq!(seen(stream).await, answer("body"));
    }
    assert_eq!(seen(&mut new).await, answer("quick"));
}

#[tokio::test]
async fn a_client_that_takes_no_answer_is_not_waited_for() {
    let server = start().await;
    let mut deaf = TcpStream::connect(server.address).await.unwrap();
    // More than the system's buffers hold.
    let asked = async {
        for _ in 0..64 {
            deaf.write_all(LONG).await?;
        }
        Ok::<_, std::io::Error>(())
    };
    let _ = asked.await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let mut taken = 0;
    let mut bytes = vec![0; 1 << 16];
    let read_all = async {
        while let Ok(length @ 1..) = deaf.read(&mut bytes).await {
            taken += length;
        }
    };
    let over = tokio::time::timeout(LIMIT, read_all).await;
    assert!(over.is_ok(), "the connection has ended");
    assert!(taken < 64 << 20, "{taken}");
}

#[tokio::test]
async fn nobody_gives_way_at_once() {
    let server = start().await;
    let mut all = Vec::new();
    for _ in 0..PLACES {
        all.push(sent(server.address, QUICK).await);
    }
    let mut new = sent(server.address, QUICK).await;
    for stream in &mut all {
        assert_eq!(seen(stream).await, answer("quick"));
    }
    assert_eq!(seen(&mut new).await, answer("quick"));
}

impl Held {
    /// Until nobody new is let in.
    async fn stops(&self) {
        self.stop.send(true).unwrap();
        while TcpStream::connect(self.address).await.is_ok() {
            tokio::task::yield_now().await;
        }
    }
}

/// All that the server sends until it ends the connection.
async fn last_words(stream: &mut TcpStream) -> String {
    let mut text = String::new();
    let read = tokio::time::timeout(LIMIT, stream.read_to_string(&mut text));
    read.await.expect("an end").unwrap();
    text
}

#[tokio::test]
async fn whoever_is_connected_may_call_once_more_while_it_stops() {
    let server = start_with(10 * LIMIT, 20 * LIMIT).await;
    let unused = TcpStream::connect(server.address).await.unwrap();
    let mut begun = sent(server.address, HEAD_ONLY).await;
    let mut held = sent(server.address, HELD).await;
    // Who comes later has an answer: the others are let in.
    let mut used = sent(server.address, QUICK).await;
    assert_eq!(seen(&mut used).await, answer("quick"));
    server.stops().await;
    begun.write_all(b"\r\n").await.unwrap();
    assert!(last_words(&mut begun).await.ends_with("quick"));
    for mut stream in [unused, used] {
        stream.write_all(QUICK).await.unwrap();
        let last = last_words(&mut stream).await;
        assert!(last.contains("connection: close"), "{last}");
        assert!(last.ends_with("quick"), "{last}");
    }
    server.release.notify_one();
    assert!(last_words(&mut held).await.ends_with("body"));
    let over = tokio::time::timeout(LIMIT, server.running).await;
    over.expect("nobody is left to wait for").unwrap();
}

#[tokio::test]
async fn nobody_is_waited_for_who_says_nothing() {
    let server = start_with(SOON, 20 * LIMIT).await;
    let mut silent = TcpStream::connect(server.address).await.unwrap();
    let mut used = sent(server.address, QUICK).await;
    assert_eq!(seen(&mut used).await, answer("quick"));
    server.stops().await;
    for stream in [&mut silent, &mut used] {
        assert_eq!(last_words(stream).await, "");
    }
    server.running.await.unwrap();
}

#[tokio::test]
async fn a_stop_waits_longer_for_the_server_than_for_a_client() {
    let server = start_with(SOON, 20 * LIMIT).await;
    let mut held = sent(server.address, HELD).await;
    let mut half_a_head = sent(server.address, HEAD_ONLY).await;
    let mut half_a_body = sent(server.address, HALF_A_BODY).await;
    server.stops().await;
    for stream in [&mut half_a_head, &mut half_a_body] {
        assert_eq!(last_words(stream).await, "");
    }
    server.release.notify_one();
    assert!(last_words(&mut held).await.ends_with("body"));
    let over = tokio::time::timeout(LIMIT, server.running).await;
    over.expect("nobody is left to wait for").unwrap();
}

#[tokio::test]
async fn the_last_calls_are_a_part_of_the_drain() {
    let server = start_with(10 * LIMIT, SOON).await;
    let _held = sent(server.address, HELD).await;
    server.stop.send(true).unwrap();
    let over = tokio::time::timeout(LIMIT, server.running).await;
    over.expect("a stop has an end").unwrap();
}

#[tokio::test]
async fn calls_that_wait_in_the_socket_at_a_stop_are_answered() {
    let server = Server::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
    let mut callers = Vec::new();
    for _ in 0..3 * PLACES {
        callers.push(sent(server.address(), QUICK).await);
    }
    let (_stop, stopped) = watch::channel(true);
    let router = Router::new().route("/quick", get(async || "quick"));
    tokio::spawn(server.run(router, stopped));
    for caller in &mut callers {
        assert_eq!(seen(caller).await, answer("quick"));
    }
}

#[tokio::test]
async fn a_call_that_is_not_over_at_the_end_of_a_stop_is_refused() {
    let (entered, stop) = (Arc::new(Notify::new()), watch::Sender::new(false));
    let hangs = async |State(entered): State<Arc<Notify>>, request: Request| {
        entered.notify_one();
        let call = Call::at("/hangs", &request);
        call.answer(pending(), false, Refusal::<ProblemCode>::problem)
            .await
    };
    let router = Router::new()
        .route("/hangs", get(hangs))
        .with_state(entered.clone());
    let server = Server::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
    let address = server.address();
    let server = server.limited(Limits {
        drain: LIMIT,
        refusals: LIMIT - SOON,
        ..Limits::default()
    });
    let running = tokio::spawn(server.run(router, stop.subscribe()));
    let mut caller = sent(address, b"GET /hangs HTTP/1.1\r\nHost: x\r\n\r\n").await;
    entered.notified().await;
    assert!(is_silent(&mut caller).await);
    stop.send(true).unwrap();
    let answer = last_words(&mut caller).await;
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    assert!(answer.contains("retry-after: 1\r\n"), "{answer}");
    running.await.unwrap();
}
