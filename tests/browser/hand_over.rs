//! The hand-over: `persistTokens` until the host has the tokens, or `acknowledgeTokens`.

use crate::support::*;
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

const ACCESS: &str = "access-4c1d9e";
const REFRESH: &str = "refresh-77ab02";

fn set() -> Value {
    json!({
        "success": true, "accessToken": ACCESS, "refreshToken": REFRESH, "expiration": "2026-11-21T10:30:00Z",
        "ereceipt": true, "account": {"id": "1", "name": "Bakery"},
    })
}

async fn scripted() -> Scripted {
    let steps = json!([{"body": set()}, gone()]);
    Scripted::new(json!({"create": created(), "token": steps})).await
}

/// A relay that repeats the tokens until they are acknowledged.
async fn repeating(acknowledge: Value) -> Scripted {
    let mut body = set();
    body["acknowledge"] = true.into();
    let steps = json!({"create": created(), "token": [{"body": body}], "acknowledge": acknowledge});
    Scripted::new(steps).await
}

fn is_silent_about_tokens(heard: &str) -> bool {
    [ACCESS, REFRESH, "itk"]
        .iter()
        .all(|secret| !heard.contains(secret))
}

#[wasm_bindgen_test]
async fn a_host_that_takes_the_tokens_is_asked_once() {
    let scripted = scripted().await;
    let host = host("take");
    let client = scripted.client_of(&host);
    let integration = integration(&client).await;
    let set = done(integration.fetch_tokens(JsValue::UNDEFINED)).await;
    assert_eq!(text(&set, "accessToken"), ACCESS);
    given(&host, 1).await;
    let handed = get(&get(&get(&host, "calls"), "0"), "tokens");
    assert_eq!(to_value(&handed), to_value(&set));
    assert_eq!(handed_over(&integration).await, "tokens_already_retrieved");
    let later = scripted.client_of(&host);
    for page in [&client, &later] {
        assert!(found(page).await.is_none());
        let record = done(page.connection()).await;
        let expected = json!({
            "expiration": "2026-11-21T10:30:00.000Z", "ereceipt": true, "account": {"id": "1", "name": "Bakery"}
        });
        assert_eq!(to_value(&record), expected);
        assert!(get(&record, "expiration").is_instance_of::<js_sys::Date>());
    }
    sleep(1_500).await;
    assert_eq!(count_of(&host), 1);
    assert_eq!(scripted.calls("token").await, 1);
}

#[wasm_bindgen_test]
async fn connect_hands_over_too() {
    let steps =
        json!({"create": created(), "status": status(&["finished"]), "token": [{"body": set()}]});
    let scripted = Scripted::new(steps).await;
    let host = host("take");
    let client = scripted.client_of(&host);
    let set = done(client.connect(JsValue::UNDEFINED)).await;
    assert_eq!(text(&set, "accessToken"), ACCESS);
    given(&host, 1).await;
    let other = scripted.client();
    // Erased a little later than given; a busy machine takes its time.
    for _ in 0..50 {
        if found(&other).await.is_none() {
            return;
        }
        sleep(100).await;
    }
    panic!("the tokens are still there");
}

#[wasm_bindgen_test]
async fn a_host_that_fails_is_given_the_tokens_again() {
    for way in ["throw,take", "reject,take"] {
        let scripted = scripted().await;
        let host = host(way);
        let ears = overhear();
        let integration = integration(&scripted.client_of(&host)).await;
        let set = done(integration.fetch_tokens(JsValue::UNDEFINED)).await;
        given(&host, 2).await;
        restore(&ears);
        let heard = heard(&ears);
        assert!(heard.contains("not handed over"), "{way}: {heard}");
        assert!(heard.contains("the back end is down"), "{way}: {heard}");
        assert!(is_silent_about_tokens(&heard), "{way}");
        let calls = get(&host, "calls");
        let at = |name| get(&get(&calls, name), "at").as_f64().unwrap();
        let waited = at("1") - at("0");
        assert!((990.0..4_000.0).contains(&waited), "{way}: {waited}");
        let handed = get(&get(&calls, "1"), "tokens");
        assert_eq!(to_value(&handed), to_value(&set));
        assert_eq!(handed_over(&integration).await, "tokens_already_retrieved");
        assert_eq!(count_of(&host), 2, "{way}");
    }
}

