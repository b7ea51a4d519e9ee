//! A host that refuses, another attempt, and what the shopper is told after the end.

use super::*;

fn shown_for(outcome_ms: f64, asks_host: bool) -> Run {
    Run::new(Settings {
        outcome_ms,
        asks_host,
        ..rules()
    })
}

/// A prompt whose first attempt was refused.
fn refused(outcome_ms: f64) -> Run {
    let mut run = shown_for(outcome_ms, true);
    run.keys("0502345678");
    assert_eq!(word(&run.on(Input::Send)), "send");
    assert_eq!(word(&run.on(Input::Rejected(true))), "failed");
    run
}

#[test]
fn a_refused_one_can_be_sent_once_more() {
    let mut run = refused(2_000.0);
    let view = run.view();
    assert_eq!(
        (view.hint.as_str(), view.send.as_str()),
        ("Couldn't send. Printing your receipt", "Try again")
    );
    assert_eq!(
        view.announcement.as_deref(),
        Some(&*view.hint),
        "heard, once"
    );
    assert_eq!(view.tone.as_str(), "failed");
    assert_eq!(run.said(), "");
    for dead in [
        Input::Symbol(b'1'),
        Input::Clear,
        Input::Touch,
        Input::Rejected(true),
        Input::Accepted(false),
    ] {
        assert_eq!(word(&run.on(dead)), "nothing", "{dead:?}");
    }
    assert_eq!(word(&run.on(Input::Send)), "send");
    assert_eq!(run.view().send, "Send e-receipt");
    assert_eq!(word(&run.on(Input::Accepted(false))), "ereceipt");
    let mut run = refused(2_000.0);
    run.on(Input::Send);
    assert_eq!(
        word(&run.on(Input::Rejected(true))),
        "send_failed",
        "twice is enough"
    );
}

#[test]
fn without_another_attempt_it_prints() {
    assert_eq!(word(&refused(2_000.0).on(Input::Print)), "send_failed");
    let mut run = refused(2_000.0);
    assert_eq!(word(&run.wait(4_800.0)), "nothing");
    assert_eq!(word(&run.wait(300.0)), "send_failed");
    let mut run = refused(8_000.0);
    assert_eq!(word(&run.wait(7_500.0)), "nothing");
    assert_eq!(word(&run.wait(600.0)), "send_failed");
    // The host says that it makes no difference; or nobody is to see it.
    for (outcome_ms, may_retry) in [(2_000.0, false), (0.0, true)] {
        let mut run = shown_for(outcome_ms, true);
        run.keys("0502345678");
        run.on(Input::Send);
        assert_eq!(word(&run.on(Input::Rejected(may_retry))), "send_failed");
    }
    // One that hangs was long enough.
    let mut run = shown_for(2_000.0, true);
    run.keys("0502345678");
    run.on(Input::Send);
    assert_eq!(word(&run.wait(10_000.0)), "send_failed");
}

/// What the shopper is told after a prompt that ends so.
fn told(mut run: Run, last: Input) -> Option<String> {
    match run.on(last) {
        Step::Settled(end) => run.prompt.outcome_text(&end),
        step => panic!("{}", word(&step)),
    }
}

#[test]
fn the_shopper_is_told_what_became_of_it() {
    let typed = |asks_host| {
        let mut run = shown_for(2_000.0, asks_host);
        run.keys("0502345678");
        run
    };
    let sending = || {
        let mut run = typed(true);
        run.on(Input::Send);
        run
    };
    let masked = "\u{2066}•••• 5678\u{2069}";
    let said = |text: Option<String>| text.unwrap_or_default();
    assert_eq!(
        said(told(sending(), Input::Accepted(false))),
        format!("Sent to {masked}")
    );
    let accepted = format!("We'll text your receipt to {masked}");
    assert_eq!(said(told(sending(), Input::Accepted(true))), accepted);
    assert_eq!(said(told(typed(false), Input::Send)), accepted);
    assert_eq!(said(told(typed(false), Input::Print)), "Printing");
    let failed = "Couldn't send. Printing your receipt";
    assert_eq!(said(told(sending(), Input::Rejected(false))), failed);
    assert_eq!(
        said(told(refused(2_000.0), Input::Print)),
        "Printing",
        "known already"
    );
    for reason in [
        PrintReason::Aborted,
        PrintReason::Replaced,
        PrintReason::Removed,
        PrintReason::PageHidden,
    ] {
        assert_eq!(told(typed(false), Input::End(reason)), None, "{reason:?}");
    }
    let mut run = shown_for(0.0, false);
    run.keys("0502345678");
    assert_eq!(told(run, Input::Send), None, "nothing is shown");
}
