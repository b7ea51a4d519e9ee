//! The page in the connect frame, of another origin: what it may make the till believe, and what becomes of one that
//! says nothing.

use crate::support::*;
use pos_connect::Integration;
use web_sys::HtmlElement;

/// How long a page may say nothing before the ways out are offered.
const SLOW_MS: f64 = 8_000.0;

fn hint(kind: &str) -> Value {
    json!({"posConnect": 1, "type": kind})
}

const INTERVAL_MS: f64 = 60_000.0;

/// An integration that becomes finished with the second status call, 60 s after the first one.
async fn slow(frame: &str, messages: Value) -> (Service, Integration) {
    answered(frame, messages, &["pending", "finished"]).await
}

/// An integration that stays pending.
async fn pending(frame: &str, messages: Value) -> (Service, Integration) {
    answered(frame, messages, &["pending"; 10]).await
}

async fn answered(frame: &str, messages: Value, words: &[&str]) -> (Service, Integration) {
    let created =
        json!({"success": true, "integrationToken": "itk", "interval": INTERVAL_MS / 1_000.0});
    let steps = json!({"create": [{"body": created}], "status": status(words)});
    let service = Service::scripted(steps).framed(frame_url(frame, &messages));
    let integration = integration(&service.client()).await;
    (service, integration)
}

fn mount(integration: &Integration, options: &JsValue) -> web_sys::Element {
    let place = container();
    integration
        .mount_frame(place.clone().into(), options.clone())
        .unwrap();
    place
}

fn part(place: &web_sys::Element, name: &str) -> HtmlElement {
    let found = place.query_selector(&format!(".pos-connect-{name}"));
    found.unwrap().unwrap().unchecked_into()
}

/// Waits until so many more messages have arrived; their way takes real time, which may be longer than an interval.
/// Then nothing has come of them: a hint that counts has a status call at once.
async fn changes_nothing(service: &Service, pace: RealPace, before: u32, count: u32) {
    eventually(move || messages() >= before + count).await;
    drop(pace);
    sleep(25_000).await;
    assert!(
        service
            .pauses("status")
            .iter()
            .all(|pause| *pause >= INTERVAL_MS)
    );
}

#[wasm_bindgen_test]
async fn a_hint_saves_the_wait() {
    let _pace = RealPace::keep();
    let (service, integration) = slow("answers", json!([hint("ready"), hint("finished")])).await;
    let (on_ready, ready) = recorder();
    let wait = integration.wait_until_done(JsValue::UNDEFINED);
    let place = mount(&integration, &with(&json!({}), &[("onReady", &on_ready)]));
    assert_eq!(done(wait).await, "finished");
    assert_eq!((ready.length(), service.calls("status")), (1, 2));
    assert!(service.pauses("status")[0] < INTERVAL_MS);
    place.remove();
}

/// What the way out opens counts like the frame. Scripts may not open windows unasked, so another frame stands in.
#[wasm_bindgen_test]
async fn hints_from_the_opened_window_count() {
    for (page, accepted) in [("answers", true), ("elsewhere", false)] {
        let pace = RealPace::keep();
        let (service, integration) = match accepted {
            true => slow("silent", json!([])).await,
            false => pending("silent", json!([])).await,
        };
        let wait = integration.wait_until_done(JsValue::UNDEFINED);
        let place = mount(&integration, &JsValue::UNDEFINED);
        let before = messages();
        let window = bystander(&frame_url(page, &json!([hint("finished")])));
        let opens = record_opens(&get(&window, "contentWindow"));
        part(&place, "open-window").click();
        restore(&opens);
        if accepted {
            assert_eq!(done(wait).await, "finished");
            assert!(service.pauses("status")[0] < INTERVAL_MS);
        } else {
            changes_nothing(&service, pace, before, 1).await;
            integration.destroy();
            assert_eq!(code_of(wait).await, "destroyed");
        }
        window.remove();
        place.remove();
    }
}

#[wasm_bindgen_test]
async fn forged_hints_are_ignored() {
    let wrong_shapes = [
        json!("finished"),
        json!(null),
        json!(7),
        json!([]),
        json!({}),
        json!({"type": "finished"}),
        json!({"posConnect": 2, "type": "finished"}),
        json!({"posConnect": "1", "type": "finished"}),
        json!({"posConnect": 1}),
        json!({"posConnect": 1, "type": "done"}),
        json!({"posConnect": 1, "type": ["finished"]}),
        json!({"posConnect": 1, "type": {"toString": 1}}),
    ];
    for (frame, said) in [
        ("unasked", wrong_shapes.to_vec()), // right window, right origin, wrong shape
        ("elsewhere", vec![hint("finished")]), // right window, wrong origin, right shape
        ("silent", vec![]),                 // the others below
    ] {
        let pace = RealPace::keep();
        let count = said.len() as u32;
        let (service, integration) = pending(frame, json!(said)).await;
        let wait = integration.wait_until_done(JsValue::UNDEFINED);
        let before = messages();
        let place = mount(&integration, &JsValue::UNDEFINED);
        // Wrong window, right origin, right shape.
        let other = bystander(&frame_url("unasked", &json!([hint("finished")])));
        post_huge();
        // Our own window.
        let window = web_sys::window().unwrap();
        window.post_message(&to_js(&hint("finished")), "*").unwrap();
        changes_nothing(&service, pace, before, count + 3).await;
        other.remove();
        integration.destroy();
        assert_eq!(code_of(wait).await, "destroyed");
        place.remove();
    }
}

