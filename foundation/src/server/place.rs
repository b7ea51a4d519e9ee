//! Who is connected. When all places are taken, the client that has kept the server waiting longest gives way.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::Notify;

/// The places of one server.
pub struct Places {
    guests: Mutex<HashMap<u64, Arc<Guest>>>,
    most: usize,
    next: Mutex<u64>,
    /// Somebody has left, or may give way.
    change: Notify,
}

/// A connection's place; it is free again when this is dropped.
pub struct Place {
    places: Arc<Places>,
    number: u64,
    guest: Arc<Guest>,
}

/// What is known of a connection.
struct Guest {
    /// Since when the server waits for the client; `None` while the client waits for the server.
    waiting: Mutex<Option<Instant>>,
    leave: Notify,
}

impl Places {
    pub fn new(most: usize) -> Arc<Self> {
        Arc::new(Self {
            guests: Mutex::default(),
            most,
            next: Mutex::default(),
            change: Notify::new(),
        })
    }

    /// Takes a place, from the slowest client if need be. Waits only while the server owes everybody an answer.
    pub async fn take(self: &Arc<Self>) -> Place {
        loop {
            if let Some(place) = self.try_take() {
                return place;
            }
            self.change.notified().await;
        }
    }

    fn try_take(self: &Arc<Self>) -> Option<Place> {
        let mut guests = lock(&self.guests);
        if guests.len() >= self.most {
            let waiting = |(number, guest): (&u64, &Arc<Guest>)| {
                (*lock(&guest.waiting)).map(|since| (since, *number))
            };
            let (_, slowest) = guests.iter().filter_map(waiting).min()?;
            if let Some(guest) = guests.remove(&slowest) {
                guest.leave.notify_one();
            }
        }
        let guest = Arc::new(Guest {
            waiting: Mutex::new(Some(Instant::now())),
            leave: Notify::new(),
        });
        let mut next = lock(&self.next);
        *next += 1;
        guests.insert(*next, guest.clone());
        Some(Place {
            places: self.clone(),
            number: *next,
            guest,
        })
    }
}

impl Place {
    /// The server waits for the client from now on: for a body, or for the next request.
    pub fn waits(&self) {
        lock(&self.guest.waiting).replace(Instant::now());
        self.places.change.notify_one();
    }

    /// The request is here: the client waits for the server.
    pub fn works(&self) {
        lock(&self.guest.waiting).take();
    }

    /// Resolves when the client has to give way.
    pub async fn is_taken(&self) {
        self.guest.leave.notified().await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        lock(&self.places.guests).remove(&self.number);
        self.places.change.notify_one();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
