//! The e-receipt keypad (§2.3): what a key, a touch or the clock means, without a browser.

pub mod entry;
pub mod key;
mod outcome;
pub mod part;
pub mod paste;
pub mod prompt;
pub mod reason;
pub mod scanner;
pub mod settings;
pub mod taps;
pub mod time;
pub mod view;
pub mod words;
