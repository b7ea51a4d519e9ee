//! Scopes of admin keys, and the document that names them.

use super::Office;
use crate::http::Call;
use crate::openapi::ADMIN;
use pos_connect_protocol::admin::Scope;
use pos_connect_service::{admin, admin_key};
use serde_json::Value;
use std::collections::BTreeSet;

/// Method and path of every route, as the document has them.
fn documented() -> BTreeSet<(String, String)> {
    let paths = ADMIN.document["paths"].as_object().unwrap();
    let calls = paths.iter().flat_map(|(path, methods)| {
        let methods = methods.as_object().unwrap().keys();
        methods.map(move |method| (method.clone(), path.clone()))
    });
    calls
        .filter(|(_, path)| path.starts_with("/admin/"))
        .collect()
}

#[test]
fn the_document_has_every_route_and_no_other() {
    let served = admin::routes().map(|(method, path)| (method.to_owned(), path.to_owned()));
    assert_eq!(documented(), served.collect());
}

/// No scope stands for another, and none makes keys: so a stolen key gets no more than it has.
#[tokio::test]
async fn each_route_needs_one_scope_and_no_other_does() {
    let office = Office::with(&[]).await;
    let (store, act) = (&office.world.service.store, office.world.operator());
    let mut let_in = Vec::new();
    for scope in Scope::ALL {
        let (_, key) = admin_key::add(store, "one", &[*scope], act).await.unwrap();
        for (method, path) in documented() {
            assert!(!path.contains("key"), "{path}");
            let target = path.replace("{clientId}", "x").replace("{id}", "x");
            let call = Call::new(&method.to_uppercase(), target);
            let call = call.header("Authorization", format!("Bearer {key}"));
            let answer = call.send(office.address).await;
            if answer.status == 403 {
                assert_eq!(answer.code(), "insufficient_scope");
                let rule = answer.json()["rule"].as_str().unwrap().to_owned();
                assert_ne!(rule, format!("the scope {}", scope.as_str()));
                continue;
            }
            assert_eq!(method == "get", scope.as_str().ends_with(":read"), "{path}");
            let_in.push((method, path));
        }
    }
    let_in.sort();
    assert_eq!(let_in, Vec::from_iter(documented()), "each once");
    assert_eq!(
        office.refused("GET", "/vendors", Value::Null).await,
        (403, "insufficient_scope".into())
    );
}
