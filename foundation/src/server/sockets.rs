//! Sockets that systemd opens and holds. They outlive the program: while it restarts, calls wait in them.

use super::Server;
use crate::command::Failure;
use listenfd::ListenFd;
use std::io;
use std::net::{SocketAddr, TcpListener};

/// The servers of a program: its own, and others such as that of its metrics. A socket with the address that was handed
/// over (as LISTEN_FDS and LISTEN_PID say) is taken, or else a new one is bound. Removes these variables, so nothing
/// may read the environment in another thread meanwhile.
pub async fn open<const N: usize>(
    listen: SocketAddr,
    others: [Option<SocketAddr>; N],
) -> Result<(Server, [Option<Server>; N]), Failure> {
    let handed = handed().map_err(|error| format!("LISTEN_FDS: {error}"))?;
    open_over(handed, listen, others).await
}

fn handed() -> io::Result<Vec<TcpListener>> {
    let mut named = ListenFd::from_env();
    let all = 0..named.len();
    all.filter_map(|number| named.take_tcp_listener(number).transpose())
        .collect()
}

async fn open_over<const N: usize>(
    mut handed: Vec<TcpListener>,
    listen: SocketAddr,
    others: [Option<SocketAddr>; N],
) -> Result<(Server, [Option<Server>; N]), Failure> {
    let mut take = |address| {
        let is_it = |socket: &TcpListener| socket.local_addr().is_ok_and(|at| at == address);
        let at = handed.iter().position(is_it);
        (at.map(|at| handed.swap_remove(at)), address)
    };
    let (own, taken) = (take(listen), others.map(|other| other.map(&mut take)));
    // Whoever called there would wait for ever. And it may hold the port that would be bound.
    if let Some(other) = handed.first() {
        let at = other.local_addr()?;
        let is_second = at == listen || others.contains(&Some(at));
        return Err(match is_second {
            true => format!("the socket {at} was handed over twice: one ListenStream= may name it"),
            false => format!(
                "nothing listens at {at}, a socket that was handed over: correct --listen, which is {listen}, or \
                 ListenStream= of the .socket unit"
            ),
        }
        .into());
    }
    let server = serve(own).await?;
    let mut servers = [const { None }; N];
    for (place, other) in servers.iter_mut().zip(taken) {
        if let Some(other) = other {
            *place = Some(serve(other).await?);
        }
    }
    Ok((server, servers))
}

async fn serve((socket, address): (Option<TcpListener>, SocketAddr)) -> Result<Server, Failure> {
    let server = match socket {
        Some(socket) => taken(socket),
        None => Server::bind(address).await,
    };
    server.map_err(|error| format!("cannot listen on {address}: {error}").into())
}

fn taken(socket: TcpListener) -> io::Result<Server> {
    // Apple's systems do not say it.
    #[cfg(not(target_vendor = "apple"))]
    if !rustix::net::sockopt::socket_acceptconn(&socket)? {
        return Err(io::Error::other(
            "the socket that was handed over does not listen: systemd's .socket unit needs ListenStream= and Accept=no",
        ));
    }
    socket.set_nonblocking(true)?;
    Server::over(tokio::net::TcpListener::from_std(socket)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;
    use tokio::net::TcpSocket;

    const ANY: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 0);

    async fn refusal(handed: impl IntoIterator<Item = TcpListener>, listen: SocketAddr) -> String {
        match open_over(handed.into_iter().collect(), listen, [None]).await {
            Ok(_) => "none".to_owned(),
            Err(failure) => failure.to_string(),
        }
    }

    #[tokio::test]
    async fn a_socket_that_nobody_would_serve_is_named_also_where_it_holds_the_port() {
        for holds_the_port in [false, true] {
            let socket = TcpListener::bind(("0.0.0.0", 0)).unwrap();
            let held = socket.local_addr().unwrap();
            let mut listen = ANY;
            listen.set_port(if holds_the_port { held.port() } else { 0 });
            let said = refusal([socket], listen).await;
            assert!(
                said.contains(&format!("nothing listens at {held}")),
                "{said}"
            );
            assert!(
                said.contains(&format!("--listen, which is {listen}")),
                "{said}"
            );
        }
    }

    #[tokio::test]
    async fn a_socket_that_was_handed_over_twice_is_named() {
        let socket = TcpListener::bind(ANY).unwrap();
        let held = socket.local_addr().unwrap();
        let said = refusal([socket.try_clone().unwrap(), socket], held).await;
        assert!(
            said.contains(&format!("{held} was handed over twice")),
            "{said}"
        );
    }

    #[tokio::test]
    async fn a_socket_that_does_not_listen_is_refused() {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(ANY).unwrap();
        let address = socket.local_addr().unwrap();
        let handed = TcpListener::from(socket.as_fd().try_clone_to_owned().unwrap());
        let said = refusal([handed], address).await;
        assert!(said.contains("does not listen"), "{said}");
    }
}
