use super::*;
use crate::core::error::Source;
use proptest::prelude::*;

const PENDING: Outcome = Outcome::Pending {
    interval: None,
    expires_in: None,
};
const FAILED: Outcome = Outcome::Failed {
    retry_after_ms: None,
};

/// A schedule whose first call, at 0, was answered at 0.
fn after(outcome: Outcome, random: f64) -> Schedule {
    let mut schedule = Schedule::new(0.0, None, None);
    assert_eq!(schedule.next(0.0, true), Next::Poll);
    schedule.answered(0.0, outcome, random);
    schedule
}

#[test]
fn the_first_call_is_made_at_once() {
    assert_eq!(Schedule::new(7.0, None, None).next(7.0, true), Next::Poll);
}

#[test]
fn two_calls_are_never_in_flight() {
    let mut schedule = Schedule::new(0.0, None, None);
    assert_eq!(schedule.next(0.0, true), Next::Poll);
    schedule.hinted();
    schedule.woken();
    assert!(matches!(schedule.next(600_000.0, true), Next::Sleep(_)));
}

#[test]
fn the_interval_counts_from_the_answer() {
    let mut schedule = Schedule::new(0.0, None, None);
    assert_eq!(schedule.next(0.0, true), Next::Poll);
    schedule.answered(3_000.0, PENDING, 0.0);
    assert_eq!(schedule.next(3_000.0, true), Next::Sleep(5_000.0));
    assert_eq!(schedule.next(7_999.0, true), Next::Sleep(1.0));
    assert_eq!(schedule.next(8_000.0, true), Next::Poll);
}

#[test]
fn an_interval_from_the_service_is_honoured() {
    let mut schedule = Schedule::new(0.0, Some(2.0), None);
    assert_eq!(schedule.next(0.0, true), Next::Poll);
    schedule.answered(0.0, PENDING, 0.0);
    assert_eq!(schedule.next(0.0, true), Next::Sleep(2_000.0));
    assert_eq!(schedule.next(2_000.0, true), Next::Poll);
    let told = Outcome::Pending {
        interval: Some(9.0),
        expires_in: None,
    };
    schedule.answered(2_000.0, told, 0.0);
    assert_eq!(schedule.next(2_000.0, true), Next::Sleep(9_000.0));
}

#[test]
fn an_interval_is_clamped_to_1_to_60_seconds() {
    for (sent, kept) in [
        (0.0, 1_000.0),
        (-5.0, 1_000.0),
        (0.2, 1_000.0),
        (61.0, 60_000.0),
        (1e9, 60_000.0),
    ] {
        let mut schedule = Schedule::new(0.0, Some(sent), None);
        assert_eq!(schedule.next(0.0, true), Next::Poll);
        schedule.answered(0.0, PENDING, 0.0);
        assert_eq!(schedule.next(0.0, true), Next::Sleep(kept), "{sent}");
    }
}

#[test]
fn retry_after_is_honoured() {
    let refused = Outcome::SlowDown {
        retry_after_ms: Some(30_000.0),
    };
    assert_eq!(after(refused, 0.0).next(0.0, true), Next::Sleep(30_000.0));
    let broken = Outcome::Failed {
        retry_after_ms: Some(30_000.0),
    };
    assert_eq!(after(broken, 0.0).next(0.0, true), Next::Sleep(30_000.0));
}

#[test]
fn a_short_retry_after_does_not_shorten_the_interval() {
    let refused = Outcome::SlowDown {
        retry_after_ms: Some(1_000.0),
    };
    assert_eq!(after(refused, 0.0).next(0.0, true), Next::Sleep(10_000.0));
}

#[test]
fn each_429_adds_5_seconds_for_good() {
    let refused = Outcome::SlowDown {
        retry_after_ms: None,
    };
    let mut schedule = after(refused, 0.0);
    assert_eq!(schedule.next(0.0, true), Next::Sleep(10_000.0));
    assert_eq!(schedule.next(10_000.0, true), Next::Poll);
    schedule.answered(10_000.0, refused, 0.0);
    assert_eq!(schedule.next(10_000.0, true), Next::Sleep(15_000.0));
    assert_eq!(schedule.next(25_000.0, true), Next::Poll);
    schedule.answered(25_000.0, PENDING, 0.0);
    assert_eq!(schedule.next(25_000.0, true), Next::Sleep(15_000.0));
}

#[test]
fn failures_back_off_doubling_with_full_jitter() {
    let mut schedule = after(FAILED, 1.0);
    let mut now = 0.0;
    for wait in [10_000.0, 15_000.0, 25_000.0, 45_000.0] {
        assert_eq!(schedule.next(now, true), Next::Sleep(wait));
        now += wait;
        assert_eq!(schedule.next(now, true), Next::Poll);
        schedule.answered(now, FAILED, 1.0);
    }
    assert_eq!(after(FAILED, 0.0).next(0.0, true), Next::Sleep(5_000.0));
    assert_eq!(after(FAILED, 0.5).next(0.0, true), Next::Sleep(7_500.0));
}

