//! What the vault keeps, as JSON texts.

use super::Failed;
use crate::decode::TokenSet;
use crate::expiration::{self, Expiration};
use crate::loose::Loose;
use crate::vault::lenient;
use js_sys::{Array, Date, JSON, Number};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;

/// What the last token set said about the connection: no secret.
#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Record {
    /// The vault's scope.
    #[serde(deserialize_with = "lenient")]
    id: String,
    /// When the access token expires: RFC 3339, or what was sent instead.
    #[serde(deserialize_with = "lenient", skip_serializing_if = "Option::is_none")]
    expiration: Option<String>,
    /// Whether the till offers e-receipts (§2.3).
    #[serde(deserialize_with = "lenient")]
    ereceipt: bool,
    /// Whose account it is, if the service said so.
    #[serde(deserialize_with = "lenient", skip_serializing_if = "Option::is_none")]
    account: Option<Account>,
    /// Always true: the record has the form of a token set whose tokens somebody else holds.
    #[serde(deserialize_with = "lenient")]
    pub held: bool,
}

#[derive(Deserialize, Serialize)]
struct Account {
    id: String,
    name: String,
}

impl Record {
    /// What a token set says.
    pub fn new(scope: &str, set: &TokenSet) -> Self {
        let account = set.account.clone();
        Self {
            id: scope.into(),
            expiration: match &set.expiration {
                Expiration::At(ms) => Some(Date::new(&(*ms).into()).to_json().into()),
                Expiration::Unreadable(member) => Some(as_text(member)),
                Expiration::Missing => None,
            },
            ereceipt: set.ereceipt,
            account: account.map(|(id, name)| Account { id, name }),
            held: true,
        }
    }

    /// The token set, without the tokens.
    pub fn into_set(self) -> TokenSet {
        let expiration = self.expiration.map_or(Loose::Missing, Loose::Text);
        TokenSet {
            tokens: None,
            expiration: expiration::read(expiration),
            ereceipt: self.ereceipt,
            account: self.account.map(|account| (account.id, account.name)),
            acknowledge: false,
            faults: Vec::new(),
        }
    }
}

/// As JavaScript writes it. An array or an object was not kept: there is nothing to write.
fn as_text(member: &Loose) -> String {
    match member {
        Loose::Text(text) => text.clone(),
        Loose::Number(number) => {
            let text = Number::from(*number).to_string_with_radix(10);
            text.map(String::from).unwrap_or_default()
        }
        _ => String::new(),
    }
}

/// The JSON text of an entry or a record.
pub fn to_text<T: Serialize>(kept: &T) -> Result<String, Failed> {
    let value = serde_wasm_bindgen::to_value(kept).map_err(|_| Failed)?;
    Ok(JSON::stringify(&value)?.into())
}

/// An entry or a record from its JSON text; `None` if the text is damaged, or is no object.
pub fn from_text<T: DeserializeOwned>(text: &str) -> Option<T> {
    let value: JsValue = JSON::parse(text).ok()?;
    // serde would read an array member by member.
    let is_object = value.is_object() && !Array::is_array(&value);
    is_object.then(|| serde_wasm_bindgen::from_value(value).ok())?
}
