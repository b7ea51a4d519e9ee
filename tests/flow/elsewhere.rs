//! The ways out of a frame: a window, or another device. The file that draws the QR code is not beside the module here;
//! `tests/package` has it. So these are the tests of what stays without it.

use crate::support::*;
use pos_connect::Integration;

async fn created(code: Value, answers: &[&str]) -> Integration {
    let body = json!({"success": true, "integrationToken": "itk", "interval": 1, "code": code});
    let steps = json!({"create": [{"body": body}], "status": status(answers)});
    integration(&Service::scripted(steps).client()).await
}

fn mount(integration: &Integration) -> web_sys::Element {
    let place = container();
    integration
        .mount_frame(place.clone().into(), JsValue::UNDEFINED)
        .unwrap();
    place
}

fn part(place: &web_sys::Element, class: &str) -> web_sys::HtmlElement {
    let found = place.query_selector(&format!(".pos-connect-{class}"));
    found
        .unwrap()
        .unwrap_or_else(|| panic!("no {class}"))
        .unchecked_into()
}

fn is_shown(element: &web_sys::HtmlElement) -> bool {
    element.offset_height() > 0
}

/// How often the file of the QR code was asked for.
fn loads() -> usize {
    let performance = get(&js_sys::global(), "performance");
    let list = get(&performance, "getEntriesByType").unchecked_into::<js_sys::Function>();
    let names: js_sys::Array = list
        .call1(&performance, &"resource".into())
        .unwrap()
        .unchecked_into();
    let names = names.iter().map(|entry| text(&entry, "name"));
    names.filter(|name| name.ends_with("elsewhere.js")).count()
}

/// A window that only remembers what it was told.
fn stand_in() -> (JsValue, js_sys::Array) {
    let (close, closes) = recorder();
    let (post, _) = recorder();
    let (focus, _) = recorder();
    let more = [
        ("close", close.as_ref()),
        ("postMessage", post.as_ref()),
        ("focus", focus.as_ref()),
    ];
    (with(&json!({"closed": false}), &more), closes)
}

fn open_window(place: &web_sys::Element, window: &JsValue) -> Value {
    let opens = record_opens(window);
    part(place, "open-window").click();
    let call = |name: &str| {
        let method = get(&opens, name).unchecked_into::<js_sys::Function>();
        method.call0(&opens).unwrap()
    };
    call("restore");
    to_value(&call("urls"))
}

#[wasm_bindgen_test]
async fn the_link_and_the_code_stay_where_the_qr_code_cannot_be_loaded() {
    // Other tests share the page.
    let loaded = loads();
    let integration = created(json!("0420"), &["pending"]).await;
    assert_eq!(integration.code(), "0420");
    let place = mount(&integration);
    let (panel, phone) = (part(&place, "elsewhere"), part(&place, "phone"));
    let frame: web_sys::HtmlElement = frames().get(0).unchecked_into();
    assert!(is_shown(&frame) && !is_shown(&panel) && is_shown(&part(&place, "open-window")));
    assert!(!is_shown(&part(&place, "code")));
    assert_eq!(loads(), loaded, "nothing is loaded before it is asked for");
    phone.click();
    let check = |panel: &web_sys::HtmlElement| {
        assert!(is_shown(panel) && !is_shown(&frame));
        assert!(document().active_element().as_ref() == Some(panel.as_ref()));
        let link = part(&place, "link");
        let address = frame.get_attribute("src").unwrap();
        assert_eq!(
            (text(&link, "textContent"), text(&link, "href")),
            (address.clone(), address)
        );
        assert_eq!(
            (text(&link, "rel"), text(&link, "target")),
            ("noreferrer".into(), "_blank".into())
        );
        assert!(is_shown(&part(&place, "code")));
        assert_eq!(
            part(&place, "code").text_content().unwrap(),
            "Check that your phone shows 0420"
        );
        assert_eq!(phone.text_content().unwrap(), "Continue here");
    };
    check(&panel);
    sleep(500).await;
    check(&panel);
    phone.click();
    assert!(is_shown(&frame) && !is_shown(&panel));
    // The page that is here shows no number.
    assert!(!is_shown(&part(&place, "code")));
    assert_eq!(phone.text_content().unwrap(), "Continue on your phone");
    phone.click();
    check(&panel);
    integration.destroy();
    assert_eq!(place.child_element_count(), 0);
    place.remove();
}

