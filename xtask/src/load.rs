//! A small load generator: some connections, one request after the other on each, a fixed number in all. Loopback only.
//! Not an HTTP client: it must cost less than the service that it measures.

use crate::Result;
use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};
use workbench::http::{Line, Message};

/// More than the machine has cores, so that the server always has something to do.
pub const FEW: usize = 8;
/// As many tills as may send at one moment: writes that wait share a flush to the disk.
pub const MANY: usize = 64;

/// One server, or several that are equals.
#[derive(Clone)]
pub struct Server {
    addresses: Vec<SocketAddr>,
    connections: usize,
}

pub struct Measured {
    pub bodies: Vec<String>,
    pub per_second: f64,
    pub p50: Duration,
    pub p99: Duration,
}

impl Server {
    /// Takes `http://127.0.0.1:PORT`.
    pub fn new(url: &str) -> Result<Self> {
        let address: Option<SocketAddr> = url
            .strip_prefix("http://")
            .and_then(|address| address.parse().ok());
        match address.filter(|address| address.ip().is_loopback()) {
            Some(address) => Ok(Self {
                addresses: vec![address],
                connections: FEW,
            }),
            None => Err(format!("{url} is not an address on the loopback")),
        }
    }

    /// This load over so many connections.
    pub fn over(self, connections: usize) -> Self {
        Self {
            connections,
            ..self
        }
    }

    /// This load with an equal of it: connections take turns.
    pub fn beside(mut self, other: &Self) -> Self {
        self.addresses.extend(&other.addresses);
        self
    }

    /// Sends each request once; any answer but 200 is an error.
    pub fn send(&self, requests: &[Message]) -> Result<Measured> {
        let started = Instant::now();
        let share = requests.len().div_ceil(self.connections).max(1);
        let parts: Result<Vec<_>> = thread::scope(|scope| {
            let workers: Vec<_> = requests
                .chunks(share)
                .zip(self.addresses.iter().cycle())
                .map(|(part, address)| scope.spawn(move || Self::one_connection(*address, part)))
                .collect();
            let ended = workers.into_iter().map(|worker| worker.join());
            ended
                .map(|part| part.map_err(|_| "a load thread panicked".to_owned())?)
                .collect()
        });
        let elapsed = started.elapsed();
        let (mut times, mut bodies) = (Vec::new(), Vec::new());
        for (time, body) in parts?.into_iter().flatten() {
            times.push(time);
            bodies.push(body);
        }
        times.sort_unstable();
        let quantile = |part: usize| {
            let place = times.len() * part / 100;
            times.get(place).copied().unwrap_or_default()
        };
        let per_second = times.len() as f64 / elapsed.as_secs_f64();
        Ok(Measured {
            per_second,
            p50: quantile(50),
            p99: quantile(99),
            bodies,
        })
    }

    fn one_connection(
        address: SocketAddr,
        requests: &[Message],
    ) -> Result<Vec<(Duration, String)>> {
        let mut line = Line::new(address);
        let mut ask = |request| {
            let begun = Instant::now();
            let answer = line.expect(request, &[200])?;
            Ok((begun.elapsed(), answer.text()))
        };
        requests.iter().map(&mut ask).collect()
    }
}
