//! The shopper chooses a language.

use super::*;
use crate::core::options::Value;
use crate::keypad::settings::{LABELS, LANGUAGES, LOCALE, ON_SEND};

fn run(labels: &[(&str, &str)]) -> Run {
    let labels = labels.iter();
    let labels = labels.map(|(name, text)| (String::from(*name), String::from(*text)));
    let languages = ["en", "he", "ar"].map(String::from);
    let options = Options::from_iter([
        (&REGION, "IL".into()),
        (&LOCALE, "en".into()),
        (&LANGUAGES, Value::Texts(languages.into())),
        (&LABELS, Value::Labels(labels.collect())),
        (&ON_SEND, Value::Flag(true)),
    ]);
    let settings = Settings::new(&options, &[]);
    Run::new(settings.ok().unwrap())
}

#[test]
fn the_digits_stay_and_it_is_said_once() {
    let mut run = run(&[]);
    run.keys("0502");
    let shown = run.view();
    assert!(matches!(run.on(Input::Language(1)), Step::Translate));
    let view = run.view();
    assert_eq!(view.display, shown.display);
    assert_eq!(view.hint, "הקלידו את מספר הנייד");
    assert_eq!(view.send, "שליחת קבלה דיגיטלית");
    assert_eq!(
        view.announcement.as_deref(),
        Some("עברית. הקלידו את מספר הנייד")
    );
    assert_eq!(run.said(), "");
}

#[test]
fn while_the_host_is_asked_and_after_a_failure_it_stays() {
    let mut run = run(&[]);
    run.keys("0502345678");
    run.on(Input::Language(1));
    assert!(matches!(run.on(Input::Send), Step::Send));
    assert!(matches!(run.on(Input::Language(2)), Step::Nothing));
    run.on(Input::Rejected(true));
    assert!(matches!(run.on(Input::Language(2)), Step::Nothing));
    assert_eq!(run.prompt.settings.texts.tag(), "he");
}

#[test]
fn a_language_of_the_hosts_is_named_by_the_browser_or_by_its_tag() {
    let mut run = run(&[("lang", "fr"), ("hint", "Votre numéro")]);
    assert_eq!(run.view().hint, "Votre numéro");
    run.on(Input::Language(1));
    assert_eq!(run.said(), "English. Enter your mobile number");
    run.on(Input::Language(0));
    assert_eq!(run.said(), "fr. Votre numéro");
}

#[test]
fn without_a_choice_nothing_happens() {
    let mut run = Run::new(rules());
    assert!(matches!(run.on(Input::Language(0)), Step::Nothing));
}
