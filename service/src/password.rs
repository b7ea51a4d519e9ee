//! Passwords of merchants: argon2id at rest, never more than a few hashed at once, and fair shares of the queue for
//! that.

use crate::token::Hash;
use argon2::password_hash::{PasswordHasher, phc::PasswordHash};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use subtle::ConstantTimeEq;
use tokio::sync::Semaphore;

/// Longest password that is hashed.
pub const MAX_LENGTH: usize = 1024;

/// Each hash takes 19 MiB and tens of milliseconds of one core: a rush of sign-ins queues here instead of filling the
/// memory.
const MAX_CONCURRENT: usize = 4;
static PERMITS: Semaphore = Semaphore::const_new(MAX_CONCURRENT);

/// Sign-ins that are hashed, or wait for it: a queue without an end would keep every merchant waiting. This one is a
/// second or two long.
const PLACES: usize = 64;
/// Places that strangers leave to merchants at addresses that they have signed in from.
const KEPT_FOR_FAMILIAR: usize = 16;
/// Places of one address at a time: a company's, which many merchants can share.
const OF_AN_ADDRESS: usize = 8;
/// Places of one account at a time, over all addresses.
const OF_AN_ACCOUNT: usize = 5;

/// Who wants a place.
#[derive(Clone, Copy, PartialEq)]
pub struct Asker {
    /// Names the email, whether or not somebody has it.
    pub account: Hash,
    /// Names the network, if that is known.
    pub network: Option<Hash>,
    /// Whether the account was signed in to from there before.
    pub is_familiar: bool,
}

/// Who is in the queue of one service.
#[derive(Clone, Default)]
pub struct Places(Arc<Mutex<Vec<Asker>>>);

/// A place in that queue, until it is dropped.
pub struct Place(Places, Asker);

impl Places {
    /// A place, unless the queue is full, or the asker's share of it is.
    pub fn take(&self, asker: Asker) -> Option<Place> {
        let mut taken = self.all();
        let count = |is_counted: &dyn Fn(&Asker) -> bool| {
            taken.iter().filter(|other| is_counted(other)).count()
        };
        let has_room = taken.len() < PLACES
            && count(&|other| other.account == asker.account) < OF_AN_ACCOUNT
            && (asker.network.is_none()
                || count(&|other| other.network == asker.network) < OF_AN_ADDRESS)
            && (asker.is_familiar
                || count(&|other| !other.is_familiar) < PLACES - KEPT_FOR_FAMILIAR);
        if !has_room {
            return None;
        }
        taken.push(asker);
        drop(taken);
        Some(Place(self.clone(), asker))
    }

    fn all(&self) -> MutexGuard<'_, Vec<Asker>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.0.all();
        if let Some(index) = taken.iter().position(|other| *other == self.1) {
            taken.swap_remove(index);
        }
    }
}

/// The memory of those hashes, kept for the next ones: given back, it would stay with the allocator, once for each of
/// its arenas.
static MEMORY: Mutex<Vec<Vec<Block>>> = Mutex::new(Vec::new());

/// Stands in for an unknown account's hash, so that the answer takes as long.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA\
    $AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// The PHC string of a password, to be stored.
pub fn hash(password: &str) -> String {
    Argon2::default()
        .hash_password(password.as_bytes())
        .expect("the default parameters are valid and the system has a random source")
        .to_string()
}

/// The PHC string of a password, beside other work: it takes tens of milliseconds, and memory, for which it waits as a
/// sign-in does.
pub async fn hash_later(password: String) -> Option<String> {
    let permit = PERMITS.acquire().await.ok()?;
    let work = move || {
        let _held = permit;
        hash(&password)
    };
    tokio::task::spawn_blocking(work).await.ok()
}

/// Whether `password` is the one hashed in `stored`; `None` (no such account) costs the same and is never right.
pub async fn verify(place: Place, password: String, stored: Option<String>) -> bool {
    let Ok(permit) = PERMITS.acquire().await else {
        return false;
    };
    let work = move || {
        // They go with the work: a caller that gives up meanwhile does not stop it.
        let _held = (place, permit);
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
    if kept.len() < MAX_CONCURRENT {
        kept.push(memory);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// The tests of this program share its permits.
    static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

    async fn right(password: &str, stored: Option<&str>) -> bool {
        let _alone = ALONE.lock().await;
        verify(place(), password.into(), stored.map(str::to_owned)).await
    }

    fn place() -> Place {
        Places::default().take(stranger(0, 0)).unwrap()
    }

    fn stranger(account: usize, network: usize) -> Asker {
        Asker {
            account: Hash::of(&account.to_string()),
            network: Some(Hash::of(&network.to_string())),
            is_familiar: false,
        }
    }

    fn taken(places: &Places, asker: impl Fn(usize) -> Asker) -> Vec<Place> {
        (0..PLACES)
            .map_while(|number| places.take(asker(number)))
            .collect()
    }

    #[test]
    fn an_account_and_an_address_have_a_few_places_each() {
        let places = Places::default();
        let of_an_account = taken(&places, |number| stranger(0, number));
        assert_eq!(of_an_account.len(), OF_AN_ACCOUNT);
        let of_an_address = taken(&places, |number| stranger(100 + number, 100));
        assert_eq!(of_an_address.len(), OF_AN_ADDRESS);
        drop(of_an_account);
        assert!(places.take(stranger(0, 0)).is_some(), "they are free again");
        drop(of_an_address);
        let nowhere = taken(&places, |number| Asker {
            network: None,
            ..stranger(number, 0)
        });
        assert_eq!(nowhere.len(), PLACES - KEPT_FOR_FAMILIAR);
    }

    #[test]
    fn strangers_leave_places_to_familiar_addresses_and_no_more_than_all_are_taken() {
        let places = Places::default();
        let strangers = taken(&places, |number| stranger(number, number));
        assert_eq!(strangers.len(), PLACES - KEPT_FOR_FAMILIAR);
        let familiar = taken(&places, |number| Asker {
            is_familiar: true,
            ..stranger(100 + number, 100 + number)
        });
        assert_eq!(familiar.len(), KEPT_FOR_FAMILIAR);
        drop((strangers, familiar));
        assert!(places.all().is_empty());
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
            let asked = verify(place(), "x".into(), None);
            assert!(tokio::time::timeout(Duration::ZERO, asked).await.is_err());
        }
        assert!(
            PERMITS.available_permits() < MAX_CONCURRENT,
            "the work goes on"
        );
        let rush: Vec<_> = (0..24)
            .map(|_| tokio::spawn(verify(place(), "x".into(), None)))
            .collect();
        for asked in rush {
            assert!(!asked.await.unwrap());
        }
        assert!((1..=MAX_CONCURRENT).contains(&MEMORY.lock().unwrap().len()));
    }
}
