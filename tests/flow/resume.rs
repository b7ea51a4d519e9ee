//! What a later page finds.

use crate::support::*;

const YEAR_MS: f64 = 365.0 * 24.0 * 3_600_000.0;

/// Integrations named itk1, itk2, …
fn numbered(count: usize) -> Value {
    (1..=count)
        .map(|number| {
            let token = format!("itk{number}");
            json!({"body": {"success": true, "integrationToken": token, "interval": 1, "code": "4821"}})
        })
        .collect()
}

#[wasm_bindgen_test]
async fn nothing_to_resume_is_null() {
    let scripted = Service::scripted(json!({"create": created()}));
    assert!(found(&scripted.client()).await.is_none());
    let client = scripted.client();
    let aborted = web_sys::AbortSignal::abort();
    let options = with(&json!({}), &[("signal", &aborted)]);
    let error = failed(client.resume(options)).await;
    let said = (code(&error), text(&error, "operation"));
    assert_eq!(said, ("aborted".into(), "resume".into()));
    client.destroy();
    assert_eq!(
        code_of(client.resume(JsValue::UNDEFINED)).await,
        "destroyed"
    );
}

#[wasm_bindgen_test]
async fn what_is_cancelled_is_gone() {
    let refusal = json!({"status": 409, "body": {"code": "integration_cancelled"}});
    let steps = json!({
        "create": created(), "status": status(&["cancelled"]), "cancel": [{"body": {"success": true}}],
        "token": [refusal]
    });
    for way in 0..3 {
        let scripted = Service::scripted(steps.clone());
        let client = scripted.client();
        let integration = integration(&client).await;
        assert!(found(&client).await.is_some());
        match way {
            0 => drop(done(integration.cancel(JsValue::UNDEFINED)).await),
            1 => assert_eq!(
                done(integration.wait_until_done(JsValue::UNDEFINED)).await,
                "cancelled"
            ),
            _ => assert_eq!(refused(&integration).await, "integration_cancelled"),
        }
        for page in [&client, &scripted.client()] {
            nothing_is_left(page).await;
        }
    }
}

#[wasm_bindgen_test]
async fn tokens_come_first_then_doubts_then_the_newest() {
    let steps = json!({"create": numbered(4), "token": [tokens(), silent(), silent(), silent(), silent(), gone()]});
    let scripted = Service::scripted(steps);
    {
        let client = scripted.client();
        access(&integration(&client).await).await;
        assert_eq!(refused(&integration(&client).await).await, "network");
        for _ in 0..2 {
            sleep(20).await;
            integration(&client).await;
        }
    }
    let client = scripted.client();
    let first = resumed(&client).await;
    assert_eq!(token(&first), "itk1");
    done(first.acknowledge_tokens(JsValue::UNDEFINED)).await;
    let second = resumed(&client).await;
    assert_eq!(token(&second), "itk2");
    assert_eq!(refused(&second).await, "tokens_lost");
    assert_eq!(token(&resumed(&client).await), "itk4");
    assert_eq!(token(&resumed(&scripted.client()).await), "itk4");
}

#[wasm_bindgen_test]
async fn its_own_comes_before_the_newer_one_of_another_tab() {
    let scripted = Service::scripted(json!({"create": numbered(2)}));
    let (client, other) = (scripted.client(), scripted.client());
    drop(integration(&client).await);
    sleep(20).await;
    drop(integration(&other).await);
    for (client, own) in [(&client, "itk1"), (&other, "itk2")] {
        assert_eq!(token(&resumed(client).await), own);
    }
}

#[wasm_bindgen_test]
async fn no_jump_of_the_clock_costs_tokens() {
    for jump in [YEAR_MS, -YEAR_MS] {
        let token_steps = json!([silent(), silent(), silent(), silent(), tokens(), gone()]);
        let scripted = Service::scripted(json!({"create": numbered(3), "token": token_steps}));
        let record = {
            let client = scripted.client();
            integration(&client).await;
            assert_eq!(refused(&integration(&client).await).await, "network");
            access(&integration(&client).await).await;
            to_value(&done(client.connection()).await)
        };
        assert_eq!(record["ereceipt"], true);
        assert_eq!(scripted.entries().await, (3, true));
        shift_wall(jump);
        let client = scripted.client();
        let undelivered = resumed(&client).await;
        assert_eq!(token(&undelivered), "itk3");
        assert_eq!(scripted.entries().await, (2, true), "nobody waits so long");
        assert_eq!(to_value(&done(client.connection()).await), record);
        assert_eq!(access(&undelivered).await, "acc");
        done(undelivered.acknowledge_tokens(JsValue::UNDEFINED)).await;
        let in_the_air = resumed(&scripted.client()).await;
        assert_eq!(token(&in_the_air), "itk2");
        assert_eq!(refused(&in_the_air).await, "tokens_lost");
        assert!(found(&client).await.is_none());
        shift_wall(-jump);
        assert_eq!(
            scripted.entries().await,
            (0, true),
            "what is over is purged, too"
        );
    }
}

/// The page that found out died before it could say so.
#[wasm_bindgen_test]
async fn a_loss_is_told_by_the_next_page() {
    let scripted = Service::scripted(json!({"create": created(), "token": [gone()]}));
    {
        let integration = integration(&scripted.client()).await;
        // After the intent and the outcome.
        let dying = refuse_writes(3, "throw");
        assert_eq!(refused(&integration).await, "tokens_already_retrieved");
        done(scripted.client().connection()).await;
        restore(&dying);
    }
    let client = scripted.client();
    assert_eq!(
        refused(&resumed(&client).await).await,
        "tokens_already_retrieved"
    );
    assert!(found(&client).await.is_none());
    assert_eq!(scripted.calls("token"), 1);
}
