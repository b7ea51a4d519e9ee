//! The document is served, and has every word.

use crate::http::Call;
use crate::rig::Rig;
use pos_connect_relay::http::openapi;

#[tokio::test]
async fn the_document_and_its_page_are_served() {
    let rig = Rig::new().await;
    let answer = Call::new("GET", "/openapi.json").send(rig.address).await;
    assert_eq!((answer.status, answer.json()), (200, openapi::value()));
    let page = Call::new("GET", "/reference").send(rig.address).await;
    for (path, methods) in openapi::value()["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let id = operation["operationId"].as_str().unwrap();
            assert!(page.body.contains(&format!("id=\"{id}\"")));
            let path = path.replace("{externalId}", "A-1").replace("{id}", "a1");
            let answer = Call::new(&method.to_uppercase(), path)
                .send(rig.address)
                .await;
            assert!(
                ![404, 405].contains(&answer.status),
                "{id}: {}",
                answer.status
            );
        }
    }
}

/// A till finds each word that the relay itself says.
#[test]
fn every_code_of_the_relays_is_in_it() {
    let document = openapi::value()["paths"].to_string();
    for code in pos_connect_protocol::relay::RelayProblemCode::ALL {
        let word = serde_json::json!(code.as_str()).to_string();
        assert!(document.contains(&word), "{word}");
    }
}
