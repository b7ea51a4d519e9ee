use super::*;

fn labels(own: &[(&str, &str)]) -> Labels {
    own.iter()
        .map(|(name, text)| (String::from(*name), String::from(*text)))
        .collect()
}

fn strings(tags: &[&str]) -> Vec<String> {
    tags.iter().map(|tag| String::from(*tag)).collect()
}

fn texts_of(wanted: &str, own: &[(&str, &str)], offered: &[&str]) -> Texts {
    Texts::new(wanted, &[], labels(own), &strings(offered)).unwrap()
}

#[test]
fn the_first_known_language_is_chosen() {
    let tag = |wanted: &str, others: &[&str]| {
        let texts = Texts::new(wanted, &strings(others), Labels::default(), &[]);
        texts.unwrap().tag().to_owned()
    };
    assert_eq!(tag("", &["he-IL"]), "he");
    assert_eq!(tag("", &["fr", "he", "en"]), "he");
    assert_eq!(tag("", &["arc", "heb", "", "é", "xx"]), "en");
    assert_eq!(tag("", &[]), "en");
    assert_eq!(tag("ar", &["he"]), "ar");
}

#[test]
fn every_text_holds_a_number_where_it_should() {
    for language in Language::ALL {
        for key in TextKey::ALL {
            let text = Keypad::of(language).get(key);
            let holds = matches!(
                key,
                TextKey::Suggestion
                    | TextKey::Sent
                    | TextKey::Accepted
                    | TextKey::Idle
                    | TextKey::IdleNone
                    | TextKey::Count
            );
            assert_eq!(text.matches('#').count(), usize::from(holds), "{text}");
        }
    }
}

#[test]
fn the_declared_labels_are_the_labels() {
    let types = include_str!("../../../pkg-template/index.d.ts");
    let (_, labels) = types
        .split_once("export interface ReceiptLabels {")
        .unwrap();
    let (labels, _) = labels.split_once("\n}").unwrap();
    let members = labels
        .lines()
        .filter_map(|line| line.trim().strip_suffix(": string;"));
    let members: Vec<_> = members.collect();
    let place = "ReceiptLabels in pkg-template/index.d.ts, in the order of TextKey";
    assert_eq!(members, TextKey::ALL.map(TextKey::name), "{place}");
    for key in TextKey::ALL {
        let text = Keypad::of(Language::English)
            .get(key)
            .replace('\u{a0}', " ");
        assert!(labels.contains(&["\"", &text, "\""].concat()), "{text}");
    }
}

#[test]
fn numbers_are_put_into_texts() {
    assert_eq!(texts_of("", &[], &[]).with(TextKey::Count, "5"), "5 digits");
    let own = texts_of("", &[("count", "é")], &[]);
    assert_eq!(own.with(TextKey::Count, "5"), "é5");
}

#[test]
fn own_texts_say_what_they_are_written_in() {
    for (own, tag, dir) in [
        (&[("lang", "fr-CA")][..], "fr-CA", "ltr"),
        (&[("lang", "fa")], "fa", "rtl"),
        (&[("lang", "uz-Arab"), ("dir", "rtl")], "uz-Arab", "rtl"),
        (&[("lang", "he"), ("dir", "ltr")], "he", "ltr"),
        (&[("dir", "rtl")], "en", "rtl"),
    ] {
        let texts = texts_of("", own, &[]);
        assert_eq!((texts.tag(), texts.dir()), (tag, dir));
    }
    // What they lack is of that language, if it is ours, and else of the page.
    let text = |wanted, own| {
        let texts = texts_of(wanted, own, &[]);
        texts.get(TextKey::Print).to_owned()
    };
    assert_eq!(text("", &[("lang", "he-IL")]), "הדפסת קבלה");
    assert_eq!(text("he", &[("lang", "yi")]), "הדפסת קבלה");
    assert_eq!(text("he", &[("print", "Papier")]), "Papier");
}

#[test]
fn what_is_no_tag_no_direction_and_no_language_of_ours_is_named() {
    let fault = |own: &[(&str, &str)], offered: &[&str]| {
        let texts = Texts::new("", &[], labels(own), &strings(offered));
        texts.err().unwrap()
    };
    for tag in [
        "",
        "e",
        "fr_FR",
        "fr-",
        "12",
        "français",
        "fr-toolongsubtag",
        " fr",
    ] {
        assert_eq!(
            fault(&[("lang", tag)], &[]),
            "labels.lang: is no language tag"
        );
    }
    for dir in ["", "auto", "RTL"] {
        let expected = "labels.dir: is neither ltr nor rtl";
        assert_eq!(fault(&[("dir", dir)], &[]), expected);
    }
    let expected = "languages: fr is not en, he, ar or es";
    assert_eq!(fault(&[], &["en", "fr"]), expected);
    let expected = "languages: one is not en, he, ar or es";
    assert_eq!(fault(&[], &["en", "not a tag"]), expected);
}

/// A text in each of the languages that are offered.
fn each(texts: &Texts) -> Vec<String> {
    let shows = |place| {
        assert!(texts.show(place));
        assert_eq!(
            (texts.shown(), Some(texts.tag())),
            (place, texts.offered(place))
        );
        texts.get(TextKey::Clear).to_owned()
    };
    (0..texts.count()).map(shows).collect()
}

#[test]
fn the_page_s_own_language_is_the_first_of_those_that_are_offered() {
    let tags = |wanted, own, offered| {
        let texts = texts_of(wanted, own, offered);
        let tag = |place| texts.offered(place).map(String::from);
        (0..texts.count()).filter_map(tag).collect::<Vec<_>>()
    };
    assert_eq!(tags("he", &[], &["en", "he-IL", "ar"]), ["he", "en", "ar"]);
    assert_eq!(tags("ar", &[], &["en", "he", "en"]), ["ar", "en", "he"]);
    let own = &[("lang", "fr")];
    assert_eq!(tags("", own, &["en", "he"]), ["fr", "en", "he"]);
    let own = &[("lang", "en-GB")];
    assert_eq!(tags("", own, &["en", "he"]), ["en-GB", "he"]);
}

#[test]
fn own_texts_are_shown_in_their_own_language_only() {
    let own = &[("clear", "Effacer"), ("lang", "fr"), ("dir", "rtl")];
    let texts = texts_of("", own, &["en", "he"]);
    assert_eq!(texts.dir(), "rtl");
    assert_eq!(each(&texts), ["Effacer", "Clear", "ניקוי"]);
    assert!(texts.show(1) && !texts.show(3));
    assert_eq!((texts.tag(), texts.dir()), ("en", "ltr"));
}

#[test]
fn fewer_than_two_are_no_choice() {
    for offered in [&[][..], &["he"], &["he", "iw-IL"]] {
        let texts = texts_of("en", &[], offered);
        assert!(texts.count() == 0 && !texts.show(0));
        assert_eq!(texts.tag(), "en");
    }
}

#[test]
fn a_language_is_named_in_itself() {
    let of_browser = |_: &str| Some("français".to_owned());
    assert_eq!(own_name("he-IL", of_browser), "עברית");
    assert_eq!(own_name("fr", of_browser), "français");
    assert_eq!(own_name("xx", |_| None), "xx");
}
