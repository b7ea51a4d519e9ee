use super::*;
use proptest::prelude::*;

fn read(input: &str, region: &str) -> Phone {
    parse(input, Region::parse(region))
}

fn verdict(input: &str, region: &str) -> Verdict {
    read(input, region).verdict
}

fn e164(input: &str, region: &str) -> Option<String> {
    let phone = read(input, region);
    assert_eq!(phone.verdict, Verdict::Valid, "{region}");
    phone.e164
}

fn suggested(input: &str, region: &str) -> Option<String> {
    let phone = read(input, region);
    assert_ne!(phone.verdict, Verdict::Valid, "{region}");
    let suggestion = phone.suggestion?;
    assert_eq!(suggestion.verdict, Verdict::Valid);
    suggestion.e164
}

#[test]
fn an_israeli_number() {
    let phone = read("0502345678", "IL");
    assert_eq!(phone.verdict, Verdict::Valid);
    assert_eq!(phone.e164.as_deref(), Some("+972502345678"));
    assert_eq!(phone.national.as_deref(), Some("050-234-5678"));
    assert_eq!(phone.international.as_deref(), Some("+972 50-234-5678"));
    assert_eq!(phone.region.map(Region::code), Some("IL"));
    assert_eq!(phone.kind, Some(Kind::Mobile));
    assert!(!phone.dead_end && phone.suggestion.is_none());
    assert_eq!(verdict("0554001234", "IL"), Verdict::Valid);
}

#[test]
fn a_range_that_nobody_has_is_possible_and_a_dead_end() {
    let phone = read("050-123-4567", "IL");
    assert_eq!(phone.verdict, Verdict::Possible);
    assert_eq!(phone.e164.as_deref(), Some("+972501234567"));
    assert_eq!((phone.national, phone.kind), (None, None));
    assert!(phone.dead_end);
    assert!(read("0501", "IL").dead_end && !read("050", "IL").dead_end);
}

#[test]
fn the_national_prefix_may_be_left_out() {
    assert_eq!(e164("502345678", "IL"), e164("0502345678", "IL"));
    assert_eq!(e164("7400123456", "GB"), Some("+447400123456".into()));
    assert_eq!(e164("07400 123456", "GB"), Some("+447400123456".into()));
    assert_eq!(e164("0612345678", "FR"), Some("+33612345678".into()));
    assert_eq!(e164("050 123 4567", "AE"), Some("+971501234567".into()));
}

#[test]
fn national_prefixes_of_all_kinds() {
    assert_eq!(e164("06201234567", "HU"), Some("+36201234567".into()));
    assert_eq!(e164("861234567", "LT"), Some("+37061234567".into()));
    assert_eq!(e164("061234567", "LT"), Some("+37061234567".into()));
    assert_eq!(e164("89123456789", "RU"), Some("+79123456789".into()));
    assert_eq!(
        e164("011 15 2345-6789", "AR"),
        Some("+5491123456789".into())
    );
    assert_eq!(
        e164("0 15 11 96123-4567", "BR"),
        Some("+5511961234567".into())
    );
    assert_eq!(e164("4641234", "AG"), Some("+12684641234".into()));
}

#[test]
fn a_leading_zero_may_belong_to_the_number() {
    assert_eq!(e164("0123456789", "CI"), Some("+2250123456789".into()));
    assert_eq!(verdict("0612345678", "IT"), Verdict::Possible);
    assert_eq!(e164("3123456789", "IT"), Some("+393123456789".into()));
}

#[test]
fn where_kinds_cannot_be_told_apart() {
    let phone = read("201-555-0123", "US");
    assert_eq!(phone.kind, Some(Kind::FixedLineOrMobile));
    assert_eq!(phone.national.as_deref(), Some("(201) 555-0123"));
    assert_eq!(phone.international.as_deref(), Some("+1 201-555-0123"));
    assert_eq!(verdict("8002345678", "US"), Verdict::Possible);
    assert_eq!(
        read("2042345678", "US").region.map(Region::code),
        Some("CA")
    );
}

