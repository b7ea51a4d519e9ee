//! The language of the host's own texts, and the shopper's own choice of one.

use crate::support::*;

fn two() -> JsValue {
    to_js(&json!(["en", "he"]))
}

fn three() -> JsValue {
    to_js(&json!(["en", "he", "ar"]))
}

/// `lang` and `dir` of the keypad.
fn written() -> [Option<String>; 2] {
    ["lang", "dir"].map(|name| attribute("keypad", name))
}

fn says(lang: &str, dir: &str) -> [Option<String>; 2] {
    [Some(lang.into()), Some(dir.into())]
}

#[wasm_bindgen_test]
async fn own_texts_say_their_language_and_direction() {
    for (labels, lang, dir) in [
        (json!({"title": "Reçu", "lang": "fr-CA"}), "fr-CA", "ltr"),
        (json!({"title": "رسید", "lang": "fa"}), "fa", "rtl"),
        (json!({"lang": "fa", "dir": "ltr"}), "fa", "ltr"),
        (json!({"dir": "rtl"}), "en", "rtl"),
        (json!({"title": "Slip"}), "en", "ltr"),
    ] {
        let outcome = ask(&[("labels", &to_js(&labels))]).await;
        assert_eq!(written(), says(lang, dir), "{labels}");
        assert_eq!(attribute("language", "hidden"), Some(String::new()));
        taps(VALID);
        tap("send");
        let outcome = done(outcome).await;
        assert_eq!(word(&get(&outcome, "consent"), "locale"), lang);
    }
}

#[wasm_bindgen_test]
async fn a_press_changes_the_language_and_keeps_the_digits() {
    let outcome = ask(&[("languages", &two())]).await;
    assert_eq!(attribute("language", "hidden"), None);
    assert_eq!(
        (text("language"), attribute("language", "lang")),
        ("עברית".into(), Some("he".into()))
    );
    taps("0502");
    let typed = text("display");
    tap("language");
    assert_eq!(text("display"), typed);
    assert_eq!(written(), says("he", "rtl"));
    assert_eq!(text("title"), "קבלה במסרון");
    assert_eq!(text("print"), "הדפסת קבלה");
    assert_eq!(attribute("display", "aria-label").unwrap(), "מספר נייד");
    assert_eq!(attribute("delete", "aria-label").unwrap(), "מחיקה");
    assert_eq!(text("status"), "עברית. הקלידו את מספר הנייד");
    assert_eq!(focused(), "display", "where Enter sends");
    taps("345678");
    press("Enter");
    let outcome = done(outcome).await;
    assert_eq!(word(&outcome, "phone"), "+972502345678");
    let consent = get(&outcome, "consent");
    assert_eq!(word(&consent, "locale"), "he");
    assert_eq!(word(&consent, "text"), "המספר ישמש לקבלה הזו בלבד.");
}

#[wasm_bindgen_test]
async fn a_keyboard_changes_between_two_and_stays_on_the_button() {
    let outcome = ask(&[("languages", &two()), ("locale", &"he".into())]).await;
    focus("language");
    for (lang, dir, other) in [("en", "ltr", "עברית"), ("he", "rtl", "English")] {
        activate("language");
        assert_eq!(written(), says(lang, dir));
        assert_eq!(
            (text("language").as_str(), focused().as_str()),
            (other, "language")
        );
    }
    tap("print");
    printed(outcome).await;
}

/// Whether the list is shown, as the eye and a screen reader have it.
fn is_listed() -> bool {
    let is_hidden = attribute("languages", "hidden").is_some();
    let expanded = attribute("language", "aria-expanded").unwrap();
    assert_eq!(expanded, if is_hidden { "false" } else { "true" });
    !is_hidden
}

#[wasm_bindgen_test]
async fn more_than_two_are_listed_each_by_its_own_name() {
    let outcome = ask(&[("languages", &three())]).await;
    assert_eq!((text("language"), is_listed()), ("English".into(), false));
    taps("0502");
    tap("language");
    assert!(is_listed());
    let current = ["en", "he", "ar"].map(|tag| attribute(tag, "aria-current").unwrap());
    assert_eq!(current, ["true", "false", "false"]);
    assert_eq!((text("he"), text("ar")), ("עברית".into(), "العربية".into()));
    tap("ar");
    assert_eq!((written(), is_listed()), (says("ar", "rtl"), false));
    assert_eq!(
        (text("language"), display()),
        ("العربية".into(), "0502".into())
    );
    assert_eq!(focused(), "display", "where Enter sends");
    // Whatever else is touched, and a second press, hide the list.
    for other in ["language", "5", "clear"] {
        tap("language");
        assert!(is_listed());
        tap(other);
        assert!(!is_listed(), "{other}");
    }
    tap("print");
    printed(outcome).await;
}

