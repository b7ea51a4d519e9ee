//! A client that sends exactly the bytes it is told to.

use crate::openapi;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A request that is about to be sent.
#[derive(Clone, Debug)]
pub struct Call {
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    /// Whether the answer is held to the document.
    has_document: bool,
}

/// What came back.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Call {
    pub fn new(method: &str, target: impl Into<String>) -> Self {
        Self {
            method: method.into(),
            target: target.into(),
            headers: Vec::new(),
            body: Vec::new(),
            has_document: true,
        }
    }

    /// To a port of another kind: that of the metrics, or of the demo's till.
    pub fn elsewhere(mut self) -> Self {
        self.has_document = false;
        self
    }

    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        let length = self.body.len().to_string();
        self.header("Content-Length", length)
    }

    /// A body in one chunk, without its length before it.
    pub fn chunked(mut self, body: impl AsRef<str>) -> Self {
        let body = body.as_ref();
        self.body = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len()).into_bytes();
        self
    }

    /// Without the header that was added first.
    pub fn without_first(mut self, name: &str) -> Self {
        let at = self.headers.iter().position(|(known, _)| known == name);
        self.headers.remove(at.unwrap());
        self
    }

    pub async fn send(self, address: SocketAddr) -> Answer {
        Connection::open(address).await.send(self).await
    }

    fn bytes(&self, host: SocketAddr) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.target);
        if !self.headers.iter().any(|(name, _)| name == "Host") {
            head += &format!("Host: {host}\r\n");
        }
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        [head.as_bytes(), b"\r\n", &self.body].concat()
    }
}

/// A keep-alive connection.
pub struct Connection {
    stream: TcpStream,
    address: SocketAddr,
}

impl Connection {
    pub async fn open(address: SocketAddr) -> Self {
        Self::try_open(address).await.expect("the server accepts")
    }

    pub async fn try_open(address: SocketAddr) -> std::io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, address })
    }

    pub async fn send(&mut self, call: Call) -> Answer {
        self.try_send(call).await.expect("an answer")
    }

    pub async fn try_send(&mut self, call: Call) -> Option<Answer> {
        self.stream
            .write_all(&call.bytes(self.address))
            .await
            .ok()?;
        let answer = self.read(call.method == "HEAD").await?;
        if call.has_document {
            openapi::hold(self.address, &call.method, &call.target, &answer);
        }
        Some(answer)
    }

    /// `None` if the connection ends before a whole answer came.
    pub async fn read(&mut self, without_body: bool) -> Option<Answer> {
        let mut bytes = Vec::new();
        let head_end = loop {
            if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
                break at + 4;
            }
            self.more(&mut bytes).await?;
        };
        let head = String::from_utf8(bytes[..head_end].to_vec()).unwrap();
        let mut lines = head.lines();
        let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .collect();
        let length = headers.iter().find(|(name, _)| name == "content-length");
        let length = length.map_or(0, |(_, value)| value.parse().unwrap());
        let length = if without_body { 0 } else { length };
        while bytes.len() < head_end + length {
            self.more(&mut bytes).await?;
        }
        let body = String::from_utf8_lossy(&bytes[head_end..]).into_owned();
        Some(Answer {
            status,
            headers,
            body,
        })
    }

    /// Sends a call. False if the connection ends before a byte of an answer came.
    pub async fn begins(&mut self, call: &Call) -> bool {
        let sent = self.stream.write_all(&call.bytes(self.address)).await;
        sent.is_ok() && matches!(self.stream.peek(&mut [0]).await, Ok(1))
    }

    pub async fn write(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.unwrap();
    }

    async fn more(&mut self, bytes: &mut Vec<u8>) -> Option<()> {
        match self.stream.read_buf(bytes).await {
            Ok(0) | Err(_) => None,
            Ok(_) => Some(()),
        }
    }
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(known, _)| known == name);
        let first = found.next().map(|(_, value)| value.as_str());
        assert!(found.next().is_none(), "{name} is there twice");
        first
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("not JSON: {}", self.body))
    }

    /// The word of the problem; "" for an answer that is none.
    pub fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }

    /// A form of the page, with the hidden fields it has to send back.
    pub fn hidden_fields(&self) -> Vec<(String, String)> {
        let mut fields: Vec<(String, String)> = Vec::new();
        for field in self.body.split("<input type=\"hidden\" ").skip(1) {
            let name = attribute(field, "name");
            if fields.iter().all(|(known, _)| *known != name) {
                fields.push((name, attribute(field, "value")));
            }
        }
        fields
    }

    /// The value of `data-NAME` on the body element.
    pub fn data(&self, name: &str) -> String {
        let body = self.body.split("<body ").nth(1).expect("a page");
        attribute(body, &format!("data-{name}"))
    }

    /// The stores that the consent page offers.
    pub fn stores(&self) -> Vec<String> {
        self.body
            .split("name=\"store\" ")
            .skip(1)
            .map(|input| attribute(input, "value"))
            .collect()
    }
}

pub fn attribute(text: &str, name: &str) -> String {
    let tag = text.split('>').next().unwrap();
    let after = tag
        .split(&format!("{name}=\""))
        .nth(1)
        .unwrap_or_else(|| panic!("no {name} in {tag}"));
    after
        .split('"')
        .next()
        .unwrap()
        .replace("&#39;", "'")
        .replace("&amp;", "&")
}

/// `a=1&b=2`, encoded.
pub fn query(pairs: &[(&str, &str)]) -> String {
    let mut url = String::new();
    for (name, value) in pairs {
        pos_connect_protocol::query::append(&mut url, name, value);
    }
    url.trim_start_matches('?').to_owned()
}
