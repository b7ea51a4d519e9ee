//! Where messages go.

use super::{Message, masked};
use serde::Serialize;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Where messages go.
#[derive(Clone, Debug, PartialEq)]
pub enum Outlet {
    /// A line in the service's log, with a masked number and without the link. For trying things out: nobody gets the
    /// message.
    Log,
    /// A line of JSON in a file: `{ "id", "phone", "text", "locale" }`. For a program that sends what it finds there.
    File(PathBuf),
}

#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    phone: &'a str,
    text: &'a str,
    locale: &'a str,
}

impl Outlet {
    /// Reads `log` or `file:PATH`.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "log" => Ok(Self::Log),
            Some(("file", path)) if !path.is_empty() => Ok(Self::File(path.into())),
            _ => Err("must be log, or file:PATH".into()),
        }
    }

    /// The file, if it is one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::Log => None,
            Self::File(path) => Some(path),
        }
    }

    /// Resolves once the message cannot be lost any more.
    pub(super) async fn hand_over(&self, message: Message) -> io::Result<()> {
        match self {
            Self::Log => {
                let phone = masked(&message.phone);
                tracing::info!(
                    message = message.id,
                    phone,
                    "a receipt is ready; the log delivers to nobody"
                );
                Ok(())
            }
            Self::File(path) => {
                let path = path.clone();
                let written = tokio::task::spawn_blocking(move || append(&path, &message));
                written.await.map_err(io::Error::other)?
            }
        }
    }
}

fn append(path: &Path, message: &Message) -> io::Result<()> {
    let Message {
        id,
        phone,
        text,
        locale,
    } = message;
    let mut line = serde_json::to_vec(&Line {
        id,
        phone,
        text,
        locale,
    })?;
    line.push(b'\n');
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    // One write: a reader never sees half a line, and two programs do not mix theirs.
    file.write_all(&line)?;
    file.sync_data()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outlet_is_named() {
        assert_eq!(Outlet::parse("log"), Ok(Outlet::Log));
        assert_eq!(Outlet::parse("file:/a:b"), Ok(Outlet::File("/a:b".into())));
        for wrong in ["", "file", "file:", "logs", "https://x.example"] {
            assert!(Outlet::parse(wrong).is_err(), "{wrong}");
        }
    }
}
