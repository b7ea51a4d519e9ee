//! The customers list (extension; the specification names the operation in §1 and leaves its shape open in §4.5).

use crate::ProblemCode;
use crate::body::{BodyFault, Members};
use crate::json::Json;
use crate::order::{LONGEST_ID, LONGEST_NAME};
use serde::{Deserialize, Serialize};

/// Customers in one list.
pub const MAX_CUSTOMERS: usize = 1000;
/// Longest email address, in characters (RFC 5321 §4.5.3.1.3).
const LONGEST_EMAIL: usize = 254;

/// What the till knows of one customer. No `Debug`: it is personal data.
#[derive(Clone, Default, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Customer {
    /// The till's own id: 1 to 200 characters, unique per vendor and store.
    pub external_id: String,
    /// 1 to 200 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// E.164, such as `+972502345678`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phone: Option<String>,
    /// An email address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
}

/// What is to become of one customer.
#[derive(Clone, PartialEq)]
pub enum CustomerChange {
    /// Kept as it is given, in place of what was kept before.
    Upsert(Customer),
    /// Deleted, by its external id.
    Delete(String),
}

impl CustomerChange {
    /// The till's own id of the customer.
    pub fn external_id(&self) -> &str {
        match self {
            Self::Upsert(customer) => &customer.external_id,
            Self::Delete(external_id) => external_id,
        }
    }

    /// A wrong item is a result of its own: it costs only itself.
    fn read(json: &Json, pointer: &str) -> Result<Self, CustomerResult> {
        let named = |fault| CustomerResult::refused(fault, None);
        let mut members = Members::of(json, pointer).map_err(named)?;
        let external_id = members.text("externalId", LONGEST_ID).map_err(named)?;
        let change = Self::of(members, external_id.clone());
        change.map_err(|fault| CustomerResult::refused(fault, Some(external_id)))
    }

    fn of(mut members: Members<'_>, external_id: String) -> Result<Self, BodyFault> {
        let change = match members.flag("deleted")? {
            true => Self::Delete(external_id),
            false => Self::Upsert(Customer {
                external_id,
                name: members.optional_text("name", LONGEST_NAME)?,
                phone: checked(
                    &mut members,
                    "phone",
                    is_e164,
                    "a number in E.164, such as +972502345678",
                )?,
                email: checked(&mut members, "email", is_email, "an email address")?,
            }),
        };
        members.end()?;
        Ok(change)
    }
}

/// Reads a body, `{"customers": […]}`. A wrong item costs only itself: each has its own outcome.
pub fn read(body: &Json) -> Result<Vec<Result<CustomerChange, CustomerResult>>, BodyFault> {
    let mut members = Members::of(body, "")?;
    let item = |json: &Json, pointer: &str| Ok(CustomerChange::read(json, pointer));
    if let Some(Json::List(items)) = members.optional("customers")
        && items.len() > MAX_CUSTOMERS
    {
        return Err(BodyFault {
            code: ProblemCode::TooManyItems,
            ..members.invalid("customers", "a list of 1 to 1,000 items")
        });
    }
    let changes = members.list("customers", 1..=MAX_CUSTOMERS, item)?;
    members.end()?;
    Ok(changes)
}

fn checked(
    members: &mut Members<'_>,
    name: &'static str,
    is_right: fn(&str) -> bool,
    rule: &'static str,
) -> Result<Option<String>, BodyFault> {
    match members.optional_text(name, LONGEST_EMAIL)? {
        Some(text) if !is_right(&text) => Err(members.invalid(name, rule)),
        text => Ok(text),
    }
}

/// The form of E.164. Of a customer's number it is not asked whether it is a mobile one.
fn is_e164(text: &str) -> bool {
    let Some(digits) = text.strip_prefix('+') else {
        return false;
    };
    (7..=15).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Something, an at sign, something: only a message that arrives proves more.
fn is_email(text: &str) -> bool {
    let (local, domain) = text.rsplit_once('@').unwrap_or_default();
    !local.is_empty() && !domain.is_empty() && !text.contains(char::is_whitespace)
}

crate::word::words! {
    /// What became of one customer.
    CustomerOutcome;
    /// It was not there before.
    Created = "created";
    /// It was there, and is now as it was given.
    Updated = "updated";
    /// It was deleted.
    Deleted = "deleted";
    /// There was nothing to delete.
    NotFound = "not_found";
    /// The item was wrong. Nothing was changed.
    Refused = "refused";
}

/// What became of one item of the list.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct CustomerResult {
    /// The item's external id; absent if it had none that could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// What became of it.
    pub result: CustomerOutcome,
    /// Why it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<ProblemCode>,
    /// The member that was wrong, as a JSON pointer into the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// What that member must be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
}

