//! Phone numbers in a page give what they give natively, where they are compared with libphonenumber (`tests/oracle`):
//! one table, read both ways. Where new metadata changes a line, the native test says how it reads now.
// Tests say what they expect by failing, and are nobody's public API.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing
)]

/// Region (`-`: none), input, verdict, E.164, national, international, region, kind, `dead end`, suggestion in E.164;
/// then what stands on the display after half of the input, and after all of it.
const NUMBERS: &str = include_str!("phone/numbers.txt");

fn half(input: &str) -> String {
    input.chars().take(input.chars().count() / 2).collect()
}

#[cfg(target_arch = "wasm32")]
mod page {
    use super::{NUMBERS, half};
    use pos_connect::{format_phone_as_you_type, parse_phone};
    use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

    wasm_bindgen_test_configure!(run_in_browser);

    /// A region as `core.js` gives it.
    fn letters(region: &str) -> u32 {
        match region.as_bytes() {
            [first, second] => u32::from(*first) << 16 | u32::from(*second),
            _ => 0,
        }
    }

    fn typed(region: &str, input: &str) -> String {
        let shown = format_phone_as_you_type(input.into(), letters(region)).unwrap();
        shown.as_string().unwrap()
    }

    /// What `core.js` is given, as a line of the table.
    fn line(region: &str, input: &str) -> String {
        let text = parse_phone(input.into(), letters(region)).unwrap();
        let text = text.as_string().unwrap();
        let members: Vec<&str> = text.lines().collect();
        let dead_end = if members[6] == "1" { "dead end" } else { "" };
        // A suggestion's members come after those of the number.
        let suggestion = members.get(10).copied().unwrap_or_default();
        let (first, all) = (typed(region, &half(input)), typed(region, input));
        let read = members[..6].join("|");
        format!("{region}|{input}|{read}|{dead_end}|{suggestion}|{first}|{all}")
    }

    #[wasm_bindgen_test]
    fn every_region_as_natively() {
        let mut wrong = Vec::new();
        for expected in NUMBERS.lines() {
            let columns: Vec<&str> = expected.split('|').collect();
            if line(columns[0], columns[1]) != expected {
                wrong.push(expected);
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(NUMBERS.lines().count() > 250);
    }

    #[wasm_bindgen_test]
    fn no_digit_is_lost_at_any_key() {
        let digits = |text: &str| -> String { text.chars().filter(char::is_ascii_digit).collect() };
        for expected in NUMBERS.lines() {
            let columns: Vec<&str> = expected.split('|').collect();
            let (region, input) = (columns[0], columns[1]);
            for (end, _) in input.char_indices().filter(|_| input.is_ascii()) {
                let begun = &input[..end];
                assert_eq!(digits(&typed(region, begun)), digits(begun), "{region}");
            }
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use super::{NUMBERS, half};
    use pos_connect::phone::{self, Kind, Region};

    fn line(region: &str, input: &str) -> String {
        let home = Region::parse(region);
        let phone = phone::parse(input, home);
        let text = Option::unwrap_or_default;
        let members = [
            region,
            input,
            phone.verdict.as_str(),
            text(phone.e164.as_deref()),
            text(phone.national.as_deref()),
            text(phone.international.as_deref()),
            text(phone.region.map(Region::code)),
            text(phone.kind.map(Kind::as_str)),
            if phone.dead_end { "dead end" } else { "" },
            text(
                phone
                    .suggestion
                    .as_ref()
                    .and_then(|other| other.e164.as_deref()),
            ),
            &phone::format_as_you_type(&half(input), home),
            &phone::format_as_you_type(input, home),
        ];
        members.join("|")
    }

    #[test]
    fn the_table_is_of_this_metadata() {
        let mut wrong = Vec::new();
        for expected in NUMBERS.lines() {
            let columns: Vec<&str> = expected.split('|').collect();
            let read = line(columns[0], columns[1]);
            if read != expected {
                wrong.push(read);
            }
        }
        assert!(wrong.is_empty(), "these read now:\n{}", wrong.join("\n"));
    }
}
