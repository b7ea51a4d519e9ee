//! What stands around the connect page, in each language. `#` stands for a number or a name.

use crate::labels::Labels;

/// A text of the frame.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Word {
    /// Names the frame, and heads the dialog.
    Title,
    /// The page loads.
    Loading,
    /// The page has said nothing for long.
    Slow,
    /// Loads the page again.
    Retry,
    /// Opens the page in a window.
    OpenWindow,
    /// In the frame's place, while a window has the page.
    Elsewhere,
    /// Brings that window to the front.
    ShowWindow,
    /// Shows the link and its QR code.
    Phone,
    /// Shows the frame again.
    Here,
    /// The number that the phone shows, too.
    Code,
    /// The number that the window shows, too.
    CodeWindow,
    /// Above the QR code.
    Scan,
    /// Names the QR code.
    Qr,
    /// Copies the link.
    Copy,
    /// After that.
    Copied,
    /// Closes the dialog.
    Close,
    /// In the frame's place, at the end.
    Done,
    /// What was chosen, at the end.
    EreceiptsOn,
    /// Likewise.
    EreceiptsOff,
}

impl Word {
    /// Every text, in the order of `FrameLabels`.
    pub const ALL: [Self; 19] = [
        Self::Title,
        Self::Loading,
        Self::Slow,
        Self::Retry,
        Self::OpenWindow,
        Self::Elsewhere,
        Self::ShowWindow,
        Self::Phone,
        Self::Here,
        Self::Code,
        Self::CodeWindow,
        Self::Scan,
        Self::Qr,
        Self::Copy,
        Self::Copied,
        Self::Close,
        Self::Done,
        Self::EreceiptsOn,
        Self::EreceiptsOff,
    ];

    /// Its name in `FrameLabels`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Loading => "loading",
            Self::Slow => "slow",
            Self::Retry => "retry",
            Self::OpenWindow => "openWindow",
            Self::Elsewhere => "elsewhere",
            Self::ShowWindow => "showWindow",
            Self::Phone => "phone",
            Self::Here => "here",
            Self::Code => "code",
            Self::CodeWindow => "codeWindow",
            Self::Scan => "scan",
            Self::Qr => "qr",
            Self::Copy => "copy",
            Self::Copied => "copied",
            Self::Close => "close",
            Self::Done => "done",
            Self::EreceiptsOn => "ereceiptsOn",
            Self::EreceiptsOff => "ereceiptsOff",
        }
    }
}

/// A language of the frame.
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
        let is = |code: &str| primary(tag).eq_ignore_ascii_case(code);
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
        Word::Title => "Connect your account",
        Word::Loading => "Loading…",
        Word::Slow => "Taking longer than usual",
        Word::Retry => "Try again",
        Word::OpenWindow => "Open in a new window",
        Word::Elsewhere => "Finish in the other window",
        Word::ShowWindow => "Show the window",
        Word::Phone => "Continue on your phone",
        Word::Here => "Continue here",
        Word::Code => "Check that your phone shows #",
        Word::CodeWindow => "Check that the other window shows #",
        Word::Scan => "Scan this with your phone, or open the link there.",
        Word::Qr => "QR code of the link",
        Word::Copy => "Copy the link",
        Word::Copied => "Copied",
        Word::Close => "Close",
        Word::Done => "Connected",
        Word::EreceiptsOn => "E-receipts on",
        Word::EreceiptsOff => "E-receipts off",
    }
}

const fn hebrew(word: Word) -> &'static str {
    match word {
        Word::Title => "חיבור החשבון שלכם",
        Word::Loading => "טוענים…",
        Word::Slow => "זה לוקח יותר זמן מהרגיל",
        Word::Retry => "ניסיון נוסף",
        Word::OpenWindow => "פתיחה בחלון חדש",
        Word::Elsewhere => "המשיכו בחלון השני",
        Word::ShowWindow => "הצגת החלון",
        Word::Phone => "המשך בטלפון",
        Word::Here => "המשך כאן",
        Word::Code => "ודאו שבטלפון מופיע #",
        Word::CodeWindow => "ודאו שבחלון השני מופיע #",
        Word::Scan => "סרקו בטלפון, או פתחו בו את הקישור.",
        Word::Qr => "קוד QR של הקישור",
        Word::Copy => "העתקת הקישור",
        Word::Copied => "הועתק",
        Word::Close => "סגירה",
        Word::Done => "החיבור הושלם",
        Word::EreceiptsOn => "קבלות דיגיטליות: פועל",
        Word::EreceiptsOff => "קבלות דיגיטליות: כבוי",
    }
}

const fn arabic(word: Word) -> &'static str {
    match word {
        Word::Title => "ربط حسابك",
        Word::Loading => "جارٍ التحميل…",
        Word::Slow => "يستغرق الأمر وقتًا أطول من المعتاد",
        Word::Retry => "أعد المحاولة",
        Word::OpenWindow => "افتح في نافذة جديدة",
        Word::Elsewhere => "أكمل في النافذة الأخرى",
        Word::ShowWindow => "اعرض النافذة",
        Word::Phone => "تابع على هاتفك",
        Word::Here => "تابع هنا",
        Word::Code => "تأكد أن هاتفك يعرض #",
        Word::CodeWindow => "تأكد أن النافذة الأخرى تعرض #",
        Word::Scan => "امسح هذا الرمز بهاتفك، أو افتح الرابط عليه.",
        Word::Qr => "رمز QR للرابط",
        Word::Copy => "انسخ الرابط",
        Word::Copied => "تم النسخ",
        Word::Close => "إغلاق",
        Word::Done => "تم الربط",
        Word::EreceiptsOn => "الإيصالات الإلكترونية: مفعّلة",
        Word::EreceiptsOff => "الإيصالات الإلكترونية: غير مفعّلة",
    }
}

