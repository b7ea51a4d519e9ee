//! The hand-over while the host takes its time, and what else happens meanwhile.

use crate::support::*;

const ACCESS: &str = "access-4c1d9e";
const REFRESH: &str = "refresh-77ab02";

fn set() -> Value {
    json!({
        "success": true, "accessToken": ACCESS, "refreshToken": REFRESH, "expiration": "2026-11-21T10:30:00Z",
        "ereceipt": true, "account": {"id": "1", "name": "Bakery"},
    })
}

fn scripted() -> Service {
    let steps = json!([{"body": set()}, gone()]);
    Service::scripted(json!({"create": created(), "token": steps}))
}

/// A relay that repeats the tokens until they are acknowledged.
fn repeating(acknowledge: Value) -> Service {
    let mut body = set();
    body["acknowledge"] = true.into();
    let steps = json!({"create": created(), "token": [{"body": body}], "acknowledge": acknowledge});
    Service::scripted(steps)
}

fn is_silent_about_tokens(heard: &str) -> bool {
    [ACCESS, REFRESH, "itk"]
        .iter()
        .all(|secret| !heard.contains(secret))
}

#[wasm_bindgen_test]
async fn a_host_that_never_answers_is_given_the_tokens_again() {
    let scripted = scripted();
    let host = host("hang,take");
    let ears = overhear();
    let integration = integration(&scripted.client_of(&host)).await;
    assert_eq!(access(&integration).await, ACCESS);
    given(&host, 1).await;
    let began = now();
    sleep_until(began + 30_999.0).await;
    assert_eq!(count_of(&host), 1);
    // After the 30 s it rests for one.
    sleep(1).await;
    given(&host, 2).await;
    assert_eq!(now() - began, 31_000.0);
    restore(&ears);
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
    let scripted = scripted();
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
async fn connect_hands_over_too() {
    let steps =
        json!({"create": created(), "status": status(&["finished"]), "token": [{"body": set()}]});
    let scripted = Service::scripted(steps);
    let host = host("take");
    let client = scripted.client_of(&host);
    let set = done(client.connect(JsValue::UNDEFINED)).await;
    assert_eq!(text(&set, "accessToken"), ACCESS);
    given(&host, 1).await;
    nothing_is_left(&scripted.client()).await;
}

#[wasm_bindgen_test]
async fn acknowledging_too_early_costs_nothing() {
    let steps = json!([{"status": 409}, {"body": set()}]);
    let scripted = Service::scripted(json!({"create": created(), "token": steps}));
    let integration = integration(&scripted.client()).await;
    done(integration.acknowledge_tokens(JsValue::UNDEFINED)).await;
    assert_eq!(refused(&integration).await, "not_finished");
    done(integration.acknowledge_tokens(JsValue::UNDEFINED)).await;
    assert_eq!(access(&integration).await, ACCESS);
    assert_eq!(scripted.calls("acknowledge"), 0);
}

#[wasm_bindgen_test]
async fn acknowledging_listens_to_its_signal() {
    let scripted = scripted();
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
async fn a_relay_that_repeats_is_told_after_the_host_has_the_tokens() {
    let scripted = repeating(json!([{"status": 503}, {"body": {"success": true}}]));
    let host = host("throw,take");
    let integration = integration(&scripted.client_of(&host)).await;
    access(&integration).await;
    given(&host, 1).await;
    assert_eq!(
        scripted.calls("acknowledge"),
        0,
        "the host has not got them"
    );
    given(&host, 2).await;
    assert_eq!(handed_over(&integration).await, "tokens_already_retrieved");
    assert_eq!(scripted.calls("acknowledge"), 2);
}

#[wasm_bindgen_test]
async fn a_host_may_acknowledge_while_it_takes_them() {
    let scripted = scripted();
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
    let scripted = repeating(json!([{"body": {"success": true}}, {"status": 503}]));
    let host = host("hang");
    let integration = integration(&scripted.client_of(&host)).await;
    access(&integration).await;
    given(&host, 1).await;
    done(integration.acknowledge_tokens(JsValue::UNDEFINED)).await;
    let_go(&host);
    sleep(500).await;
    assert_eq!(scripted.calls("acknowledge"), 1);
    assert!(found(&scripted.client()).await.is_none());
}

#[wasm_bindgen_test]
async fn what_was_forgotten_meanwhile_is_not_written_back() {
    let late = json!({"body": {"success": true}, "delayMs": 400});
    let scripted = repeating(json!([late]));
    let client = scripted.client();
    let integration = integration(&client).await;
    access(&integration).await;
    let (acknowledging, forgetting) = (
        integration.acknowledge_tokens(JsValue::UNDEFINED),
        client.forget(),
    );
    done(forgetting).await;
    done(acknowledging).await;
    assert_eq!(scripted.entries().await, (0, false));
}

#[wasm_bindgen_test]
async fn what_a_relay_holds_is_handed_over_by_no_later_page_either() {
    let held = json!({"body": {"success": true, "held": true, "ereceipt": true}});
    let scripted = Service::scripted(json!({"create": created(), "token": [held]}));
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