#[wasm_bindgen_test]
async fn a_host_that_never_answers_is_given_the_tokens_again() {
    let scripted = scripted().await;
    let host = host("hang,take");
    let (ears, hurried) = (overhear(), hurry_host(&host, 30_000));
    let integration = integration(&scripted.client_of(&host)).await;
    assert_eq!(access(&integration).await, ACCESS);
    given(&host, 2).await;
    restore(&hurried);
    restore(&ears);
    assert!(count_of(&hurried) > 0, "the limit is not 30 s");
    let heard = heard(&ears);
    assert!(
        heard.contains("timeout") && heard.contains("persistTokens"),
        "{heard}"
    );
    assert!(is_silent_about_tokens(&heard));
    assert_eq!(handed_over(&integration).await, "tokens_already_retrieved");
}

#[wasm_bindgen_test]
async fn while_a_host_takes_its_time_no_other_page_disturbs_it() {
    let scripted = scripted().await;
    let (slow, other) = (host("hang"), host("take"));
    let integration = integration(&scripted.client_of(&slow)).await;
    assert_eq!(access(&integration).await, ACCESS);
    given(&slow, 1).await;
    let client = scripted.client_of(&other);
    assert_eq!(access(&resumed(&client).await).await, ACCESS);
    sleep(1_500).await;
    assert_eq!((count_of(&slow), count_of(&other)), (1, 0));
    let_go(&slow);
    assert_eq!(handed_over(&integration).await, "tokens_already_retrieved");
    sleep(300).await;
    assert_eq!((count_of(&slow), count_of(&other)), (1, 0));
    assert!(found(&client).await.is_none());
}

#[wasm_bindgen_test]
async fn creating_hands_over_what_an_earlier_page_left() {
    let scripted = scripted().await;
    {
        let integration = integration(&scripted.client()).await;
        assert_eq!(access(&integration).await, ACCESS);
    }
    let host = host("take");
    let client = scripted.client_of(&host);
    given(&host, 1).await;
    let handed = get(&get(&get(&host, "calls"), "0"), "tokens");
    let handed = (text(&handed, "accessToken"), text(&handed, "refreshToken"));
    assert_eq!(handed, (ACCESS.into(), REFRESH.into()));
    sleep(300).await;
    let _later = scripted.client_of(&host);
    sleep(500).await;
    assert_eq!(count_of(&host), 1);
    assert!(found(&client).await.is_none());
    assert_eq!(scripted.calls("token").await, 1);
}

#[wasm_bindgen_test]
async fn acknowledging_erases_the_tokens() {
    let scripted = scripted().await;
    let client = scripted.client();
    let integration = integration(&client).await;
    access(&integration).await;
    assert!(found(&client).await.is_some());
    for _ in 0..2 {
        let said = done(integration.acknowledge_tokens(JsValue::UNDEFINED)).await;
        assert!(said.is_undefined());
        assert_eq!(refused(&integration).await, "tokens_already_retrieved");
        assert!(found(&client).await.is_none());
    }
    assert_eq!(scripted.calls("token").await, 1);
    assert_eq!(
        scripted.calls("acknowledge").await,
        0,
        "no relay asked for it"
    );
    assert!(done(client.connection()).await.is_object());
}

#[wasm_bindgen_test]
async fn acknowledging_too_early_costs_nothing() {
    let steps = json!([{"status": 409}, {"body": set()}]);
    let scripted = Scripted::new(json!({"create": created(), "token": steps})).await;
    let integration = integration(&scripted.client()).await;
    done(integration.acknowledge_tokens(JsValue::UNDEFINED)).await;
    assert_eq!(refused(&integration).await, "not_finished");
    done(integration.acknowledge_tokens(JsValue::UNDEFINED)).await;
    assert_eq!(access(&integration).await, ACCESS);
    assert_eq!(scripted.calls("acknowledge").await, 0);
}

#[wasm_bindgen_test]
async fn acknowledging_listens_to_its_signal() {
    let scripted = scripted().await;
    let integration = integration(&scripted.client()).await;
    access(&integration).await;
    let signal = web_sys::AbortSignal::abort();
    let options = with(&json!({}), &[("signal", &signal)]);
    assert_eq!(
        code_of(integration.acknowledge_tokens(options)).await,
        "aborted"
    );
    assert_eq!(access(&resumed(&scripted.client()).await).await, ACCESS);
}

