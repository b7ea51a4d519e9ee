//! Numbers as people may type them in a region: right ones, other kinds, and wrong ones.

use crate::random::Random;
use crate::reference;
use pos_connect::phone::cover::{self, Words};
use pos_connect::phone::{Region, digit};
use rlibphonenumber::{PHONE_NUMBER_UTIL, PhoneNumberFormat, PhoneNumberType};
use std::sync::LazyLock;

/// Classes in which a further character can change what those before it are.
pub const EXTENSION: &str = "extension";
pub const LETTERS: &str = "letters";
pub const URI: &str = "URI";

pub struct Vectors {
    random: Random,
    home: Plan,
    /// Numbers of other regions, to which one may call.
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

/// Where the digits of each script begin.
static ZEROS: LazyLock<Vec<u32>> = LazyLock::new(|| {
    let all = 0x80..0x11_0000;
    all.filter(|code| digit(*code) == Some(0)).collect()
});

/// The reference's punctuation, and some that it does not know.
const PUNCTUATION: &str =
    "-x‐‑‒–—―−ー－．／ \u{a0}\u{ad}\u{200b}\u{2060}\u{3000}()（）［］＼.[]/~⁓∼*_\u{200e}\u{2002}';";

/// How extensions are written, and some that are none.
const LABELS: [&str; 42] = [
    " ext ",
    " ext. ",
    "ext",
    "xt",
    " extn ",
    " extension ",
    " EXT: ",
    " extensión ",
    " extensio\u{301}n ",
    " Extensió. ",
    "ｅｘｔ",
    " ＥＸＴＮ ",
    "ｘｔ",
    " доб. ",
    " ДОБ ",
    " anexo ",
    "x",
    " x ",
    " X: ",
    "ｘ",
    "#",
    " # ",
    "＃",
    "~",
    "～",
    " int ",
    "INT.",
    "ｉｎｔ",
    ";ext=",
    ",",
    ",,",
    ", ,",
    " ,,,",
    ";",
    " ; ",
    "; - ",
    ",x",
    " - ",
    " ",
    " extra ",
    " ex ",
    "/x",
];

/// What may stand before a number and after it.
const BEFORE: [&str; 10] = [
    "Tel. ", "phone: ", "☎ ", "(", "*", "#", "a", "טל׳ ", "\u{200f}", "”",
];
const AFTER: [&str; 24] = [
    "”", ")", "。", "！", " €", "☎", "🎉", "\u{200e}", "\n", "ש", "²", "#", "a", "½", "）", " x",
    "\u{301}", "،", "־", "×", "・", "￥", "🇮🇱", "\u{feff}",
];

const PARAMETERS: [&str; 13] = [
    "",
    ";ext=12",
    ";ext=1a",
    ";isub=12",
    ";ISUB=12",
    ";PHONE-CONTEXT=+972",
    ";ext=3;isub=1",
    ";foo=bar",
    ";phone-context=+972",
    ";phone-context=+1-(201)",
    ";phone-context=example.com",
    ";phone-context=-x",
    ";phone-context=",
];

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
        match random.below(32) {
            0 => ("one digit wrong", random.mutate(&input)),
            1 => ("one digit wrong, twice", {
                let once = random.mutate(&input);
                random.mutate(&once)
            }),
            2 => {
                let zero = *random.pick(&ZEROS);
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
            5 | 6 => (EXTENSION, {
                let most = *random.pick(&[4, 4, 4, 22]);
                let count = 1 + random.below(most);
                let end = *random.pick(&["", "", "", "#"]);
                input + random.pick::<&str>(&LABELS) + &random.digits(count) + end
            }),
            7 => (LETTERS, {
                let after = random.below(6);
                let odds = 1 + random.below(6);
                let mut letter = |(place, char)| match random.below(odds) {
                    0 if place > after => char::from(b"aBcdEFxyZ"[random.below(9)]),
                    _ => char,
                };
                input.chars().enumerate().map(&mut letter).collect()
            }),
            8 => (URI, {
                let scheme = random.pick::<&str>(&["tel:", "", "TEL:", "a tel:"]);
                [*scheme, input.as_str(), random.pick::<&str>(&PARAMETERS)].concat()
            }),
            9 | 10 => ("punctuation", {
                let marks: Vec<char> = PUNCTUATION.chars().collect();
                let mut marked = String::new();
                for char in input.chars() {
                    if random.below(6) == 0 {
                        marked.push(*random.pick(&marks));
                    }
                    marked.push(char);
                }
                marked
            }),
            11 => (
                "something before",
                [random.pick::<&str>(&BEFORE), input.as_str()].concat(),
            ),
            12 => ("something after", input + random.pick::<&str>(&AFTER)),
            _ => (class, input),
        }
    }
}
