//! What is no answer to a real browser.

use crate::support::*;

/// Lost, without the header that lets the page read it, cut, and sent elsewhere.
#[wasm_bindgen_test]
async fn an_answer_that_the_browser_keeps_to_itself_is_a_network_error() {
    let _pace = RealPace::keep();
    for kind in ["drop", "hidden", "cut", "redirect"] {
        let mut options = Service::as_specified().options();
        options["baseUrl"] = format!("{}/broken/{kind}", rig_url()).into();
        let pos = pos_connect::PosConnect::create(to_js(&options)).unwrap();
        let error = failed(pos.create_integration(JsValue::UNDEFINED)).await;
        let said = (code(&error), get(&error, "retryable"));
        assert_eq!(said, ("network".into(), JsValue::TRUE), "{kind}");
        assert!(get(&error, "status").is_undefined());
    }
}
