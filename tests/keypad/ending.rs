//! Everything else that ends an ask, exactly once.

use crate::support::*;
use web_sys::AbortController;

#[wasm_bindgen_test]
async fn a_second_ask_replaces_the_first() {
    let till = till(&[]);
    let first = ask_of(&till, &[]).await;
    let second = till.receipt_for(options(&[]));
    assert_eq!(printed(first).await, "replaced");
    eventually(is_shown).await;
    guard_is_over().await;
    taps(VALID);
    tap("send");
    assert_eq!(sent(second).await, "+972502345678");
    let element = element();
    let first = ask_in(&element, &options(&[])).await;
    let second = ask_in(&element, &options(&[])).await;
    assert_eq!(printed(first).await, "replaced");
    assert_eq!(inside(&element), Some(1.0));
    tap("print");
    assert_eq!(printed(second).await, "chosen");
    assert_eq!(inside(&element), Some(0.0));
    element.remove();
    sleep(20).await;
}

#[wasm_bindgen_test]
async fn the_signal_prints() {
    let controller = AbortController::new().unwrap();
    let outcome = ask(&[("signal", &controller.signal())]).await;
    controller.abort_with_reason(&"closing".into());
    let outcome = done(outcome).await;
    assert_eq!(word(&outcome, "reason"), "aborted");
    assert_eq!(word(&outcome, "cause"), "closing");
    assert!(!is_shown());
    let outcome = till(&[]).receipt_for(options(&[("signal", &controller.signal())]));
    assert_eq!(printed(outcome).await, "aborted", "before it was shown");
}

#[wasm_bindgen_test]
async fn destroy_prints() {
    let till = till(&[]);
    let outcome = ask_of(&till, &[]).await;
    till.destroy();
    assert!(!is_shown());
    assert_eq!(printed(outcome).await, "aborted");
    let outcome = till.receipt_for(options(&[]));
    assert_eq!(printed(outcome).await, "aborted");
}

#[wasm_bindgen_test]
async fn removed_prints_and_moved_does_not() {
    let (place, other) = (container(), container());
    let outcome = ask(&[("container", &place)]).await;
    taps("050");
    let keypad = place.first_element_child().unwrap();
    other.append_child(&keypad).unwrap();
    sleep(20).await;
    tap("2");
    assert_eq!(display(), "0502", "moved");
    other.remove();
    assert_eq!(printed(outcome).await, "removed");
    assert_eq!(inside(&keypad), Some(0.0));
    let element = element();
    element.remove();
    let outcome = ask_in(&element, &options(&[])).await;
    assert_eq!(printed(outcome).await, "removed", "in no page");
    place.remove();
}

#[wasm_bindgen_test]
async fn the_page_going_away_prints() {
    let outcome = ask(&[]).await;
    taps(VALID);
    pagehide();
    assert!(!is_shown());
    assert_eq!(printed(outcome).await, "page_hidden");
}

#[wasm_bindgen_test]
async fn nobody_answers() {
    let idle: JsValue = 25.into();
    let began = now();
    let outcome = ask(&[("idleSeconds", &idle)]).await;
    sleep_until(began + 4_999.0).await;
    assert_eq!(text("hint"), "Enter your mobile number");
    sleep(1).await;
    assert!(text("hint").starts_with("Still there?"), "{}", text("hint"));
    assert!(text("status").starts_with("Still there?"), "said, once");
    press("Shift");
    assert_eq!(
        text("hint"),
        "Enter your mobile number",
        "any key extends it"
    );
    let none = [("idleSeconds", &idle), ("noAnswer", &"none".into())];
    let other = till(&[]).receipt_for(options(&none));
    assert_eq!(printed(outcome).await, "timeout");
    assert_eq!(now() - began, 30_000.0);
    let other = done(other).await;
    assert_eq!(word(&other, "kind"), "none");
    assert_eq!(word(&other, "reason"), "timeout");
}