#[wasm_bindgen_test]
async fn the_ways_out_come_with_the_page() {
    let service = Service::ordered(json!({"create": [{"delayMs": 1_000}]}));
    let client = service.client();
    let connecting = client.connect(JsValue::UNDEFINED);
    service.until_called("create", 1).await;
    let ways = part(&document().body().unwrap(), "ways");
    let is_seen = || ways.style().get_property_value("visibility").unwrap() != "hidden";
    assert!(!is_seen(), "a press would do nothing");
    framed().await;
    assert!(is_seen());
    client.destroy();
    assert_eq!(code_of(connecting).await, "destroyed");
}

#[wasm_bindgen_test]
async fn a_phone_is_not_sent_to_a_phone() {
    let integration = created(json!(null), &["pending"]).await;
    let small = pretend("screen.width", &390.into());
    let touched = pretend("navigator.maxTouchPoints", &5.into());
    let place = mount(&integration);
    restore(&touched);
    restore(&small);
    assert!(!is_shown(&part(&place, "phone")) && is_shown(&part(&place, "open-window")));
    integration.destroy();
    place.remove();
}

#[wasm_bindgen_test]
async fn without_a_network_the_page_is_covered_until_there_is_one() {
    let integration = created(json!(null), &["pending"]).await;
    pretend_online(false);
    let place = mount(&integration);
    let (frame, slow) = (part(&place, "frame"), part(&place, "slow"));
    let is_covered = move || text(&get(&frame, "style"), "visibility") == "hidden";
    eventually(is_covered.clone()).await;
    assert!(!slow.hidden());
    pretend_online(true);
    assert!(slow.hidden() && !is_covered());
    integration.destroy();
    place.remove();
}

#[wasm_bindgen_test]
async fn what_the_service_does_not_send_is_not_shown() {
    for code in [json!(null), json!(""), json!(420)] {
        let integration = created(code, &["pending"]).await;
        assert!(integration.code().is_undefined());
        let place = mount(&integration);
        part(&place, "phone").click();
        let (window, _) = stand_in();
        open_window(&place, &window);
        assert!(!is_shown(&part(&place, "code")));
        integration.destroy();
        place.remove();
    }
}

#[wasm_bindgen_test]
async fn the_opened_window_closes_when_the_merchant_has_decided() {
    for (end, closes_it) in [("finished", true), ("cancelled", true), ("pending", false)] {
        let integration = created(json!("0007"), &["pending", end]).await;
        let place = mount(&integration);
        let (window, closes) = stand_in();
        let urls = open_window(&place, &window);
        assert!(urls[0].as_str().unwrap().contains("integration_token=itk"));
        assert_eq!(
            part(&place, "code").text_content().unwrap(),
            "Check that the other window shows 0007"
        );
        if closes_it {
            assert_eq!(
                done(integration.wait_until_done(JsValue::UNDEFINED)).await,
                end
            );
        } else {
            // The merchant may still be at work there.
            integration.destroy();
        }
        assert_eq!(closes.length(), u32::from(closes_it), "{end}");
        assert_eq!(place.child_element_count(), 0);
        place.remove();
    }
}

/// The page is in one place at a time, as far as the merchant sees; the frame stays where it is, or it would load anew.
#[wasm_bindgen_test]
async fn while_a_window_has_the_page_the_frames_place_says_so() {
    let integration = created(json!("0420"), &["pending"]).await;
    let place = mount(&integration);
    let [away, way, phone] = ["away", "open-window", "phone"].map(|name| part(&place, name));
    let frame: web_sys::HtmlElement = frames().get(0).unchecked_into();
    let says = |element: &web_sys::HtmlElement| element.text_content().unwrap();
    let (window, _) = stand_in();
    open_window(&place, &window);
    assert!(is_shown(&away) && !is_shown(&frame));
    assert_eq!(says(&away), "Finish in the other window");
    assert_eq!(
        (says(&way), says(&phone)),
        ("Show the window".into(), "Continue here".into())
    );
    // Back to the form, with the window still open, and to the window again.
    phone.click();
    assert!(is_shown(&frame) && !is_shown(&away));
    assert_eq!(says(&way), "Show the window");
    assert_eq!(open_window(&place, &JsValue::NULL), json!([]));
    assert!(is_shown(&away));
    assert!(frame.is_connected());
    // The merchant closes the window.
    set(&window, "closed", &true.into());
    let (shown, hidden) = (frame.clone(), away.clone());
    eventually(move || is_shown(&shown) && !is_shown(&hidden)).await;
    assert_eq!(
        (says(&way), says(&phone)),
        (
            "Open in a new window".into(),
            "Continue on your phone".into()
        )
    );
    integration.destroy();
    place.remove();
}

