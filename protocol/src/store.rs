//! The store's profile (extension; the specification names the operation in §1 and leaves its shape open in §4.5).

use crate::body::{BodyFault, Members};
use crate::json::Json;
use crate::response::Store;
use serde::{Deserialize, Serialize};
use std::net::Ipv4Addr;

/// Longest name, line of an address, or phone number, in characters.
pub const LONGEST: usize = 120;
/// Longest website address, in characters.
const LONGEST_URL: usize = 2000;
/// Spans of opening hours.
const MAX_SPANS: usize = 50;

/// What shoppers may know of a store. Every member may be absent.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StoreProfile {
    /// What shoppers call it: 1 to 120 characters, and no URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<Address>,
    /// Its public phone number, in any way of writing it: 3 to 40 of the characters `0-9 + ( ) - . /` and the space.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phone: Option<String>,
    /// `https://` or `http://` and a host: up to 2,000 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub website: Option<String>,
    /// When it is open: up to 50 spans.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening_hours: Option<Vec<OpeningHours>>,
}

/// An address. Every member may be absent; each has 1 to 120 characters, and no URL.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Address {
    /// Street and number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub street: Option<String>,
    /// City.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
    /// State or province.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// Postal code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub postal_code: Option<String>,
    /// ISO 3166-1 alpha-2, in capital letters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
}

/// One span of time on some days of the week.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct OpeningHours {
    /// On which days: 1 to 7, none twice.
    pub days: Vec<Day>,
    /// From when: `HH:MM`, 00:00 to 23:59.
    pub opens: String,
    /// Until when: `HH:MM`, 00:01 to 24:00. Earlier than `opens` is on the next day.
    pub closes: String,
}

crate::word::words! {
    /// A day of the week.
    Day;
    /// Monday.
    Monday = "monday";
    /// Tuesday.
    Tuesday = "tuesday";
    /// Wednesday.
    Wednesday = "wednesday";
    /// Thursday.
    Thursday = "thursday";
    /// Friday.
    Friday = "friday";
    /// Saturday.
    Saturday = "saturday";
    /// Sunday.
    Sunday = "sunday";
}

impl StoreProfile {
    /// Reads a whole profile.
    pub fn read(body: &Json) -> Result<Self, BodyFault> {
        let mut members = Members::of(body, "")?;
        let profile = Self {
            name: checked(&mut members, "name", LONGEST, NO_URL)?,
            address: members.optional_object("address", Address::read)?,
            phone: checked(&mut members, "phone", LONGEST, PHONE)?,
            website: checked(&mut members, "website", LONGEST_URL, WEBSITE)?,
            opening_hours: match members.optional("openingHours") {
                None => None,
                Some(_) => Some(members.list("openingHours", 0..=MAX_SPANS, OpeningHours::read)?),
            },
        };
        members.end()?;
        Ok(profile)
    }
}

impl Address {
    fn read(json: &Json, pointer: &str) -> Result<Self, BodyFault> {
        let mut members = Members::of(json, pointer)?;
        let address = Self {
            street: checked(&mut members, "street", LONGEST, NO_URL)?,
            city: checked(&mut members, "city", LONGEST, NO_URL)?,
            region: checked(&mut members, "region", LONGEST, NO_URL)?,
            postal_code: checked(&mut members, "postalCode", LONGEST, NO_URL)?,
            country: checked(&mut members, "country", LONGEST, COUNTRY)?,
        };
        members.end()?;
        Ok(address)
    }
}

impl OpeningHours {
    fn read(json: &Json, pointer: &str) -> Result<Self, BodyFault> {
        let mut members = Members::of(json, pointer)?;
        let days = members.list("days", 1..=7, day)?;
        let repeated = days
            .iter()
            .enumerate()
            .any(|(at, day)| days[..at].contains(day));
        if repeated {
            return Err(members.invalid("days", "a list without repeated days"));
        }
        let opens = minute(&mut members, "opens", 0..=1439)?;
        let closes = minute(&mut members, "closes", 1..=1440)?;
        members.end()?;
        Ok(Self {
            days,
            opens,
            closes,
        })
    }
}

