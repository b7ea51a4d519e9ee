//! What time it is for a server, and how long it asks to wait.

use crate::clock::{Timestamp, millis};
use axum::http::HeaderMap;
use axum::http::header::{self, HeaderName};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The time that `Date` says, in whole seconds.
pub fn date(headers: &HeaderMap) -> Option<Timestamp> {
    let text = headers.get(header::DATE)?.to_str().ok()?;
    let since = httpdate::parse_http_date(text)
        .ok()?
        .duration_since(UNIX_EPOCH);
    since.ok().map(|since| Timestamp(millis(since)))
}

/// What `Retry-After` says (RFC 9110 §10.2.3): seconds, or a time, which is by the server's own clock.
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: HeaderName| headers.get(name)?.to_str().ok();
    let time = |text: &str| httpdate::parse_http_date(text).ok();
    let asked = text(header::RETRY_AFTER)?.trim();
    if !asked.is_empty() && asked.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(Duration::from_secs(asked.parse().unwrap_or(u64::MAX)));
    }
    let now = text(header::DATE).and_then(time);
    let now = now.unwrap_or_else(SystemTime::now);
    let until = time(asked)?;
    Some(until.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    const DATE: &str = "Thu, 26 Nov 2026 08:00:00 GMT";

    fn asked(value: &'static str, date: Option<&'static str>) -> Option<Duration> {
        let of = |text| HeaderValue::from_static(text);
        let mut headers = HeaderMap::from_iter([(header::RETRY_AFTER, of(value))]);
        headers.extend(date.map(|date| (header::DATE, of(date))));
        retry_after(&headers)
    }

    #[test]
    fn seconds_and_times_are_read() {
        for (value, seconds) in [
            ("0", Some(0)),
            ("3600", Some(3600)),
            (" 5 ", Some(5)),
            ("99999999999999999999", Some(u64::MAX)),
            ("Thu, 26 Nov 2026 09:00:00 GMT", Some(3600)),
            ("Thu, 26 Nov 2026 07:00:00 GMT", Some(0)),
            ("Thursday, 26-Nov-26 09:00:00 GMT", Some(3600)),
            ("", None),
            ("-1", None),
            ("1.5", None),
            ("soon", None),
        ] {
            let expected = seconds.map(Duration::from_secs);
            assert_eq!(asked(value, Some(DATE)), expected, "{value}");
        }
        assert_eq!(retry_after(&HeaderMap::new()), None);
    }

    #[test]
    fn a_server_that_does_not_say_its_time_has_ours() {
        let long_ago = asked("Sun, 06 Nov 1994 08:49:37 GMT", None);
        assert_eq!(long_ago, Some(Duration::ZERO));
        let far = asked("Fri, 31 Dec 9999 23:59:59 GMT", None);
        assert!(far > Some(Duration::from_secs(86_400)), "{far:?}");
    }
}
