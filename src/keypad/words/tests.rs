use super::*;

fn labels(own: &[(&str, &str)]) -> Labels {
    own.iter()
        .map(|(name, text)| (String::from(*name), String::from(*text)))
        .collect()
}

fn strings(tags: &[&str]) -> Vec<String> {
    tags.iter().map(|tag| String::from(*tag)).collect()
}

fn words(wanted: &str, own: &[(&str, &str)], offered: &[&str]) -> Words {
    Words::new(wanted, &[], labels(own), &strings(offered)).unwrap()
}

#[test]
fn the_first_known_language_is_chosen() {
    let tag = |wanted: &str, others: &[&str]| {
        let words = Words::new(wanted, &strings(others), Labels::default(), &[]);
        words.unwrap().tag().to_owned()
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
        for word in Word::ALL {
            let text = Keypad::of(language).get(word);
            let holds = matches!(
                word,
                Word::Suggestion
                    | Word::Sent
                    | Word::Accepted
                    | Word::Idle
                    | Word::IdleNone
                    | Word::Count
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
    let place = "ReceiptLabels in pkg-template/index.d.ts, in the order of Word";
    assert_eq!(members, Word::ALL.map(Word::name), "{place}");
    for word in Word::ALL {
        let text = Keypad::of(Language::English)
            .get(word)
            .replace('\u{a0}', " ");
        assert!(labels.contains(&["\"", &text, "\""].concat()), "{text}");
    }
}

#[test]
fn numbers_are_put_into_texts() {
    assert_eq!(words("", &[], &[]).with(Word::Count, "5"), "5 digits");
    let own = words("", &[("count", "é")], &[]);
    assert_eq!(own.with(Word::Count, "5"), "é5");
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
        let words = words("", own, &[]);
        assert_eq!((words.tag(), words.dir()), (tag, dir));
    }
    // What they lack is of that language, if it is ours, and else of the page.
    let text = |wanted, own| {
        let words = words(wanted, own, &[]);
        words.get(Word::Print).to_owned()
    };
    assert_eq!(text("", &[("lang", "he-IL")]), "הדפסת קבלה");
    assert_eq!(text("he", &[("lang", "yi")]), "הדפסת קבלה");
    assert_eq!(text("he", &[("print", "Papier")]), "Papier");
}

#[test]
fn what_is_no_tag_no_direction_and_no_language_of_ours_is_named() {
    let fault = |own: &[(&str, &str)], offered: &[&str]| {
        let words = Words::new("", &[], labels(own), &strings(offered));
        words.err().unwrap()
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
fn each(words: &Words) -> Vec<String> {
    let shows = |place| {
        assert!(words.show(place));
        assert_eq!(
            (words.shown(), Some(words.tag())),
            (place, words.offered(place))
        );
        words.get(Word::Clear).to_owned()
    };
    (0..words.count()).map(shows).collect()
}

#[test]
fn the_page_s_own_language_is_the_first_of_those_that_are_offered() {
    let tags = |wanted, own, offered| {
        let words = words(wanted, own, offered);
        let tag = |place| words.offered(place).map(String::from);
        (0..words.count()).filter_map(tag).collect::<Vec<_>>()
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
    let words = words("", own, &["en", "he"]);
    assert_eq!(words.dir(), "rtl");
    assert_eq!(each(&words), ["Effacer", "Clear", "ניקוי"]);
    assert!(words.show(1) && !words.show(3));
    assert_eq!((words.tag(), words.dir()), ("en", "ltr"));
}

#[test]
fn fewer_than_two_are_no_choice() {
    for offered in [&[][..], &["he"], &["he", "iw-IL"]] {
        let words = words("en", &[], offered);
        assert!(words.count() == 0 && !words.show(0));
        assert_eq!(words.tag(), "en");
    }
}

#[test]
fn a_language_is_named_in_itself() {
    let of_browser = |_: &str| Some("français".to_owned());
    assert_eq!(own_name("he-IL", of_browser), "עברית");
    assert_eq!(own_name("fr", of_browser), "français");
    assert_eq!(own_name("xx", |_| None), "xx");
}
