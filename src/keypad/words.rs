//! What the keypad says, in each language. `#` stands for a number.

/// A text of the keypad.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Word {
    /// Names the whole.
    Title,
    /// What to do.
    Hint,
    /// Names the field of the number.
    Number,
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
    /// Fewer digits would.
    TooLong,
    /// It can be sent.
    Valid,
    /// The host is asked.
    Sending,
    /// The host has accepted it.
    Sent,
    /// Nobody had to accept it.
    Accepted,
    /// The host has not accepted it.
    SendFailed,
    /// Asks the host once more.
    Retry,
    /// It ends with paper.
    Printing,
    /// Nobody has touched anything for long; it prints soon.
    Idle,
    /// Likewise, and nothing is printed.
    IdleNone,
    /// How many digits, for a screen reader that must not say them.
    Count,
    /// What the number is used for.
    Consent,
}

impl Word {
    /// Every text, in the order of `ReceiptLabels`.
    pub const ALL: [Self; 25] = [
        Self::Title,
        Self::Hint,
        Self::Number,
        Self::Keys,
        Self::Delete,
        Self::Clear,
        Self::Send,
        Self::Print,
        Self::None,
        Self::Suggestion,
        Self::Empty,
        Self::Incomplete,
        Self::NotMobile,
        Self::TooLong,
        Self::Valid,
        Self::Sending,
        Self::Sent,
        Self::Accepted,
        Self::SendFailed,
        Self::Retry,
        Self::Printing,
        Self::Idle,
        Self::IdleNone,
        Self::Count,
        Self::Consent,
    ];

    /// Its name in `ReceiptLabels`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Hint => "hint",
            Self::Number => "number",
            Self::Keys => "keys",
            Self::Delete => "delete",
            Self::Clear => "clear",
            Self::Send => "send",
            Self::Print => "print",
            Self::None => "none",
            Self::Suggestion => "suggestion",
            Self::Empty => "empty",
            Self::Incomplete => "incomplete",
            Self::NotMobile => "notMobile",
            Self::TooLong => "tooLong",
            Self::Valid => "valid",
            Self::Sending => "sending",
            Self::Sent => "sent",
            Self::Accepted => "accepted",
            Self::SendFailed => "sendFailed",
            Self::Retry => "retry",
            Self::Printing => "printing",
            Self::Idle => "idle",
            Self::IdleNone => "idleNone",
            Self::Count => "count",
            Self::Consent => "consent",
        }
    }
}

/// A language of the keypad.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Language {
    /// `en`, the default.
    English,
    /// `he`
    Hebrew,
    /// `ar`
    Arabic,
}

impl Language {
    /// Every language.
    pub const ALL: [Self; 3] = [Self::English, Self::Hebrew, Self::Arabic];

    /// The language of a tag such as `he-IL`.
    fn parse(tag: &str) -> Option<Self> {
        let (language, _) = tag.split_once(['-', '_']).unwrap_or((tag, ""));
        let is = |code| language.eq_ignore_ascii_case(code);
        // Older browsers, and Java, say "iw".
        if is("iw") {
            return Some(Self::Hebrew);
        }
        Self::ALL.into_iter().find(|language| is(language.tag()))
    }

    /// Its tag.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Hebrew => "he",
            Self::Arabic => "ar",
        }
    }

    /// A text in this language.
    pub const fn text(self, word: Word) -> &'static str {
        match self {
            Self::English => english(word),
            Self::Hebrew => hebrew(word),
            Self::Arabic => arabic(word),
        }
    }
}

