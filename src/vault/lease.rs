//! Locks with a lease: who holds one longer loses it. The browser may have frozen that page.

use crate::core::error::ErrorCode;
use crate::core::failure::Failure;

/// Longer than four calls that hear nothing for 30 s, and the waits between them. A pick-up that has answers in between
/// can take longer: who waits for it may call again.
const LONGEST_WAIT_MS: f64 = 150_000.0;

/// The locks between the pages, and the clock.
pub trait Locks {
    /// A lock that is held.
    type Lock;

    /// Waits for the lock of that name, or takes it away from its holder (`steals`). `None`: another one has taken it
    /// away before the browser said that it was granted.
    fn request(
        &self,
        name: &str,
        steals: bool,
    ) -> impl Future<Output = Result<Option<Self::Lock>, Failure>>;

    /// Waits until `work` is done; `None` if so many milliseconds are over first. `work` is dropped at any end.
    fn timeout<T>(&self, ms: f64, work: impl Future<Output = T>)
    -> impl Future<Output = Option<T>>;
}

/// Takes a lock. Fails after two and a half minutes: the holder may be a page that the storage has let down, and it
/// answers whoever asks again later. One with a lease is taken away from who has held it so many milliseconds.
pub async fn acquire<L: Locks>(
    locks: &L,
    name: &str,
    lease_ms: Option<f64>,
) -> Result<L::Lock, Failure> {
    let mut steals = false;
    loop {
        let limit = lease_ms.filter(|_| !steals);
        let request = locks.request(name, steals);
        let lock = locks.timeout(limit.unwrap_or(LONGEST_WAIT_MS), request);
        match lock.await {
            Some(Ok(Some(lock))) => return Ok(lock),
            // The one who took it away has it for as long as a lease lasts.
            Some(Ok(None)) => steals = false,
            None if limit.is_some() => steals = true,
            Some(Err(failure)) => return Err(failure),
            None => return Err(Failure::new(ErrorCode::VaultFailed)),
        }
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;
    use crate::crash::{self, step};
    use std::cell::Cell;
    use std::future::poll_fn;
    use std::pin::pin;
    use std::rc::Rc;
    use std::task::Poll;

    /// The one lock of a browser, by the number of its holder; 0 is none.
    #[derive(Default)]
    struct Browser {
        holder: Cell<u32>,
        requests: Cell<u32>,
        thefts: Cell<u32>,
    }

    struct Held {
        browser: Rc<Browser>,
        number: u32,
    }

    impl Held {
        fn is_lost(&self) -> bool {
            self.browser.holder.get() != self.number
        }
    }

    impl Drop for Held {
        fn drop(&mut self) {
            if !self.is_lost() {
                self.browser.holder.set(0);
            }
        }
    }

    impl Locks for Rc<Browser> {
        type Lock = Held;

        async fn request(&self, _: &str, steals: bool) -> Result<Option<Held>, Failure> {
            self.requests.set(self.requests.get() + 1);
            let number = self.requests.get();
            self.thefts.set(self.thefts.get() + u32::from(steals));
            while !steals && self.holder.get() != 0 {
                step().await;
            }
            self.holder.set(number);
            let browser = self.clone();
            let held = Held { browser, number };
            // Until the browser has said so.
            step().await;
            Ok((!held.is_lost()).then_some(held))
        }

        async fn timeout<T>(&self, ms: f64, work: impl Future<Output = T>) -> Option<T> {
            let mut work = pin!(work);
            // A step is a second.
            for _ in 0..(ms / 1_000.0) as u32 {
                let polled = poll_fn(|context| Poll::Ready(work.as_mut().poll(context))).await;
                if let Poll::Ready(value) = polled {
                    return Some(value);
                }
                step().await;
            }
            None
        }
    }

    /// Takes the lock, and works for two seconds.
    async fn page(browser: &Rc<Browser>, lease_ms: Option<f64>) -> Option<()> {
        let held = acquire(browser, "", lease_ms).await.ok()?;
        step().await;
        step().await;
        drop(held);
        Some(())
    }

    #[test]
    fn whoever_asks_has_the_lock_of_a_frozen_page_wherever_another_one_ends() {
        let ways = crash::end_everywhere(1, |ends| {
            let browser = Rc::new(Browser::default());
            let frozen = crash::run(acquire(&browser, "", None), usize::MAX);
            let both = crash::both(
                crash::ended(page(&browser, Some(12_000.0)), ends[0]),
                async { assert!(page(&browser, Some(12_000.0)).await.is_some()) },
            );
            let ended = crash::run(both, usize::MAX).unwrap();
            assert!(frozen.unwrap().is_ok_and(|frozen| frozen.is_lost()));
            // Nobody takes it away from who has just got it, again and again.
            assert!((1..=2).contains(&browser.thefts.get()), "{ends:?}");
            assert_eq!(browser.holder.get(), 0, "{ends:?}");
            vec![ended.is_none()]
        });
        assert!(ways > 15, "only {ways} ways to end the page");
    }

    #[test]
    fn a_lock_without_a_lease_is_given_up_after_a_while() {
        let browser = Rc::new(Browser::default());
        let _held = crash::run(acquire(&browser, "", None), usize::MAX);
        let waited = crash::run(page(&browser, None), usize::MAX);
        assert_eq!((waited, browser.thefts.get()), (Some(None), 0));
    }
}