#[test]
fn numbers_from_abroad() {
    assert_eq!(e164("+972502345678", "US"), Some("+972502345678".into()));
    assert_eq!(e164("011972502345678", "US"), Some("+972502345678".into()));
    assert_eq!(e164("00972502345678", "FR"), Some("+972502345678".into()));
    assert_eq!(e164("+00972502345678", "FR"), Some("+972502345678".into()));
    assert_eq!(e164("972502345678", "IL"), Some("+972502345678".into()));
    let phone = parse("+972502345678", None);
    assert_eq!(phone.verdict, Verdict::Valid);
    assert_eq!(parse("0502345678", None).verdict, Verdict::Invalid);
    let satellite = parse("+881612345678", None);
    assert_eq!(satellite.region.map(Region::code), Some("001"));
}

#[test]
fn what_people_mean() {
    assert_eq!(suggested("1123456789", "AR"), Some("+5491123456789".into()));
    assert_eq!(
        suggested("4915112345678", "DE"),
        Some("+4915112345678".into())
    );
    assert_eq!(suggested("1161234567", "BR"), Some("+5511961234567".into()));
    assert_eq!(
        suggested("+5212221234567", "MX"),
        Some("+522221234567".into())
    );
    assert_eq!(suggested("031234567", "IL"), None);
    // A landline of São Paulo was never a mobile number.
    assert_eq!(suggested("1131234567", "BR"), None);
}

#[test]
fn foreigners_type_it_as_they_dial_it_at_home() {
    for input in [
        "00972502345678",
        "972502345678",
        "0011972502345678",
        "810972502345678",
        "001972502345678",
        "002972502345678",
        "010972502345678",
        "009972502345678",
        "119972502345678",
        "009720502345678",
    ] {
        let meant = suggested(input, "US");
        assert_eq!(meant.as_deref(), Some("+972502345678"), "{input}");
    }
    let israeli = Some("+972502345678".into());
    assert_eq!(suggested("011972502345678", "GB"), israeli);
    assert_eq!(
        suggested("447400123456", "IL"),
        Some("+447400123456".into())
    );
    assert_eq!(suggested("12015550123", "GB"), Some("+12015550123".into()));
    assert_eq!(
        suggested("01112015550123", "IL"),
        Some("+12015550123".into())
    );
}

#[test]
fn a_wrong_digit_makes_no_foreign_number() {
    // It can still become one of this region; it is too short for a calling code; or it is none anywhere.
    for (input, region) in [
        ("97250234567", "US"),
        ("0501", "IL"),
        ("0501234567", "IL"),
        ("05023456789", "IL"),
        ("031234567", "IL"),
        ("20155501234", "US"),
        ("0097231234567", "US"),
        ("00", "US"),
        ("0097", "US"),
        ("999999999999", "US"),
        ("000000000000", "US"),
        ("00000502345678", "US"),
    ] {
        assert_eq!(suggested(input, region), None, "{input}");
    }
    // A plus says that the rest is meant as it stands.
    assert_eq!(suggested("+0502345678901", "IL"), None);
}

#[test]
fn digits_and_separators_of_other_scripts() {
    for input in [
        "٠٥٠٢٣٤٥٦٧٨",
        "۰۵۰۲۳۴۵۶۷۸",
        "０５０２３４５６７８",
        "০৫০২৩৪৫৬৭৮",
        "𝟎𝟓𝟎𝟐𝟑𝟒𝟓𝟔𝟕𝟖",
        "\u{200f}050-234.5678",
        "(050) 234/5678",
    ] {
        assert_eq!(e164(input, "IL"), Some("+972502345678".into()), "{input}");
    }
    assert_eq!(
        e164("＋972 50‑234‑5678", "US"),
        Some("+972502345678".into())
    );
    for input in [
        "050_2345678",
        "050\u{200e}2345678",
        "0502345678#",
        "0502345678ש",
        "05O2345678",
        "9+72502345678",
    ] {
        let phone = read(input, "IL");
        assert_eq!(
            (phone.verdict, phone.dead_end),
            (Verdict::Invalid, true),
            "{input}"
        );
    }
}

