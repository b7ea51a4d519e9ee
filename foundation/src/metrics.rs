//! What is counted, in the text format of Prometheus. Counts begin with the process, and hold no name of a vendor, a
//! merchant or a shopper.

use crate::server::Server;
use axum::Router;
use axum::extract::Request;
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};
use std::sync::LazyLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::watch;

/// Upper ends in seconds: from a read in memory to the longest wait for a database.
const BUCKETS: [f64; 10] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10.0,
];

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct Answered {
    method: &'static str,
    path: &'static str,
    status: u16,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct Path {
    path: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct Event {
    event: &'static str,
}

#[derive(Clone, Debug, EncodeLabelSet, Eq, Hash, PartialEq)]
struct State {
    state: &'static str,
}

#[derive(Default)]
struct Metrics {
    requests: Family<Answered, Counter>,
    upstream: Family<Answered, Counter>,
    events: Family<Event, Counter>,
    messages: Family<State, Gauge>,
    webhooks: Family<State, Gauge>,
    disabled_webhooks: Gauge,
    over_quota: Counter,
}

static METRICS: LazyLock<Metrics> = LazyLock::new(Metrics::default);
type Durations = Family<Path, Histogram, fn() -> Histogram>;

static DURATIONS: LazyLock<Durations> =
    LazyLock::new(|| Family::new_with_constructor(|| Histogram::new(BUCKETS)));

/// A request was answered, after so long.
pub fn answered(path: &'static str, method: &Method, status: StatusCode, took: Duration) {
    let labels = Answered {
        method: known(method),
        path,
        status: status.as_u16(),
    };
    METRICS.requests.get_or_create(&labels).inc();
    let duration = DURATIONS.get_or_create(&Path { path });
    duration.observe(took.as_secs_f64());
}

/// A call to the service was answered with this status; 0 if it was not answered.
pub fn called(path: &'static str, method: &Method, status: u16) {
    let labels = Answered {
        method: known(method),
        path,
        status,
    };
    METRICS.upstream.get_or_create(&labels).inc();
}

/// Something happened that the audit has, too.
pub fn happened(event: &'static str) {
    METRICS.events.get_or_create(&Event { event }).inc();
}

/// Says how many messages are in this state now.
pub fn messages(state: &'static str, count: i64) {
    METRICS.messages.get_or_create(&State { state }).set(count);
}

/// Says how many events for vendors are in this state now.
pub fn webhooks(state: &'static str, count: i64) {
    METRICS.webhooks.get_or_create(&State { state }).set(count);
}

/// Says how many webhooks are disabled now.
pub fn disabled_webhooks(count: i64) {
    METRICS.disabled_webhooks.set(count);
}

/// A call was refused because too much is stored for its store.
pub fn over_quota() {
    METRICS.over_quota.inc();
}

/// Callers choose methods, and each would be a row of its own for ever.
fn known(method: &Method) -> &'static str {
    const KNOWN: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    let mut known = KNOWN.into_iter();
    known
        .find(|name| method.as_str() == *name)
        .unwrap_or("other")
}

/// Answers Prometheus until `stop` turns true, if that is wanted.
pub async fn serve(server: Option<Server>, router: Router, stop: watch::Receiver<bool>) {
    if let Some(server) = server {
        tracing::info!(listen = %server.address(), "metrics are at /metrics");
        server.run(router, stop).await;
    }
}

/// `/metrics` and nothing else. `look` is done before each answer.
pub fn router<W>(
    version: &'static str,
    look: impl Fn() -> W + Clone + Send + Sync + 'static,
) -> Router
where
    W: Future<Output = ()> + Send,
{
    let begun = SystemTime::now().duration_since(UNIX_EPOCH);
    let begun = begun.map_or(0, |since| since.as_secs() as i64);
    Router::new().route(
        "/metrics",
        get(async move |_: Request| {
            look().await;
            answer(version, begun)
        }),
    )
}

fn answer(version: &'static str, begun: i64) -> Response {
    let mut text = String::new();
    if encode(&mut text, &registry(version, begun)).is_err() {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    }
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (headers, text).into_response()
}

fn registry(version: &'static str, begun: i64) -> Registry {
    let mut all = Registry::with_prefix("pos_connect");
    let counted = &*METRICS;
    all.register("requests", "Answered requests", counted.requests.clone());
    let duration = "Time from a request's head to its answer";
    all.register_with_unit(
        "request_duration",
        duration,
        Unit::Seconds,
        DURATIONS.clone(),
    );
    let upstream = "Calls to the service; status 0 is no answer";
    all.register("upstream_requests", upstream, counted.upstream.clone());
    let events = "What the audit has, by event";
    all.register("events", events, counted.events.clone());
    let messages = "Text messages that are not delivered";
    all.register("messages", messages, counted.messages.clone());
    all.register("build", "The release", Info::new([("version", version)]));
    let webhooks = "Events that vendors were not told";
    all.register("webhooks", webhooks, counted.webhooks.clone());
    let disabled = "Webhooks whose receiver wants no more events";
    all.register(
        "disabled_webhooks",
        disabled,
        counted.disabled_webhooks.clone(),
    );
    let over = "Calls refused because too much is stored for a store";
    all.register("storage_refusals", over, counted.over_quota.clone());
    let start = Gauge::<i64>::default();
    start.set(begun);
    let since = "When the process began, in seconds since 1970";
    all.register_with_unit("start_time", since, Unit::Seconds, start);
    if let Some(bytes) = resident_memory() {
        let resident = Gauge::<i64>::default();
        resident.set(bytes);
        all.register_with_unit("resident_memory", "Memory in use", Unit::Bytes, resident);
    }
    all
}

/// The program's memory in bytes, as Linux says; elsewhere it is not known.
fn resident_memory() -> Option<i64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: i64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted_is_shown_and_strange_methods_share_a_row() {
        let took = Duration::from_millis(3);
        for method in ["GET", "BREW", "PROPFIND"] {
            let method = Method::from_bytes(method.as_bytes()).unwrap();
            answered("/v1/test", &method, StatusCode::OK, took);
        }
        happened("test.event");
        over_quota();
        called("/v1/test", &Method::GET, 0);
        messages("queued", 3);
        let mut text = String::new();
        encode(&mut text, &registry("1.2.3", 7)).unwrap();
        for line in [
            r#"pos_connect_requests_total{method="GET",path="/v1/test",status="200"} 1"#,
            r#"pos_connect_requests_total{method="other",path="/v1/test",status="200"} 2"#,
            r#"pos_connect_request_duration_seconds_bucket{le="0.005",path="/v1/test"} 3"#,
            "# TYPE pos_connect_request_duration_seconds histogram",
            r#"pos_connect_upstream_requests_total{method="GET",path="/v1/test",status="0"} 1"#,
            r#"pos_connect_request_duration_seconds_count{path="/v1/test"} 3"#,
            r#"pos_connect_events_total{event="test.event"} 1"#,
            r#"pos_connect_messages{state="queued"} 3"#,
            "pos_connect_storage_refusals_total 1",
            r#"pos_connect_build_info{version="1.2.3"} 1"#,
            "pos_connect_start_time_seconds 7",
            "# EOF",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        let is_known = resident_memory().is_some();
        assert_eq!(
            text.contains("pos_connect_resident_memory_bytes "),
            is_known
        );
    }
}
