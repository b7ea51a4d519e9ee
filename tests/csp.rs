//! A page whose own policy blocks the frame. In a file of its own, because a page can't lose its policy again.
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

use serde_json::json;
use support::*;
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

fn block_frames() {
    let policy = document().create_element("meta").unwrap();
    policy
        .set_attribute("http-equiv", "Content-Security-Policy")
        .unwrap();
    policy.set_attribute("content", "frame-src 'none'").unwrap();
    document().head().unwrap().append_child(&policy).unwrap();
}

#[wasm_bindgen_test]
async fn a_frame_that_our_own_policy_blocks_is_said_to_be() {
    block_frames();
    let pos = Service::as_specified()
        .framed(frame_url("silent", &json!([])))
        .client();
    let integration = integration(&pos).await;
    let waiting = integration.wait_until_done(JsValue::UNDEFINED);
    let frame = integration
        .mount_frame(JsValue::UNDEFINED, JsValue::UNDEFINED)
        .unwrap();
    assert_eq!(code_of(waiting).await, "csp_blocked");
    assert_eq!(done(frame.ended()).await, "failed");
    assert_eq!(
        code_of(pos.connect(JsValue::UNDEFINED)).await,
        "csp_blocked"
    );
    assert_eq!(frames().length(), 0);
}
