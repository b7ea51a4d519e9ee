//! Sockets that systemd opens and holds. They outlive the program: while it restarts, calls wait in them.

use super::Server;
use crate::command::Failure;
use listenfd::ListenFd;
use std::io;
use std::net::{SocketAddr, TcpListener};

/// The servers of a program: its own, and that of its metrics. A socket with the address that was handed over (as
/// LISTEN_FDS and LISTEN_PID say) is taken, or else a new one is bound. Removes these variables, so nothing may read
/// the environment in another thread meanwhile.
pub async fn open(
    listen: SocketAddr,
    metrics: Option<SocketAddr>,
) -> Result<(Server, Option<Server>), Failure> {
    let mut handed = handed().map_err(|error| format!("LISTEN_FDS: {error}"))?;
    let server = bind(&mut handed, listen).await?;
    let metrics = match metrics {
        Some(address) => Some(bind(&mut handed, address).await?),
        None => None,
    };
    match handed.first() {
        None => Ok((server, metrics)),
        // Whoever called there would wait for ever.
        Some(other) => Err(format!(
            "nothing listens at {}, a socket that was handed over: correct --listen, or ListenStream= of the .socket \
             unit",
            other.local_addr()?
        )
        .into()),
    }
}

fn handed() -> io::Result<Vec<TcpListener>> {
    let mut named = ListenFd::from_env();
    let all = 0..named.len();
    all.filter_map(|number| named.take_tcp_listener(number).transpose())
        .collect()
}

async fn bind(handed: &mut Vec<TcpListener>, address: SocketAddr) -> Result<Server, Failure> {
    let is_it = |socket: &TcpListener| socket.local_addr().is_ok_and(|at| at == address);
    let server = match handed.iter().position(is_it) {
        Some(at) => taken(handed.swap_remove(at)),
        None => Server::bind(address).await,
    };
    server.map_err(|error| format!("cannot listen on {address}: {error}").into())
}

fn taken(socket: TcpListener) -> io::Result<Server> {
    socket.set_nonblocking(true)?;
    Server::over(tokio::net::TcpListener::from_std(socket)?)
}
