use super::*;

#[test]
fn the_first_subtag_says_the_language() {
    for (tag, language) in [
        ("en", Some(Language::English)),
        ("en-GB", Some(Language::English)),
        ("iw_IL", Some(Language::Hebrew)),
        (" AR-eg", Some(Language::Arabic)),
        ("arc", None),
        ("heb", None),
        ("é", None),
        ("", None),
    ] {
        assert_eq!(Language::from_tag(tag), language, "{tag}");
    }
    for language in Language::ALL {
        assert_eq!(Language::from_tag(language.tag()), Some(language));
    }
}

#[test]
fn a_script_says_the_direction_and_else_the_language() {
    for (tag, expected) in [
        ("HE", "rtl"),
        ("ar_EG", "rtl"),
        ("ur", "rtl"),
        ("ckb-IQ", "rtl"),
        ("pa-Arab-PK", "rtl"),
        ("ff-adlm", "rtl"),
        ("he-Latn", "ltr"),
        ("en-1996", "ltr"),
        ("", "ltr"),
    ] {
        assert_eq!(direction(tag), expected, "{tag}");
    }
}

/// Every text of every surface: what English has, what another language has, and what stands for a name or a number.
fn pairs() -> Vec<(Language, String, &'static str, &'static str, &'static str)> {
    let mut pairs = Vec::new();
    for language in Language::ALL {
        for surface in page::surfaces() {
            for (name, _, text) in &surface.rows {
                let at = [language.tag(), " ", surface.heading, ": ", name].concat();
                pairs.push((
                    language,
                    at,
                    text(Language::English),
                    text(language),
                    surface.blank,
                ));
            }
        }
    }
    pairs
}

#[test]
fn every_text_has_something_to_say_and_its_blanks_in_every_language() {
    for (_, at, english, text, blank) in pairs() {
        assert_eq!(text.trim(), text, "{at}");
        assert!(!text.is_empty(), "{at}");
        assert_eq!(
            text.matches(blank).count(),
            english.matches(blank).count(),
            "{at}"
        );
    }
}

#[test]
fn a_text_is_written_in_the_letters_of_its_language() {
    for (language, at, _, text, _) in pairs() {
        let is_hebrew = |letter| ('\u{590}'..='\u{5ff}').contains(&letter);
        let is_arabic = |letter| ('\u{600}'..='\u{6ff}').contains(&letter);
        let own = |letter: char| match language {
            Language::Hebrew => is_hebrew(letter),
            Language::Arabic => is_arabic(letter),
            _ => letter.is_alphabetic() && !is_hebrew(letter) && !is_arabic(letter),
        };
        assert!(text.chars().any(own), "{at}: {text}");
    }
}

#[test]
fn one_thing_has_one_term() {
    // The left was used beside the right.
    const TERMS: [(Language, &str, &str); 14] = [
        (Language::English, "customers list", "customer list"),
        (Language::English, "Cancelled", "Canceled"),
        (Language::English, "e-Receipt", "e-receipt"),
        (Language::Hebrew, "הודעת טקסט", "מסרון"),
        (Language::Hebrew, "התכוונת ", "התכוונתם"),
        (Language::Hebrew, "דוא״ל", "אימייל"),
        (Language::Hebrew, "שלך", "שלכם"),
        (Language::Arabic, "بدلاً", "بدلًا"),
        (Language::Arabic, "بدلاً من ذلك", "اطبع الإيصال"),
        (Language::Arabic, "اطلبوا", "اطلب"),
        (Language::Spanish, "SMS", "mensaje de texto"),
        (Language::Spanish, "factura", "recibo"),
        (Language::Spanish, " tu ", " su "),
        (Language::Arabic, "نقطة المبيعات", "نقطة البيع"),
    ];
    for (of, at, _, text, _) in pairs() {
        for (language, other, term) in TERMS {
            let is_other = of == language && text.contains(other);
            assert!(!is_other, "{at}: not {other}, but {term}");
        }
    }
}
