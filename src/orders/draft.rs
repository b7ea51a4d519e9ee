//! Orders between the page and the outbox: what `orders.send` is given, and what the page is told.

use super::clean::{self, Limits};
use super::queued_order::{self, Change, QueuedOrder, ReceiptChoice, State};
use super::{order, sealing};
use crate::core::error::{ErrorCode, Operation};
use crate::core::failure::Failure;
use crate::core::object::{self, Unread, get, text};
use js_sys::{Array, Date, JSON, Object, Reflect};
use pos_connect_protocol::json::Json;
use wasm_bindgen::prelude::*;

const OPERATION: Operation = Operation::SendOrder;
const ERECEIPT: &str = "ereceipt";
/// The kind of a receipt behind a code.
pub const CODE: &str = "qr";

/// An order that was read.
pub struct Draft {
    /// The order without its key.
    pub entry: QueuedOrder,
    /// What the shopper chose.
    pub choice: ReceiptChoice,
    /// Which of its texts were changed.
    pub cleaned: Array,
}

/// Reads an order, and the receipt that belongs to it.
pub fn draft(given: &JsValue, receipt: Option<JsValue>) -> Result<Draft, Failure> {
    let body = copy(given, "order")?;
    let has = |name: &str| Reflect::has(&body, &name.into()).unwrap_or_default();
    let receipt = receipt
        .map(|receipt| copy(&receipt, "receipt"))
        .transpose()?;
    let mut choice = match has(ERECEIPT) {
        true => ReceiptChoice::Text,
        false => ReceiptChoice::Print,
    };
    if let Some(receipt) = &receipt {
        if has(ERECEIPT) {
            return Err(Failure::invalid("order/ereceipt: stands beside receipt"));
        }
        choice = match text(receipt, "kind").as_str() {
            // As `receiptFor` gives it, or as `onSend` gets it: with the kind of the number.
            "ereceipt" | "mobile" | "fixed_line_or_mobile" | CODE => ReceiptChoice::Text,
            "none" => ReceiptChoice::Nothing,
            "print" => ReceiptChoice::Print,
            _ => {
                return Err(Failure::invalid("receipt: must be a result of receiptFor"));
            }
        };
        if choice == ReceiptChoice::Text {
            add_ereceipt(&body, receipt);
        }
    }
    let cleaned = clean_order(&body);
    let (kept, json) = checked(&body, "order")?;
    let order = order::order(&json)?;
    if receipt.is_some_and(|receipt| text(&receipt, "orderId") != order.external_id) {
        return Err(Failure::invalid("receipt: is of another order"));
    }
    let mut entry = QueuedOrder::new(String::new(), order.external_id, kept);
    entry.has_ereceipt = order.ereceipt.is_some();
    Ok(Draft {
        entry,
        choice,
        cleaned,
    })
}

fn add_ereceipt(body: &Object, receipt: &Object) {
    let ereceipt: Object = object::null_prototype();
    let names = match text(receipt, "kind").as_str() {
        CODE => ["linkHash", "locale"],
        _ => ["phone", "consent"],
    };
    object::fill(&ereceipt, &names.map(|name| (name, get(receipt, name))));
    object::fill(body, &[(ERECEIPT, ereceipt.into())]);
}

/// An order's body with the e-receipt of another one.
pub fn with_ereceipt_of(old: &str, new: &str) -> String {
    let object = |text: &str| JSON::parse(text).map(Object::from);
    let merged = object(old).and_then(|old| {
        let new = object(new)?;
        let ereceipt = Reflect::get(&old, &ERECEIPT.into())?;
        sealing::name_first_order(&ereceipt, &old);
        Reflect::set(&new, &ERECEIPT.into(), &ereceipt)?;
        object::stringify(&new)
    });
    // Both are texts that we have written.
    merged.unwrap_or_else(|_| new.to_owned())
}

/// A copy of an object of the page, as JSON has it: dates are texts, and what is undefined is not there. Fails with a
/// pointer to the member that can't be read.
pub fn copy(given: &JsValue, name: &str) -> Result<Object, Failure> {
    let invalid = |fault: &[&str]| Failure::invalid(&fault.concat());
    if !given.is_object() {
        return Err(invalid(&[name, ": is not an object"]));
    }
    let copy = object::copy(given).map_err(|Unread { pointer, thrown }| {
        let member = [name, &pointer].concat();
        let mut failure = match thrown {
            Some(thrown) => Failure::unreadable(&member, thrown),
            None => invalid(&[&member, ": goes too deep"]),
        };
        failure.error.pointer = Some(pointer).filter(|pointer| !pointer.is_empty());
        failure
    })?;
    Ok(copy.unchecked_into())
}

/// Cleans texts of an object in such a copy. Adds pointers to those that were changed; `pointer` is the object's own.
pub fn clean(object: &JsValue, limits: Limits, pointer: &str, cleaned: &Array) {
    for (name, longest, if_empty) in limits {
        // What is not an object has no members, and the check that follows says so.
        let given = get(object, name);
        let Some(text) = given.as_string() else {
            continue;
        };
        // Half of a surrogate pair, which a till leaves that cuts by code units, is another character in `text`.
        let clean = clean::clean(&text, *longest);
        let clean = Some(&*clean).filter(|clean| !clean.is_empty());
        let clean = clean.or(*if_empty).into();
        if clean != given && Reflect::set(object, &(*name).into(), &clean).is_ok() {
            cleaned.push(&[pointer, "/", name].concat().into());
        }
    }
}