#[wasm_bindgen_test]
async fn a_frame_that_shows_nothing_ends_nothing_and_offers_a_way_out() {
    page_has_loaded().await;
    for kind in ["never", "broken", "refused", "silent"] {
        let service = Service::as_specified().framed(frame_url(kind, &json!([])));
        let integration = integration(&service.client()).await;
        let began = now();
        let place = mount(&integration, &JsValue::UNDEFINED);
        let wait = integration.wait_until_done(JsValue::UNDEFINED);
        let way_out = part(&place, "slow");
        sleep_until(began + SLOW_MS - 1.0).await;
        assert!(way_out.hidden(), "{kind}");
        eventually(move || !way_out.hidden()).await;
        let opens = record_opens(&JsValue::NULL);
        part(&place, "open-window").click();
        let urls = to_value(&call(&opens, "urls"));
        restore(&opens);
        assert_eq!(urls.as_array().unwrap().len(), 1);
        assert!(urls[0].as_str().unwrap().contains("integration_token=itk"));
        service.decide("finished");
        assert_eq!(done(wait).await, "finished", "{kind}: polling decides");
        assert_eq!(place.child_element_count(), 0);
        place.remove();
    }
}

/// A page that answers gets no way out. But the service may go away behind an open page, and the next load is then the
/// browser's own error.
#[wasm_bindgen_test]
async fn a_later_page_that_says_nothing_gets_a_way_out() {
    let pace = RealPace::keep();
    let (_, integration) = slow("answers", json!([hint("ready")])).await;
    let (on_ready, ready) = recorder();
    let place = mount(&integration, &with(&json!({}), &[("onReady", &on_ready)]));
    eventually(move || ready.length() == 1).await;
    drop(pace);
    sleep(2 * SLOW_MS as u32).await;
    let way_out = part(&place, "slow");
    assert!(way_out.hidden());
    let frame = part(&place, "frame");
    frame
        .unchecked_ref::<web_sys::HtmlIFrameElement>()
        .set_src(&frame_url("silent", &json!([])));
    let pace = RealPace::keep();
    loaded(&frame).await;
    drop(pace);
    let began = now();
    sleep_until(began + SLOW_MS - 1_000.0).await;
    assert!(way_out.hidden());
    sleep(1_000).await;
    assert!(!way_out.hidden());
    integration.destroy();
    place.remove();
}

/// A frame that never loads would keep the page of the tests from loading, for which the driver waits.
async fn page_has_loaded() {
    let _pace = RealPace::keep();
    eventually(|| document().ready_state() == "complete").await;
}

/// Waits for the next page in a frame.
async fn loaded(frame: &HtmlElement) {
    let (on_load, loads) = recorder();
    frame
        .add_event_listener_with_callback("load", on_load.unchecked_ref())
        .unwrap();
    eventually(move || loads.length() > 0).await;
}

#[wasm_bindgen_test]
async fn a_page_that_says_nothing_can_be_tried_again() {
    let (_, integration) = slow("silent", json!([])).await;
    let place = mount(&integration, &to_js(&json!({"locale": "en"})));
    let [loading, slow, retry] = ["loading", "slow", "retry"].map(|name| part(&place, name));
    assert!(!loading.hidden());
    assert_eq!(loading.text_content().unwrap(), "Loading…");
    let shown = slow.clone();
    eventually(move || !shown.hidden()).await;
    let text = slow.text_content().unwrap();
    assert!(text.starts_with("Taking longer than usual"), "{text}");
    retry.click();
    assert!(slow.hidden() && !loading.hidden());
    let pace = RealPace::keep();
    loaded(&part(&place, "frame")).await;
    assert!(loading.hidden());
    drop(pace);
    eventually(move || !slow.hidden()).await;
    integration.destroy();
    place.remove();
}

#[wasm_bindgen_test]
async fn what_on_ready_throws_goes_to_the_console() {
    let _pace = RealPace::keep();
    let (service, integration) = slow("answers", json!([hint("ready"), hint("finished")])).await;
    let ears = overhear();
    let throwing = js_sys::Function::new_no_args("throw new Error('spinner')");
    let place = mount(&integration, &with(&json!({}), &[("onReady", &throwing)]));
    let wait = integration.wait_until_done(JsValue::UNDEFINED);
    assert_eq!(done(wait).await, "finished");
    assert!(heard(&ears).contains("onReady threw"));
    restore(&ears);
    assert_eq!(service.calls("status"), 2);
    place.remove();
}
