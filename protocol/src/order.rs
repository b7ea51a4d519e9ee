//! Orders (extension; the specification names the operation in §1 and leaves its shape open in §4.5).

use crate::ProblemCode;
use crate::body::{BodyFault, Members};
use crate::expiration::unix_ms;
use crate::json::Json;
use crate::quantity::Quantity;
use crate::sealing::Sealed;
use crate::{path, query};
use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Longest external id, in characters.
pub const LONGEST_ID: usize = 200;
/// Longest name of a line, in characters.
pub const LONGEST_NAME: usize = 200;
/// Longest unit of a quantity, in characters.
pub const LONGEST_UNIT: usize = 20;
/// Longest text that a shopper agreed to, in characters.
pub const LONGEST_CONSENT: usize = 2000;
/// Longest time, in characters: RFC 3339 down to the nanosecond, and some more.
const LONGEST_TIME: usize = 40;
/// Longest language tag, in characters.
const LONGEST_LOCALE: usize = 35;
/// Characters of 32 bytes in base64url without padding.
const LINK_HASH: usize = 43;
/// Longest number that people say, in characters.
pub const LONGEST_NUMBER: usize = 40;
/// Longest text that says how it was paid, in characters.
pub const LONGEST_PAYMENT: usize = 40;
/// Digits that a card's number has at least (ISO/IEC 7812).
const CARD_DIGITS: usize = 12;
/// Lines of one order.
pub const MAX_LINES: usize = 500;

/// The path of the order with an external id.
pub fn path_of(external_id: &str) -> String {
    let mut path = format!("{}/", path::ORDERS);
    query::encode(&mut path, external_id);
    path
}

/// The external id in such a path, if it is well-formed percent-encoded UTF-8.
pub fn external_id_in(path: &str) -> Option<String> {
    let segment = path.strip_prefix(path::ORDERS)?.strip_prefix('/')?;
    let mut encoded = segment.split('%').skip(1);
    let is_hex = |part: &str| part.bytes().take(2).filter(u8::is_ascii_hexdigit).count() == 2;
    if segment.is_empty() || segment.contains('/') || !encoded.all(is_hex) {
        return None;
    }
    let id = percent_decode_str(segment).decode_utf8().ok()?;
    (!is_dots(&id)).then(|| id.into())
}

/// One order of a store. Amounts are integers in the currency's minor unit (cents, agorot; ISO 4217).
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Order {
    /// The till's own id: 1 to [`LONGEST_ID`] characters, unique per vendor, store and till.
    pub external_id: String,
    /// What the shop calls it, up to [`LONGEST_NUMBER`] characters: a receipt shows it in the place of the external id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_number: Option<String>,
    /// The external id of the order that this one refunds. The service need not know that order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refund_of: Option<String>,
    /// When it was made: RFC 3339, with the offset of the store.
    pub time: String,
    /// ISO 4217, in capital letters.
    pub currency: String,
    /// What was paid. Negative for a refund.
    pub total: i64,
    /// The tax in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tax: Option<i64>,
    /// How it was paid, up to [`LONGEST_PAYMENT`] characters: `cash`, `card`, or words of the shop's. No card's number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payment: Option<String>,
    /// What was sold: 1 to [`MAX_LINES`].
    pub lines: Vec<OrderLine>,
    /// Who bought it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub customer: Option<OrderCustomer>,
    /// The shopper wants the receipt on a phone. No part of the sale: the same sale can come again with another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ereceipt: Option<Ereceipt>,
}

/// One line of an order.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct OrderLine {
    /// What it is: 1 to [`LONGEST_NAME`] characters.
    pub name: String,
    /// How many, or how much: up to three decimals. Negative for what is returned.
    pub quantity: Quantity,
    /// What the quantity counts, such as `kg`: 1 to [`LONGEST_UNIT`] characters. Absent for pieces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The price of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit_price: Option<i64>,
    /// The price of the line. Negative for a discount, and for what is returned.
    pub amount: i64,
}

/// Whose order it is.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct OrderCustomer {
    /// The external id in the customers list.
    pub external_id: String,
}