/// Cleans the texts of an order.
fn clean_order(body: &JsValue) -> Array {
    let cleaned = Array::new();
    if let Some(lines) = get(body, "lines").dyn_ref::<Array>() {
        for (at, line) in (0_u32..).zip(lines.iter()) {
            let pointer = ["/lines/", &at.to_string()].concat();
            clean(&line, clean::LINE, &pointer, &cleaned);
        }
    }
    clean(body, clean::ORDER, "", &cleaned);
    let consent = get(&get(body, ERECEIPT), "consent");
    clean(&consent, clean::CONSENT, "/ereceipt/consent", &cleaned);
    cleaned
}

/// A result with what was cleaned, if anything was: `cleaned` in `index.d.ts`.
pub fn with_cleaned(result: JsValue, cleaned: &Array) -> JsValue {
    if cleaned.length() == 0 || !result.is_object() {
        return result;
    }
    // That of a charge may be frozen.
    let with_cleaned = object::of(&[("cleaned", cleaned.into())]);
    Object::assign(&with_cleaned, result.unchecked_ref()).into()
}

/// The JSON text of such a copy, and what a reader of bodies wants.
pub fn checked(body: &Object, name: &str) -> Result<(String, Json), Failure> {
    let invalid = |fault: &str| Failure::invalid(&[name, fault].concat());
    let text = object::stringify(body).map_err(|_| invalid(": is not JSON"))?;
    if order::has_lone_surrogate(&text) {
        return Err(invalid(": is not well-formed Unicode"));
    }
    if text.len() > order::LONGEST_BODY {
        return Err(invalid(": is longer than 1,048,576 bytes"));
    }
    let json = JSON::parse(&text).map(serde_wasm_bindgen::from_value);
    let json = json.ok().and_then(Result::ok);
    Ok((text, json.ok_or_else(|| invalid(": is not JSON"))?))
}

/// What became of an order, as `orders.send` tells it: `SentOrder` in `index.d.ts`. A refused one is an error.
pub fn sent(
    change: &Change,
    failure: Option<Failure>,
    choice: ReceiptChoice,
    trusts_queue: bool,
) -> Result<JsValue, Failure> {
    if matches!(change.state, State::Refused | State::Discarded) {
        return Err(failure.unwrap_or_else(|| Failure::new(ErrorCode::Aborted)));
    }
    let is_accepted = change.state == State::Accepted;
    let print = queued_order::prints(
        choice,
        change.ereceipt.as_deref(),
        is_accepted,
        trusts_queue,
    );
    let state = match is_accepted {
        true => State::Accepted,
        false => State::Queued,
    };
    Ok(object_of(change, failure, state, Some(print)).into())
}

/// `OutboxChange` in `index.d.ts`.
pub fn change(change: &Change, failure: Option<Failure>) -> JsValue {
    object_of(change, failure, change.state, None).into()
}

fn object_of(
    change: &Change,
    failure: Option<Failure>,
    state: State,
    print: Option<bool>,
) -> Object {
    let received_at = change.received_at.as_deref().and_then(date);
    let error = failure.map(|failure| failure.during(OPERATION));
    object::of(&[
        ("state", state.as_str().into()),
        ("id", change.id.as_str().into()),
        ("externalId", change.external_id.as_str().into()),
        ("print", print.into()),
        ("ereceipt", change.ereceipt.as_deref().into()),
        ("receivedAt", received_at.into()),
        ("error", error.into()),
    ])
}

/// A time that a service has sent; `None` if it is none.
pub fn date(text: &str) -> Option<JsValue> {
    let date = Date::new(&text.into());
    (!date.get_time().is_nan()).then(|| date.into())
}

/// What is to be printed of an order, and why, without the phone number: `PrintedReceipt` in `index.d.ts`.
pub fn receipt_to_print(entry: &QueuedOrder, reason: &str) -> JsValue {
    let receipt = object::of(&[
        ("externalId", entry.external_id.as_str().into()),
        ("order", shown(entry)),
        ("reason", reason.into()),
    ]);
    receipt.into()
}

/// What waits in the outbox, without the phone number: `OutboxOrder` in `index.d.ts`.
pub fn waiting(
    id: &str,
    entry: &QueuedOrder,
    failure: Option<Failure>,
    state: State,
    persisted: bool,
) -> JsValue {
    let time = |ms: Option<f64>| ms.map_or(JsValue::NULL, |ms| Date::new(&ms.into()).into());
    let next = entry.next.filter(|_| state == State::Queued);
    let error = failure.map(|failure| failure.during(OPERATION));
    let waiting = object::of(&[
        ("state", state.as_str().into()),
        ("id", id.into()),
        ("externalId", entry.external_id.as_str().into()),
        ("queuedAt", time(entry.at)),
        ("nextTry", time(next)),
        ("tries", entry.tries.into()),
        ("hasEreceipt", entry.has_ereceipt.into()),
        ("persisted", persisted.into()),
        ("order", shown(entry)),
        ("error", error.into()),
    ]);
    waiting.into()
}

/// The order without its e-receipt; null if it can't be read.
fn shown(entry: &QueuedOrder) -> JsValue {
    let order = JSON::parse(&entry.body).ok().filter(|order| {
        let order: &Object = order.unchecked_ref();
        Reflect::delete_property(order, &ERECEIPT.into()) == Ok(true)
    });
    order.unwrap_or(JsValue::NULL)
}
