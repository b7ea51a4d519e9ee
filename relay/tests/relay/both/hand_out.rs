//! `--hand-out`: the till gets the tokens, the same ones until it says that it has them.

use crate::proxy::Fault;
use crate::rig::{Rig, settings, text};
use crate::world::{TOKEN, until};
use pos_connect_protocol::path;
use pos_connect_relay::Settings;
use std::time::Duration;

fn handing_out() -> Settings {
    Settings {
        hand_out: true,
        ..settings()
    }
}

async fn rig() -> Rig {
    Rig::with(handing_out(), crate::rig::patience()).await
}

#[tokio::test]
async fn the_same_answer_is_repeated_until_it_is_acknowledged() {
    let rig = rig().await;
    let token = rig.finished().await;
    let early = rig.ask(&rig.till, "DELETE", TOKEN, &token).await;
    assert_eq!(
        (early.status, early.code().as_str()),
        (409, "tokens_not_retrieved")
    );
    rig.proxy.faults(TOKEN, vec![Fault::DropAfter]);
    let first = rig.tokens(&token).await;
    let body = first.json();
    assert_eq!(
        (&body["acknowledge"], &body["success"]),
        (&true.into(), &true.into())
    );
    assert_eq!(body.get("held"), None);
    let access = text(&first, "accessToken");
    assert!(access.starts_with("pca_") && text(&first, "refreshToken").starts_with("pcr_"));
    let account = crate::http::Call::new("GET", path::ACCOUNT)
        .header("Authorization", format!("Bearer {access}"));
    assert_eq!(account.send(rig.service.address).await.status, 200);
    for _ in 0..3 {
        assert_eq!(rig.tokens(&token).await.body, first.body);
    }
    let rig = rig.restart(settings()).await;
    assert_eq!(
        rig.tokens(&token).await.body,
        first.body,
        "also by a relay that keeps them otherwise"
    );
    for _ in 0..2 {
        let acknowledged = rig.ask(&rig.till, "DELETE", TOKEN, &token).await;
        assert_eq!((acknowledged.status, acknowledged.body.as_str()), (204, ""));
        let gone = rig.tokens(&token).await;
        assert_eq!(
            (gone.status, gone.code().as_str()),
            (410, "tokens_already_retrieved")
        );
    }
    assert_eq!(rig.given(), 1);
}

#[tokio::test]
async fn only_the_till_that_connected_gets_them() {
    let rig = rig().await;
    let token = rig.finished().await;
    assert_eq!(rig.tokens(&token).await.status, 200);
    for method in ["GET", "DELETE"] {
        let neighbor = rig.ask(&rig.neighbor, method, TOKEN, &token).await;
        assert_eq!(
            (neighbor.status, neighbor.code().as_str()),
            (403, "invalid_integration")
        );
    }
    let connection = rig.connection(&rig.neighbor).await;
    assert_eq!(connection.json()["ereceipt"], true);
    assert!(!connection.body.contains("oken"));
    assert_eq!(rig.tokens(&token).await.status, 200);
}

#[tokio::test]
async fn the_relay_neither_uses_nor_refreshes_what_it_handed_out() {
    let keen = Settings {
        tend_every: Duration::from_millis(50),
        ..handing_out()
    };
    let rig = Rig::with(keen, crate::rig::patience()).await;
    let token = rig.connected().await;
    let refused = rig.order().await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (409, "tokens_handed_out")
    );
    rig.service.pass(Duration::from_secs(3600));
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(
        rig.proxy.seen("POST", path::TOKEN).is_empty(),
        "a refresh would take them from the till"
    );
    rig.ask(&rig.till, "DELETE", TOKEN, &token).await;
    assert_eq!(rig.order().await.code(), "tokens_handed_out");
    assert_eq!(rig.connection(&rig.till).await.json()["connected"], true);
}

#[tokio::test]
async fn an_acknowledgement_where_the_relay_keeps_them_changes_nothing() {
    let rig = Rig::new().await;
    let token = rig.connected().await;
    assert_eq!(
        rig.ask(&rig.till, "DELETE", TOKEN, &token).await.status,
        204
    );
    assert_eq!(rig.tokens(&token).await.json()["held"], true);
    rig.proxy
        .faults("/v1/orders", vec![Fault::Instead(200, "", "{}".into())]);
    assert_eq!(rig.order().await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_disconnect_no_token_is_handed_out_and_all_are_revoked() {
    let keen = Settings {
        tend_every: Duration::from_millis(100),
        ..handing_out()
    };
    let rig = Rig::with(keen, crate::rig::patience()).await;
    let token = rig.finished().await;
    let handed = rig.tokens(&token).await;
    let access = text(&handed, "accessToken");
    rig.proxy.faults(path::REVOKE, vec![Fault::DropBefore; 4]);
    let call = rig.call(&rig.neighbor, "DELETE", "/connection");
    assert_eq!(call.send(rig.address).await.status, 202);
    assert_eq!(rig.tokens(&token).await.code(), "connection_ended");
    rig.ask(&rig.till, "DELETE", TOKEN, &token).await;
    until(async || {
        let call = rig.call(&access, "GET", path::ACCOUNT);
        call.send(rig.service.address).await.status == 401
    })
    .await;
}

#[tokio::test]
async fn what_a_till_has_the_relay_cannot_revoke_and_says_so() {
    let rig = rig().await;
    let token = rig.finished().await;
    assert_eq!(rig.tokens(&token).await.status, 200);
    assert_eq!(
        rig.ask(&rig.till, "DELETE", TOKEN, &token).await.status,
        204
    );
    let call = rig.call(&rig.till, "DELETE", "/connection");
    assert_eq!(call.send(rig.address).await.code(), "tokens_handed_out");
}
