//! `vault: "memory"`: the same within the page, and nothing outlives it.

use crate::support::*;
use pos_connect::bindings::PosConnect;
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

fn client(scripted: &Scripted) -> PosConnect {
    scripted.client_with(&[("vault", &"memory".into())])
}

async fn scripted(steps: Value) -> Scripted {
    Scripted::new(json!({"create": created(), "token": steps})).await
}

#[wasm_bindgen_test]
async fn the_page_goes_on_and_the_browser_keeps_nothing() {
    let scripted = scripted(json!([tokens(), gone()])).await;
    let set = {
        let first = client(&scripted);
        let integration = integration(&first).await;
        let set = done(integration.fetch_tokens(JsValue::UNDEFINED)).await;
        assert_eq!(
            done(integration.fetch_tokens(JsValue::UNDEFINED)).await,
            set
        );
        set
    };
    let later = client(&scripted);
    let integration = resumed(&later).await;
    let again = done(integration.fetch_tokens(JsValue::UNDEFINED)).await;
    assert_eq!(to_value(&again), to_value(&set));
    assert!(done(later.connection()).await.is_object());
    assert_eq!(scripted.calls("token").await, 1);
    assert!(found(&scripted.client()).await.is_none());
    assert_eq!(scripted.kept().await, (0, false));
    done(integration.acknowledge_tokens(JsValue::UNDEFINED)).await;
    assert_eq!(refused(&integration).await, "tokens_already_retrieved");
    assert!(found(&later).await.is_none());
}

#[wasm_bindgen_test]
async fn two_objects_send_one_request() {
    let scripted = scripted(json!([with_delay(tokens(), 300), gone()])).await;
    let (first, second) = (client(&scripted), client(&scripted));
    let integration = integration(&first).await;
    let other = resumed(&second).await;
    let calls = [&integration, &other].map(|page| page.fetch_tokens(JsValue::UNDEFINED));
    for call in calls {
        assert_eq!(text(&done(call).await, "accessToken"), "acc");
    }
    assert_eq!(scripted.calls("token").await, 1);
}

#[wasm_bindgen_test]
async fn doubt_outlives_the_object() {
    let scripted = scripted(json!([silent(), silent(), silent(), silent(), gone()])).await;
    let hurried = hurry_tries();
    assert_eq!(
        refused(&integration(&client(&scripted)).await).await,
        "network"
    );
    restore(&hurried);
    let later = client(&scripted);
    assert_eq!(refused(&resumed(&later).await).await, "tokens_lost");
    assert!(found(&later).await.is_none());
}

#[wasm_bindgen_test]
async fn the_host_is_given_the_tokens() {
    let scripted = scripted(json!([tokens(), gone()])).await;
    let host = host("throw,take");
    let persist = get(&host, "persistTokens");
    let options = [("vault", &"memory".into()), ("persistTokens", &persist)];
    let client = scripted.client_with(&options);
    let integration = integration(&client).await;
    access(&integration).await;
    given(&host, 2).await;
    assert_eq!(handed_over(&integration).await, "tokens_already_retrieved");
    assert!(found(&client).await.is_none());
}

#[wasm_bindgen_test]
async fn forgetting_erases_it() {
    let scripted = scripted(json!([tokens()])).await;
    let first = client(&scripted);
    access(&integration(&first).await).await;
    assert!(done(first.connection()).await.is_object());
    done(client(&scripted).forget()).await;
    assert_eq!(done(first.connection()).await, JsValue::NULL);
    assert!(found(&client(&scripted)).await.is_none());
}
