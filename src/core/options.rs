//! The options of the calls. Each is declared once, as a row beside what it is for: from the row come what a call
//! accepts, the check with its error, and the documentation in `index.d.ts` and in `docs/`.

use super::error::{Error, ErrorCode};
use super::labels::Labels;
use crate::phone::Region;

/// The parts of a URL, in the normal form of the platform's parser (WHATWG URL).
#[derive(Clone, Default)]
pub struct Address {
    /// The whole URL.
    pub href: String,
    /// The scheme with its colon, such as `https:`.
    pub protocol: String,
    /// The host without the port.
    pub hostname: String,
    /// Scheme, host and port.
    pub origin: String,
    /// Whether it holds a user name or a password.
    pub has_credentials: bool,
}

/// An option of a call.
pub struct Row {
    /// The member of the options object.
    pub name: &'static str,
    /// What its value may be.
    pub kind: Kind,
    /// Whether the call fails without it.
    pub is_required: bool,
    /// For the pages and `index.d.ts`.
    #[cfg(not(target_arch = "wasm32"))]
    pub documented: Documented,
}

/// The rows of a call, in lists that it may share with others.
pub type Call = &'static [&'static [&'static Row]];

/// Whether a misspelled name is meant for that one: a third of it may differ, and at most two letters in a row. The
/// case of ASCII letters does not count.
pub fn is_meant(name: &str, given: &str) -> bool {
    let (mut rest, mut other) = (name.as_bytes(), given.as_bytes());
    while let ([x, after @ ..], [y, others @ ..]) = (rest, other)
        && x.eq_ignore_ascii_case(y)
    {
        (rest, other) = (after, others);
    }
    while let ([before @ .., x], [others @ .., y]) = (rest, other)
        && x.eq_ignore_ascii_case(y)
    {
        (rest, other) = (before, others);
    }
    rest.len().max(other.len()) <= (name.len() / 3).min(2)
}

/// What developers read about an option. No part of the WebAssembly.
#[cfg(not(target_arch = "wasm32"))]
pub struct Documented {
    /// A sentence for every page; after an empty line, more for `index.d.ts`.
    pub text: &'static str,
    /// Its type, where the kind does not say it.
    pub ts: &'static str,
    /// What counts without it, where the kind does not say it; `required` if the call fails.
    pub default: &'static str,
}

/// What the value of an option may be.
#[derive(Clone, Copy)]
pub enum Kind {
    /// A text of at least and at most so many characters. An empty one that may be empty counts as missing.
    Text(usize, usize),
    /// A number from one to another, and the default.
    Number(u32, u32, f64),
    /// A boolean, and the default.
    Flag(bool),
    /// One of these words; the first is the default.
    OneOf(&'static [&'static str]),
    /// A text of at least and at most so many visible ASCII characters.
    Ascii(usize, usize),
    /// The code of a region.
    Region,
    /// An absolute URL: a text, or an instance of `URL`.
    Url,
    /// A text, or null, which is a value of its own.
    TextOrNull,
    /// An array of texts.
    Texts,
    /// A text of at most so many characters, or an object of such texts by the tags of languages.
    TextOrTexts(usize),
    /// An object of texts, each under one of these names.
    Labels(fn() -> Vec<&'static str>),
    /// A function.
    Function,
    /// A boolean, or a function that is asked for one.
    FlagOrFunction,
    /// An `AbortSignal`.
    Signal,
    /// An element, or a selector that one matches.
    Element,
    /// What has a reader of its own.
    Any,
}

/// The value of an option.
#[derive(Clone)]
pub enum Value {
    /// The value of a text, a word or a region.
    Text(String),
    /// A text that may be null, and is.
    Null,
    /// The value of a URL.
    Url(Address),
    /// The value of a number.
    Number(f64),
    /// The value of a boolean.
    Flag(bool),
    /// The value of an array.
    Texts(Vec<String>),
    /// The value of an object of texts.
    Labels(Labels),
    /// Everything else: a value of the page's.
    #[cfg(target_arch = "wasm32")]
    Page(wasm_bindgen::JsValue),
}

/// Declares rows as constants. Their comments are their documentation:
///
/// ```
/// pos_connect::options! {
///     /// Whose receipt it is.
///     ///
///     /// What follows the first paragraph stands in the types only.
///     ORDER_ID = "orderId": Kind::Text(1, 200), default "required";
///     /// A container.
///     CONTAINER = "container": Kind::Element, default "a modal dialog";
/// }
/// # use pos_connect::core::options::Kind;
/// assert!(ORDER_ID.is_required);
/// ```
#[macro_export]
macro_rules! options {
    ($($(#[doc = $doc:literal])+ $id:ident = $name:literal: $kind:expr
        $(, type $ts:literal)? $(, default $default:literal)?;)+) => {
        $($(#[doc = $doc])+
        pub const $id: $crate::core::options::Row = $crate::core::options::Row {
            name: $name,
            kind: $kind,
            is_required: matches!(concat!($($default)?).as_bytes(), b"required"),
            #[cfg(not(target_arch = "wasm32"))]
            documented: $crate::core::options::Documented {
                text: concat!($($doc, "\n"),+),
                ts: concat!($($ts)?),
                default: concat!($($default)?),
            },
        };)+
    };
}

/// The options of one call, by name.
///
/// ```
/// use pos_connect::core::options::{Kind, Options, Value};
///
/// pos_connect::options! {
///     /// Whom it is for.
///     NAME = "name": Kind::Text(1, 200), default "nobody";
///     /// How long it takes.
///     SECONDS = "seconds": Kind::Number(25, 3600, 60.0);
/// }
/// let options = Options::from_iter([(&NAME, "Ann".into())]);
/// assert_eq!(options.text(&NAME).as_deref(), Some("Ann"));
/// assert_eq!(options.number(&SECONDS), 60.0, "the default");
/// let options = Options::from_iter([(&SECONDS, Value::Number(5.0))]);
/// let error = options.checked(&[&[&NAME, &SECONDS]]).err().unwrap();
/// assert_eq!(error.message(), "seconds: is not a number from 25 to 3600");
/// ```
#[derive(Default)]
pub struct Options(Vec<(&'static str, Value)>);

impl Options {
    /// Checks the values against the rows of the call, in their order: an error names the first one that is wrong.
    pub fn checked(self, call: Call) -> Result<Self, Error> {
        for row in call.iter().copied().flatten() {
            let fault = match self.get(row) {
                Some(value) => row.kind.fault(value),
                None => row.is_required.then(|| row.kind.missing()),
            };
            if let Some(fault) = fault {
                let error = Error::new(ErrorCode::InvalidOption);
                return Err(error.detail(&[row.name, ": ", &fault]));
            }
        }
        Ok(self)
    }

    /// Adds a value, unless the page has given one.
    pub fn or(&mut self, row: &Row, value: Option<Value>) {
        if let (None, Some(value)) = (self.get(row), value) {
            self.0.push((row.name, value));
        }
    }

    /// Whether the page has given it.
    pub fn has(&self, row: &Row) -> bool {
        self.get(row).is_some()
    }

    /// A text that is not empty.
    pub fn text(&self, row: &Row) -> Option<String> {
        match self.get(row)? {
            Value::Text(text) => Some(text.clone()).filter(|text| !text.is_empty()),
            _ => None,
        }
    }

    /// What `TextOrNull` was given: `None` if nothing.
    pub fn text_or_null(&self, row: &Row) -> Option<Option<String>> {
        match self.get(row)? {
            Value::Text(text) => Some(Some(text.clone())),
            _ => Some(None),
        }
    }

    /// The parts of a URL.
    pub fn url(&self, row: &Row) -> Option<Address> {
        match self.get(row)? {
            Value::Url(url) => Some(url.clone()),
            _ => None,
        }
    }

    /// A number, or the default.
    pub fn number(&self, row: &Row) -> f64 {
        match (self.get(row), row.kind) {
            (Some(Value::Number(number)), _) => *number,
            (_, Kind::Number(_, _, number)) => number,
            _ => f64::NAN,
        }
    }

    /// A boolean, or the default.
    pub fn flag(&self, row: &Row) -> bool {
        match self.get(row) {
            Some(Value::Flag(flag)) => *flag,
            _ => matches!(row.kind, Kind::Flag(true)),
        }
    }

    /// The place of a word in its row; that of the default is 0.
    pub fn one_of(&self, row: &Row) -> usize {
        let (Kind::OneOf(words), Some(Value::Text(text))) = (row.kind, self.get(row)) else {
            return 0;
        };
        words.iter().position(|word| word == text).unwrap_or(0)
    }

    /// Texts; none if it is missing.
    pub fn texts(&self, row: &Row) -> Vec<String> {
        match self.get(row) {
            Some(Value::Texts(texts)) => texts.clone(),
            _ => Vec::new(),
        }
    }

    /// The page's own texts.
    pub fn labels(&self, row: &Row) -> Labels {
        match self.get(row) {
            Some(Value::Labels(labels)) => labels.clone(),
            _ => Labels::default(),
        }
    }

    /// A value of the page's, such as a function. The reader has seen that it is what the kind says.
    #[cfg(target_arch = "wasm32")]
    pub fn page<T: wasm_bindgen::JsCast + Clone>(&self, row: &Row) -> Option<T> {
        match self.get(row)? {
            Value::Page(value) => Some(T::unchecked_from_js_ref(value).clone()),
            _ => None,
        }
    }

    fn get(&self, row: &Row) -> Option<&Value> {
        let found = self.0.iter().find(|(name, _)| *name == row.name);
        found.map(|(_, value)| value)
    }
}

impl<'a> FromIterator<(&'a Row, Value)> for Options {
    fn from_iter<T: IntoIterator<Item = (&'a Row, Value)>>(values: T) -> Self {
        let values = values.into_iter();
        Self(values.map(|(row, value)| (row.name, value)).collect())
    }
}

impl Kind {
    /// What is wrong with a value of its own type.
    fn fault(self, value: &Value) -> Option<String> {
        let is_fine = match (self, value) {
            (Self::Text(least, most), Value::Text(text)) => (least..=most).contains(&length(text)),
            (Self::Ascii(least, most), Value::Text(text)) => {
                let is_visible = text.bytes().all(|byte| byte.is_ascii_graphic());
                is_visible && (least..=most).contains(&text.len())
            }
            (Self::Number(least, most, _), Value::Number(number)) => {
                (f64::from(least)..=f64::from(most)).contains(number)
            }
            (Self::OneOf(words), Value::Text(text)) => {
                text.is_empty() || words.contains(&text.as_str())
            }
            (Self::TextOrTexts(most), Value::Text(text)) => length(text) <= most,
            (Self::TextOrTexts(most), Value::Labels(texts)) => {
                texts.texts().all(|text| length(text) <= most)
            }
            (Self::Region, Value::Text(text)) => Region::parse(text).is_some(),
            _ => true,
        };
        (!is_fine).then(|| self.rule())
    }

    fn missing(self) -> String {
        match self {
            Self::Text(_, 0..usize::MAX) | Self::Region => self.rule(),
            _ => "is required".into(),
        }
    }

    /// What is said of a value that breaks the rule.
    fn rule(self) -> String {
        match self {
            Self::Text(_, usize::MAX) => "is empty".into(),
            Self::Text(0, most) | Self::TextOrTexts(most) => {
                format!("is longer than {most} characters")
            }
            Self::Text(least, most) => format!("{least} to {most} characters are required"),
            Self::Ascii(least, most) => {
                format!("must have {least} to {most} visible ASCII characters")
            }
            Self::Number(least, most, _) => format!("is not a number from {least} to {most}"),
            Self::OneOf(words) => ["is not ", &alternatives(words)].concat(),
            _ => "a code such as IL is required".into(),
        }
    }
}

/// How many characters a text has.
#[inline(never)]
fn length(text: &str) -> usize {
    text.chars().count()
}

/// A list of words, such as "digits, count or off".
pub fn alternatives(words: &[&str]) -> String {
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => [&rest.join(", "), " or ", last].concat(),
        _ => words.concat(),
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;
