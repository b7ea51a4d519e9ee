//! HTTP/1.1 as far as these programs speak it on the loopback, over the standard library: calls that may be cut.

use serde_json::Value;
use std::io::{BufRead, BufReader, Error, ErrorKind, Result, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Longer than anything here takes on a busy machine: what has no answer by then hangs.
pub const ANSWER_LIMIT: Duration = Duration::from_secs(300);

/// A request or an answer.
#[derive(Clone, Debug, Default)]
pub struct Message {
    /// The first line.
    pub first: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, empty where there is none.
    pub body: Vec<u8>,
}

impl Message {
    /// A request without headers and body.
    pub fn request(method: &str, target: &str) -> Self {
        Self {
            first: format!("{method} {target} HTTP/1.1"),
            ..Self::default()
        }
    }

    /// With one more header, whose name is in lower case.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// With this key in `authorization`.
    #[must_use]
    pub fn bearer(self, key: &str) -> Self {
        self.header("authorization", format!("Bearer {key}"))
    }

    /// With a form as its body.
    #[must_use]
    pub fn form(mut self, pairs: &[(&str, &str)]) -> Self {
        self.body = query(pairs).into_bytes();
        self.header("content-type", "application/x-www-form-urlencoded")
    }

    /// The value of the first header of this name.
    pub fn found(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The body; `null` where it is not JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// With JSON as its body.
    #[must_use]
    pub fn with_json(mut self, body: &Value) -> Self {
        self.body = body.to_string().into_bytes();
        self.header("content-type", "application/json")
    }

    /// The method of a request, and its path without the query.
    pub fn named(&self) -> (String, String) {
        let mut words = self.first.split(' ');
        let method = words.next().unwrap_or_default();
        let path = words.next().and_then(|target| target.split('?').next());
        (method.to_owned(), path.unwrap_or_default().to_owned())
    }

    /// The status of an answer; 0 for what has none.
    pub fn status(&self) -> u16 {
        let word = self.first.split(' ').nth(1).unwrap_or_default();
        word.parse().unwrap_or(0)
    }

    /// The body; what is not UTF-8 is replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Writes it in one go, with its length.
    pub fn write(&self, stream: &mut TcpStream) -> Result<()> {
        stream.write_all(&self.bytes(""))
    }

    /// The whole message; `more` are further headers, each with its line end.
    fn bytes(&self, more: &str) -> Vec<u8> {
        let mut bytes = format!("{}\r\n{more}", self.first).into_bytes();
        for (name, value) in &self.headers {
            bytes.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
        }
        let length = self.body.len();
        bytes.extend_from_slice(format!("content-length: {length}\r\n\r\n").as_bytes());
        bytes.extend_from_slice(&self.body);
        bytes
    }

    /// Reads one whole; `None` where the other end closed before the first byte of it.
    pub fn read(reader: &mut impl BufRead) -> Result<Option<Self>> {
        let mut message = Self::default();
        if reader.read_line(&mut message.first)? == 0 {
            return Ok(None);
        }
        let mut length = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            if line == "\r\n" {
                break;
            }
            let (name, value) = line.split_once(':').ok_or(ErrorKind::InvalidData)?;
            let (name, value) = (name.to_ascii_lowercase(), value.trim().to_owned());
            if name == "content-length" {
                let wrong = |_| Error::from(ErrorKind::InvalidData);
                length = value.parse().map_err(wrong)?;
            }
            message.headers.push((name, value));
        }
        message.first.truncate(message.first.trim_end().len());
        message.body = vec![0; length];
        reader.read_exact(&mut message.body)?;
        Ok(Some(message))
    }
}

/// One kept connection, made when it is needed.
pub struct Line {
    address: SocketAddr,
    open: Option<(TcpStream, BufReader<TcpStream>)>,
}

impl Line {
    /// No connection yet: the first call makes it.
    pub fn new(address: SocketAddr) -> Self {
        Self {
            address,
            open: None,
        }
    }

    /// After an error the next call begins with a new connection.
    pub fn ask(&mut self, request: &Message) -> Result<Message> {
        let (mut stream, mut reader) = match self.open.take() {
            Some(open) => open,
            None => connect(self.address)?,
        };
        stream.write_all(&request.bytes(&format!("host: {}\r\n", self.address)))?;
        let answer = Message::read(&mut reader)?.ok_or(ErrorKind::UnexpectedEof)?;
        self.open = Some((stream, reader));
        Ok(answer)
    }

    /// The answer to a request, where only these statuses are as they must be.
    pub fn expect(&mut self, request: &Message, statuses: &[u16]) -> crate::Result<Message> {
        let (method, path) = request.named();
        let answer = self.ask(request);
        let answer = answer.map_err(|error| format!("{method} {path}: {error}"))?;
        match answer.status() {
            status if statuses.contains(&status) => Ok(answer),
            status => Err(format!("{method} {path}: {status}")),
        }
    }
}

fn connect(address: SocketAddr) -> Result<(TcpStream, BufReader<TcpStream>)> {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(ANSWER_LIMIT))?;
    Ok((stream.try_clone()?, BufReader::new(stream)))
}

/// Pairs as a query or a form has them.
pub fn query(pairs: &[(&str, &str)]) -> String {
    let part = |(name, value): &(&str, &str)| format!("{name}={}", escaped(value));
    pairs.iter().map(part).collect::<Vec<_>>().join("&")
}

fn escaped(text: &str) -> String {
    let escape = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
            char::from(byte).to_string()
        }
        other => format!("%{other:02X}"),
    };
    text.bytes().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_whole_messages_and_notices_cut_ones() {
        let bytes =
            b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-A: b:c\r\n\r\n{}HTTP/1.1 204 No\r\n\r\n";
        let mut reader = &bytes[..];
        let first = Message::read(&mut reader).unwrap().unwrap();
        assert_eq!((first.status(), first.text()), (200, "{}".to_owned()));
        assert_eq!(first.found("x-a"), Some("b:c"));
        assert_eq!(Message::read(&mut reader).unwrap().unwrap().status(), 204);
        assert!(Message::read(&mut reader).unwrap().is_none());
        for cut in [10, 30, 47, 49] {
            assert!(Message::read(&mut &bytes[..cut]).is_err(), "{cut}");
        }
    }

    #[test]
    fn values_are_escaped() {
        assert_eq!(query(&[("a", "b c"), ("d", "e@f")]), "a=b%20c&d=e%40f");
    }
}
