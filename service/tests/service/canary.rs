//! No secret, token, password or query string reaches a log line, an error body or the database.

use crate::http::{Answer, Call, query};
use crate::program::{Program, json};
use crate::world::{Folder, INTEGRATION, TOKEN, Vendor, target};
use pos_connect_service::token::{Hash, Kind};

/// Everything that must not turn up again, and every error body that was seen.
#[derive(Default)]
struct Watch {
    secrets: Vec<String>,
    errors: Vec<String>,
}

impl Watch {
    fn secret(&mut self, text: impl Into<String>) -> String {
        let text = text.into();
        assert!(text.len() >= 10, "too short to be looked for");
        self.secrets.push(text.clone());
        text
    }

    fn error(&mut self, answer: Answer, status: u16) {
        assert_eq!(answer.status, status, "{}", answer.body);
        self.errors.push(answer.body);
    }

    fn assert_absent(&self, place: &str, bytes: &[u8]) {
        for secret in &self.secrets {
            for form in forms(secret) {
                let found = bytes.windows(form.len()).any(|window| window == form);
                assert!(
                    !found,
                    "{secret} is in {place} as {}",
                    String::from_utf8_lossy(&form)
                );
            }
        }
    }
}

/// The ways in which a text can hide among bytes: itself, percent-encoded, hex, and base64 at its three alignments.
fn forms(secret: &str) -> Vec<Vec<u8>> {
    let mut encoded = String::new();
    pos_connect_protocol::query::encode(&mut encoded, secret);
    let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
    let mut forms = vec![
        secret.into(),
        encoded.into(),
        hex.to_uppercase().into(),
        hex.into(),
    ];
    for skip in 0..3 {
        let whole = (secret.len() - skip) / 3 * 3;
        forms.push(base64(&secret.as_bytes()[skip..skip + whole]));
    }
    forms
}

fn base64(bytes: &[u8]) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |group: &[u8]| {
        let bits = group
            .iter()
            .fold(0, |bits, byte| bits << 8 | usize::from(*byte));
        [18, 12, 6, 0].map(|shift| ALPHABET[bits >> shift & 63])
    };
    bytes.chunks_exact(3).flat_map(group).collect()
}

async fn errors_of_every_kind(program: &Program, watch: &mut Watch, token: &str) {
    let address = program.address("baseUrl");
    let right = program.vendor();
    let wrong = Vendor {
        secret: watch.secret(Kind::ClientSecret.mint()),
        ..right.clone()
    };
    let guess = Vendor {
        secret: watch.secret("canary-guessed-secret"),
        ..right.clone()
    };
    let stranger = Vendor {
        id: watch.secret("canary-client-id"),
        ..right.clone()
    };
    let foreign = watch.secret(Kind::Integration.mint());
    let garbage = watch.secret("canary-garbage-token");
    let query_text = watch.secret("canary-query-text");
    for (vendor, token, status) in [
        (&wrong, token, 403),
        (&guess, token, 403),
        (&stranger, token, 400),
        (&right, &*foreign, 403),
        (&right, &garbage, 403),
    ] {
        for path in [INTEGRATION, TOKEN] {
            watch.error(
                Call::new("GET", target(path, vendor, token))
                    .send(address)
                    .await,
                status,
            );
        }
    }
    for (target, status) in [
        (format!("/{query_text}"), 404),
        (format!("{TOKEN}?{query_text}=%zz"), 400),
        (
            format!("{TOKEN}?client_secret={query_text}&client_secret={query_text}"),
            400,
        ),
        (format!("{TOKEN}?{query_text}={}", "x".repeat(9000)), 414),
        (
            format!("/connect?client_id={query_text}&integration_token={query_text}"),
            400,
        ),
        (
            format!(
                "/connect?client_id={}&integration_token={query_text}",
                right.id
            ),
            403,
        ),
    ] {
        watch.error(Call::new("GET", target).send(address).await, status);
    }
    let origin = watch.secret("https://canary-origin.example");
    let call = Call::new("GET", target(TOKEN, &right, token)).header("Origin", origin);
    watch.error(call.send(address).await, 403);
    watch.error(
        Call::new("PUT", target(TOKEN, &right, token))
            .send(address)
            .await,
        405,
    );
    watch.error(
        Call::new("GET", target(TOKEN, &right, token))
            .send(address)
            .await,
        409,
    );
    let body =
        format!("{{\"csp-report\":{{\"blocked-uri\":\"https://x.example/?{query_text}\"}}}}");
    Call::new("POST", "/csp-report")
        .body(body)
        .send(program.address("tillUrl"))
        .await;
}

