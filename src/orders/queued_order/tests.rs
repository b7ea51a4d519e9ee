use super::*;
use crate::core::error::Source;
use crate::orders::place::{Load, Place};
use proptest::prelude::*;

fn place(number: u64, before: u64, bytes: u64) -> Place {
    Place {
        number,
        before,
        bytes,
    }
}

fn error(code: ErrorCode) -> Error {
    Error::new(code)
}

fn said(code: ErrorCode) -> Error {
    Error {
        status: Some(422),
        source: Some(Source::Service),
        ..error(code)
    }
}

fn verdict(error: &Error, has_ereceipt: bool) -> Verdict {
    let mut entry = QueuedOrder {
        has_ereceipt,
        ..QueuedOrder::default()
    };
    entry.judge(error)
}

proptest! {
    #[test]
    fn a_place_is_read_as_it_was_written(
        number in 0..10_u64.pow(10),
        before in 0..10_u64.pow(14),
        bytes in 0..10_u64.pow(8),
    ) {
        let place = place(number, before, bytes);
        prop_assert_eq!(Place::of(&place.id("1-2-3")), Some(place));
    }

    /// Ids sort as the orders came, whatever their sizes.
    #[test]
    fn ids_sort_as_the_orders_came(sizes in proptest::collection::vec(1..2_000_000_u64, 1..40)) {
        let mut places: Vec<Place> = Vec::new();
        for bytes in sizes {
            places.push(Place::after(places.last(), bytes));
        }
        let ids: Vec<String> = places.iter().map(|place| place.id("x")).collect();
        prop_assert!(ids.is_sorted());
        let (first, last) = (&places[0], &places[places.len() - 1]);
        prop_assert_eq!(last.number - first.number + 1, places.len() as u64);
        prop_assert_eq!(last.before + last.bytes, places.iter().map(|place| place.bytes).sum::<u64>());
    }

    /// No clock and no chance makes an order wait longer than a service may ask for.
    #[test]
    fn no_order_waits_for_ever(tries in 0..u32::MAX, now in any::<f64>(), then in any::<f64>(), chance in 0.0..1.0) {
        let mut entry = QueuedOrder { tries, ..QueuedOrder::default() };
        entry.postpone(&error(ErrorCode::Network), now, chance);
        let rest = entry.rest(then, false);
        prop_assert!((0.0..=LONGEST_RETRY_AFTER_MS * 1.5).contains(&rest));
    }
}

#[test]
fn what_is_no_id_has_no_place() {
    for id in ["", "1", "1.2", "1.2.x.y", "-1.2.3.a", "a.b.c.d"] {
        assert_eq!(Place::of(id), None, "{id}");
    }
}

#[test]
fn the_queue_has_a_length() {
    assert!(Load::default().has_room(0, 1));
    let first = place(7, 100, 50);
    assert!(!Load::between(&first, &place(7 + MOST_ORDERS - 1, 200, 50)).has_room(0, 1));
    assert!(Load::between(&first, &place(7 + MOST_ORDERS - 2, 200, 50)).has_room(0, 1));
}

#[test]
fn the_queue_has_a_size() {
    // What was sent before the first one counts no more.
    let load = Load::between(
        &place(1, 1_000, 500),
        &place(3, 1_000 + MOST_QUEUED_BYTES - 100, 50),
    );
    assert!(load.has_room(0, 50) && !load.has_room(0, 51));
    assert!(!Load::default().has_room(0, MOST_QUEUED_BYTES + 1));
}

#[test]
fn one_that_stays_behind_counts_once() {
    let places = [place(1, 0, 10), place(MOST_ORDERS, MOST_QUEUED_BYTES, 30)];
    assert!(!Load::between(&places[0], &places[1]).has_room(0, 1));
    let load: Load = places.into_iter().collect();
    assert!(load.has_room(0, MOST_QUEUED_BYTES - 40) && !load.has_room(0, MOST_QUEUED_BYTES - 39));
}

#[test]
fn refused_orders_are_not_piled_up() {
    assert!(Load::default().has_room(MOST_REFUSED - 1, 1));
    assert!(!Load::default().has_room(MOST_REFUSED, 1));
}

#[test]
fn a_storage_that_fails_is_asked_less_and_less_often() {
    let rests: Vec<_> = (1..=7).map(storage_rest).collect();
    assert_eq!(rests, [1e3, 2e3, 4e3, 8e3, 16e3, 32e3, 32e3]);
}

