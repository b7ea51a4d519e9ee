//! The operator's name, logo, color and links on the pages that merchants see.

use crate::folder::Folder;
use crate::http::Call;
use crate::program::{Program, failure};
use crate::world::World;
use pos_connect_service::Settings;
use pos_connect_service::brand::{Brand, Color};
use pos_connect_service::logo::Logo;

const LOGO: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>"#;

async fn branded() -> World {
    let brand = Brand {
        name: Some("Ads & <Co>".into()),
        logo: Logo::of(LOGO.as_bytes()).ok(),
        color: Some(Color::parse("#ffcc00").unwrap()),
        support_url: Some("https://ads.example/help?a=1&b=2".into()),
        reset_url: Some("https://ads.example/reset".into()),
    };
    let settings = Settings {
        brand,
        ..Settings::default()
    };
    World::with(settings).await
}

#[tokio::test]
async fn a_merchant_sees_whose_page_it_is() {
    let world = branded().await;
    let token = world.create().await;
    let page = world.open_connect(&token).await;
    for shown in [
        "<bdi>Ads &#38; &#60;Co&#62;</bdi>",
        r#"<img src="data:image/svg+xml;base64,PHN2"#,
        r#"href="https://ads.example/reset" target="_blank" rel="noopener noreferrer""#,
        "help?a=1&#38;b=2",
        "connect/brand.css",
    ] {
        assert!(page.body.contains(shown), "{shown}\n{}", page.body);
    }
    assert!(
        page.header("content-security-policy")
            .unwrap()
            .contains("img-src data:;")
    );
    let own = world.send(Call::new("GET", "/connections")).await;
    assert!(own.body.contains("Ads &#38;"));
    let style = world.send(Call::new("GET", "/connect/brand.css")).await;
    let accents = ":root { --brand: #ffcc00; --on-brand: #000; --accent: #";
    assert!(style.body.starts_with(accents), "{}", style.body);
}

#[tokio::test]
async fn without_a_brand_nothing_stands_in_its_place() {
    let (world, token) = World::with_integration().await;
    let page = world.open_connect(&token).await;
    // Where the page comes from always stands there.
    assert!(
        page.body
            .contains("<p class=\"side brand\"><span><bdi class=\"host\"")
    );
    for absent in ["<img", "brand.css", "class=\"links\""] {
        assert!(!page.body.contains(absent), "{absent}");
    }
    assert_eq!(
        world
            .send(Call::new("GET", "/connect/brand.css"))
            .await
            .body,
        ""
    );
}

/// What a visitor of the demo sees is no address of this machine.
#[tokio::test]
async fn the_demo_has_a_brand_of_its_own_where_none_is_named() {
    let folder = Folder::new();
    let ask = async |program: &Program, path| {
        Call::new("GET", path)
            .send(program.address("baseUrl"))
            .await
    };
    let program = Program::serve(&folder, &["--demo", "--till-listen", "127.0.0.1:0"], None);
    let page = ask(&program, "/connections").await.body;
    assert!(
        page.contains("Northwind Ads") && page.contains("<img"),
        "{page}"
    );
    assert!(!page.contains("127.0.0.1"), "{page}");
    let style = ask(&program, "/connect/brand.css").await.body;
    assert!(style.starts_with(":root { --brand: #4338ca;"), "{style}");
    drop(program);
    let program = Program::serve(
        &folder,
        &[
            "--demo",
            "--till-listen",
            "127.0.0.1:0",
            "--brand-name",
            "Ads",
        ],
        None,
    );
    let page = ask(&program, "/connections").await.body;
    assert!(
        page.contains("<bdi>Ads</bdi>") && !page.contains("<img"),
        "{page}"
    );
}

#[tokio::test]
async fn the_options_set_it_and_a_wrong_one_is_named() {
    let folder = Folder::new();
    let file = folder.path().join("logo.svg");
    std::fs::write(&file, LOGO).unwrap();
    let options = [
        "--brand-name",
        "Ads",
        "--brand-color",
        "#1b5fc1",
        "--brand-logo",
        file.to_str().unwrap(),
    ];
    let program = Program::serve(&folder, &options, None);
    let page = Call::new("GET", "/connections")
        .send(program.address("baseUrl"))
        .await;
    assert!(page.body.contains("<bdi>Ads</bdi>") && page.body.contains("<img"));
    drop(program);
    for (option, value, why) in [
        ("--brand-color", "blue", "six hexadecimal digits"),
        (
            "--support-url",
            "javascript:alert(1)",
            "https:// or mailto:",
        ),
        ("--brand-logo", "/nowhere/logo.png", "/nowhere/logo.png"),
    ] {
        let error = failure(
            &folder,
            &["serve", "--listen", "127.0.0.1:0", option, value],
        );
        assert!(error.contains(why), "{error}");
    }
}