fn day(json: &Json, pointer: &str) -> Result<Day, BodyFault> {
    let day = match json {
        Json::Text(word) => Day::parse(word),
        _ => None,
    };
    day.ok_or_else(|| BodyFault::invalid(pointer, "a day of the week, such as monday"))
}

/// A time of the day, within these minutes after midnight.
fn minute(
    members: &mut Members<'_>,
    name: &'static str,
    bounds: std::ops::RangeInclusive<u32>,
) -> Result<String, BodyFault> {
    let text = members.text(name, LONGEST)?;
    match minute_of(&text) {
        Some(minute) if bounds.contains(&minute) => Ok(text),
        _ => Err(members.invalid(name, "a time of the day, such as 08:30")),
    }
}

fn minute_of(text: &str) -> Option<u32> {
    let (hour, minute) = text.split_once(':')?;
    let two_digits = |part: &str| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
    if !two_digits(hour) || !two_digits(minute) {
        return None;
    }
    let (hour, minute): (u32, u32) = (hour.parse().ok()?, minute.parse().ok()?);
    (minute < 60).then_some(hour * 60 + minute)
}

fn checked(
    members: &mut Members<'_>,
    name: &'static str,
    longest: usize,
    (is_right, rule): Check,
) -> Result<Option<String>, BodyFault> {
    match members.optional_text(name, longest)? {
        Some(text) if !is_right(&text) => Err(members.invalid(name, rule)),
        text => Ok(text),
    }
}

