//! Asks the service at the start, and tells the operator what is wrong before a till hears it.

use crate::relay::Relay;
use crate::upstream::Finding;
use std::time::Duration;
use tokio::sync::watch;

/// The service may start after the relay, so the first looks are close together.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(5 * 60);

impl Relay {
    /// Asks the service until it answers as it should, or until `stop`. What is found goes to the log when it changes.
    pub async fn greet(self, mut stop: watch::Receiver<bool>) {
        let (mut last, mut pause) = (None, FIRST_PAUSE);
        loop {
            let found = tokio::select! {
                found = self.upstream.look() => found,
                _ = stop.wait_for(|stop| *stop) => return,
            };
            if last.as_ref() != Some(&found) {
                tell(&found);
            }
            if matches!(found, Finding::Ready | Finding::TestMode | Finding::Unsaid) {
                return;
            }
            last = Some(found);
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                _ = stop.wait_for(|stop| *stop) => return,
            }
            pause = LONGEST_PAUSE.min(pause * 2);
        }
    }
}

fn tell(found: &Finding) {
    match found {
        Finding::Ready => tracing::info!("the service answers, and takes the client secret"),
        Finding::TestMode => tracing::warn!(
            "the client ID is one of the service's test mode: no shopper gets a text message"
        ),
        Finding::Unsaid => tracing::info!(
            "the service answers; the first integration shows whether it takes the client secret"
        ),
        Finding::UnknownClient => tracing::warn!(
            "the service does not know the client ID, or has disabled the vendor: look at --client-id"
        ),
        Finding::WrongSecret => tracing::warn!(
            "the service refuses the client secret: look at POS_CONNECT_CLIENT_SECRET or --client-secret-file"
        ),
        Finding::Untrusted(cause) => tracing::warn!(
            cause,
            "the certificate of the service is not trusted; SSL_CERT_FILE names the file of an own CA"
        ),
        Finding::Blocked(status) => tracing::warn!(
            status,
            "something between the relay and the service refuses the call: look at the proxy or the firewall"
        ),
        Finding::Unreached(cause) => tracing::warn!(
            cause,
            "the service cannot be reached; the relay serves, and looks again"
        ),
        Finding::Failing(status) => tracing::warn!(
            status,
            "the service has a trouble of its own; the relay serves, and looks again"
        ),
        Finding::Other(status) => tracing::warn!(
            status,
            "what answers at --upstream is not the service's API: look at the URL and the proxy"
        ),
    }
}
