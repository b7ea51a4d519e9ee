//! Where messages go.

use super::{Message, masked};
use crate::clock::Timestamp;
use crate::webhook::{self, Event, Webhook, check_url};
use serde::Serialize;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// What `--messages` says.
#[derive(Clone, Debug, PartialEq)]
pub enum Destination {
    /// `log`
    Log,
    /// `file:PATH`
    File(PathBuf),
    /// `webhook:URL`
    Webhook(String),
}

/// Where messages go. No `Debug`: it may hold a secret.
#[derive(Clone)]
pub enum Outlet {
    /// A line in the service's log, with a masked number and without the link. For trying things out: nobody gets the
    /// message.
    Log,
    /// A line of JSON in a file: `{ "id", "phone", "text", "locale" }`. For a program that sends what it finds there.
    File(PathBuf),
    /// A signed call to a receiver.
    Webhook(Arc<Webhook>),
}

#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    phone: &'a str,
    text: &'a str,
    locale: &'a str,
}

/// What a receiver reads.
#[derive(Serialize)]
struct Data<'a> {
    to: &'a str,
    text: &'a str,
    locale: &'a str,
}

impl Destination {
    /// Reads `log`, `file:PATH` or `webhook:URL`.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "log" => Ok(Self::Log),
            Some(("file", path)) if !path.is_empty() => Ok(Self::File(path.into())),
            Some(("webhook", url)) => check_url(url).map(|()| Self::Webhook(url.into())),
            _ => Err("must be log, file:PATH, or webhook:URL".into()),
        }
    }

    /// The file, if it is one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Log | Self::Webhook(_) => None,
        }
    }
}

impl fmt::Display for Destination {
    /// Without the webhook's address, which may hold a secret of its receiver.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Log => f.write_str("log"),
            Self::File(path) => write!(f, "file:{}", path.display()),
            Self::Webhook(_) => f.write_str("webhook"),
        }
    }
}

impl Outlet {
    /// The outlet to a destination. A file has to take lines; a webhook needs the secret that it signs with.
    pub fn open(destination: &Destination, secret: Option<&str>) -> Result<Self, String> {
        Ok(match destination {
            Destination::Log => Self::Log,
            Destination::File(path) => {
                opened(path)?;
                Self::File(path.clone())
            }
            Destination::Webhook(url) => {
                let missing = "a webhook needs --messages-secret-file, or the secret in POS_CONNECT_MESSAGES_SECRET";
                let secret = secret.ok_or(missing)?;
                let webhook = Webhook::new(url.clone(), &[secret], webhook::client()?)?;
                Self::Webhook(Arc::new(webhook))
            }
        })
    }

    /// Resolves once the message cannot be lost any more.
    pub(super) async fn hand_over(&self, message: Message, now: Timestamp) -> Result<(), String> {
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
                written.await.map_err(|error| error.to_string())?
            }
            Self::Webhook(webhook) => {
                let Message {
                    id,
                    phone,
                    text,
                    locale,
                } = &message;
                let event = Event {
                    id,
                    kind: "receipt.message",
                    at: now,
                    data: Data {
                        to: phone,
                        text,
                        locale,
                    },
                };
                let posted = webhook.post(&event, now).await;
                posted.map_err(|undelivered| undelivered.to_string())
            }
        }
    }
}

static WRITING: Mutex<()> = Mutex::new(());

/// The file, made for its owner only.
fn opened(path: &Path) -> Result<File, String> {
    let mut options = OpenOptions::new();
    options.append(true).read(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
        .open(path)
        .map_err(|error| cannot_write(path, &error))
}

fn cannot_write(path: &Path, error: &io::Error) -> String {
    format!("cannot write {}: {error}", path.display())
}

fn append(path: &Path, message: &Message) -> Result<(), String> {
    let Message {
        id,
        phone,
        text,
        locale,
    } = message;
    let line = serde_json::to_vec(&Line {
        id,
        phone,
        text,
        locale,
    });
    let mut line = line.map_err(|error| error.to_string())?;
    line.push(b'\n');
    // What one message cuts off again must not be another's.
    let _alone = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut file = opened(path)?;
    let written = append_to(&mut file, line);
    written.map_err(|error| cannot_write(path, &error))
}

/// One write: a reader never sees half a line, and two programs do not mix theirs. On a full disk, the half that was
/// written goes again; a power cut may have left another.
fn append_to(file: &mut File, mut line: Vec<u8>) -> io::Result<()> {
    let length = file.seek(SeekFrom::End(0))?;
    if length > 0 {
        let mut last = [0];
        file.seek(SeekFrom::Start(length - 1))?;
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            line.insert(0, b'\n');
        }
    }
    let written = file.write_all(&line).and_then(|()| file.sync_data());
    if written.is_err() {
        file.set_len(length)?;
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_line_swallows_no_message() {
        let path = std::env::temp_dir().join(format!("pos-connect-outlet-{}", std::process::id()));
        std::fs::write(&path, "{\"id\":\"ha").unwrap();
        for line in ["one\n", "two\n"] {
            append_to(&mut opened(&path).unwrap(), line.into()).unwrap();
        }
        assert_eq!(
            std::fs::read_to_string(&path).unwrap(),
            "{\"id\":\"ha\none\ntwo\n"
        );
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_destination_is_named() {
        assert_eq!(Destination::parse("log"), Ok(Destination::Log));
        let file = Destination::File("/a:b".into());
        assert_eq!(Destination::parse("file:/a:b"), Ok(file));
        let url = "https://hooks.example/a";
        let webhook = Destination::parse(&format!("webhook:{url}")).unwrap();
        assert_eq!(webhook, Destination::Webhook(url.into()));
        assert!(
            Outlet::open(&webhook, None)
                .err()
                .unwrap()
                .contains("--messages-secret-file")
        );
        for wrong in [
            "",
            "file",
            "file:",
            "logs",
            "https://x.example",
            "webhook:",
            "webhook:x",
        ] {
            assert!(Destination::parse(wrong).is_err(), "{wrong}");
        }
    }
}
