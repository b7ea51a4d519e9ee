use super::*;
use crate::core::options::Options;
use crate::keypad::settings::{ORDER_ID, REGION};
use crate::phone::Region;

mod code;
mod language;
mod numbers;
mod outcome;
mod random;

fn rules() -> Settings {
    let options = Options::from_iter([(&ORDER_ID, "1".into()), (&REGION, "IL".into())]);
    Settings::new(&options, &[]).ok().unwrap()
}

/// A prompt, and a clock that goes on 100 ms with each key.
struct Run {
    prompt: Prompt,
    now: f64,
}

impl Run {
    fn new(rules: Settings) -> Self {
        Self {
            prompt: Prompt::new(rules, 0.0),
            now: 0.0,
        }
    }

    fn on(&mut self, input: Input) -> Step {
        self.now += 100.0;
        self.prompt.on(input, self.now)
    }

    fn keys(&mut self, keys: &str) {
        for key in keys.bytes() {
            assert!(matches!(self.on(Input::Symbol(key)), Step::Show));
        }
    }

    fn wait(&mut self, ms: f64) -> Step {
        self.now += ms;
        self.prompt.on(Input::Tick, self.now)
    }

    fn view(&mut self) -> crate::keypad::view::View {
        self.prompt.view()
    }

    fn said(&mut self) -> String {
        self.view().announcement.unwrap_or_default()
    }
}

fn word(step: &Step) -> &'static str {
    match step {
        Step::Nothing => "nothing",
        Step::Show => "show",
        Step::Send => "send",
        Step::Failed => "failed",
        Step::Scan => "scan",
        Step::Settled(End::Scanned) => "scanned",
        Step::Settled(End::Ereceipt(_)) => "ereceipt",
        Step::Settled(End::Print(reason)) => reason.as_str(),
        Step::Translate => "translate",
        Step::Settled(End::None(_)) => "none",
    }
}

#[test]
fn a_valid_number_is_sent() {
    let mut run = Run::new(rules());
    run.keys("0502345678");
    match run.on(Input::Send) {
        Step::Settled(End::Ereceipt(phone)) => {
            assert_eq!(phone.e164.as_deref(), Some("+972502345678"));
        }
        step => panic!("{}", word(&step)),
    }
    assert!(run.prompt.entry.is_empty() && run.prompt.phone.is_none());
    assert_eq!(word(&run.on(Input::Print)), "nothing");
}

#[test]
fn with_a_host_to_ask_it_is_sent_when_the_host_accepts() {
    let asking = || {
        let mut run = Run::new(Settings {
            asks_host: true,
            ..rules()
        });
        run.keys("0502345678");
        assert_eq!(word(&run.on(Input::Send)), "send");
        assert_eq!(word(&run.on(Input::Send)), "nothing", "twice");
        assert_eq!(word(&run.on(Input::Symbol(b'1'))), "nothing");
        assert_eq!(run.view().hint, "Sending…");
        run
    };
    assert_eq!(word(&asking().on(Input::Accepted(false))), "ereceipt");
    let failed = Input::End(PrintReason::SendFailed);
    assert_eq!(word(&asking().on(failed)), "send_failed");
    assert_eq!(word(&asking().on(Input::Print)), "chosen");
    assert_eq!(word(&asking().wait(9_000.0)), "nothing");
    assert_eq!(word(&asking().wait(10_000.0)), "send_failed");
}

#[test]
fn an_acceptance_that_nobody_asked_for_does_nothing() {
    let mut run = Run::new(rules());
    run.keys("0502345678");
    assert_eq!(word(&run.on(Input::Accepted(false))), "nothing");
}

#[test]
fn sending_too_early_says_what_is_missing() {
    let mut run = Run::new(rules());
    assert_eq!(run.view().tone.as_str(), "plain");
    assert_eq!(word(&run.on(Input::Send)), "show");
    let view = run.view();
    assert_eq!(
        view.hint,
        "Enter your mobile number, or choose Print receipt."
    );
    assert_eq!(
        (view.tone.as_str(), view.announcement),
        ("bad", Some(view.hint))
    );
    run.keys("050");
    assert_eq!(run.view().tone.as_str(), "plain");
    run.on(Input::Send);
    assert!(run.view().hint.contains("too short"));
}

#[test]
fn a_dead_end_shows_while_typing() {
    let mut run = Run::new(rules());
    run.keys("03123");
    let view = run.view();
    assert!(view.hint.contains("not a mobile number"));
    assert_eq!(view.tone.as_str(), "bad");
    assert_eq!(word(&run.on(Input::Send)), "show");
}

#[test]
fn no_receipt_only_where_it_is_offered() {
    assert_eq!(word(&Run::new(rules()).on(Input::None)), "nothing");
    let mut run = Run::new(Settings {
        allows_none: true,
        ..rules()
    });
    assert_eq!(word(&run.on(Input::None)), "none");
}

#[test]
fn a_known_number_is_masked_and_replaced_by_the_first_key() {
    let known = || {
        Run::new(Settings {
            prefill: "+972502345678".into(),
            ..rules()
        })
    };
    assert_eq!(known().view().display, "•••• 5678");
    assert_eq!(word(&known().on(Input::Send)), "ereceipt");
    for input in [Input::Symbol(b'0'), Input::Back, Input::Clear] {
        let mut run = known();
        run.on(input);
        assert!(!run.view().display.contains("5678"));
        assert_eq!(word(&run.on(Input::Send)), "show");
    }
    let mut run = Run::new(Settings {
        prefill: "0502345678".into(),
        ..rules()
    });
    assert_eq!(run.view().display, "");
}

