//! The code: shown at once, accepted by the host, and over by "done" or by time.

use super::*;

fn scanning() -> Run {
    let mut run = Run::new(Settings {
        asks_host: true,
        allows_none: true,
        ..rules()
    });
    run.prompt.offers_code = true;
    run.keys("050");
    assert_eq!(word(&run.on(Input::Scan)), "scan");
    let view = run.view();
    assert_eq!(
        (view.display.as_str(), view.tone.as_str()),
        ("", "code"),
        "the number is gone"
    );
    assert_eq!(
        view.announcement.as_deref(),
        Some("Scan this code with your phone")
    );
    run
}

fn accepted() -> Run {
    let mut run = scanning();
    assert_eq!(word(&run.on(Input::Accepted(false))), "nothing");
    run
}

#[test]
fn it_is_shown_only_where_it_is_offered() {
    assert_eq!(word(&Run::new(rules()).on(Input::Scan)), "nothing");
    let mut run = scanning();
    for dead in [
        Input::Scan,
        Input::Send,
        Input::None,
        Input::Symbol(b'1'),
        Input::Language(0),
        Input::Touch,
    ] {
        assert_eq!(word(&run.on(dead)), "nothing", "{dead:?}");
    }
}

#[test]
fn done_ends_it_once_the_host_has_accepted() {
    assert_eq!(word(&accepted().on(Input::Done)), "scanned");
    let mut run = scanning();
    assert_eq!(word(&run.on(Input::Done)), "nothing");
    assert_eq!(word(&run.on(Input::Accepted(true))), "scanned");
    assert_eq!(word(&Run::new(rules()).on(Input::Done)), "nothing");
}

#[test]
fn who_leaves_an_accepted_code_has_the_receipt() {
    let replaced = Input::End(PrintReason::Replaced);
    assert_eq!(word(&accepted().on(replaced)), "scanned");
    assert_eq!(word(&accepted().wait(60_000.0)), "scanned");
    let mut run = accepted();
    run.wait(50_000.0);
    run.on(Input::Touch);
    assert_eq!(word(&run.wait(59_000.0)), "nothing", "somebody is there");
}

#[test]
fn everything_else_is_paper() {
    assert_eq!(word(&scanning().wait(10_000.0)), "send_failed");
    assert_eq!(word(&scanning().on(Input::Rejected(true))), "send_failed");
    let replaced = Input::End(PrintReason::Replaced);
    assert_eq!(word(&scanning().on(replaced)), "replaced");
    assert_eq!(word(&accepted().on(Input::Print)), "chosen");
    let hidden = Input::End(PrintReason::PageHidden);
    assert_eq!(word(&accepted().on(hidden)), "page_hidden");
}
