//! The language and the colors of the frame, and what it tells the connect page of them.

use crate::support::*;
use pos_connect::Integration;
use web_sys::{Element, HtmlElement};

async fn created(connect_query: &str) -> Integration {
    let created = json!([{"body": {"success": true, "integrationToken": "itk", "interval": 30, "code": "0420"}}]);
    let steps = json!({"create": created, "status": status(&["pending"])});
    let url = format!("{CONNECT_ORIGIN}/connect{connect_query}");
    integration(&Service::scripted(steps).framed(url).client()).await
}

fn mount(integration: &Integration, options: Value) -> Element {
    let place = container();
    integration
        .mount_frame(place.clone().into(), to_js(&options))
        .unwrap();
    place
}

fn part(place: &Element, name: &str) -> HtmlElement {
    let found = place.query_selector(&format!(".pos-connect-{name}"));
    found.unwrap().unwrap().unchecked_into()
}

fn says(place: &Element, name: &str) -> String {
    part(place, name).text_content().unwrap()
}

fn attribute(place: &Element, name: &str) -> String {
    part(place, "body").get_attribute(name).unwrap_or_default()
}

/// What the frame's address says beyond its two parameters.
fn look(place: &Element) -> String {
    let address = part(place, "frame").get_attribute("src").unwrap();
    let (_, rest) = address.split_once("client_id=till").unwrap();
    rest.to_owned()
}

fn root() -> HtmlElement {
    document().document_element().unwrap().unchecked_into()
}

#[wasm_bindgen_test]
async fn it_speaks_the_language_that_it_is_given() {
    for (options, lang, dir, close, query) in [
        (
            json!({"locale": "he-IL"}),
            "he",
            "rtl",
            "המשך בטלפון",
            "&lang=he-IL",
        ),
        (
            json!({"locale": "ar"}),
            "ar",
            "rtl",
            "تابع على هاتفك",
            "&lang=ar",
        ),
        (
            json!({"locale": "en"}),
            "en",
            "ltr",
            "Continue on your phone",
            "&lang=en",
        ),
        (
            json!({"locale": "de", "labels": {"phone": "Am Telefon"}}),
            "de",
            "ltr",
            "Am Telefon",
            "&lang=de",
        ),
    ] {
        let integration = created("").await;
        let place = mount(&integration, options);
        assert_eq!(
            (attribute(&place, "lang"), attribute(&place, "dir")),
            (lang.into(), dir.into())
        );
        assert_eq!(says(&place, "phone"), close);
        assert_eq!(look(&place), query);
        integration.destroy();
        place.remove();
    }
}

#[wasm_bindgen_test]
async fn what_the_connect_url_says_stays() {
    let integration = created("?lang=ar&theme=light").await;
    let place = mount(&integration, json!({"locale": "he", "theme": "dark"}));
    assert_eq!(look(&place), "");
    assert_eq!(attribute(&place, "lang"), "he");
    integration.destroy();
    place.remove();
}

#[wasm_bindgen_test]
async fn it_follows_the_document_and_tells_the_page_and_the_window() {
    let root = root();
    root.set_attribute("lang", "ar-EG").unwrap();
    root.style().set_property("color-scheme", "light").unwrap();
    let integration = created("").await;
    let place = mount(&integration, json!({}));
    assert_eq!(look(&place), "&lang=ar-EG&theme=light");
    assert_eq!(attribute(&place, "dir"), "rtl");
    let (greet, greetings) = recorder();
    let window = with(
        &json!({"closed": false}),
        &[("postMessage", greet.as_ref())],
    );
    let opens = record_opens(&window);
    part(&place, "open-window").click();
    let restore: js_sys::Function = get(&opens, "restore").unchecked_into();
    restore.call0(&opens).unwrap();
    assert_eq!(says(&place, "code"), "تأكد أن النافذة الأخرى تعرض 0420");

    root.set_attribute("lang", "he").unwrap();
    root.style().set_property("color-scheme", "dark").unwrap();
    let body = part(&place, "body");
    let follows = body.clone();
    eventually(move || follows.get_attribute("lang").as_deref() == Some("he")).await;
    let scheme = body.style().get_property_value("color-scheme");
    assert_eq!(scheme.unwrap(), "dark");
    assert_eq!(says(&place, "code"), "ודאו שבחלון השני מופיע 0420");
    let told = json!({"posConnect": 1, "type": "hello", "locale": "he", "theme": "dark"});
    let heard = greetings.clone();
    let expected = told.clone();
    eventually(move || heard.iter().any(|one| to_value(&one) == expected)).await;
    let frame = part(&place, "frame").get_attribute("src").unwrap();
    assert!(
        frame.ends_with("&lang=ar-EG&theme=light"),
        "it is not loaded anew"
    );

    root.remove_attribute("lang").unwrap();
    root.style().remove_property("color-scheme").unwrap();
    integration.destroy();
    place.remove();
}
