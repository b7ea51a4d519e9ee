//! TCP ports for programs that cannot choose their own.

use std::net::{Ipv4Addr, TcpListener, UdpSocket};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// Below 32,768, where Linux, macOS and Windows begin to give ports to connections that leave the machine: such a port
/// would be taken again before the program listens.
const PORTS: Range<u16> = 12_000..32_000;
/// As many as one program asks for: so its ports are never among another's.
const BLOCK: u16 = 4;

/// The first of four ports of 127.0.0.1 in a row on which nobody listens. The search begins somewhere else in each
/// process, and goes on from where it was. No other test gets them until this process ends: the UDP ports 32,768 above
/// stand for them, also in `tests/e2e/support/process.js`. Those of the same numbers are for HTTP/3.
pub fn free() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    static CLAIMS: Mutex<Vec<UdpSocket>> = Mutex::new(Vec::new());
    let blocks = u32::from((PORTS.end - PORTS.start) / BLOCK);
    let begin = std::process::id().wrapping_mul(7919);
    loop {
        let block = begin.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % blocks;
        let first = PORTS.start + u16::try_from(block).unwrap_or_default() * BLOCK;
        let ports = first..first + BLOCK;
        let claims: Option<Vec<_>> = ports.clone().map(claim).collect();
        let Some(mut claims) = claims else {
            continue;
        };
        let is_free = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok();
        if ports.clone().all(is_free) {
            let mut held = CLAIMS.lock().unwrap_or_else(PoisonError::into_inner);
            held.append(&mut claims);
            return first;
        }
    }
}

fn claim(port: u16) -> Option<UdpSocket> {
    UdpSocket::bind((Ipv4Addr::LOCALHOST, port + 32_768)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_process_has_claimed_is_left_to_it() {
        let first = free();
        let next = first + BLOCK;
        let _theirs = claim(next + 1);
        assert_ne!(free(), next);
        assert!(claim(first).is_none());
    }
}
