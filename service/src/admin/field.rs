//! What routes take: parameters of a query, and members of a body. A declaration says how one is read, and is its
//! schema.

use super::{PAGE, Refusal};
use crate::account::{MIN_LENGTH, Password, email, region};
use crate::clock::{Timestamp, moment};
use crate::origin::Origin;
use crate::password::MAX_LENGTH;
use crate::store::Listing;
use crate::token::Hash;
use crate::vendor::MAX_OVERLAP_HOURS;
use pos_connect_foundation::query::{self, Parameters};
use pos_connect_phone::Region;
use pos_connect_protocol::body::{Members, is_text};
use pos_connect_protocol::json::Json;
use pos_connect_protocol::text::is_name;
use pos_connect_protocol::{Mode, ProblemCode};
use serde_json::{Value, json};

/// Longest name, identifier or email address, and the most items of a list.
const LONGEST: usize = 200;
/// Every parameter of a query.
pub(super) const PARAMETERS: [&str; 7] = [
    "after", "vendor", "account", "store", "since", "event", "subject",
];

/// Where a list goes on.
pub(super) const AFTER: Field = Field::optional("after", Rule::Row, "`next` of the page before.");

/// Whether what is added is real.
pub(super) const MODE: Field =
    Field::optional("mode", Rule::Mode, "`live`, also without it, or `test`.");

/// A parameter or a member.
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) rule: Rule,
    pub(super) about: &'static str,
    pub(super) required: bool,
}

/// What a value must be.
#[derive(Clone, Copy)]
pub(super) enum Rule {
    /// A name that merchants or shoppers read.
    Name,
    Names,
    /// An identifier, or another short text.
    Text,
    /// A client ID: characters that a URL and HTTP Basic take as they are.
    ClientId,
    Email,
    Mode,
    Password,
    Origins,
    Regions,
    Flag,
    Hours,
    Time,
    /// The number of a row.
    Row,
    /// A hash, in hexadecimal digits.
    Digest,
}

enum Read {
    Text(String),
    Names(Vec<String>),
    Password(Password),
    Origins(Vec<Origin>),
    Regions(Vec<Region>),
    Flag(bool),
    Number(i64),
    Time(Timestamp),
    Digest(Hash),
}

impl Field {
    pub(super) const fn required(name: &'static str, rule: Rule, about: &'static str) -> Self {
        Self {
            required: true,
            ..Self::optional(name, rule, about)
        }
    }

    pub(super) const fn optional(name: &'static str, rule: Rule, about: &'static str) -> Self {
        Self {
            name,
            rule,
            about,
            required: false,
        }
    }
}

impl Rule {
    pub(super) fn schema(self) -> Value {
        let list = |item: Value| json!({ "type": "array", "maxItems": LONGEST, "items": item });
        match self {
            Self::Name | Self::Text | Self::Email => {
                json!({ "type": "string", "minLength": 1, "maxLength": LONGEST })
            }
            Self::ClientId => json!({ "type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$" }),
            Self::Mode => json!({ "enum": Mode::ALL }),
            Self::Names => list(Self::Name.schema()),
            Self::Password => {
                json!({ "type": "string", "minLength": MIN_LENGTH, "maxLength": MAX_LENGTH })
            }
            Self::Origins => {
                list(json!({ "type": "string", "examples": ["https://till.example"] }))
            }
            Self::Regions => list(json!({ "type": "string", "pattern": "^[A-Z]{2}$" })),
            Self::Flag => json!({ "type": "boolean" }),
            Self::Hours => json!({ "type": "integer", "minimum": 0, "maximum": MAX_OVERLAP_HOURS }),
            Self::Time => json!({ "type": "string", "format": "date-time" }),
            Self::Row => json!({ "type": "string", "pattern": "^[0-9]{1,18}$" }),
            Self::Digest => json!({ "type": "string", "pattern": "^[0-9a-f]{64}$" }),
        }
    }

    /// Reads a value, or says what it must be.
    fn read(self, value: &Json) -> Result<Read, String> {
        match (self, value) {
            (Self::Flag, Json::Bool(flag)) => Ok(Read::Flag(*flag)),
            (Self::Hours, Json::Integer(hours))
                if (0..=MAX_OVERLAP_HOURS as i64).contains(hours) =>
            {
                Ok(Read::Number(*hours))
            }
            (Self::Names, Json::List(items)) => texts(items, name).map(Read::Names),
            (Self::Origins, Json::List(items)) => texts(items, Origin::parse).map(Read::Origins),
            (Self::Regions, Json::List(items)) => texts(items, region).map(Read::Regions),
            (_, Json::Text(text)) => self.read_text(text),
            _ => Err(self.expected()),
        }
    }

    fn read_text(self, text: &str) -> Result<Read, String> {
        match self {
            Self::Name => name(text).map(Read::Text),
            Self::ClientId if is_client_id(text) => Ok(Read::Text(text.into())),
            Self::Mode if Mode::parse(text).is_some() => Ok(Read::Text(text.into())),
            Self::Text if is_text(text, LONGEST) => Ok(Read::Text(text.into())),
            // Not what it says: that repeats the text.
            Self::Email if is_text(text, LONGEST) && email(text).is_ok() => {
                Ok(Read::Text(text.into()))
            }
            Self::Password => Password::chosen(text.into()).map(Read::Password),
            Self::Time => moment(text).map(Read::Time),
            Self::Row if text.len() <= 18 && text.bytes().all(|byte| byte.is_ascii_digit()) => {
                text.parse().map(Read::Number).map_err(|_| self.expected())
            }
            Self::Digest => Hash::from_hex(text)
                .map(Read::Digest)
                .ok_or_else(|| self.expected()),
            _ => Err(self.expected()),
        }
    }

