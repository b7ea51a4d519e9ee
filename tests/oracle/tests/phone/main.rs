//! The SDK's phone numbers against libphonenumber, in its Rust port with the same metadata: no difference is allowed.
//!
//! The vectors are made anew each time, always the same ones: only seeds and counts are written down.

mod random;
mod reference;
mod typing;
mod vectors;

use pos_connect::phone::{self, Region, cover};
use reference::{Answer, regions};
use rlibphonenumber::PHONE_NUMBER_UTIL;
use std::sync::Mutex;
use std::thread;

const SEED: u64 = 20_261_121;
const VECTORS_PER_REGION: usize = 10_000;

/// What differed, without the end of the number: enough to find it again, as the vectors do not change.
fn complain(
    failures: &Mutex<Vec<String>>,
    region: Option<&str>,
    class: &str,
    input: &str,
    ours: &Answer,
    theirs: &Answer,
) {
    let shown = input.chars().count() / 2;
    let masked: String = input
        .chars()
        .enumerate()
        .map(|(at, char)| {
            if at > shown && char.is_numeric() {
                'x'
            } else {
                char
            }
        })
        .collect();
    let verdicts = format!("{} instead of {}", ours.verdict, theirs.verdict);
    failures.lock().unwrap().push(format!(
        "{} {class} {masked}: {verdicts}",
        region.unwrap_or("-")
    ));
}

fn compare(failures: &Mutex<Vec<String>>, region: Option<&str>, class: &str, input: &str) {
    let ours = Answer::ours(input, region);
    let theirs = Answer::reference(input, region);
    if ours != theirs {
        complain(failures, region, class, input, &ours, &theirs);
    }
}

fn report(failures: Mutex<Vec<String>>) {
    let failures = failures.into_inner().unwrap();
    let first: Vec<&str> = failures.iter().take(20).map(String::as_str).collect();
    assert!(
        failures.is_empty(),
        "{} differences\n{}",
        failures.len(),
        first.join("\n")
    );
}

/// Calls for each item, on all cores.
fn parallel<T: Sync>(items: &[T], work: &(dyn Fn(&T) + Sync)) {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for core in 0..cores {
            scope.spawn(move || items.iter().skip(core).step_by(cores).for_each(work));
        }
    });
}

#[test]
fn the_reference_knows_the_same_regions_and_codes() {
    assert_eq!(regions().len(), 245);
    for region in regions() {
        let ours = Region::parse(&region).unwrap_or_else(|| panic!("{region} is missing"));
        assert_eq!(ours.code(), region);
        let code = PHONE_NUMBER_UTIL.get_country_code_for_region(reference::region(&region));
        assert_eq!(code, Some(i32::from(ours.calling_code())), "{region}");
    }
    assert_eq!(Region::parse("001"), None);
    assert_eq!(Region::parse("00"), None);
    assert_eq!(Region::parse("ZZ"), None);
    assert_eq!(Region::parse("il"), Region::parse("IL"));
}

#[test]
fn every_transition_of_every_automaton_is_upstreams() {
    let mut inputs = Vec::new();
    cover::transitions(&mut |region, input| {
        let region = region.map(Region::code).filter(|region| *region != "001");
        inputs.push((region, input.to_owned()));
    });
    assert!(
        inputs.len() > 100_000,
        "{} inputs cover too little",
        inputs.len()
    );
    let failures = Mutex::new(Vec::new());
    parallel(&inputs, &|(region, input)| {
        compare(&failures, *region, "transition", input)
    });
    report(failures);
}

#[test]
fn ten_thousand_numbers_of_every_region_are_read_as_upstream_reads_them() {
    let failures = Mutex::new(Vec::new());
    parallel(&regions(), &|region| {
        let mut vectors = vectors::Vectors::new(SEED, region);
        for _ in 0..VECTORS_PER_REGION {
            let (class, input) = vectors.next();
            compare(&failures, Some(region), class, &input);
        }
    });
    report(failures);
}

#[test]
fn every_digit_of_unicode_is_one() {
    let wrong: Vec<u32> = (0..=0x10_ffff)
        .filter_map(char::from_u32)
        .filter(|char| {
            // Its patterns know the digits of Unicode 16, and what normalizes those of 17.
            let is_one = PHONE_NUMBER_UTIL.is_viable_phone_number(char.to_string().repeat(3));
            let theirs = PHONE_NUMBER_UTIL.normalize_digits_only(char.to_string());
            let theirs = if is_one { theirs } else { String::new() };
            let ours = phone::digit(u32::from(*char)).map(|digit| digit.to_string());
            ours.unwrap_or_default() != theirs
        })
        .map(u32::from)
        .collect();
    assert!(wrong.is_empty(), "{wrong:x?}");
}

#[test]
fn the_metadata_are_those_of_the_reference() {
    let lock =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock")).unwrap();
    assert!(
        lock.contains("name = \"rlibphonenumber\"\nversion = \"2.2.15\"")
            && phone::METADATA_VERSION == "9.0.42",
        "rlibphonenumber 2.2.15 carries 9.0.42; look into its Readme for another pair"
    );
}
