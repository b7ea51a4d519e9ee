//! After the tokens: for a moment the merchant sees who is connected.

use crate::support::*;
use js_sys::Reflect;
use pos_connect::PosConnect;
use web_sys::Element;

fn card() -> Option<Element> {
    document().query_selector(".pos-connect-done").unwrap()
}

fn said() -> String {
    card()
        .and_then(|card| card.text_content())
        .unwrap_or_default()
}

fn service() -> Service {
    let names = json!({"account": {"id": "1", "name": "Demo Bakery"}, "store": {"id": "2", "name": "Market Street"}});
    Service::extended(json!({"token": names}), json!({}))
}

/// A till that has just connected.
async fn connected(options: &Value, more: &[(&str, &JsValue)]) -> PosConnect {
    let service = service();
    let client = service.client();
    let connecting = client.connect(with(options, more));
    framed().await;
    service.decide("finished");
    done(connecting).await;
    client
}

#[wasm_bindgen_test]
async fn it_names_store_and_account_and_goes_by_itself() {
    let button = document().create_element("button").unwrap();
    document().body().unwrap().append_child(&button).unwrap();
    button
        .unchecked_ref::<web_sys::HtmlElement>()
        .focus()
        .unwrap();
    let before = document().body().unwrap().child_element_count();
    let _client = connected(&json!({"locale": "en", "doneSeconds": 1}), &[]).await;
    assert_eq!(frames().length(), 0);
    let shown = card().unwrap();
    assert_eq!(shown.get_attribute("role").as_deref(), Some("status"));
    assert_eq!(said(), "", "heard is what comes later");
    eventually(|| said() == "ConnectedMarket StreetDemo BakeryE-receipts on").await;
    assert_eq!(document().active_element().as_ref(), Some(&button));
    eventually(|| card().is_none()).await;
    assert_eq!(document().body().unwrap().child_element_count(), before);
    button.remove();
}

#[wasm_bindgen_test]
async fn it_stands_where_an_inline_frame_stood_in_its_language_and_colors() {
    let place = container();
    let options = json!({"locale": "he-IL", "theme": "dark", "labels": {"done": "!"}});
    let client = connected(&options, &[("container", &place)]).await;
    let shown = card().unwrap();
    assert_eq!(shown.parent_element().as_ref(), Some(&place));
    let attribute = |name| shown.get_attribute(name).unwrap_or_default();
    assert_eq!(
        (attribute("lang"), attribute("dir")),
        ("he-IL".into(), "rtl".into())
    );
    assert!(attribute("style").contains("color-scheme: dark"));
    assert!(!shown.has_attribute("popover"));
    eventually(|| said() == "!Market StreetDemo Bakeryקבלות דיגיטליות: פועל").await;
    client.destroy();
    assert_eq!(place.child_element_count(), 0);
    place.remove();
}

#[wasm_bindgen_test]
async fn a_click_escape_the_next_connect_and_destroy_end_it() {
    for end in ["click", "Escape", "connect", "destroy"] {
        let client = connected(&json!({"doneSeconds": 10}), &[]).await;
        assert!(card().is_some(), "{end}");
        match end {
            "click" => click(".pos-connect-done"),
            "Escape" => {
                let event = web_sys::Event::new("keydown").unwrap();
                Reflect::set(&event, &"key".into(), &"Escape".into()).unwrap();
                document().dispatch_event(&event).unwrap();
            }
            "connect" => drop(begun(client.connect(to_js(&json!({"doneSeconds": 0}))))),
            _ => {}
        }
        if end == "connect" {
            eventually(|| frames().length() == 1).await;
        }
        if end != "destroy" {
            assert!(card().is_none(), "{end}");
        }
        client.destroy();
        assert!(card().is_none(), "{end}");
    }
}

#[wasm_bindgen_test]
async fn nothing_is_shown_with_zero_or_after_the_user_has_closed_the_frame() {
    let _client = connected(&json!({"doneSeconds": 0}), &[]).await;
    assert!(card().is_none());
    let service = service();
    let client = service.client();
    let connecting = client.connect(JsValue::UNDEFINED);
    framed().await;
    service.until_called("status", 1).await;
    service.decide("finished");
    click(".pos-connect-close");
    assert_eq!(text(&done(connecting).await, "accessToken"), "access-itk-1");
    assert!(card().is_none());
}
