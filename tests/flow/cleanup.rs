//! `destroy` in every phase: nothing of ours stays in the page.

use crate::support::*;
use js_sys::Promise;

use pos_connect::PosConnect;

fn client(steps: Value) -> PosConnect {
    Service::scripted(steps).client()
}

/// Checks that the page is what it was before, as soon as the service has done with what was asked.
async fn is_as(before: &str) {
    for _ in 0..150 {
        sleep(100).await;
        if leftovers() == before {
            return;
        }
    }
    assert_eq!(leftovers(), before);
}

/// What there is while nothing happens. A client that does nothing listens for other pages' orders; at first it looks
/// for orders of its own. The page keeps its connection to the storage, with two listeners, once it has one.
async fn at_rest() -> String {
    let first = client(json!({"create": created()}));
    integration(&first).await;
    first.destroy();
    count();
    loop {
        let now = leftovers();
        sleep(30_000).await;
        if leftovers() == now {
            return now;
        }
    }
}

/// Ends the client, and checks that the page is what it was before and that each promise says why it ended.
async fn nothing_is_left(client: PosConnect, promises: Vec<Promise>, before: String) {
    client.destroy();
    client.destroy();
    for promise in promises {
        assert_eq!(code_of(promise).await, "destroyed");
    }
    is_as(&before).await;
    assert_eq!(
        code_of(client.create_integration(JsValue::UNDEFINED)).await,
        "destroyed"
    );
    assert_eq!(
        code_of(client.connect(JsValue::UNDEFINED)).await,
        "destroyed"
    );
}

#[wasm_bindgen_test]
async fn while_creating() {
    let before = at_rest().await;
    let client = client(json!({"create": [{"delayMs": 5_000}]}));
    let creating = client.create_integration(JsValue::UNDEFINED);
    sleep(50).await;
    assert_ne!(leftovers(), before, "the counters count nothing");
    nothing_is_left(client, vec![creating], before).await;
}

#[wasm_bindgen_test]
async fn while_connecting_before_there_is_an_integration() {
    let before = at_rest().await;
    let client = client(json!({"create": [{"delayMs": 5_000}]}));
    let connecting = client.connect(JsValue::UNDEFINED);
    sleep(50).await;
    assert_eq!(frames().length(), 1);
    nothing_is_left(client, vec![connecting], before).await;
}

#[wasm_bindgen_test]
async fn while_a_frame_is_shown_and_the_wait_sleeps() {
    let before = at_rest().await;
    let client = client(json!({"create": created(), "status": status(&["pending"])}));
    let integration = integration(&client).await;
    let frame = integration
        .mount_frame(JsValue::UNDEFINED, JsValue::UNDEFINED)
        .unwrap();
    let waiting = integration.wait_until_done(JsValue::UNDEFINED);
    sleep(500).await;
    nothing_is_left(client, vec![waiting], before).await;
    assert_eq!(done(frame.ended()).await, "closed");
    assert_eq!(
        code_of(integration.status(JsValue::UNDEFINED)).await,
        "destroyed"
    );
    let error = integration
        .mount_frame(JsValue::UNDEFINED, JsValue::UNDEFINED)
        .err()
        .unwrap();
    assert_eq!(code(&error), "destroyed");
}

#[wasm_bindgen_test]
async fn while_a_status_call_is_on_its_way() {
    let before = at_rest().await;
    let client = client(json!({"create": created(), "status": [{"delayMs": 5_000}]}));
    let integration = integration(&client).await;
    let calls = vec![
        integration.status(JsValue::UNDEFINED),
        integration.wait_until_done(JsValue::UNDEFINED),
    ];
    sleep(100).await;
    nothing_is_left(client, calls, before).await;
}

#[wasm_bindgen_test]
async fn while_a_frame_stands_in_a_container_and_its_window_is_open() {
    let place = container();
    let before = at_rest().await;
    let client = client(json!({"create": created(), "status": status(&["pending"])}));
    let integration = integration(&client).await;
    integration
        .mount_frame(place.clone().into(), JsValue::UNDEFINED)
        .unwrap();
    let opens = record_opens(&web_sys::window().unwrap());
    let way_out = place.query_selector(".pos-connect-open-window").unwrap();
    way_out
        .unwrap()
        .unchecked_into::<web_sys::HtmlElement>()
        .click();
    get(&opens, "restore")
        .unchecked_into::<js_sys::Function>()
        .call0(&opens)
        .unwrap();
    sleep(50).await;
    nothing_is_left(client, Vec::new(), before).await;
    place.remove();
}

#[wasm_bindgen_test]
async fn while_the_headers_are_being_asked_for() {
    let before = at_rest().await;
    let scripted = Service::scripted(json!({"create": created()}));
    let never = js_sys::Function::new_no_args("return new Promise(() => {})");
    let client = PosConnect::create(with(&scripted.options(), &[("headers", &never)])).unwrap();
    let creating = client.create_integration(JsValue::UNDEFINED);
    sleep(50).await;
    nothing_is_left(client, vec![creating], before).await;
}

/// A pick-up is not ended, so it is delivered first; then nothing is left either.
#[wasm_bindgen_test]
async fn while_a_pick_up_is_on_its_way() {
    let before = at_rest().await;
    let mut slow = tokens();
    slow["delayMs"] = 300.into();
    let client = client(json!({"create": created(), "token": [slow]}));
    let integration = integration(&client).await;
    let call = integration.fetch_tokens(JsValue::UNDEFINED);
    sleep(50).await;
    client.destroy();
    done(call).await;
    nothing_is_left(client, Vec::new(), before).await;
}

#[wasm_bindgen_test]
async fn while_connecting_with_a_frame() {
    let before = at_rest().await;
    let client = client(json!({"create": created(), "status": status(&["pending"])}));
    let connecting = client.connect(JsValue::UNDEFINED);
    framed().await;
    sleep(300).await;
    nothing_is_left(client, vec![connecting], before).await;
}

#[wasm_bindgen_test]
async fn after_the_end_nothing_was_left_anyway() {
    let before = at_rest().await;
    let client = client(json!({
        "create": created(), "status": status(&["pending", "finished"]), "token": [tokens()]
    }));
    let idle = at_rest().await;
    done(client.connect(JsValue::UNDEFINED)).await;
    is_as(&idle).await;
    nothing_is_left(client, Vec::new(), before).await;
}

#[wasm_bindgen_test]
async fn an_aborted_flow_leaves_nothing() {
    let client = client(json!({"create": created(), "status": status(&["pending"])}));
    let before = at_rest().await;
    let controller = web_sys::AbortController::new().unwrap();
    let connecting = client.connect(with(&json!({}), &[("signal", &controller.signal())]));
    framed().await;
    controller.abort();
    assert_eq!(code_of(connecting).await, "aborted");
    is_as(&before).await;
}

/// Any script of the page can read the memory, for as long as the page is open.
#[wasm_bindgen_test]
async fn a_secret_is_wiped_from_memory() {
    let scripted = Service::scripted(json!({"create": created()}));
    let options = with_canary(&to_js(&scripted.options()));
    let client = PosConnect::create(options.clone()).unwrap();
    let integration = integration(&client).await;
    let memory = wasm_bindgen::memory();
    assert!(is_in_memory(&options, &memory), "the search finds nothing");
    client.destroy();
    drop(integration);
    drop(client);
    sleep(100).await;
    assert!(!is_in_memory(&options, &memory));
}