/// What a text must be, and how to say so.
type Check = (fn(&str) -> bool, &'static str);

const NO_URL: Check = (is_no_url, "a text without a URL");
const PHONE: Check = (is_phone, "a phone number of 3 to 40 characters");
const WEBSITE: Check = (
    is_website,
    "an address that begins with https:// or http://",
);
const COUNTRY: Check = (is_country, "two capital letters, such as IL (ISO 3166-1)");

/// A receipt shows it under the operator's domain: no place to send shoppers elsewhere. A domain alone is many a name.
fn is_no_url(text: &str) -> bool {
    // Browsers take these for a period, too (UTS #46).
    let text = text.to_ascii_lowercase().replace(['。', '．', '｡'], ".");
    let is_port = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_domain = |host: &str| {
        let with_port = host.rsplit_once(':').filter(|(_, port)| is_port(port));
        let host = with_port
            .map_or(host, |(host, _)| host)
            .trim_end_matches('.');
        let (name, last) = host.rsplit_once('.').unwrap_or_default();
        let is_end = last.chars().nth(1).is_some()
            && last.starts_with(char::is_alphabetic)
            && last
                .chars()
                .all(|letter| letter.is_alphanumeric() || letter == '-');
        let is_name = is_end && name.ends_with(|letter: char| letter.is_alphanumeric());
        is_name || host.parse::<Ipv4Addr>().is_ok()
    };
    let is_url = |word: &str| {
        // Without a scheme, too.
        let bare = word.trim_start_matches("//");
        let end = bare.find(['/', '?', '#']);
        let is_link = end.is_some() || bare.len() < word.len();
        word.starts_with("www.") || is_link && is_domain(&bare[..end.unwrap_or(bare.len())])
    };
    !text.contains("://") && !text.split_whitespace().any(is_url)
}

fn is_phone(text: &str) -> bool {
    let is_part = |character: char| character.is_ascii_digit() || "+()-./ ".contains(character);
    (3..=40).contains(&text.len()) && text.chars().all(is_part)
}

/// A receipt links to it, so no other scheme will do.
fn is_website(text: &str) -> bool {
    let rest = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    let host = rest.and_then(|rest| rest.split(['/', '?', '#']).next());
    let is_host = host.is_some_and(|host| !host.is_empty() && !host.contains('@'));
    is_host
        && text.is_ascii()
        && !text.contains([' ', '"', '<', '>', '\\', '^', '`', '{', '|', '}'])
}

fn is_country(text: &str) -> bool {
    text.len() == 2 && text.bytes().all(|letter| letter.is_ascii_uppercase())
}

/// Answer to a call for the store's profile, and to a change of it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct StoreResponse {
    /// Always true.
    pub success: bool,
    /// The store that the merchant chose.
    pub store: Store,
    /// What shoppers may know of it.
    pub profile: StoreProfile,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn read(body: Value) -> Result<StoreProfile, BodyFault> {
        StoreProfile::read(&serde_json::from_value(body).unwrap())
    }

    #[test]
    fn it_is_written_as_it_was_read() {
        let full = json!({
            "name": "Corner Bakery",
            "address": {
                "street": "1 Market St", "city": "Haifa", "region": "H", "postalCode": "31000", "country": "IL"
            },
            "phone": "+972 (4) 123-4567", "website": "https://bakery.example/shop?a=1",
            "openingHours": [{"days": ["sunday", "monday"], "opens": "07:30", "closes": "24:00"}],
        });
        assert_eq!(
            serde_json::to_value(read(full.clone()).unwrap()).unwrap(),
            full
        );
        assert_eq!(read(json!({})), Ok(StoreProfile::default()));
        assert!(read(json!({"openingHours": []})).is_ok());
    }

    #[test]
    fn a_name_with_a_dot_or_a_slash_is_no_url() {
        for name in [
            "St. Mary's 24/7",
            "Booking.com Cafe",
            "A.B/C",
            "Salt & Co./Bar",
            "Dr.Oz: Tea",
            "Open 8:30/9:00",
            "מאפייה 1/2",
            "ת.ד/12",
            "No. 1.5/2.0",
        ] {
            assert!(read(json!({"name": name})).is_ok(), "{name}");
        }
    }

    #[test]
    fn each_member_is_checked() {
        let hours = |days: Value, opens: &str, closes: &str| {
            json!({
                "openingHours": [{"days": days, "opens": opens, "closes": closes}]
            })
        };
        let monday = || json!(["monday"]);
        for (body, pointer) in [
            (json!({"name": "x".repeat(121)}), "/name"),
            (json!({"name": "Pay: https://x.example"}), "/name"),
            (json!({"name": "Pay at WWW.x.example"}), "/name"),
            (json!({"name": "Pay at x.example/now"}), "/name"),
            (json!({"name": "Pay at //x.example"}), "/name"),
            (json!({"name": "Pay at x.example:443/now"}), "/name"),
            (json!({"name": "Pay at x.example./now"}), "/name"),
            (json!({"name": "Pay at x.xn--p1ai/now"}), "/name"),
            (json!({"name": "Pay at пример.рф/now"}), "/name"),
            (json!({"name": "Pay at x。example/now"}), "/name"),
            (json!({"name": "Pay at 192.0.2.1/now"}), "/name"),
            (
                json!({"address": {"street": "x.example?a=1"}}),
                "/address/street",
            ),
            (json!({"address": {"city": "ftp://x"}}), "/address/city"),
            (json!({"address": "Haifa"}), "/address"),
            (json!({"address": {"country": "il"}}), "/address/country"),
            (json!({"address": {"city": ""}}), "/address/city"),
            (json!({"phone": "call us"}), "/phone"),
            (json!({"phone": "12"}), "/phone"),
            (json!({"website": "javascript:alert(1)"}), "/website"),
            (json!({"website": "https://"}), "/website"),
            (json!({"website": "https://a@b.example"}), "/website"),
            (json!({"website": "https://b.example/ x"}), "/website"),
            (json!({"openingHours": {}}), "/openingHours"),
            (hours(json!([]), "08:00", "17:00"), "/openingHours/0/days"),
            (
                hours(json!(["monday", "monday"]), "08:00", "17:00"),
                "/openingHours/0/days",
            ),
            (
                hours(json!(["Monday"]), "08:00", "17:00"),
                "/openingHours/0/days/0",
            ),
            (hours(monday(), "24:00", "17:00"), "/openingHours/0/opens"),
            (hours(monday(), "8:00", "17:00"), "/openingHours/0/opens"),
            (hours(monday(), "08:60", "17:00"), "/openingHours/0/opens"),
            (hours(monday(), "+8:00", "17:00"), "/openingHours/0/opens"),
            (hours(monday(), "08:00", "00:00"), "/openingHours/0/closes"),
            (hours(monday(), "08:00", "24:01"), "/openingHours/0/closes"),
        ] {
            let fault = read(body.clone()).unwrap_err();
            assert_eq!(fault.pointer, pointer, "{body}");
            assert!(!fault.rule.is_empty(), "{body}");
        }
    }
}
