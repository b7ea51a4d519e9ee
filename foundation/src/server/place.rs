//! Who is connected. When all places are taken, the client that has kept the server waiting longest gives way.

use super::Ending;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, watch};

/// The places of one server.
pub struct Places {
    guests: Mutex<HashMap<u64, Arc<Guest>>>,
    most: usize,
    next: Mutex<u64>,
    /// Somebody has left, or may give way.
    change: Notify,
    /// The server stops.
    is_closing: AtomicBool,
    /// The stop is about to end.
    is_ending: watch::Sender<bool>,
}

/// A connection's place; it is free again when this is dropped.
pub struct Place {
    places: Arc<Places>,
    number: u64,
    guest: Arc<Guest>,
}

/// Nobody has to give way sooner: what was just answered is still on its way out.
const GRACE: Duration = Duration::from_millis(250);

/// What is known of a connection.
struct Guest {
    state: Mutex<State>,
    leave: Notify,
}

/// Who waits for whom.
#[derive(Clone, Copy)]
enum State {
    /// The server waits for the client, since then.
    Waiting(Instant),
    /// The client waits for the server.
    Working,
    /// The client has given way: nothing of it is begun any more.
    Left,
}

impl Places {
    pub fn new(most: usize) -> Arc<Self> {
        Arc::new(Self {
            guests: Mutex::default(),
            most,
            next: Mutex::default(),
            change: Notify::new(),
            is_closing: AtomicBool::new(false),
            is_ending: watch::Sender::new(false),
        })
    }

    /// Takes a place, from the slowest client if need be. Waits only while the server owes everybody an answer.
    pub async fn take(self: &Arc<Self>) -> Place {
        loop {
            if let Some(place) = self.try_take() {
                return place;
            }
            // Or somebody's grace is over.
            let _ = tokio::time::timeout(GRACE, self.change.notified()).await;
        }
    }

    fn try_take(self: &Arc<Self>) -> Option<Place> {
        let mut guests = lock(&self.guests);
        if guests.len() >= self.most {
            let waiting = |(number, guest): (&u64, &Arc<Guest>)| match *lock(&guest.state) {
                State::Waiting(since) => Some((since, *number)),
                State::Working | State::Left => None,
            };
            let (_, slowest) = guests.iter().filter_map(waiting).min()?;
            if !guests.get(&slowest)?.gives_way(GRACE) {
                return None;
            }
            guests.remove(&slowest);
        }
        Some(self.admit(&mut guests))
    }

    /// Takes a place beyond the number.
    pub fn one_more(self: &Arc<Self>) -> Place {
        self.admit(&mut lock(&self.guests))
    }

    fn admit(self: &Arc<Self>, guests: &mut HashMap<u64, Arc<Guest>>) -> Place {
        let guest = Arc::new(Guest {
            state: Mutex::new(State::Waiting(Instant::now())),
            leave: Notify::new(),
        });
        let mut next = lock(&self.next);
        *next += 1;
        guests.insert(*next, guest.clone());
        Place {
            places: self.clone(),
            number: *next,
            guest,
        }
    }

    /// Makes each answer from now on the last one of its connection.
    pub fn close(&self) {
        self.is_closing.store(true, Ordering::SeqCst);
    }

    /// Refuses, from now on, calls that are not over.
    pub fn end(&self) {
        self.is_ending.send_replace(true);
    }

    /// Resolves when everybody has left.
    pub async fn empty(&self) {
        while !lock(&self.guests).is_empty() {
            self.change.notified().await;
        }
    }

    /// From now on, has each client give way that keeps the server waiting for so long, with its head, its body, or an
    /// answer that it does not take. Never resolves.
    pub async fn let_go(&self, patience: Duration) {
        loop {
            tokio::time::sleep(patience).await;
            for guest in lock(&self.guests).values() {
                guest.gives_way(patience);
            }
        }
    }
}

impl Place {
    /// The server waits for the client from now on: for a body, or for the next request.
    pub fn waits(&self) {
        self.turns(State::Waiting(Instant::now()));
        self.places.change.notify_one();
    }

    /// The request is here: the client waits for the server. False if it has given way, and nothing may begin.
    pub fn works(&self) -> bool {
        self.turns(State::Working)
    }

    fn turns(&self, to: State) -> bool {
        let mut state = lock(&self.guest.state);
        if matches!(*state, State::Left) {
            return false;
        }
        *state = to;
        true
    }

    /// Whether the client is to go with the next answer.
    pub fn is_closing(&self) -> bool {
        self.places.is_closing.load(Ordering::SeqCst)
    }

    /// When the stop ends in which the client may still be here.
    pub fn ending(&self) -> Ending {
        Ending(self.places.is_ending.subscribe())
    }

    /// Resolves when the client has to give way.
    pub async fn is_taken(&self) {
        self.guest.leave.notified().await;
    }
}

impl Guest {
    /// Has the client give way, if it has kept the server waiting for so long.
    fn gives_way(&self, after: Duration) -> bool {
        let mut state = lock(&self.state);
        if !matches!(*state, State::Waiting(since) if since.elapsed() >= after) {
            return false;
        }
        *state = State::Left;
        self.leave.notify_one();
        true
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
