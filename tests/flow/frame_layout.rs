//! How much room the connect frame has, whatever the size of the text and of the window.

use crate::support::*;
use web_sys::HtmlElement;

async fn mounted() -> pos_connect::Integration {
    let created = json!([{"body": {"success": true, "integrationToken": "itk", "interval": 30}}]);
    let steps = json!({"create": created, "status": status(&["pending"])});
    let integration = integration(&Service::scripted(steps).client()).await;
    integration
        .mount_frame(JsValue::UNDEFINED, JsValue::UNDEFINED)
        .unwrap();
    integration
}

fn part(name: &str) -> HtmlElement {
    let found = document().query_selector(&format!(".pos-connect-{name}"));
    found.unwrap().unwrap().unchecked_into()
}

fn root_style() -> web_sys::CssStyleDeclaration {
    let root: HtmlElement = document().document_element().unwrap().unchecked_into();
    root.style()
}

/// Replaces the window's height; gives a function that puts the true one back.
fn window_height(pixels: u32) -> js_sys::Function {
    let replace = js_sys::Function::new_with_args(
        "pixels",
        "const original = Object.getOwnPropertyDescriptor(globalThis, 'innerHeight');
         Object.defineProperty(globalThis, 'innerHeight', { value: pixels, configurable: true });
         return () => Object.defineProperty(globalThis, 'innerHeight', original);",
    );
    let restore = replace.call1(&JsValue::UNDEFINED, &pixels.into());
    restore.unwrap().unchecked_into()
}

fn resized() {
    let window = web_sys::window().unwrap();
    let event = web_sys::Event::new("resize").unwrap();
    window.dispatch_event(&event).unwrap();
}

#[wasm_bindgen_test]
async fn the_frame_keeps_its_place_however_large_the_text_is() {
    for size in [16, 32, 64, 128] {
        root_style()
            .set_property("font-size", &format!("{size}px"))
            .unwrap();
        let integration = mounted().await;
        let (dialog, body, frame) = (part("dialog"), part("body"), part("frame"));
        let height = f64::from(frame.offset_height());
        let least = f64::from(15 * size).min(f64::from(body.client_height()));
        assert!(height >= least - 1.0, "{size}: {height} of {least}");
        assert!(
            body.scroll_width() <= body.client_width(),
            "{size}: the dialog scrolls sideways"
        );
        assert!(
            dialog.offset_left() >= 0 && dialog.offset_top() >= 0,
            "{size}"
        );
        let window = web_sys::window().unwrap();
        let across = window.inner_width().unwrap().as_f64().unwrap();
        assert!(f64::from(dialog.offset_left() + dialog.offset_width()) <= across);
        integration.destroy();
    }
    root_style().remove_property("font-size").unwrap();
}

#[wasm_bindgen_test]
async fn on_a_low_screen_the_ways_out_stand_beside_close() {
    let restore = window_height(360);
    let integration = mounted().await;
    let (dialog, header, body) = (part("dialog"), part("header"), part("body"));
    let ways = part("ways");
    let style = |name: &str| dialog.style().get_property_value(name).unwrap();
    assert!(ways.parent_element().as_ref() == Some(header.as_ref()));
    assert_eq!(style("width"), "100vw");
    let phone = part("phone");
    phone.focus().unwrap();
    restore.call0(&JsValue::UNDEFINED).unwrap();
    let tall = window_height(800);
    resized();
    assert!(ways.parent_element().as_ref() == Some(body.as_ref()));
    assert!(
        document().active_element().as_ref() == Some(phone.as_ref()),
        "the focus stays where it was"
    );
    assert_ne!(style("width"), "100vw");
    tall.call0(&JsValue::UNDEFINED).unwrap();
    integration.destroy();
}
