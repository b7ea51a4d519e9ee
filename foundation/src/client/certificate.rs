//! The time until which a server's certificate is valid.

use super::{CallError, Client, unconnected};
use crate::clock::{Timestamp, millis};
use axum::http::Uri;
use hyper_rustls::MaybeHttpsStream;
use tower_service::Service;
use x509_cert::Certificate;
use x509_cert::der::Decode;

impl Client {
    /// Connects as a call does, and sends no request: says when the server's certificate ends, `None` without TLS.
    pub async fn connect(&self, url: &str) -> Result<Option<Timestamp>, CallError> {
        let to: Uri = url
            .parse()
            .map_err(|_| CallError::Unreached("no valid URL".into()))?;
        self.expect_trust(&to)?;
        let connected = self.connector.clone().call(to);
        let stream = tokio::time::timeout(self.patience.call, connected).await;
        let stream = stream.map_err(|_| CallError::TimedOut)?;
        match stream.map_err(|error| unconnected(&*error))? {
            MaybeHttpsStream::Http(_) => Ok(None),
            MaybeHttpsStream::Https(stream) => {
                let (_, session) = stream.inner().get_ref();
                let chain = session.peer_certificates().unwrap_or_default();
                Ok(chain.first().and_then(|own| end(own)))
            }
        }
    }
}

/// When a certificate in DER ends.
fn end(certificate: &[u8]) -> Option<Timestamp> {
    let certificate = Certificate::from_der(certificate).ok()?;
    let end = certificate.tbs_certificate.validity.not_after;
    Some(Timestamp(millis(end.to_unix_duration())))
}