#[wasm_bindgen_test]
async fn nothing_is_asked_where_it_is_not_enabled() {
    for (of_till, of_ask, cause) in [
        (JsValue::FALSE, JsValue::UNDEFINED, ""),
        (JsValue::UNDEFINED, JsValue::UNDEFINED, "network"),
        (JsValue::TRUE, JsValue::FALSE, ""),
        (JsValue::TRUE, function("return false"), ""),
        (JsValue::TRUE, function("return Promise.resolve(1)"), ""),
        (JsValue::TRUE, function("throw {code: '1'}"), "1"),
        (
            JsValue::TRUE,
            function("return Promise.reject({code: '2'})"),
            "2",
        ),
    ] {
        let till = till(&[("ereceipt", &of_till)]);
        let outcome = done(till.receipt_for(options(&[("ereceipt", &of_ask)]))).await;
        assert_eq!(word(&outcome, "reason"), "not_enabled", "{of_ask:?}");
        let given = get(&outcome, "cause");
        let code = if given.is_undefined() {
            String::new()
        } else {
            word(&given, "code")
        };
        assert_eq!(code, cause, "{of_ask:?}");
        assert!(!is_shown());
    }
    for (of_till, of_ask) in [
        (JsValue::FALSE, JsValue::TRUE),
        (function("return Promise.resolve(true)"), JsValue::UNDEFINED),
        (JsValue::FALSE, function("return true")),
    ] {
        let till = till(&[("ereceipt", &of_till)]);
        let outcome = ask_of(&till, &[("ereceipt", &of_ask)]).await;
        tap("print");
        assert_eq!(printed(outcome).await, "chosen");
    }
}

#[wasm_bindgen_test]
async fn what_the_page_throws_while_it_is_shown_prints() {
    let (element, place) = (element(), container());
    let give_back = break_elements();
    let in_dialog = till(&[]).receipt_for(options(&[]));
    let in_place = till(&[]).receipt_for(options(&[("container", &place)]));
    let in_element = ask_in(&element, &options(&[])).await;
    for outcome in [in_dialog.into(), in_place.into(), in_element] {
        let outcome = done(outcome).await;
        assert_eq!(word(&outcome, "reason"), "unsupported");
        assert_eq!(word(&outcome, "cause"), "broken");
    }
    give_back.call0(&JsValue::UNDEFINED).unwrap();
    assert!(!is_shown());
    assert_eq!(place.child_element_count(), 0);
    let outcome = ask_in(&element, &options(&[])).await;
    tap("print");
    assert_eq!(printed(outcome).await, "chosen", "the element is free");
    element.remove();
    place.remove();
}

#[wasm_bindgen_test]
async fn a_host_that_does_not_know_yet_can_be_given_up() {
    let till = till(&[("ereceipt", &function("return new Promise(() => {})"))]);
    let first = till.receipt_for(options(&[]));
    sleep(20).await;
    let second = till.receipt_for(options(&[("ereceipt", &JsValue::TRUE)]));
    assert_eq!(printed(first).await, "replaced");
    eventually(is_shown).await;
    guard_is_over().await;
    tap("print");
    assert_eq!(printed(second).await, "chosen");
}

#[wasm_bindgen_test]
async fn the_element_takes_its_attributes() {
    let element = element();
    element.set_attribute("region", "IL").unwrap();
    element.set_attribute("locale", "he-IL").unwrap();
    let outcome = ask_in(&element, &to_js(&json!({"orderId": "A-1"}))).await;
    assert_eq!(attribute("keypad", "dir").unwrap(), "rtl");
    assert_eq!(attribute("keypad", "lang").unwrap(), "he");
    assert_eq!(attribute("keys", "dir").unwrap(), "ltr");
    assert_eq!(text("clear"), "ניקוי");
    taps(VALID);
    tap("send");
    let outcome = done(outcome).await;
    assert_eq!(word(&get(&outcome, "consent"), "locale"), "he");
    element.remove();
}
