//! Keyboards, numpads, scanners, and what a screen reader hears.

use crate::support::*;

#[wasm_bindgen_test]
async fn a_cashier_sends_with_the_keyboard_alone() {
    let outcome = ask(&[]).await;
    types("0501").await;
    assert!(press("Backspace"));
    types("2345678").await;
    assert_eq!(text("display"), "050-234-5678");
    press("Enter");
    assert_eq!(sent(outcome).await, "+972502345678");
}

#[wasm_bindgen_test]
async fn the_other_outcomes_by_keyboard() {
    let outcome = ask(&[]).await;
    assert!(press("Escape"));
    assert_eq!(printed(outcome).await, "chosen");
    let outcome = ask(&[]).await;
    focus("print");
    press("Enter");
    assert_eq!(printed(outcome).await, "chosen");
    let outcome = ask(&[("allowNone", &true.into())]).await;
    focus("none");
    press(" ");
    assert_eq!(word(&done(outcome).await, "kind"), "none");
    let outcome = ask(&[]).await;
    cancel_dialog();
    assert_eq!(printed(outcome).await, "chosen");
}

#[wasm_bindgen_test]
async fn the_grid_is_one_tab_stop_that_arrows_move() {
    let outcome = ask(&[]).await;
    assert_eq!(attribute("1", "tabindex").unwrap(), "0");
    focus("1");
    for (key, on) in [
        ("ArrowRight", "2"),
        ("ArrowDown", "5"),
        ("ArrowLeft", "4"),
        ("ArrowUp", "1"),
        ("ArrowUp", "1"),
        ("ArrowLeft", "1"),
        ("ArrowDown", "4"),
        ("ArrowDown", "7"),
        ("ArrowDown", "+"),
        ("ArrowRight", "0"),
        ("ArrowDown", "0"),
    ] {
        assert!(press(key));
        assert_eq!(focused_text(), on, "{key}");
    }
    assert_eq!(attribute("0", "tabindex").unwrap(), "0");
    assert_eq!(attribute("1", "tabindex").unwrap(), "-1");
    press("Enter");
    press(" ");
    assert_eq!(
        display(),
        "00",
        "a focused key keeps its own Enter and Space"
    );
    press("ArrowRight");
    press("Enter");
    assert_eq!(display(), "0");
    press("Escape");
    printed(outcome).await;
}

#[wasm_bindgen_test]
async fn twenty_keys_a_second_lose_nothing() {
    let outcome = ask(&[]).await;
    types("+972502345678").await;
    assert_eq!(display(), VALID, "as it is written there");
    press("Escape");
    printed(outcome).await;
}

#[wasm_bindgen_test]
async fn a_scanners_code_is_not_typed_and_its_end_not_taken() {
    let place = container();
    for more in [vec![], vec![("container", place.as_ref())]] {
        let outcome = ask(&more).await;
        types("050").await;
        sleep(100).await;
        for (code, ends) in [
            ("4006381333931", keys(&["Enter"])),
            ("AB12-CD34", keys(&["Tab"])),
            ("0502345678", keys(&["Enter", "Enter"])),
            ("0502345678", keys(&["Tab", "Enter"])),
        ] {
            assert!(scan(code, 5, &ends), "swallowed");
            assert_eq!(display(), "050", "{code}");
            assert_eq!(focused(), "display", "{code}");
            sleep(300).await;
        }
        // Nor does the Enter press a focused button, or a space.
        focus("print");
        for code in ["4006381333931", "AB 12 CD"] {
            assert!(scan(code, 5, &keys(&["Enter"])));
            assert!(is_shown(), "{code}");
            sleep(300).await;
        }
        press("Enter");
        assert_eq!(printed(outcome).await, "chosen");
    }
    place.remove();
}

#[wasm_bindgen_test]
async fn a_slow_scanners_code_is_sent_by_the_shopper_only() {
    for ends in [keys(&["Enter"]), keys(&["Tab"]), keys(&["Enter", "Enter"])] {
        let outcome = ask(&[]).await;
        assert!(scan(VALID, 40, &ends), "swallowed");
        assert!(is_shown());
        assert_eq!((display(), focused()), (VALID.into(), "display".into()));
        sleep(700).await;
        tap("send");
        assert_eq!(sent(outcome).await, "+972502345678");
    }
}

#[wasm_bindgen_test]
async fn digits_of_other_scripts_and_the_numpad() {
    let outcome = ask(&[]).await;
    types("٠٥۰２").await;
    assert_eq!(display(), "0502");
    press_js("Home", &to_js(&json!({"code": "Numpad7"})));
    assert_eq!(display(), "05027");
    press("Escape");
    printed(outcome).await;
}

#[wasm_bindgen_test]
async fn other_keys_pass() {
    let outcome = ask(&[]).await;
    for modifier in ["ctrlKey", "metaKey", "altKey", "isComposing"] {
        assert!(
            !press_js("5", &to_js(&json!({modifier: true}))),
            "{modifier}"
        );
    }
    for key in ["Tab", "F5", "Shift"] {
        assert!(!press(key), "{key}");
    }
    press_js("5", &to_js(&json!({"repeat": true})));
    press_js("Enter", &to_js(&json!({"repeat": true})));
    assert_eq!(display(), "");
    assert_eq!(attribute("display", "aria-invalid").unwrap(), "false");
    press("Escape");
    printed(outcome).await;
}

