//! What the pages carry: headers, hints, languages, names.

use crate::http::{Answer, Call};
use crate::world::{EMAIL, PASSWORD, TILL, Vendor, World};
use pos_connect_protocol::Mode;
use pos_connect_service::token::Kind;
use std::time::Duration;

fn ancestors(answer: &Answer) -> &str {
    let policy = answer.header("content-security-policy").unwrap();
    let own = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; \
               form-action 'self'; base-uri 'none';";
    assert!(policy.starts_with(own));
    policy.split("frame-ancestors ").nth(1).unwrap()
}

fn assert_page_headers(answer: &Answer) {
    for (name, value) in [
        ("cache-control", "no-store"),
        ("referrer-policy", "strict-origin"),
        ("cross-origin-embedder-policy", "require-corp"),
        ("cross-origin-resource-policy", "cross-origin"),
        ("content-type", "text/html; charset=utf-8"),
    ] {
        assert_eq!(answer.header(name), Some(value));
    }
    for absent in [
        "x-frame-options",
        "set-cookie",
        "location",
        "access-control-allow-origin",
        "cross-origin-opener-policy",
    ] {
        assert_eq!(answer.header(absent), None);
    }
}

#[tokio::test]
async fn every_page_says_who_may_frame_it() {
    let mut world = World::new().await;
    world.vendor = world
        .add_vendor("Two Tills", &[TILL, "capacitor://localhost"])
        .await;
    let both = "capacitor://localhost https://till.example";
    let token = world.create().await;
    let first = world.open_connect(&token).await;
    let wrong = world.sign_in(&first, EMAIL, "wrong").await;
    let consent = world.sign_in(&wrong, EMAIL, PASSWORD).await;
    let replayed = world.sign_in(&first, EMAIL, PASSWORD).await;
    let cancelled = world.submit(&consent, &[("action", "cancel")]).await;
    let unknown = world.open_connect(&Kind::Integration.mint()).await;
    let garbage = world.open_connect("x").await;
    let finished = world.open_connect(&world.finished().await).await;
    let late = world.create().await;
    world.pass(Duration::from_secs(1800));
    let expired = world.open_connect(&late).await;
    for (status, page, answer) in [
        (200, "sign-in", first),
        (200, "sign-in", wrong),
        (200, "consent", consent),
        (200, "sign-in", replayed),
        (200, "cancelled", cancelled),
        (200, "finished", finished),
        (403, "error", unknown),
        (403, "error", garbage),
        (403, "error", expired),
    ] {
        assert_eq!(
            (answer.status, answer.data("page").as_str()),
            (status, page)
        );
        assert_eq!(ancestors(&answer), both);
        assert_eq!(answer.data("origins"), both);
        assert_page_headers(&answer);
    }
}

#[tokio::test]
async fn an_unknown_vendors_page_may_not_be_framed() {
    let mut world = World::new().await;
    let token = world.create().await;
    let pages = [
        world.send(Call::new("GET", "/connect")).await,
        world.send(Call::new("GET", "/connect?client_id=%zz")).await,
        world
            .send(Call::new(
                "GET",
                format!("/connect?integration_token={token}&client_id=nobody"),
            ))
            .await,
        world
            .send(Call::new(
                "GET",
                format!("{}&client_id=again", world.connect_target(&token)),
            ))
            .await,
    ];
    world
        .service
        .store
        .set_vendor_disabled(world.vendor.id.clone(), true, world.operator())
        .await
        .unwrap();
    let disabled = world.open_connect(&token).await;
    for page in pages.into_iter().chain([disabled]) {
        assert_eq!((page.status, page.data("page").as_str()), (400, "error"));
        assert_eq!(ancestors(&page), "'none'");
        assert_eq!(page.data("hint"), "");
        assert_page_headers(&page);
    }
    world.vendor = world.add_vendor("No Origins", &[]).await;
    let token = world.create().await;
    assert_eq!(ancestors(&world.open_connect(&token).await), "'none'");
}

#[tokio::test]
async fn another_vendors_integration_is_not_shown() {
    let (world, token) = World::with_integration().await;
    let other = world
        .add_vendor("Other Till", &["https://other.example"])
        .await;
    let target = format!("/connect?integration_token={token}&client_id={}", other.id);
    let answer = world.send(Call::new("GET", target)).await;
    assert_eq!(
        (answer.status, answer.data("page").as_str()),
        (403, "error")
    );
    assert_eq!(ancestors(&answer), "https://other.example");
    assert!(!answer.body.contains("Corner Till"));
}