/// Through the connect frame, with one wrong password on the way.
async fn connect(program: &Program, watch: &mut Watch, token: &str) {
    let address = program.address("baseUrl");
    let (email, password) = (
        &program.first_line["account"]["email"],
        &program.first_line["account"]["password"],
    );
    let wrong = watch.secret("canary-wrong-password");
    let pairs = [
        ("integration_token", token),
        ("client_id", &*program.vendor().id),
    ];
    let mut page = Call::new("GET", format!("/connect?{}", query(&pairs)))
        .send(address)
        .await;
    for password in [wrong.as_str(), password.as_str().unwrap(), ""] {
        let mut fields = page.hidden_fields();
        watch.secret(
            fields
                .iter()
                .find(|(name, _)| name == "form")
                .unwrap()
                .1
                .clone(),
        );
        let mut add = |name: &str, value: &str| fields.push((name.into(), value.into()));
        if let Some(store) = page.stores().first() {
            add("action", "connect");
            add("store", store);
        } else {
            add("action", "sign-in");
            add("email", email.as_str().unwrap());
            add("password", password);
        }
        let pairs: Vec<(&str, &str)> = fields
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect();
        let call = Call::new("POST", "/connect")
            .header("Content-Type", "application/x-www-form-urlencoded");
        page = call.body(query(&pairs)).send(address).await;
    }
    assert_eq!(page.data("page"), "finished");
}

#[tokio::test]
async fn nothing_secret_is_written_anywhere() {
    let folder = Folder::new();
    let mut program = Program::serve(
        &folder,
        &["--demo", "--till-listen", "127.0.0.1:0"],
        Some("trace"),
    );
    let mut watch = Watch::default();
    watch.secret(program.text("clientSecret"));
    watch.secret(program.first_line["account"]["password"].as_str().unwrap());
    let added = json(&folder, &["vendor", "add", "--name", "Beside"]);
    watch.secret(added["clientSecret"].as_str().unwrap());
    let token = program.call("POST", INTEGRATION, "").await.json()["integrationToken"]
        .as_str()
        .unwrap()
        .to_owned();
    watch.secret(&*token);
    assert_eq!(program.call("GET", INTEGRATION, &token).await.status, 200);
    errors_of_every_kind(&program, &mut watch, &token).await;
    connect(&program, &mut watch, &token).await;
    let tokens = program.call("GET", TOKEN, &token).await.json();
    watch.secret(tokens["accessToken"].as_str().unwrap());
    watch.secret(tokens["refreshToken"].as_str().unwrap());
    let gone = program.call("GET", TOKEN, &token).await;
    watch.error(gone, 410);

    let files = |names: &[&str]| {
        for name in names {
            let bytes = std::fs::read(folder.path().join(name)).unwrap();
            assert!(!bytes.is_empty(), "{name}");
            watch.assert_absent(name, &bytes);
        }
    };
    files(&["test.db", "test.db-wal", "test.db-shm"]);
    program.signal("-TERM");
    assert_eq!(program.wait(), Some(0));
    files(&["test.db", "log"]);
    let log = std::fs::read_to_string(folder.path().join("log")).unwrap();
    assert!(log.contains("/v1/auth/integration/token"), "{log}");
    let label = Hash::of(&token).label();
    assert!(
        log.lines()
            .any(|line| line.contains("a token set is claimed") && line.contains(&label))
    );
    assert!(log.contains("tokens_already_retrieved") && log.contains("request_id"));
    assert!(!log.contains('?') && !log.contains("client_secret="));
    for body in &watch.errors {
        watch.assert_absent("an error body", body.as_bytes());
    }
}

#[test]
fn the_search_finds_what_it_looks_for() {
    assert_eq!(base64(b"Many hands"), b"TWFueSBoYW5k");
    let watch = Watch {
        secrets: vec!["canary-secret".into()],
        errors: Vec::new(),
    };
    for hidden in [
        "x canary-secret y",
        "63616e6172792d736563726574",
        "Y2FuYXJ5LXNlY3JldA==",
        "eGNhbmFyeS1zZWNyZXQ=",
    ] {
        let found = std::panic::catch_unwind(|| watch.assert_absent("here", hidden.as_bytes()));
        assert!(found.is_err(), "{hidden}");
    }
}
