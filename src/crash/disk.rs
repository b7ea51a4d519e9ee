//! The disk of a browser in memory, and the locks between its pages.

use super::step;
use crate::core::Boxed;
use crate::core::error::ErrorCode;
use crate::core::failure::Failure;
use crate::vault::memory::Memory;
use crate::vault::mutex::Guard;
use crate::vault::storage::{Action, Found, Purpose, Range, Storage};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::cell::{Cell, RefCell};

thread_local! {
    static LETTERS: Cell<u32> = Cell::default();
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
