//! Upstream's metadata, as `py/phone_metadata.py` prints it.

use super::regex::Regex;
use serde_json::Value;
use workbench::Result;

pub struct Metadata {
    pub version: String,
    pub codes: Vec<Code>,
}

/// A country calling code, with its main region first.
pub struct Code {
    pub code: u16,
    pub regions: Vec<Region>,
}

pub struct Region {
    /// ISO 3166-1 alpha-2, or `001` for a code that belongs to no country.
    pub id: String,
    pub idd: Option<String>,
    pub prefix: Option<String>,
    pub transform: Option<String>,
    pub leading: Option<Regex>,
    /// Whether upstream found the patterns for mobile and fixed lines equal.
    pub same: bool,
    pub general: Kind,
    pub fixed: Option<Kind>,
    pub mobile: Option<Kind>,
    /// All other kinds of numbers, which come first when upstream asks what a number is.
    pub others: Vec<Kind>,
    pub formats: Vec<Format>,
    pub intl_formats: Vec<Format>,
}

/// A kind of numbers.
pub struct Kind {
    pub pattern: Regex,
    pub lengths: Vec<usize>,
    pub local: Vec<usize>,
}

pub struct Format {
    pub pattern: Regex,
    pub leading: Option<Regex>,
    pub template: String,
    pub rule: Option<String>,
}

const OTHERS: [&str; 8] = [
    "premium_rate",
    "toll_free",
    "shared_cost",
    "voip",
    "personal_number",
    "pager",
    "uan",
    "voicemail",
];

impl Metadata {
    pub fn read(json: &str) -> Result<Self> {
        let json: Value = serde_json::from_str(json).map_err(|error| error.to_string())?;
        Ok(Self {
            version: text(&json["version"]).ok_or("the metadata has no version")?,
            codes: list(&json["codes"])
                .iter()
                .map(Code::read)
                .collect::<Result<_>>()?,
        })
    }
}

impl Code {
    fn read(json: &Value) -> Result<Self> {
        Ok(Self {
            code: json["code"]
                .as_u64()
                .and_then(|code| u16::try_from(code).ok())
                .ok_or("a calling code is missing")?,
            regions: list(&json["regions"])
                .iter()
                .map(Region::read)
                .collect::<Result<_>>()?,
        })
    }
}

impl Region {
    fn read(json: &Value) -> Result<Self> {
        let kinds = &json["descs"];
        let id = text(&json["id"]).ok_or("a region has no name")?;
        Ok(Self {
            idd: text(&json["idd"]),
            prefix: text(&json["prefix"]),
            transform: text(&json["transform"]),
            leading: pattern(&json["leading"])?,
            same: json["same"] == true,
            general: Kind::read(&kinds["general_desc"])?
                .ok_or_else(|| format!("{id} has no general pattern"))?,
            fixed: Kind::read(&kinds["fixed_line"])?,
            mobile: Kind::read(&kinds["mobile"])?,
            others: OTHERS
                .iter()
                .filter_map(|name| Kind::read(&kinds[name]).transpose())
                .collect::<Result<_>>()?,
            formats: formats(&json["formats"])?,
            intl_formats: formats(&json["intl_formats"])?,
            id,
        })
    }
}

impl Kind {
    fn read(json: &Value) -> Result<Option<Self>> {
        let lengths = |name: &str| {
            list(&json[name])
                .iter()
                .filter_map(Value::as_u64)
                .filter_map(|length| usize::try_from(length).ok())
                .collect()
        };
        Ok(pattern(&json["pattern"])?.map(|pattern| Self {
            pattern,
            lengths: lengths("lengths"),
            local: lengths("local"),
        }))
    }
}

fn formats(json: &Value) -> Result<Vec<Format>> {
    list(json)
        .iter()
        .map(|json| {
            Ok(Format {
                pattern: pattern(&json["pattern"])?.ok_or("a format has no pattern")?,
                leading: pattern(&json["leading"][0])?,
                template: text(&json["format"]).ok_or("a format has no template")?,
                rule: text(&json["rule"]),
            })
        })
        .collect()
}

fn list(json: &Value) -> &[Value] {
    json.as_array().map_or(&[], Vec::as_slice)
}

fn text(json: &Value) -> Option<String> {
    json.as_str().map(str::to_owned)
}

fn pattern(json: &Value) -> Result<Option<Regex>> {
    json.as_str()
        .filter(|text| !text.is_empty())
        .map(Regex::parse)
        .transpose()
}
