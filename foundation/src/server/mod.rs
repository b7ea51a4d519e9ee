//! Sockets: accepts, times out, drains.

mod connection;
mod place;
mod sockets;

use crate::address::Peer;
use axum::Router;
use hyper_util::server::graceful::GracefulShutdown;
use place::Places;
pub use sockets::open;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// Longest time for a stop, from a last call to the answers that are owed.
pub const LONGEST_STOP: Duration = Duration::from_secs(10);
/// A client that keeps a server waiting for so long while it stops is let go.
const PATIENCE: Duration = Duration::from_secs(2);
/// More than a system has waiting for a socket: while it is emptied, more may come.
const LONGEST_QUEUE: usize = 4096;
/// When the system is out of file handles, trying again at once would only spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// A bound socket that does not serve yet.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    limits: Limits,
}

/// What a server lets in at most.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Connections at once. One more takes the place of the client that has kept the server waiting longest; it waits
    /// in the system's queue only while the server owes everybody an answer.
    pub connections: usize,
    /// Time for the head of a request, which is also how long a connection may idle.
    pub idle: Duration,
    /// Time in which a client has to take some of an answer.
    pub write: Duration,
    /// Time in which a connected client may call once more while the server stops. A call may be on its way, and a
    /// proxy does not repeat a POST on a connection that ends before an answer.
    pub last_call: Duration,
    /// Time for a stop, from a last call to the answers that are owed.
    pub drain: Duration,
    /// The end of that time, in which calls that are not over are refused: an answer takes a moment, too.
    pub refusals: Duration,
}

impl Default for Limits {
    /// 900 connections, which fit into the 1,024 open files that many systems allow a program; 75 s idle, longer than
    /// proxies keep theirs; 30 s to take an answer; 1 s for a last call; [`LONGEST_STOP`], the last second of it for
    /// refusals.
    fn default() -> Self {
        Self {
            connections: 900,
            idle: Duration::from_secs(75),
            write: Duration::from_secs(30),
            last_call: Duration::from_secs(1),
            drain: LONGEST_STOP,
            refusals: Duration::from_secs(1),
        }
    }
}

impl Server {
    /// Binds; port 0 picks a free one.
    pub async fn bind(address: SocketAddr) -> io::Result<Self> {
        Self::over(TcpListener::bind(address).await?)
    }

    fn over(listener: TcpListener) -> io::Result<Self> {
        let address = listener.local_addr()?;
        Ok(Self {
            listener,
            address,
            limits: Limits::default(),
        })
    }

    /// This server with limits.
    #[must_use]
    pub fn limited(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Where a program on this machine reaches it: `http://127.0.0.1:8080`.
    pub fn url(&self) -> String {
        let ip = match self.address.ip() {
            IpAddr::V4(Ipv4Addr::UNSPECIFIED) => IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(Ipv6Addr::UNSPECIFIED) => IpAddr::V6(Ipv6Addr::LOCALHOST),
            ip => ip,
        };
        format!("http://{}", SocketAddr::new(ip, self.address.port()))
    }

    /// What it is bound to.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The port it is bound to.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Serves until `stop` turns true. Whoever is connected may then call once more, and what is in flight has until
    /// the end of the drain; a client that keeps the server waiting has less.
    pub async fn run(self, router: Router, mut stop: watch::Receiver<bool>) {
        let graceful = GracefulShutdown::new();
        let places = Places::new(self.limits.connections);
        let serve = |(stream, peer): (TcpStream, SocketAddr), place| {
            let peer = Peer(peer.ip());
            connection::serve(stream, peer, &router, &graceful, &self.limits, place);
        };
        loop {
            let accepted = tokio::select! {
                biased;
                () = asked(&mut stop) => break,
                accepted = self.listener.accept() => accepted,
            };
            let accepted = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            };
            let place = tokio::select! {
                place = places.take() => place,
                // What was accepted is answered, too.
                () = asked(&mut stop) => places.one_more(),
            };
            serve(accepted, place);
        }
        for accepted in waiting(self.listener) {
            serve(accepted, places.one_more());
        }
        places.close();
        let drained = async {
            let _ = tokio::time::timeout(self.limits.last_call, places.empty()).await;
            tokio::select! {
                () = graceful.shutdown() => {}
                () = places.let_go(PATIENCE) => {}
            }
        };
        let ends = async {
            tokio::time::sleep(self.limits.drain.saturating_sub(self.limits.refusals)).await;
            places.end();
            tokio::time::sleep(self.limits.refusals).await;
        };
        tokio::select! {
            () = drained => {}
            () = ends => tracing::warn!("some requests were cut off at the end of the drain"),
        }
    }
}

/// The end of a stop: an extension of each request.
#[derive(Clone)]
pub struct Ending(watch::Receiver<bool>);

impl Ending {
    /// Resolves when a call that is not over has to be refused, or else is cut off.
    pub async fn comes(mut self) {
        asked(&mut self.0).await;
    }
}

/// The connections that the system has accepted for a socket, which is then closed: with it, they would be reset.
fn waiting(listener: TcpListener) -> Vec<(TcpStream, SocketAddr)> {
    let accept = |listener: &std::net::TcpListener| {
        let (stream, peer) = listener.accept()?;
        stream.set_nonblocking(true)?;
        Ok::<_, io::Error>((TcpStream::from_std(stream)?, peer))
    };
    let listener = listener.into_std();
    let all = listener
        .iter()
        .flat_map(|listener| std::iter::from_fn(|| accept(listener).ok()));
    all.take(LONGEST_QUEUE).collect()
}

/// What `work` comes to, unless the stop comes before its end.
pub async fn unless_stopped<T>(
    mut stop: watch::Receiver<bool>,
    work: impl Future<Output = T>,
) -> Option<T> {
    tokio::select! {
        biased;
        () = asked(&mut stop) => None,
        done = work => Some(done),
    }
}

/// Resolves when the service is to stop, or when nobody is left who could ask for it.
async fn asked(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}

/// Turns true at SIGTERM or SIGINT, from now on.
pub fn stop_signal() -> io::Result<watch::Receiver<bool>> {
    let (send, receive) = watch::channel(false);
    let signaled = signaled()?;
    tokio::spawn(async move {
        signaled.await;
        let _ = send.send(true);
        // Holds the channel open for as long as anybody still reads it.
        send.closed().await;
    });
    Ok(receive)
}

/// Both handlers are in place when this returns, not only when the future is first polled.
#[cfg(unix)]
fn signaled() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn signaled() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}
