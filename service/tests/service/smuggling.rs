//! Bytes that two programs may read in two ways: one request for one of them, two for the other. Each is refused before
//! anything looks at it, or is the last one of its connection.

use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// What would come behind.
const SECOND: &str = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
const CHUNKED: &str = "Transfer-Encoding: chunked\r\n";

/// No HTTP: 400 without a body, and the connection ends.
const REFUSED: [(&str, &str, &str); 15] = [
    (
        "two lengths",
        "Content-Length: 5\r\nContent-Length: 0\r\n",
        "",
    ),
    ("a list of lengths", "Content-Length: 5, 0\r\n", ""),
    ("a length with a sign", "Content-Length: +5\r\n", "12345"),
    ("a length below nothing", "Content-Length: -1\r\n", ""),
    (
        "a length that is too long",
        "Content-Length: 99999999999999999999\r\n",
        "",
    ),
    (
        "a length in hexadecimal",
        "Content-Length: 0x5\r\n",
        "12345",
    ),
    (
        "an encoding that does not end in chunks",
        "Transfer-Encoding: chunked, identity\r\n",
        "",
    ),
    (
        "an encoding that is unknown",
        "Transfer-Encoding: xchunked\r\n",
        "0\r\n\r\n",
    ),
    (
        "two encodings",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
        "",
    ),
    ("a folded header", "X-A: b\r\n Content-Length: 5\r\n", ""),
    (
        "a folded encoding",
        "Transfer-Encoding:\r\n chunked\r\n",
        "0\r\n\r\n",
    ),
    (
        "a space before the colon",
        "Content-Length : 5\r\n",
        "12345",
    ),
    ("a bare CR", "X-A: b\rContent-Length: 5\r\n", ""),
    ("a NUL", "X-A: b\0c\r\n", ""),
    ("a header without a name", ": b\r\n", ""),
];

/// Read as RFC 9112 says: by the chunks. Nothing behind them is looked at.
const LAST: [(&str, &str, &str); 4] = [
    (
        "a length before chunks",
        "Content-Length: 45\r\nTransfer-Encoding: chunked\r\n",
        "0\r\n\r\n",
    ),
    (
        "a length after chunks",
        "Transfer-Encoding: chunked\r\nContent-Length: 45\r\n",
        "0\r\n\r\n",
    ),
    ("chunks", CHUNKED, "0\r\n\r\n"),
    (
        "chunks with trailers",
        CHUNKED,
        "0\r\nContent-Length: 5\r\n\r\n",
    ),
];

/// Chunks that are none: answered or not, the connection ends.
const BROKEN: [&str; 5] = [
    "-1\r\n\r\n",
    "fffffffffffffffff\r\nx\r\n",
    "5\r\nab\r\n0\r\n\r\n",
    "0x0\r\n\r\n",
    "\r\n0\r\n\r\n",
];

/// Sends all of it to a call that takes a body.
pub async fn is_told_apart(address: SocketAddr, method: &str, target: &str) {
    let sent = async |headers: &str, body: &str| {
        let head = format!("{method} {target} HTTP/1.1\r\nHost: x\r\n{headers}\r\n");
        answers(address, &format!("{head}{body}{SECOND}")).await
    };
    for (name, headers, body) in REFUSED {
        let seen = sent(headers, body).await;
        assert!(seen.starts_with("HTTP/1.1 400 "), "{name}: {seen}");
        assert!(
            seen.ends_with("\r\n\r\n") && count(&seen) == 1,
            "{name}: {seen}"
        );
    }
    for (name, headers, body) in LAST {
        let seen = sent(headers, body).await;
        assert_eq!(count(&seen), 1, "{name}: {seen}");
        let lower = seen.to_lowercase();
        assert!(
            lower.contains("x-request-id: ") && lower.contains("connection: close"),
            "{name}: {seen}"
        );
    }
    for chunks in BROKEN {
        let seen = sent(CHUNKED, chunks).await;
        // Nobody looks at the body of a GET.
        let is_taken = method != "GET" && seen.starts_with("HTTP/1.1 2");
        assert!(count(&seen) <= 1 && !is_taken, "{chunks:?}: {seen}");
    }
    // A line may end without its CR (RFC 9112, 2.2): one request, which both read alike.
    let bare = format!("{method} {target} HTTP/1.1\nHost: x\nConnection: close\n\n{SECOND}");
    assert!(count(&answers(address, &bare).await) <= 1);
    let old = format!("{method} {target} HTTP/1.0\r\nHost: x\r\n{CHUNKED}\r\n0\r\n\r\n{SECOND}");
    assert!(count(&answers(address, &old).await) <= 1);
}

fn count(seen: &str) -> usize {
    seen.matches("HTTP/1.").count()
}

/// All that comes until the connection ends, which it has to.
async fn answers(address: SocketAddr, bytes: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // The other end may be gone before all of it is there.
    let _ = stream.write_all(bytes.as_bytes()).await;
    let mut seen = Vec::new();
    let mut part = [0; 4096];
    let until_end = async {
        while let Ok(length @ 1..) = stream.read(&mut part).await {
            seen.extend_from_slice(&part[..length]);
        }
    };
    let ended = tokio::time::timeout(Duration::from_secs(30), until_end).await;
    let seen = String::from_utf8_lossy(&seen).into_owned();
    assert!(ended.is_ok(), "it stays open: {bytes:?}: {seen}");
    seen
}
