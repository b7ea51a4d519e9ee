//! Numbers as people may type them in a region: right ones, other kinds, and wrong ones.

use crate::random::Random;
use crate::reference;
use pos_connect::phone::Region;
use pos_connect::phone::cover::{self, Words};
use rlibphonenumber::{PHONE_NUMBER_UTIL, PhoneNumberFormat, PhoneNumberType};

pub struct Vectors {
    random: Random,
    home: Plan,
    /// Of other regions, to which one may call.
    abroad: Vec<Plan>,
}

/// What makes numbers of a region.
struct Plan {
    region: Region,
    code: String,
    /// Numbers of every kind that upstream gives an example of.
    examples: Vec<String>,
}

const KINDS: [PhoneNumberType; 11] = [
    PhoneNumberType::FixedLine,
    PhoneNumberType::Mobile,
    PhoneNumberType::FixedLineOrMobile,
    PhoneNumberType::TollFree,
    PhoneNumberType::PremiumRate,
    PhoneNumberType::SharedCost,
    PhoneNumberType::VoIP,
    PhoneNumberType::PersonalNumber,
    PhoneNumberType::Pager,
    PhoneNumberType::UAN,
    PhoneNumberType::VoiceMail,
];

impl Plan {
    fn new(name: &str) -> Self {
        let region = Region::parse(name).unwrap();
        let theirs = reference::region(name);
        let example = |kind: &PhoneNumberType| {
            let number = PHONE_NUMBER_UTIL.get_example_number_for_type_and_region(theirs, *kind);
            Some(number.ok()?.get_national_significant_number())
        };
        Self {
            region,
            code: region.calling_code().to_string(),
            examples: KINDS.iter().filter_map(example).collect(),
        }
    }

    fn word(&self, words: Words, random: &mut Random) -> String {
        cover::word(words, self.region, &mut |limit| random.below(limit))
    }

    /// A mobile number, or one of another kind, of the right length or nearly.
    fn number(&self, random: &mut Random) -> String {
        let example = random.pick(&self.examples).clone();
        if random.below(10) < 3 {
            let keep = example.len().saturating_sub(random.below(7));
            let end = random.digits(example.len() - keep);
            return example[..keep].to_owned() + &end;
        }
        let mut number = self.word(Words::Mobile, random);
        let length = random.pick(&self.examples).len().max(number.len());
        let end = random.digits(length - number.len());
        number.push_str(&end);
        number
    }
}

/// The digits of the national format.
fn written(code: &str, number: String) -> String {
    match PHONE_NUMBER_UTIL.parse(format!("+{code}{number}"), None) {
        Ok(number) => PHONE_NUMBER_UTIL
            .format(&number, PhoneNumberFormat::National)
            .chars()
            .filter(char::is_ascii_digit)
            .collect(),
        Err(_) => number,
    }
}

/// The same input with the digits that every port of libphonenumber reads.
pub fn ascii(input: &str) -> String {
    input
        .chars()
        .map(|char| match char {
            '٠'..='٩' => char::from_digit(char as u32 - '٠' as u32, 10).unwrap(),
            '۰'..='۹' => char::from_digit(char as u32 - '۰' as u32, 10).unwrap(),
            '０'..='９' => char::from_digit(char as u32 - '０' as u32, 10).unwrap(),
            _ => char,
        })
        .collect()
}

impl Vectors {
    pub fn new(seed: u64, region: &str) -> Self {
        let mut random = Random::new(seed, region);
        let regions = reference::regions();
        let abroad = (0..8)
            .map(|_| Plan::new(random.pick::<String>(&regions)))
            .collect();
        Self {
            home: Plan::new(region),
            abroad,
            random,
        }
    }

    /// The name of a class, and an input of it.
    pub fn next(&mut self) -> (&'static str, String) {
        let random = &mut self.random;
        let plan = if random.below(5) == 0 {
            random.pick(&self.abroad)
        } else {
            &self.home
        };
        let mut number = plan.number(random);
        if random.below(5) == 0 {
            number = random.mutate(&number);
        }
        let prefix = plan.word(Words::National, random);
        let idd = self.home.word(Words::International, random);
        let code = &plan.code;
        let (class, input) = match random.below(12) {
            0 | 1 => ("national", number),
            2 => ("national prefix", prefix + &number),
            3 => ("as written nationally", written(code, number)),
            4 | 5 => ("+ code", format!("+{code}{number}")),
            6 => ("international prefix", format!("{idd}{code}{number}")),
            7 => ("code without +", format!("{code}{number}")),
            8 => ("code without +, prefix", format!("{code}{prefix}{number}")),
            9 => ("+ code, prefix", format!("+{code}{prefix}{number}")),
            10 => ("+ international prefix", format!("+{idd}{code}{number}")),
            _ => {
                let count = random.below(19);
                ("random", random.digits(count))
            }
        };
        self.disguise(class, input)
    }

    fn disguise(&mut self, class: &'static str, input: String) -> (&'static str, String) {
        let random = &mut self.random;
        match random.below(24) {
            0 => ("one digit wrong", random.mutate(&input)),
            1 => ("one digit wrong, twice", {
                let once = random.mutate(&input);
                random.mutate(&once)
            }),
            2 => {
                let zero = *random.pick(&['٠', '۰', '０']) as u32;
                let digits = |char: char| match char.to_digit(10) {
                    Some(digit) => char::from_u32(zero + digit).unwrap(),
                    None => char,
                };
                ("other digits", input.chars().map(digits).collect())
            }
            3 => {
                let mut spaced = String::new();
                for char in input.chars() {
                    if !spaced.is_empty() && !spaced.ends_with('+') {
                        spaced.push_str(
                            random.pick::<&str>(&["", "", "", " ", "-", ".", "/", " (", ") "]),
                        );
                    }
                    spaced.push(char);
                }
                ("separators", spaced)
            }
            4 => ("+ at the end", input + "+"),
            _ => (class, input),
        }
    }
}
