//! Bad options: each is named, and nothing is sent.

use crate::support::*;
use pos_connect::bindings::{Integration, PosConnect};
use serde_json::json;
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
fn every_bad_option_of_create_is_named() {
    let good = Service::as_specified().options();
    for (name, value) in [
        ("baseUrl", json!(null)),
        ("baseUrl", json!("/relative")),
        ("baseUrl", json!("http://pos.example")),
        ("baseUrl", json!("https://u:p@pos.example")),
        ("connectUrl", json!("javascript:alert(1)")),
        ("connectUrl", json!("https://a.example/#")),
        ("connectUrl", json!("https://a.example/?client_id=1")),
        ("clientId", json!("")),
        ("clientId", json!({})),
        ("clientSecret", json!(1)),
        ("trustedPage", json!("yes")),
        ("headers", json!("x")),
        ("headers", json!({"a b": "x"})),
        ("headers", json!({"a": "b\r\nc: d"})),
        ("vault", json!("disk")),
        ("persistStorage", json!("no")),
        ("persistTokens", json!({})),
        ("ereceipt", json!("yes")),
        ("persistToken", json!(true)),
    ] {
        let mut options = good.clone();
        options[name] = value.clone();
        let error = PosConnect::create(to_js(&options)).err();
        let error = error.unwrap_or_else(|| panic!("{name}: {value} was taken"));
        let said = (code(&error), text(&error, "operation"));
        assert_eq!(
            said,
            ("invalid_option".into(), "create".into()),
            "{name}: {value}"
        );
        assert!(
            text(&error, "message").contains(name),
            "{}",
            text(&error, "message")
        );
    }
}

#[wasm_bindgen_test]
async fn every_bad_option_of_a_call_is_named_before_anything_is_sent() {
    let service = Service::as_specified();
    let client = service.client();
    let integration: Integration = integration(&client).await;
    let calls: [(&str, &dyn Fn(JsValue) -> JsValue); 8] = [
        ("createIntegration", &|options| {
            begun(client.create_integration(options))
        }),
        ("connect", &|options| begun(client.connect(options))),
        ("resume", &|options| begun(client.resume(options))),
        ("status", &|options| begun(integration.status(options))),
        ("waitUntilDone", &|options| {
            begun(integration.wait_until_done(options))
        }),
        ("fetchTokens", &|options| {
            begun(integration.fetch_tokens(options))
        }),
        ("acknowledgeTokens", &|options| {
            begun(integration.acknowledge_tokens(options))
        }),
        ("cancel", &|options| begun(integration.cancel(options))),
    ];
    for (operation, call) in calls {
        for (wrong, named) in [
            (json!({"signal": true}), "signal"),
            (json!({"signall": null}), "signall"),
            (json!("now"), "options"),
        ] {
            let error = failed(call(to_js(&wrong))).await;
            let said = (code(&error), text(&error, "operation"));
            assert_eq!(said, ("invalid_option".into(), operation.into()), "{wrong}");
            assert!(
                text(&error, "message").contains(named),
                "{operation}: {wrong}"
            );
        }
    }
    assert_eq!(service.operations(), "create");
    let beside = to_js(&json!({"container": "body"}));
    let error = integration.mount_frame(JsValue::UNDEFINED, beside).err();
    assert_eq!(code(&error.unwrap()), "invalid_option");
    assert_eq!(frames().length(), 0);
}

#[wasm_bindgen_test]
fn an_address_may_be_an_object() {
    let url = web_sys::Url::new("https://pos.example").unwrap();
    let options = with(&Service::as_specified().options(), &[("baseUrl", &url)]);
    assert!(PosConnect::create(options).is_ok());
}

#[wasm_bindgen_test]
async fn every_bad_option_of_a_call_is_named() {
    let good = Service::as_specified().options();
    let pos = PosConnect::create(to_js(&good)).unwrap();
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
    assert_eq!(frames().length(), 0);
}

#[wasm_bindgen_test]
fn a_page_without_storage_is_told_so() {
    let good = Service::as_specified().options();
    let memory = with(&good, &[("vault", &"memory".into())]);
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
        let refusal = PosConnect::create(to_js(&good)).err();
        let taken = PosConnect::create(memory.clone()).is_ok();
        restore(&patch);
        let error = refusal.unwrap_or_else(|| panic!("nobody missed {path}"));
        let said = (code(&error), text(&error, "operation"));
        assert_eq!(said, (expected.into(), "create".into()), "{path}");
        let names_it = text(&error, "message").contains(path);
        assert_eq!(names_it, expected == "unsupported_browser", "{path}");
        assert!(taken, "memory needs no {path}");
        assert!(PosConnect::create(to_js(&good)).is_ok());
    }
}
