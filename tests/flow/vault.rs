//! The pick-up as the vault wants it: once in all pages, its doubts kept, its answer kept before anybody sees it.

use crate::support::*;
use pos_connect::PosConnect;

fn scripted(steps: Value) -> Service {
    Service::scripted(json!({"create": created(), "token": steps}))
}

/// Tried four times without an answer, which the page does not survive.
async fn unanswered(client: &PosConnect) {
    let began = now();
    assert_eq!(refused(&integration(client).await).await, "network");
    assert_eq!(now() - began, 1_000.0 + 2_000.0 + 4_000.0);
}

#[wasm_bindgen_test]
async fn ten_pages_send_one_request() {
    let scripted = scripted(json!([with_delay(tokens(), 300), gone()]));
    drop(integration(&scripted.client()).await);
    let mut pages = Vec::new();
    for _ in 0..10 {
        let client = scripted.client();
        pages.push((resumed(&client).await, client));
    }
    let calls: Vec<_> = pages
        .iter()
        .map(|(integration, _)| integration.fetch_tokens(JsValue::UNDEFINED))
        .collect();
    for call in calls {
        assert_eq!(text(&done(call).await, "accessToken"), "acc");
    }
    assert_eq!(scripted.calls("token"), 1);
}

#[wasm_bindgen_test]
async fn a_page_that_goes_in_the_midst_of_it_costs_nobody_the_tokens() {
    let scripted = scripted(json!([with_delay(tokens(), 500), gone()]));
    let first = scripted.client();
    let going = integration(&first).await;
    let later = scripted.client();
    let integration = resumed(&later).await;
    let lost = going.fetch_tokens(JsValue::UNDEFINED);
    sleep(200).await;
    assert_eq!(scripted.calls("token"), 1);
    let call = integration.fetch_tokens(JsValue::UNDEFINED);
    first.destroy();
    drop((going, first, lost));
    assert_eq!(text(&done(call).await, "accessToken"), "acc");
    assert_eq!(scripted.calls("token"), 1);
}

#[wasm_bindgen_test]
async fn doubt_outlives_the_page() {
    let scripted = scripted(json!([silent(), silent(), silent(), silent(), gone()]));
    unanswered(&scripted.client()).await;
    let client = scripted.client();
    let integration = resumed(&client).await;
    assert_eq!(refused(&integration).await, "tokens_lost");
    assert_eq!(scripted.calls("token"), 5);
    assert_eq!(refused(&integration).await, "tokens_lost");
    assert!(found(&client).await.is_none(), "nothing is to be had");
    assert_eq!(scripted.calls("token"), 5);
}

#[wasm_bindgen_test]
async fn what_was_in_doubt_may_still_come() {
    let scripted = scripted(json!([silent(), silent(), silent(), silent(), tokens()]));
    unanswered(&scripted.client()).await;
    assert_eq!(access(&resumed(&scripted.client()).await).await, "acc");
    assert_eq!(scripted.calls("token"), 5);
}

#[wasm_bindgen_test]
async fn a_refusal_leaves_no_doubt() {
    let early = json!({"status": 409, "body": {"code": "integration_pending"}});
    for refusal in [early, json!({"status": 401}), json!({"status": 429})] {
        let scripted = scripted(json!([refusal, gone()]));
        let said = refused(&integration(&scripted.client()).await).await;
        assert!(["not_finished", "unauthorized", "rate_limited"].contains(&said.as_str()));
        let later = resumed(&scripted.client()).await;
        assert_eq!(refused(&later).await, "tokens_already_retrieved", "{said}");
    }
}

/// What is asked for after a doubt cannot settle it: the answer that was lost may be the one that took the tokens.
#[wasm_bindgen_test]
async fn a_refusal_does_not_settle_an_older_doubt() {
    let steps = json!([silent(), {"status": 429}, gone()]);
    let scripted = scripted(steps);
    let said = refused(&integration(&scripted.client()).await).await;
    assert_eq!(said, "rate_limited");
    let later = resumed(&scripted.client()).await;
    assert_eq!(refused(&later).await, "tokens_lost");
}

#[wasm_bindgen_test]
async fn a_cut_answer_is_asked_for_again_and_not_kept() {
    let body = tokens()["body"].to_string();
    let half = json!({"text": body[..body.len() / 2]});
    let cut = json!({"fault": "cut", "body": tokens()["body"]});
    for cut in [half, cut] {
        let scripted = scripted(json!([cut, cut, cut, cut, tokens(), gone()]));
        let said = refused(&integration(&scripted.client()).await).await;
        assert!(["protocol", "network"].contains(&said.as_str()), "{said}");
        assert_eq!(access(&resumed(&scripted.client()).await).await, "acc");
        assert_eq!(access(&resumed(&scripted.client()).await).await, "acc");
        assert_eq!(scripted.calls("token"), 5);
    }
}

#[wasm_bindgen_test]
async fn a_set_that_the_relay_holds_is_there_for_all_pages() {
    let host = host("take");
    let held = json!({"body": {
        "success": true, "held": true, "expiration": 1_795_257_000, "ereceipt": true,
        "account": {"id": "1", "name": "Bakery"}
    }});
    let scripted = scripted(json!([held, gone()]));
    let first = scripted.client_of(&host);
    let integration = integration(&first).await;
    let second = scripted.client();
    let other = resumed(&second).await;
    let set = done(integration.fetch_tokens(JsValue::UNDEFINED)).await;
    assert_eq!(get(&set, "held"), JsValue::TRUE);
    let again = done(other.fetch_tokens(JsValue::UNDEFINED)).await;
    assert_eq!(to_value(&again), to_value(&set));
    assert_eq!(scripted.calls("token"), 1);
    for page in [&first, &second, &scripted.client_of(&host)] {
        assert!(found(page).await.is_none(), "nothing to hand over");
        let expected = json!({
            "expiration": "2026-11-21T10:30:00.000Z", "ereceipt": true, "account": {"id": "1", "name": "Bakery"}
        });
        assert_eq!(to_value(&done(page.connection()).await), expected);
    }
    sleep(300).await;
    assert_eq!(count_of(&host), 0);
}

#[wasm_bindgen_test]
async fn forgetting_is_for_one_account() {
    let steps = json!([tokens(), tokens(), gone()]);
    let scripted = scripted(steps);
    let other = scripted.client_with(&[("clientId", &"till-2".into())]);
    let own = scripted.client();
    for client in [&own, &other] {
        access(&integration(client).await).await;
    }
    integration(&own).await;
    assert_eq!(scripted.entries().await, (3, true));
    done(own.forget()).await;
    for page in [&own, &scripted.client()] {
        assert_eq!(done(page.connection()).await, JsValue::NULL);
        assert!(found(page).await.is_none());
    }
    assert_eq!(scripted.entries().await, (1, true));
    assert_eq!(access(&resumed(&other).await).await, "acc");
    assert!(done(other.connection()).await.is_object());
    assert_eq!(scripted.calls("token"), 2);
}