#[test]
fn nobody_answers() {
    let mut run = Run::new(rules());
    assert_eq!(word(&run.wait(39_000.0)), "nothing");
    assert_eq!(word(&run.wait(2_050.0)), "show");
    let view = run.view();
    assert!(
        view.hint.contains("19") || view.hint.contains("20"),
        "{}",
        view.hint
    );
    assert_eq!(view.announcement, Some(view.hint));
    assert_eq!(word(&run.wait(100.0)), "nothing", "the same second");
    assert_eq!(word(&run.wait(1000.0)), "show");
    assert_eq!(run.view().announcement, None, "said once");
    assert_eq!(word(&run.on(Input::Touch)), "show");
    assert_eq!(run.view().tone.as_str(), "plain");
    assert_eq!(word(&run.wait(39_000.0)), "nothing");
    assert_eq!(word(&run.wait(21_000.0)), "timeout");
    let mut run = Run::new(Settings {
        prints_unanswered: false,
        ..rules()
    });
    assert!(matches!(
        run.wait(60_000.0),
        Step::Settled(End::None("timeout"))
    ));
}

#[test]
fn a_scanners_code_is_taken_back() {
    for code in ["4006381333931", "ABC123456", "0502345678"] {
        let mut run = Run::new(rules());
        run.keys("050");
        for character in code.bytes() {
            run.now += 4.0;
            let symbol = character.is_ascii_digit().then_some(character);
            run.prompt.on(Input::Typed(symbol), run.now);
        }
        assert_eq!(run.view().display, "050");
        assert!(run.prompt.is_scanners(run.now + 10.0, Key::Enter));
    }
}

#[test]
fn a_paste_without_a_number_says_so_and_leaves_what_stood_there() {
    for keys in ["", "050", "0502345678", "03123"] {
        let mut run = Run::new(rules());
        run.keys(keys);
        let before = run.view().display;
        assert_eq!(word(&run.on(Input::Unread)), "show");
        let view = run.view();
        assert_eq!(view.display, before);
        assert!(view.hint.starts_with("There is no mobile number"));
        assert_eq!(
            (view.tone.as_str(), view.announcement),
            ("warning", Some(view.hint))
        );
        run.on(Input::Back);
        assert!(!run.view().hint.starts_with("There is no"), "{keys}");
    }
}

#[test]
fn what_a_screen_reader_hears() {
    let mut run = Run::new(rules());
    run.keys("05");
    assert_eq!(run.said(), "5");
    assert_eq!(word(&run.wait(700.0)), "nothing");
    run.wait(200.0);
    assert_eq!(run.said(), "0 5");
    run.wait(5000.0);
    assert_eq!(run.said(), "", "once");
    run.keys("02345678");
    run.wait(900.0);
    assert_eq!(run.said(), "0 5 0 2 3 4 5 6 7 8. Ready to send");
    for (announce, key, pause) in [
        (Announce::Count, "", "5 digits. This is not"),
        (Announce::Off, "", "This is not"),
    ] {
        let mut run = Run::new(Settings {
            announce,
            ..rules()
        });
        run.keys("03123");
        assert_eq!(run.said(), key);
        run.wait(900.0);
        assert!(run.said().starts_with(pause));
    }
}

#[test]
fn a_suggestion_is_one_touch_away() {
    let mut run = Run::new(Settings {
        region: Region::parse("DE").unwrap(),
        ..rules()
    });
    run.keys("4915123456789");
    let view = run.view();
    assert!(view.suggestion.contains("+49 15"), "{}", view.suggestion);
    assert_eq!(view.hint, "");
    assert_eq!(word(&run.on(Input::Send)), "show", "not silently");
    assert!(run.said().starts_with("Did you mean + 4 9 1 5 1"));
    run.on(Input::Accept);
    assert_eq!(run.view().suggestion, "");
    assert_eq!(word(&run.on(Input::Send)), "ereceipt");
    assert_eq!(word(&Run::new(rules()).on(Input::Accept)), "show");
}

#[test]
fn the_declared_reasons_are_the_reasons() {
    let words: Vec<_> = PrintReason::ALL
        .iter()
        .map(|reason| reason.as_str())
        .collect();
    let types = include_str!("../../../pkg-template/index.d.ts");
    let (_, union) = types.split_once("export type PrintReason =").unwrap();
    let (union, _) = union.split_once(';').unwrap();
    let declared: Vec<_> = union
        .lines()
        .filter_map(|line| line.trim().strip_prefix("| \"")?.strip_suffix('"'))
        .collect();
    let place = "PrintReason in pkg-template/index.d.ts, in the order of PrintReason::ALL";
    assert_eq!(declared, words, "{place}");
    let page = include_str!("../../../docs/keypad.md");
    for word in words {
        let named = ["`", word, "`"].concat();
        let has_row = |line: &str| line.starts_with('|') && line.contains(&named);
        assert!(
            page.lines().any(has_row),
            "docs/keypad.md has no row for {word}"
        );
    }
}
