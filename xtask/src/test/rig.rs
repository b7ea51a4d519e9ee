//! The servers that the browser tests talk to. `tests/rig/rig.mjs` runs them.

use crate::{Result, repo};
use std::net::{Ipv4Addr, TcpListener};
use std::process::Command;
use workbench::attended::Attended;

/// Below what systems give to outgoing connections, which could take a port between our look and its use.
const PORTS: std::ops::Range<u16> = 12_000..32_000;
/// A page's, and the rig's two; a round number, so that one rig's ports are never among another's.
const BLOCK: u16 = 4;

/// Runs until dropped.
pub struct Rig {
    /// The port of the page that talks to it; the rig's ports are the next ones.
    pub page: u16,
    _servers: Attended,
}

impl Rig {
    pub fn start() -> Result<Self> {
        let page = free_block()?;
        let mut node = Command::new("node");
        node.current_dir(repo::root())
            .arg("tests/rig/rig.mjs")
            .env("POS_TEST_PORT", page.to_string());
        let servers = Attended::start("the rig", &mut node)?;
        Ok(Self {
            page,
            _servers: servers,
        })
    }
}

/// The first port of a block that nobody listens on. The search begins somewhere else in each process, and goes on
/// from where it was.
fn free_block() -> Result<u16> {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let blocks = u32::from((PORTS.end - PORTS.start) / BLOCK);
    let begin = std::process::id().wrapping_mul(7919);
    for _ in 0..blocks {
        let block = begin.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % blocks;
        let first = PORTS.start + u16::try_from(block).unwrap_or_default() * BLOCK;
        let is_free = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok();
        if (first..first + BLOCK).all(is_free) {
            return Ok(first);
        }
    }
    Err("there are no free ports for the browser tests".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_free_and_given_once() {
        let first = free_block().unwrap();
        // A program that another test starts holds every open socket of this process until it is its own.
        let take = || TcpListener::bind((Ipv4Addr::LOCALHOST, first)).ok();
        let taken = std::iter::repeat_with(take)
            .take(1_000_000)
            .find_map(|taken| taken);
        assert!(taken.is_some());
        let second = free_block().unwrap();
        assert!(first.abs_diff(second) >= BLOCK, "{first} {second}");
        assert!(PORTS.contains(&first) && (first - PORTS.start).is_multiple_of(BLOCK));
        drop(taken);
    }
}