/// Where the receipt goes: to a number, with what the shopper agreed to, or behind a link that the till has made.
#[derive(Clone, Default, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Ereceipt {
    /// A mobile number in E.164. Only in what is sent: nobody gets it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phone: Option<String>,
    /// The same, sealed for the service, in the place of `phone`. Nobody gets it back, either.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sealed: Option<Sealed>,
    /// What stood beside the button that sends. Always beside a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consent: Option<Consent>,
    /// In the place of a number: SHA-256 of the last part of the link, in base64url without padding. The till shows the
    /// link as a code, and nobody else learns it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link_hash: Option<String>,
    /// Beside a link: the receipt's language, a BCP 47 tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
}

/// Never the number.
impl fmt::Debug for Ereceipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ereceipt")
            .field("consent", &self.consent)
            .field("locale", &self.locale)
            .finish_non_exhaustive()
    }
}

/// What the shopper agreed to.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Consent {
    /// Names the text: 1 to [`LONGEST_ID`] characters.
    pub id: String,
    /// The text itself: up to [`LONGEST_CONSENT`] characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Its language, which is also the receipt's: a BCP 47 tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
    /// When it was agreed to: RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

impl Order {
    /// What a receipt calls it.
    pub fn number(&self) -> &str {
        self.display_number.as_deref().unwrap_or(&self.external_id)
    }

    /// Reads a body; the fault names the first member that is wrong.
    pub fn read(body: &Json) -> Result<Self, BodyFault> {
        let mut members = Members::of(body, "")?;
        let order = Self {
            external_id: external_id(&mut members)?,
            display_number: members.optional_text("displayNumber", LONGEST_NUMBER)?,
            refund_of: members.optional_text("refundOf", LONGEST_ID)?,
            time: time(&mut members)?,
            currency: currency(&mut members)?,
            total: members.amount("total")?,
            tax: members.optional_amount("tax")?,
            payment: payment(&mut members)?,
            lines: members.list("lines", 1..=MAX_LINES, OrderLine::read)?,
            customer: members.optional_object("customer", OrderCustomer::read)?,
            ereceipt: members.optional_object("ereceipt", Ereceipt::read)?,
        };
        members.end()?;
        Ok(order)
    }
}

impl OrderLine {
    fn read(json: &Json, pointer: &str) -> Result<Self, BodyFault> {
        let mut members = Members::of(json, pointer)?;
        let line = Self {
            name: members.text("name", LONGEST_NAME)?,
            quantity: Quantity::read(&mut members, "quantity")?,
            unit: members.optional_text("unit", LONGEST_UNIT)?,
            unit_price: members.optional_amount("unitPrice")?,
            amount: members.amount("amount")?,
        };
        members.end()?;
        Ok(line)
    }
}

impl OrderCustomer {
    fn read(json: &Json, pointer: &str) -> Result<Self, BodyFault> {
        let mut members = Members::of(json, pointer)?;
        let external_id = members.text("externalId", LONGEST_ID)?;
        members.end()?;
        Ok(Self { external_id })
    }
}

impl Ereceipt {
    /// The language in which the shopper chose it.
    pub fn locale(&self) -> Option<&str> {
        let agreed = || self.consent.as_ref()?.locale.as_deref();
        self.locale.as_deref().or_else(agreed)
    }

    /// Whether the hash is one, the service decides.
    fn read(json: &Json, pointer: &str) -> Result<Self, BodyFault> {
        let mut members = Members::of(json, pointer)?;
        let ereceipt = match members.optional_text("linkHash", LINK_HASH)? {
            None => Self::to_number(&mut members)?,
            link_hash => Self {
                link_hash,
                locale: members.optional_text("locale", LONGEST_LOCALE)?,
                ..Self::default()
            },
        };
        members.end()?;
        Ok(ereceipt)
    }