#[wasm_bindgen_test]
async fn a_relay_that_repeats_is_told() {
    let scripted = repeating(json!([{"status": 503}, {"body": {"success": true}}])).await;
    let headers = to_js(&json!({"authorization": "Till 7"}));
    let client = scripted.client_with(&[("headers", &headers)]);
    let integration = integration(&client).await;
    access(&integration).await;
    assert_eq!(scripted.calls("acknowledge").await, 0);
    let error = failed(integration.acknowledge_tokens(JsValue::UNDEFINED)).await;
    let said = (code(&error), text(&error, "operation"));
    assert_eq!(said, ("server_error".into(), "acknowledgeTokens".into()));
    assert_eq!(access(&integration).await, ACCESS, "they stay");
    assert_eq!(access(&resumed(&scripted.client()).await).await, ACCESS);
    done(integration.acknowledge_tokens(JsValue::UNDEFINED)).await;
    assert_eq!(refused(&integration).await, "tokens_already_retrieved");
    assert_eq!(scripted.carried("acknowledge", "of").await, ["itk", "itk"]);
    let proofs = scripted.carried("acknowledge", "authorization").await;
    assert_eq!(proofs, ["Till 7", "Till 7"]);
    done(integration.acknowledge_tokens(JsValue::UNDEFINED)).await;
    assert_eq!(scripted.calls("acknowledge").await, 2);
    assert_eq!(scripted.calls("token").await, 1);
}

#[wasm_bindgen_test]
async fn a_relay_that_repeats_is_told_after_the_host_has_the_tokens() {
    let scripted = repeating(json!([{"status": 503}, {"body": {"success": true}}])).await;
    let host = host("throw,take");
    let integration = integration(&scripted.client_of(&host)).await;
    access(&integration).await;
    given(&host, 1).await;
    assert_eq!(
        scripted.calls("acknowledge").await,
        0,
        "the host has not got them"
    );
    given(&host, 2).await;
    assert_eq!(
        handed_over_late(&integration).await,
        "tokens_already_retrieved"
    );
    assert_eq!(scripted.calls("acknowledge").await, 2);
}

/// The relay's refusal costs another round.
async fn handed_over_late(integration: &pos_connect::bindings::Integration) -> String {
    sleep(3_000).await;
    handed_over(integration).await
}

#[wasm_bindgen_test]
async fn a_host_may_acknowledge_while_it_takes_them() {
    let scripted = scripted().await;
    let host = host("hang");
    let integration = integration(&scripted.client_of(&host)).await;
    access(&integration).await;
    given(&host, 1).await;
    done(integration.acknowledge_tokens(JsValue::UNDEFINED)).await;
    assert_eq!(refused(&integration).await, "tokens_already_retrieved");
    let_go(&host);
    sleep(1_500).await;
    assert_eq!(count_of(&host), 1);
    assert_eq!(refused(&integration).await, "tokens_already_retrieved");
}

#[wasm_bindgen_test]
async fn what_was_acknowledged_meanwhile_is_not_written_back() {
    let scripted = repeating(json!([{"body": {"success": true}}, {"status": 503}])).await;
    let host = host("hang");
    let integration = integration(&scripted.client_of(&host)).await;
    access(&integration).await;
    given(&host, 1).await;
    done(integration.acknowledge_tokens(JsValue::UNDEFINED)).await;
    let_go(&host);
    sleep(500).await;
    assert_eq!(scripted.calls("acknowledge").await, 1);
    assert!(found(&scripted.client()).await.is_none());
}

#[wasm_bindgen_test]
async fn what_was_forgotten_meanwhile_is_not_written_back() {
    let late = json!({"body": {"success": true}, "delayMs": 400});
    let scripted = repeating(json!([late])).await;
    let client = scripted.client();
    let integration = integration(&client).await;
    access(&integration).await;
    let (acknowledging, forgetting) = (
        integration.acknowledge_tokens(JsValue::UNDEFINED),
        client.forget(),
    );
    done(forgetting).await;
    done(acknowledging).await;
    assert_eq!(scripted.kept().await, (0, false));
}

#[wasm_bindgen_test]
async fn what_a_relay_holds_is_handed_over_by_no_later_page_either() {
    let held = json!({"body": {"success": true, "held": true, "ereceipt": true}});
    let scripted = Scripted::new(json!({"create": created(), "token": [held]})).await;
    let integration = integration(&scripted.client()).await;
    // The answer is kept; the page dies before it can note what it says.
    let dying = refuse_writes(3, "throw");
    done(integration.fetch_tokens(JsValue::UNDEFINED)).await;
    sleep(300).await;
    restore(&dying);
    assert!(count_of(&dying) >= 3);
    let host = host("take");
    let later = scripted.client_of(&host);
    assert!(found(&later).await.is_some());
    sleep(500).await;
    assert_eq!(count_of(&host), 0);
}
