//! Places for requests, so many for each till: one that calls without end leaves room for the others.

use pos_connect_foundation::token::Hash;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Requests of one till at once: its page sends a few. The relay has 64 calls to the service at once, for all tills.
const REQUESTS_OF_A_TILL: usize = 8;

/// The places of tills and servers that have requests, by their keys.
#[derive(Default)]
pub(crate) struct Shares(Mutex<HashMap<Hash, Arc<Semaphore>>>);

impl Shares {
    /// A place for a request of a till, until it is dropped; `None` while the till has all of its own.
    pub(crate) fn place(&self, till: Hash) -> Option<OwnedSemaphorePermit> {
        let mut shares = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Before it grows: each place that is taken holds its till's share, and who has none needs none.
        if shares.len() == shares.capacity() {
            shares.retain(|_, share| Arc::strong_count(share) > 1);
        }
        let share = shares.entry(till);
        let share = share.or_insert_with(|| Arc::new(Semaphore::new(REQUESTS_OF_A_TILL)));
        share.clone().try_acquire_owned().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tills_that_have_no_request_take_no_memory() {
        let (shares, till) = (Shares::default(), Hash::of("till"));
        let places = [(); REQUESTS_OF_A_TILL].map(|()| shares.place(till));
        assert!(places.iter().all(Option::is_some));
        for other in 0..10_000 {
            assert!(shares.place(Hash::of(&format!("{other}"))).is_some());
        }
        let count = shares.0.lock().unwrap().len();
        assert!(count < 100, "{count}");
        assert!(shares.place(till).is_none(), "its requests are counted");
        drop(places);
        assert!(shares.place(till).is_some());
    }
}