    /// Whether there is such a number, the service decides.
    fn to_number(members: &mut Members<'_>) -> Result<Self, BodyFault> {
        let sealed = match cfg!(feature = "sealed") {
            true => members.optional_object("sealed", Sealed::read)?,
            false => None,
        };
        let phone = match &sealed {
            None => Some(members.text("phone", 16)?),
            Some(_) if members.optional("phone").is_some() => {
                return Err(members.invalid("phone", "absent beside sealed"));
            }
            Some(_) => None,
        };
        let consent = Consent::read(members.required("consent")?, &members.pointer("consent"))?;
        Ok(Self {
            phone,
            sealed,
            consent: Some(consent),
            ..Self::default()
        })
    }
}

impl Consent {
    fn read(json: &Json, pointer: &str) -> Result<Self, BodyFault> {
        let mut members = Members::of(json, pointer)?;
        let consent = Self {
            id: members.text("id", LONGEST_ID)?,
            text: members.optional_text("text", LONGEST_CONSENT)?,
            locale: members.optional_text("locale", LONGEST_LOCALE)?,
            at: checked_time(members.optional_text("at", LONGEST_TIME)?, || {
                members.invalid("at", TIME)
            })?,
        };
        members.end()?;
        Ok(consent)
    }
}

fn external_id(members: &mut Members<'_>) -> Result<String, BodyFault> {
    let id = members.text("externalId", LONGEST_ID)?;
    match is_dots(&id) {
        true => Err(members.invalid("externalId", "another text than . and ..")),
        false => Ok(id),
    }
}

/// What no path can end with: programs on the way resolve it, however it is encoded (RFC 3986 §5.2.4).
fn is_dots(id: &str) -> bool {
    id == "." || id == ".."
}

/// Whoever may write a card's number somewhere does: there it is read, logged and kept by who must not have it.
fn payment(members: &mut Members<'_>) -> Result<Option<String>, BodyFault> {
    let text = members.optional_text("payment", LONGEST_PAYMENT)?;
    // Also those of other scripts, and those in circles.
    let has_card = |text: &String| text.chars().filter(|c| c.is_numeric()).count() >= CARD_DIGITS;
    match text.as_ref().is_some_and(has_card) {
        true => Err(members.invalid(
            "payment",
            "a text without a card's number, such as Visa 4242",
        )),
        false => Ok(text),
    }
}

const TIME: &str = "a time with an offset, such as 2026-11-23T10:30:00+02:00 (RFC 3339)";

fn time(members: &mut Members<'_>) -> Result<String, BodyFault> {
    let time = members.text("time", LONGEST_TIME);
    // A number, too, is told what a time is.
    let time = time.map_err(|fault| match fault.code {
        ProblemCode::InvalidMember => members.invalid("time", TIME),
        _ => fault,
    })?;
    checked_time(Some(time), || members.invalid("time", TIME)).map(Option::unwrap_or_default)
}

fn checked_time(
    time: Option<String>,
    fault: impl Fn() -> BodyFault,
) -> Result<Option<String>, BodyFault> {
    match &time {
        Some(text) if unix_ms(text).is_none() => Err(fault()),
        _ => Ok(time),
    }
}

/// Three capital letters. Whether there is such a currency, the service decides.
fn currency(members: &mut Members<'_>) -> Result<String, BodyFault> {
    let currency = members.text("currency", LONGEST_ID)?;
    match currency.len() == 3 && currency.bytes().all(|letter| letter.is_ascii_uppercase()) {
        true => Ok(currency),
        false => Err(members.invalid("currency", "three capital letters, such as ILS (ISO 4217)")),
    }
}

/// Answer to an order, and to a repeated one.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct OrderResponse {
    /// Always true.
    pub success: bool,
    /// The order as it is kept.
    pub order: Order,
    /// When the service accepted it: RFC 3339 in UTC.
    pub received_at: String,
    /// How far its e-receipt is, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ereceipt: Option<EreceiptState>,
}

crate::word::words! {
    /// How far an e-receipt is.
    EreceiptState;
    /// The message waits to be sent.
    Queued = "queued";
    /// The message was handed over for delivery, or the receipt is behind the till's link.
    Sent = "sent";
    /// The message could not be sent.
    Failed = "failed";
}

#[cfg(test)]
mod tests;
