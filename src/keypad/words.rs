//! What the keypad says, in each language. `#` stands for a number.

use crate::lines::{line, split};

/// A text of the keypad.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Word {
    /// Names the whole.
    Title,
    /// What to do.
    Hint,
    /// Names the digits.
    Keys,
    /// Names the key that takes one back.
    Delete,
    /// Takes all back.
    Clear,
    /// The e-receipt.
    Send,
    /// The paper.
    Print,
    /// Neither.
    None,
    /// Another number that may be meant.
    Suggestion,
    /// Sent without a number.
    Empty,
    /// Sent too early.
    Incomplete,
    /// No further digit can help.
    NotMobile,
    /// It can be sent.
    Valid,
    /// The host is asked.
    Sending,
    /// Nobody has touched anything for long.
    Idle,
    /// How many digits, for a screen reader that must not say them.
    Count,
    /// What the number is used for.
    Consent,
}

/// How many there are.
pub const WORDS: usize = 17;

/// The names of `ReceiptLabels`, a line each, in the order of `Word`.
pub const NAMES: &str = "\
title
hint
keys
delete
clear
send
print
none
suggestion
empty
incomplete
notMobile
valid
sending
idle
count
consent";

/// The languages, and their texts in the same order.
pub const LOCALES: [(&str, &str); 3] = [
    (
        "en",
        "\
Receipt by text message
Enter your mobile number
Digits
Delete
Clear
Send e-receipt
Print instead
No receipt
Did you mean #?
Enter your mobile number, or choose Print instead.
The number is too short. Enter the rest of it.
This is not a mobile number. Correct it, or choose Print instead.
Ready to send
Sending…
Still there? Touch any key to go on: # s
# digits
Your number is used for this receipt only.",
    ),
    (
        "he",
        "\
קבלה בהודעת טקסט
הקלידו את מספר הנייד
ספרות
מחיקה
ניקוי
שליחת קבלה דיגיטלית
הדפסה במקום
ללא קבלה
האם התכוונת ל-#?
הקלידו מספר נייד, או בחרו בהדפסה.
המספר קצר מדי. השלימו אותו.
זה לא מספר נייד. תקנו אותו, או בחרו בהדפסה.
אפשר לשלוח
שולחים…
עדיין כאן? להמשך געו במקש: # שניות
# ספרות
המספר ישמש לקבלה הזו בלבד.",
    ),
    (
        "ar",
        "\
الإيصال برسالة نصية
أدخل رقم هاتفك الجوال
أرقام
حذف
مسح
إرسال إيصال إلكتروني
الطباعة بدلاً من ذلك
بدون إيصال
هل تقصد #؟
أدخل رقم هاتفك الجوال أو اختر الطباعة.
الرقم قصير. أكمل إدخاله.
هذا ليس رقم جوال. صحّحه أو اختر الطباعة.
جاهز للإرسال
جارٍ الإرسال…
هل ما زلت هنا؟ المس أي مفتاح للمتابعة: # ث
عدد الأرقام: #
يُستخدم رقمك لهذا الإيصال فقط.",
    ),
];

/// The texts of one keypad.
pub struct Words {
    /// The language that they are in, as a tag.
    pub locale: &'static str,
    /// In the order of `Word`; the host may have put its own in their place.
    pub texts: Vec<String>,
}

impl Words {
    /// In the first language that there is of the wanted one and the others; English, if there is none.
    pub fn new(wanted: &str, others: &[String]) -> Self {
        let known = |tag: &str| LOCALES.iter().find(|(name, _)| is_of(tag, name));
        let [english, ..] = &LOCALES;
        let other = || others.iter().find_map(|tag| known(tag));
        let (locale, texts) = known(wanted).or_else(other).unwrap_or(english);
        let mut words = Vec::with_capacity(WORDS);
        for word in 0..WORDS {
            words.push(String::from(line(texts, word)));
        }
        Self {
            locale,
            texts: words,
        }
    }

    /// Whether it is written from right to left.
    pub fn is_rtl(&self) -> bool {
        self.locale != "en"
    }

    /// A text.
    pub fn get(&self, word: Word) -> &str {
        self.texts.get(word as usize).map_or("", String::as_str)
    }

    /// A text with a number in it.
    pub fn with(&self, word: Word, number: &str) -> String {
        // A label without a place for it has it at its end.
        let (before, after) = split(self.get(word), b'#');
        [before, number, after].concat()
    }
}

/// Whether `tag` is `language`, or `language` with subtags.
fn is_of(tag: &str, language: &str) -> bool {
    let (letters, rest) = match tag.as_bytes() {
        [one, two, rest @ ..] => ([one | 32, two | 32], rest),
        _ => return false,
    };
    // Browsers of old, and Java, say "iw".
    let is_same = letters == *language.as_bytes() || language == "he" && letters == *b"iw";
    is_same && matches!(rest, [] | [b'-' | b'_', ..])
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;

    fn locale(wanted: &[&str]) -> &'static str {
        let wanted: Vec<String> = wanted.iter().map(|tag| (*tag).into()).collect();
        Words::new("", &wanted).locale
    }

    #[test]
    fn the_first_known_language_is_chosen() {
        assert_eq!(locale(&["he-IL"]), "he");
        assert_eq!(locale(&["iw"]), "he");
        assert_eq!(locale(&["AR_eg"]), "ar");
        assert_eq!(locale(&["en-GB"]), "en");
        assert_eq!(locale(&["fr", "he", "en"]), "he");
        assert_eq!(locale(&["arc", "heb", "", "é", "xx"]), "en");
        assert_eq!(locale(&[]), "en");
        assert_eq!(Words::new("ar", &["he".into()]).locale, "ar");
    }

    #[test]
    fn every_text_is_there_and_holds_a_number_where_it_should() {
        for (locale, texts) in LOCALES {
            assert_eq!(texts.lines().count(), WORDS, "{locale}");
            for (name, text) in NAMES.lines().zip(texts.lines()) {
                assert!(!text.trim().is_empty(), "{locale} {name}");
                let holds = ["suggestion", "idle", "count"].contains(&name);
                assert_eq!(
                    text.matches('#').count(),
                    usize::from(holds),
                    "{locale} {name}"
                );
            }
        }
        assert_eq!(Word::Consent as usize, WORDS - 1);
    }

    #[test]
    fn the_declared_labels_are_the_labels() {
        let types = include_str!("../../pkg-template/index.d.ts");
        let (_, labels) = types
            .split_once("export interface ReceiptLabels {")
            .unwrap();
        let (labels, _) = labels.split_once("\n}").unwrap();
        let members = labels
            .lines()
            .filter_map(|line| line.trim().strip_suffix(": string;"));
        assert!(members.eq(NAMES.lines()));
        let (_, english) = LOCALES[0];
        for text in english.lines() {
            assert!(labels.contains(&["\"", text, "\""].concat()), "{text}");
        }
    }

    #[test]
    fn numbers_are_put_into_texts() {
        let mut words = Words::new("", &[]);
        assert_eq!(words.with(Word::Count, "5"), "5 digits");
        words.texts[Word::Count as usize] = "é".into();
        assert_eq!(words.with(Word::Count, "5"), "é5");
    }
}
