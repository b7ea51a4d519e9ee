//! Answers on the bare socket: whole, cut, or made up.

use crate::server::reply;
use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream};
use workbench::http::{Line, Message};

/// The headers of the connection, not of what is in it.
const HOP_BY_HOP: [&str; 4] = ["host", "connection", "content-length", "transfer-encoding"];
const PROBLEM: &str = r#"{"success":false,"code":"internal_error","title":"made up by the proxy"}"#;

/// Asks the upstream in the name of whoever asked.
pub fn forward(upstream: SocketAddr, request: &Message) -> io::Result<Message> {
    let mut passed = request.clone();
    passed
        .headers
        .retain(|(name, _)| !HOP_BY_HOP.contains(&name.as_str()));
    let mut answer = Line::new(upstream).ask(&passed.header("connection", "close"))?;
    answer
        .headers
        .retain(|(name, _)| !HOP_BY_HOP.contains(&name.as_str()));
    Ok(answer)
}

/// Gives whether the connection stays open.
pub fn write(stream: &mut TcpStream, answer: Message, keeps: bool) -> io::Result<bool> {
    let connection = if keeps { "keep-alive" } else { "close" };
    answer.header("connection", connection).write(stream)?;
    Ok(keeps)
}

/// Half of the body; all of it, but more was promised; or none of it.
pub fn cut(stream: &mut TcpStream, answer: Message, variant: u64) -> io::Result<()> {
    let length = answer.body.len();
    let (promised, sent) = match variant % 3 {
        0 => (length, length / 2),
        1 => (length + 64, length),
        _ => (length, 0),
    };
    let mut head = format!("{}\r\n", answer.first);
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str(&format!(
        "connection: close\r\ncontent-length: {promised}\r\n\r\n"
    ));
    stream.write_all(head.as_bytes())?;
    stream.write_all(answer.body.get(..sent).unwrap_or_default())
}

/// Some page can read, and some only see fail.
pub fn failure(variant: u64) -> Message {
    let status = [
        "500 Internal Server Error",
        "502 Bad Gateway",
        "503 Service Unavailable",
        "504 Gateway Timeout",
    ];
    let status = status[(variant % 4) as usize];
    match variant / 4 {
        0 => readable(reply(status, "application/problem+json", PROBLEM)),
        1 => readable(reply(status, "text/html", "<h1>no</h1>")),
        _ => reply(status, "text/html", "<h1>no</h1>"),
    }
}

/// Whether that failure is a 500 which a page can read.
pub fn shows_500(variant: u64) -> bool {
    failure(variant).status() == 500 && variant < 8
}

/// Come back after so many seconds.
pub fn too_many(seconds: u64) -> Message {
    let problem = "application/problem+json";
    let answer = readable(reply("429 Too Many Requests", problem, PROBLEM));
    answer.header("retry-after", seconds.to_string())
}

fn readable(answer: Message) -> Message {
    answer
        .header("access-control-allow-origin", "*")
        .header("access-control-expose-headers", "Retry-After")
}

/// Whether the other end has closed.
pub fn is_gone(stream: &TcpStream) -> io::Result<bool> {
    stream.set_nonblocking(true)?;
    let peeked = stream.peek(&mut [0]);
    stream.set_nonblocking(false)?;
    Ok(match peeked {
        Ok(count) => count == 0,
        Err(error) => error.kind() != io::ErrorKind::WouldBlock,
    })
}
