//! A storage that misbehaves, and what lies in one that does not.

use crate::support::*;

fn scripted(steps: Value) -> Service {
    Service::scripted(json!({"create": created(), "token": steps}))
}

#[wasm_bindgen_test]
async fn no_token_lies_there_readable() {
    let (access_token, refresh) = ("access-91f3ab77", "refresh-5d20ce14");
    let create = json!([
        {"body": {"success": true, "integrationToken": "integration-60ab1", "pickup": true, "code": "4821"}}
    ]);
    let answer = json!([
        {"body": {"success": true, "accessToken": access_token, "refreshToken": refresh, "ereceipt": true}}
    ]);
    let scripted = Service::scripted(json!({"create": create, "token": answer}));
    let client = scripted.client();
    assert_eq!(access(&integration(&client).await).await, access_token);
    integration(&client).await;
    assert_eq!(scripted.entries().await, (2, true));
    let ids = scripted.carried("token", "/query/pickup_id");
    let pickup_id = ids[0].as_str().unwrap();
    let secrets = [
        access_token,
        refresh,
        "integration-60ab1",
        pickup_id,
        "hunter2",
    ];
    let kept = async || dump().await.as_string().unwrap();
    let before = kept().await;
    for secret in secrets {
        assert!(!before.contains(secret));
        plant("planted", secret).await;
        assert!(kept().await.contains(secret), "the search finds nothing");
        uproot("planted").await;
    }
    let said = exported_key().await;
    assert_eq!(
        said,
        "CryptoKey AES-GCM 256 InvalidAccessError InvalidAccessError"
    );
}

#[wasm_bindgen_test]
async fn a_damaged_entry_is_asked_for_again() {
    for (answer, expected) in [(tokens(), "acc"), (gone(), "tokens_lost")] {
        let scripted = scripted(json!([answer]));
        let client = scripted.client();
        let integration = integration(&client).await;
        assert_eq!(corrupt(&scripted.base_url()).await, 1);
        assert!(
            found(&client).await.is_none(),
            "nothing can be read from it"
        );
        match expected {
            "acc" => assert_eq!(access(&integration).await, expected),
            _ => assert_eq!(refused(&integration).await, expected),
        }
        assert_eq!(scripted.calls("token"), 1);
    }
}

#[wasm_bindgen_test]
async fn damaged_entries_do_not_hide_the_others() {
    let scripted = scripted(json!([tokens(), gone()]));
    let client = scripted.client();
    let damaged = integration(&client).await;
    assert_eq!(corrupt(&scripted.base_url()).await, 1);
    let whole = integration(&client).await;
    assert_eq!(access(&whole).await, "acc");
    let later = scripted.client();
    assert_eq!(access(&resumed(&later).await).await, "acc");
    done(resumed(&later).await.acknowledge_tokens(JsValue::UNDEFINED)).await;
    assert!(found(&later).await.is_none());
    assert_eq!(refused(&damaged).await, "tokens_lost");
}

#[wasm_bindgen_test]
async fn an_entry_that_the_browser_took_away_is_written_anew() {
    for (answer, expected) in [(tokens(), "acc"), (gone(), "tokens_already_retrieved")] {
        let scripted = scripted(json!([answer]));
        let integration = integration(&scripted.client()).await;
        assert_eq!(evict(&scripted.base_url()).await, 1);
        match expected {
            "acc" => assert_eq!(access(&integration).await, expected),
            _ => assert_eq!(refused(&integration).await, expected),
        }
        assert_eq!(scripted.entries().await.0, 1);
    }
}

#[wasm_bindgen_test]
async fn no_room_for_an_integration() {
    for how in ["throw", "abort"] {
        let scripted = scripted(json!([tokens()]));
        let client = scripted.client();
        let full = refuse_writes(1, how);
        let error = failed(client.create_integration(JsValue::UNDEFINED)).await;
        restore(&full);
        let said = (
            code(&error),
            text(&error, "operation"),
            get(&error, "retryable"),
        );
        assert_eq!(
            said,
            (
                "vault_failed".into(),
                "createIntegration".into(),
                JsValue::TRUE
            )
        );
        assert!(count_of(&full) > 0);
        assert_eq!(scripted.entries().await.0, 0);
        assert_eq!(access(&integration(&client).await).await, "acc");
    }
}

#[wasm_bindgen_test]
async fn no_room_for_the_intent_means_no_request() {
    for how in ["throw", "abort"] {
        let scripted = scripted(json!([tokens()]));
        let integration = integration(&scripted.client()).await;
        let full = refuse_writes(1, how);
        let error = failed(integration.fetch_tokens(JsValue::UNDEFINED)).await;
        restore(&full);
        let said = (code(&error), text(&error, "operation"));
        assert_eq!(said, ("vault_failed".into(), "fetchTokens".into()));
        assert_eq!(scripted.calls("token"), 0);
        assert_eq!(access(&integration).await, "acc");
        assert_eq!(scripted.calls("token"), 1);
    }
}

