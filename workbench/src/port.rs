//! TCP ports for programs that cannot choose their own.

use std::net::{Ipv4Addr, TcpListener};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

/// Below 32,768, where Linux, macOS and Windows begin to give ports to connections that leave the machine: such a port
/// would be taken again before the program listens.
const PORTS: Range<u16> = 12_000..32_000;
/// As many as one program asks for: so its ports are never among another's.
const BLOCK: u16 = 4;

/// The first of four ports of 127.0.0.1 in a row on which nobody listens. The search begins somewhere else in each
/// process, and goes on from where it was.
pub fn free() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let blocks = u32::from((PORTS.end - PORTS.start) / BLOCK);
    let begin = std::process::id().wrapping_mul(7919);
    loop {
        let block = begin.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % blocks;
        let first = PORTS.start + u16::try_from(block).unwrap_or_default() * BLOCK;
        let is_free = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok();
        if (first..first + BLOCK).all(is_free) {
            return first;
        }
    }
}