#[test]
fn what_stands_around_a_number_is_no_part_of_it() {
    for input in [
        "tel:+972-50-234-5678",
        "tel:050-234-5678;phone-context=+972",
        "tel:0502345678;phone-context=example.com",
        "tel:+972-50-234-5678;isub=12",
        "Tel. [050] 234/5678",
        "*0502345678",
        "050-234-5678”",
        "050-234-5678،",
        "\u{feff}050-234-5678\u{feff}",
        "050-234-5678🇮🇱",
        "0502345678+",
        "050-234-5678 / x2 / x3",
        "050-234~5678ー",
    ] {
        assert_eq!(e164(input, "IL"), Some("+972502345678".into()), "{input}");
    }
    for input in [
        "0502345678;phone-context=",
        "0502345678;phone-context=-x",
        "0502345678;foo=bar",
        "0502345678;ISUB=1",
        "050＼2345678",
    ] {
        assert_eq!(verdict(input, "IL"), Verdict::Invalid, "{input}");
    }
    assert!(!read("Tel. ", "IL").dead_end, "a number may follow");
}

#[test]
fn an_extension_is_apart() {
    for (end, extension) in [
        (" ext 3", "3"),
        (" ext. 123", "123"),
        ("x3", "3"),
        (" #3", "3"),
        (" ~ 3", "3"),
        (" int. 3", "3"),
        (" anexo 3", "3"),
        (" extensión 3", "3"),
        (" доб. ٣", "3"),
        ("ｅｘｔｎ３", "3"),
        (";ext=12345678901234567890", "12345678901234567890"),
        (",,3#", "3"),
        ("; 3", "3"),
        (" - 503#", "503"),
    ] {
        let phone = read(&["050-234-5678", end].concat(), "IL");
        assert_eq!(phone.extension.as_deref(), Some(extension), "{end}");
        assert_eq!(phone.e164.as_deref(), Some("+972502345678"), "{end}");
        assert_eq!(phone.national.as_deref(), Some("050-234-5678"), "{end}");
    }
    let phone = read("0502345678", "IL");
    assert_eq!(phone.extension, None);
    for end in [
        " ext",
        " ext 123456789012345678901",
        " x 1234567890",
        " 5034567#",
    ] {
        let phone = read(&["050-234-5678", end].concat(), "IL");
        assert_eq!(
            (phone.verdict, phone.extension),
            (Verdict::Invalid, None),
            "{end}"
        );
    }
}

/// As upstream has it: three of them are digits, fewer are nothing, and beside them only digits of ASCII count.
#[test]
fn letters_of_a_telephone() {
    assert_eq!(e164("201-555-CALL", "US"), Some("+12015552255".into()));
    assert_eq!(e164("050a2345678", "IL"), Some("+972502345678".into()));
    assert_eq!(verdict("1-800-FLOWERS", "US"), Verdict::Possible);
    assert_eq!(verdict("٢٠١-٥٥٥-CALL", "US"), Verdict::Invalid);
}

#[test]
fn too_long_is_a_dead_end_and_nothing_is_none() {
    assert!(read("05023456789", "IL").dead_end);
    assert!(!read("", "IL").dead_end && !parse("", None).dead_end);
    assert!(!read("+", "IL").dead_end && !read("0", "IL").dead_end);
    assert_eq!(verdict("", "IL"), Verdict::Invalid);
    assert!(parse("05", None).dead_end);
}

