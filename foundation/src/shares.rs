//! Places for requests, so many for each key: who calls without end leaves room for the others.

use crate::token::Hash;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Requests that one key may have at once: a page sends a few, and a relay has 64 calls to the service at once, for all
/// tills.
const REQUESTS_OF_A_KEY: usize = 8;

/// The places that are taken, by the keys of who has them.
#[derive(Default)]
pub struct Shares(Mutex<HashMap<Hash, Arc<Semaphore>>>);

impl Shares {
    /// A place for a request with a key, until it is dropped; `None` while the key has all of its own.
    pub fn place(&self, key: Hash) -> Option<OwnedSemaphorePermit> {
        let mut shares = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Before it grows: each place that is taken holds its key's share, and who has none needs none.
        if shares.len() == shares.capacity() {
            shares.retain(|_, share| Arc::strong_count(share) > 1);
        }
        let share = shares.entry(key);
        let share = share.or_insert_with(|| Arc::new(Semaphore::new(REQUESTS_OF_A_KEY)));
        share.clone().try_acquire_owned().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_have_no_request_take_no_memory() {
        let (shares, key) = (Shares::default(), Hash::of("key"));
        let places = [(); REQUESTS_OF_A_KEY].map(|()| shares.place(key));
        assert!(places.iter().all(Option::is_some));
        for other in 0..10_000 {
            assert!(shares.place(Hash::of(&format!("{other}"))).is_some());
        }
        let count = shares.0.lock().unwrap().len();
        assert!(count < 100, "{count}");
        assert!(shares.place(key).is_none(), "its requests are counted");
        drop(places);
        assert!(shares.place(key).is_some());
    }
}
