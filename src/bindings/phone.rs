//! Phone numbers, without a keypad.

use super::options::Reader;
use crate::browser::failure::Failure;
use crate::browser::js;
use crate::browser::keypad::result::put;
use crate::error::Operation;
use crate::phone::{self, Kind, Phone, Region};
use wasm_bindgen::prelude::*;

/// See `index.d.ts`.
#[wasm_bindgen(js_name = parsePhone)]
pub fn parse_phone(input: JsValue, options: JsValue) -> Result<JsValue, JsValue> {
    let (input, region) = read(input, options, Operation::ParsePhone)?;
    Ok(to_js(&phone::parse(&input, region)))
}

/// See `index.d.ts`.
#[wasm_bindgen(js_name = formatPhoneAsYouType)]
pub fn format_phone_as_you_type(input: JsValue, options: JsValue) -> Result<String, JsValue> {
    let (input, region) = read(input, options, Operation::FormatPhoneAsYouType)?;
    Ok(phone::format_as_you_type(&input, region))
}

/// See `index.d.ts`.
#[wasm_bindgen(js_name = phoneMetadataVersion)]
pub fn phone_metadata_version() -> String {
    phone::METADATA_VERSION.into()
}

fn read(
    input: JsValue,
    options: JsValue,
    operation: Operation,
) -> Result<(String, Option<Region>), Failure> {
    let reader = Reader::new(options, operation)?;
    let region = match reader.text("region") {
        None => None,
        Some(code) => {
            let region = code.ok().as_deref().and_then(Region::parse);
            Some(region.ok_or_else(|| {
                reader.wrong(&["region: is not the code of a region, such as IL"])
            })?)
        }
    };
    let input = input.as_string();
    let input = input.ok_or_else(|| reader.wrong(&["input: is not a text"]))?;
    Ok((input, region))
}

fn to_js(phone: &Phone) -> JsValue {
    let object = js::object();
    for (name, text) in [
        ("verdict", Some(phone.verdict.as_str())),
        ("e164", phone.e164.as_deref()),
        ("national", phone.national.as_deref()),
        ("international", phone.international.as_deref()),
        ("region", phone.region.map(Region::code)),
        ("kind", phone.kind.map(Kind::as_str)),
        ("metadataVersion", Some(phone::METADATA_VERSION)),
    ] {
        put(&object, name, text);
    }
    js::set(&object, "deadEnd", phone.dead_end.into());
    if let Some(suggestion) = &phone.suggestion {
        js::set(&object, "suggestion", to_js(suggestion));
    }
    object
}
