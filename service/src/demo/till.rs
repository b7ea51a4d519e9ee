//! The demo till's own little web server: static files under the strictest policy that the SDK promises to work under.

use super::back_end::BackEnd;
use super::config::DemoConfig;
use super::{csp_report, messages};
use crate::service::Service;
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderValue};
use axum::http::{HeaderName, StatusCode, Uri};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the answers of the till's origin share.
#[derive(Clone)]
struct Till {
    folder: Option<Arc<Path>>,
    policy: HeaderValue,
}

/// The till's origin: files of `folder`, `/demo.json`, `/messages.json`, `/back-end/`, `/csp-report`.
pub fn router(
    service: Service,
    config: DemoConfig,
    folder: Option<PathBuf>,
    messages: Option<PathBuf>,
) -> Router {
    let called = origin_of(&config.base_url);
    let framed = origin_of(&config.connect_url);
    let policy = format!(
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; \
         connect-src 'self' {called}; frame-src {framed}; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'; report-uri /csp-report"
    );
    let till = Till {
        folder: folder.map(Arc::from),
        policy: HeaderValue::from_str(&policy)
            .unwrap_or(HeaderValue::from_static("default-src 'none'")),
    };
    let back_end = BackEnd::new(service, &config);
    Router::new()
        .route("/demo.json", get(async move || Json(config)))
        .fallback(get(file))
        .with_state(till.clone())
        .merge(back_end.router())
        .merge(csp_report::router())
        .merge(messages::router(messages))
        .layer(middleware::from_fn_with_state(till, headers))
}

/// A page of another host name that DNS points at this machine must not read the demo's secret. Numbers can't be
/// pointed.
fn is_own_host(request: &Request) -> bool {
    let host = request.headers().get(header::HOST);
    let host = host.and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    };
    let number = name.trim_start_matches('[').trim_end_matches(']');
    name == "localhost" || number.parse::<IpAddr>().is_ok()
}

async fn headers(State(till): State<Till>, request: Request, next: Next) -> Response {
    let mut response = match is_own_host(&request) {
        true => next.run(request).await,
        false => StatusCode::MISDIRECTED_REQUEST.into_response(),
    };
    let headers = response.headers_mut();
    let value = HeaderValue::from_static;
    headers.insert(header::CONTENT_SECURITY_POLICY, till.policy);
    headers.insert(header::CACHE_CONTROL, value("no-store"));
    headers.insert(header::REFERRER_POLICY, value("no-referrer"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, value("nosniff"));
    headers.insert(
        HeaderName::from_static("cross-origin-resource-policy"),
        value("same-origin"),
    );
    response
}

async fn file(State(till): State<Till>, uri: Uri) -> Response {
    let path = till
        .folder
        .as_deref()
        .and_then(|folder| resolve(folder, uri.path()));
    let Some(path) = path else {
        return StatusCode::NOT_FOUND.into_response();
    };
    match tokio::fs::read(&path).await {
        Ok(bytes) => ([(header::CONTENT_TYPE, media_type(&path))], bytes).into_response(),
        Err(_) => StatusCode::NOT_FOUND.into_response(),
    }
}

/// The file that a URL path means; `None` for anything that could mean one outside the folder.
fn resolve(folder: &Path, path: &str) -> Option<PathBuf> {
    let mut file = folder.to_owned();
    let plain = |segment: &str| {
        !segment.starts_with('.')
            && segment
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-._~@+".contains(&b))
    };
    for segment in path.split('/').filter(|segment| !segment.is_empty()) {
        if !plain(segment) {
            return None;
        }
        file.push(segment);
    }
    if path.ends_with('/') {
        file.push("index.html");
    }
    Some(file)
}

fn media_type(path: &Path) -> &'static str {
    match path
        .extension()
        .and_then(|extension| extension.to_str())
        .unwrap_or_default()
    {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" | "md" | "ts" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// Scheme, host and port of an absolute URL.
fn origin_of(url: &str) -> &str {
    let authority = url.find("://").map_or(0, |colon| colon + 3);
    url[authority..]
        .find('/')
        .map_or(url, |slash| &url[..authority + slash])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_inside_the_folder() {
        let resolve = |path| resolve(Path::new("/www"), path);
        assert_eq!(resolve("/"), Some("/www/index.html".into()));
        assert_eq!(
            resolve("/pkg/pos-connect_bg.wasm"),
            Some("/www/pkg/pos-connect_bg.wasm".into())
        );
        assert_eq!(resolve("/demos/"), Some("/www/demos/index.html".into()));
        for path in [
            "/..",
            "/../x",
            "/a/../../x",
            "/%2e%2e/x",
            "/a%2fb",
            "/.git/config",
            "/a\\..\\b",
            "/a%00",
        ] {
            assert_eq!(resolve(path), None, "{path}");
        }
    }

    #[test]
    fn only_numbers_and_localhost_are_its_own_hosts() {
        let asked = |host: &str| {
            let request = Request::builder().header(header::HOST, host);
            is_own_host(&request.body(axum::body::Body::empty()).unwrap())
        };
        for host in [
            "127.0.0.1:8081",
            "localhost:8081",
            "localhost",
            "[::1]:8081",
            "192.168.1.5",
        ] {
            assert!(asked(host), "{host}");
        }
        for host in [
            "evil.example",
            "evil.example:8081",
            "127.0.0.1.evil.example",
            "",
            "localhost.evil.example",
        ] {
            assert!(!asked(host), "{host}");
        }
    }

    #[test]
    fn the_policy_names_origins() {
        assert_eq!(origin_of("http://127.0.0.1:8080"), "http://127.0.0.1:8080");
        assert_eq!(
            origin_of("https://a.example/pos/connect"),
            "https://a.example"
        );
    }
}