#[test]
fn tries_come_less_and_less_often() {
    let mut entry = QueuedOrder::default();
    let rests: Vec<f64> = (0..8)
        .map(|_| {
            entry.postpone(&error(ErrorCode::Network), 0.0, 0.5);
            entry.rest(0.0, false)
        })
        .collect();
    assert_eq!(rests, [1e3, 2e3, 4e3, 8e3, 16e3, 32e3, 60e3, 60e3]);
    entry.postpone(&error(ErrorCode::Network), 0.0, 0.0);
    assert_eq!(entry.rest(0.0, false), 45e3);
}

#[test]
fn a_service_that_wants_a_rest_gets_it() {
    let mut entry = QueuedOrder::default();
    let mut busy = error(ErrorCode::RateLimited);
    busy.retry_after_ms = Some(30e3);
    entry.postpone(&busy, 5e3, 0.5);
    assert_eq!(entry.rest(5e3, false), 30e3);
    assert_eq!(entry.rest(40e3, false), 0.0);
    busy.retry_after_ms = Some(1e12);
    entry.postpone(&busy, 0.0, 0.5);
    assert_eq!(entry.rest(0.0, false), LONGEST_RETRY_AFTER_MS);
}

#[test]
fn a_clock_that_jumps_makes_no_order_wait() {
    let entry = QueuedOrder {
        next: Some(1e12),
        ..QueuedOrder::default()
    };
    assert_eq!(entry.rest(1e12 - 5e3, false), 5e3);
    assert_eq!(entry.rest(0.0, false), 0.0);
    assert_eq!(entry.rest(2e12, false), 0.0);
    assert_eq!(entry.rest(f64::NAN, false), 0.0);
}

#[test]
fn nobody_waits_for_what_does_not_pass() {
    let after = |code, tries| {
        let mut entry = QueuedOrder::default();
        for _ in 0..tries {
            entry.postpone(&error(code), 0.0, 0.5);
        }
        entry.is_worth_waiting()
    };
    assert!(after(ErrorCode::Network, 1));
    assert!(!after(ErrorCode::Network, 2));
    assert!(after(ErrorCode::ServerError, 1));
    assert!(!after(ErrorCode::Unauthorized, 1));
    assert!(!after(ErrorCode::RateLimited, 1));
}

#[test]
fn only_the_service_refuses_an_order() {
    for code in [
        ErrorCode::InvalidBody,
        ErrorCode::InvalidRequest,
        ErrorCode::TooLarge,
        ErrorCode::IdempotencyKeyReused,
        ErrorCode::OrderExists,
    ] {
        assert_eq!(verdict(&said(code), false), Verdict::Refused, "{code:?}");
        for (source, third) in [
            (Source::Unknown, Verdict::Refused),
            (Source::Intermediary, Verdict::Later),
        ] {
            let error = Error {
                source: Some(source),
                ..said(code)
            };
            let mut entry = QueuedOrder::default();
            let verdicts = [(); 3].map(|()| {
                let verdict = entry.judge(&error);
                entry.error = Some(error.to_stored());
                verdict
            });
            assert_eq!(
                verdicts,
                [Verdict::Later, Verdict::Later, third],
                "{code:?}"
            );
        }
    }
}

#[test]
fn what_is_not_the_orders_fault_is_tried_again() {
    for code in [
        ErrorCode::Network,
        ErrorCode::Timeout,
        ErrorCode::ServerError,
        ErrorCode::RateLimited,
        ErrorCode::Unauthorized,
        ErrorCode::Forbidden,
        ErrorCode::OriginNotAllowed,
        ErrorCode::NotConnected,
        ErrorCode::ConnectionEnded,
        ErrorCode::UpstreamRefused,
        ErrorCode::HeadersFailed,
        ErrorCode::AccessTokenFailed,
        ErrorCode::Protocol,
        ErrorCode::UnexpectedStatus,
    ] {
        assert_eq!(verdict(&said(code), true), Verdict::Later, "{code:?}");
    }
}

#[test]
fn an_order_is_not_lost_for_its_ereceipt() {
    for code in [ErrorCode::EreceiptNotEnabled, ErrorCode::TooManyMessages] {
        let refused = said(code);
        assert_eq!(verdict(&refused, true), Verdict::WithoutEreceipt);
        assert_eq!(verdict(&refused, false), Verdict::Refused);
    }
    let mut wrong = said(ErrorCode::InvalidBody);
    wrong.pointer = Some("/ereceipt/phone".into());
    assert_eq!(verdict(&wrong, true), Verdict::WithoutEreceipt);
    wrong.pointer = Some("/total".into());
    assert_eq!(verdict(&wrong, true), Verdict::Refused);
}

