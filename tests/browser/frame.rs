//! The connect frame: what it may do to the page, and what the page in it may make the till believe.

use crate::support::*;
use pos_connect::bindings::Integration;
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

fn hint(kind: &str) -> Value {
    json!({"posConnect": 1, "type": kind})
}

/// An integration that becomes finished with the second status call, at an interval that no test waits for.
async fn slow(frame: &str, messages: Value) -> (Scripted, Integration) {
    let created = json!([{"body": {"success": true, "integrationToken": "itk", "interval": 30}}]);
    let steps = json!({"create": created, "status": status(&["pending", "finished"])});
    let scripted = Scripted::new(steps).await.framed(frame, &messages);
    let integration = integration(&scripted.client()).await;
    (scripted, integration)
}

#[wasm_bindgen_test]
async fn its_attributes_are_the_documented_ones() {
    let (_, integration) = slow("silent", json!([])).await;
    let frame = integration
        .mount_frame(
            JsValue::UNDEFINED,
            to_js(&json!({"labels": {"title": "Verbinden"}})),
        )
        .unwrap();
    let iframe: web_sys::Element = open_frames().get(0).unchecked_into();
    let attribute = |name: &str| iframe.get_attribute(name).unwrap_or_default();
    assert_eq!(attribute("title"), "Verbinden");
    assert_eq!(attribute("referrerpolicy"), "no-referrer");
    assert_eq!(
        attribute("sandbox"),
        "allow-scripts allow-forms allow-same-origin allow-popups allow-popups-to-escape-sandbox"
    );
    assert!(attribute("src").ends_with("&integration_token=itk&client_id=till"));
    let root: web_sys::Element = frame.element().unchecked_into();
    assert_eq!(root.tag_name(), "DIALOG");
    assert_eq!(root.get_attribute("aria-label").unwrap(), "Verbinden");
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
        let (_, integration) = slow("silent", json!([])).await;
        integration
            .mount_frame(JsValue::UNDEFINED, to_js(&json!({"sandbox": given})))
            .unwrap();
        let iframe: web_sys::Element = open_frames().get(0).unchecked_into();
        assert_eq!(iframe.get_attribute("sandbox").as_deref(), expected);
        integration.destroy();
    }
}

#[wasm_bindgen_test]
async fn a_hint_saves_the_wait() {
    let (scripted, integration) = slow("answers", json!([hint("ready"), hint("finished")])).await;
    let (on_ready, ready) = recorder();
    let wait = integration.wait_until_done(JsValue::UNDEFINED);
    integration
        .mount_frame(
            JsValue::UNDEFINED,
            with(&json!({}), &[("onReady", &on_ready)]),
        )
        .unwrap();
    assert_eq!(done(wait).await, "finished");
    assert_eq!((ready.length(), scripted.calls("status").await), (1, 2));
}

#[wasm_bindgen_test]
async fn a_hint_is_never_the_result() {
    // The service says otherwise, so the till believes the service. Many hints cause one early call.
    let created = json!([{"body": {"success": true, "integrationToken": "itk", "interval": 30}}]);
    let lies = json!([hint("finished"), hint("cancelled"), hint("finished")]);
    let scripted = Scripted::new(json!({"create": created, "status": status(&["pending"])}))
        .await
        .framed("answers", &lies);
    let integration = integration(&scripted.client()).await;
    let wait = integration.wait_until_done(JsValue::UNDEFINED);
    integration
        .mount_frame(JsValue::UNDEFINED, JsValue::UNDEFINED)
        .unwrap();
    scripted.until_called("status", 2).await;
    sleep(1_500).await;
    assert_eq!(scripted.calls("status").await, 2);
    integration.destroy();
    assert_eq!(code_of(wait).await, "destroyed");
}

