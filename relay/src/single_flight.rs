//! Work that overlapping callers share and that goes on when the last of them has left.

use pos_connect_foundation::token::Hash;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tracing::Instrument;

/// What is in the air, by integration.
pub struct SingleFlight<T>(Arc<Mutex<HashMap<Hash, watch::Receiver<Option<T>>>>>);

/// A call that several may wait for.
pub struct Flight<T>(watch::Receiver<Option<T>>);

/// Flights at most; each is one call to the service at a time.
const CAPACITY: usize = 1024;

impl<T: Clone + Send + Sync + 'static> SingleFlight<T> {
    /// Nothing is in the air.
    pub fn new() -> Self {
        Self(Arc::default())
    }

    /// Joins the flight for `key`, or starts it. `None` if there are too many.
    pub fn join<W>(&self, key: Hash, work: impl FnOnce() -> W) -> Option<Flight<T>>
    where
        W: Future<Output = T> + Send + 'static,
    {
        let mut flights = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(flight) = flights.get(&key) {
            return Some(Flight(flight.clone()));
        }
        if flights.len() >= CAPACITY {
            return None;
        }
        let (landing, flight) = watch::channel(None);
        flights.insert(key, flight.clone());
        drop(flights);
        let entry = Entry {
            flights: self.0.clone(),
            key,
        };
        // What it asks the service belongs to the trace of the one who came first.
        let work = work().in_current_span();
        tokio::spawn(async move {
            let outcome = work.await;
            // First, so that whoever comes from now on starts anew instead of hearing old news.
            drop(entry);
            let _ = landing.send(Some(outcome));
        });
        Some(Flight(flight))
    }

    /// The flight for `key`, if it is in the air.
    pub fn joined(&self, key: &Hash) -> Option<Flight<T>> {
        let flights = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        flights.get(key).cloned().map(Flight)
    }

    /// Waits until nothing is in the air, for `patience` at most; says whether that came to be.
    pub async fn settle(&self, patience: Duration) -> bool {
        let empty = || {
            let flights = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            flights.is_empty()
        };
        let settled = async {
            while !empty() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(patience, settled).await.is_ok()
    }
}

impl<T: Clone> Flight<T> {
    /// The outcome of the flight; `None` if it broke off.
    pub async fn landed(mut self) -> Option<T> {
        let outcome = self.0.wait_for(Option::is_some).await;
        outcome.ok().and_then(|outcome| outcome.clone())
    }
}

/// Takes its flight off the board, also when the work panics.
struct Entry<T> {
    flights: Arc<Mutex<HashMap<Hash, watch::Receiver<Option<T>>>>>,
    key: Hash,
}

impl<T> Drop for Entry<T> {
    fn drop(&mut self) {
        self.flights
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[tokio::test]
    async fn overlapping_callers_share_one_flight_and_later_ones_start_another() {
        let (flights, started) = (SingleFlight::new(), Arc::new(AtomicU32::new(0)));
        let join = || {
            let started = started.clone();
            let work = move || async move {
                tokio::time::sleep(Duration::from_millis(20)).await;
                started.fetch_add(1, Ordering::SeqCst)
            };
            flights.join(Hash::of("one"), work).unwrap().landed()
        };
        let (a, b) = tokio::join!(join(), join());
        assert_eq!((a, b), (Some(0), Some(0)));
        assert_eq!(join().await, Some(1));
    }

    #[tokio::test]
    async fn work_goes_on_without_its_caller_and_a_panic_blocks_nobody() {
        let flights: SingleFlight<u32> = SingleFlight::new();
        let done = Arc::new(AtomicU32::new(0));
        let seen = done.clone();
        let work = async move {
            tokio::time::sleep(Duration::from_millis(20)).await;
            seen.fetch_add(1, Ordering::SeqCst)
        };
        drop(flights.join(Hash::of("one"), || work));
        assert!(flights.settle(Duration::from_secs(60)).await);
        assert_eq!(done.load(Ordering::SeqCst), 1);
        let broken = flights.join(Hash::of("one"), || async { panic!("on purpose") });
        assert_eq!(broken.unwrap().landed().await, None);
        assert!(flights.settle(Duration::from_secs(60)).await);
    }
}