#[wasm_bindgen_test]
async fn keys_count_only_while_the_focus_is_inside() {
    let place = container();
    let outcome = ask(&[("container", &place)]).await;
    blur();
    press("5");
    assert_eq!(display(), "");
    tap("0");
    press("5");
    assert_eq!(display(), "05", "a touch brings the focus back");
    press("Escape");
    printed(outcome).await;
    place.remove();
}

#[wasm_bindgen_test]
async fn what_is_pasted_is_read() {
    let outcome = ask(&[]).await;
    types("12").await;
    assert!(paste("tel: +972 (50) 234-5678\n"), "kept from the page");
    assert_eq!(text("display"), "050-234-5678");
    for nothing in ["nothing to read", "", "05.12.2026"] {
        assert!(paste(nothing));
        assert_eq!(text("display"), "050-234-5678");
        assert!(text("hint").starts_with("There is no mobile number"));
    }
    paste("052-345-6789 (2)");
    assert_eq!(text("display"), "052-345-6789");
    paste("050-234-5678/052-345-6789");
    assert_eq!(text("display"), "050-234-5678");
    press("Enter");
    assert_eq!(sent(outcome).await, "+972502345678");
}

#[wasm_bindgen_test]
async fn a_country_is_named_in_the_language_of_the_keypad_if_the_browser_can() {
    for (locale, name) in [("en", "Israel"), ("he", "ישראל"), ("ar", "إسرائيل")] {
        let outcome = ask(&[("locale", &locale.into()), ("region", &"US".into())]).await;
        types("972502345678").await;
        assert!(text("suggestion").contains(name), "{}", text("suggestion"));
        activate("suggestion");
        assert_eq!(text("display"), "+972 50-234-5678");
        assert!(text("hint").ends_with(name), "{}", text("hint"));
        press("Escape");
        printed(outcome).await;
    }
    let names = take_intl();
    let outcome = ask(&[]).await;
    types(VALID).await;
    assert_eq!(text("hint"), "\u{2066}+972 50-234-5678\u{2069}");
    give_intl(&names);
    press("Escape");
    printed(outcome).await;
}

#[wasm_bindgen_test]
async fn what_a_screen_reader_hears() {
    let outcome = ask(&[]).await;
    types("05").await;
    assert_eq!(text("status"), "5");
    sleep(1200).await;
    assert_eq!(text("status"), "0 5");
    types("02345678").await;
    sleep(1200).await;
    assert_eq!(text("status"), "0 5 0 2 3 4 5 6 7 8. Ready to send");
    press("Escape");
    printed(outcome).await;
    for (policy, heard) in [("count", "2 digits"), ("off", "")] {
        let outcome = ask(&[("announce", &policy.into())]).await;
        types("05").await;
        sleep(1200).await;
        assert_eq!(text("status").trim(), heard);
        focus("send");
        press("Enter");
        assert!(text("status").contains("too short"), "errors always");
        press("Escape");
        printed(outcome).await;
    }
}

#[wasm_bindgen_test]
async fn it_is_named_and_the_focus_returns() {
    let opener = opener();
    for place in [None, Some(container())] {
        let more: Vec<(&str, &wasm_bindgen::JsValue)> = place
            .iter()
            .map(|place| ("container", place.as_ref()))
            .collect();
        let outcome = ask(&more).await;
        assert_eq!(has_dialog(), place.is_none());
        assert_eq!(focused(), "display");
        assert_eq!(attribute("title", "id").unwrap(), "t");
        assert_eq!(attribute("display", "aria-label").unwrap(), "Mobile number");
        assert_eq!(attribute("status", "role").unwrap(), "status");
        if place.is_some() {
            assert_eq!(attribute("keypad", "role").unwrap(), "group");
            assert_eq!(attribute("keypad", "aria-labelledby").unwrap(), "t");
        }
        assert_eq!(attribute("delete", "aria-label").unwrap(), "Delete");
        press("Escape");
        printed(outcome).await;
        assert_eq!(document().active_element().as_ref(), Some(opener.as_ref()));
    }
    opener.remove();
}

#[wasm_bindgen_test]
async fn a_key_of_the_keyboard_lights_its_button_for_a_moment() {
    let outcome = ask(&[]).await;
    let is_lit = |key| attribute(key, "data-lit").is_some();
    press("5");
    assert!(is_lit("5"));
    press("Backspace");
    assert!(is_lit("delete") && !is_lit("5"));
    eventually(move || !is_lit("delete")).await;
    tap("5");
    assert!(!is_lit("5"), "under a finger it is pressed");
    keep_nodes();
    press("7");
    assert_eq!(kept_lights(), 1);
    press("Escape");
    printed(outcome).await;
    assert_eq!(kept_lights(), 0, "it would tell a digit");
}

#[wasm_bindgen_test]
async fn a_key_vibrates_and_clicks_if_the_page_wants_it() {
    for (feedback, felt) in [
        ("none", ""),
        ("haptic", "vibrate vibrate"),
        ("click", "click click"),
        ("both", "vibrate click vibrate click"),
    ] {
        let device = device(false);
        let outcome = ask(&[("feedback", &feedback.into())]).await;
        tap("5");
        press("6");
        press("Tab");
        assert_eq!(device.end(), felt, "{feedback}");
        press("Escape");
        printed(outcome).await;
    }
    // A machine without sound.
    let device = device(true);
    let outcome = ask(&[("feedback", &"both".into())]).await;
    tap("5");
    assert_eq!(display(), "5");
    device.end();
    press("Escape");
    printed(outcome).await;
}
