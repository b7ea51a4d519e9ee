//! A TCP port for a program that cannot choose its own.

use std::hash::{BuildHasher, RandomState};
use std::net::{Ipv4Addr, TcpListener};

/// Below 32,768, where Linux, macOS and Windows begin to give ports to connections that leave the machine: such a port
/// would be taken again before the program listens.
const FIRST: u16 = 20_000;
const COUNT: u16 = 12_000;

/// A random port of 127.0.0.1 where nobody listens.
pub fn free() -> u16 {
    loop {
        let random = RandomState::new().hash_one(()) % u64::from(COUNT);
        let port = FIRST + u16::try_from(random).unwrap_or(0);
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return port;
        }
    }
}