impl CustomerResult {
    fn refused(fault: BodyFault, external_id: Option<String>) -> Self {
        Self {
            external_id,
            result: CustomerOutcome::Refused,
            code: Some(fault.code),
            pointer: Some(fault.pointer),
            rule: (!fault.rule.is_empty()).then(|| fault.rule.into_owned()),
        }
    }
}

/// Answer to a customers list.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(schemars::JsonSchema))]
pub struct CustomersResponse {
    /// Always true: each item has its own result.
    pub success: bool,
    /// One for each item, in the order in which they were sent.
    pub results: Vec<CustomerResult>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn all(body: Value) -> Result<Vec<Result<CustomerChange, CustomerResult>>, BodyFault> {
        read(&serde_json::from_value(body).unwrap())
    }

    fn one(item: Value) -> Result<CustomerChange, CustomerResult> {
        all(json!({ "customers": [item] })).unwrap().remove(0)
    }

    #[test]
    fn a_customer_is_kept_or_deleted() {
        let item = json!({"externalId": "c-7", "name": "דנה", "phone": "+972502345678", "email": "dana@example.com"});
        let Ok(CustomerChange::Upsert(customer)) = one(item.clone()) else {
            panic!("not kept");
        };
        assert_eq!(serde_json::to_value(customer).unwrap(), item);
        let deleted = one(json!({"externalId": "c-7", "deleted": true}));
        assert!(deleted == Ok(CustomerChange::Delete("c-7".into())));
        assert!(one(json!({"externalId": "c-7", "deleted": false, "name": null})).is_ok());
    }

    #[test]
    fn a_wrong_item_is_named_and_costs_only_itself() {
        for (name, wrong) in [
            ("externalId", json!("")),
            ("name", json!(1)),
            ("phone", json!("050-234-5678")),
            ("phone", json!("+12345")),
            ("phone", json!("+1234567890123456")),
            ("email", json!("dana")),
            ("email", json!("dana @example.com")),
            ("deleted", json!(1)),
        ] {
            let mut item = json!({"externalId": "c-7"});
            item[name] = wrong;
            let good = json!({"externalId": "c-8"});
            let read = all(json!({"customers": [good, item]})).unwrap();
            assert!(read[0].is_ok());
            let fault = read[1].as_ref().err().unwrap();
            assert_eq!(fault.pointer, Some(format!("/customers/1/{name}")));
            assert_eq!(fault.code, Some(ProblemCode::InvalidMember));
            assert!(fault.rule.is_some());
            let known = (name != "externalId").then_some("c-7");
            assert_eq!(fault.external_id.as_deref(), known);
        }
        // What is deleted has nothing else: a name beside it is a mistake.
        let fault = one(json!({"externalId": "c-7", "deleted": true, "name": "x"}))
            .err()
            .unwrap();
        assert_eq!(
            (fault.code, fault.pointer.as_deref()),
            (Some(ProblemCode::UnknownMember), Some("/customers/0/name"))
        );
    }

    /// The service answers with one thread for many callers.
    #[test]
    fn a_list_is_counted_before_it_is_read() {
        let fastest = |count: usize, item: Value| {
            let body = serde_json::from_value(json!({"customers": vec![item; count]})).unwrap();
            let once = |_| {
                let begun = std::time::Instant::now();
                let _ = read(&body);
                begun.elapsed()
            };
            (0..5).map(once).min().unwrap()
        };
        let good = fastest(MAX_CUSTOMERS, json!({"externalId": "c"}));
        let (long, rule) = (fastest(500_000, json!(0)), "a thousand good items");
        assert!(long < good, "{long:?} for very many, {good:?} for {rule}");
    }

    #[test]
    fn the_list_has_a_limit() {
        let many = |count: usize| json!({"customers": vec![json!({"externalId": "c"}); count]});
        assert_eq!(all(many(MAX_CUSTOMERS)).ok().unwrap().len(), MAX_CUSTOMERS);
        let fault = all(many(MAX_CUSTOMERS + 1)).err().unwrap();
        assert_eq!(
            (fault.code, &*fault.pointer),
            (ProblemCode::TooManyItems, "/customers")
        );
        let fault = all(many(0)).err().unwrap();
        assert_eq!(
            (fault.code, &*fault.pointer),
            (ProblemCode::InvalidMember, "/customers")
        );
    }
}
