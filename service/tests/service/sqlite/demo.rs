//! `serve --demo`: everything a first try needs.

use crate::folder::Folder;
use crate::http::{Answer, Call};
use crate::program::Program;
use crate::world::{INTEGRATION, target};
use serde_json::{Value, json};

fn demo(folder: &Folder, more: &[&str]) -> Program {
    demo_with(folder, more, &[])
}

fn demo_with(folder: &Folder, more: &[&str], environment: &[(&str, &str)]) -> Program {
    std::fs::create_dir_all(folder.path().join("www/pkg")).unwrap();
    for (file, text) in [
        ("index.html", "<h1>till</h1>"),
        ("pkg/a.wasm", "\0asm"),
        ("pkg/a.js", "1"),
        ("style.css", ""),
    ] {
        std::fs::write(folder.path().join("www").join(file), text).unwrap();
    }
    let www = folder.path().join("www").display().to_string();
    let arguments = ["--demo", "--till-listen", "127.0.0.1:0", "--till", &www];
    let arguments = [&arguments[..], more].concat();
    Program::serve_with(folder, &arguments, None, environment)
}

async fn till(program: &Program, path: &str) -> Answer {
    Call::new("GET", path)
        .elsewhere()
        .send(program.address("tillUrl"))
        .await
}

#[tokio::test]
async fn the_first_line_holds_what_tests_need() {
    let folder = Folder::new();
    let program = demo(&folder, &[]);
    let line = &program.first_line;
    assert_eq!(
        program.text("connectUrl"),
        format!("{}/connect", program.text("baseUrl"))
    );
    assert_eq!(line.as_object().unwrap().len(), 6);
    let password = line["account"]["password"].as_str().unwrap();
    let is_group =
        |group: &str| group.len() == 4 && group.chars().all(|c| c.is_ascii_alphanumeric());
    assert!(password.split('-').count() == 3 && password.split('-').all(is_group));
    let mut expected = line.clone();
    expected.as_object_mut().unwrap().remove("tillUrl");
    let answer = till(&program, "/demo.json").await;
    assert_eq!((answer.status, answer.json()), (200, expected));
    assert_eq!(answer.header("access-control-allow-origin"), None);
    assert_eq!(answer.header("cache-control"), Some("no-store"));
}

#[tokio::test]
async fn a_till_behind_a_relay_is_told_its_key_and_no_secret() {
    let folder = Folder::new();
    let relay = "http://127.0.0.1:8090";
    let key = [("POS_CONNECT_TILL_KEY", "ptk_of-this-till")];
    let program = demo_with(&folder, &["--demo-relay", relay], &key);
    let answer = till(&program, "/demo.json").await;
    let body = answer.json();
    assert_eq!(
        (&body["baseUrl"], &body["tillKey"]),
        (&relay.into(), &"ptk_of-this-till".into())
    );
    assert_eq!(body["connectUrl"], program.text("connectUrl"));
    assert!(!answer.body.contains("ecret"), "{}", answer.body);
    assert!(!answer.body.contains(&program.vendor().secret));
    let policy = answer.header("content-security-policy").unwrap();
    let service = program.text("baseUrl");
    let expected = format!("connect-src 'self' {relay}; frame-src {service};");
    assert!(policy.contains(&expected), "{policy}");
}

#[tokio::test]
async fn the_till_and_the_extra_origins_are_registered() {
    let folder = Folder::new();
    let program = demo(
        &folder,
        &[
            "--demo-origin",
            "http://127.0.0.1:5173",
            "--till-origin",
            "tauri://localhost",
        ],
    );
    let till_url = program.text("tillUrl");
    let localhost = till_url.replace("127.0.0.1", "localhost");
    for origin in [
        &till_url,
        &localhost,
        "http://127.0.0.1:5173",
        "tauri://localhost",
    ] {
        let call =
            Call::new("POST", target(INTEGRATION, &program.vendor(), "")).header("Origin", origin);
        let answer = call.send(program.address("baseUrl")).await;
        assert_eq!(
            (answer.status, answer.header("access-control-allow-origin")),
            (200, Some(origin))
        );
    }
}

#[tokio::test]
async fn every_start_has_new_secrets_and_ends_the_old_ones() {
    let folder = Folder::new();
    let first = demo(&folder, &[]);
    let (old, old_line) = (first.vendor(), first.first_line.clone());
    drop(first);
    let second = demo(&folder, &[]);
    assert_eq!(second.first_line["clientId"], old_line["clientId"]);
    assert_ne!(second.first_line["clientSecret"], old_line["clientSecret"]);
    assert_ne!(
        second.first_line["account"]["password"],
        old_line["account"]["password"]
    );
    assert_eq!(second.call("POST", INTEGRATION, "").await.status, 200);
    let stale = Call::new("POST", target(INTEGRATION, &old, ""))
        .send(second.address("baseUrl"))
        .await;
    assert_eq!(stale.code(), "invalid_secret");
}

