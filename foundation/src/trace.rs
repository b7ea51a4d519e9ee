//! Traces, as [W3C Trace Context](https://www.w3.org/TR/trace-context/) has them: taken from a call that comes in,
//! passed on with those that go out, kept with what is delivered later, and exported by OTLP.

use crate::client::{Call, Client, Patience};
use crate::command::Failure;
use async_trait::async_trait;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, Uri};
use hyper::body::Bytes;
use opentelemetry::propagation::{Extractor, Injector, TextMapPropagator};
use opentelemetry::trace::TracerProvider;
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracerProvider;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::runtime::Handle;
use tracing::field::Empty;
use tracing::{Level, Span, Subscriber};
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::registry::LookupSpan;

/// What the log leaves out.
pub(crate) const TARGET: &str = "pos_connect::trace";
const TRACEPARENT: HeaderName = HeaderName::from_static(PARENT);
const PARENT: &str = "traceparent";

/// Whether a call without a parent begins a trace.
static EXPORTS: AtomicBool = AtomicBool::new(false);

/// Where the spans go: to a collector, or nowhere. The library reads the `OTEL_*` variables.
pub(crate) fn provider(
    program: &'static str,
    collector: Option<&str>,
    runtime: &Handle,
) -> Result<SdkTracerProvider, Failure> {
    let resource = Resource::builder().with_service_name(program).build();
    let spans = SdkTracerProvider::builder().with_resource(resource);
    let Some(collector) = collector else {
        return Ok(spans.build());
    };
    let exporter = SpanExporter::builder()
        .with_http()
        .with_protocol(Protocol::HttpJson)
        .with_endpoint(format!("{}/v1/traces", collector.trim_end_matches('/')))
        .with_http_client(Transport {
            client: Arc::new(Client::new(program, Patience::default())),
            runtime: runtime.clone(),
        })
        .build()?;
    EXPORTS.store(true, Ordering::Relaxed);
    Ok(spans.with_batch_exporter(exporter).build())
}

/// Gives the spans to their provider.
pub(crate) fn layer<S>(provider: &SdkTracerProvider) -> impl Layer<S>
where
    S: Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
{
    tracing_opentelemetry::layer()
        .with_tracer(provider.tracer("pos-connect"))
        .with_location(false)
        .with_threads(false)
        .with_tracked_inactivity(false)
        .with_target(false)
        .with_filter(Targets::new().with_target(TARGET, Level::INFO))
}

/// The span of a call that has come in. There is none if the caller has no trace and nothing is exported.
pub(crate) fn incoming(path: &str, method: &str, headers: &HeaderMap, request_id: &str) -> Span {
    let parent = headers
        .get(TRACEPARENT)
        .and_then(|parent| parent.to_str().ok());
    if parent.is_none() && !EXPORTS.load(Ordering::Relaxed) {
        return Span::none();
    }
    let span = tracing::info_span!(
        target: TARGET,
        "incoming",
        otel.name = format!("{method} {path}"),
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = method,
        http.route = path,
        http.response.status_code = Empty,
        error.type = Empty,
        request_id,
    );
    follow(&span, parent);
    span
}

/// The span of a call that goes out within another span, which the call then names as its parent.
pub(crate) fn outgoing(method: &Method, url: &str, headers: &mut HeaderMap) -> Span {
    if Span::current().is_none() {
        return Span::none();
    }
    // The rest of the URL may hold a secret.
    let url = url.parse::<Uri>().unwrap_or_default();
    let span = tracing::info_span!(
        target: TARGET,
        "outgoing",
        otel.name = method.as_str(),
        otel.kind = "client",
        otel.status_code = Empty,
        http.request.method = method.as_str(),
        server.address = url.host(),
        http.response.status_code = Empty,
        error.type = Empty,
    );
    let parent = traceparent(&span).and_then(|parent| HeaderValue::from_str(&parent).ok());
    headers.extend(parent.map(|parent| (TRACEPARENT, parent)));
    span
}

/// The span of an attempt to deliver what a call left, which knows its [`current`] from then.
pub fn delivery(kind: &str, id: &str, parent: Option<&str>) -> Span {
    if parent.is_none() {
        return Span::none();
    }
    let span = tracing::info_span!(
        target: TARGET,
        "delivery",
        otel.name = kind,
        otel.kind = "consumer",
        id,
    );
    follow(&span, parent);
    span
}

/// Says in the span of a call how it was answered.
pub(crate) fn answered(span: &Span, status: StatusCode) {
    span.record("http.response.status_code", status.as_u16());
    if status.is_server_error() {
        span.record("otel.status_code", "ERROR");
    }
}

/// Says in the span of a call, in a word, why there is no whole answer.
pub(crate) fn failed(span: &Span, why: &str) {
    span.record("error.type", why);
    span.record("otel.status_code", "ERROR");
}

/// The current span as a `traceparent`, to be kept with what is delivered later. `None` outside of a trace.
pub fn current() -> Option<String> {
    traceparent(&Span::current())
}

fn traceparent(span: &Span) -> Option<String> {
    let mut parent = Parent(None);
    TraceContextPropagator::new().inject_context(&span.context(), &mut parent);
    parent.0
}

fn follow(span: &Span, parent: Option<&str>) {
    let parent = Parent(parent.map(str::to_owned));
    // It fails where the log has no layer for spans, as in a test.
    let _ = span.set_parent(TraceContextPropagator::new().extract(&parent));
}

/// The one header of a trace that is passed on: `tracestate` is somebody else's text.
struct Parent(Option<String>);

impl Extractor for Parent {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.as_deref().filter(|_| key == PARENT)
    }

    fn keys(&self) -> Vec<&str> {
        vec![PARENT]
    }
}

impl Injector for Parent {
    fn set(&mut self, key: &str, value: String) {
        if key == PARENT {
            self.0 = Some(value);
        }
    }
}

/// Exports as all calls of a program are made. The exporter has a thread of its own, which is not the runtime's.
struct Transport {
    client: Arc<Client>,
    runtime: Handle,
}

impl fmt::Debug for Transport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Transport")
    }
}

#[async_trait]
impl HttpClient for Transport {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let client = self.client.clone();
        let (head, body) = request.into_parts();
        let call = Call {
            method: head.method,
            url: head.uri.to_string(),
            headers: head.headers,
            body,
        };
        let answer = self.runtime.spawn(async move { client.send(call).await });
        let answer = answer.await?.map_err(|trouble| format!("{trouble:?}"))?;
        let mut response = Response::new(answer.body);
        *response.status_mut() = answer.status.try_into()?;
        *response.headers_mut() = answer.headers;
        Ok(response)
    }
}
