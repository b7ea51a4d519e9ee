//! Bad options: each is named, and nothing is sent.

use crate::support::*;
use js_sys::{Function, Object, Promise, Reflect};
use pos_connect::PosConnect;
use pos_connect::connect::frame::options::{CONNECT, MOUNT};
use pos_connect::connect::integration::{CALL, WAIT};
use pos_connect::core::options::{Call, Kind, Row};
use pos_connect::http::config::CREATE;
use pos_connect::keypad::settings::RECEIPT;
use pos_connect::orders::order::{CHARGE, RETRY_ORDER, SEND_CUSTOMERS, SEND_ORDER};

/// Values that no option of the kind takes.
fn bad(kind: Kind) -> Vec<JsValue> {
    let long = |most: usize| JsValue::from("é".repeat(most + 1));
    let json = |values: &[Value]| values.iter().map(to_js).collect();
    match kind {
        Kind::Text(0, usize::MAX) => vec![5.into()],
        Kind::Text(_, usize::MAX) => vec![5.into(), "".into()],
        Kind::Text(_, most) | Kind::Ascii(_, most) => vec![5.into(), long(most)],
        Kind::Number(least, most, _) => {
            let (least, most) = (f64::from(least), f64::from(most));
            vec![
                (least - 0.1).into(),
                (most + 0.1).into(),
                f64::NAN.into(),
                "60".into(),
            ]
        }
        Kind::Flag(_) => json(&[json!(1), json!("yes")]),
        Kind::OneOf(_) => json(&[json!(5), json!("Loud")]),
        Kind::Region => json(&[json!(5), json!("XX")]),
        Kind::Url => json(&[json!(5), json!("/relative")]),
        Kind::TextOrNull => vec![1.into()],
        Kind::Texts => json(&[json!("en"), json!(["en", 5]), json!(vec!["en"; 101])]),
        Kind::TextOrTexts(most) => {
            let texts = json(&[
                json!(5),
                json!({"en": 5}),
                json!({"en": "é".repeat(most + 1)}),
            ]);
            [texts, vec![long(most)]].concat()
        }
        Kind::Labels(_) => json(&[json!("x"), json!({"title": 5}), json!({"titel": "x"})]),
        Kind::Function | Kind::Any => vec!["x".into()],
        Kind::FlagOrFunction => vec!["yes".into()],
        Kind::Signal => vec![Object::new().into()],
        Kind::Element => json(&[json!("#nowhere"), json!({})]),
    }
}

/// One call, by its name.
struct Called<'a> {
    operation: &'static str,
    call: Call,
    /// Options that are good.
    good: Value,
    make: &'a dyn Fn(JsValue) -> JsValue,
}

impl Called<'_> {
    /// The options of the call, all of them there, and those that are not given `undefined`.
    fn options(&self) -> Object {
        let options = Object::from(to_js(&self.good));
        for row in self.rows().filter(|row| self.good.get(row.name).is_none()) {
            Reflect::set(&options, &row.name.into(), &JsValue::UNDEFINED).unwrap();
        }
        options
    }

    fn rows(&self) -> impl Iterator<Item = &'static Row> {
        self.call.iter().copied().flatten().copied()
    }

    async fn names(&self, options: &JsValue, begin: &str) -> JsValue {
        let error = failed((self.make)(options.clone())).await;
        let said = (code(&error), text(&error, "operation"));
        let message = text(&error, "message");
        assert_eq!(
            said,
            ("invalid_option".into(), self.operation.into()),
            "{message}"
        );
        assert!(
            message.starts_with(begin),
            "{}: {begin}: {message}",
            self.operation
        );
        error
    }

    async fn refuses_what_is_wrong(&self) {
        for row in self.rows() {
            for wrong in bad(row.kind) {
                let options = self.options();
                Reflect::set(&options, &row.name.into(), &wrong).unwrap();
                self.names(&options, row.name).await;
            }
            let options = self.options();
            let lazy = Function::new_no_args("throw 'lazy'");
            let getter = with(&json!({"enumerable": true}), &[("get", &lazy)]);
            Object::define_property(&options, &row.name.into(), getter.unchecked_ref());
            let error = self.names(&options, &[row.name, ": "].concat()).await;
            assert_eq!(get(&error, "cause"), "lazy", "{}", row.name);
            let options = self.options();
            let misspelled = row.name.to_uppercase();
            Reflect::set(&options, &misspelled.as_str().into(), &1.into()).unwrap();
            let said = format!("{misspelled}: is not an option; {} is one", row.name);
            self.names(&options, &said).await;
        }
        self.names(&"now".into(), "options: ").await;
    }
}

/// A call that throws is as one that rejects.
fn settled_as<T>(result: Result<T, JsValue>) -> JsValue {
    begun(match result {
        Ok(_) => Promise::resolve(&JsValue::UNDEFINED),
        Err(error) => Promise::reject(&error),
    })
}

