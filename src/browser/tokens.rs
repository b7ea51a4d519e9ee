//! The token set, and what it says about the connection, as objects of JavaScript's.

use super::object;
use js_sys::{Array, Date, JsString, Number, Object};
use pos_connect_protocol::decode::TokenSet;
use pos_connect_protocol::expiration::Expiration;
use pos_connect_protocol::{Account, Scalar, Store};
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// `TokenSet` in `index.d.ts`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Handed<'a> {
    #[serde(with = "serde_wasm_bindgen::preserve")]
    expiration: JsValue,
    ereceipt: bool,
    #[serde(
        serialize_with = "object::member",
        skip_serializing_if = "Option::is_none"
    )]
    account: Option<&'a Account>,
    #[serde(
        serialize_with = "object::member",
        skip_serializing_if = "Option::is_none"
    )]
    store: Option<&'a Store>,
    held: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    access_token: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refresh_token: Option<&'a str>,
    #[serde(with = "serde_wasm_bindgen::preserve")]
    faults: Array,
}

/// `TokenFault` in `index.d.ts`.
#[derive(Serialize)]
struct TokenFault {
    field: &'static str,
    problem: &'static str,
}

/// Hands the token set out, frozen: every call gives the same object.
pub fn to_js(set: &TokenSet) -> Object {
    let tokens = set.tokens.as_ref();
    let handed = Handed {
        expiration: expiration(&set.expiration),
        ereceipt: set.ereceipt,
        account: set.account.as_ref(),
        store: set.store.as_ref(),
        held: tokens.is_none(),
        access_token: tokens.map(|tokens| tokens.access.as_str()),
        refresh_token: tokens.map(|tokens| tokens.refresh.as_deref().unwrap_or_default()),
        faults: set
            .faults
            .iter()
            .map(|fault| {
                object::of(&TokenFault {
                    field: fault.member,
                    problem: fault.problem.as_str(),
                })
            })
            .collect(),
    };
    frozen(&handed)
}

/// `Connection` in `index.d.ts`.
#[derive(Serialize)]
struct Connection<'a> {
    #[serde(with = "serde_wasm_bindgen::preserve")]
    expiration: JsValue,
    ereceipt: bool,
    #[serde(
        serialize_with = "object::member",
        skip_serializing_if = "Option::is_none"
    )]
    account: Option<&'a Account>,
    #[serde(
        serialize_with = "object::member",
        skip_serializing_if = "Option::is_none"
    )]
    store: Option<&'a Store>,
}

/// What the token set says about the connection: no secret.
pub fn connection(set: &TokenSet) -> JsValue {
    let connection = Connection {
        expiration: expiration(&set.expiration),
        ereceipt: set.ereceipt,
        account: set.account.as_ref(),
        store: set.store.as_ref(),
    };
    object::of(&connection).into()
}

/// A frozen object with these members.
pub fn frozen(members: &impl Serialize) -> Object {
    Object::freeze(&object::of(members))
}

/// A `Date`, the text that could not be read as one, or `null`.
pub fn expiration(expiration: &Expiration) -> JsValue {
    match expiration {
        Expiration::At(ms) => Date::new(&(*ms).into()).into(),
        Expiration::Unreadable(Some(Scalar::Text(text))) => text.into(),
        // As JavaScript writes it.
        Expiration::Unreadable(Some(Scalar::Number(number))) => {
            let number = Number::from(number.0).to_string_with_radix(10);
            number.map_or_else(|_| "".into(), |text: JsString| text.into())
        }
        // Of an array or an object there is nothing left to write.
        Expiration::Unreadable(None) => "".into(),
        Expiration::Missing => JsValue::NULL,
    }
}
