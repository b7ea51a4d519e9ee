//! Bad options: each is named, and nothing is sent.

use crate::support::*;
use pos_connect::bindings::PosConnect;
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

fn good() -> Value {
    json!({"baseUrl": "https://pos.example", "connectUrl": "https://auth.example/connect", "clientId": "till"})
}

#[wasm_bindgen_test]
fn every_bad_option_of_create_is_named() {
    for (name, value) in [
        ("baseUrl", json!("/relative")),
        ("baseUrl", json!(5)),
        ("baseUrl", json!("http://pos.example")),
        ("baseUrl", json!("https://pos.example/?a")),
        ("baseUrl", json!("https://u:p@pos.example")),
        ("connectUrl", json!("javascript:alert(1)")),
        ("connectUrl", json!("https://a.example/#")),
        ("connectUrl", json!("https://a.example/?client_id=1")),
        ("clientId", json!("")),
        ("clientId", json!({})),
        ("clientSecret", json!(1)),
        ("trustedPage", json!("yes")),
        ("headers", json!("x")),
        ("headers", json!({"a": 1})),
        ("headers", json!({"a b": "x"})),
        ("headers", json!({"a": "b\r\nc: d"})),
        ("vault", json!("disk")),
        ("vault", json!(true)),
        ("persistTokens", json!(5)),
        ("persistTokens", json!({})),
    ] {
        let mut options = good();
        options[name] = value.clone();
        let error = PosConnect::create(to_js(&options))
            .err()
            .unwrap_or_else(|| panic!("{name}: {value} was taken"));
        assert_eq!(
            (code(&error).as_str(), text(&error, "operation").as_str()),
            ("invalid_option", "create")
        );
        assert!(
            text(&error, "message").contains(name),
            "{}",
            text(&error, "message")
        );
    }
    for missing in ["baseUrl", "connectUrl", "clientId"] {
        let mut options = good();
        options.as_object_mut().unwrap().remove(missing);
        let error = PosConnect::create(to_js(&options)).err().unwrap();
        assert!(text(&error, "message").contains(missing));
    }
    for wrong in [JsValue::UNDEFINED, JsValue::NULL, "x".into(), 5.into()] {
        assert_eq!(
            code(&PosConnect::create(wrong).err().unwrap()),
            "invalid_option"
        );
    }
}

/// Misspelled, it would do nothing: `persistToken` would keep nothing.
#[wasm_bindgen_test]
async fn what_is_no_option_is_named() {
    let mut options = good();
    options["persistToken"] = json!(1);
    let error = PosConnect::create(to_js(&options)).err().unwrap();
    assert_eq!(text(&error, "message"), "persistToken: is not an option");
    let pos = Scripted::new(json!({"create": created()})).await.client();
    let options = || to_js(&json!({"onstatus": 1}));
    let integration = integration(&pos).await;
    for call in [
        pos.connect(options()),
        pos.create_integration(options()),
        pos.resume(options()),
        integration.status(options()),
        integration.wait_until_done(options()),
        integration.fetch_tokens(options()),
        integration.acknowledge_tokens(options()),
        integration.cancel(options()),
        pos.receipt_for(to_js(
            &json!({"orderId": "1", "region": "IL", "onstatus": 1}),
        )),
    ] {
        let error = failed(call).await;
        assert_eq!(code(&error), "invalid_option");
        assert_eq!(text(&error, "message"), "onstatus: is not an option");
    }
    let beside = to_js(&json!({"container": "body"}));
    let error = integration.mount_frame(JsValue::UNDEFINED, beside).err();
    assert_eq!(code(&error.unwrap()), "invalid_option");
    assert_eq!(open_frames().length(), 0);
}

#[wasm_bindgen_test]
fn good_options_are_taken() {
    for url in [
        "https://pos.example",
        "https://pos.example/relay/",
        "http://127.0.0.1:1",
        "http://localhost:1/x",
        "http://[::1]:1",
    ] {
        let mut options = good();
        options["baseUrl"] = url.into();
        assert!(PosConnect::create(to_js(&options)).is_ok(), "{url}");
    }
    let url = web_sys::Url::new("https://pos.example").unwrap();
    assert!(
        PosConnect::create(with(&good(), &[("baseUrl", &url)])).is_ok(),
        "a URL object"
    );
}

#[wasm_bindgen_test]
async fn every_bad_option_of_a_call_is_named() {
    let pos = PosConnect::create(to_js(&good())).unwrap();
    for (name, value) in [
        ("signal", json!({})),
        ("onStatus", json!("x")),
        ("labels", json!("x")),
        ("labels", json!({"title": 1})),
        ("labels", json!({"copied": []})),
        ("locale", json!(["he"])),
        ("theme", json!("Dark")),
        ("theme", json!(1)),
        ("sandbox", json!(1)),
        ("onReady", json!(1)),
        ("container", json!("#nowhere")),
    ] {
        let error = failed(pos.connect(to_js(&json!({name: value})))).await;
        assert_eq!(code(&error), "invalid_option", "{name}");
        assert!(
            text(&error, "message").contains(name),
            "{}",
            text(&error, "message")
        );
    }
    assert_eq!(code_of(pos.connect("x".into())).await, "invalid_option");
    assert_eq!(
        code_of(pos.create_integration(to_js(&json!({"signal": 1})))).await,
        "invalid_option"
    );
    assert_eq!(
        code_of(pos.resume(to_js(&json!({"signal": 1})))).await,
        "invalid_option"
    );
    assert_eq!(open_frames().length(), 0);
}

#[wasm_bindgen_test]
fn a_page_without_storage_is_told_so() {
    let memory = with(&good(), &[("vault", &"memory".into())]);
    for (path, expected) in [
        ("isSecureContext", "insecure_context"),
        ("indexedDB", "unsupported_browser"),
        ("navigator.locks", "unsupported_browser"),
        ("crypto.subtle", "unsupported_browser"),
    ] {
        let missing = if path == "isSecureContext" {
            JsValue::FALSE
        } else {
            JsValue::UNDEFINED
        };
        let patch = pretend(path, &missing);
        let refusal = PosConnect::create(to_js(&good())).err();
        let taken = PosConnect::create(memory.clone()).is_ok();
        restore(&patch);
        let error = refusal.unwrap_or_else(|| panic!("nobody missed {path}"));
        let said = (code(&error), text(&error, "operation"));
        assert_eq!(said, (expected.into(), "create".into()), "{path}");
        let names_it = text(&error, "message").contains(path);
        assert_eq!(names_it, expected == "unsupported_browser", "{path}");
        assert!(taken, "memory needs no {path}");
        assert!(PosConnect::create(to_js(&good())).is_ok());
    }
}