#[test]
fn an_error_is_kept_and_read_again() {
    let mut wrong = said(ErrorCode::InvalidBody);
    wrong.status = Some(422);
    wrong.pointer = Some("/total".into());
    wrong.request_id = Some("abc-1".into());
    wrong.retry_after_ms = Some(7e3);
    let wrong = wrong.names_member("/total", None);
    let mut entry = QueuedOrder::default();
    let kept = Error {
        source: None,
        ..wrong.clone()
    };
    entry.postpone(&wrong, 0.0, 0.5);
    assert_eq!(entry.error, Some(kept.clone()));
    let text = serde_json::to_string(&entry).unwrap();
    let read: QueuedOrder = serde_json::from_str(&text).unwrap();
    assert_eq!(read.error, Some(kept.clone()));
    let told = Change::new(State::Refused, "1", &read);
    assert_eq!(told.error, Some(kept));
    assert!(told.state == State::Refused && told.state != State::Accepted && !told.stops_waiting);
}

#[test]
fn a_new_order_does_not_wait_for_the_network_of_the_last_one() {
    let mut entry = QueuedOrder::default();
    entry.postpone(&error(ErrorCode::Network), 0.0, 0.5);
    assert_eq!(entry.rest(0.0, true), 0.0);
    let mut busy = error(ErrorCode::RateLimited);
    busy.retry_after_ms = Some(30e3);
    entry.postpone(&busy, 0.0, 0.5);
    assert_eq!(entry.rest(0.0, true), 30e3);
    assert!(Change::new(State::Postponed, "1", &entry).stops_waiting);
}

#[test]
fn an_order_on_which_the_service_fails_again_and_again_holds_up_no_other() {
    let mut failed = said(ErrorCode::ServerError);
    failed.status = Some(500);
    let mut entry = QueuedOrder::default();
    for tries in 1..=4 {
        entry.postpone(&failed, 0.0, 0.5);
        assert_eq!(entry.is_stuck(), tries >= 3, "{tries}");
    }
    for (status, is_stuck) in [
        // A firewall that does not like what the order holds.
        (403, true),
        (406, true),
        // The till, the network or the service: every order meets it.
        (401, false),
        (429, false),
        (503, false),
    ] {
        failed.status = Some(status);
        entry.postpone(&failed, 0.0, 0.5);
        assert_eq!(entry.is_stuck(), is_stuck, "{status}");
    }
    for code in [ErrorCode::NotConnected, ErrorCode::ConnectionEnded] {
        failed = said(code);
        failed.status = Some(404);
        entry.postpone(&failed, 0.0, 0.5);
        assert!(!entry.is_stuck(), "every order waits for the merchant");
    }
    entry.postpone(&error(ErrorCode::Network), 0.0, 0.5);
    assert!(!entry.is_stuck(), "nobody answered");
    // A firewall's page with the status 200.
    entry.postpone(&error(ErrorCode::Protocol), 0.0, 0.5);
    assert!(entry.is_stuck());
    let urged = entry.at_once();
    assert_eq!((urged.rest(0.0, false), urged.tries > 0), (0.0, true));
}

#[test]
fn a_corrected_order_is_another_call_at_the_same_time() {
    let mut refused = QueuedOrder::new("k".into(), "1".into(), "{}".into());
    refused.at = Some(7.0);
    refused.error = Some(said(ErrorCode::InvalidBody));
    let by = QueuedOrder::new(String::new(), "2".into(), "[]".into());
    let entry = refused.corrected(by, "l".into());
    assert_eq!(
        (&*entry.key, &*entry.external_id, &*entry.body),
        ("l", "2", "[]")
    );
    assert_eq!((entry.at, entry.error), (Some(7.0), None));
}

#[test]
fn paper_is_saved_only_for_what_arrives() {
    use ReceiptChoice::{Nothing, Print, Text};
    for (choice, ereceipt, is_accepted, trusts_queue, is_printed) in [
        (Print, None, true, true, true),
        (Print, None, false, true, true),
        (Nothing, None, true, false, false),
        (Nothing, None, false, false, false),
        (Text, Some("queued"), true, false, false),
        (Text, Some("sent"), true, false, false),
        (Text, Some("failed"), true, true, true),
        (Text, Some("refused"), true, true, true),
        (Text, None, true, true, true),
        (Text, None, false, false, true),
        (Text, None, false, true, false),
    ] {
        let said = prints(choice, ereceipt, is_accepted, trusts_queue);
        assert_eq!(said, is_printed, "{choice:?} {ereceipt:?} {is_accepted}");
    }
}

#[test]
fn a_refused_order_begins_again_under_its_key() {
    let entry = QueuedOrder::new("k".into(), "1".into(), "{}".into());
    let mut failed = entry.clone();
    failed.postpone(&error(ErrorCode::Network), 0.0, 0.5);
    let again = failed.again();
    assert!(again.key == entry.key && again.tries == 0 && again.rest(0.0, false) == 0.0);
}
