//! Passwords of merchants: argon2id at rest, and never more than a few hashed at once.

use argon2::password_hash::{PasswordHasher, phc::PasswordHash};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use std::sync::{Mutex, PoisonError};
use subtle::ConstantTimeEq;
use tokio::sync::{Semaphore, SemaphorePermit};

/// Longest password that is hashed.
pub const MAX_LENGTH: usize = 1024;

/// Each hash takes 19 MiB and tens of milliseconds of one core: a rush of sign-ins queues here instead of filling the
/// memory.
const AT_ONCE: usize = 4;
static PERMITS: Semaphore = Semaphore::const_new(AT_ONCE);
/// Those that wait for it, and those at it: a queue without an end would let a stranger with invented emails keep every
/// merchant waiting. This one is a second or two long.
const PLACES: usize = 64;
static QUEUE: Semaphore = Semaphore::const_new(PLACES);

/// A place in that queue.
pub struct Place(SemaphorePermit<'static>);

/// A place, unless the queue is full.
pub fn place() -> Option<Place> {
    QUEUE.try_acquire().ok().map(Place)
}

/// The memory of those hashes, kept for the next ones: given back, it would stay with the allocator, once for each of
/// its arenas.
static MEMORY: Mutex<Vec<Vec<Block>>> = Mutex::new(Vec::new());

/// Stands in for an unknown account's hash, so that the answer takes as long.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// The PHC string to store.
pub fn hash(password: &str) -> String {
    Argon2::default()
        .hash_password(password.as_bytes())
        .expect("the default parameters are valid and the system has a random source")
        .to_string()
}

/// Whether `password` is the one hashed in `stored`; `None` (no such account) costs the same and is never right.
pub async fn verify(place: Place, password: String, stored: Option<String>) -> bool {
    let Ok(permit) = PERMITS.acquire().await else {
        return false;
    };
    let work = move || {
        // They go with the work: a caller that gives up meanwhile does not stop it.
        let _held = (place.0, permit);
        let right = is_hashed_in(stored.as_deref().unwrap_or(NOBODY), &password);
        stored.is_some() && right.unwrap_or(false)
    };
    tokio::task::spawn_blocking(work).await.unwrap_or(false)
}

/// `None` if `stored` is not a hash.
fn is_hashed_in(stored: &str, password: &str) -> Option<bool> {
    let stored = PasswordHash::new(stored).ok()?;
    let (salt, expected) = (stored.salt.as_ref()?, stored.hash.as_ref()?);
    let algorithm = Algorithm::try_from(stored.algorithm.as_str()).ok()?;
    let version = stored.version.map(Version::try_from).transpose().ok()?;
    let params = Params::try_from(&stored).ok()?;
    let mut memory = take_memory(params.block_count());
    let mut output = vec![0; expected.len()];
    let hashed = Argon2::new(algorithm, version.unwrap_or_default(), params)
        .hash_password_into_with_memory(password.as_bytes(), salt, &mut output, &mut memory);
    keep_memory(memory);
    hashed.ok()?;
    Some(output.ct_eq(expected.as_bytes()).into())
}

fn take_memory(blocks: usize) -> Vec<Block> {
    let kept = MEMORY.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let mut memory = kept.unwrap_or_default();
    memory.resize(blocks, Block::new());
    memory
}

fn keep_memory(memory: Vec<Block>) {
    let mut kept = MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.len() < AT_ONCE {
        kept.push(memory);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// The tests of this program share its queue.
    static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

    async fn right(password: &str, stored: Option<&str>) -> bool {
        let _alone = ALONE.lock().await;
        verify(place().unwrap(), password.into(), stored.map(str::to_owned)).await
    }

    #[tokio::test]
    async fn whoever_comes_when_the_queue_is_full_hears_so_at_once() {
        let _alone = ALONE.lock().await;
        let places: Vec<_> = std::iter::from_fn(place).collect();
        assert_eq!(places.len(), PLACES);
        assert!(place().is_none());
        let rush = places
            .into_iter()
            .map(|place| tokio::spawn(verify(place, "x".into(), None)));
        for asked in rush.collect::<Vec<_>>() {
            assert!(!asked.await.unwrap());
        }
        assert!(place().is_some(), "the queue is free again");
    }

    #[tokio::test]
    async fn only_the_right_password_of_a_known_account_passes() {
        let stored = hash("correct horse");
        assert!(stored.starts_with("$argon2id$v=19$"));
        assert!(right("correct horse", Some(&stored)).await);
        assert!(!right("Correct horse", Some(&stored)).await);
        assert!(!right("correct horse", None).await);
        assert!(!right("correct horse", Some("not a hash")).await);
    }

    #[test]
    fn nobody_costs_as_much_as_anybody() {
        let cost = |stored: &str| {
            let stored = PasswordHash::new(stored).unwrap();
            let lengths = (stored.salt.unwrap().len(), stored.hash.unwrap().len());
            (stored.algorithm, stored.version, stored.params, lengths)
        };
        assert_eq!(cost(NOBODY), cost(&hash("anybody")));
        assert_eq!(is_hashed_in(NOBODY, "anybody"), Some(false));
    }

    #[tokio::test]
    async fn a_rush_takes_no_more_memory_than_its_permits_whoever_gives_up() {
        let _alone = ALONE.lock().await;
        for _ in 0..8 {
            let asked = verify(place().unwrap(), "x".into(), None);
            assert!(tokio::time::timeout(Duration::ZERO, asked).await.is_err());
        }
        assert!(PERMITS.available_permits() < AT_ONCE, "the work goes on");
        let rush: Vec<_> = (0..24)
            .map(|_| tokio::spawn(verify(place().unwrap(), "x".into(), None)))
            .collect();
        for asked in rush {
            assert!(!asked.await.unwrap());
        }
        assert!((1..=AT_ONCE).contains(&MEMORY.lock().unwrap().len()));
    }
}
