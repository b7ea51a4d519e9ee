//! The token set, and what it says about the connection, as JavaScript objects.

use crate::core::object;
use crate::vault::connection_record::expiration;
use js_sys::{Array, Object};
use pos_connect_protocol::decode::TokenSet;
use wasm_bindgen::prelude::*;

/// Hands the token set out, frozen: every call gives the same object. `TokenSet` in `index.d.ts`.
pub fn to_js(set: &TokenSet) -> Object {
    let tokens = set.tokens.as_ref();
    let access_token = tokens.map(|tokens| tokens.access_token.as_str());
    let refresh_token = tokens.map(|tokens| tokens.refresh_token.as_deref().unwrap_or_default());
    let faults = set.faults.iter().map(|fault| {
        object::of(&[
            ("field", fault.member.into()),
            ("problem", fault.problem.as_str().into()),
        ])
    });
    let more = [
        ("held", tokens.is_none().into()),
        ("accessToken", access_token.into()),
        ("refreshToken", refresh_token.into()),
        ("faults", faults.collect::<Array>().into()),
    ];
    let set: Object = connection(set).unchecked_into();
    object::fill(&set, &more);
    Object::freeze(&set)
}

/// What the token set says about the connection: no secret. `Connection` in `index.d.ts`.
pub fn connection(set: &TokenSet) -> JsValue {
    let (account, store) = (set.account.as_ref(), set.store.as_ref());
    let connection = object::of(&[
        ("expiration", expiration(&set.expiration)),
        ("ereceipt", set.ereceipt.into()),
        ("account", account.map(object::serialized).into()),
        ("store", store.map(object::serialized).into()),
    ]);
    connection.into()
}
