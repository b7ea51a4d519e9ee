//! Where messages go.

use super::{Message, masked};
use crate::clock::Timestamp;
use crate::retry::LONGEST_WAIT;
use crate::webhook::{self, Event, Undelivered, Webhook, check_url};
use pos_connect_foundation::private::warn_if_shared;
use serde::Serialize;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
    Webhook(Arc<Receiver>),
}

/// The program that sends text messages. No `Debug`: it holds a secret.
pub struct Receiver {
    webhook: Webhook,
    /// Until then it wants to be left alone.
    quiet_until: Mutex<Timestamp>,
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
    /// Leaves out the webhook's address, which may hold a secret of its receiver.
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
                warn_if_shared(path);
                Self::File(path.clone())
            }
            Destination::Webhook(url) => {
                let missing = "a webhook needs --messages-secret-file, or the secret in POS_CONNECT_MESSAGES_SECRET";
                let secret = secret.ok_or(missing)?;
                let webhook = Webhook::new(url.clone(), &[secret], webhook::client())?;
                Self::Webhook(Arc::new(Receiver {
                    webhook,
                    quiet_until: Mutex::new(Timestamp(0)),
                }))
            }
        })
    }

    /// Whether its receiver has asked to be left alone, and that time is not over. A clock that was set back ends it.
    pub(super) fn is_quiet(&self, now: Timestamp) -> bool {
        match self {
            Self::Log | Self::File(_) => false,
            Self::Webhook(receiver) => {
                let until = *locked(&receiver.quiet_until);
                now < until && until <= now.after(LONGEST_WAIT)
            }
        }
    }

    /// Resolves once the message cannot be lost any more.
    pub(super) async fn hand_over(
        &self,
        message: Message,
        now: Timestamp,
    ) -> Result<(), Undelivered> {
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
                let written = written.await.map_err(|error| error.to_string());
                written.flatten().map_err(Undelivered::Unwritten)
            }
            Self::Webhook(receiver) => {
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
                let posted = receiver.webhook.post(&event, now).await;
                if let Some(until) = posted.as_ref().err().and_then(|why| why.not_before(now)) {
                    *locked(&receiver.quiet_until) = until;
                }
                posted
            }
        }
    }
}

/// A line on its way into a file.
struct Waiting {
    path: PathBuf,
    line: Vec<u8>,
    written: Sender<Result<(), String>>,
}

/// Whoever writes takes all along that wait: they share one flush to the disk.
static WAITING: Mutex<Vec<Waiting>> = Mutex::new(Vec::new());
/// What one writer cuts off again must not be another's.
static WRITING: Mutex<()> = Mutex::new(());

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

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
    let (written, outcome) = channel();
    let path = path.to_owned();
    locked(&WAITING).push(Waiting {
        path,
        line,
        written,
    });
    let alone = locked(&WRITING);
    // Ours is among them, or the writer before took it along.
    let mut waiting = std::mem::take(&mut *locked(&WAITING));
    while let Some(first) = waiting.first() {
        let path = first.path.clone();
        let (these, others) = waiting.into_iter().partition(|one| one.path == path);
        write_together(&path, these);
        waiting = others;
    }
    drop(alone);
    let lost = |_| "the writer of the file broke off".to_owned();
    outcome.recv().map_err(lost)?
}

fn write_together(path: &Path, waiting: Vec<Waiting>) {
    let lines = waiting.iter().flat_map(|one| &one.line).copied().collect();
    let written = opened(path).and_then(|mut file| {
        append_to(&mut file, lines).map_err(|error| cannot_write(path, &error))
    });
    for one in waiting {
        // Whoever does not wait any more tries again.
        let _ = one.written.send(written.clone());
    }
}

/// Whole lines in one write: a reader never sees half of one, and two programs do not mix theirs. On a full disk, what
/// was written goes again; a power cut may have left half a line.
fn append_to(file: &mut File, mut lines: Vec<u8>) -> io::Result<()> {
    let length = file.seek(SeekFrom::End(0))?;
    if length > 0 {
        let mut last = [0];
        file.seek(SeekFrom::Start(length - 1))?;
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            lines.insert(0, b'\n');
        }
    }
    let written = file.write_all(&lines).and_then(|()| file.sync_data());
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
    fn all_that_wait_are_written_together() {
        let path =
            std::env::temp_dir().join(format!("pos-connect-together-{}", std::process::id()));
        let message = |number: usize| Message {
            id: format!("msg_{number}"),
            phone: "+972502345678".into(),
            text: "Your receipt".into(),
            locale: "en",
        };
        let ours = || {
            let waiting = locked(&WAITING);
            waiting.iter().filter(|one| one.path == path).count()
        };
        std::thread::scope(|scope| {
            let alone = locked(&WRITING);
            for number in 0..5 {
                let path = &path;
                scope.spawn(move || append(path, &message(number)).unwrap());
            }
            while ours() < 5 {
                std::thread::yield_now();
            }
            drop(alone);
        });
        assert_eq!(ours(), 0);
        let text = std::fs::read_to_string(&path).unwrap();
        for number in 0..5 {
            assert_eq!(text.matches(&format!("\"msg_{number}\"")).count(), 1);
        }
        std::fs::remove_file(&path).unwrap();
    }

    /// None of them is lost, and none is there twice.
    #[test]
    fn what_cannot_be_written_is_said_to_all() {
        let nowhere = std::env::temp_dir().join("pos-connect-nowhere/messages.jsonl");
        let (written, outcome) = channel();
        let waiting = [1, 2].map(|_| Waiting {
            path: nowhere.clone(),
            line: b"{}\n".to_vec(),
            written: written.clone(),
        });
        write_together(&nowhere, waiting.into());
        for _ in 0..2 {
            let error = outcome.recv().unwrap().unwrap_err();
            assert!(error.contains("cannot write"), "{error}");
        }
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
