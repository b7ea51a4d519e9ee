//! How commands run, what they print, and where the log goes.

use crate::trace;
use age::x25519::Recipient;
use axum::http::Uri;
use clap::Args;
use opentelemetry_sdk::trace::SdkTracerProvider;
use pos_connect_protocol::text::is_control;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Duration;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{FilterExt, LevelFilter, Targets, filter_fn};
use tracing_subscriber::layer::{Filter, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

/// Something the operator can mend; printed as it is.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Longest wait for the last traces to be exported.
const LAST_TRACES: Duration = Duration::from_secs(2);

/// Runs a command of a program to its end.
pub fn run(
    program: &'static str,
    telemetry: &Telemetry,
    command: impl Future<Output = Result<(), Failure>>,
) -> ExitCode {
    let run = || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()?;
        let collector = telemetry.otlp_endpoint.as_deref();
        let spans = trace::provider(program, collector, runtime.handle())?;
        log_to_stderr(telemetry.log_format, &spans);
        let outcome = runtime.block_on(command);
        if let Err(error) = spans.shutdown_with_timeout(LAST_TRACES) {
            tracing::warn!(%error, "the last traces are not exported");
        }
        outcome
    };
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {}", harmless(&failure.to_string()));
            ExitCode::FAILURE
        }
    }
}

/// Prints one line of JSON, or text for people: `none` where a list has nothing. A secret that could not be printed is
/// lost, so that is a failure.
pub fn print(
    json: bool,
    value: &impl Serialize,
    text: impl FnOnce() -> String,
) -> Result<(), Failure> {
    let line = if json {
        serde_json::to_string(value)?
    } else {
        Some(text())
            .filter(|text| !text.is_empty())
            .unwrap_or_else(|| "none".to_owned())
    };
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{}", harmless(&line))?;
    Ok(stdout.flush()?)
}

/// A text with each character escaped that a terminal would obey, or that changes how others are read: somebody else
/// may have written it. The escapes are those of JSON, which has these characters only in its strings.
fn harmless(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => shown.push('\n'),
            _ if is_control(character) => shown += &format!("\\u{:04x}", u32::from(character)),
            _ => shown.push(character),
        }
    }
    shown
}

/// Who runs the commands, for the audit: `operator NAME`, as far as the machine says a name.
pub fn operator() -> String {
    let name = std::env::var("SUDO_USER").or_else(|_| std::env::var("USER"));
    let name = name.unwrap_or_default();
    let letters = name.chars().filter(|letter| letter.is_ascii_graphic());
    let name: String = letters.take(32).collect();
    format!("operator {name}").trim_end().to_owned()
}

/// Options of `backup`.
#[derive(Args)]
pub struct BackupOptions {
    /// The copy, which is not there yet, or a folder: then its name is the database's and the time
    #[arg(value_name = "FILE")]
    pub(crate) to: PathBuf,
    /// Encrypt the copy to this public key of age (repeatable); else POS_CONNECT_BACKUP_RECIPIENT has them
    #[arg(long = "recipient", value_name = "KEY", env = "POS_CONNECT_BACKUP_RECIPIENT", hide_env = true,
        value_delimiter = ',', value_parser = recipient)]
    pub(crate) recipients: Vec<Recipient>,
    /// Erase all copies of this database in the folder but the newest N, once the new one is whole
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) keep: Option<u32>,
}

fn recipient(text: &str) -> Result<Recipient, String> {
    let parsed = text.parse();
    parsed.map_err(|why: &str| format!("{why}; a public key of age is age1 and 58 more characters"))
}

/// Options of how a program that serves tells what it does.
#[derive(Args, Clone, Default)]
pub struct Telemetry {
    /// How the log is written: text or json
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub log_format: LogFormat,
    /// Export traces to this collector, by OTLP over HTTP as JSON
    #[arg(long, value_name = "URL", value_parser = collector)]
    pub otlp_endpoint: Option<String>,
}

fn collector(text: &str) -> Result<String, String> {
    let url = text.parse::<Uri>().map_err(|why| why.to_string())?;
    match url.scheme_str() {
        Some("http" | "https") => Ok(text.to_owned()),
        _ => Err("it begins with http:// or https://".into()),
    }
}

/// How a line of the log looks.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// An object in each line.
    Json,
}

impl FromStr for LogFormat {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err("the log is `text` or `json`".into()),
        }
    }
}

/// `RUST_LOG` as usual (`debug`, `pos_connect_relay=trace`); stdout belongs to what a command answers.
fn log_to_stderr(format: LogFormat, spans: &SdkTracerProvider) {
    let asked = std::env::var("RUST_LOG").ok();
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(false);
    let lines = match format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    tracing_subscriber::registry()
        .with(lines.with_filter(logged(asked.as_deref())))
        .with(trace::layer(spans))
        .init();
}

/// What the log has: what `RUST_LOG` asks for, else what is of interest. `webauthn-rs` has no lines there: as an error,
/// it logs what a client has sent (`webauthn_rs_core::internals`, version 0.6).
fn logged<S>(asked: Option<&str>) -> impl Filter<S> + use<S> {
    let asked = asked.and_then(|asked| asked.parse::<Targets>().ok());
    let targets = asked.unwrap_or_else(|| Targets::new().with_default(tracing::Level::INFO));
    // A line names its request already.
    let targets = targets.with_target(trace::TARGET, LevelFilter::OFF);
    targets.and(filter_fn(|line| !line.target().starts_with("webauthn_rs")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn what_a_terminal_would_obey_is_escaped_and_json_means_the_same() {
        let name = "Bäckerei\u{1b}[2J\r\u{7f}\u{9b}\u{202e}שלו\n";
        let shown = "Bäckerei\\u001b[2J\\u000d\\u007f\\u009b\\u202eשלו\n";
        assert_eq!(harmless(name), shown);
        let json = harmless(&serde_json::to_string(name).unwrap());
        assert!(!json.contains(is_control), "{json:?}");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), name);
    }

    #[test]
    fn what_a_client_has_sent_is_not_logged_whatever_is_asked_for() {
        for asked in [
            None,
            Some("trace"),
            Some("webauthn_rs_core::internals=trace"),
        ] {
            let (read, write) = std::io::pipe().unwrap();
            let lines = tracing_subscriber::fmt::layer().with_writer(Mutex::new(write));
            let lines = tracing_subscriber::registry().with(lines.with_filter(logged(asked)));
            tracing::subscriber::with_default(lines, || {
                tracing::error!(target: "webauthn_rs_core::internals", "canary");
                tracing::error!(target: "webauthn_rs::interface", "canary");
                tracing::error!(target: "ours", "heard");
            });
            let log = std::io::read_to_string(read).unwrap();
            assert!(!log.contains("canary"), "{asked:?}: {log}");
            let is_heard = asked.is_none_or(|asked| asked == "trace");
            assert_eq!(log.contains("heard"), is_heard, "{asked:?}");
        }
    }
}
