//! The four digits that the connect page shows where the till's page is not around it.

use crate::http::{Answer, Call};
use crate::world::{EMAIL, INTEGRATION, PASSWORD, World};
use pos_connect_service::Settings;
use std::collections::HashSet;
use std::time::Duration;

/// What the page shows.
fn shown(page: &Answer) -> Option<&str> {
    let (_, from) = page.body.split_once("id=\"code\"")?;
    let (_, from) = from.split_once("<strong dir=\"ltr\">")?;
    Some(from.split_once('<')?.0)
}

/// A new integration's token and code.
async fn created(world: &World) -> (String, String) {
    let body = world.call("POST", INTEGRATION, "").await.json();
    let text = |name: &str| body[name].as_str().unwrap().to_owned();
    (text("integrationToken"), text("code"))
}

fn told(call: Call, destination: &str) -> Call {
    call.header("Sec-Fetch-Dest", destination)
}

#[tokio::test]
async fn outside_a_frame_every_step_shows_the_code_of_the_create_answer() {
    let world = World::new().await;
    let (token, code) = created(&world).await;
    assert!(code.len() == 4 && code.bytes().all(|digit| digit.is_ascii_digit()));
    let address = || Call::new("GET", world.connect_target(&token));
    let first = world.send(told(address(), "document")).await;
    let silent = world.send(address()).await;
    let wrong = world.sign_in(&silent, EMAIL, "wrong").await;
    let consent = world.sign_in(&wrong, EMAIL, PASSWORD).await;
    assert_eq!(consent.data("page"), "consent");
    for page in [&first, &silent, &wrong, &consent] {
        assert_eq!(shown(page), Some(&*code));
        assert!(page.body.contains("Your till shows the same number:"));
        assert!(page.body.contains("close this page."));
    }
    let cancelled = world.submit(&consent, &[("action", "cancel")]).await;
    assert_eq!(shown(&cancelled), None, "nothing is left to compare it for");
}

#[tokio::test]
async fn in_a_frame_no_step_shows_it() {
    let world = World::new().await;
    let (token, _) = created(&world).await;
    let call = Call::new("GET", world.connect_target(&token));
    let first = world.send(told(call, "iframe")).await;
    let fields = [
        ("action", "sign-in"),
        ("email", EMAIL),
        ("password", PASSWORD),
    ];
    let form = world.form(&first, &fields);
    let consent = world.send(told(form, "iframe")).await;
    assert_eq!(consent.data("page"), "consent");
    for page in [&first, &consent] {
        assert_eq!(shown(page), None);
        assert!(!page.body.contains("same number"));
    }
}

/// The till says so beside the digits.
#[tokio::test]
async fn the_status_says_whether_the_page_was_opened_outside_of_the_frame() {
    let world = World::new().await;
    let (token, _) = created(&world).await;
    let opened = async || {
        world.pass(Duration::from_secs(5));
        world.status(&token).await.json()["opened"].as_bool()
    };
    let show = async |call: Call| assert_eq!(world.send(call).await.status, 200);
    let address = || Call::new("GET", world.connect_target(&token));
    show(told(address(), "iframe")).await;
    show(address()).await;
    show(told(address(), "document").header("Sec-Purpose", "prefetch;prerender")).await;
    assert_eq!(opened().await, None);
    show(told(address(), "document")).await;
    assert_eq!(opened().await, Some(true));
    world.finish(&token).await;
    assert_eq!(opened().await, None, "there is nothing to finish any more");
}

/// Whoever wants it hidden writes the link, not the browser's headers.
#[tokio::test]
async fn no_link_hides_it() {
    let world = World::new().await;
    let (token, code) = created(&world).await;
    for more in ["&framed=1", "&till=https://till.example", "&code=0000"] {
        let target = [world.connect_target(&token), more.into()].concat();
        let page = world.send(told(Call::new("GET", target), "document")).await;
        assert!(
            page.status == 400 || shown(&page) == Some(&*code),
            "{more}: {}",
            page.status
        );
    }
}

#[tokio::test]
async fn it_belongs_to_the_integration_and_survives_a_restart() {
    let world = World::new().await;
    let (token, code) = created(&world).await;
    let mut others = 0;
    for _ in 0..20 {
        others += usize::from(created(&world).await.1 != code);
    }
    assert!(others > 15);
    let world = world.restart().await;
    assert_eq!(shown(&world.open_connect(&token).await), Some(&*code));
}

/// Whoever creates for free must not find the digits that another till shows. By chance, five hundred would hold a
/// pair: all differ one time in 250,000.
#[tokio::test]
async fn no_two_pending_integrations_of_a_vendor_show_the_same() {
    let settings = Settings {
        creates_per_second: 100_000,
        ..Settings::default()
    };
    let mut world = World::with(settings).await;
    let mut codes = HashSet::new();
    for _ in 0..500 {
        let (_, code) = created(&world).await;
        assert!(codes.insert(code.clone()), "{code} again");
    }
    world.pass(Duration::from_secs(31 * 60));
    let (mut again, mut fresh) = (0, HashSet::new());
    for _ in 0..300 {
        let (_, code) = created(&world).await;
        again += usize::from(codes.contains(&code));
        assert!(fresh.insert(code.clone()), "{code} again");
    }
    assert!(again > 0, "an expired one gives its digits back");
    world.vendor = world.add_vendor("Second", &["https://till.example"]).await;
    let mut shared = 0;
    for _ in 0..500 {
        shared += usize::from(fresh.contains(&created(&world).await.1));
    }
    assert!(shared > 0, "another vendor's page has another name");
}

#[tokio::test]
async fn every_language_says_what_it_is_for() {
    let world = World::new().await;
    let (token, code) = created(&world).await;
    for (language, sentence) in [
        ("he", "הקופה שלכם מציגה את אותו המספר:"),
        ("ar", "تعرض نقطة البيع لديك الرقم نفسه:"),
        ("es", "Su caja muestra el mismo número:"),
    ] {
        let target = format!("{}&lang={language}", world.connect_target(&token));
        let page = world.send(Call::new("GET", target)).await;
        assert_eq!(shown(&page), Some(&*code));
        assert!(page.body.contains(sentence), "{language}");
    }
}
