//! After every outcome the number is nowhere that the page can read.

use crate::support::*;
use wasm_bindgen::JsValue;

const FORMS: [&str; 6] = [
    "0502345678",
    "050-234-5678",
    "972502345678",
    "972 50-234-5678",
    "0 5 0 2 3 4 5 6 7 8",
    "502345678",
];

fn assert_nowhere(when: &str) {
    let (page, kept) = (everything(), kept_texts());
    for form in FORMS {
        assert!(!page.contains(form), "{when}: {form} in the page");
        assert!(
            !kept.contains(form),
            "{when}: {form} in a node that was kept"
        );
    }
}

#[wasm_bindgen_test]
async fn nothing_is_left_after_any_outcome() {
    watch();
    for end in ["send", "print", "none", "abort", "pagehide", "replaced"] {
        let till = till(&[]);
        let outcome = ask_of(&till, &[("allowNone", &true.into())]).await;
        for key in VALID.chars() {
            tap(&key.to_string());
        }
        sleep(1200).await;
        assert!(text("display").contains("050-234-5678"));
        keep_nodes();
        match end {
            "send" | "print" | "none" => tap(end),
            "abort" => till.destroy(),
            "pagehide" => pagehide(),
            _ => drop(till.receipt_for(options(&[("ereceipt", &false.into())]))),
        }
        if end != "replaced" {
            // The page may look at once; a new ask begins in a microtask.
            assert_nowhere(end);
        }
        done(outcome).await;
        assert_nowhere(end);
    }
}

/// Any script of the page can read the module's memory, for as long as the page is open.
#[wasm_bindgen_test]
async fn nothing_is_left_in_memory_after_any_outcome() {
    let memory = wasm_bindgen::memory();
    for end in ["send", "print", "none", "abort", "pagehide", "onSend"] {
        let till = till(&[]);
        let more = [("allowNone", &true.into()), ("onSend", &on_send(end))];
        let outcome = ask_of(&till, &more).await;
        tap_secret();
        sleep(1200).await;
        assert!(
            !secrets_in(&memory).is_empty(),
            "{end}: the search finds nothing"
        );
        match end {
            "onSend" => tap("send"),
            "abort" => till.destroy(),
            "pagehide" => pagehide(),
            _ => tap(end),
        }
        // Not read here: what the host gets is the host's to keep.
        done(outcome).await;
        sleep(50).await;
        assert_eq!(secrets_in(&memory), "", "{end}");
    }
}

/// One that fails, or none.
fn on_send(end: &str) -> JsValue {
    match end {
        "onSend" => function("return Promise.reject('no')"),
        _ => JsValue::UNDEFINED,
    }
}
