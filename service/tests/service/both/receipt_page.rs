//! The page of a receipt: its language, its taxes, its picture, and how long its link works.

use crate::both::orders::with_body;
use crate::both::receipts::{path_of, with_ereceipt};
use crate::http::Call;
use crate::world::World;
use pos_connect_service::Settings;
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn messengers_find_a_picture_for_the_link() {
    let world = World::with(Settings {
        public_url: Some("https://x.example/auth".into()),
        ..Settings::default()
    })
    .await;
    let access = world.access().await;
    world.order_receipt(&access, "1041", "en").await;
    world.deliver().await;
    let page = world.open(&world.messages()[0]).await;
    let picture = r#"<meta property="og:image" content="https://x.example/auth/r/preview.png">"#;
    assert!(page.body.contains(picture), "{}", page.body);
}

#[tokio::test]
async fn a_receipt_speaks_the_shoppers_language_and_uses_the_stores_profile() {
    let (world, access) = World::connected().await;
    let profile = json!({
        "name": "Dana <& Sons>", "website": "https://bakery.example/?a=\u{27}1&b=2", "phone": "04-123 4567",
        "address": {"street": "1 Market St", "city": "Haifa", "postalCode": "31000"},
    });
    let changed = world
        .send(with_body("PATCH", "/v1/store", &access, &profile))
        .await;
    assert_eq!(changed.status, 200, "{}", changed.body);
    for (locale, lang, dir, title, total, payment, paid) in [
        ("he-IL", "he", "rtl", "קבלה", "סה״כ", "cash", "מזומן"),
        ("ar", "ar", "rtl", "إيصال", "المجموع", "card", "بطاقة"),
        ("es-419", "es", "ltr", "Recibo", "Total", "cash", "Efectivo"),
        ("fr", "en", "ltr", "Receipt", "Total", "bon", "bon"),
    ] {
        let mut order = with_ereceipt(locale, locale);
        order["payment"] = payment.into();
        assert_eq!(world.send_order(&access, &order).await.status, 200);
        world.deliver().await;
        let message = world.messages().pop().unwrap();
        assert!(message["text"].as_str().unwrap().contains("Corner Bakery"));
        let page = world.open(&message).await.body;
        assert!(
            page.contains(&format!("<html lang=\"{lang}\" dir=\"{dir}\">")),
            "{page}"
        );
        assert!(page.contains(title) && page.contains(total), "{page}");
        for shown in [
            "Dana &#60;&#38; Sons&#62;",
            "1 Market St",
            "31000 Haifa",
            "04-123 4567",
            &format!("<bdi>{paid}</bdi></td>"),
        ] {
            assert!(page.contains(shown), "{shown}: {page}");
        }
        assert!(!page.contains("<& Sons>"));
        // A sign is as large as its price; only a code is small.
        assert!(
            page.contains("₪") && !page.contains("<small><bdi>₪"),
            "{page}"
        );
    }
}

/// A browser names a file after the title.
#[tokio::test]
async fn a_receipt_has_its_number_and_day_in_the_title_and_says_how_long_its_link_works() {
    let (world, access) = World::connected().await;
    for (locale, title, until) in [
        (
            "en",
            "Receipt · Corner Bakery · Order en · November 23, 2026",
            "Available online until April 14, 2027.",
        ),
        (
            "he",
            "קבלה · Corner Bakery · הזמנה he · 23 בנובמבר 2026",
            "זמין באינטרנט עד 14 באפריל 2027.",
        ),
        (
            "ar",
            "إيصال · Corner Bakery · الطلب ar · 23 نوفمبر 2026",
            "متاح على الإنترنت حتى 14 أبريل 2027.",
        ),
        (
            "es",
            "Recibo · Corner Bakery · Pedido es · 23 de noviembre de 2026",
            "Disponible en línea hasta el 14 de abril de 2027.",
        ),
    ] {
        world.order_receipt(&access, locale, locale).await;
        world.deliver().await;
        let page = world.open(world.messages().last().unwrap()).await.body;
        for shown in [format!("<title>{title}</title>"), format!("<p>{until}</p>")] {
            assert!(page.contains(&shown), "{shown}: {page}");
        }
    }
}

/// Where prices are shown without tax, "included" would be wrong.
#[tokio::test]
async fn the_tax_is_in_the_lines_or_on_top_of_them() {
    let (world, access) = World::connected().await;
    for (id, total, said) in [("1041", 1191, "Tax included"), ("1042", 1364, "Tax")] {
        let mut order = with_ereceipt(id, "en");
        order["tax"] = 173.into();
        order["total"] = total.into();
        world.send_order(&access, &order).await;
        world.deliver().await;
        let page = world.open(world.messages().last().unwrap()).await;
        assert!(
            page.body.contains(&format!(">{said}</th>")),
            "{}",
            page.body
        );
    }
}

#[tokio::test]
async fn a_receipt_is_opened_so_often_and_another_one_is_not_held_up() {
    let (world, access) = World::connected().await;
    for number in ["1041", "1042"] {
        world.order_receipt(&access, number, "en").await;
    }
    world.deliver().await;
    let [one, other] = [0, 1].map(|number| path_of(&world.messages()[number]));
    let open = async |path: &str| world.send(Call::new("GET", path)).await;
    for _ in 0..20 {
        assert_eq!(open(&one).await.status, 200);
    }
    for path in [&one, &one.replace("/r/", "/q/")] {
        let late = open(path).await;
        assert_eq!((late.status, late.header("retry-after")), (429, Some("1")));
        // A page for a person, which looks again.
        assert!(late.body.contains("/r/waiting.js"), "{}", late.body);
    }
    assert_eq!(open(&other).await.status, 200);
    world.pass(Duration::from_secs(1));
    assert_eq!(open(&one).await.status, 200);
}

#[tokio::test]
async fn a_link_cannot_be_guessed_and_dies() {
    let (world, access) = World::connected().await;
    world.order_receipt(&access, "1041", "en").await;
    world.deliver().await;
    let path = path_of(&world.messages()[0]);
    let (_, link) = path.rsplit_once('/').unwrap();
    assert_eq!(link.len(), 22);
    assert!(link.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    let changed = format!(
        "/r/{}{}",
        &link[..21],
        if link.ends_with('a') { 'b' } else { 'a' }
    );
    for wrong in [
        changed,
        format!("/r/{}", &link[..21]),
        format!("{path}a"),
        "/r/1041".into(),
        "/r/%00".into(),
    ] {
        let answer = world.send(Call::new("GET", wrong)).await;
        assert_eq!(
            (answer.status, answer.header("cache-control")),
            (404, Some("no-store"))
        );
        assert!(
            answer.body.contains("There is no receipt here"),
            "{}",
            answer.body
        );
    }
    assert_eq!(
        world.send(Call::new("HEAD", path.clone())).await.status,
        200
    );
    assert_eq!(
        world.send(Call::new("POST", path.clone())).await.status,
        405
    );
    world.pass(Duration::from_secs(90 * 24 * 3600) - Duration::from_millis(1));
    assert_eq!(world.send(Call::new("GET", path.clone())).await.status, 200);
    world.pass(Duration::from_millis(1));
    let hebrew = Call::new("GET", path).header("Accept-Language", "he");
    let gone = world.send(hebrew).await;
    assert_eq!(gone.status, 404);
    assert!(gone.body.contains("אין כאן קבלה"));
}
