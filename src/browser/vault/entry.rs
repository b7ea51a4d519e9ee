//! What the vault keeps, as JSON texts.

use super::StorageError;
use crate::browser::{object, tokens};
use crate::vault::lenient;
use js_sys::{Array, Date, JSON};
use pos_connect_protocol::decode::TokenSet;
use pos_connect_protocol::expiration::{self, Expiration};
use pos_connect_protocol::{Account, Field, Scalar, Store};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

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
    pub ereceipt: bool,
    /// Whose account it is, if the service said so.
    #[serde(
        deserialize_with = "lenient",
        serialize_with = "object::member",
        skip_serializing_if = "Option::is_none"
    )]
    account: Option<Account>,
    /// Which of its stores, if the service said so.
    #[serde(
        deserialize_with = "lenient",
        serialize_with = "object::member",
        skip_serializing_if = "Option::is_none"
    )]
    store: Option<Store>,
    /// When a relay said so last, or the tokens were picked up, in milliseconds since 1970.
    #[serde(deserialize_with = "lenient", skip_serializing_if = "Option::is_none")]
    pub asked: Option<f64>,
    /// Always true: the record has the form of a token set whose tokens somebody else holds.
    #[serde(deserialize_with = "lenient")]
    pub held: bool,
}

impl Record {
    /// What a token set says.
    pub fn new(scope: &str, set: &TokenSet) -> Self {
        Self {
            id: scope.into(),
            expiration: match &set.expiration {
                Expiration::At(ms) => Some(Date::new(&(*ms).into()).to_json().into()),
                Expiration::Missing => None,
                unreadable => tokens::expiration(unreadable).as_string(),
            },
            ereceipt: set.ereceipt,
            account: set.account.clone(),
            store: set.store.clone(),
            asked: Some(Date::now()),
            held: true,
        }
    }

    /// The token set, without the tokens.
    pub fn into_set(self) -> TokenSet {
        let expiration = self.expiration.map(Scalar::Text);
        TokenSet {
            tokens: None,
            expiration: expiration::read(Field::from(expiration)),
            ereceipt: self.ereceipt,
            account: self.account,
            store: self.store,
            acknowledge: false,
            faults: Vec::new(),
        }
    }
}

/// The JSON text of an entry or a record.
pub fn to_text<T: Serialize>(kept: &T) -> Result<String, StorageError> {
    Ok(object::stringify(&object::serialized(kept))?)
}

/// An entry or a record from its JSON text; `None` if the text is damaged, or not an object.
pub fn from_text<T: DeserializeOwned>(text: &str) -> Option<T> {
    let value = JSON::parse(text).ok()?;
    // serde would read an array member by member.
    let is_object = value.is_object() && !Array::is_array(&value);
    is_object.then(|| serde_wasm_bindgen::from_value(value).ok())?
}