#[wasm_bindgen_test]
async fn every_bad_option_of_every_call_is_named() {
    let service = Service::as_specified();
    let (pos, create) = (service.merchant_in("memory"), service.options());
    let integration = integration(&pos).await;
    let none = json!({});
    let paid = json!({
        "externalId": "A-1", "time": "2026-11-23T10:30:00+02:00", "currency": "ILS", "total": 1,
        "lines": [{"name": "Bread", "quantity": 1, "amount": 1}],
    });
    let asked = json!({"orderId": "A-1", "region": "IL"});
    let (print, il) = (Function::new_no_args(""), json!({"region": "IL"}));
    let charged = |options: JsValue| {
        // Not in `good`, which is JSON.
        if Reflect::get(&options, &"print".into()).is_ok_and(|print| print.is_undefined()) {
            let _ = Reflect::set(&options, &"print".into(), &print);
        }
        begun(pos.charge(to_js(&paid), options))
    };
    let call = |operation, call, good: &Value, make| Called {
        operation,
        call,
        good: good.clone(),
        make,
    };
    for called in [
        call("create", CREATE, &create, &|options| {
            settled_as(PosConnect::create(options))
        }),
        call("createIntegration", CALL, &none, &|options| {
            begun(pos.create_integration(options))
        }),
        call("connect", CONNECT, &none, &|options| {
            begun(pos.connect(options))
        }),
        call("resume", CALL, &none, &|options| begun(pos.resume(options))),
        call("disconnect", CALL, &none, &|options| {
            begun(pos.disconnect(options))
        }),
        call("store.get", CALL, &none, &|options| {
            begun(pos.store().get(options))
        }),
        call("store.update", CALL, &none, &|options| {
            begun(pos.store().update(Object::new().into(), options))
        }),
        call("customers.send", SEND_CUSTOMERS, &none, &|options| {
            begun(pos.customers().send(to_js(&json!([{}])), options))
        }),
        call("orders.send", SEND_ORDER, &none, &|options| {
            begun(pos.orders().send(to_js(&paid), options))
        }),
        call("orders.get", CALL, &none, &|options| {
            begun(pos.orders().get("A-1".into(), options))
        }),
        call("orders.retry", RETRY_ORDER, &none, &|options| {
            begun(pos.orders().retry("1".into(), options))
        }),
        call("receiptFor", RECEIPT, &asked, &|options| {
            begun(pos.receipt_for(options))
        }),
        call("charge", CHARGE, &il, &charged),
        call("mountFrame", MOUNT, &none, &|options| {
            settled_as(integration.mount_frame(JsValue::UNDEFINED, options))
        }),
        call("status", CALL, &none, &|options| {
            begun(integration.status(options))
        }),
        call("waitUntilDone", WAIT, &none, &|options| {
            begun(integration.wait_until_done(options))
        }),
        call("fetchTokens", CALL, &none, &|options| {
            begun(integration.fetch_tokens(options))
        }),
        call("acknowledgeTokens", CALL, &none, &|options| {
            begun(integration.acknowledge_tokens(options))
        }),
        call("cancel", CALL, &none, &|options| {
            begun(integration.cancel(options))
        }),
    ] {
        called.refuses_what_is_wrong().await;
    }
    let beside = settled_as(integration.mount_frame("#nowhere".into(), JsValue::UNDEFINED));
    assert_eq!(code_of(beside).await, "invalid_option");
    assert_eq!(service.operations(), "create");
    let shown = document()
        .query_selector("iframe, dialog, ereceipt-keypad")
        .unwrap();
    assert!(shown.is_none());
}

/// What the row of an option does not say.
#[wasm_bindgen_test]
fn a_bad_address_or_header_is_named() {
    let good = Service::as_specified().options();
    for (name, value) in [
        ("baseUrl", json!("http://pos.example")),
        ("baseUrl", json!("https://u:p@pos.example")),
        ("connectUrl", json!("javascript:alert(1)")),
        ("connectUrl", json!("https://a.example/#")),
        ("connectUrl", json!("https://a.example/?client_id=1")),
        ("headers", json!({"a b": "x"})),
        ("headers", json!({"a": "b\r\nc: d"})),
    ] {
        let mut options = good.clone();
        options[name] = value.clone();
        let error = PosConnect::create(to_js(&options)).err();
        let error = error.unwrap_or_else(|| panic!("{name}: {value} was taken"));
        assert_eq!(code(&error), "invalid_option", "{name}: {value}");
        assert!(text(&error, "message").starts_with(name), "{name}: {value}");
    }
}

#[wasm_bindgen_test]
fn an_address_may_be_an_object() {
    let url = web_sys::Url::new("https://pos.example").unwrap();
    let options = with(&Service::as_specified().options(), &[("baseUrl", &url)]);
    assert!(PosConnect::create(options).is_ok());
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