#[test]
fn the_back_off_is_capped() {
    let mut schedule = after(FAILED, 1.0);
    schedule.deadline = f64::MAX;
    for _ in 0..40 {
        schedule.in_flight = true;
        schedule.answered(0.0, FAILED, 1.0);
    }
    assert_eq!(schedule.next(0.0, true), Next::Sleep(65_000.0));
}

#[test]
fn an_answer_ends_the_back_off() {
    let mut schedule = after(FAILED, 1.0);
    assert_eq!(schedule.next(10_000.0, true), Next::Poll);
    schedule.answered(10_000.0, PENDING, 1.0);
    assert_eq!(schedule.next(10_000.0, true), Next::Sleep(5_000.0));
    assert_eq!(schedule.next(15_000.0, true), Next::Poll);
    schedule.answered(15_000.0, FAILED, 1.0);
    assert_eq!(schedule.next(15_000.0, true), Next::Sleep(10_000.0));
}

#[test]
fn the_deadline_is_15_minutes_unless_the_service_says_otherwise() {
    let mut schedule = after(PENDING, 0.0);
    schedule.due = f64::MAX;
    assert_eq!(schedule.next(0.0, true), Next::Sleep(900_000.0));
    let mut schedule = Schedule::new(0.0, None, Some(60.0));
    schedule.due = f64::MAX;
    assert_eq!(schedule.next(0.0, true), Next::Sleep(60_000.0));
    let told = Outcome::Pending {
        interval: None,
        expires_in: Some(1_800.0),
    };
    schedule.answered(10_000.0, told, 0.0);
    schedule.due = f64::MAX;
    assert_eq!(schedule.next(10_000.0, true), Next::Sleep(1_800_000.0));
}

#[test]
fn an_endless_lifetime_is_cut_to_a_day() {
    let mut schedule = Schedule::new(0.0, None, Some(1e300));
    schedule.due = f64::MAX;
    assert_eq!(schedule.next(0.0, true), Next::Sleep(86_400_000.0));
}

#[test]
fn the_deadline_is_a_time_not_a_count() {
    // A laptop lid closed for an hour: the next look at the clock is past the deadline.
    let mut schedule = after(PENDING, 0.0);
    assert_eq!(schedule.next(3_600_000.0, true), Next::Poll);
    schedule.answered(3_600_000.0, PENDING, 0.0);
    assert_eq!(schedule.next(3_600_000.0, true), Next::Expired);
}

#[test]
fn the_last_call_is_made_at_the_deadline() {
    let mut schedule = Schedule::new(0.0, None, Some(7.0));
    assert_eq!(schedule.next(0.0, true), Next::Poll);
    schedule.answered(0.0, PENDING, 0.0);
    assert_eq!(schedule.next(5_000.0, true), Next::Poll);
    schedule.answered(5_000.0, PENDING, 0.0);
    assert_eq!(schedule.next(5_000.0, true), Next::Sleep(2_000.0));
    assert_eq!(schedule.next(7_000.0, true), Next::Poll);
}

#[test]
fn waking_drops_the_back_off_but_never_the_interval() {
    let mut schedule = after(FAILED, 1.0);
    schedule.woken();
    assert_eq!(schedule.next(0.0, true), Next::Sleep(5_000.0));
    let mut schedule = after(PENDING, 0.0);
    schedule.woken();
    assert_eq!(schedule.next(1_000.0, true), Next::Sleep(4_000.0));
}

#[test]
fn waking_never_shortens_a_retry_after() {
    let mut schedule = after(
        Outcome::Failed {
            retry_after_ms: Some(40_000.0),
        },
        0.0,
    );
    schedule.woken();
    assert_eq!(schedule.next(0.0, true), Next::Sleep(40_000.0));
}

#[test]
fn a_terminal_hint_asks_at_once_but_only_once() {
    let mut schedule = after(PENDING, 0.0);
    schedule.hinted();
    assert_eq!(schedule.next(10.0, true), Next::Poll);
    schedule.answered(10.0, PENDING, 0.0);
    schedule.hinted();
    assert_eq!(schedule.next(20.0, true), Next::Sleep(4_990.0));
}

#[test]
fn a_hint_during_a_call_asks_again_after_it() {
    let mut schedule = Schedule::new(0.0, None, None);
    assert_eq!(schedule.next(0.0, true), Next::Poll);
    schedule.hinted();
    schedule.answered(100.0, PENDING, 0.0);
    assert_eq!(schedule.next(100.0, true), Next::Poll);
}

#[test]
fn a_browser_that_believes_that_it_is_offline_asks_less_often() {
    let mut schedule = Schedule::new(0.0, None, None);
    assert_eq!(schedule.next(0.0, false), Next::Poll);
    schedule.answered(0.0, PENDING, 0.0);
    assert_eq!(schedule.next(6_000.0, false), Next::Sleep(9_000.0));
    assert_eq!(schedule.next(6_000.0, true), Next::Poll);
    schedule.answered(6_000.0, PENDING, 0.0);
    assert_eq!(schedule.next(21_000.0, false), Next::Poll);
    schedule.answered(21_000.0, PENDING, 0.0);
    schedule.hinted();
    assert_eq!(schedule.next(21_000.0, false), Next::Poll);
    schedule.answered(21_000.0, PENDING, 0.0);
    assert_eq!(
        schedule.next(900_000.0, false),
        Next::Poll,
        "once at the end"
    );
    schedule.answered(900_000.0, FAILED, 0.0);
    assert_eq!(schedule.next(900_000.0, false), Next::Expired);
}

