//! The hand-over of the tokens to the host, and what is left of them then.

use crate::support::*;
use pos_connect::{Integration, PosConnect};

fn client_of(service: &Service, vault: &str, host: &JsValue) -> PosConnect {
    let persist = get(host, "persistTokens");
    service.client_with(&[("vault", &vault.into()), ("persistTokens", &persist)])
}

async fn finished(service: &Service, client: &PosConnect) -> Integration {
    let integration = integration(client).await;
    service.decide("finished");
    integration
}

fn record() -> Value {
    json!({"expiration": "2031-05-06T07:08:09.000Z", "ereceipt": true})
}

#[wasm_bindgen_test]
async fn a_host_is_given_them_once() {
    let service = Service::as_specified();
    let host = host("take");
    let client = client_of(&service, "indexeddb", &host);
    let integration = finished(&service, &client).await;
    let set = done(integration.fetch_tokens(JsValue::UNDEFINED)).await;
    assert_eq!(handed_over(&integration).await, "tokens_already_retrieved");
    assert_eq!(count_of(&host), 1);
    let handed = get(&get(&host, "calls"), "0");
    assert_eq!(to_value(&handed), to_value(&set));
    let later = client_of(&service, "indexeddb", &host);
    for page in [&client, &later] {
        assert!(found(page).await.is_none());
        assert_eq!(to_value(&done(page.connection()).await), record());
    }
    assert_eq!(service.calls("token"), 1, "nobody asked the service again");
    assert_eq!(count_of(&host), 1);
}

#[wasm_bindgen_test]
async fn a_host_that_fails_is_given_them_again() {
    for vault in VAULTS {
        let service = Service::as_specified();
        let host = host("throw,reject,take");
        let ears = overhear();
        let integration = finished(&service, &client_of(&service, vault, &host)).await;
        assert_eq!(access(&integration).await, "access-itk-1");
        let began = now();
        assert_eq!(handed_over(&integration).await, "tokens_already_retrieved");
        assert!(now() - began >= 1_000.0 + 2_000.0);
        restore(&ears);
        assert_eq!(count_of(&host), 3);
        let heard = heard(&ears);
        assert!(heard.contains("not handed over"), "{heard}");
        assert!(heard.contains("the back end is down"), "{heard}");
        assert!(!heard.contains("itk-1"), "no token is told to the console");
    }
}

#[wasm_bindgen_test]
async fn a_later_page_hands_over_what_an_earlier_one_left() {
    let service = Service::as_specified();
    access(&finished(&service, &service.client()).await).await;
    let host = host("take");
    let later = client_of(&service, "indexeddb", &host);
    given(&host, 1).await;
    let handed = get(&get(&host, "calls"), "0");
    assert_eq!(text(&handed, "accessToken"), "access-itk-1");
    nothing_is_left(&later).await;
    assert_eq!(service.calls("token"), 1);
}

#[wasm_bindgen_test]
async fn a_host_may_say_itself_that_it_has_them() {
    for vault in VAULTS {
        let service = Service::as_specified();
        let client = service.client_in(vault);
        let integration = finished(&service, &client).await;
        access(&integration).await;
        assert!(found(&client).await.is_some());
        for _ in 0..2 {
            let said = done(integration.acknowledge_tokens(JsValue::UNDEFINED)).await;
            assert!(said.is_undefined());
            assert_eq!(refused(&integration).await, "tokens_already_retrieved");
            assert!(found(&service.client_in(vault)).await.is_none(), "{vault}");
        }
        assert_eq!(service.operations(), "create token", "{vault}");
        assert_eq!(to_value(&done(client.connection()).await), record());
    }
}

#[wasm_bindgen_test]
async fn a_relay_that_repeats_them_is_told() {
    let orders = json!({"acknowledge": [{"status": 503}]});
    let service = Service::extended(json!({"token": {"acknowledge": true}}), orders);
    let integration = finished(&service, &service.client()).await;
    access(&integration).await;
    let error = failed(integration.acknowledge_tokens(JsValue::UNDEFINED)).await;
    let said = (code(&error), text(&error, "operation"));
    assert_eq!(said, ("server_error".into(), "acknowledgeTokens".into()));
    assert_eq!(access(&integration).await, "access-itk-1", "they stay");
    done(integration.acknowledge_tokens(JsValue::UNDEFINED)).await;
    assert_eq!(refused(&integration).await, "tokens_already_retrieved");
    assert_eq!(service.operations(), "create token acknowledge acknowledge");
}

#[wasm_bindgen_test]
async fn forgetting_erases_everything() {
    for vault in VAULTS {
        let service = Service::as_specified();
        let client = service.client_in(vault);
        let integration = finished(&service, &client).await;
        access(&integration).await;
        assert!(done(client.connection()).await.is_object());
        assert!(done(client.forget()).await.is_undefined());
        for page in [&client, &service.client_in(vault)] {
            assert_eq!(done(page.connection()).await, JsValue::NULL, "{vault}");
            assert!(found(page).await.is_none(), "{vault}");
        }
        // The service gave them, and has no more.
        assert_eq!(refused(&integration).await, "tokens_already_retrieved");
        assert_eq!(service.calls("token"), 2, "{vault}");
    }
}

#[wasm_bindgen_test]
async fn what_is_kept_is_kept_apart() {
    let service = Service::as_specified();
    let memory = service.client_in("memory");
    access(&finished(&service, &memory).await).await;
    assert_eq!(service.entries().await, (0, false));
    let shop = |id: &str| service.client_with(&[("storeId", &id.into())]);
    access(&finished(&service, &shop("Jaffa")).await).await;
    assert!(found(&memory).await.is_some());
    assert!(found(&service.client_in("memory")).await.is_none());
    assert!(found(&service.client_in("indexeddb")).await.is_none());
    assert!(found(&shop("Jaffa")).await.is_some());
    assert!(found(&shop("Haifa")).await.is_none());
    assert_eq!(done(shop("Haifa").connection()).await, JsValue::NULL);
}
