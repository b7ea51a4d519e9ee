//! What shows one program to another that both have the same storage key: a call of `doctor` to the running service.

use super::Store;
use crate::clock::Timestamp;
use crate::seal::Purpose;
use std::time::Duration;
use subtle::ConstantTimeEq;

/// The header that carries a probe.
pub(crate) const PROBE: &str = "pos-connect-probe";
/// How long a probe can be used, on either side of its time.
const HOLDS: Duration = Duration::from_secs(60);

impl Store {
    /// A probe of this moment.
    pub(crate) fn probe(&self, now: Timestamp) -> String {
        let time = now.0.to_string();
        let mark = self.sealer.fingerprint(Purpose::Probe, time.as_bytes());
        format!("{time}.{}", mark.to_hex())
    }

    /// Whether `text` is a probe that somebody with the same key has made just now.
    pub(crate) fn is_probe(&self, text: &str, now: Timestamp) -> bool {
        let time = text.split('.').next().and_then(|time| time.parse().ok());
        time.map(Timestamp).is_some_and(|time| {
            let is_fresh = now.before(HOLDS) <= time && time <= now.after(HOLDS);
            let own = self.probe(time);
            is_fresh && bool::from(own.as_bytes().ct_eq(text.as_bytes()))
        })
    }
}
