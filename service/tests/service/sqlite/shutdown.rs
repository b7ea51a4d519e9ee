//! How the program stops.

use crate::folder::Folder;
use crate::http::{Call, Connection};
use crate::program::Program;
use crate::world::INTEGRATION;
use std::time::{Duration, Instant};
use tokio::net::TcpStream;

#[tokio::test]
async fn both_signals_stop_it_cleanly() {
    for signal in ["-TERM", "-INT"] {
        let mut program = Program::serve(&Folder::new(), &[], None);
        let mut idle = Connection::open(program.address("baseUrl")).await;
        assert_eq!(idle.send(Call::new("GET", "/healthz")).await.status, 200);
        let asked = Instant::now();
        program.signal(signal);
        assert_eq!(program.wait(), Some(0));
        assert!(
            asked.elapsed() < Duration::from_secs(5),
            "idle connections hold nothing up"
        );
    }
}

#[tokio::test]
async fn a_request_in_flight_is_answered_before_it_stops() {
    let folder = Folder::new();
    let mut program = Program::serve(&folder, &["--demo", "--till-listen", "127.0.0.1:0"], None);
    let created = program.call("POST", INTEGRATION, "").await.json();
    let token = created["integrationToken"].as_str().unwrap();
    let mut connection = Connection::open(program.address("baseUrl")).await;
    let body = format!("client_id=demo-till&integration_token={token}&action=cancel");
    let (half, rest) = body.split_at(20);
    let head = format!(
        "POST /connect HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n\
         Expect: 100-continue\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    connection.write(head.as_bytes()).await;
    let begun = connection.read(true).await.expect("it asks for the body");
    assert_eq!(begun.status, 100);
    connection.write(half.as_bytes()).await;
    program.signal("-TERM");
    let asked = Instant::now();
    while TcpStream::connect(program.address("baseUrl")).await.is_ok() {
        assert!(
            asked.elapsed() < Duration::from_secs(60),
            "nobody new is let in"
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    connection.write(rest.as_bytes()).await;
    let answer = connection.read(false).await.expect("the answer comes");
    assert_eq!(answer.data("page"), "cancelled");
    assert_eq!(program.wait(), Some(0));
}
