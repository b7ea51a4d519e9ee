//! `doctor`: looks at everything that the service stands on, and says what to do where something is wrong. It changes
//! nothing, sends no message, and every wait of it has an end.

mod clock;
mod database;
mod outlets;
mod public_url;

use crate::clock::Clock;
use crate::message::Destination;
use crate::service::{Settings, client};
use axum::http::{HeaderMap, Method, Uri};
use clock::Reading;
use pos_connect_foundation::client::{Call, CallError, Client};
use serde::Serialize;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// The longest wait for a check whose own parts have no limit.
const LIMIT: Duration = Duration::from_secs(6);
/// A certificate that ends within so many days should have been renewed.
const CERTIFICATE_DAYS: u64 = 14;
const DAY: u64 = 24 * 60 * 60;

/// How a check ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Outcome {
    /// As it should be.
    Ok,
    /// It works, and somebody should look at it.
    Warning,
    /// It does not work.
    Fault,
}

/// What a check found. It holds no secret.
#[derive(Debug, Serialize)]
pub(crate) struct Finding {
    /// What was looked at, as `database`.
    pub check: String,
    /// How it ended.
    pub outcome: Outcome,
    /// What was found.
    pub found: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

/// One line: the outcome, the check, what was found, and the advice.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let outcome = match self.outcome {
            Outcome::Ok => "ok",
            Outcome::Warning => "warning",
            Outcome::Fault => "fault",
        };
        write!(f, "{outcome:<8} {:<12} {}", self.check, self.found)?;
        match &self.advice {
            Some(advice) => write!(f, "; {advice}"),
            None => Ok(()),
        }
    }
}

/// What is examined. No `Debug`: it holds secrets.
pub(crate) struct Installation {
    /// Its database.
    pub database: String,
    /// Bytes of the reserve beside it.
    pub reserve: u64,
    /// What `serve` would run with.
    pub settings: Settings,
    /// Where messages go.
    pub destination: Destination,
    /// Where it listens.
    pub listen: SocketAddr,
}

/// The findings so far, and the clocks that were seen.
#[derive(Default)]
pub(crate) struct Report {
    pub findings: Vec<Finding>,
    clocks: Vec<Reading>,
}

impl Report {
    pub fn ok(&mut self, check: &str, found: impl Into<String>) {
        self.add(Outcome::Ok, check, found.into(), None);
    }

    fn warn(&mut self, check: &str, found: impl Into<String>, advice: impl Into<String>) {
        self.add(Outcome::Warning, check, found.into(), Some(advice.into()));
    }

    pub fn fault(&mut self, check: &str, found: impl Into<String>, advice: impl Into<String>) {
        self.add(Outcome::Fault, check, found.into(), Some(advice.into()));
    }

    fn add(&mut self, outcome: Outcome, check: &str, found: String, advice: Option<String>) {
        self.findings.push(Finding {
            check: check.into(),
            outcome,
            found,
            advice,
        });
    }

    fn append(&mut self, other: Self) {
        self.findings.extend(other.findings);
        self.clocks.extend(other.clocks);
    }
}

/// What the checks share.
struct Doctor<'i> {
    installation: &'i Installation,
    client: Arc<Client>,
    clock: Clock,
}

/// Looks at an installation, and reports what was found.
pub(crate) async fn examine(installation: &Installation, clock: Clock, report: &mut Report) {
    let doctor = Doctor {
        installation,
        client: client(),
        clock,
    };
    let store = doctor.database(report).await;
    let (public, messages, providers, vendors) = tokio::join!(
        doctor.public_url(store.as_ref()),
        doctor.messages(store.as_ref()),
        doctor.providers(),
        doctor.vendors(store.as_ref()),
    );
    for part in [public, messages, providers, vendors] {
        report.append(part);
    }
    clock::compare(report);
}

impl Doctor<'_> {
    /// Connects to a server and says for how long its certificate is valid; then asks it for its clock, by a call to
    /// its root. False if it was not reached.
    async fn server(&self, check: &str, url: &str, report: &mut Report) -> bool {
        let days = match self.client.connect(url).await {
            Ok(end) => end.map(|end| self.clock.now().seconds_until(end) / DAY),
            Err(error) => {
                let (found, advice) = unconnected(&error);
                report.fault(check, found, advice);
                return false;
            }
        };
        let call = Call {
            method: Method::GET,
            url: root(url),
            headers: HeaderMap::new(),
            body: Default::default(),
        };
        if let Ok((_, headers)) = self.client.head(call).await {
            report
                .clocks
                .extend(Reading::of(check, &headers, self.clock.now()));
        }
        match days {
            Some(days) if days < CERTIFICATE_DAYS => report.warn(
                check,
                format!("its certificate ends in {days} days"),
                "see why it was not renewed",
            ),
            Some(days) => report.ok(check, format!("its certificate is valid for {days} days")),
            None => report.ok(check, "it is reached, without TLS on this machine"),
        }
        true
    }
}

/// Where a server is, without the path: some receivers do their work at every call to theirs, whatever its method.
fn root(url: &str) -> String {
    let uri: Uri = url.parse().unwrap_or_default();
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    format!("{}://{authority}/", uri.scheme_str().unwrap_or_default())
}

/// What is wrong with a server that is not reached, and what to do.
fn unconnected(error: &CallError) -> (String, &'static str) {
    match error {
        CallError::Untrusted(why) => (
            format!("its certificate is not trusted: {why}"),
            "renew it, let the server send the whole chain, or name your own CA's file in SSL_CERT_FILE",
        ),
        CallError::Unreached(why) => (
            format!("it is not reached: {why}"),
            "start it, or correct its address, DNS, or the firewall between",
        ),
        CallError::Cut(why) => (
            format!("the connection broke: {why}"),
            "look into the log of that server",
        ),
        CallError::TimedOut => (
            "it does not answer in time".into(),
            "look whether that server is overloaded, or the firewall between drops calls",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_is_not_called_where_it_takes_messages() {
        for (url, root_of_it) in [
            ("https://sms.example/hooks/7?key=k", "https://sms.example/"),
            ("http://127.0.0.1:9/hook", "http://127.0.0.1:9/"),
            ("https://[::1]:8443", "https://[::1]:8443/"),
        ] {
            assert_eq!(root(url), root_of_it);
        }
    }
}