/// An error of a status call that was answered with that status.
fn answer(code: ErrorCode, status: u16, source: Source) -> Error {
    Error {
        status: Some(status),
        source: Some(source),
        ..Error::new(code)
    }
}

#[test]
fn only_the_service_ends_a_wait() {
    use Source::{Intermediary, Service, Unknown};
    for (code, status, source, calls) in [
        (ErrorCode::Forbidden, 403, Service, Some(1)),
        (ErrorCode::UnexpectedStatus, 404, Service, Some(1)),
        (ErrorCode::Protocol, 200, Service, Some(1)),
        (ErrorCode::Forbidden, 403, Unknown, Some(3)),
        (ErrorCode::Network, 403, Intermediary, None),
        (ErrorCode::Protocol, 200, Intermediary, None),
        (ErrorCode::ServerError, 500, Service, None),
        (ErrorCode::ServerError, 502, Unknown, None),
        (ErrorCode::RateLimited, 429, Unknown, None),
    ] {
        let mut schedule = Schedule::new(0.0, None, None);
        let error = answer(code, status, source);
        let ended = (1..=9).find(|_| schedule.outcome(&error).is_none());
        assert_eq!(ended, calls, "{error:?}");
    }
    let mut schedule = Schedule::new(0.0, None, None);
    let aborted = Error::new(ErrorCode::Aborted);
    assert_eq!(
        schedule.outcome(&aborted),
        None,
        "nobody answered, and nobody will"
    );
}

#[test]
fn the_pages_own_call_counts_for_the_interval() {
    let mut schedule = Schedule::new(0.0, None, None);
    schedule.extra_call(1_000.0);
    assert_eq!(schedule.next(1_000.0, true), Next::Sleep(5_000.0));
    schedule.woken();
    assert_eq!(schedule.next(2_000.0, true), Next::Sleep(4_000.0));
    schedule.hinted();
    assert_eq!(schedule.next(2_000.0, true), Next::Poll);
}

#[test]
fn a_deadline_that_moves_gets_its_own_last_call() {
    let mut schedule = Schedule::new(0.0, None, Some(1.0));
    assert_eq!(schedule.next(1_000.0, true), Next::Poll);
    let moved = Outcome::Pending {
        interval: None,
        expires_in: Some(6.0),
    };
    schedule.answered(1_000.0, moved, 0.0);
    assert_eq!(schedule.next(7_000.0, true), Next::Poll);
    schedule.answered(7_000.0, PENDING, 0.0);
    assert_eq!(schedule.next(7_000.0, true), Next::Expired);
}

#[test]
fn a_dropped_call_is_not_repeated_before_its_interval() {
    let mut schedule = after(Outcome::Dropped, 0.0);
    assert_eq!(schedule.next(0.0, true), Next::Sleep(5_000.0));
}

proptest! {
    /// Whatever happens, two calls are never closer than the shortest interval, the one hinted call excepted.
    #[test]
    fn calls_keep_their_distance(events in proptest::collection::vec((0u8..7, 0.0f64..20_000.0), 1..200)) {
        let mut schedule = Schedule::new(0.0, None, None);
        let (mut now, mut last_answer, mut hints) = (0.0, f64::NEG_INFINITY, 0);
        for (event, step) in events {
            now += step;
            match event {
                0 => schedule.hinted(),
                1 => schedule.woken(),
                _ => {}
            }
            if schedule.next(now, event != 2) == Next::Poll {
                if now - last_answer < 5_000.0 && now < 900_000.0 {
                    hints += 1;
                }
                let outcome = match event {
                    3 => FAILED,
                    4 => Outcome::SlowDown { retry_after_ms: Some(step) },
                    _ => PENDING,
                };
                schedule.answered(now, outcome, step / 20_000.0);
                last_answer = now;
            }
        }
        prop_assert!(hints <= 1);
    }
}

/// A new code that a later call gets over must be decided about here: left out, it ends every wait.
#[test]
fn a_wait_goes_on_after_whatever_a_status_call_gets_over() {
    const OF_OTHER_CALLS: [ErrorCode; 6] = [
        ErrorCode::VaultFailed,
        ErrorCode::LoadFailed,
        ErrorCode::NotInitialized,
        ErrorCode::AccessTokenFailed,
        ErrorCode::NotFinished,
        ErrorCode::OutboxFull,
    ];
    for code in ErrorCode::ALL.iter().filter(|code| code.retryable()) {
        let error = Error::new(*code);
        let goes_on = Schedule::new(0.0, None, None).outcome(&error).is_some();
        assert_eq!(goes_on, !OF_OTHER_CALLS.contains(code), "{code:?}");
    }
}
