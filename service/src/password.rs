//! Passwords of merchants: argon2id at rest, and never more than a few hashed at once.

use argon2::Argon2;
use argon2::password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash};
use std::sync::LazyLock;
use tokio::sync::Semaphore;

/// Longest password that is hashed.
pub const MAX_LENGTH: usize = 1024;

/// Each hash takes 19 MiB and tens of milliseconds of one core: a rush of sign-ins queues here instead of filling the memory.
static AT_ONCE: Semaphore = Semaphore::const_new(4);

/// Stands in for an unknown account's hash, so that the answer takes as long.
static NOBODY: LazyLock<String> = LazyLock::new(|| hash(&crate::token::random_text(32)));

/// The PHC string to store.
pub fn hash(password: &str) -> String {
    Argon2::default()
        .hash_password(password.as_bytes())
        .expect("the default parameters are valid and the system has a random source")
        .to_string()
}

/// Whether `password` is the one hashed in `stored`; `None` (no such account) costs the same and is never right.
pub async fn verify(password: String, stored: Option<String>) -> bool {
    let Ok(_permit) = AT_ONCE.acquire().await else {
        return false;
    };
    let work = move || {
        let known = stored.is_some();
        let stored = stored.unwrap_or_else(|| NOBODY.clone());
        let right = PasswordHash::new(&stored).is_ok_and(|parsed| {
            Argon2::default()
                .verify_password(password.as_bytes(), &parsed)
                .is_ok()
        });
        known && right
    };
    tokio::task::spawn_blocking(work).await.unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_right_password_of_a_known_account_passes() {
        let stored = hash("correct horse");
        assert!(stored.starts_with("$argon2id$v=19$"));
        assert!(verify("correct horse".into(), Some(stored.clone())).await);
        assert!(!verify("Correct horse".into(), Some(stored)).await);
        assert!(!verify("correct horse".into(), None).await);
        assert!(!verify("correct horse".into(), Some("not a hash".into())).await);
    }
}
