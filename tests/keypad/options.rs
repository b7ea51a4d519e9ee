//! Bad options are named; phone numbers without a keypad.

use crate::support::*;
use js_sys::{Array, Function, Reflect};
use pos_connect::phone::METADATA_VERSION;
use pos_connect::{define_keypad, format_phone_as_you_type, parse_phone};

fn assert_names(error: &JsValue, option: &str, operation: &str) {
    assert_eq!(word(error, "code"), "invalid_option", "{error:?}");
    assert_eq!(word(error, "operation"), operation);
    let message = word(error, "message");
    assert!(message.starts_with(option), "{message}");
}

#[wasm_bindgen_test]
async fn what_the_rows_do_not_say_is_named() {
    let till = till(&[]);
    for (name, value) in [
        ("labels.lang: is no language tag", json!({"lang": "fr_CA"})),
        ("labels.lang", json!({"lang": 5})),
        ("labels.dir: is neither", json!({"dir": "auto"})),
        ("languages: fr is not en, he, ar or es", json!(["en", "fr"])),
        ("consentId: has control", json!("a\nb")),
    ] {
        let value = to_js(&value);
        let option = name.split(['.', ':']).next().unwrap_or_default();
        let error = failed(till.receipt_for(options(&[(option, &value)]))).await;
        assert_names(&error, name, "receiptFor");
    }
    assert!(!is_shown());
    let element = element();
    let outcome = ask_in(&element, &to_js(&json!({"orderId": "A-1"}))).await;
    assert_names(&failed(outcome).await, "region", "ask");
    element.remove();
    for name in ["nodash", "", "A-b"] {
        assert_names(
            &define_keypad(name.into()).unwrap_err(),
            "name",
            "defineKeypad",
        );
    }
    assert_names(
        &define_keypad(5.into()).unwrap_err(),
        "name",
        "defineKeypad",
    );
}

#[wasm_bindgen_test]
async fn labels_take_the_place_of_single_texts() {
    let labels = to_js(&json!({"title": "Bon numérique ?", "count": "#!"}));
    let outcome = ask(&[("labels", &labels), ("announce", &"count".into())]).await;
    assert_eq!(text("title"), "Bon numérique ?");
    assert_eq!(text("print"), "Print receipt");
    taps("05");
    sleep(1200).await;
    assert_eq!(text("status"), "2!");
    tap("print");
    printed(outcome).await;
}

#[wasm_bindgen_test]
async fn the_shopper_sees_what_the_receipt_is_for() {
    let context = "Paid $11.91 · <b>Order 1041</b>";
    let outcome = ask(&[("context", &context.into())]).await;
    assert_eq!(text("context"), context, "a text, no markup");
    assert!(text("title").ends_with(context), "it names the dialog, too");
    tap("print");
    printed(outcome).await;
    let each = to_js(&json!({"he": "שולם", "en": "Paid"}));
    let languages = to_js(&json!(["en", "he"]));
    let outcome = ask(&[("context", &each), ("languages", &languages)]).await;
    assert_eq!(text("context"), "Paid");
    tap("language");
    assert_eq!(text("context"), "שולם", "it follows the keypad");
    tap("print");
    printed(outcome).await;
    let outcome = ask(&[]).await;
    assert!(!everything().contains("Paid") && attribute("title", "id").is_some());
    tap("print");
    printed(outcome).await;
}

#[wasm_bindgen_test]
fn the_same_name_gives_the_same_class() {
    let class = define_keypad(JsValue::UNDEFINED).unwrap();
    assert_eq!(define_keypad("ereceipt-keypad".into()).unwrap(), class);
    let other = define_keypad("till-keypad".into()).unwrap();
    assert!(other.is_function() && other != class);
    assert_eq!(define_keypad("till-keypad".into()).unwrap(), other);
}

#[wasm_bindgen_test]
fn the_sheet_is_read_once() {
    let class = Function::from(define_keypad(JsValue::UNDEFINED).unwrap());
    let sheet = || {
        let element = Reflect::construct(&class, &Array::new()).unwrap();
        get(
            &get(&get(&element, "shadowRoot"), "adoptedStyleSheets"),
            "0",
        )
    };
    assert!(sheet().is_object());
    assert_eq!(sheet(), sheet());
}

/// As `core.js` gives it.
fn letters(region: &str) -> u32 {
    let mut letters = region.bytes().map(u32::from);
    letters.next().unwrap() << 16 | letters.next().unwrap()
}

/// As `core.js` gets it.
fn lines(input: &str, region: &str) -> Vec<String> {
    let text = parse_phone(input.into(), letters(region)).unwrap();
    let text = text.as_string().unwrap();
    text.lines().map(String::from).collect()
}

#[wasm_bindgen_test]
fn numbers_without_a_keypad() {
    let phone = lines("050 234-5678", "IL");
    let valid = [
        "valid",
        "+972502345678",
        "050-234-5678",
        "+972 50-234-5678",
        "IL",
        "mobile",
        "",
        METADATA_VERSION,
        "",
    ];
    assert_eq!(phone, valid);
    assert_eq!(lines("050-234-5678 ext 3", "IL")[8], "3");
    let dead = ["invalid", "", "", "", "", "", "1", METADATA_VERSION, ""];
    assert_eq!(lines("031", "IL"), dead);
    let suggestion = lines("4915123456789", "DE").split_off(9);
    assert_eq!(suggestion[..2], ["valid", "+4915123456789"]);
    let typed = format_phone_as_you_type(VALID.into(), letters("IL")).unwrap();
    assert_eq!(typed, "050-234-5678");
    for region in [letters("XX"), 1, letters("IL") << 1] {
        let wrong = parse_phone("1".into(), region);
        assert_names(&wrong.unwrap_err(), "region", "parsePhone");
        let wrong = format_phone_as_you_type("1".into(), region);
        assert_names(&wrong.unwrap_err(), "region", "formatPhoneAsYouType");
    }
}

#[wasm_bindgen_test]
async fn in_the_page_all_of_it_comes_into_view() {
    let place = container();
    let style = "margin-block: 3000px; --ereceipt-key-size: 48px; --ereceipt-gap: 4px";
    place.set_attribute("style", style).unwrap();
    let outcome = ask(&[("container", &place)]).await;
    assert_eq!(out_of_view(), 0.0);
    press("Escape");
    printed(outcome).await;
    place.remove();
}
