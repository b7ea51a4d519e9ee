//! An order on its way into the outbox: what is wrong with it, before anything is kept or sent.

use crate::connect::integration::SIGNAL;
use crate::core::error::{Error, ErrorCode};
use crate::core::options::{Call, Kind};
use crate::keypad::settings::{CONTAINER, ERECEIPT, EVERY, REGION};
use pos_connect_protocol::ProblemCode;
use pos_connect_protocol::body::BodyFault;
use pos_connect_protocol::json::Json;
use pos_connect_protocol::order::Order;

crate::options! {
    /// What `receiptFor`, `onSend` or `onScan` gave for this order: its number and consent, or the hash of the link
    /// that the shopper scans, go with the order.
    RECEIPT = "receipt": Kind::Any, type "ReceiptResult | Receipt | ScannedReceipt", default "none";
    /// Whether an order whose e-receipt is queued is printed as well: nobody knows when the message will arrive.
    PRINT_IF_QUEUED = "printIfQueued": Kind::Flag(true);
    /// Offers "QR code" as well: the receipt as a QR code, without a number and without paper.
    ALLOW_SCAN = "allowScan": Kind::Flag(false);
    /// The order as it should have been.
    ///
    /// Only for a refused one: another may have arrived as it is.
    ORDER = "order": Kind::Any, type "Order", default "as it was";
    /// Makes a repeated call the same call.
    IDEMPOTENCY_KEY = "idempotencyKey": Kind::Ascii(1, 64), default "a new one";
    /// Prints the receipt.
    ///
    /// Called at most once, as soon as paper is the outcome. What it throws is reported to the console and changes
    /// nothing.
    PRINT = "print": Kind::Function, type "(receipt: PrintedReceipt) => void", default "required";
}

/// The options of `orders.send`.
pub const SEND_ORDER: Call = &[&[&SIGNAL, &RECEIPT, &PRINT_IF_QUEUED]];
/// The options of `orders.retry`.
pub const RETRY_ORDER: Call = &[&[&ORDER]];
/// The options of `customers.send`.
pub const SEND_CUSTOMERS: Call = &[&[&SIGNAL, &IDEMPOTENCY_KEY]];

/// The options of `charge`.
pub const CHARGE: Call = &[
    &[
        &PRINT,
        &REGION,
        &CONTAINER,
        &ERECEIPT,
        &PRINT_IF_QUEUED,
        &ALLOW_SCAN,
    ],
    EVERY,
];

/// The longest body that a service takes, in bytes.
pub const LONGEST_BODY: usize = 1 << 20;

/// Reads an order; the error names the member that is wrong. Amounts that JavaScript cannot hold exactly are wrong.
pub fn order(body: &Json) -> Result<Order, Error> {
    let order = Order::read(body).map_err(|fault| refused(&fault))?;
    let phone = order
        .ereceipt
        .as_ref()
        .and_then(|ereceipt| ereceipt.phone.as_deref());
    match phone.is_none_or(is_e164) {
        true => Ok(order),
        false => Err(refused(&BodyFault::invalid("/ereceipt/phone", E164))),
    }
}

const E164: &str = "a number in E.164, such as +972502345678";

/// Whether a message reaches the number, the service decides: it knows newer ones.
fn is_e164(phone: &str) -> bool {
    let digits = phone.strip_prefix('+').unwrap_or_default();
    (7..=15).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn refused(fault: &BodyFault) -> Error {
    let (problem, rule) = match fault.code {
        ProblemCode::MissingMember => (": is missing", ""),
        ProblemCode::UnknownMember => (": is not a member that the service knows", ""),
        _ => (": must be ", &*fault.rule),
    };
    let mut error = Error::new(ErrorCode::InvalidOption);
    error.pointer = Some(fault.pointer.clone());
    error.detail(&["order", &fault.pointer, problem, rule])
}

/// Whether a JSON text holds half of a surrogate pair, which no other program can read. `JSON.stringify` writes such a
/// half as an escape, and whole pairs as they are.
pub fn has_lone_surrogate(json: &str) -> bool {
    let mut is_escape = false;
    let mut escaped = json.char_indices().filter(|(_, character)| {
        let follows = is_escape;
        is_escape = !is_escape && *character == '\\';
        follows
    });
    escaped.any(|(at, _)| {
        let rest = json.get(at..).unwrap_or_default();
        ["ud8", "ud9", "uda", "udb", "udc", "udd", "ude", "udf"]
            .iter()
            .any(|half| rest.starts_with(half))
    })
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn body(value: Value) -> Json {
        serde_json::from_value(value).unwrap()
    }

    fn good() -> Value {
        json!({
            "externalId": "1041", "time": "2026-11-23T10:30:00+02:00", "currency": "ILS", "total": 1191,
            "lines": [{"name": "Bread", "quantity": 1, "amount": 1191}],
        })
    }

    #[test]
    fn the_member_that_is_wrong_is_named() {
        assert!(order(&body(good())).is_ok());
        for (name, value, message) in [
            (
                "total",
                json!(11.5),
                "order/total: must be a whole number in the currency's smallest unit, such as 1191 for 11.91",
            ),
            ("total", json!(null), "order/total: is missing"),
            (
                "totl",
                json!(1),
                "order/totl: is not a member that the service knows",
            ),
            (
                "lines",
                json!([{"quantity": 1, "amount": 1}]),
                "order/lines/0/name: is missing",
            ),
            (
                "lines",
                json!([{"name": "Olives", "quantity": 0.3555, "amount": 138}]),
                "order/lines/0/quantity: must be a number with up to three decimals, such as 0.355, and below \
                 1,000,000,000",
            ),
        ] {
            let mut wrong = good();
            wrong[name] = value;
            let error = order(&body(wrong)).unwrap_err();
            assert_eq!(error.message(), message);
            assert!(message.contains(&error.pointer.unwrap()));
        }
        let error = order(&body(json!(["x"]))).unwrap_err();
        assert_eq!(error.message(), "order: must be an object");
        let mut local = good();
        local["ereceipt"] = json!({"phone": "0502345678", "consent": {"id": "c"}});
        let error = order(&body(local)).unwrap_err();
        assert_eq!(error.pointer.as_deref(), Some("/ereceipt/phone"));
    }

    #[test]
    fn half_of_a_pair_is_found() {
        for json in [r#"{"a":"\ud83d"}"#, r#"["\\\udc00"]"#] {
            assert!(has_lone_surrogate(json), "{json}");
        }
        for json in [r#"{"a":"\\ud83d"}"#, "\"\u{1f600}\"", r#"["\n\u001f"]"#, ""] {
            assert!(!has_lone_surrogate(json), "{json}");
        }
    }
}