    fn expected(self) -> String {
        match self {
            Self::Name | Self::Text => {
                format!("a text of 1 to {LONGEST} characters, without control characters")
            }
            Self::ClientId => "1 to 64 letters, digits, hyphens and underscores".into(),
            Self::Email => "an email address".into(),
            Self::Mode => "live or test".into(),
            Self::Password => "a text".into(),
            Self::Names | Self::Origins | Self::Regions => {
                format!("a list of at most {LONGEST} texts")
            }
            Self::Flag => "true or false".into(),
            Self::Hours => format!("0 to {MAX_OVERLAP_HOURS}"),
            Self::Time => "a time".into(),
            Self::Row | Self::Digest => "what `next` said".into(),
        }
    }
}

fn is_client_id(text: &str) -> bool {
    let is_in = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    (1..=64).contains(&text.len()) && text.bytes().all(is_in)
}

fn name(text: &str) -> Result<String, String> {
    match is_name(text) && is_text(text, LONGEST) {
        true => Ok(text.to_owned()),
        false => Err(format!(
            "a name of 1 to {LONGEST} characters that shows something, without control characters and outer spaces"
        )),
    }
}

fn texts<T>(items: &[Json], read: fn(&str) -> Result<T, String>) -> Result<Vec<T>, String> {
    if items.len() > LONGEST {
        return Err(format!("a list of at most {LONGEST} texts"));
    }
    let read = |item: &Json| match item {
        Json::Text(text) => read(text),
        _ => Err("a list of texts".into()),
    };
    items.iter().map(read).collect()
}

/// What was read.
pub(super) struct Values(Vec<(&'static str, Read)>);

impl Values {
    pub(super) fn of_body(body: &Json, fields: &'static [Field]) -> Result<Self, Refusal> {
        let (mut members, mut values) = (Members::of(body, "")?, Vec::new());
        for field in fields {
            let value = match field.required {
                true => Some(members.required(field.name)?),
                // Less said would be more erased: `null` is no value of any.
                false => members.given(field.name),
            };
            if let Some(value) = value {
                let read = field.rule.read(value);
                let read = read.map_err(|rule| members.invalid(field.name, rule))?;
                values.push((field.name, read));
            }
        }
        members.end()?;
        Ok(Self(values))
    }

    pub(super) fn of_query(raw: &str, fields: &'static [Field]) -> Result<Self, Refusal> {
        if raw.len() > query::MAX_LENGTH {
            return Err(ProblemCode::UriTooLong.into());
        }
        // Without what was meant to narrow it, a list is of all: nobody asks for that by a slip.
        let is_known = |pair: &str| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            !value.is_empty() && fields.iter().any(|field| field.name == name)
        };
        if !raw.split('&').filter(|pair| !pair.is_empty()).all(is_known) {
            return Err(ProblemCode::InvalidParameter.into());
        }
        let found = Parameters::parse(raw, PARAMETERS)?.once()?;
        let mut values = Vec::new();
        for (name, text) in PARAMETERS.into_iter().zip(found) {
            let field = fields.iter().find(|field| field.name == name);
            let (Some(field), Some(text)) = (field, text) else {
                continue;
            };
            let invalid = |_| Refusal::parameter(ProblemCode::InvalidParameter, name);
            values.push((name, field.rule.read_text(&text).map_err(invalid)?));
        }
        Ok(Self(values))
    }

    fn take(&mut self, name: &str) -> Option<Read> {
        let at = self.0.iter().position(|(known, _)| *known == name)?;
        Some(self.0.swap_remove(at).1)
    }

    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        match self.take(name)? {
            Read::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A text that has to be there.
    pub(super) fn required(&mut self, name: &str) -> String {
        self.text(name).unwrap_or_default()
    }

    /// Live, unless test is asked for by this word.
    pub(super) fn mode(&mut self) -> Mode {
        let word = self.text(MODE.name);
        word.and_then(|word| Mode::parse(&word))
            .unwrap_or(Mode::Live)
    }

    pub(super) fn names(&mut self, name: &str) -> Vec<String> {
        match self.take(name) {
            Some(Read::Names(names)) => names,
            _ => Vec::new(),
        }
    }

    pub(super) fn origins(&mut self) -> Vec<Origin> {
        match self.take("origins") {
            Some(Read::Origins(origins)) => origins,
            _ => Vec::new(),
        }
    }

    pub(super) fn regions(&mut self) -> Vec<Region> {
        match self.take("regions") {
            Some(Read::Regions(regions)) => regions,
            _ => Vec::new(),
        }
    }

    /// The password, or a new one.
    pub(super) fn password(&mut self) -> Password {
        match self.take("password") {
            Some(Read::Password(password)) => password,
            _ => Password::made(),
        }
    }

    pub(super) fn flag(&mut self, name: &str) -> bool {
        matches!(self.take(name), Some(Read::Flag(true)))
    }

    pub(super) fn hours(&mut self, name: &str) -> u64 {
        match self.take(name) {
            Some(Read::Number(hours)) => u64::try_from(hours).unwrap_or_default(),
            _ => MAX_OVERLAP_HOURS,
        }
    }

    pub(super) fn time(&mut self, name: &str) -> Option<Timestamp> {
        match self.take(name)? {
            Read::Time(time) => Some(time),
            _ => None,
        }
    }

    pub(super) fn digest(&mut self, name: &str) -> Option<Hash> {
        match self.take(name)? {
            Read::Digest(hash) => Some(hash),
            _ => None,
        }
    }

    /// The page that is asked for, and one item more, which tells whether there is another page.
    pub(super) fn page(&mut self) -> Listing {
        let after = match self.take(AFTER.name) {
            Some(Read::Number(after)) => after,
            _ => 0,
        };
        Listing {
            after,
            limit: PAGE + 1,
        }
    }
}
