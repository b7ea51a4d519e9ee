//! The token set as a JavaScript object.

use crate::decode::TokenSet;
use crate::expiration::Expiration;
use crate::loose::Loose;
use js_sys::{Date, Object};
use serde::Serialize;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    // Rust's own float formatting would add 10 KB.
    #[wasm_bindgen(js_name = String)]
    fn to_string(number: f64) -> String;
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Handed<'a> {
    held: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    access_token: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refresh_token: Option<&'a str>,
    #[serde(with = "serde_wasm_bindgen::preserve")]
    expiration: JsValue,
    ereceipt: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    account: Option<Account<'a>>,
    faults: Vec<TokenFault>,
}

#[derive(Serialize)]
struct Account<'a> {
    id: &'a str,
    name: &'a str,
}

#[derive(Serialize)]
struct TokenFault {
    field: &'static str,
    problem: &'static str,
}

/// Hands the token set out, frozen: every call gives the same object.
pub fn to_js(set: &TokenSet) -> JsValue {
    let handed = Handed {
        held: set.tokens.is_none(),
        access_token: set.tokens.as_ref().map(|(access, _)| access.as_str()),
        refresh_token: set.tokens.as_ref().map(|(_, refresh)| refresh.as_str()),
        expiration: match &set.expiration {
            Expiration::At(ms) => Date::new(&(*ms).into()).into(),
            Expiration::Unreadable(member) => as_text(member),
            Expiration::Missing => JsValue::NULL,
        },
        ereceipt: set.ereceipt,
        account: set.account.as_ref().map(|(id, name)| Account { id, name }),
        faults: set
            .faults
            .iter()
            .map(|(field, problem)| TokenFault {
                field,
                problem: problem.as_str(),
            })
            .collect(),
    };
    // Texts, booleans and a ready JsValue: there is nothing in it that can't be written.
    let object = handed
        .serialize(&serde_wasm_bindgen::Serializer::json_compatible())
        .unwrap_or(JsValue::NULL);
    let object: Object = object.unchecked_into();
    Object::freeze(&object).into()
}

/// As JavaScript writes it; of an array or an object there is nothing left to write.
fn as_text(member: &Loose) -> JsValue {
    match member {
        Loose::Text(text) => text.into(),
        Loose::Number(number) => to_string(*number).into(),
        _ => "".into(),
    }
}
