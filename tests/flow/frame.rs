//! The connect frame as an element of the page; `tests/browser/frame.rs` has the page in it.

use crate::support::*;
use pos_connect::Integration;

/// An integration that nobody decides.
async fn pending() -> Integration {
    integration(&Service::as_specified().client()).await
}

#[wasm_bindgen_test]
async fn its_attributes_are_the_documented_ones() {
    let integration = pending().await;
    let frame = integration
        .mount_frame(
            JsValue::UNDEFINED,
            to_js(&json!({"labels": {"title": "Verbinden"}})),
        )
        .unwrap();
    let iframe: web_sys::Element = frames().get(0).unchecked_into();
    let attribute = |name: &str| iframe.get_attribute(name).unwrap_or_default();
    assert_eq!(attribute("title"), "Verbinden");
    assert_eq!(attribute("referrerpolicy"), "no-referrer");
    assert_eq!(
        attribute("sandbox"),
        "allow-scripts allow-forms allow-same-origin allow-popups allow-popups-to-escape-sandbox"
    );
    assert!(attribute("src").ends_with("?integration_token=itk-1&client_id=till"));
    let root: web_sys::Element = frame.element().unchecked_into();
    assert_eq!(root.tag_name(), "DIALOG");
    assert_eq!(root.get_attribute("aria-label").unwrap(), "Verbinden");
    let heading = root.query_selector("h1, h2").unwrap();
    assert_eq!(heading, None, "the page has one");
    let same = integration
        .mount_frame(JsValue::UNDEFINED, JsValue::UNDEFINED)
        .unwrap();
    assert_eq!(same.element(), frame.element());
    frame.close();
    frame.close();
    assert_eq!(done(frame.ended()).await, "closed");
    assert!(!root.is_connected());
}

#[wasm_bindgen_test]
async fn the_sandbox_can_be_another_or_none() {
    for (given, expected) in [
        (json!("allow-forms"), Some("allow-forms")),
        (json!(null), None),
    ] {
        let integration = pending().await;
        integration
            .mount_frame(JsValue::UNDEFINED, to_js(&json!({"sandbox": given})))
            .unwrap();
        let iframe: web_sys::Element = frames().get(0).unchecked_into();
        assert_eq!(iframe.get_attribute("sandbox").as_deref(), expected);
        integration.destroy();
    }
}

#[wasm_bindgen_test]
async fn the_dialog_gives_the_focus_back() {
    let integration = pending().await;
    let button: web_sys::HtmlElement = document()
        .create_element("button")
        .unwrap()
        .unchecked_into();
    document().body().unwrap().append_child(&button).unwrap();
    button.focus().unwrap();
    let frame = integration
        .mount_frame(JsValue::UNDEFINED, JsValue::UNDEFINED)
        .unwrap();
    assert!(document().active_element().as_ref() != Some(button.as_ref()));
    // What Escape does in the end.
    let dialog: web_sys::HtmlDialogElement = frame.element().unchecked_into();
    dialog.close();
    assert_eq!(done(frame.ended()).await, "closed");
    assert!(document().active_element().as_ref() == Some(button.as_ref()));
    button.remove();
}

#[wasm_bindgen_test]
async fn a_container_that_is_not_there_is_named() {
    let integration = pending().await;
    let detached = document().create_element("div").unwrap();
    for wrong in [
        JsValue::from("#nowhere"),
        "][".into(),
        7.into(),
        detached.into(),
    ] {
        let error = integration
            .mount_frame(wrong, JsValue::UNDEFINED)
            .err()
            .unwrap();
        assert_eq!(code(&error), "invalid_option");
        assert!(text(&error, "message").contains("container"));
        assert_eq!(text(&error, "operation"), "mountFrame");
    }
    assert_eq!(frames().length(), 0);
}

#[wasm_bindgen_test]
async fn an_inline_frame_is_tall_enough_in_a_container_without_a_height() {
    let integration = pending().await;
    let place = container();
    integration
        .mount_frame(place.clone().into(), JsValue::UNDEFINED)
        .unwrap();
    let frame: web_sys::HtmlElement = frames().get(0).unchecked_into();
    let height = f64::from(frame.offset_height());
    assert!(height > 400.0, "{height}");
    integration.destroy();
    place.remove();
}

/// A dialog of the page's that is closed keeps what is in it.
#[wasm_bindgen_test]
async fn a_frame_that_the_page_hides_ends() {
    for is_hidden_before in [false, true] {
        let service = Service::as_specified();
        let client = service.client_in("memory");
        let place = container();
        let hide = || place.set_attribute("style", "display: none").unwrap();
        if is_hidden_before {
            hide();
        }
        let connecting = begun(client.connect(with(&json!({}), &[("container", &place)])));
        service.until_called("create", 1).await;
        sleep(2_000).await;
        if !is_hidden_before {
            hide();
            sleep(300).await;
            place.remove_attribute("style").unwrap();
            sleep(2_000).await;
            assert_eq!(frames().length(), 1, "shown again");
            hide();
        }
        assert_eq!(code_of(connecting).await, "closed");
        client.destroy();
        place.remove();
    }
}

#[wasm_bindgen_test]
async fn its_handle_works_by_itself_and_after_the_end() {
    let integration = pending().await;
    let mount = || {
        integration
            .mount_frame(JsValue::UNDEFINED, JsValue::UNDEFINED)
            .unwrap()
    };
    let handle = mount();
    assert!(handle == mount(), "the same frame, the same handle");
    let object: &js_sys::Object = handle.unchecked_ref();
    let names = js_sys::Object::keys(object).join(",");
    assert_eq!(names, "element,ended,close");
    let close: js_sys::Function = get(&handle, "close").unchecked_into();
    for _ in 0..2 {
        assert!(close.call0(&JsValue::UNDEFINED).unwrap().is_undefined());
        assert_eq!(done(handle.ended()).await, "closed");
    }
    let next = mount();
    assert!(handle != next);
    close.call0(&JsValue::UNDEFINED).unwrap();
    assert_eq!(frames().length(), 1);
    integration.destroy();
    assert_eq!(done(next.ended()).await, "closed");
    next.close();
}
