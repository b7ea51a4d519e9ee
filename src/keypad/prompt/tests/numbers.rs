//! What is shown of a number.

use super::*;

#[test]
fn too_many_digits_are_not_another_kind_of_number() {
    for (keys, is_too_long) in [
        ("05023456789", true),
        ("+9725023456789", true),
        ("03123", false),
        ("0501", false),
        ("0501234567", false),
    ] {
        let mut run = Run::new(rules());
        run.keys(keys);
        let view = run.view();
        assert_eq!(
            view.hint.starts_with("Too many digits"),
            is_too_long,
            "{keys}"
        );
        assert_eq!(view.tone.as_str(), "bad");
        run.on(Input::Clear);
        run.keys("0502345678");
        assert_eq!(run.view().tone.as_str(), "good", "{keys}");
    }
}

/// Settings of a browser that knows one country.
fn israel(region: &str) -> Settings {
    Settings {
        region: Region::parse(region).unwrap(),
        country: |code, language| (code == "IL" && language == "en").then(|| "Israel".into()),
        ..rules()
    }
}

#[test]
fn a_valid_number_shows_as_it_is_written_there_with_its_country() {
    for keys in ["0502345678", "502345678", "972502345678", "+972502345678"] {
        let mut run = Run::new(israel("IL"));
        run.keys(keys);
        let view = run.view();
        assert_eq!(view.display, "050-234-5678", "{keys}");
        assert_eq!(view.hint, "\u{2066}+972 50-234-5678\u{2069} · Israel");
        run.wait(900.0);
        assert!(run.said().ends_with(". Ready to send"));
        run.on(Input::Back);
        assert!(!run.view().hint.contains("Israel"), "{keys}");
    }
    let mut run = Run::new(israel("US"));
    run.keys("011972502345678");
    assert_eq!(run.view().display, "+972 50-234-5678");
    let mut run = Run::new(rules());
    run.keys("0502345678");
    let hint = "\u{2066}+972 50-234-5678\u{2069}";
    assert_eq!(run.view().hint, hint, "a browser that knows no names");
    let mut run = Run::new(Settings {
        prefill: "+972502345678".into(),
        ..israel("IL")
    });
    assert_eq!(run.view().hint, "Ready to send", "nobody typed it here");
}

#[test]
fn what_foreigners_type_is_offered_with_its_country() {
    for keys in ["972502345678", "00972502345678"] {
        let mut run = Run::new(israel("US"));
        run.keys(keys);
        let suggestion = "Did you mean \u{2066}+972 50-234-5678\u{2069} · Israel?";
        assert_eq!(run.view().suggestion, suggestion);
        run.on(Input::Accept);
        assert_eq!(run.view().display, "+972 50-234-5678");
        assert_eq!(word(&run.on(Input::Send)), "ereceipt");
    }
}