/// The language of a tag, without a region or a script.
fn primary(tag: &str) -> &str {
    tag.split_once(['-', '_'])
        .map_or(tag, |(primary, _)| primary)
}

/// The texts of one frame.
///
/// ```
/// use pos_connect::frame::words::{Word, Words};
/// use pos_connect::labels::Labels;
///
/// let words = Words::new("", &["he-IL"], Labels::default());
/// assert_eq!((words.tag(), words.dir()), ("he", "rtl"));
/// assert_eq!(words.text(Word::Close), "סגירה");
/// ```
pub struct Words {
    language: Language,
    /// What the page's own texts are in, if it says so.
    own_tag: String,
    own: Labels,
}

impl Words {
    /// In the first known language of `wanted` and then `others`; English if none is known. `own` replaces texts.
    pub fn new(wanted: &str, others: &[&str], own: Labels) -> Self {
        let mut tags = std::iter::once(&wanted).chain(others);
        let language = tags.find_map(|tag| Language::parse(tag));
        Self {
            language: language.unwrap_or(Language::English),
            own_tag: wanted.into(),
            own,
        }
    }

    /// A text.
    pub fn text(&self, word: Word) -> &str {
        let own = self.own.get(word.name());
        // One sentence of the page's stands for both places.
        let own = own.or_else(|| match word {
            Word::CodeWindow => self.own.get(Word::Code.name()),
            _ => None,
        });
        own.unwrap_or_else(|| self.language.text(word))
    }

    /// What stands before a number and after it. A text of the page's without a place for it has it at its end.
    pub fn around(&self, word: Word) -> (String, &str) {
        let text = self.text(word);
        match text.split_once('#') {
            Some((before, after)) => (before.into(), after),
            None => ([text, " "].concat(), ""),
        }
    }

    /// For `lang`: the page's own texts are in the language that it names.
    pub fn tag(&self) -> &str {
        match self.own.is_empty() || self.own_tag.is_empty() {
            true => self.language.tag(),
            false => &self.own_tag,
        }
    }

    /// For `dir`.
    pub fn dir(&self) -> &'static str {
        const RTL: [&str; 9] = ["ar", "he", "iw", "fa", "ur", "ps", "yi", "ug", "ckb"];
        let primary = primary(self.tag());
        match RTL.iter().any(|tag| tag.eq_ignore_ascii_case(primary)) {
            true => "rtl",
            false => "ltr",
        }
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;

    fn own(name: &str, text: &str) -> Labels {
        Labels::from_iter([(name.to_owned(), text.to_owned())])
    }

    #[test]
    fn the_first_known_language_counts() {
        let tag = |wanted, others: &[&str]| {
            let words = Words::new(wanted, others, Labels::default());
            (words.tag().to_owned(), words.dir())
        };
        assert_eq!(tag("iw_IL", &["ar"]), ("he".into(), "rtl"));
        assert_eq!(tag("fr", &["AR-eg", "en"]), ("ar".into(), "rtl"));
        assert_eq!(tag("", &["", "xx", "arc"]), ("en".into(), "ltr"));
        assert_eq!(tag("en-GB", &["he"]), ("en".into(), "ltr"));
    }

    #[test]
    fn own_texts_are_in_the_language_that_the_page_names() {
        let words = Words::new("fa-IR", &["en"], own("close", "بستن"));
        assert_eq!((words.tag(), words.dir()), ("fa-IR", "rtl"));
        assert_eq!(words.text(Word::Close), "بستن");
        let words = Words::new("", &["en"], own("close", "Shut"));
        assert_eq!((words.tag(), words.dir()), ("en", "ltr"));
    }

    #[test]
    fn a_number_has_its_place_in_every_text() {
        for language in Language::ALL {
            for word in Word::ALL {
                let (tag, name, text) = (language.tag(), word.name(), language.text(word));
                assert!(!text.trim().is_empty(), "{tag} {name}");
                let holds = matches!(word, Word::Code | Word::CodeWindow);
                assert_eq!(
                    text.matches('#').count(),
                    usize::from(holds),
                    "{tag} {name}"
                );
            }
        }
        let words = Words::new("en", &[], Labels::default());
        let around = words.around(Word::Code);
        assert_eq!(around, ("Check that your phone shows ".into(), ""));
        let words = Words::new("en", &[], own("code", "The same:"));
        assert_eq!(words.around(Word::CodeWindow), ("The same: ".into(), ""));
        let words = Words::new("en", &[], own("code", "Is # there?"));
        assert_eq!(words.around(Word::Code), ("Is ".into(), " there?"));
    }

    #[test]
    fn the_declared_labels_are_the_labels() {
        let types = include_str!("../../pkg-template/index.d.ts");
        let (_, labels) = types.split_once("export interface FrameLabels {").unwrap();
        let (labels, _) = labels.split_once("\n}").unwrap();
        let members = labels
            .lines()
            .filter_map(|line| line.trim().strip_suffix("?: string | undefined;"));
        let members: Vec<_> = members.collect();
        assert_eq!(members, Word::ALL.map(Word::name));
        for word in Word::ALL {
            let text = Language::English.text(word);
            assert!(labels.contains(&["\"", text, "\""].concat()), "{text}");
        }
    }
}
