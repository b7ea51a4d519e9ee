//! Who answered a call. Captive portals, proxies and deployments answer in the place of the service, and what they say
//! ends nothing.

use super::Error;

/// How many times in a row a refusal has to come to count, from somebody who does not say who it is.
const ENOUGH: u8 = 3;

/// Who made an answer, as far as its body tells.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Source {
    /// The service or the relay: `success` is in the body (spec §4), or one of their codes.
    Service,
    /// Nobody says: the body is empty, or an object without `success`. A service of the specification may answer so,
    /// because the specification leaves the body of an error open (§7).
    Unknown,
    /// Something on the way to the service: the body is anything else, such as a page for people.
    Intermediary,
}

/// Counts refusals in a row.
#[derive(Clone, Copy, Debug, Default)]
pub struct Refusals {
    status: Option<u16>,
    count: u8,
}

impl Refusals {
    /// A row of which the last status and the length are known.
    pub const fn new(status: Option<u16>, count: u8) -> Self {
        Self { status, count }
    }

    /// How many there were.
    pub const fn count(self) -> u8 {
        self.count
    }

    /// Notes a failed call. Says whether the service has refused it: what it says of itself counts at once, the same
    /// status without a name three times in a row, and the answer of an intermediary never.
    pub fn note(&mut self, error: &Error) -> bool {
        if error.source != Some(Source::Unknown) {
            *self = Self::default();
            return error.source == Some(Source::Service);
        }
        let is_same = self.status == error.status;
        self.count = if is_same {
            self.count.saturating_add(1)
        } else {
            1
        };
        self.status = error.status;
        self.count >= ENOUGH
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;
    use crate::core::error::ErrorCode;

    fn answer(status: u16, source: Source) -> Error {
        Error {
            status: Some(status),
            source: Some(source),
            ..Error::new(ErrorCode::Forbidden)
        }
    }

    #[test]
    fn a_refusal_counts_by_its_source() {
        use Source::{Intermediary, Service, Unknown};
        for (answers, refused) in [
            (vec![(403, Service)], true),
            (vec![(403, Intermediary); 9], false),
            (vec![(403, Unknown); 2], false),
            (vec![(403, Unknown); 3], true),
            (vec![(403, Unknown), (404, Unknown), (403, Unknown)], false),
            (
                vec![
                    (403, Unknown),
                    (403, Unknown),
                    (403, Intermediary),
                    (403, Unknown),
                ],
                false,
            ),
        ] {
            let mut refusals = Refusals::default();
            let last = answers.iter().fold(false, |_, (status, source)| {
                refusals.note(&answer(*status, *source))
            });
            assert_eq!(last, refused, "{answers:?}");
        }
    }

    #[test]
    fn no_answer_begins_the_row_anew() {
        let mut refusals = Refusals::default();
        for _ in 0..2 {
            assert!(!refusals.note(&answer(403, Source::Unknown)));
        }
        let silence = Error::new(ErrorCode::Network);
        assert!(!refusals.note(&silence));
        assert!(!refusals.note(&answer(403, Source::Unknown)));
    }
}