#[test]
fn groups_as_typed() {
    let shown = |input: &str, region: &str| format_as_you_type(input, Region::parse(region));
    assert_eq!(shown("", "IL"), "");
    assert_eq!(shown("0", "IL"), "0");
    assert_eq!(shown("0502", "IL"), "050-2");
    assert_eq!(shown("0502345678", "IL"), "050-234-5678");
    assert_eq!(shown("502345678", "IL"), "50-234-5678");
    assert_eq!(shown("05023456789", "IL"), "050-234-56789");
    assert_eq!(shown("+", "IL"), "+");
    assert_eq!(shown("+97", "IL"), "+97");
    assert_eq!(shown("+9725", "IL"), "+972 5");
    assert_eq!(shown("00972502345678", "IL"), "00 972 50-234-5678");
    assert_eq!(shown("12015550123", "US"), "1 (201) 555-0123");
    assert_eq!(shown("01115234", "AR"), "011 15-234");
    assert_eq!(shown("86123", "LT"), "(8-612) 3");
    assert_eq!(shown("x", "IL"), "x");
}

#[test]
fn regions() {
    let region = Region::parse("IL");
    assert_eq!(region.map(Region::calling_code), Some(972));
    assert_eq!(Region::parse("us").map(Region::code), Some("US"));
    for code in ["", "I", "ILL", "00", "XX", "001", "é"] {
        assert_eq!(Region::parse(code), None, "{code}");
    }
    let all = (b'A'..=b'Z').flat_map(|first| (b'A'..=b'Z').map(move |second| [first, second]));
    let all = all.filter(|code| Region::parse(str::from_utf8(code).unwrap()).is_some());
    assert_eq!(all.count(), 245);
}

fn anything() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[0-9+ ()-]{0,30}",
        "\\+?[0-9]{0,20}",
        "[0-9]{200,300}",
        "[٠-٩۰-۹０-９+]{0,24}",
        "(tel:)?[+]?[0-9a-zA-Z~/.]{0,20}([ ,;#x]|;ext=|;isub=|;phone-context=)[+0-9a-z.-]{0,22}",
    ]
}

proptest! {
    #[test]
    fn nothing_makes_it_fail(input in anything(), region in "[A-Z]{2}") {
        for region in [None, Region::parse(&region), Region::parse("JP"), Region::parse("AR")] {
            let phone = parse(&input, region);
            prop_assert_eq!(phone.e164.is_some(), phone.verdict != Verdict::Invalid);
            prop_assert_eq!(phone.national.is_some(), phone.verdict == Verdict::Valid);
            if let Some(suggestion) = &phone.suggestion {
                prop_assert_eq!(suggestion.verdict, Verdict::Valid);
            }
            format_as_you_type(&input, region);
        }
    }

    #[test]
    fn no_digit_is_lost(input in "\\+?[0-9]{0,20}", region in "[A-Z]{2}") {
        for region in [None, Region::parse(&region), Region::parse("BR"), Region::parse("AR")] {
            let shown = format_as_you_type(&input, region);
            let digits: String = shown.chars().filter(|char| char.is_ascii_digit() || *char == '+').collect();
            prop_assert_eq!(&digits, &input);
        }
    }
}

#[test]
fn each_regions_example_is_a_number_of_that_region() {
    let mut elsewhere = Vec::new();
    for pair in table::REGIONS
        .as_bytes()
        .chunks(2)
        .filter(|pair| pair != b"00")
    {
        let region = Region::of(pair).unwrap();
        let example = example(region).unwrap_or_else(|| panic!("{} has none", region.code()));
        let phone = parse(&example, Some(region));
        assert_eq!(phone.verdict, Verdict::Valid, "{}", region.code());
        if phone.region != Some(region) {
            elsewhere.push(region.code());
        }
        assert_eq!(phone.national.as_deref(), Some(&*example));
    }
    // They have none of their own: it is that of the country whose code they share.
    assert_eq!(
        elsewhere,
        ["VA", "SJ", "CC", "CX", "EH", "TA", "AX", "BL", "MF"]
    );
    let of = |code| example(Region::parse(code)?);
    assert_eq!(of("IL").as_deref(), Some("052-223-4567"));
    assert_eq!(of("FR").as_deref(), Some("06 22 34 56 78"));
}
