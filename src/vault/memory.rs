//! `vault: "memory"`: entries and locks that end with their client.

use super::mutex::FairMutex;
use super::storage::{Action, Found, Range};
use std::cell::RefCell;
use std::rc::{Rc, Weak};

/// What one client keeps.
#[derive(Default)]
pub struct Memory {
    /// Ids and JSON texts, in the order of the ids, as IndexedDB has them.
    texts: RefCell<Vec<(String, String)>>,
    /// The queue before each lock, as long as somebody stands in it.
    locks: RefCell<Vec<(String, Weak<FairMutex>)>>,
}

impl Range {
    fn contains(&self, id: &str) -> bool {
        match self {
            Self::One(one) => id == one,
            Self::Scope(scope) => id.starts_with(scope.as_str()),
        }
    }
}

impl Memory {
    /// Does it.
    pub fn perform(&self, action: Action) -> Vec<Found> {
        let texts = &mut *self.texts.borrow_mut();
        match action {
            Action::Read(range, most) => {
                let mut first = select(texts, |id| range.contains(id));
                first.truncate(most as usize);
                first
            }
            Action::Ids(scope) => select(texts, |id| id.starts_with(&scope)),
            Action::Ends(scope) => {
                let mut all = select(texts, |id| id.starts_with(&scope));
                if all.len() > 2 {
                    all.drain(1..all.len() - 1);
                }
                all
            }
            Action::Erase(range) => {
                texts.retain(|(id, _)| !range.contains(id));
                Vec::new()
            }
            Action::EraseDamagedKey => Vec::new(),
            Action::Write { id, text } => {
                keep(texts, id, text);
                Vec::new()
            }
            Action::Replace { from, by, .. } => {
                let was = select(texts, |id| *id == *from);
                texts.retain(|(id, _)| *id != from);
                if let Some((id, text)) = by.filter(|_| !was.is_empty()) {
                    keep(texts, id, text);
                }
                was
            }
        }
    }

    /// The lock of that name.
    pub fn mutex(&self, name: String) -> Rc<FairMutex> {
        let mut locks = self.locks.borrow_mut();
        locks.retain(|(_, mutex)| mutex.strong_count() > 0);
        let known = locks.iter().find(|(other, _)| *other == name);
        let mutex = known.and_then(|(_, mutex)| mutex.upgrade());
        mutex.unwrap_or_else(|| {
            let mutex = Rc::new(FairMutex::default());
            locks.push((name, Rc::downgrade(&mutex)));
            mutex
        })
    }
}

fn keep(texts: &mut Vec<(String, String)>, id: String, text: String) {
    texts.retain(|(other, _)| *other != id);
    let at = texts.iter().position(|(other, _)| *other > id);
    texts.insert(at.unwrap_or(texts.len()), (id, text));
}

fn select(texts: &[(String, String)], is_wanted: impl Fn(&str) -> bool) -> Vec<Found> {
    let own = texts.iter().filter(|(id, _)| is_wanted(id));
    let found = own.map(|(id, text)| Found {
        id: id.clone(),
        text: Some(text.clone()),
        version: Vec::new(),
    });
    found.collect()
}
