//! The SDK with real connect pages of another origin, and a server that answers badly (`tests/rig`).
//! `cargo xtask test --only browser` runs them in Chromium, Firefox and WebKit.
#![cfg(target_arch = "wasm32")]
// Tests say what they expect by failing, and are nobody's public API.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing
)]
// The support modules serve several files.
#![allow(dead_code)]

use wasm_bindgen_test::wasm_bindgen_test_configure;

wasm_bindgen_test_configure!(run_in_browser);

#[path = "page/clock.rs"]
pub mod clock;
#[path = "page/connect_frame.rs"]
pub mod connect_frame;
#[path = "flow/support.rs"]
pub mod in_page;
#[path = "flow/page.rs"]
pub mod page;
#[path = "browser/support.rs"]
pub mod support;
#[path = "page/till.rs"]
pub mod till;

#[path = "browser/frame.rs"]
pub mod frame;
#[path = "browser/network.rs"]
pub mod network;
