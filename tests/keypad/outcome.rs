//! What the shopper sees of a refusal, and after the end.

use crate::support::*;

const MASKED: &str = "\u{2066}•••• 5678\u{2069}";

/// Waits for what is shown after the end.
async fn told(text: String) {
    eventually(move || outcome() == text).await;
    assert_eq!(outcome_flaws(), "");
}

async fn is_gone() {
    eventually(|| !has_outcome()).await;
}

fn seconds(seconds: f64) -> JsValue {
    seconds.into()
}

#[wasm_bindgen_test]
async fn the_result_is_there_first_and_then_the_shopper_sees_it() {
    let (opener, before) = (opener(), document().body().unwrap().child_element_count());
    let accepts = function("return 1");
    let queued = function("return Promise.resolve({ state: 'queued' })");
    for (on_send, end, text) in [
        (&accepts, "send", ["Sent to ", MASKED].concat()),
        (
            &queued,
            "send",
            ["We'll text your receipt to ", MASKED].concat(),
        ),
        (
            &JsValue::UNDEFINED,
            "send",
            ["We'll text your receipt to ", MASKED].concat(),
        ),
        (&accepts, "print", String::from("Printing")),
    ] {
        let more = [("onSend", on_send), ("outcomeSeconds", &seconds(1.0))];
        let outcome = ask(&more).await;
        taps(VALID);
        tap(end);
        done(outcome).await;
        assert!(!is_shown() && !has_outcome(), "the result is first: {text}");
        assert_eq!(document().active_element().as_ref(), Some(opener.as_ref()));
        told(text).await;
        assert_eq!(document().active_element().as_ref(), Some(opener.as_ref()));
        assert!(!everything().contains("50-234"), "four digits are all");
        is_gone().await;
        assert_eq!(document().body().unwrap().child_element_count(), before);
    }
    opener.remove();
}

#[wasm_bindgen_test]
async fn it_stands_where_the_keypad_stood() {
    let place = container();
    let outcome = ask(&[("container", &place), ("outcomeSeconds", &seconds(1.0))]).await;
    tap("print");
    assert_eq!(printed(outcome).await, "chosen");
    told("Printing".into()).await;
    assert_eq!(outcome_host().as_ref(), Some(&place));
    is_gone().await;
    assert_eq!(place.child_element_count(), 0);
    place.remove();
    let element = element();
    let outcome = ask_in(&element, &options(&[("outcomeSeconds", &seconds(1.0))])).await;
    tap("print");
    assert_eq!(printed(outcome).await, "chosen");
    told("Printing".into()).await;
    assert_eq!(inside(&element), Some(1.0));
    is_gone().await;
    assert_eq!(inside(&element), Some(0.0));
    element.remove();
}

#[wasm_bindgen_test]
async fn it_is_over_at_once_with_the_next_ask_the_object_the_page_and_the_element() {
    for end in ["ask", "destroy", "pagehide", "removal"] {
        let till = till(&[]);
        let place = container();
        let more = [
            ("container", place.as_ref()),
            ("outcomeSeconds", &seconds(10.0)),
        ];
        let outcome = ask_of(&till, &more).await;
        tap("print");
        printed(outcome).await;
        told("Printing".into()).await;
        match end {
            "ask" => {
                let next = ask_of(&till, &[]).await;
                assert!(!has_outcome());
                tap("print");
                printed(next).await;
            }
            "destroy" => till.destroy(),
            "pagehide" => pagehide(),
            _ => place.remove(),
        }
        assert!(!has_outcome(), "{end}");
        place.remove();
    }
    // Nor does one come that was not there yet.
    let till = till(&[]);
    let outcome = ask_of(&till, &[("outcomeSeconds", &seconds(10.0))]).await;
    tap("print");
    till.destroy();
    printed(outcome).await;
    sleep(200).await;
    assert!(!has_outcome(), "destroyed before it was shown");
}

#[wasm_bindgen_test]
async fn a_refused_one_can_be_sent_once_more_with_the_same_key() {
    let body = "(globalThis.tries ??= []).push(b); if (b.attempt === 1) throw { code: 'first' }";
    let more = [
        ("onSend", &function(body)),
        ("outcomeSeconds", &seconds(1.0)),
    ];
    let outcome = ask(&more).await;
    taps(VALID);
    tap("send");
    let failed = "Couldn't send. Printing your receipt";
    eventually(move || text("hint") == failed).await;
    assert_eq!(text("status"), failed, "heard");
    assert_eq!(text("send"), "Try again");
    assert!(is_shown());
    tap("send");
    assert_eq!(
        text("send"),
        "Try again",
        "a double tap is no second attempt"
    );
    guard_is_over().await;
    tap("send");
    assert_eq!(sent(outcome).await, "+972502345678");
    told(["Sent to ", MASKED].concat()).await;
    let tries: js_sys::Array = get(&js_sys::global(), "tries").unchecked_into();
    assert_eq!(tries.length(), 2);
    let (first, second) = (tries.get(0), tries.get(1));
    assert_eq!(get(&second, "attempt"), 2);
    assert_eq!(
        get(&first, "idempotencyKey"),
        get(&second, "idempotencyKey")
    );
    is_gone().await;
}

#[wasm_bindgen_test]
async fn a_refused_one_prints_with_its_cause() {
    for (body, waits) in [
        ("throw { code: 'no' }", true),
        ("throw { code: 'no', retryable: false }", false),
    ] {
        let more = [
            ("onSend", &function(body)),
            ("outcomeSeconds", &seconds(1.0)),
        ];
        let outcome = ask(&more).await;
        taps(VALID);
        tap("send");
        if waits {
            eventually(|| text("send") == "Try again").await;
            guard_is_over().await;
            tap("print");
        }
        let outcome = done(outcome).await;
        assert_eq!(word(&outcome, "reason"), "send_failed");
        assert_eq!(word(&get(&outcome, "cause"), "code"), "no");
        let text = match waits {
            true => "Printing",
            false => "Couldn't send. Printing your receipt",
        };
        told(text.into()).await;
        is_gone().await;
    }
}

#[wasm_bindgen_test]
async fn while_it_is_sent_the_progress_is_seen_and_print_is_there() {
    let pending = function("return new Promise((done) => (globalThis.accept = done))");
    let outcome = ask(&[("onSend", &pending)]).await;
    assert_eq!(attribute("progress", "role").unwrap(), "progressbar");
    assert_eq!(attribute("progress", "hidden").as_deref(), Some(""));
    taps(VALID);
    tap("send");
    assert_eq!(attribute("progress", "hidden"), None);
    assert_eq!(attribute("progress", "aria-label").unwrap(), "Sending…");
    tap("print");
    assert_eq!(printed(outcome).await, "chosen");
}

#[wasm_bindgen_test]
async fn unless_the_page_says_otherwise_it_stays_for_two_seconds() {
    let outcome = ask(&[("outcomeSeconds", &JsValue::UNDEFINED)]).await;
    tap("print");
    printed(outcome).await;
    let shown = now();
    told("Printing".into()).await;
    // It is filled 50 ms later, so that it is heard.
    sleep_until(shown + 2_049.0).await;
    assert!(has_outcome());
    sleep(1).await;
    assert!(!has_outcome());
}
