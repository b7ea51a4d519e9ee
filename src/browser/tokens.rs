//! The token set as a JavaScript object.

use super::old::js;
use crate::decode::TokenSet;
use crate::expiration::Expiration;
use crate::lines::line;
use crate::loose::Loose;
use wasm_bindgen::JsValue;

/// `decode` notes a fault each for five members at most.
const INDEXES: &str = "0\n1\n2\n3\n4";

/// Hands the token set out, frozen: every call gives the same object.
pub fn to_js(set: &TokenSet) -> JsValue {
    let handed = connection(set);
    js::set(&handed, "held", set.tokens.is_none().into());
    if let Some((access, refresh)) = &set.tokens {
        js::set_text(&handed, "accessToken", access);
        js::set_text(&handed, "refreshToken", refresh);
    }
    let faults = js::on("JSON", "parse", &"[]".into()).unwrap_or(JsValue::UNDEFINED);
    for (at, (field, problem)) in set.faults.iter().enumerate() {
        let fault = pair("field", field, "problem", problem.as_str());
        js::set(&faults, line(INDEXES, at), fault);
    }
    js::set(&handed, "faults", faults);
    js::freeze(&handed);
    handed
}

/// What it says about the connection: no secret.
pub fn connection(set: &TokenSet) -> JsValue {
    let record = js::object();
    let expiration = match &set.expiration {
        Expiration::At(ms) => js::make("Date", &(*ms).into()).unwrap_or(JsValue::NULL),
        Expiration::Unreadable(member) => as_text(member),
        Expiration::Missing => JsValue::NULL,
    };
    js::set(&record, "expiration", expiration);
    js::set(&record, "ereceipt", set.ereceipt.into());
    if let Some((id, name)) = &set.account {
        js::set(&record, "account", pair("id", id, "name", name));
    }
    record
}

fn pair(one: &str, value: &str, other: &str, other_value: &str) -> JsValue {
    let object = js::object();
    js::set_text(&object, one, value);
    js::set_text(&object, other, other_value);
    object
}

/// As JavaScript writes it; of an array or an object there is nothing left to write.
fn as_text(member: &Loose) -> JsValue {
    match member {
        Loose::Text(text) => text.into(),
        // Rust's own float formatting would add 10 KB.
        Loose::Number(number) => js::act(&js::global(), "String", &(*number).into(), js::NONE),
        _ => "".into(),
    }
}