/// A pop-up blocker: the merchant is shown the other way.
#[wasm_bindgen_test]
async fn a_window_that_the_browser_refuses() {
    let integration = created(json!("0420"), &["pending"]).await;
    let place = mount(&integration);
    for _ in 0..2 {
        open_window(&place, &JsValue::NULL);
        assert!(is_shown(&part(&place, "elsewhere")) && is_shown(&part(&place, "code")));
    }
    integration.destroy();
    place.remove();
}

#[wasm_bindgen_test]
async fn its_texts_can_be_others() {
    let integration = created(json!("0420"), &["pending"]).await;
    let place = container();
    let labels = json!({"phone": "Am Telefon", "here": "Hier", "code": "Dieselbe Zahl:", "openWindow": "Fenster"});
    integration
        .mount_frame(place.clone().into(), to_js(&json!({"labels": labels})))
        .unwrap();
    let phone = part(&place, "phone");
    assert_eq!(phone.text_content().unwrap(), "Am Telefon");
    assert_eq!(
        part(&place, "open-window").text_content().unwrap(),
        "Fenster"
    );
    phone.click();
    assert_eq!(phone.text_content().unwrap(), "Hier");
    assert_eq!(
        part(&place, "code").text_content().unwrap(),
        "Dieselbe Zahl: 0420"
    );
    integration.destroy();
    place.remove();
}

/// Gives all arguments of each call to a recorder, as one list.
fn listed(record: &JsValue) -> JsValue {
    let wrap = js_sys::Function::new_with_args("record", "return (...all) => record(all);");
    wrap.call1(&JsValue::UNDEFINED, record).unwrap()
}

fn set(object: &JsValue, name: &str, value: &JsValue) {
    js_sys::Reflect::set(object, &name.into(), value).unwrap();
}

#[wasm_bindgen_test]
async fn the_opened_window_is_greeted_while_it_is_open() {
    let integration = created(json!("0420"), &["pending"]).await;
    let place = mount(&integration);
    let (window, _) = stand_in();
    let (greet, greetings) = recorder();
    let (focus, focused) = recorder();
    set(&window, "postMessage", &listed(&greet));
    set(&window, "focus", &focus);
    open_window(&place, &window);
    let count = greetings.clone();
    eventually(move || count.length() > 1).await;
    let greeting = json!([{"posConnect": 1, "type": "hello"}, CONNECT_ORIGIN]);
    assert_eq!(to_value(&greetings.get(0)), greeting);
    assert_eq!(to_value(&greetings.get(1)), greeting);
    // A second click is for a window that is hidden.
    let urls = open_window(&place, &JsValue::NULL);
    assert_eq!((urls, focused.length()), (json!([]), 1));
    set(&window, "closed", &true.into());
    let before = greetings.length();
    sleep(1_500).await;
    assert_eq!(greetings.length(), before);
    let (other, _) = stand_in();
    let urls = open_window(&place, &other);
    assert_eq!((urls.as_array().unwrap().len(), focused.length()), (1, 1));
    set(&window, "closed", &false.into());
    integration.destroy();
    sleep(1_500).await;
    assert_eq!(greetings.length(), before);
    place.remove();
}

/// A host application may replace `window.open`, and a webview may have none.
#[wasm_bindgen_test]
async fn what_is_no_window_counts_as_refused() {
    let global: JsValue = js_sys::global().into();
    let original = get(&global, "open");
    let throwing = js_sys::Function::new_no_args("throw new Error('no windows here')");
    let given = ["7", "'opened'", "{}", "window"].map(|given| {
        let body = ["return ", given].concat();
        js_sys::Function::new_no_args(&body).into()
    });
    let others = [throwing.into(), JsValue::UNDEFINED];
    for open in given.into_iter().chain(others) {
        let integration = created(json!("0420"), &["pending"]).await;
        let place = mount(&integration);
        set(&global, "open", &open);
        for _ in 0..2 {
            part(&place, "open-window").click();
            assert!(is_shown(&part(&place, "elsewhere")) && is_shown(&part(&place, "code")));
        }
        set(&global, "open", &original);
        integration.destroy();
        assert_eq!(place.child_element_count(), 0);
        place.remove();
    }
}
