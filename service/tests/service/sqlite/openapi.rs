//! The document is served, whole, and what departs from it is noticed.

use crate::http::{Answer, Call};
use crate::openapi::SERVICE;
use crate::tokens::form;
use crate::world::{REFRESH, REVOKE, World};
use pos_connect_service::http::openapi;
use pos_connect_service::token::Kind;
use serde_json::json;
use std::collections::BTreeSet;

#[tokio::test]
async fn an_answer_that_the_document_does_not_have_is_noticed() {
    let world = World::new().await;
    let answer = world.call("POST", "/v1/auth/integration", "").await;
    let held = |change: &dyn Fn(&mut Answer)| {
        let mut changed = answer.clone();
        change(&mut changed);
        SERVICE.held("POST", "/v1/auth/integration?client_id=x", &changed)
    };
    assert_eq!(held(&|_| {}), Ok(()));
    for (change, why) in [
        (&|answer: &mut Answer| answer.status = 418, "a status"),
        (
            &|answer: &mut Answer| answer.body = r#"{"success":true}"#.into(),
            "required",
        ),
        (
            &|answer: &mut Answer| answer.headers.retain(|(name, _)| name != "content-type"),
            "a media type",
        ),
    ] as [(&dyn Fn(&mut Answer), &str); 3]
    {
        let noticed = held(change).unwrap_err();
        assert!(noticed.contains(why), "{noticed}");
    }
    assert!(SERVICE.held("POST", "/v1/nothing", &answer).is_err());
    let no_id = held(&|answer| answer.headers.retain(|(name, _)| name != "x-request-id"));
    assert_eq!(no_id, Err("no X-Request-Id".into()));
    let undocumented = |method: &str, status| {
        let mut changed = answer.clone();
        changed.status = status;
        changed.body.clear();
        SERVICE.held(method, "/v1/auth/integration", &changed)
    };
    for (method, status) in [("PUT", 200), ("PUT", 503), ("HEAD", 418), ("OPTIONS", 204)] {
        assert!(undocumented(method, status).is_err(), "{method} {status}");
    }
}

/// And every operation of it is there.
#[tokio::test]
async fn the_document_and_its_page_are_served() {
    let world = World::new().await;
    let answer = world.send(Call::new("GET", "/openapi.json")).await;
    assert_eq!((answer.status, answer.json()), (200, openapi::value()));
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    let page = world.send(Call::new("GET", "/reference")).await;
    assert_eq!(page.status, 200);
    assert!(
        page.header("content-security-policy")
            .unwrap()
            .contains("default-src 'none'")
    );
    let mut ids = BTreeSet::new();
    for (path, methods) in SERVICE.document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let (id, method) = (
                operation["operationId"].as_str().unwrap(),
                method.to_uppercase(),
            );
            assert!(ids.insert(id.to_owned()), "{id} twice");
            assert!(page.body.contains(&format!("id=\"{id}\"")));
            let path = path.replace("{externalId}", "A-1").replace("{link}", "x");
            let answer = world.send(Call::new(&method, path.clone())).await;
            let may_be_absent = !operation["responses"]["404"].is_null();
            let is_routed = answer.status != 405 && (answer.status != 404 || may_be_absent);
            assert!(is_routed, "{method} {path} → {}", answer.status);
        }
    }
}

/// And the other way round: what the document has for the calls with a form is answered.
#[tokio::test]
async fn every_refusal_of_a_form_is_given() {
    let world = World::new().await;
    let (id, secret) = (&*world.vendor.id, &*world.vendor.secret);
    let guess = &*Kind::ClientSecret.mint();
    let long = &*"x".repeat(16 * 1024);
    for (path, token, more) in [
        (
            REFRESH,
            "refresh_token",
            vec![("grant_type", "refresh_token")],
        ),
        (REVOKE, "token", vec![]),
    ] {
        let pairs = |id, secret, more: &[(&'static str, &'static str)]| {
            let all = [("client_id", id), ("client_secret", secret), (token, "x")];
            [&all[..], more].concat()
        };
        let right = pairs(id, secret, &more);
        let with = |more| form(path, &[&right[..], &[more]].concat());
        let bare = |target: String| Call::new("POST", target);
        let mut calls = vec![
            bare(format!("{path}?{}", "x".repeat(9000))),
            bare(format!("{path}?x=y")),
            bare(path.into()),
            form(path, &[]),
            with((token, "x")),
            with(("filler", long)),
            form(path, &right).header("Sec-Purpose", "prefetch"),
            form(path, &right).header("Origin", "https://stranger.example"),
            form(path, &pairs("nobody", secret, &more)),
            form(path, &pairs(id, guess, &more)),
        ];
        let mut given = BTreeSet::new();
        if path == REFRESH {
            calls.push(form(path, &right));
            calls.push(form(
                path,
                &pairs(id, secret, &[("grant_type", "password")]),
            ));
            // Too many refreshes; `refresh` makes them.
            given.insert("slow_down".to_owned());
        }
        for call in calls {
            given.insert(world.send(call).await.code());
        }
        // What a broken service says; `disk` and `postgres` break one.
        given.extend(["internal_error", "unavailable"].map(str::to_owned));
        assert_eq!(given, SERVICE.promised("POST", path), "{path}");
    }
}

/// A reader of the precedence finds each of its words.
#[test]
fn every_code_is_in_it() {
    let document = SERVICE.document["paths"].to_string();
    for code in pos_connect_protocol::ProblemCode::ALL {
        let word = code.as_str();
        let elsewhere = ["not_found", "method_not_allowed"];
        assert!(
            elsewhere.contains(&word) || document.contains(&json!(word).to_string()),
            "{word}"
        );
    }
}
