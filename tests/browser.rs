//! The SDK in a real browser against the real service, and against one that misbehaves to order (`tests/rig`).
//! `cargo xtask test --only browser` runs them in Chromium, Firefox and WebKit.
#![cfg(target_arch = "wasm32")]
// Tests say what they expect by failing, and are nobody's public API.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use wasm_bindgen_test::wasm_bindgen_test_configure;

wasm_bindgen_test_configure!(run_in_browser);

#[path = "browser/support.rs"]
pub mod support;

#[path = "browser/cleanup.rs"]
pub mod cleanup;
#[path = "browser/elsewhere.rs"]
pub mod elsewhere;
#[path = "browser/flow.rs"]
pub mod flow;
#[path = "browser/frame.rs"]
pub mod frame;
#[path = "browser/frame_layout.rs"]
pub mod frame_layout;
#[path = "browser/frame_look.rs"]
pub mod frame_look;
#[path = "browser/hand_over.rs"]
pub mod hand_over;
#[path = "browser/memory.rs"]
pub mod memory;
#[path = "browser/odd.rs"]
pub mod odd;
#[path = "browser/options.rs"]
pub mod options;
#[path = "browser/refusal.rs"]
pub mod refusal;
#[path = "browser/reissue.rs"]
pub mod reissue;
#[path = "browser/resume.rs"]
pub mod resume;
#[path = "browser/storage.rs"]
pub mod storage;
#[path = "browser/token.rs"]
pub mod token;
#[path = "browser/vault.rs"]
pub mod vault;
#[path = "browser/wait.rs"]
pub mod wait;