/// What the way out opens counts like the frame. Scripts may not open windows unasked, so another frame stands in.
#[wasm_bindgen_test]
async fn hints_from_the_opened_window_count() {
    for (page, accepted) in [("answers", true), ("elsewhere", false)] {
        let (scripted, integration) = slow("silent", json!([])).await;
        let place = container();
        let wait = integration.wait_until_done(JsValue::UNDEFINED);
        integration
            .mount_frame(place.clone().into(), JsValue::UNDEFINED)
            .unwrap();
        let messages = js_sys::encode_uri_component(&json!([hint("finished")]).to_string());
        let url = format!("{}/frame/{page}?messages={messages}", rig_url());
        let window = bystander(&url);
        let opens = record_opens(&get(&window, "contentWindow"));
        let way_out = place.query_selector(".pos-connect-open-window").unwrap();
        way_out
            .unwrap()
            .unchecked_into::<web_sys::HtmlElement>()
            .click();
        call(&opens, "restore");
        if accepted {
            assert_eq!(done(wait).await, "finished");
        } else {
            sleep(2_500).await;
            assert_eq!(scripted.calls("status").await, 1);
            integration.destroy();
            assert_eq!(code_of(wait).await, "destroyed");
        }
        window.remove();
        place.remove();
    }
}

#[wasm_bindgen_test]
async fn forged_hints_are_ignored() {
    let wrong_shapes = json!([
        "finished", null, 7, [], {}, {"type": "finished"}, {"posConnect": 2, "type": "finished"},
        {"posConnect": "1", "type": "finished"}, {"posConnect": 1}, {"posConnect": 1, "type": "done"},
        {"posConnect": 1, "type": ["finished"]}, {"posConnect": 1, "type": {"toString": 1}},
    ]);
    for (frame, messages) in [
        ("unasked", wrong_shapes), // right window, right origin, wrong shape
        ("elsewhere", json!([hint("finished")])), // right window, wrong origin, right shape
        ("silent", json!([])),     // the others below
    ] {
        let (scripted, integration) = slow(frame, messages).await;
        let wait = integration.wait_until_done(JsValue::UNDEFINED);
        integration
            .mount_frame(JsValue::UNDEFINED, JsValue::UNDEFINED)
            .unwrap();
        // Wrong window, right origin, right shape.
        let forged = js_sys::encode_uri_component(&json!([hint("finished")]).to_string());
        let other = bystander(&format!("{}/frame/unasked?messages={forged}", rig_url()));
        post_huge();
        // Our own window.
        let window = web_sys::window().unwrap();
        window.post_message(&to_js(&hint("finished")), "*").unwrap();
        sleep(1_500).await;
        assert_eq!(scripted.calls("status").await, 1, "{frame}");
        other.remove();
        integration.destroy();
        assert_eq!(code_of(wait).await, "destroyed");
    }
}

#[wasm_bindgen_test]
async fn a_frame_that_shows_nothing_ends_nothing_and_offers_a_way_out() {
    let kinds = ["never", "broken", "refused", "silent"];
    let mut mounted = Vec::new();
    for kind in kinds {
        let created =
            json!([{"body": {"success": true, "integrationToken": "itk", "interval": 1}}]);
        let mut answers = vec!["pending"; 12];
        answers.push("finished");
        let scripted = Scripted::new(json!({"create": created, "status": status(&answers)}))
            .await
            .framed(kind, &json!([]));
        let integration = integration(&scripted.client()).await;
        let place = container();
        integration
            .mount_frame(place.clone().into(), JsValue::UNDEFINED)
            .unwrap();
        let wait = integration.wait_until_done(JsValue::UNDEFINED);
        let way_out: web_sys::HtmlElement = place
            .query_selector(".pos-connect-slow")
            .unwrap()
            .unwrap()
            .unchecked_into();
        assert!(way_out.hidden(), "{kind}");
        mounted.push((kind, integration, place, wait, way_out));
    }
    let outs: Vec<_> = mounted.iter().map(|(.., out)| out.clone()).collect();
    eventually(move || outs.iter().all(|out| !out.hidden())).await;
    let opens = record_opens(&JsValue::NULL);
    for (_, _, place, _, _) in &mounted {
        let button: web_sys::HtmlElement = place
            .query_selector(".pos-connect-open-window")
            .unwrap()
            .unwrap()
            .unchecked_into();
        button.click();
    }
    let urls = to_value(&call(&opens, "urls"));
    assert_eq!(urls.as_array().unwrap().len(), kinds.len());
    assert!(urls[0].as_str().unwrap().contains("integration_token=itk"));
    call(&opens, "restore");
    for (kind, integration, place, wait, _) in mounted {
        assert_eq!(done(wait).await, "finished", "{kind}: polling decides");
        assert_eq!(place.child_element_count(), 0);
        integration.destroy();
        place.remove();
    }
}

