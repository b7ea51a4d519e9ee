//! Fingers and mice.

use crate::support::*;

#[wasm_bindgen_test]
async fn a_shopper_sends_with_the_pointer_alone() {
    let _pace = RealPace::keep();
    let outcome = ask(&[]).await;
    assert!(has_dialog());
    taps("050234567");
    assert_eq!(attribute("keypad", "data-tone").unwrap(), "plain");
    tap("8");
    assert_eq!(text("display"), "050-234-5678");
    assert_eq!(text("hint"), "\u{2066}+972 50-234-5678\u{2069} · Israel");
    tap("send");
    let outcome = done(outcome).await;
    for (name, value) in [
        ("kind", "ereceipt"),
        ("orderId", "A-1"),
        ("phone", "+972502345678"),
        ("national", "050-234-5678"),
        ("region", "IL"),
        ("phoneKind", "mobile"),
    ] {
        assert_eq!(word(&outcome, name), value);
    }
    let consent = get(&outcome, "consent");
    assert_eq!(word(&consent, "id"), "ereceipt-1");
    assert_eq!(word(&consent, "locale"), "en");
    assert_eq!(
        word(&consent, "text"),
        "Your number is used for this receipt only."
    );
    assert!(get(&consent, "at").is_instance_of::<js_sys::Date>());
    assert!(!word(&outcome, "metadataVersion").is_empty());
    assert!(!is_shown());
}

#[wasm_bindgen_test]
async fn the_other_outcomes_by_pointer() {
    let outcome = ask(&[]).await;
    for unasked in ["none", "scan"] {
        assert!(attribute(unasked, "hidden").is_some(), "{unasked}");
    }
    tap("print");
    assert_eq!(printed(outcome).await, "chosen");
    let outcome = ask(&[("allowNone", &true.into())]).await;
    tap("none");
    let outcome = done(outcome).await;
    assert_eq!(word(&outcome, "kind"), "none");
    assert_eq!(word(&outcome, "reason"), "chosen");
    assert_eq!(get(&outcome, "print"), JsValue::FALSE);
}

#[wasm_bindgen_test]
async fn mistakes_are_taken_back() {
    let outcome = ask(&[]).await;
    taps("0503<");
    assert_eq!(display(), "050");
    tap("clear");
    assert_eq!(display(), "");
    taps("+972502345678");
    tap("send");
    assert_eq!(sent(outcome).await, "+972502345678");
}

#[wasm_bindgen_test]
async fn sending_too_early_says_why_and_goes_on() {
    let outcome = ask(&[]).await;
    tap("send");
    assert!(text("hint").starts_with("Enter your mobile number, or"));
    assert_eq!(text("status"), text("hint"));
    assert_eq!(attribute("display", "aria-invalid").unwrap(), "true");
    taps("050");
    assert_eq!(attribute("display", "aria-invalid").unwrap(), "false");
    tap("send");
    assert!(text("hint").contains("too short"));
    tap("clear");
    taps("031");
    assert!(text("hint").contains("not a mobile number"), "while typing");
    assert_eq!(attribute("display", "aria-invalid").unwrap(), "true");
    tap("send");
    assert!(is_shown());
    tap("print");
    assert_eq!(printed(outcome).await, "chosen");
}

#[wasm_bindgen_test]
async fn another_number_is_suggested() {
    let outcome = ask(&[("region", &"DE".into())]).await;
    taps("4915123456789");
    assert!(text("suggestion").contains("+49"), "{}", text("suggestion"));
    tap("suggestion");
    assert_eq!(text("suggestion"), "");
    assert_eq!(focused(), "display");
    tap("send");
    assert_eq!(sent(outcome).await, "+4915123456789");
}

#[wasm_bindgen_test]
async fn two_fingers_rolling_over_lose_nothing_and_double_nothing() {
    let outcome = ask(&[]).await;
    let mut before: Option<(JsValue, u32)> = None;
    for (pointer, key) in (10..).zip(VALID.chars()) {
        let target = down(&key.to_string(), pointer, "touch");
        if let Some((target, pointer)) = before.replace((target, pointer)) {
            // Only the first of two fingers gets a click.
            if pointer % 2 == 0 {
                up(&target, pointer, "touch");
            }
        }
        sleep(25).await;
    }
    assert_eq!(display(), VALID);
    tap("print");
    printed(outcome).await;
}

#[wasm_bindgen_test]
async fn a_window_that_opened_later_has_another_clock() {
    sleep(60_000).await;
    let place = later_window();
    let outcome = till(&[]).receipt_for(options(&[("container", &place)]));
    let window = place.clone();
    eventually(move || window.first_element_child().is_some()).await;
    assert_eq!(tap_there(&place, "0").trim(), "", "meant for the till");
    guard_is_over().await;
    // Its own clock goes on while the test's stands still, so that its events are a little older.
    sleep(10_000).await;
    assert_eq!(tap_there(&place, VALID), "050-234-5678");
    let frame = get(&get(&place, "ownerDocument"), "defaultView");
    get(&frame, "frameElement")
        .unchecked_into::<web_sys::Element>()
        .remove();
    printed(JsValue::from(outcome)).await;
}