#[tokio::test]
async fn the_page_remembers_the_till_that_said_hello_if_it_is_registered() {
    let world = World::new().await;
    let first = world.open_connect(&world.create().await).await;
    assert_eq!(first.data("till"), "");
    let heard = |page: &Answer, till: &str| {
        let mut page = page.clone();
        page.body = page.body.replace(
            r#"name="till" value="""#,
            &format!(r#"name="till" value="{till}""#),
        );
        page
    };
    let known = world.sign_in(&heard(&first, TILL), EMAIL, "wrong").await;
    assert_eq!(known.data("till"), TILL);
    assert_eq!(
        known
            .hidden_fields()
            .iter()
            .find(|(name, _)| name == "till")
            .unwrap()
            .1,
        TILL
    );
    let second = world.open_connect(&world.create().await).await;
    let unknown = world
        .sign_in(&heard(&second, "https://evil.example"), EMAIL, "wrong")
        .await;
    assert_eq!(unknown.data("till"), "");
}

#[tokio::test]
async fn pages_speak_the_merchants_language_in_its_direction() {
    let (world, token) = World::with_integration().await;
    let target = world.connect_target(&token);
    let open = |query: &str, header: &str| {
        world.send(Call::new("GET", format!("{target}{query}")).header("Accept-Language", header))
    };
    for (query, header, lang, dir, word) in [
        ("", "en-US,en;q=0.9", "en", "ltr", "Password"),
        ("", "he-IL,he;q=0.9,en;q=0.8", "he", "rtl", "סיסמה"),
        ("", "ar", "ar", "rtl", "كلمة المرور"),
        ("", "es-MX,es;q=0.9", "es", "ltr", "Contraseña"),
        ("&lang=he", "en", "he", "rtl", "סיסמה"),
        ("&lang=xx", "fr", "en", "ltr", "Password"),
    ] {
        let page = open(query, header).await;
        assert!(
            page.body
                .contains(&format!(r#"<html lang="{lang}" dir="{dir}">"#)),
            "{query} {header}"
        );
        assert_eq!(page.header("content-language"), Some(lang));
        assert!(page.body.contains(word));
    }
    let hebrew = open("&lang=he", "en").await;
    let next = world.sign_in(&hebrew, EMAIL, PASSWORD).await;
    assert!(
        next.body.contains(r#"<html lang="he" dir="rtl">"#),
        "the next page stays in it"
    );
}

#[tokio::test]
async fn the_tills_colors_are_the_pages_and_go_along_with_its_forms() {
    let world = World::new().await;
    let target = world.connect_target(&world.create().await);
    for (query, attribute) in [
        ("", ""),
        ("&theme=dark", r#" data-theme="dark""#),
        ("&theme=light", r#" data-theme="light""#),
        ("&theme=", ""),
        ("&theme=Dark", ""),
        ("&theme=%22%3E%3Cscript%3E", ""),
    ] {
        let page = world
            .send(Call::new("GET", format!("{target}{query}")))
            .await;
        let opened = format!(r#"<html lang="en" dir="ltr"{attribute}>"#);
        assert_eq!(page.status, 200);
        assert!(page.body.contains(&opened), "{query}");
        let next = world.sign_in(&page, EMAIL, "wrong").await;
        assert!(next.body.contains(&opened), "{query}: the next page");
    }
    let twice = Call::new("GET", format!("{target}&theme=dark&theme=light"));
    assert_eq!(world.send(twice).await.status, 400);
}

#[tokio::test]
async fn the_page_says_where_it_comes_from() {
    let world = World::new().await;
    let target = world.connect_target(&world.create().await);
    let call = Call::new("GET", target).header("Host", "pay.example:8443");
    let page = world.send(call).await;
    let host = r#"<bdi class="host" dir="ltr">pay.example:8443</bdi>"#;
    assert!(page.body.contains(host), "{}", page.body);
}

#[tokio::test]
async fn a_page_of_no_known_vendor_has_the_tills_colors_and_says_where_it_comes_from() {
    let (world, token) = World::with_integration().await;
    let host = r#"<bdi class="host" dir="ltr">pay.example:8443</bdi>"#;
    for target in [
        "/connect?theme=dark".to_owned(),
        format!("/connect?client_id=nobody&integration_token={token}&theme=dark"),
    ] {
        let call = Call::new("GET", &target).header("Host", "pay.example:8443");
        let page = world.send(call).await;
        assert_eq!((page.status, page.data("page").as_str()), (400, "error"));
        let opened = r#"<html lang="en" dir="ltr" data-theme="dark">"#;
        assert!(page.body.contains(opened), "{target}");
        assert!(page.body.contains(host), "{target}");
    }
    let form = Call::new("POST", "/connect")
        .header("Host", "pay.example:8443")
        .header("Content-Type", "application/x-www-form-urlencoded")
        .body("client_id=a");
    let page = world.send(form).await;
    assert!(page.status == 400 && page.body.contains(host), "a form");
    for target in ["/connections", "/connections?lang=he"] {
        let call = Call::new("GET", target).header("Host", "pay.example:8443");
        let page = world.send(call).await;
        assert!(page.body.contains(host), "{target}");
    }
}

#[tokio::test]
async fn a_page_that_waits_knows_when_the_time_is_up() {
    let world = World::new().await;
    let page = world.open_connect(&world.create().await).await;
    assert_eq!(page.data("expires"), "1800000");
    world.pass(Duration::from_secs(60));
    let consent = world.sign_in(&page, EMAIL, PASSWORD).await;
    assert_eq!(consent.data("expires"), "1740000");
    let end = world.submit(&consent, &[("action", "cancel")]).await;
    assert!(!end.body.contains("data-expires"));
}

#[tokio::test]
async fn names_are_text_and_never_markup() {
    let mut world = World::new().await;
    let script = "<script>alert(1)</script>\"'&";
    world.vendor = world.add_vendor("Plain", &[TILL]).await;
    let secret = Kind::ClientSecret.mint();
    let (store, hash) = (
        &world.service.store,
        pos_connect_service::token::Hash::of(&secret),
    );
    store
        .add_vendor(
            "evil".into(),
            script.into(),
            Mode::Live,
            hash,
            Vec::new(),
            world.operator(),
        )
        .await
        .unwrap();
    world.vendor = Vendor {
        id: "evil".into(),
        secret,
    };
    world
        .add_account("evil@cafe.example", script, &[script])
        .await;
    let first = world.open_connect(&world.create().await).await;
    let wrong = world.sign_in(&first, "\"><script>x@y", "wrong").await;
    let consent = world.sign_in(&wrong, "evil@cafe.example", PASSWORD).await;
    assert_eq!(consent.data("page"), "consent");
    for page in [first, wrong, consent] {
        assert_eq!(
            page.body.matches("<script").count(),
            1,
            "only the page's own"
        );
        assert!(!page.body.contains("alert(1)</"), "{}", page.body);
    }
}

#[tokio::test]
async fn style_and_script_are_files_of_their_own() {
    let world = World::new().await;
    for (path, kind) in [
        ("/connect/style.css", "text/css; charset=utf-8"),
        ("/connect/script.js", "text/javascript; charset=utf-8"),
    ] {
        let answer = world.send(Call::new("GET", path)).await;
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (200, Some(kind))
        );
        assert_eq!(
            answer.header("cross-origin-resource-policy"),
            Some("cross-origin")
        );
    }
    let page = world.open_connect(&world.create().await).await.body;
    let handles = |rest: &str| {
        rest.trim_start_matches(char::is_alphabetic)
            .starts_with('=')
    };
    let has_handler = page.split(" on").skip(1).any(handles);
    assert!(
        !page.contains("style=") && !page.contains("<style") && !has_handler,
        "nothing inline"
    );
}

/// Refusals never come as far as a page, and an isolated till would show a blocked frame.
#[tokio::test]
async fn refusals_at_the_connect_path_may_be_framed_by_nobody_and_say_so() {
    let world = World::new().await;
    let path = "/connect";
    let wrong_type = Call::new("POST", path).body("x");
    for call in [
        Call::new("PUT", path),
        Call::new("DELETE", path),
        wrong_type,
    ] {
        let answer = world.send(call).await;
        assert!(answer.status >= 400);
        let policy = answer.header("content-security-policy").unwrap_or_default();
        assert!(
            policy.contains("frame-ancestors 'none'"),
            "{}",
            answer.status
        );
        assert_eq!(
            answer.header("cross-origin-embedder-policy"),
            Some("require-corp")
        );
        assert_eq!(
            answer.header("cross-origin-resource-policy"),
            Some("cross-origin")
        );
    }
}
