//! Phone numbers without a keypad.
//!
//! They are asked at each key, so the border is kept cheap: in go a text and a number, out comes one text. `core.js`
//! makes the documented objects of it.

use crate::core::error::Operation;
use crate::core::failure::Failure;
use crate::phone::{self, Kind, Phone, Region};
use wasm_bindgen::prelude::*;

/// Reads a number as typed in a region. Returns the members of `PhoneNumber` in `index.d.ts`, a line each, and after
/// them those of a suggestion. An empty line is null.
#[wasm_bindgen(js_name = parsePhone)]
pub fn parse_phone(input: JsValue, region: u32) -> Result<JsValue, JsValue> {
    let region = home(region).map_err(|failure| failure.during(Operation::ParsePhone))?;
    let phone = phone::parse(&text(&input), region);
    let mut text = String::new();
    write(&phone, &mut text);
    if let Some(suggestion) = &phone.suggestion {
        write(suggestion, &mut text);
    }
    Ok(text.as_str().into())
}

/// Groups the digits as they are typed. See `index.d.ts`.
#[wasm_bindgen(js_name = formatPhoneAsYouType)]
pub fn format_phone_as_you_type(input: JsValue, region: u32) -> Result<JsValue, JsValue> {
    let region = home(region);
    let region = region.map_err(|failure| failure.during(Operation::FormatPhoneAsYouType))?;
    Ok(phone::format_as_you_type(&text(&input), region)
        .as_str()
        .into())
}

/// `core.js` passes nothing but texts.
fn text(input: &JsValue) -> String {
    input.as_string().unwrap_or_default()
}

/// The region of two letters, 16 bits each in one number, which crosses the border for free; 0 is no region.
fn home(region: u32) -> Result<Option<Region>, Failure> {
    if region == 0 {
        return Ok(None);
    }
    let letter = |letter| u8::try_from(letter).unwrap_or_default();
    let found = Region::of(&[letter(region >> 16), letter(region & 0xffff)]);
    match found {
        Some(_) => Ok(found),
        None => {
            let fault = "region: is not the code of a region, such as IL";
            Err(Failure::invalid(fault))
        }
    }
}

/// Appends the members, a line each.
fn write(phone: &Phone, text: &mut String) {
    let or_empty = Option::unwrap_or_default;
    for member in &[
        phone.verdict.as_str(),
        or_empty(phone.e164.as_deref()),
        or_empty(phone.national.as_deref()),
        or_empty(phone.international.as_deref()),
        or_empty(phone.region.map(Region::code)),
        or_empty(phone.kind.map(Kind::as_str)),
        if phone.dead_end { "1" } else { "" },
        phone::METADATA_VERSION,
        or_empty(phone.extension.as_deref()),
    ] {
        *text += member;
        *text += "\n";
    }
}
