//! What the vault keeps of the connection.

use super::storage::record;
use js_sys::{Date, JsString, Number};
use pos_connect_protocol::decode::TokenSet;
use pos_connect_protocol::expiration::{self, Expiration};
use pos_connect_protocol::{Account, Field, Scalar, Store};
use wasm_bindgen::JsValue;

record! {
    /// What the last token set said about the connection: no secret.
    pub struct Record {
        /// The vault's scope.
        pub id: String,
        /// When the access token expires: RFC 3339, or what was sent instead.
        expiration: Option<String>,
        /// Whether the till offers e-receipts (§2.3).
        pub ereceipt: bool,
        /// Whose account it is, if the service said so.
        account: Option<Account>,
        /// Which of its stores, if the service said so.
        store: Option<Store>,
        /// When a relay said so last, or the tokens were picked up, in milliseconds since 1970.
        pub checked_at: Option<f64>,
    }
}

impl Record {
    /// What a token set says.
    pub fn new(scope: &str, set: &TokenSet) -> Self {
        Self {
            id: scope.into(),
            expiration: match &set.expiration {
                Expiration::At(ms) => Some(Date::new(&(*ms).into()).to_json().into()),
                Expiration::Missing => None,
                unreadable => expiration(unreadable).as_string(),
            },
            ereceipt: set.ereceipt,
            account: set.account.clone(),
            store: set.store.clone(),
            checked_at: Some(Date::now()),
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
        // Nothing is left of an array or an object.
        Expiration::Unreadable(None) => "".into(),
        Expiration::Missing => JsValue::NULL,
    }
}