fn call(object: &JsValue, name: &str) -> JsValue {
    get(object, name)
        .unchecked_into::<js_sys::Function>()
        .call0(object)
        .unwrap()
}

#[wasm_bindgen_test]
async fn a_page_that_answers_gets_no_way_out() {
    let (_, integration) = slow("answers", json!([hint("ready")])).await;
    let place = container();
    integration
        .mount_frame(place.clone().into(), JsValue::UNDEFINED)
        .unwrap();
    sleep(8_300).await;
    let way_out: web_sys::HtmlElement = place
        .query_selector(".pos-connect-slow")
        .unwrap()
        .unwrap()
        .unchecked_into();
    assert!(way_out.hidden());
    integration.destroy();
    place.remove();
}

#[wasm_bindgen_test]
async fn the_dialog_gives_the_focus_back() {
    let (_, integration) = slow("silent", json!([])).await;
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
    let (_, integration) = slow("silent", json!([])).await;
    for wrong in [JsValue::from("#nowhere"), "][".into(), 7.into()] {
        let error = integration
            .mount_frame(wrong, JsValue::UNDEFINED)
            .err()
            .unwrap();
        assert_eq!(code(&error), "invalid_option");
        assert!(text(&error, "message").contains("container"));
        assert_eq!(text(&error, "operation"), "mountFrame");
    }
    assert_eq!(open_frames().length(), 0);
}

#[wasm_bindgen_test]
async fn an_inline_frame_is_tall_enough_in_a_container_without_a_height() {
    let (_, integration) = slow("silent", json!([])).await;
    let place = container();
    integration
        .mount_frame(place.clone().into(), JsValue::UNDEFINED)
        .unwrap();
    let frame: web_sys::HtmlElement = open_frames().get(0).unchecked_into();
    let height = f64::from(frame.offset_height());
    assert!(height > 400.0, "{height}");
    integration.destroy();
    place.remove();
}

/// The service may go away behind an open page: the next load shows the browser's own error.
#[wasm_bindgen_test]
async fn a_later_page_that_says_nothing_gets_a_way_out_too() {
    let (_, integration) = slow("answers", json!([hint("ready")])).await;
    let place = container();
    let (on_ready, ready) = recorder();
    integration
        .mount_frame(
            place.clone().into(),
            with(&json!({}), &[("onReady", &on_ready)]),
        )
        .unwrap();
    eventually(move || ready.length() == 1).await;
    let frame: web_sys::HtmlIFrameElement = open_frames().get(0).unchecked_into();
    frame.set_src(&format!("{}/frame/silent", rig_url()));
    let way_out = place.query_selector(".pos-connect-slow").unwrap().unwrap();
    let way_out: web_sys::HtmlElement = way_out.unchecked_into();
    assert!(way_out.hidden());
    eventually(move || !way_out.hidden()).await;
    integration.destroy();
    place.remove();
}

#[wasm_bindgen_test]
async fn its_handle_works_by_itself_and_after_the_end() {
    let (_, integration) = slow("silent", json!([])).await;
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
    assert_eq!(open_frames().length(), 1);
    integration.destroy();
    assert_eq!(done(next.ended()).await, "closed");
    next.close();
}

#[wasm_bindgen_test]
async fn what_on_ready_throws_goes_to_the_console() {
    let (scripted, integration) = slow("answers", json!([hint("ready"), hint("finished")])).await;
    let ears = overhear();
    let throwing = js_sys::Function::new_no_args("throw new Error('spinner')");
    let frame = integration
        .mount_frame(
            JsValue::UNDEFINED,
            with(&json!({}), &[("onReady", &throwing)]),
        )
        .unwrap();
    let wait = integration.wait_until_done(JsValue::UNDEFINED);
    assert_eq!(done(wait).await, "finished");
    assert_eq!(done(frame.ended()).await, "finished");
    assert!(heard(&ears).contains("onReady threw"));
    restore(&ears);
    assert_eq!(scripted.calls("status").await, 2);
}