const fn english(word: Word) -> &'static str {
    match word {
        Word::Title => "Receipt by text message",
        Word::Hint => "Enter your mobile number",
        Word::Number => "Mobile number",
        Word::Keys => "Digits",
        Word::Delete => "Delete",
        Word::Clear => "Clear",
        Word::Send => "Send e-receipt",
        Word::Print => "Print receipt",
        Word::None => "No receipt",
        Word::Suggestion => "Did you mean #?",
        Word::Empty => "Enter your mobile number, or choose Print receipt.",
        Word::Incomplete => "The number is too short. Enter the rest of it.",
        Word::NotMobile => "This is not a mobile number. Correct it, or choose Print receipt.",
        Word::TooLong => "Too many digits. Delete the extra ones.",
        Word::Valid => "Ready to send",
        Word::Sending => "Sending…",
        Word::Sent => "Sent to #",
        Word::Accepted => "We'll text your receipt to #",
        Word::SendFailed => "Couldn't send. Printing your receipt",
        Word::Retry => "Try again",
        Word::Printing => "Printing",
        Word::Idle => "Still there? Tap to continue, or we'll print in # s",
        Word::IdleNone => "Still there? Tap to continue, or this closes in # s",
        Word::Count => "# digits",
        Word::Consent => "Your number is used for this receipt only.",
    }
}

const fn hebrew(word: Word) -> &'static str {
    match word {
        Word::Title => "קבלה במסרון",
        Word::Hint => "הקלידו את מספר הנייד",
        Word::Number => "מספר נייד",
        Word::Keys => "ספרות",
        Word::Delete => "מחיקה",
        Word::Clear => "ניקוי",
        Word::Send => "שליחת קבלה דיגיטלית",
        Word::Print => "הדפסת קבלה",
        Word::None => "ללא קבלה",
        Word::Suggestion => "האם התכוונתם ל-#?",
        Word::Empty => "הקלידו מספר נייד, או בחרו בהדפסת קבלה.",
        Word::Incomplete => "המספר קצר מדי. השלימו אותו.",
        Word::NotMobile => "זה לא מספר נייד. תקנו אותו, או בחרו בהדפסת קבלה.",
        Word::TooLong => "יותר מדי ספרות. מחקו את המיותרות.",
        Word::Valid => "אפשר לשלוח",
        Word::Sending => "שולחים…",
        Word::Sent => "נשלח אל #",
        Word::Accepted => "הקבלה תישלח במסרון אל #",
        Word::SendFailed => "השליחה נכשלה. הקבלה מודפסת",
        Word::Retry => "ניסיון נוסף",
        Word::Printing => "מדפיסים",
        Word::Idle => "עדיין כאן? לחצו כדי להמשיך, אחרת נדפיס בעוד # שניות",
        Word::IdleNone => "עדיין כאן? לחצו כדי להמשיך, אחרת החלון ייסגר בעוד # שניות",
        Word::Count => "# ספרות",
        Word::Consent => "המספר ישמש לקבלה הזו בלבד.",
    }
}

const fn arabic(word: Word) -> &'static str {
    match word {
        Word::Title => "الإيصال برسالة نصية",
        Word::Hint => "أدخل رقم جوالك",
        Word::Number => "رقم الجوال",
        Word::Keys => "أرقام",
        Word::Delete => "حذف",
        Word::Clear => "مسح",
        Word::Send => "أرسل الإيصال الإلكتروني",
        Word::Print => "اطبع الإيصال",
        Word::None => "بدون إيصال",
        Word::Suggestion => "هل تقصد #؟",
        Word::Empty => "أدخل رقم جوالك أو اختر «اطبع الإيصال».",
        Word::Incomplete => "الرقم قصير. أكمل إدخاله.",
        Word::NotMobile => "هذا ليس رقم جوال. صحّحه أو اختر «اطبع الإيصال».",
        Word::TooLong => "الأرقام أكثر من اللازم. احذف الزائد.",
        Word::Valid => "جاهز للإرسال",
        Word::Sending => "جارٍ الإرسال…",
        Word::Sent => "أُرسل إلى #",
        Word::Accepted => "سنرسل الإيصال إلى #",
        Word::SendFailed => "تعذّر الإرسال. جارٍ طباعة الإيصال",
        Word::Retry => "أعد المحاولة",
        Word::Printing => "جارٍ الطباعة",
        Word::Idle => "هل ما زلت هنا؟ المس للمتابعة، وإلا سنطبع الإيصال. الثواني المتبقية: #",
        Word::IdleNone => "هل ما زلت هنا؟ المس للمتابعة، وإلا سيُغلق. الثواني المتبقية: #",
        Word::Count => "عدد الأرقام: #",
        Word::Consent => "يُستخدم رقمك لهذا الإيصال فقط.",
    }
}

