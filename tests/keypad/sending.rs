//! The print is cancelled only when the host has accepted the e-receipt.

use crate::support::*;

/// A valid number, sent to a host that does `body` with the receipt `a` and the options `b`.
async fn send(body: &'static str) -> JsValue {
    let outcome = ask(&[("onSend", &function(body))]).await;
    taps(VALID);
    tap("send");
    outcome
}

fn global(name: &str) -> JsValue {
    get(&js_sys::global(), name)
}

#[wasm_bindgen_test]
async fn the_host_accepts() {
    let body = "Object.assign(globalThis, { receipt: a, given: b });
        return new Promise((done) => setTimeout(done, 300))";
    let outcome = send(body).await;
    assert_eq!(text("hint"), "Sending…");
    assert_eq!(text("status"), "Sending…");
    taps("12");
    tap("<");
    tap("clear");
    tap("send");
    assert_eq!(display(), VALID, "the digits are dead");
    assert_eq!(sent(outcome).await, "+972502345678");
    let receipt = global("receipt");
    assert_eq!(word(&receipt, "phone"), "+972502345678");
    assert_eq!(word(&receipt, "kind"), "mobile");
    assert_eq!(word(&receipt, "orderId"), "A-1");
    assert_eq!(word(&get(&receipt, "consent"), "id"), "ereceipt-1");
    assert_eq!(get(&global("given"), "attempt"), 1);
    let key = word(&global("given"), "idempotencyKey");
    assert!(key.len() > 20, "{key}");
    let body = "globalThis.again = b; return new Promise((done) => setTimeout(done, 300))";
    assert_eq!(sent(send(body).await).await, "+972502345678");
    assert_ne!(word(&global("again"), "idempotencyKey"), key, "another ask");
    assert_eq!(
        sent(send("return 5").await).await,
        "+972502345678",
        "no promise"
    );
}

#[wasm_bindgen_test]
async fn the_host_fails() {
    for body in [
        "throw 'no'",
        "return Promise.reject('no')",
        "return { then(_, no) { no('no') } }",
    ] {
        let outcome = done(send(body).await).await;
        assert_eq!(word(&outcome, "reason"), "send_failed", "{body}");
        assert_eq!(word(&outcome, "cause"), "no");
    }
}

#[wasm_bindgen_test]
async fn the_host_takes_too_long() {
    let outcome = send("globalThis.given = b.signal; return new Promise(() => {})").await;
    assert_eq!(get(&global("given"), "aborted"), JsValue::FALSE);
    let outcome = done(outcome).await;
    assert_eq!(word(&outcome, "reason"), "send_failed");
    let cause = get(&outcome, "cause");
    assert_eq!(word(&cause, "name"), "PosConnectError");
    assert_eq!(word(&cause, "code"), "timeout");
    // It is looked at four times a second.
    let took = get(&outcome, "elapsedMs").as_f64().unwrap() - f64::from(GUARD_MS);
    assert!((10_000.0..10_250.0).contains(&took), "{took}");
    assert_eq!(get(&global("given"), "aborted"), JsValue::TRUE);
}

#[wasm_bindgen_test]
async fn print_instead_works_while_the_host_is_asked() {
    let body =
        "globalThis.given = b.signal; return new Promise((done) => (globalThis.accept = done))";
    for end in ["button", "escape"] {
        let outcome = send(body).await;
        if end == "button" {
            tap("print");
        } else {
            press("Escape");
        }
        assert_eq!(printed(outcome).await, "chosen");
        assert_eq!(get(&global("given"), "aborted"), JsValue::TRUE);
        // Too late.
        let accept: js_sys::Function = global("accept").unchecked_into();
        accept.call0(&JsValue::UNDEFINED).unwrap();
        sleep(50).await;
        assert!(!is_shown());
    }
}

#[wasm_bindgen_test]
async fn the_host_may_end_it_from_within() {
    let till = till(&[]);
    let destroy = Closure::<dyn FnMut()>::new({
        let till = std::rc::Rc::new(till);
        let ended = till.clone();
        js_sys::Reflect::set(
            &js_sys::global(),
            &"asked".into(),
            &till.receipt_for(options(&[("onSend", &function("globalThis.end()"))])),
        )
        .unwrap();
        move || ended.destroy()
    });
    js_sys::Reflect::set(&js_sys::global(), &"end".into(), destroy.as_ref()).unwrap();
    eventually(is_shown).await;
    guard_is_over().await;
    taps(VALID);
    tap("send");
    assert_eq!(printed(global("asked")).await, "aborted");
}

#[wasm_bindgen_test]
async fn the_host_may_press_the_keypads_own_buttons_from_within() {
    let body = "
        const shown = (element) => element.shadowRoot?.childElementCount;
        const keypad = [...document.querySelectorAll('*')].filter(shown).at(-1).shadowRoot;
        keypad.querySelector('[part=key]').click();
        keypad.querySelector('[part=print]').click();";
    let outcome = send(body).await;
    assert_eq!(printed(outcome).await, "chosen");
}
