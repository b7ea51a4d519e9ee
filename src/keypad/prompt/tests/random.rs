//! Whatever happens, in whatever order: a prompt settles once.

use super::*;

/// A small generator of our own, so that a failing seed can be run again.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }
}

fn any_input(random: &mut Random, host_has_answered: &mut bool) -> Input {
    let digit = b'0' + u8::try_from(random.below(10)).unwrap();
    match random.below(42) {
        0..=11 => Input::Symbol(digit),
        12..=15 => Input::Typed(Some(digit)),
        16 => Input::Typed(None),
        17 => Input::Symbol(b'+'),
        18 => Input::Back,
        19 => Input::Clear,
        20 => Input::Accept,
        21..=25 => Input::Send,
        26 => Input::None,
        27 => Input::Touch,
        28..=33 => Input::Tick,
        34 | 35 => {
            *host_has_answered = true;
            Input::Accepted(false)
        }
        36 if random.below(3) == 0 => Input::Print,
        37 if random.below(3) == 0 => {
            Input::End(PrintReason::ALL[random.below(PrintReason::ALL.len())])
        }
        // For a new input: take one of these.
        38 => Input::Language(random.below(3)),
        39 => Input::Unread,
        40 => Input::Scan,
        41 => Input::Done,
        _ => Input::Tick,
    }
}

#[test]
fn ten_thousand_random_orders_settle_once_and_never_without_a_receipt() {
    let mut seen = std::collections::BTreeMap::new();
    for seed in 0..10_000 {
        let mut random = Random(seed);
        let asks_host = random.below(2) == 0;
        let mut run = Run::new(Settings {
            asks_host,
            allows_none: random.below(2) == 0,
            prints_unanswered: random.below(2) == 0,
            prefill: ["", "+972502345678"][usize::from(random.below(8) == 0)].into(),
            ..rules()
        });
        run.prompt.offers_code = random.below(2) == 0;
        if random.below(2) == 0 {
            run.keys("0502345678");
        }
        let (mut ends, mut was_sending) = (0, false);
        for turn in 0..400 {
            let mut host_has_answered = false;
            let input = if turn < 300 {
                any_input(&mut random, &mut host_has_answered)
            } else {
                Input::Tick
            };
            run.now += [1.0, 10.0, 60.0, 300.0, 9_000.0][random.below(5)];
            let is_valid = run.prompt.valid().is_some();
            let step = run.prompt.on(input, run.now);
            if let Step::Settled(end) = &step {
                ends += 1;
                if let End::Ereceipt(phone) = end {
                    assert_eq!(phone.verdict, Verdict::Valid, "seed {seed}");
                    assert!(is_valid, "seed {seed}");
                    assert!(
                        !asks_host || (was_sending && host_has_answered),
                        "seed {seed}"
                    );
                }
                assert!(!run.prompt.is_sending() && run.prompt.entry.is_empty());
                *seen.entry(word(&step)).or_insert(0) += 1;
            }
            assert!(ends == 0 || matches!(step, Step::Nothing | Step::Settled(_)));
            was_sending = run.prompt.is_sending();
            run.view();
        }
        assert_eq!(ends, 1, "seed {seed}");
    }
    // Every outcome was among them.
    for outcome in [
        "ereceipt",
        "none",
        "scanned",
        "chosen",
        "timeout",
        "send_failed",
        "aborted",
        "removed",
    ] {
        assert!(
            seen.get(outcome).is_some_and(|count| *count > 10),
            "{outcome}: {seen:?}"
        );
    }
}
