//! What is wrong with the options of a call. Noted instead of returned: so reading goes on to its one end, and the compiler has no early exit to
//! write, with all that is dropped there, after each option. That was 5 KB of WebAssembly.

use crate::config::invalid;
use crate::error::Error;
use crate::loose::{Loose, Members};
use std::cell::Cell;

/// The first fault; what comes after it does not count.
#[derive(Default)]
pub struct Faults {
    first: Cell<Option<String>>,
}

impl Faults {
    /// Notes what is wrong; never a value that was given.
    pub fn note(&self, parts: &[&str]) {
        let first = self.first.take();
        self.first.set(first.or_else(|| Some(parts.concat())));
    }

    /// Notes it unless `is_good`.
    pub fn expect(&self, is_good: bool, parts: &[&str]) {
        if !is_good {
            self.note(parts);
        }
    }

    /// Notes `fault` unless `is_good`. Apart, because each list of one text costs its address and length.
    #[inline(never)]
    pub fn require(&self, is_good: bool, fault: &str) {
        self.expect(is_good, &[fault]);
    }

    /// A text among the options.
    pub fn text(&self, options: &dyn Members, name: &str) -> Option<String> {
        match options.get(name) {
            Loose::Text(text) => Some(text),
            Loose::Missing => None,
            _ => {
                self.note(&[name, ": is not a text"]);
                None
            }
        }
    }

    /// The first fault as an error, once all is read.
    pub fn end(&self) -> Result<(), Error> {
        match self.first.take() {
            Some(fault) => Err(invalid(&[&fault])),
            None => Ok(()),
        }
    }
}
