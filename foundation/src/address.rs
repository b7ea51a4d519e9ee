//! Which address a call comes from, where proxies stand before the program.

use axum::http::HeaderMap;
pub use ipnet::IpNet;
use std::net::{IpAddr, SocketAddr};

/// Who opened the connection: an extension of each request.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);

/// The client's address; `None` if it is not known.
///
/// Each proxy appends to `X-Forwarded-For` whom it heard, and a client can begin the list with anything. So what counts
/// is the last address that is no trusted proxy's. A peer on this machine that nobody trusts is a proxy, too, and its
/// word does not count.
pub fn of_client(peer: Option<Peer>, headers: &HeaderMap, trusted: &[IpNet]) -> Option<IpAddr> {
    let is_trusted = |address: &IpAddr| trusted.iter().any(|network| network.contains(address));
    let peer = peer?.0.to_canonical();
    if !is_trusted(&peer) {
        return (!peer.is_loopback()).then_some(peer);
    }
    let lists = headers.get_all("x-forwarded-for").iter().rev();
    // Byte by byte: whatever a client has written before it, what a proxy has appended is read.
    let hops = lists.flat_map(|list| list.as_bytes().rsplit(|byte| *byte == b','));
    for hop in hops {
        let address = parse(std::str::from_utf8(hop).ok()?.trim())?;
        if !is_trusted(&address) {
            return Some(address);
        }
    }
    None
}

/// An address, or one with a port, which some proxies write.
fn parse(hop: &str) -> Option<IpAddr> {
    let bare = || hop.parse::<IpAddr>().ok();
    let with_port = || hop.parse::<SocketAddr>().ok().map(|address| address.ip());
    Some(bare().or_else(with_port)?.to_canonical())
}

/// Reads one address, or a network such as `10.0.0.0/8`.
pub fn parse_network(text: &str) -> Result<IpNet, String> {
    let network = text.parse::<IpNet>().ok();
    let one = || text.parse::<IpAddr>().ok().map(IpNet::from);
    network
        .or_else(one)
        .ok_or_else(|| "not an IP address, nor a network such as 10.0.0.0/8".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn client(peer: &str, lists: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for list in lists {
            let list = HeaderValue::from_bytes(list.as_bytes()).unwrap();
            headers.append("x-forwarded-for", list);
        }
        let trusted = ["127.0.0.1", "10.0.0.0/8"].map(|text| parse_network(text).unwrap());
        let peer = Some(Peer(peer.parse().unwrap()));
        let address = of_client(peer, &headers, &trusted);
        address.map_or("?".into(), |address| address.to_string())
    }

    #[test]
    fn the_last_one_that_is_no_proxy_of_ours_counts() {
        for (peer, lists, expected) in [
            ("192.0.2.1", &[][..], "192.0.2.1"),
            ("192.0.2.1", &["198.51.100.7"], "192.0.2.1"),
            ("::ffff:192.0.2.1", &[], "192.0.2.1"),
            ("127.0.0.1", &["198.51.100.7"], "198.51.100.7"),
            ("127.0.0.1", &["203.0.113.1, 198.51.100.7"], "198.51.100.7"),
            (
                "127.0.0.1",
                &["203.0.113.1", "198.51.100.7"],
                "198.51.100.7",
            ),
            ("127.0.0.1", &["198.51.100.7, 10.1.2.3"], "198.51.100.7"),
            ("10.1.2.3", &["198.51.100.7:4711"], "198.51.100.7"),
            ("10.1.2.3", &["[2001:db8::1]:4711"], "2001:db8::1"),
            ("127.0.0.1", &[], "?"),
            ("127.0.0.1", &["unknown"], "?"),
            ("127.0.0.1", &["198.51.100.7, nonsense"], "?"),
            ("127.0.0.1", &["é, 198.51.100.7"], "198.51.100.7"),
            ("127.0.0.1", &["198.51.100.7, é"], "?"),
            ("127.0.0.1", &["10.1.2.3"], "?"),
            ("::1", &["198.51.100.7"], "?"),
        ] {
            assert_eq!(client(peer, lists), expected, "{peer} {lists:?}");
        }
    }

    #[test]
    fn a_network_is_one_address_too() {
        assert_eq!(
            parse_network("10.0.0.7").unwrap().to_string(),
            "10.0.0.7/32"
        );
        for wrong in ["", "10.0.0.0/33", "proxy.example", "10.0.0"] {
            assert!(parse_network(wrong).is_err(), "{wrong}");
        }
    }
}
