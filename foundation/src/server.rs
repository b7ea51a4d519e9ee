//! Sockets: accepts, times out, drains.

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

/// For [`Limits::idle`].
const HEAD_TIMEOUT: Duration = Duration::from_secs(75);
/// Time for requests in flight after the signal to stop.
const DRAIN: Duration = Duration::from_secs(10);
/// When the system is out of file handles, trying again at once would only spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// A bound socket that does not serve yet.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    limits: Limits,
}

/// What a server lets in at most; without any, what hyper and the system let in.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Bytes of a request's head, 8,192 at least.
    pub head: Option<usize>,
    /// Connections at once; further ones wait in the system's queue.
    pub connections: Option<usize>,
    /// Time for the head of a request, which is also how long a connection may idle; 75 s if not given.
    pub idle: Option<Duration>,
}

impl Server {
    /// Binds; port 0 picks a free one.
    pub async fn bind(address: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok(Self {
            listener,
            address,
            limits: Limits::default(),
        })
    }

    /// The same with limits.
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

    /// Serves until `stop` turns true, then finishes what is in flight, for ten seconds at most.
    pub async fn run(self, router: Router, mut stop: watch::Receiver<bool>) {
        let graceful = GracefulShutdown::new();
        let places = self.limits.connections.unwrap_or(Semaphore::MAX_PERMITS);
        let places = Arc::new(Semaphore::new(places));
        loop {
            tokio::select! {
                (accepted, place) = accept(&self.listener, &places) => match accepted {
                    Ok((stream, _)) => serve(stream, router.clone(), &graceful, &self.limits, place),
                    Err(error) => {
                        tracing::warn!(%error, "cannot accept a connection");
                        tokio::time::sleep(ACCEPT_PAUSE).await;
                    }
                },
                () = asked(&mut stop) => break,
            }
        }
        drop(self.listener);
        if tokio::time::timeout(DRAIN, graceful.shutdown())
            .await
            .is_err()
        {
            tracing::warn!("some requests were cut off at the end of the drain");
        }
    }
}

/// Resolves when the service is to stop, or when nobody is left who could ask for it.
async fn asked(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}

/// A place comes first, so that who finds none waits outside.
async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> (
    io::Result<(TcpStream, SocketAddr)>,
    Option<OwnedSemaphorePermit>,
) {
    let place = places.clone().acquire_owned().await.ok();
    (listener.accept().await, place)
}

fn serve(
    stream: TcpStream,
    router: Router,
    graceful: &GracefulShutdown,
    limits: &Limits,
    place: Option<OwnedSemaphorePermit>,
) {
    // Answers are one small packet: waiting to fill it would only delay them.
    let _ = stream.set_nodelay(true);
    let service = TowerToHyperService::new(router);
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(limits.idle.unwrap_or(HEAD_TIMEOUT));
    if let Some(bytes) = limits.head {
        builder.max_buf_size(bytes);
    }
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    let connection = graceful.watch(connection);
    tokio::spawn(async move {
        // Resets and timeouts are the peer's business; whatever failed on our side was logged with its request.
        let _ = connection.await;
        drop(place);
    });
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
