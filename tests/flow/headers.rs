//! What the page gives for each call: `headers`.

use crate::support::*;
use pos_connect::PosConnect;

#[wasm_bindgen_test]
async fn a_tills_own_headers_go_with_every_request() {
    let service = Service::as_specified();
    let headers = to_js(&json!({"authorization": "Till 7", "x-store": "Jaffa"}));
    let client = service.client_with(&[("headers", &headers)]);
    let integration = integration(&client).await;
    done(integration.status(JsValue::UNDEFINED)).await;
    service.decide("finished");
    done(integration.fetch_tokens(JsValue::UNDEFINED)).await;
    let requests = service.requests();
    assert_eq!(service.operations(), "create status token");
    for request in &requests {
        let expected = json!({"authorization": "Till 7", "x-store": "Jaffa"});
        assert_eq!(request["headers"], expected, "{request}");
        assert_eq!(request["credentials"], "omit");
    }
    let caches: Vec<&Value> = requests.iter().map(|request| &request["cache"]).collect();
    // A preflight may be remembered; tokens get into no cache.
    assert_eq!(caches, ["default", "default", "no-store"]);
}

#[wasm_bindgen_test]
async fn headers_are_asked_for_again_after_a_401() {
    let service = Service::ordered(json!({"create": [{"status": 401}]}));
    let fresh = js_sys::Function::new_no_args(
        "globalThis.asked = (globalThis.asked ?? 0) + 1; return { authorization: `Till ${asked}` }",
    );
    integration(&service.client_with(&[("headers", &fresh)])).await;
    let sent: Vec<Value> = service
        .requests()
        .iter()
        .map(|request| request["headers"]["authorization"].clone())
        .collect();
    assert_eq!(sent, ["Till 1", "Till 2"]);
}

#[wasm_bindgen_test]
async fn headers_are_read_anew_for_each_call() {
    let steps = json!({"create": created(), "status": status(&["pending"])});
    let scripted = Service::scripted(steps);
    let headers = to_js(&json!({"authorization": "Till 7"}));
    let client = scripted.client_with(&[("headers", &headers)]);
    let integration = integration(&client).await;
    js_sys::Reflect::set(&headers, &"authorization".into(), &"Till 8".into()).unwrap();
    done(integration.status(JsValue::UNDEFINED)).await;
    let sent = ["create", "status"].map(|call| scripted.carried(call, "/headers/authorization"));
    assert_eq!(sent, [["Till 7"], ["Till 8"]]);
}

#[wasm_bindgen_test]
async fn a_401_with_fixed_headers_is_final() {
    let scripted = Service::scripted(json!({"create": [{"status": 401}]}));
    let mut options = scripted.options();
    options["headers"] = json!({"authorization": "Till 1"});
    let pos = PosConnect::create(to_js(&options)).unwrap();
    assert_eq!(
        code_of(pos.create_integration(JsValue::UNDEFINED)).await,
        "unauthorized"
    );
    assert_eq!(scripted.calls("create"), 1);
}

#[wasm_bindgen_test]
async fn headers_that_fail() {
    let scripted = Service::scripted(json!({"create": created()}));
    let throws = js_sys::Function::new_no_args("throw new Error('no session')");
    let pos = PosConnect::create(with(&scripted.options(), &[("headers", &throws)])).unwrap();
    let error = failed(pos.create_integration(JsValue::UNDEFINED)).await;
    assert_eq!(code(&error), "headers_failed");
    assert_eq!(text(&get(&error, "cause"), "message"), "no session");
    let wrong = js_sys::Function::new_no_args("return { 'x-till': 'a\\nb' }");
    let pos = PosConnect::create(with(&scripted.options(), &[("headers", &wrong)])).unwrap();
    assert_eq!(
        code_of(pos.create_integration(JsValue::UNDEFINED)).await,
        "invalid_option"
    );
    assert_eq!(scripted.calls("create"), 0);
}

/// A function that asks a server for a fresh key fails as the network does.
#[wasm_bindgen_test]
async fn headers_that_fail_for_the_network_say_so() {
    let scripted = Service::scripted(json!({"create": created()}));
    let reason = async |thrown: &str| {
        let headers = js_sys::Function::new_no_args(&format!("return Promise.reject({thrown})"));
        let client = scripted.client_with(&[("headers", &headers)]);
        code_of(client.create_integration(JsValue::UNDEFINED)).await
    };
    for thrown in [
        "new TypeError('Failed to fetch')",
        "new TypeError('NetworkError when attempting to fetch resource.')",
        "new TypeError('Load failed')",
        "Object.assign(new Error('Network Error'), { code: 'ERR_NETWORK' })",
    ] {
        assert_eq!(reason(thrown).await, "network", "{thrown}");
    }
    for thrown in [
        "new TypeError('undefined is not a function')",
        "null",
        "'gone'",
    ] {
        assert_eq!(reason(thrown).await, "headers_failed", "{thrown}");
    }
    pretend_online(false);
    let offline = reason("new Error('no session')").await;
    pretend_online(true);
    assert_eq!(offline, "network");
    assert_eq!(scripted.calls("create"), 0);
}

#[wasm_bindgen_test]
async fn an_access_token_and_a_header_of_its_name_are_refused_at_once() {
    let mut options = Service::as_specified().options();
    options["headers"] = json!({"Authorization": "Till 1"});
    let token = js_sys::Function::new_no_args("return 'access-1'");
    let error = PosConnect::create(with(&options, &[("accessToken", &token)]))
        .err()
        .unwrap();
    let message = "headers: has authorization, which accessToken sets";
    assert_eq!(
        (code(&error), text(&error, "message")),
        ("invalid_option".into(), message.into())
    );
}

#[wasm_bindgen_test]
async fn headers_of_another_kind_are_refused_not_dropped() {
    let scripted = Service::scripted(json!({"create": created()}));
    for kind in [
        "new Headers({a: 'b'})",
        "new Map([['a', 'b']])",
        "Promise.resolve({a: 'b'})",
        "[['a', 'b']]",
    ] {
        let value = js_sys::Function::new_no_args(&format!("return {kind}"))
            .call0(&JsValue::NULL)
            .unwrap();
        let error = PosConnect::create(with(&scripted.options(), &[("headers", &value)]))
            .err()
            .unwrap();
        assert_eq!(code(&error), "invalid_option", "{kind}");
    }
    let throws = js_sys::Function::new_no_args("return { get a() { throw new Error('mine') } }");
    let error = PosConnect::create(with(
        &scripted.options(),
        &[("headers", &throws.call0(&JsValue::NULL).unwrap())],
    ))
    .err()
    .unwrap();
    assert_eq!(
        (code(&error), text(&get(&error, "cause"), "message")),
        ("invalid_option".into(), "mine".into())
    );
    let pos = PosConnect::create(with(&scripted.options(), &[("headers", &throws)])).unwrap();
    assert_eq!(
        code_of(pos.create_integration(JsValue::UNDEFINED)).await,
        "headers_failed"
    );
    let bare = js_sys::Function::new_no_args(
        "return Object.assign(Object.create(null), {authorization: 'x'})",
    );
    let pos = PosConnect::create(with(&scripted.options(), &[("headers", &bare)])).unwrap();
    integration(&pos).await;
    assert_eq!(scripted.carried("create", "/headers/authorization"), ["x"]);
}
