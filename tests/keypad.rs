//! The e-receipt keypad in a real page, by pointer and by keyboard. In a file of its own, because it listens for its
//! page going away.
#![cfg(target_arch = "wasm32")]
// Tests say what they expect by failing, and are nobody's public API.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing
)]
// The support module serves several files.
#![allow(dead_code)]

use wasm_bindgen_test::wasm_bindgen_test_configure;

wasm_bindgen_test_configure!(run_in_browser);

#[path = "page/clock.rs"]
pub mod clock;
#[path = "keypad/support.rs"]
pub mod support;
#[path = "page/till.rs"]
pub mod till;

#[path = "keypad/ending.rs"]
pub mod ending;
#[path = "keypad/keyboard.rs"]
pub mod keyboard;
#[path = "keypad/languages.rs"]
pub mod languages;
#[path = "keypad/options.rs"]
pub mod options;
#[path = "keypad/outcome.rs"]
pub mod outcome;
#[path = "keypad/pointer.rs"]
pub mod pointer;
#[path = "keypad/sending.rs"]
pub mod sending;
#[path = "keypad/wiping.rs"]
pub mod wiping;