#[wasm_bindgen_test]
async fn events_without_a_time_of_their_own_count() {
    for stamp in [0.0, f64::NAN, -1.0, 3.0, 1.8e12] {
        stamp_events(Some(stamp));
        let outcome = till(&[]).receipt_for(options(&[]));
        eventually(is_shown).await;
        tap("0");
        assert_eq!(display(), "", "too early");
        guard_is_over().await;
        taps("050");
        types("2345678").await;
        assert_eq!(display(), VALID, "{stamp}: no scanner's");
        sleep(100).await;
        press("Enter");
        assert_eq!(
            sent(JsValue::from(outcome)).await,
            "+972502345678",
            "{stamp}"
        );
    }
    stamp_events(None);
}

#[wasm_bindgen_test]
async fn ten_thousand_quick_taps() {
    let outcome = ask(&[]).await;
    for round in 0..1000 {
        tap("clear");
        taps(VALID);
        assert_eq!(display(), VALID, "round {round}");
    }
    tap("send");
    assert_eq!(sent(outcome).await, "+972502345678");
}

#[wasm_bindgen_test]
async fn ghosts_type_nothing() {
    let outcome = ask(&[]).await;
    let five = down("5", 1, "touch");
    sleep(150).await;
    up(&five, 1, "touch");
    up(&five, 1, "touch");
    sleep(400).await;
    up(&five, 1, "touch");
    assert_eq!(display(), "5", "a second click");
    down("5", 2, "mouse");
    up(&five, 2, "mouse");
    assert_eq!(
        display(),
        "5",
        "a mouse that the touch screen's driver makes up"
    );
    sleep(1100).await;
    let five = down("5", 2, "mouse");
    sleep(700).await;
    up(&five, 2, "mouse");
    assert_eq!(display(), "55", "a slow click");
    // The page scrolled under the finger.
    down("1", 3, "touch");
    up(&five, 3, "touch");
    assert_eq!(display(), "551");
    tap("print");
    printed(outcome).await;
}

#[wasm_bindgen_test]
async fn clicks_without_a_pointer_type() {
    let outcome = ask(&[]).await;
    for key in VALID.chars() {
        activate(&key.to_string());
    }
    assert_eq!(display(), VALID);
    activate("<");
    assert_eq!(display(), &VALID[..9]);
    activate("print");
    assert_eq!(printed(outcome).await, "chosen");
}

#[wasm_bindgen_test]
async fn a_touch_keeps_the_focus_where_enter_sends() {
    let outcome = ask(&[]).await;
    assert_eq!(focused(), "display");
    taps(VALID);
    assert_eq!(focused(), "display");
    press("Enter");
    assert_eq!(sent(outcome).await, "+972502345678");
}

#[wasm_bindgen_test]
async fn a_known_number_is_sent_unless_touched() {
    let known: JsValue = "+972502345678".into();
    let outcome = ask(&[("prefill", &known)]).await;
    assert_eq!(text("display"), "•••• 5678");
    assert!(!everything().contains("972502345678"));
    tap("send");
    assert_eq!(sent(outcome).await, "+972502345678");
    let outcome = ask(&[("prefill", &known)]).await;
    tap("0");
    assert_eq!(display(), "0");
    tap("print");
    assert_eq!(printed(outcome).await, "chosen");
    let outcome = ask(&[("prefill", &"+97231234567".into())]).await;
    assert_eq!(display(), "", "not a mobile number");
    tap("print");
    printed(outcome).await;
}

#[wasm_bindgen_test]
async fn a_tap_that_was_meant_for_the_till_is_nobodys() {
    let till = till(&[]);
    let outcome = till.receipt_for(options(&[]));
    eventually(is_shown).await;
    for wait in [0, GUARD_MS - 1] {
        sleep(wait).await;
        tap("print");
        tap("5");
        assert!(is_shown());
        assert_eq!(display(), "", "{wait}");
    }
    sleep(1).await;
    tap("print");
    assert_eq!(printed(outcome).await, "chosen");
}

#[wasm_bindgen_test]
async fn a_touch_that_becomes_a_scroll_types_nothing() {
    let outcome = ask(&[]).await;
    taps("05");
    cancel(&down("0", 7, "touch"), 7);
    assert_eq!(display(), "05");
    // Firefox cancels a touch whose menu the page prevents. The shopper only held the key.
    let zero = down("0", 8, "touch");
    hold(&zero);
    cancel(&zero, 8);
    assert_eq!(display(), "050");
    taps("2345678");
    tap("send");
    assert_eq!(sent(outcome).await, "+972502345678");
}

#[wasm_bindgen_test]
async fn a_button_that_goes_away_leaves_the_focus_here() {
    let outcome = ask(&[]).await;
    tap("0");
    focus("clear");
    press("Backspace");
    assert_eq!(focused(), "display");
    press("5");
    assert_eq!(display(), "5");
    press("Escape");
    printed(outcome).await;
}

#[wasm_bindgen_test]
async fn a_keypad_that_the_page_hides_prints() {
    let place = container();
    let outcome = ask(&[("container", &place)]).await;
    place.set_attribute("hidden", "").unwrap();
    assert_eq!(printed(outcome).await, "removed");
    place.remove();
}
