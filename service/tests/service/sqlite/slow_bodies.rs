//! Bytes that are strange, and bytes that do not come.

use crate::http::Connection;
use crate::smuggling::is_told_apart;
use crate::world::{REFRESH, World};
use std::time::Duration;

#[tokio::test]
async fn no_request_hides_in_another() {
    let world = World::new().await;
    for (method, target) in [
        ("POST", REFRESH),
        ("POST", "/v1/orders"),
        ("GET", "/connect"),
    ] {
        is_told_apart(world.address, method, target).await;
    }
}

/// It is answered, and the connection ends: the rest would be read as another request.
#[tokio::test]
async fn a_body_that_does_not_come_is_malformed() {
    let world = World::new().await;
    let mut slow = Connection::open(world.address).await;
    let form = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 40\r\n";
    slow.write(format!("POST {REFRESH} HTTP/1.1\r\nHost: x\r\n{form}\r\nclient_id=x").as_bytes())
        .await;
    let answer = tokio::time::timeout(Duration::from_secs(60), slow.read(false)).await;
    let answer = answer.unwrap().unwrap();
    assert_eq!((answer.status, &*answer.code()), (400, "malformed_request"));
    assert!(slow.read(false).await.is_none());
}