/// The texts of one keypad.
///
/// ```
/// use pos_connect::keypad::words::{Word, Words};
///
/// let mut words = Words::new("", &["he-IL".into()]);
/// assert_eq!(words.locale(), "he");
/// words.replace(Word::Count, "# typed".into());
/// assert_eq!(words.with(Word::Count, "5"), "5 typed");
/// ```
pub struct Words {
    language: Language,
    /// The host's own texts.
    own: Vec<(Word, String)>,
}

impl Words {
    /// In the first known language of `wanted` and then `others`; English if none is known.
    pub fn new(wanted: &str, others: &[String]) -> Self {
        let other = || others.iter().find_map(|tag| Language::parse(tag));
        let language = Language::parse(wanted).or_else(other);
        Self {
            language: language.unwrap_or(Language::English),
            own: Vec::new(),
        }
    }

    /// The tag of the language.
    pub fn locale(&self) -> &'static str {
        self.language.tag()
    }

    /// Whether it is written from right to left.
    pub fn is_rtl(&self) -> bool {
        self.language != Language::English
    }

    /// Puts the host's own text in the place of one.
    pub fn replace(&mut self, word: Word, text: String) {
        self.own.push((word, text));
    }

    /// A text.
    pub fn get(&self, word: Word) -> &str {
        let own = self.own.iter().find(|(own, _)| *own == word);
        own.map_or_else(|| self.language.text(word), |(_, text)| text.as_str())
    }

    /// A text with a number in it.
    pub fn with(&self, word: Word, number: &str) -> String {
        let text = self.get(word);
        // A label without a place for the number gets it at its end.
        let (before, after) = text.split_once('#').unwrap_or((text, ""));
        [before, number, after].concat()
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;

    fn locale(wanted: &[&str]) -> &'static str {
        let wanted: Vec<String> = wanted.iter().map(|tag| (*tag).into()).collect();
        Words::new("", &wanted).locale()
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
        assert_eq!(Words::new("ar", &["he".into()]).locale(), "ar");
    }

    #[test]
    fn every_text_is_there_and_holds_a_number_where_it_should() {
        for language in Language::ALL {
            for word in Word::ALL {
                let (locale, name, text) = (language.tag(), word.name(), language.text(word));
                assert!(!text.trim().is_empty(), "{locale} {name}");
                let numbers = [
                    "suggestion",
                    "sent",
                    "accepted",
                    "idle",
                    "idleNone",
                    "count",
                ];
                let holds = numbers.contains(&name);
                assert_eq!(
                    text.matches('#').count(),
                    usize::from(holds),
                    "{locale} {name}"
                );
            }
        }
        assert_eq!(Word::Consent as usize, Word::ALL.len() - 1);
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
        let members: Vec<_> = members.collect();
        let place = "ReceiptLabels in pkg-template/index.d.ts, in the order of Word";
        assert_eq!(members, Word::ALL.map(Word::name), "{place}");
        for word in Word::ALL {
            let text = Language::English.text(word);
            assert!(labels.contains(&["\"", text, "\""].concat()), "{text}");
        }
    }

    #[test]
    fn numbers_are_put_into_texts() {
        let mut words = Words::new("", &[]);
        assert_eq!(words.with(Word::Count, "5"), "5 digits");
        words.replace(Word::Count, "é".into());
        assert_eq!(words.with(Word::Count, "5"), "é5");
    }
}