#[wasm_bindgen_test]
async fn a_keyboard_chooses_from_the_list_and_escape_only_closes_it() {
    let outcome = ask(&[("languages", &three()), ("locale", &"he".into())]).await;
    focus("language");
    activate("language");
    assert_eq!(focused_text(), "עברית", "the one that is shown");
    press("Escape");
    assert_eq!((is_listed(), focused().as_str()), (false, "language"));
    activate("language");
    press("ArrowDown");
    press("ArrowDown");
    press("ArrowDown");
    assert_eq!(focused_text(), "العربية", "the last one");
    press("ArrowUp");
    assert_eq!(focused_text(), "English");
    activate("en");
    assert_eq!((written(), is_listed()), (says("en", "ltr"), false));
    assert_eq!(focused(), "language");
    activate("language");
    cancel_dialog();
    assert!(!is_listed(), "a key for going back closes the list, too");
    press("Escape");
    printed(outcome).await;
}

#[wasm_bindgen_test]
async fn own_texts_come_back_with_their_language() {
    let labels = to_js(&json!({"title": "Reçu", "lang": "fr"}));
    let outcome = ask(&[("languages", &two()), ("labels", &labels)]).await;
    assert_eq!(
        (text("title"), written()),
        ("Reçu".into(), says("fr", "ltr"))
    );
    assert_eq!(text("language"), "français", "the browser knows its name");
    tap("language");
    tap("en");
    assert_eq!(
        (text("title"), written()),
        ("Receipt by text message".into(), says("en", "ltr"))
    );
    tap("language");
    tap("fr");
    assert_eq!(
        (text("title"), written()),
        ("Reçu".into(), says("fr", "ltr"))
    );
    tap("print");
    printed(outcome).await;
}

#[wasm_bindgen_test]
async fn the_page_hears_of_the_choice_and_the_paper_knows_it() {
    let heard = js_sys::Array::new();
    let list = heard.clone();
    let hear = Closure::<dyn Fn(JsValue)>::new(move |event| {
        list.push(&get(&event, "detail"));
    });
    let page = web_sys::window().unwrap();
    let callback = hear.as_ref().unchecked_ref();
    page.add_event_listener_with_callback("localechange", callback)
        .unwrap();
    let outcome = ask(&[("languages", &two())]).await;
    for _ in 0..3 {
        tap("language");
    }
    tap("print");
    let outcome = done(outcome).await;
    page.remove_event_listener_with_callback("localechange", callback)
        .unwrap();
    assert_eq!(heard.join(" "), "en he en he");
    assert_eq!(word(&outcome, "locale"), "he");
}

#[wasm_bindgen_test]
async fn while_the_host_is_asked_the_language_stays() {
    let never = js_sys::Function::new_no_args("return new Promise(() => {})");
    for languages in [two(), three()] {
        let outcome = ask(&[("languages", &languages), ("onSend", &never)]).await;
        taps(VALID);
        tap("send");
        assert_eq!(attribute("language", "aria-disabled").unwrap(), "true");
        tap("language");
        assert_eq!(written(), says("en", "ltr"));
        assert!(attribute("languages", "hidden").is_some());
        tap("print");
        printed(outcome).await;
    }
}

#[wasm_bindgen_test]
async fn one_language_is_no_choice() {
    let one = to_js(&json!(["he", "iw"]));
    let outcome = ask(&[("languages", &one)]).await;
    assert_eq!(attribute("language", "hidden"), Some(String::new()));
    tap("print");
    printed(outcome).await;
}

#[wasm_bindgen_test]
async fn spanish_is_spoken_as_any_other() {
    let outcome = ask(&[("locale", &"es-MX".into())]).await;
    assert_eq!(written(), says("es", "ltr"));
    assert_eq!(text("title"), "Recibo por mensaje de texto");
    taps(VALID);
    assert_eq!(text("print"), "Imprimir recibo");
    tap("send");
    let consent = get(&done(outcome).await, "consent");
    assert_eq!(word(&consent, "locale"), "es");
    let expected = "Su número se usará solo para este recibo.";
    assert_eq!(word(&consent, "text"), expected);
}