#[wasm_bindgen_test]
async fn no_room_for_the_answer_costs_only_its_survival() {
    for how in ["throw", "abort"] {
        let scripted = scripted(json!([tokens(), gone()]));
        let integration = integration(&scripted.client()).await;
        let (ears, full) = (overhear(), refuse_writes(2, how));
        let set = done(integration.fetch_tokens(JsValue::UNDEFINED)).await;
        restore(&full);
        restore(&ears);
        assert!(count_of(&full) > 1);
        assert_eq!(text(&set, "accessToken"), "acc");
        let heard = heard(&ears);
        assert!(heard.contains("will not survive"), "{heard}");
        assert!(heard.contains("vault_failed"), "{heard}");
        assert!(!heard.contains("accessToken") && !heard.contains("itk"));
        assert_eq!(
            done(integration.fetch_tokens(JsValue::UNDEFINED)).await,
            set
        );
        // Until then nobody else may ask: whatever is reissued is revoked here.
        integration.destroy();
        let later = resumed(&scripted.client()).await;
        assert_eq!(refused(&later).await, "tokens_lost", "the doubt survived");
    }
}

/// The host that takes the tokens is the better vault.
#[wasm_bindgen_test]
async fn no_room_for_the_answer_and_a_host_that_takes_it() {
    let scripted = scripted(json!([tokens(), gone()]));
    let host = host("take");
    let integration = integration(&scripted.client_of(&host)).await;
    let (ears, full) = (overhear(), refuse_writes(2, "throw"));
    access(&integration).await;
    sleep(500).await;
    restore(&full);
    restore(&ears);
    given(&host, 1).await;
}

#[wasm_bindgen_test]
async fn no_room_for_an_answer_that_was_forgotten_on_its_way() {
    let scripted = scripted(json!([with_delay(tokens(), 400), gone()]));
    let client = scripted.client();
    let integration = integration(&client).await;
    let (ears, full) = (overhear(), refuse_writes(2, "throw"));
    let fetching = integration.fetch_tokens(JsValue::UNDEFINED);
    sleep(100).await;
    done(client.forget()).await;
    assert_eq!(text(&done(fetching).await, "accessToken"), "acc");
    restore(&full);
    let heard = heard(&ears);
    restore(&ears);
    assert!(heard.contains("will not survive"), "{heard}");
    assert_eq!(scripted.entries().await, (0, false));
}

#[wasm_bindgen_test]
async fn a_browser_that_refuses_the_storage() {
    for how in ["throw", "error"] {
        let scripted = scripted(json!([tokens()]));
        let client = scripted.client();
        let integration = integration(&client).await;
        let refusal = shut(how);
        for (call, operation) in [
            (
                client.create_integration(JsValue::UNDEFINED),
                "createIntegration",
            ),
            (client.resume(JsValue::UNDEFINED), "resume"),
            (client.connection(), "connection"),
            (client.forget(), "forget"),
            (integration.fetch_tokens(JsValue::UNDEFINED), "fetchTokens"),
            (
                integration.acknowledge_tokens(JsValue::UNDEFINED),
                "acknowledgeTokens",
            ),
        ] {
            let error = failed(call).await;
            let said = (code(&error), text(&error, "operation"));
            assert_eq!(said, ("vault_failed".into(), operation.into()));
        }
        restore(&refusal);
        let calls = (scripted.calls("create"), scripted.calls("token"));
        assert_eq!(calls, (1, 0));
        assert_eq!(access(&integration).await, "acc");
        done(client.create_integration(JsValue::UNDEFINED)).await;
    }
}

#[wasm_bindgen_test]
async fn a_storage_that_never_answers() {
    let scripted = scripted(json!([tokens()]));
    let client = scripted.client();
    done(client.connection()).await;
    let blocked = block().await;
    let began = now();
    let error = failed(client.create_integration(JsValue::UNDEFINED)).await;
    assert_eq!(now() - began, 10_000.0);
    assert_eq!(code(&error), "vault_failed");
    assert_eq!(scripted.calls("create"), 0);
    restore(&blocked);
    assert_eq!(access(&integration(&client).await).await, "acc");
}

#[wasm_bindgen_test]
async fn another_page_upgrades_the_storage() {
    let scripted = scripted(json!([tokens(), gone()]));
    let client = scripted.client();
    let integration = integration(&client).await;
    // Fails if the SDK's connection is in the way.
    let upgraded = upgrade().await;
    assert_eq!(access(&integration).await, "acc");
    assert_eq!(access(&resumed(&scripted.client()).await).await, "acc");
    restore(&upgraded);
    assert_eq!(access(&resumed(&scripted.client()).await).await, "acc");
    assert_eq!(scripted.calls("token"), 1);
    done(integration.acknowledge_tokens(JsValue::UNDEFINED)).await;
    assert!(found(&client).await.is_none());
}

#[wasm_bindgen_test]
async fn a_connection_that_the_browser_closes() {
    let scripted = scripted(json!([tokens(), gone()]));
    let client = scripted.client();
    let lost = close_underneath();
    let integration = integration(&client).await;
    restore(&lost);
    assert!(count_of(&lost) > 1);
    let lost = close_underneath();
    assert_eq!(access(&integration).await, "acc");
    restore(&lost);
    assert_eq!(access(&resumed(&scripted.client()).await).await, "acc");
    assert_eq!(scripted.calls("token"), 1);
}
