//! The whole flow in a page, without a server: `fetch` is a service that follows the specification, or an order.
//! `wasm-pack test --headless --chrome` runs it.
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
#[path = "flow/page.rs"]
pub mod page;
#[path = "flow/support.rs"]
pub mod support;
#[path = "page/till.rs"]
pub mod till;

#[path = "flow/charge.rs"]
pub mod charge;
#[path = "flow/cleaned.rs"]
pub mod cleaned;
#[path = "flow/cleanup.rs"]
pub mod cleanup;
#[path = "flow/connect.rs"]
pub mod connect;
#[path = "flow/connect_again.rs"]
pub mod connect_again;
#[path = "flow/connection.rs"]
pub mod connection;
#[path = "flow/done.rs"]
pub mod done;
#[path = "flow/elsewhere.rs"]
pub mod elsewhere;
#[path = "flow/frame.rs"]
pub mod frame;
#[path = "flow/frame_layout.rs"]
pub mod frame_layout;
#[path = "flow/frame_look.rs"]
pub mod frame_look;
#[path = "flow/frozen.rs"]
pub mod frozen;
#[path = "flow/hand_over.rs"]
pub mod hand_over;
#[path = "flow/headers.rs"]
pub mod headers;
#[path = "flow/merchant.rs"]
pub mod merchant;
#[path = "flow/odd.rs"]
pub mod odd;
#[path = "flow/options.rs"]
pub mod options;
#[path = "flow/order_faults.rs"]
pub mod order_faults;
#[path = "flow/orders.rs"]
pub mod orders;
#[path = "flow/outbox.rs"]
pub mod outbox;
#[path = "flow/pickup.rs"]
pub mod pickup;
#[path = "flow/receipt.rs"]
pub mod receipt;
#[path = "flow/refusal.rs"]
pub mod refusal;
#[path = "flow/reissue.rs"]
pub mod reissue;
#[path = "flow/resume.rs"]
pub mod resume;
#[path = "flow/sales_left.rs"]
pub mod sales_left;
#[path = "flow/sealed.rs"]
pub mod sealed;
#[path = "flow/slow_host.rs"]
pub mod slow_host;
#[path = "flow/steps.rs"]
pub mod steps;
#[path = "flow/storage.rs"]
pub mod storage;
#[path = "flow/unreadable.rs"]
pub mod unreadable;
#[path = "flow/vault.rs"]
pub mod vault;
#[path = "flow/vault_faults.rs"]
pub mod vault_faults;
#[path = "flow/wait.rs"]
pub mod wait;
