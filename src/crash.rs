//! A browser in memory whose page can be ended at every step: what is on its disk survives, and nothing else.

mod disk;
mod world;

pub use self::disk::Disk;
pub use self::world::{Page, Service, Trouble, World, refusal};
use crate::core::Boxed;
use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// More steps than any page takes: it waits for what never comes.
const ENDLESS: usize = 10_000;

thread_local! {
    /// What the page that is polled now has started.
    static STARTED: RefCell<Vec<Boxed<'static, ()>>> = RefCell::default();
}

/// Where a page can be ended: before and after whatever it asks of the world outside.
pub async fn step() {
    let mut is_over = false;
    poll_fn(|context| {
        if std::mem::replace(&mut is_over, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// A page and what it starts; over when all of that is.
pub async fn page<T>(main: impl Future<Output = T>) -> T {
    let mut main = pin!(main);
    let (mut value, mut tasks) = (None, Vec::new());
    poll_fn(|context| {
        if value.is_none()
            && let Poll::Ready(done) = main.as_mut().poll(context)
        {
            value = Some(done);
        }
        // One that is polled may start others.
        let mut place = 0;
        loop {
            tasks.append(&mut STARTED.take());
            match tasks.get_mut(place).map(|task| task.as_mut().poll(context)) {
                Some(Poll::Ready(())) => drop(tasks.remove(place)),
                Some(Poll::Pending) => place += 1,
                None => break,
            }
        }
        match value.take_if(|_| tasks.is_empty()) {
            Some(value) => Poll::Ready(value),
            None => Poll::Pending,
        }
    })
    .await
}

/// A page that ends after so many steps: its future is dropped. `None` if it was ended.
pub async fn ended<T>(main: impl Future<Output = T>, steps: usize) -> Option<T> {
    let mut main = Box::pin(Some(page(main)));
    let mut taken = 0;
    poll_fn(|context| {
        assert!(taken < ENDLESS, "the page never ends");
        let Some(running) = main.as_mut().as_pin_mut() else {
            return Poll::Ready(None);
        };
        if let Poll::Ready(value) = running.poll(context) {
            return Poll::Ready(Some(value));
        }
        taken += 1;
        if taken > steps {
            main.set(None);
            return Poll::Ready(None);
        }
        Poll::Pending
    })
    .await
}

/// Runs a page, and ends it after so many steps. `None` if it was ended.
pub fn run<T>(main: impl Future<Output = T>, steps: usize) -> Option<T> {
    let mut main = pin!(ended(main, steps));
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = main.as_mut().poll(&mut context) {
            return value;
        }
    }
}

/// Two pages side by side, and what became of the first one.
pub async fn both<T>(one: impl Future<Output = T>, other: impl Future<Output = ()>) -> T {
    let (mut one, mut other) = (pin!(one), pin!(page(other)));
    let (mut value, mut is_over) = (None, false);
    poll_fn(|context| {
        if value.is_none()
            && let Poll::Ready(done) = one.as_mut().poll(context)
        {
            value = Some(done);
        }
        is_over = is_over || other.as_mut().poll(context).is_ready();
        match value.take_if(|_| is_over) {
            Some(value) => Poll::Ready(value),
            None => Poll::Pending,
        }
    })
    .await
}

/// Calls `pages` with each way to end so many pages in a row, each at every step that it takes, and gives the number of
/// ways. `pages` says which of them were ended: the others took fewer steps.
pub fn end_everywhere(count: usize, pages: impl Fn(&[usize]) -> Vec<bool>) -> usize {
    let mut ways = 0;
    let mut ends = vec![0; count];
    'ways: loop {
        let was_ended = pages(&ends);
        ways += 1;
        // The last page that was ended is ended one step later; those after it begin anew.
        let mut last = count;
        loop {
            let Some(page) = last.checked_sub(1) else {
                break 'ways ways;
            };
            if was_ended[page] {
                ends[page] += 1;
                ends[last..].fill(0);
                continue 'ways;
            }
            last = page;
        }
    }
}
