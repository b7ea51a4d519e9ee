//! A small load generator: some connections, one request after the other on each, a fixed number in all. Loopback only.

use crate::Result;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

/// More than the machine has cores, so that the server always has something to do.
pub const FEW: usize = 8;
/// As many tills as may send at one moment: writes that wait share a flush to the disk.
pub const MANY: usize = 64;
const ANSWER_LIMIT: Duration = Duration::from_secs(10);

/// One server, or several that are equals.
#[derive(Clone)]
pub struct Server {
    addresses: Vec<SocketAddr>,
    connections: usize,
}

/// One request.
#[derive(Clone)]
pub struct Request {
    pub method: &'static str,
    pub target: String,
    /// Whole lines, each with its end.
    pub headers: String,
    pub body: String,
}

impl Request {
    /// Without headers and body.
    pub fn plain(method: &'static str, target: &str) -> Self {
        Self {
            method,
            target: target.to_owned(),
            headers: String::new(),
            body: String::new(),
        }
    }
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

    /// The same over so many connections.
    pub fn over(self, connections: usize) -> Self {
        Self {
            connections,
            ..self
        }
    }

    /// The same with an equal of it: connections take turns.
    pub fn beside(mut self, other: &Self) -> Self {
        self.addresses.extend(&other.addresses);
        self
    }

    /// Sends each request once; any answer but 200 is an error.
    pub fn send(&self, requests: &[Request]) -> Result<Measured> {
        let started = Instant::now();
        let share = requests.len().div_ceil(self.connections).max(1);
        let parts: Result<Vec<_>> = thread::scope(|scope| {
            let workers: Vec<_> = requests
                .chunks(share)
                .zip(self.addresses.iter().cycle())
                .map(|(part, address)| scope.spawn(move || self.one_connection(*address, part)))
                .collect();
            workers
                .into_iter()
                .map(|worker| {
                    worker
                        .join()
                        .map_err(|_| "a load thread panicked".to_owned())?
                })
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
            times
                .get(times.len() * part / 100)
                .copied()
                .unwrap_or_default()
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
        &self,
        address: SocketAddr,
        requests: &[Request],
    ) -> Result<Vec<(Duration, String)>> {
        let describe = |error: std::io::Error| format!("{address}: {error}");
        let stream = TcpStream::connect(address).map_err(describe)?;
        stream.set_nodelay(true).map_err(describe)?;
        stream
            .set_read_timeout(Some(ANSWER_LIMIT))
            .map_err(describe)?;
        let mut writer = stream.try_clone().map_err(describe)?;
        let mut reader = BufReader::new(stream);
        let ask = |request: &Request| {
            let Request {
                method,
                target,
                headers,
                body,
            } = request;
            let length = match body.len() {
                0 => String::new(),
                length => format!("content-length: {length}\r\n"),
            };
            let request = format!(
                "{method} {target} HTTP/1.1\r\nhost: {address}\r\n{headers}{length}\r\n{body}"
            );
            let begun = Instant::now();
            writer.write_all(request.as_bytes()).map_err(describe)?;
            let (status, body) = answer(&mut reader).map_err(describe)?;
            if status == "200" {
                Ok((begun.elapsed(), body))
            } else {
                Err(format!("{method}: status {status}: {body}"))
            }
        };
        requests.iter().map(ask).collect()
    }
}

/// Reads one answer that has a `content-length`, which all of ours have.
fn answer(reader: &mut impl BufRead) -> std::io::Result<(String, String)> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let status = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut length = 0;
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        if line == "\r\n" {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok((status, String::from_utf8_lossy(&body).into_owned()))
}
