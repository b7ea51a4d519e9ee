//! What both say of an input, in the same words.

use pos_connect::phone::{self, Kind, Phone, Region};
use rlibphonenumber::{
    NumberLengthType, PHONE_NUMBER_UTIL, PhoneNumber, PhoneNumberFormat, PhoneNumberType,
    Region as Theirs,
};

#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    pub verdict: &'static str,
    e164: Option<String>,
    national: Option<String>,
    international: Option<String>,
    region: Option<String>,
    kind: Option<&'static str>,
    extension: Option<String>,
}

pub fn regions() -> Vec<String> {
    let mut regions: Vec<String> = PHONE_NUMBER_UTIL
        .get_supported_regions()
        .map(|region| region.as_region_str().to_string())
        .filter(|region| region.len() == 2)
        .collect();
    regions.sort();
    regions
}

pub fn region(code: &str) -> Theirs {
    PHONE_NUMBER_UTIL
        .get_supported_regions()
        .find(|region| *region.as_region_str() == *code)
        .unwrap_or_else(|| panic!("the reference does not know {code}"))
}

impl Answer {
    const INVALID: Self = Self {
        verdict: "invalid",
        e164: None,
        national: None,
        international: None,
        region: None,
        kind: None,
        extension: None,
    };

    pub fn ours(input: &str, region: Option<&str>) -> Self {
        Self::of(&phone::parse(input, region.and_then(Region::parse)))
    }

    pub fn of(phone: &Phone) -> Self {
        Self {
            verdict: phone.verdict.as_str(),
            e164: phone.e164.clone(),
            national: phone.national.clone(),
            international: phone.international.clone(),
            region: phone.region.map(|region| region.code().to_owned()),
            kind: phone.kind.map(Kind::as_str),
            // The reference says nothing about what is not a number.
            extension: phone.e164.as_ref().and(phone.extension.clone()),
        }
    }

    pub fn reference(input: &str, home: Option<&str>) -> Self {
        match PHONE_NUMBER_UTIL.parse(input, home.map(region)) {
            Ok(mut number) => {
                // Its formats have it; ours have it apart.
                let extension = number.extension.take();
                let digits = |text: String| PHONE_NUMBER_UTIL.normalize_digits_only(&text);
                let answer = Self::of_reference(&number);
                let extension = answer.e164.as_ref().and(extension.map(digits));
                Self {
                    extension,
                    ..answer
                }
            }
            Err(_) => Self::INVALID,
        }
    }

    fn of_reference(number: &PhoneNumber) -> Self {
        let write = |format| Some(PHONE_NUMBER_UTIL.format(number, format).into_owned());
        let kind = match PHONE_NUMBER_UTIL.get_number_type(number) {
            PhoneNumberType::Mobile => Some("mobile"),
            PhoneNumberType::FixedLineOrMobile => Some("fixed_line_or_mobile"),
            _ => None,
        };
        if kind.is_some() && PHONE_NUMBER_UTIL.is_valid_number(number) {
            return Self {
                verdict: "valid",
                e164: write(PhoneNumberFormat::E164),
                national: write(PhoneNumberFormat::National),
                international: write(PhoneNumberFormat::International),
                region: PHONE_NUMBER_UTIL
                    .get_region_for_number(number)
                    .map(|region| region.as_region_str().replace("World", "001")),
                kind,
                extension: None,
            };
        }
        let possible = PHONE_NUMBER_UTIL
            .is_possible_number_for_type_with_reason(number, PhoneNumberType::Mobile);
        if matches!(possible, Ok(NumberLengthType::IsPossible)) {
            return Self {
                verdict: "possible",
                e164: write(PhoneNumberFormat::E164),
                ..Self::INVALID
            };
        }
        Self::INVALID
    }
}
