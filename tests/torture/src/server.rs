//! A small HTTP server over threads: what answers decides over the bare socket, so that it can answer badly.

use std::io::{self, BufReader};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use workbench::Result;
use workbench::http::Message;

/// Open until dropped; what is in the air then goes on.
pub struct Server {
    pub address: SocketAddr,
    is_open: Arc<AtomicBool>,
}

/// Answers a request on the socket. `reused`: it is not the connection's first one. Gives whether the connection stays
/// open.
pub trait Answers: Send + Sync + 'static {
    fn answer(&self, stream: &mut TcpStream, request: Message, reused: bool) -> io::Result<bool>;
}

impl Server {
    pub fn open(answers: impl Answers) -> Result<Self> {
        Self::on(listener()?, answers)
    }

    /// Where its address has to be known before what answers.
    pub fn on(listener: TcpListener, answers: impl Answers) -> Result<Self> {
        let address = listener.local_addr().map_err(|error| error.to_string())?;
        let is_open = Arc::new(AtomicBool::new(true));
        let server = Self {
            address,
            is_open: is_open.clone(),
        };
        let answers = Arc::new(answers);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(io::Result::ok) {
                if !is_open.load(Ordering::Relaxed) {
                    return;
                }
                let answers = answers.clone();
                // A browser that closes in the middle is nothing to tell.
                thread::spawn(move || serve(stream, &*answers).ok());
            }
        });
        Ok(server)
    }
}

pub fn listener() -> Result<TcpListener> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    listener.map_err(|error| format!("cannot listen: {error}"))
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_open.store(false, Ordering::Relaxed);
        // Wakes the thread that waits for a connection.
        TcpStream::connect(self.address).ok();
    }
}

fn serve(mut stream: TcpStream, answers: &impl Answers) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut reused = false;
    while let Some(request) = Message::read(&mut reader)? {
        if !answers.answer(&mut stream, request, reused)? {
            break;
        }
        reused = true;
    }
    stream.shutdown(Shutdown::Both)
}

/// An answer with a body.
pub fn reply(status: &str, kind: &str, body: impl Into<Vec<u8>>) -> Message {
    Message {
        first: format!("HTTP/1.1 {status}"),
        headers: vec![("content-type".to_owned(), kind.to_owned())],
        body: body.into(),
    }
}
