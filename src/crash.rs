//! A browser in memory whose page can be ended at every step: what is on its disk survives, and nothing else.

use crate::core::Boxed;
use crate::core::error::{Error, ErrorCode, NOT_JSON, Source};
use crate::core::failure::Failure;
use crate::core::options::{Address, Options, Value};
use crate::http::config::{BASE_URL, CLIENT_ID, CONNECT_URL, Config};
use crate::vault::memory::Memory;
use crate::vault::mutex::Guard;
use crate::vault::storage::{Action, Found, Purpose, Range, Storage};
use pos_connect_protocol::decode::Fault;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// More steps than any page takes: it waits for what never comes.
const ENDLESS: usize = 10_000;

thread_local! {
    static LETTERS: Cell<u32> = Cell::default();
    static CONFIG: Rc<Config> = Rc::new(checked());
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

/// Runs a page, and ends it after so many steps: its future is dropped. `None` if it was ended.
pub fn run<T>(page: impl Future<Output = T>, steps: usize) -> Option<T> {
    let mut page = pin!(page);
    let mut context = Context::from_waker(Waker::noop());
    for taken in 0..=steps {
        assert!(taken < ENDLESS, "the page never ends");
        if let Poll::Ready(value) = page.as_mut().poll(&mut context) {
            return Some(value);
        }
    }
    None
}

/// Two pages side by side.
pub async fn both(one: impl Future<Output = ()>, other: impl Future<Output = ()>) {
    let (mut one, mut other) = (pin!(one), pin!(other));
    let mut are_over = [false; 2];
    poll_fn(|context| {
        are_over[0] = are_over[0] || one.as_mut().poll(context).is_ready();
        are_over[1] = are_over[1] || other.as_mut().poll(context).is_ready();
        if are_over == [true; 2] {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
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

/// The disk of a browser, and the locks between its pages.
#[derive(Default)]
pub struct Disk {
    entries: Memory,
    /// What is done before the next action, if the page lives so long.
    later: RefCell<Vec<Action>>,
    /// The write that fails, as on a full disk: 1 is the next one, 0 is none.
    pub failing_write: Cell<u32>,
}

impl Disk {
    /// The page has ended, and with it what it has not begun to write; or the browser has begun it.
    pub fn page_ended(&self, is_begun: bool) {
        let later = self.later.take();
        if is_begun {
            later.into_iter().for_each(|action| {
                self.entries.perform(action);
            });
        }
    }

    /// Keeps an entry, as an earlier page did.
    pub fn put<T: Serialize>(&self, id: &str, kept: &T) {
        let (id, text) = (id.to_owned(), serde_json::to_string(kept).unwrap());
        self.entries.perform(Action::Write { id, text });
    }

    /// The texts of all entries.
    pub fn texts(&self) -> Vec<String> {
        let all = Action::Read(Range::Scope(String::new()), u32::MAX);
        let found = self.entries.perform(all).into_iter();
        found.filter_map(|found| found.text).collect()
    }
}

impl Storage for Disk {
    type Lock = Guard;

    fn scope(&self) -> &str {
        "scope "
    }

    async fn lock(&self, purpose: Purpose, id: &str) -> Result<Guard, Failure> {
        step().await;
        let guard = self.entries.mutex(purpose.name(id)).acquire().await;
        step().await;
        Ok(guard)
    }

    fn is_stolen(_: &Guard) -> bool {
        false
    }

    fn letters() -> Result<String, Failure> {
        let number = LETTERS.with(|letters| letters.replace(letters.get() + 1));
        Ok(format!("1-2-3-{number}"))
    }

    fn perform(&self, action: Action) -> Boxed<'_, Result<Vec<Found>, Failure>> {
        Box::pin(async move {
            step().await;
            self.page_ended(true);
            if matches!(action, Action::Write { .. } | Action::Replace { .. }) {
                let write = self.failing_write.get();
                self.failing_write.set(write.saturating_sub(1));
                if write == 1 {
                    return Err(Failure::new(ErrorCode::VaultFailed));
                }
            }
            let found = self.entries.perform(action);
            step().await;
            Ok(found)
        })
    }

    fn perform_later(&self, action: Action) {
        self.later.borrow_mut().push(action);
    }

    fn to_text<T: Serialize>(kept: &T) -> Result<String, Failure> {
        Ok(serde_json::to_string(kept).unwrap())
    }

    fn from_text<T: DeserializeOwned>(text: &str) -> Option<T> {
        serde_json::from_str(text).ok()
    }
}

/// Whom every page calls.
pub fn config() -> Rc<Config> {
    CONFIG.with(Rc::clone)
}

fn checked() -> Config {
    let url = |hostname: &str| Address {
        href: ["https://", hostname, "/"].concat(),
        protocol: "https:".into(),
        hostname: hostname.into(),
        origin: ["https://", hostname].concat(),
        ..Address::default()
    };
    let options: Options = [
        (&BASE_URL, Value::from(url("relay.example"))),
        (&CONNECT_URL, url("auth.example").into()),
        (&CLIENT_ID, "till".into()),
    ]
    .into_iter()
    .collect();
    Config::new(&options).unwrap()
}

/// Reads a body as the browser does.
pub fn read<B: DeserializeOwned, T>(
    body: &str,
    reader: fn(B) -> Result<T, Fault>,
) -> Result<T, Failure> {
    let body = serde_json::from_str(body).map_err(|_| {
        let mut error = Error::new(ErrorCode::Protocol).detail(&[NOT_JSON]);
        error.source = Some(Source::Intermediary);
        error
    })?;
    reader(body).map_err(|_| Failure::new(ErrorCode::Protocol))
}
