//! Numbers as they come in, key by key: what is shown of them, and when there is no hope left.

use crate::reference::{self, regions};
use crate::vectors::{EXTENSION, LETTERS, URI, Vectors};
use crate::{SEED, parallel, report};
use pos_connect::phone::{Phone, Region, Verdict, cover, format_as_you_type, parse};
use rlibphonenumber::{PHONE_NUMBER_UTIL, PhoneNumberType};
use std::sync::Mutex;

fn digits(text: &str) -> String {
    text.chars()
        .filter(|char| char.is_ascii_digit() || *char == '+')
        .collect()
}

/// Valid numbers that reach every label of the table.
fn valid_numbers() -> Vec<Phone> {
    let mut numbers = Vec::new();
    let mut last = None;
    cover::transitions(&mut |region, input| {
        let phone = parse(input, region);
        if phone.verdict == Verdict::Valid && phone.e164 != last {
            last.clone_from(&phone.e164);
            numbers.push(phone);
        }
    });
    assert!(numbers.len() > 10_000);
    numbers
}

/// Types a text and gives what stands there in the end; complains if a digit was lost or moved on the way.
fn typed(text: &str, region: Option<Region>, failures: &Mutex<Vec<String>>) -> String {
    let mut shown = String::new();
    for end in 1..=text.len() {
        shown = format_as_you_type(&text[..end], region);
        if digits(&shown) != text[..end] {
            failures
                .lock()
                .unwrap()
                .push(format!("{region:?} {} loses digits", &text[..end / 2]));
        }
    }
    shown
}

#[test]
fn a_complete_number_ends_as_upstream_writes_it() {
    let failures = Mutex::new(Vec::new());
    let at_home = Mutex::new(0);
    let numbers = valid_numbers();
    parallel(&numbers, &|phone| {
        let complain = |what: &str, shown: &str, wanted: &str| {
            let shapes =
                [shown, wanted].map(|text| text.replace(|char: char| char.is_ascii_digit(), "0"));
            failures.lock().unwrap().push(format!(
                "{:?} {what}: {} instead of {}",
                phone.region.map(Region::code),
                shapes[0],
                shapes[1]
            ));
        };
        let (Some(e164), Some(national), Some(international)) =
            (&phone.e164, &phone.national, &phone.international)
        else {
            return complain("formats", "none", "some");
        };
        for home in [None, phone.region, Region::parse("US")] {
            let shown = typed(e164, home, &failures);
            if shown != *international {
                complain("international", &shown, international);
            }
        }
        // The reference reads some national formats otherwise in a region that shares its calling code; then so do we.
        if parse(national, phone.region).e164 == phone.e164
            && phone.region.map(Region::code) != Some("001")
        {
            *at_home.lock().unwrap() += 1;
            let shown = typed(&digits(national), phone.region, &failures);
            if shown != *national {
                complain("national", &shown, national);
            }
        }
    });
    let (at_home, all) = (at_home.into_inner().unwrap(), numbers.len());
    assert!(
        at_home * 100 > all * 98,
        "{at_home} of {all} national formats are read as such"
    );
    report(failures);
}

#[test]
fn no_number_dies_that_may_still_become_valid_and_none_comes_back() {
    let failures = Mutex::new(Vec::new());
    parallel(&regions(), &|name| {
        let region = Region::parse(name);
        let mut vectors = Vectors::new(SEED + 1, name);
        for _ in 0..1_000 {
            let (class, input) = vectors.next();
            // Letters are digits as soon as there are three of them.
            if [EXTENSION, LETTERS, URI].contains(&class) {
                continue;
            }
            let steps: Vec<Phone> = input
                .char_indices()
                .map(|(at, char)| parse(&input[..at + char.len_utf8()], region))
                .collect();
            for (step, pair) in steps.windows(2).enumerate() {
                let valid = pair[1].verdict == Verdict::Valid;
                if pair[0].dead_end && (valid || !pair[1].dead_end) {
                    let start: String = input.chars().take(step / 2 + 1).collect();
                    failures.lock().unwrap().push(format!(
                        "{name} {class} {start}… comes back after {} keys",
                        step + 1
                    ));
                }
            }
        }
    });
    let numbers = valid_numbers();
    parallel(&numbers, &|phone| {
        let e164 = phone.e164.as_deref().unwrap();
        if (1..=e164.len()).any(|end| parse(&e164[..end], None).dead_end) {
            failures
                .lock()
                .unwrap()
                .push(format!("{}… is given up", &e164[..e164.len() / 2]));
        }
    });
    report(failures);
}

#[test]
fn most_landlines_are_dead_within_three_digits() {
    let (mut dead, mut all) = (0, 0);
    for name in regions() {
        let theirs = reference::region(&name);
        let example = PHONE_NUMBER_UTIL
            .get_example_number_for_type_and_region(theirs, PhoneNumberType::FixedLine);
        let Ok(number) = example else { continue };
        if PHONE_NUMBER_UTIL.get_number_type(&number) != PhoneNumberType::FixedLine {
            continue;
        }
        let national = number.get_national_significant_number();
        all += 1;
        dead += usize::from(
            parse(&format!("+{}{}", number.country_code, &national[..3]), None).dead_end,
        );
    }
    assert!(dead * 10 >= all * 9, "{dead} of {all}");
}
