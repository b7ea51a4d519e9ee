//! A service that knows its own lost answers by their `pickup_id`, and reissues them.

use crate::support::*;

fn scripted(tokens: Value, reissues: Value) -> Service {
    let created = json!([{"body": {"success": true, "integrationToken": "itk", "interval": 1, "pickup": true}}]);
    Service::scripted(json!({"create": created, "token": tokens, "reissue": reissues}))
}

fn gone_to(whose: &str) -> Value {
    let mut step = gone();
    step["body"]["pickup"] = whose.into();
    step
}

/// All calls of both kinds carry one and the same id, of the form that the service takes.
fn carries_one_id(scripted: &Service, calls: usize, reissues: usize) {
    let mut ids = scripted.carried("token", "/query/pickup_id");
    assert_eq!(ids.len(), calls);
    ids.extend(scripted.carried("reissue", "/query/pickup_id"));
    assert_eq!(ids.len(), calls + reissues);
    let id = ids[0].as_str().unwrap();
    assert!((22..=128).contains(&id.len()));
    let is_fit = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    assert!(id.bytes().all(is_fit));
    assert!(ids.iter().all(|other| other == id));
}

#[wasm_bindgen_test]
async fn a_reissue_that_is_lost_is_asked_for_again() {
    let steps = json!([silent(), gone_to("yours")]);
    let scripted = scripted(steps, json!([silent(), silent(), silent(), tokens()]));
    let integration = integration(&scripted.client()).await;
    assert_eq!(access(&integration).await, "acc");
    carries_one_id(&scripted, 2, 4);
}

#[wasm_bindgen_test]
async fn another_page_goes_on_with_the_same_id() {
    let steps = json!([silent(), silent(), silent(), silent(), gone_to("yours")]);
    let lost = json!([silent(), silent(), silent(), silent(), tokens()]);
    let scripted = scripted(steps, lost);
    let first = refused(&integration(&scripted.client()).await).await;
    let second = refused(&resumed(&scripted.client()).await).await;
    assert_eq!([first, second], ["network", "network"]);
    assert_eq!(access(&resumed(&scripted.client()).await).await, "acc");
    carries_one_id(&scripted, 6, 5);
}

#[wasm_bindgen_test]
async fn a_refused_reissue_is_the_end() {
    for (status, word) in [
        (409, "reissue_used"),
        (409, "reissue_exhausted"),
        (410, "reissue_expired"),
        (403, "reissue_other_pickup"),
    ] {
        let refusal = json!({"status": status, "body": {"code": word}});
        let scripted = scripted(json!([silent(), gone_to("yours")]), json!([refusal]));
        let client = scripted.client();
        let integration = integration(&client).await;
        assert_eq!(refused(&integration).await, "tokens_lost", "{word}");
        assert_eq!(refused(&integration).await, "tokens_lost", "{word}");
        assert!(found(&client).await.is_none(), "{word}");
        carries_one_id(&scripted, 2, 1);
    }
}

#[wasm_bindgen_test]
async fn each_integration_has_an_id_of_its_own() {
    let scripted = scripted(json!([tokens()]), json!([]));
    let client = scripted.client();
    for _ in 0..2 {
        access(&integration(&client).await).await;
    }
    let ids = scripted.carried("token", "/query/pickup_id");
    assert_eq!(ids.len(), 2);
    assert_ne!(ids[0], ids[1]);
}

#[wasm_bindgen_test]
async fn a_service_that_does_not_ask_for_ids_gets_none() {
    let steps =
        json!({"create": created(), "token": [silent(), gone_to("yours")], "reissue": [tokens()]});
    let scripted = Service::scripted(steps);
    let integration = integration(&scripted.client()).await;
    assert_eq!(refused(&integration).await, "tokens_lost");
    let ids = scripted.carried("token", "/query/pickup_id");
    assert_eq!(ids, [Value::Null, Value::Null]);
    assert_eq!(scripted.calls("reissue"), 0);
}