#[tokio::test]
async fn files_come_with_their_type_and_the_strict_policy() {
    let folder = Folder::new();
    let program = demo(&folder, &[]);
    let base = program.text("baseUrl");
    let policy = format!(
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; \
         connect-src 'self' {base}; frame-src {base}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
         require-trusted-types-for 'script'; trusted-types 'none'; report-uri /csp-report"
    );
    for (path, status, kind) in [
        ("/", 200, Some("text/html; charset=utf-8")),
        ("/index.html?x=1", 200, Some("text/html; charset=utf-8")),
        ("/pkg/a.wasm", 200, Some("application/wasm")),
        ("/pkg/a.js", 200, Some("text/javascript; charset=utf-8")),
        ("/style.css", 200, Some("text/css; charset=utf-8")),
        ("/missing.js", 404, None),
        ("/pkg", 404, None),
        ("/../test.db", 404, None),
        ("/%2e%2e/test.db", 404, None),
        ("/pkg/..%2f..%2ftest.db", 404, None),
        ("//etc/passwd", 404, None),
    ] {
        let answer = till(&program, path).await;
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (status, kind),
            "{path}"
        );
        assert_eq!(
            answer.header("content-security-policy"),
            Some(policy.as_str()),
            "{path}"
        );
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{path}");
        assert_eq!(
            answer.header("x-content-type-options"),
            Some("nosniff"),
            "{path}"
        );
    }
    assert_eq!(till(&program, "/pkg/a.wasm").await.body, "\0asm");
}

#[tokio::test]
async fn violations_are_counted() {
    let folder = Folder::new();
    let program = demo(&folder, &[]);
    assert_eq!(
        till(&program, "/csp-report").await.json(),
        json!({ "violations": 0, "directives": [] })
    );
    let report = |body: Value| {
        let call =
            Call::new("POST", "/csp-report").header("Content-Type", "application/csp-report");
        call.body(body.to_string())
            .elsewhere()
            .send(program.address("tillUrl"))
    };
    for directive in ["script-src-elem", "connect-src", "connect-src"] {
        let violation =
            json!({ "effective-directive": directive, "blocked-uri": "https://x.example/?s=1" });
        let body = json!({ "csp-report": violation });
        assert_eq!(report(body).await.status, 204);
    }
    assert_eq!(
        report(json!({ "csp-report": { "violated-directive": "img-src 'self'" } }))
            .await
            .status,
        204
    );
    let expected =
        json!({ "violations": 4, "directives": ["connect-src", "img-src", "script-src-elem"] });
    assert_eq!(till(&program, "/csp-report").await.json(), expected);
}

#[tokio::test]
async fn the_back_end_has_tokens_for_the_browser_that_connected_only() {
    let folder = Folder::new();
    let program = demo(&folder, &[]);
    let asks = async |method: &str, path: &str, cookie: Option<&str>| {
        let mut call = Call::new(method, format!("/back-end/{path}")).elsewhere();
        if let Some(cookie) = cookie {
            call = call.header("Cookie", format!("theme=dark; {cookie}"));
        }
        if method == "PUT" {
            let tokens = json!({ "accessToken": "access", "refreshToken": "refresh" });
            call = call.header("Content-Type", "application/json");
            call = call.body(tokens.to_string());
        }
        call.send(program.address("tillUrl")).await
    };
    let connects = async |cookie: Option<&str>| {
        let answer = asks("PUT", "tokens", cookie).await;
        assert_eq!(answer.status, 204);
        let (cookie, how) = answer
            .header("set-cookie")
            .unwrap()
            .split_once("; ")
            .unwrap();
        assert_eq!(how, "Path=/back-end; HttpOnly; SameSite=Strict");
        cookie.to_owned()
    };
    let first = connects(None).await;
    let second = connects(None).await;
    let made_up = format!("{}x", &first[..first.len() - 1]);
    for (cookie, status, token) in [
        (Some(&first), 200, "access"),
        (Some(&second), 200, "access"),
        (Some(&made_up), 204, ""),
        (None, 204, ""),
    ] {
        let answer = asks("GET", "access-token", cookie.map(String::as_str)).await;
        assert_eq!((answer.status, answer.body.as_str()), (status, token));
    }
    // Whoever connects again, or disconnects, is another one; the others stay.
    let again = connects(Some(&first)).await;
    assert_eq!(asks("DELETE", "tokens", Some(&second)).await.status, 204);
    for (cookie, status) in [(&first, 204), (&second, 204), (&again, 200)] {
        let answer = asks("GET", "access-token", Some(cookie)).await;
        assert_eq!(answer.status, status);
    }
}
